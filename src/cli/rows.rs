//! The records of tables one behind the other, chosen by layer and number, as bytes for a pipe or a
//! file.

use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Arg;
use endtable::games::{NumberRange, Records, Row, Watch};
use endtable::job::{Progress, Quiet};
use endtable::table::{Kind, read_header};
use rayon::prelude::*;

use super::Failure;
use super::files::tables_at;
use super::progress::Shown;

/// Records that are encoded at once: many blocks, so that the threads seldom wait for one another.
const CHUNK: u64 = 1 << 14;

/// Chunks that each thread has of what is encoded before it is written.
const CHUNKS_A_THREAD: usize = 4;

/// Asks for one layer of complete tables.
pub fn layer_arg() -> Arg {
    Arg::new("layer")
        .long("layer")
        .value_name("N")
        .value_parser(clap::value_parser!(u8))
        .help("Of a folder of complete tables: only this layer")
}

/// Asks for some records of a table.
pub fn records_arg() -> Arg {
    Arg::new("records")
        .long("records")
        .value_name("A..B")
        .value_parser(clap::value_parser!(NumberRange))
        .help("Of one table: only the records with these numbers, as in 0..10")
}

/// The records that were asked for.
pub struct Selection {
    /// The tables, one behind the other.
    pub tables: Vec<Records>,
    /// Which numbers of each.
    numbers: Range<u64>,
}

impl Selection {
    /// Opens the tables at some paths; of complete ones those of a layer, if one is named.
    pub fn open(
        paths: &[PathBuf],
        layer: Option<u8>,
        numbers: Option<&NumberRange>,
    ) -> Result<Self, Failure> {
        let mut files = Vec::new();
        for path in paths {
            files.extend(tables_at(path)?);
        }
        if let Some(layer) = layer {
            let headers =
                files.iter().map(|file| read_header(file)).collect::<Result<Vec<_>, _>>()?;
            let mut headers = headers.into_iter();
            files.retain(|_| {
                let header = headers.next();
                header.is_some_and(|header| header.kind == Kind::Dense && header.layer == layer)
            });
            if files.is_empty() {
                return Err(Failure::NotFound(format!("--layer {layer}: no table of that layer")));
            }
        }
        if let (Some(numbers), [first, second, ..]) = (numbers, &files[..]) {
            let NumberRange(Range { start, end }) = numbers;
            return Err(Failure::input(format!(
                "--records {start}..{end}: several tables have such numbers, {} and {} for two: name \
                 one of them",
                first.display(),
                second.display()
            )));
        }
        let tables = files.iter().map(|file| Records::open(file)).collect::<Result<Vec<_>, _>>()?;
        if let (Some(NumberRange(Range { start, end })), [table]) = (numbers, &tables[..])
            && *start >= table.len()
        {
            return Err(Failure::NotFound(format!(
                "--records {start}..{end}: {} has {} records",
                table.path().display(),
                table.len()
            )));
        }
        let numbers = numbers.map_or(0..u64::MAX, |numbers| numbers.0.clone());
        Ok(Self { tables, numbers })
    }

    /// How many records there are; in dense tables, numbers.
    fn len(&self) -> u64 {
        let numbers = self.tables.iter().map(|table| self.numbers_of(table));
        numbers.map(|numbers| numbers.end - numbers.start).sum()
    }

    /// How many of these are positions: what is written.
    pub fn count(&self) -> Result<u64, Failure> {
        let counts = self.tables.iter().map(|table| table.count(self.numbers_of(table)));
        Ok(counts.sum::<Result<u64, _>>()?)
    }

    fn numbers_of(&self, table: &Records) -> Range<u64> {
        let end = self.numbers.end.min(table.len());
        self.numbers.start.min(end)..end
    }

    /// The records in pieces that begin and end with blocks, but for the first and the last.
    fn chunks(&self) -> impl Iterator<Item = (&Records, Range<u64>)> {
        self.tables.iter().flat_map(|table| {
            let Range { start, end } = self.numbers_of(table);
            let first = start / CHUNK;
            (first..end.div_ceil(CHUNK).max(first))
                .map(move |chunk| (table, start.max(chunk * CHUNK)..end.min((chunk + 1) * CHUNK)))
        })
    }

    /// Writes every record as `encode` appends it, in order; many are encoded at the same time.
    pub fn write(
        &self,
        out: &mut dyn Write,
        watch: &Watch<'_>,
        encode: impl Fn(&Records, &Row, &mut Vec<u8>) -> Result<(), Failure> + Sync,
    ) -> Result<(), Failure> {
        let encode_chunk = |(table, numbers): &(&Records, Range<u64>)| {
            let (mut rows, mut bytes) = (Vec::new(), Vec::new());
            if !watch.stop.load(Ordering::Relaxed) {
                table.read(numbers.clone(), &mut rows)?;
                rows.iter().try_for_each(|row| encode(table, row, &mut bytes))?;
            }
            Ok(bytes)
        };
        let at_once = CHUNKS_A_THREAD * rayon::current_num_threads();
        let mut chunks = self.chunks();
        watch.progress.begin("records", self.len(), 0);
        let mut write_all = || loop {
            let next: Vec<_> = chunks.by_ref().take(at_once).collect();
            if next.is_empty() {
                return Ok(out.flush()?);
            }
            let encoded: Vec<Result<_, Failure>> = next.par_iter().map(encode_chunk).collect();
            for ((_, numbers), bytes) in next.iter().zip(encoded) {
                if watch.stop.load(Ordering::Relaxed) {
                    return Err(Failure::Stopped("stopped before the last record".into()));
                }
                out.write_all(&bytes?)?;
                let count = numbers.end - numbers.start;
                watch.progress.advance(count, count);
            }
        };
        let done = write_all();
        watch.progress.end();
        done
    }
}

/// Shows progress, unless the records go to the same terminal.
pub fn with_progress<T>(
    stop: &AtomicBool,
    to_stdout: bool,
    act: impl FnOnce(&Watch<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let shown = Shown::new();
    let disturbs = to_stdout && std::io::stdout().is_terminal();
    let progress: &dyn Progress = if disturbs { &Quiet } else { &shown };
    act(&Watch { stop, progress })
}
