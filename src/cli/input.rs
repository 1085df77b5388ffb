//! Positions from the command line or from standard input, and their answers, one for each.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Mutex;

use clap::{Arg, ArgAction, ArgMatches, Command};
use endtable::games::{GameError, Position};
use rayon::prelude::*;

use super::json;
use super::{Failure, complain};

/// Adds the arguments that name positions and say how answers are printed.
pub fn with_positions(command: Command) -> Command {
    let positions = Arg::new("positions").value_name("POSITION").num_args(0..);
    command
        .arg(positions.help("Positions, in any form"))
        .arg(stdin_arg().conflicts_with("positions"))
        .arg(json_arg())
}

/// Asks for positions from standard input.
pub fn stdin_arg() -> Arg {
    Arg::new("stdin")
        .long("stdin")
        .action(ArgAction::SetTrue)
        .help("Read positions from standard input, one a line; one line is printed for each")
}

/// Asks for JSON.
pub fn json_arg() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print an object for each answer, one a line")
}

/// The positions that were named, `--seed` included.
pub fn named(matches: &ArgMatches) -> Vec<String> {
    let words = matches.get_many::<String>("positions").into_iter().flatten().cloned();
    words.chain(seed(matches)).collect()
}

/// The deal of a seed, for games that have deals.
pub fn seed(matches: &ArgMatches) -> Option<String> {
    matches.try_get_one::<String>("seed").ok().flatten().cloned()
}

/// What a position was answered.
pub struct Reply {
    /// What is printed, without the last line feed.
    pub text: String,
    /// What to say besides, if it was not found.
    pub missing: Option<String>,
}

impl Reply {
    /// An answer.
    pub fn found(text: String) -> Self {
        Self { text, missing: None }
    }
}

/// Reads a position.
type Parse<'a> = dyn Fn(&str) -> Result<Box<dyn Position>, GameError> + Sync + 'a;

/// Where positions come from, how they are read, and how they are answered.
pub struct Questions<'a, S> {
    /// Those that were named; without any, those of standard input.
    pub named: Vec<String>,
    /// Whether to read standard input.
    pub stdin: bool,
    /// Whether answers are objects.
    pub json: bool,
    /// Makes what a thread keeps from one position to the next.
    pub start: &'a (dyn Fn() -> Result<S, Failure> + Sync),
    /// Reads a position.
    pub parse: &'a Parse<'a>,
    /// Answers one.
    pub answer: &'a (dyn Fn(&mut S, &dyn Position) -> Result<Reply, Failure> + Sync),
}

impl<S: Send> Questions<'_, S> {
    /// Answers every position. What is missing or cannot be read is said, and the rest still
    /// answered.
    pub fn answer_all(&self) -> Result<(), Failure> {
        if self.stdin && !self.named.is_empty() {
            return Err(Failure::input("name positions or give --stdin, not both"));
        }
        if self.stdin {
            return self.answer_lines();
        }
        if self.named.is_empty() {
            return Err(Failure::input("name a position, or give --stdin (see --help)"));
        }
        // All are read before the first is answered: bad input prints nothing.
        let parse = |text: &String| {
            let position = (self.parse)(text);
            position.map_err(|error| Failure::from(error).with_context(text))
        };
        let positions = self.named.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let mut state = (self.start)()?;
        let mut out = io::stdout().lock();
        let mut missing = None;
        for position in positions {
            let reply = (self.answer)(&mut state, &*position)?;
            writeln!(out, "{}", reply.text)?;
            if let Some(message) = reply.missing {
                complain(&message);
                missing = Failure::worse(missing, Failure::NotFound(message));
            }
        }
        out.flush()?;
        missing.map_or(Ok(()), |failure| Err(failure.reported()))
    }

    /// Answers every line of standard input, in order and with one line each: in parallel, as many
    /// at a time as have arrived.
    fn answer_lines(&self) -> Result<(), Failure> {
        // Making one takes time, so they go from hand to hand.
        let states = Mutex::new(vec![(self.start)()?]);
        let free = || states.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut out = io::stdout().lock();
        let mut reader = BufReader::with_capacity(1 << 18, io::stdin().lock());
        let (mut number, mut worst) = (0, None);
        loop {
            let lines = next_lines(&mut reader)?;
            if lines.is_empty() {
                break;
            }
            let answer = |line: &Vec<u8>| {
                let text = checked_line(line)?;
                let position = (self.parse)(&text)?;
                let state = free().pop();
                let mut state = state.map_or_else(self.start, Ok)?;
                let reply = (self.answer)(&mut state, &*position);
                free().push(state);
                reply
            };
            let replies: Vec<Result<Reply, Failure>> = lines.par_iter().map(answer).collect();
            for (line, reply) in lines.iter().zip(replies) {
                number += 1;
                match reply {
                    Ok(Reply { text, missing }) => {
                        writeln!(out, "{text}")?;
                        if let Some(message) = missing {
                            worst = Failure::worse(worst, Failure::NotFound(message));
                        }
                    }
                    Err(Failure::Io(error)) => return Err(Failure::Io(error)),
                    Err(failure) => {
                        let message = failure.message().unwrap_or_default();
                        if self.json {
                            writeln!(out, "{}", json::unreadable(line, &message))?;
                        } else {
                            writeln!(out, "?")?;
                        }
                        complain(format!("line {number}: {message}"));
                        worst = Failure::worse(worst, failure);
                    }
                }
            }
            out.flush()?;
        }
        worst.map_or(Ok(()), |failure| Err(failure.reported()))
    }
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

/// A line, blanks around it aside.
fn checked_line(line: &[u8]) -> Result<String, Failure> {
    if line.len() > LONGEST_LINE {
        return Err(Failure::Input(format!(
            "expected a position, found more than {LONGEST_LINE} bytes"
        )));
    }
    Ok(String::from_utf8_lossy(line).trim().to_owned())
}
