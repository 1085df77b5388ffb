//! The forms in which people name positions, on the command line or line by line.

use std::io::{self, BufRead, BufReader, Read, Write};

use clap::Args;
use endtable::games::collapsi::{Board, deal_from_seed};
use endtable::games::key::Key128;
use rayon::prelude::*;

use super::{Failure, complain};

/// Where the positions come from: one of these.
#[derive(Args)]
#[group(multiple = false)]
pub struct Input {
    /// The deal of a seed, a number below 2^64
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Rows from the top left, pawns behind their cells, then the side to move
    #[arg(long, value_name = "TEXT", value_parser = parse_text)]
    position: Option<Board>,
    /// Eight hex numbers: A,2,3,4,X,O,collapsed,turn
    #[arg(long, value_name = "NUMBERS", value_parser = parse_state)]
    state: Option<Board>,
    /// A 128-bit key in hex
    #[arg(long, value_name = "HI:LO", value_parser = parse_key)]
    key: Option<Board>,
    /// Read positions from standard input, one a line, in any of these forms
    #[arg(long)]
    stdin: bool,
}

impl Input {
    /// Whether a position, or standard input, has been named.
    pub fn is_given(&self) -> bool {
        self.stdin || self.named().is_some()
    }

    fn named(&self) -> Option<Board> {
        self.seed.map(deal_from_seed).or(self.position).or(self.state).or(self.key)
    }

    /// Answers every position named, or those of standard input as [`answer_lines`] does.
    pub fn answer<S>(
        &self,
        start: impl Fn() -> S + Sync + Send,
        answer: impl Fn(&mut S, Board) -> Result<String, Failure> + Sync + Send,
    ) -> Result<(), Failure> {
        if let Some(board) = self.named() {
            let mut out = io::stdout().lock();
            out.write_all(answer(&mut start(), board)?.as_bytes())?;
            return Ok(out.flush()?);
        }
        if !self.stdin {
            return Err(Failure::input(
                "name a position: --seed, --position, --state, --key or --stdin (see --help)",
            ));
        }
        answer_lines(start, |state, line| answer(state, parse_any(line).map_err(Failure::Input)?))
    }

    /// Whether positions come from standard input. Refuses the forms in which Collapsi positions
    /// are named.
    pub fn only_stdin(&self) -> Result<bool, Failure> {
        match self.named() {
            None => Ok(self.stdin),
            Some(_) => Err(Failure::input(
                "--seed, --position, --state and --key name Collapsi positions; \
                 these are tables of 2048 boards",
            )),
        }
    }
}

/// Answers every line of standard input, and writes the answers in order: in parallel, as many at
/// a time as have arrived. A line that is bad or has no answer is reported, and the rest still
/// answered. `start` makes what a thread keeps from one line to the next.
pub fn answer_lines<S>(
    start: impl Fn() -> S + Sync + Send,
    answer: impl Fn(&mut S, &str) -> Result<String, Failure> + Sync + Send,
) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut reader = BufReader::with_capacity(1 << 18, io::stdin().lock());
    let (mut number, mut reported) = (0, None);
    loop {
        let lines = next_lines(&mut reader)?;
        if lines.is_empty() {
            break;
        }
        let answers: Vec<Result<String, Failure>> = lines
            .par_iter()
            .map_init(&start, |state, line| answer(state, &checked_line(line)?))
            .collect();
        for line in answers {
            number += 1;
            match line {
                Ok(text) => out.write_all(text.as_bytes())?,
                Err(Failure::Io(error)) => return Err(Failure::Io(error)),
                Err(failure) => {
                    let message = failure.message().unwrap_or_default();
                    complain(format!("line {number}: {message}"));
                    reported = Failure::worse(reported, failure);
                }
            }
        }
        out.flush()?;
    }
    reported.map_or(Ok(()), |failure| Err(failure.reported()))
}

/// The next lines: all that have arrived, so that a pipe that waits for each answer gets it, and a
/// file is taken in large pieces. Empty at the end.
fn next_lines(reader: &mut BufReader<impl Read>) -> io::Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    loop {
        let Some(line) = next_line(reader)? else {
            return Ok(lines);
        };
        lines.push(line);
        if !reader.buffer().contains(&b'\n') {
            return Ok(lines);
        }
    }
}

/// More bytes than any form of a position takes.
const LONGEST_LINE: usize = 1000;

/// The next line, of which no more is kept than one byte too many: a line without end must not
/// fill the memory. `None` at the end.
fn next_line(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut begun = false;
    loop {
        let piece = match reader.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if piece.is_empty() {
            return Ok(begun.then_some(line));
        }
        begun = true;
        let end = piece.iter().position(|&byte| byte == b'\n');
        let length = end.unwrap_or(piece.len());
        let room = (LONGEST_LINE + 1).saturating_sub(line.len());
        line.extend_from_slice(&piece[..length.min(room)]);
        reader.consume(length + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}

fn parse_text(text: &str) -> Result<Board, String> {
    text.parse::<Board>().map_err(|error| error.to_string())
}

fn parse_state(text: &str) -> Result<Board, String> {
    Board::from_hex(text).map_err(|error| error.to_string())
}

fn parse_key(text: &str) -> Result<Board, String> {
    let key: Key128 = text.parse().map_err(|error| format!("{error}"))?;
    Board::unkey(key).map_err(|error| format!("no position has this key: {error}"))
}

/// A line, blanks around it aside.
fn checked_line(line: &[u8]) -> Result<String, Failure> {
    if line.len() > LONGEST_LINE {
        return Err(Failure::Input(format!(
            "expected a position, found more than {LONGEST_LINE} bytes"
        )));
    }
    Ok(String::from_utf8_lossy(line).trim().to_owned())
}

/// A position in any of its forms, told apart by what only they contain.
pub fn parse_any(text: &str) -> Result<Board, String> {
    if text.contains('/') {
        parse_text(text)
    } else if text.contains(',') {
        parse_state(text)
    } else if text.contains(':') {
        parse_key(text)
    } else if text.is_empty() {
        Err("expected a position, found an empty line".into())
    } else {
        let seed = text.parse().map_err(|_| {
            format!(
                "expected a seed, a position with /, eight numbers with , or a key with :, \
                 found {text:?}"
            )
        })?;
        Ok(deal_from_seed(seed))
    }
}
