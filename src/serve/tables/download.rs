//! The files of tables, piece by piece, whole or in part.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::UNIX_EPOCH;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header::{self, HeaderMap};
use axum::http::{Response, StatusCode};
use hyper::body::{Frame, SizeHint};
use tokio::task::{JoinHandle, spawn_blocking};

use super::{name_of, numbered};
use crate::serve::{Problem, Site};

/// How much is read at a time, in bytes.
const PIECE: u64 = 1 << 17;

/// A file of some tables, or the part of it that is asked for.
pub async fn file(
    State(site): State<Arc<Site>>,
    Path((number, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    let opened = numbered(&site, &number)?;
    let none = || Problem::not_found(format!("tables {number} have no file {file:?}"));
    let place: usize = file.parse().map_err(|_| none())?;
    let shared = opened.watched().file(place).ok_or_else(none)?;
    let name = opened.files().get(place).map(|file| name_of(file.path())).unwrap_or_default();
    let (length, tag) = length_and_tag(&shared).map_err(|error| {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("{name}: {error}"))
    })?;
    let asked = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    // Parts of another file than the one whose beginning is there are of no use.
    let same = headers.get(header::IF_RANGE).is_none_or(|known| known.as_bytes() == tag.as_bytes());
    let part = asked.filter(|_| same).and_then(|asked| part(asked, length));
    let response = Response::builder()
        .header(header::CONTENT_TYPE, "application/octet-stream")
        .header(header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", plain(&name)))
        .header(header::ACCEPT_RANGES, "bytes")
        .header(header::ETAG, tag);
    let (response, range) = match part {
        None => (response, 0..length),
        Some(Ok(range)) => {
            let shown = format!("bytes {}-{}/{length}", range.start, range.end - 1);
            (
                response.status(StatusCode::PARTIAL_CONTENT).header(header::CONTENT_RANGE, shown),
                range,
            )
        }
        Some(Err(NotThere)) => {
            let shown = format!("bytes */{length}");
            let response = response.status(StatusCode::RANGE_NOT_SATISFIABLE);
            (response.header(header::CONTENT_RANGE, shown), 0..0)
        }
    };
    let body = Body::new(Pieces { file: shared, range, reading: None });
    response.body(body).map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error))
}

/// The length of a file, and what tells it from another.
fn length_and_tag(file: &File) -> io::Result<(u64, String)> {
    let data = file.metadata()?;
    let time = data.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok((data.len(), format!("\"{:x}-{:x}\"", data.len(), time.as_nanos())))
}

/// A name that a header can hold.
fn plain(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    name.chars().map(|c| if fits(c) { c } else { '_' }).collect()
}

/// A part that the file does not have.
#[derive(Debug, PartialEq, Eq)]
struct NotThere;

/// The bytes that a Range header asks for; `None` if it is none that we know, or several.
fn part(header: &str, length: u64) -> Option<Result<Range<u64>, NotThere>> {
    let (first, last) = header.strip_prefix("bytes=")?.split_once('-')?;
    let number = |text: &str| text.parse::<u64>().ok().filter(|_| !text.starts_with('+'));
    let range = match (first, last) {
        ("", last) => length.saturating_sub(number(last)?)..length,
        (first, "") => number(first)?..length,
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return None;
            }
            first..last.saturating_add(1).min(length)
        }
    };
    Some(if range.start < range.end { Ok(range) } else { Err(NotThere) })
}

/// A part of a file, read as it is sent.
struct Pieces {
    file: Arc<File>,
    range: Range<u64>,
    reading: Option<JoinHandle<io::Result<Vec<u8>>>>,
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.range.is_empty() {
            return Poll::Ready(None);
        }
        let Range { start, end } = self.range;
        let file = Arc::clone(&self.file);
        // Elsewhere, since the disk may take its time.
        let reading = self.reading.get_or_insert_with(|| {
            spawn_blocking(move || {
                let mut piece = vec![0; PIECE.min(end - start) as usize];
                file.read_exact_at(&mut piece, start)?;
                Ok(piece)
            })
        });
        let read = ready!(Pin::new(reading).poll(context));
        self.reading = None;
        Poll::Ready(Some(match read {
            Ok(Ok(piece)) => {
                self.range.start += piece.len() as u64;
                Ok(Frame::data(piece.into()))
            }
            Ok(Err(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.range.end - self.range.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_files_are_told_apart() {
        assert_eq!(part("bytes=0-9", 100), Some(Ok(0..10)));
        assert_eq!(part("bytes=90-", 100), Some(Ok(90..100)));
        assert_eq!(part("bytes=-10", 100), Some(Ok(90..100)));
        assert_eq!(part("bytes=-1000", 100), Some(Ok(0..100)));
        assert_eq!(part("bytes=99-1000", 100), Some(Ok(99..100)));
        assert_eq!(part("bytes=0-18446744073709551615", 100), Some(Ok(0..100)));
        assert_eq!(part("bytes=100-", 100), Some(Err(NotThere)));
        assert_eq!(part("bytes=-0", 100), Some(Err(NotThere)));
        for nonsense in [
            "bytes=",
            "bytes=-",
            "bytes=9-0",
            "bytes=0-1,2-3",
            "lines=1-2",
            "bytes=a-b",
            "bytes=+1-2",
        ] {
            assert_eq!(part(nonsense, 100), None, "{nonsense}");
        }
    }
}
