//! Positions from the command line or from standard input, and their answers, one for each.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, mpsc};
use std::thread;

use clap::{Arg, ArgAction, ArgMatches, Command};
use endtable::games::{GameError, Position};
use rayon::prelude::*;

use super::failure::complain_of_line;
use super::signals::LOOK_EVERY;
use super::{Failure, complain};
use crate::json;

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

/// The positions that were named, or the deal of `--seed`.
pub fn named(matches: &ArgMatches) -> Result<Vec<String>, Failure> {
    let words = matches.get_many::<String>("positions").into_iter().flatten().cloned();
    with_seed(words.collect(), matches)
}

/// The positions that were named, or the deal of `--seed`: nobody could tell which comes first.
pub fn with_seed(named: Vec<String>, matches: &ArgMatches) -> Result<Vec<String>, Failure> {
    match seed(matches) {
        Some(_) if !named.is_empty() => {
            Err(Failure::input("name positions or give --seed, not both"))
        }
        Some(seed) => Ok(vec![seed]),
        None => Ok(named),
    }
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

/// What some positions were answered, in their order.
type Replies = Vec<Result<Reply, Failure>>;

/// Where positions come from, how they are read, and how they are answered.
pub struct Questions<'a> {
    /// Those that were named; without any, those of standard input.
    pub named: Vec<String>,
    /// Whether to read standard input.
    pub stdin: bool,
    /// Whether answers are objects.
    pub json: bool,
    /// Set to stop, if whoever answers looks at it.
    pub stop: Option<&'a AtomicBool>,
    /// Reads a position.
    pub parse: &'a Parse<'a>,
    /// Answers some.
    pub answer: &'a (dyn Fn(&[&dyn Position]) -> Replies + Sync),
}

/// Answers positions one by one, on all threads, each with something that it keeps from one position
/// to the next: making one takes time.
pub fn one_by_one<S: Send>(
    start: impl Fn() -> Result<S, Failure> + Sync,
    answer: impl Fn(&mut S, &dyn Position) -> Result<Reply, Failure> + Sync,
) -> Result<impl Fn(&[&dyn Position]) -> Replies + Sync, Failure> {
    let kept = Mutex::new(vec![start()?]);
    Ok(move |positions: &[&dyn Position]| {
        let free = || kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let one = |position: &&dyn Position| {
            let state = free().pop();
            let mut state = state.map_or_else(&start, Ok)?;
            let reply = answer(&mut state, *position);
            free().push(state);
            reply
        };
        positions.par_iter().map(one).collect()
    })
}

impl Questions<'_> {
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
        let mut out = io::stdout().lock();
        let mut missing = None;
        for position in positions {
            for reply in (self.answer)(&[&*position]) {
                let reply = reply?;
                writeln!(out, "{}", reply.text)?;
                if let Some(message) = reply.missing {
                    complain(&message);
                    missing = Failure::worse(missing, Failure::NotFound(message));
                }
            }
        }
        out.flush()?;
        missing.map_or(Ok(()), |failure| Err(failure.reported()))
    }

    /// Answers every line of standard input, in order and with one line each: as many at a time as
    /// have arrived. A thread reads on meanwhile; it is left behind if nobody wants its lines.
    fn answer_lines(&self) -> Result<(), Failure> {
        let (sender, pieces) = mpsc::sync_channel(WAITING_PIECES);
        thread::spawn(move || {
            let mut reader = BufReader::with_capacity(PIECE, io::stdin().lock());
            while let Some(piece) = next_lines(&mut reader).transpose() {
                if sender.send(piece).is_err() {
                    break;
                }
            }
        });
        let mut out = BufWriter::with_capacity(PIECE, io::stdout().lock());
        let (mut number, mut worst) = (0, None);
        while let Some(piece) = self.next_piece(&pieces)? {
            let mut lines = piece?;
            while lines.len() < BATCH
                && let Ok(piece) = pieces.try_recv()
            {
                lines.extend(piece?);
            }
            for (line, reply) in lines.iter().zip(self.replies(&lines)) {
                number += 1;
                match reply {
                    Ok(Reply { text, missing }) => {
                        writeln!(out, "{text}")?;
                        if let Some(message) = missing {
                            worst = Failure::worse(worst, Failure::NotFound(message));
                        }
                    }
                    Err(stopped @ Failure::Stopped(_)) => {
                        out.flush()?;
                        return Err(stopped);
                    }
                    Err(failure) => {
                        let message = failure.message().unwrap_or_default();
                        if self.json {
                            writeln!(out, "{}", json::unreadable(line, &message))?;
                        } else {
                            writeln!(out, "?")?;
                        }
                        complain_of_line(number, &message);
                        worst = Failure::worse(worst, failure);
                    }
                }
            }
            out.flush()?;
        }
        worst.map_or(Ok(()), |failure| Err(failure.reported()))
    }

    /// What has arrived next; `None` at the end.
    fn next_piece<T>(&self, pieces: &Receiver<T>) -> Result<Option<T>, Failure> {
        loop {
            match pieces.recv_timeout(LOOK_EVERY) {
                Ok(piece) => return Ok(Some(piece)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {
                    if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                        return Err(GameError::Stopped.into());
                    }
                }
            }
        }
    }

    /// What lines are answered. Those that are no position are no question.
    fn replies(&self, lines: &[Vec<u8>]) -> Replies {
        let parse = |line: &Vec<u8>| Ok((self.parse)(&checked_line(line)?)?);
        let parsed: Vec<Result<Box<dyn Position>, Failure>> = lines.par_iter().map(parse).collect();
        let positions: Vec<&dyn Position> = parsed.iter().flatten().map(|it| &**it).collect();
        let mut replies = (self.answer)(&positions).into_iter();
        let reply = |parsed: Result<_, _>| {
            parsed.and_then(|_| replies.next().unwrap_or_else(|| Err(Failure::input("no answer"))))
        };
        parsed.into_iter().map(reply).collect()
    }
}

/// How much is read at a time, in bytes.
const PIECE: usize = 1 << 18;

/// How many pieces may wait to be answered: the memory stays the same however long the input is.
const WAITING_PIECES: usize = 8;

/// How many lines are answered at a time, at least where so many have arrived: the more there are,
/// the more of them lie close together in a table.
const BATCH: usize = 1 << 15;

/// The next lines: all that have arrived, so that a pipe that waits for each answer gets it, and a
/// file is taken in large pieces. `None` at the end.
fn next_lines(reader: &mut BufReader<impl Read>) -> io::Result<Option<Vec<Vec<u8>>>> {
    let mut lines = Vec::new();
    while let Some(line) = next_line(reader)? {
        lines.push(line);
        if !reader.buffer().contains(&b'\n') {
            break;
        }
    }
    Ok(Some(lines).filter(|lines| !lines.is_empty()))
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
