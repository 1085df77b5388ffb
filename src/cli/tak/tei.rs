//! `endtable tei`: the Tak Engine Interface, by which other programs ask for moves.

use std::io::{self, BufRead, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use clap::{ArgMatches, Command};
use endtable::games::tak::{Goal, Komi, Question, SIZES, Tak};
use endtable::games::{Game, Position};
use endtable::solve::Limits;
use endtable::table::Options;
use endtable::value::{Value, Worth};
use rayon::ThreadPool;

use crate::cli::Failure;
use crate::cli::args::{examples, threads, threads_arg};
use crate::cli::signals::LOOK_EVERY;

pub fn command() -> Command {
    Command::new("tei")
        .about("Speak the Tak Engine Interface on standard input and output")
        .long_about(
            "Speak the Tak Engine Interface on standard input and output\n\n\
             For programs that show boards or play matches. Commands, one a line: tei, isready, \
             setoption name HalfKomi value K, teinewgame N or teinewgame size N halfkomi K, position \
             startpos or position tps TPS, with moves behind it, go with depth N, movetime MS, wtime MS \
             btime MS winc MS binc MS or infinite, stop, quit.\n\n\
             What is proved is told as it is found: score mate counts moves, negative if the side to \
             move loses, and a string says how many plies. If nothing is proved, a string says within \
             how many plies, and the move is one that looks sensible a ply ahead.",
        )
        .arg(threads_arg())
        .after_help(examples("tei", &[&Tak]))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let pool = Arc::new(threads(matches)?);
    let mut engine = Engine { pool, size: 5, half_komi: 0, position: None, search: None };
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((&command, arguments)) = words.split_first() else { continue };
        if command == "quit" {
            engine.stop();
            return Ok(());
        }
        // As interfaces of engines do: what is wrong is said, and the next line is read.
        if let Err(reason) = engine.obey(command, arguments) {
            say(&format!("info string error: {command}: {reason}"))?;
        }
    }
    engine.finish();
    Ok(())
}

/// Prints a line at once.
fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// The largest number of half points that the option offers.
const MOST_HALF_KOMI: i8 = 41;

struct Engine {
    pool: Arc<ThreadPool>,
    size: usize,
    half_komi: i8,
    position: Option<Box<dyn Position>>,
    search: Option<Running>,
}

/// A search that goes on while commands are read.
struct Running {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
    /// Whether only `stop` ends it.
    infinite: bool,
}

impl Engine {
    fn obey(&mut self, command: &str, arguments: &[&str]) -> Result<(), String> {
        match command {
            "tei" => {
                let version = env!("CARGO_PKG_VERSION");
                reply(&format!("id name endtable {version}"))?;
                reply("id author the authors of endtable")?;
                let most = MOST_HALF_KOMI;
                reply(&format!("option name HalfKomi type spin default 0 min -{most} max {most}"))?;
                reply("teiok")
            }
            "isready" => reply("readyok"),
            "setoption" => self.set_option(arguments),
            "teinewgame" => self.new_game(arguments),
            "position" => {
                self.stop();
                self.position = Some(self.read_position(arguments)?);
                Ok(())
            }
            "go" => self.go(arguments),
            "stop" => {
                self.stop();
                Ok(())
            }
            _ => Err("not a command of the Tak Engine Interface".into()),
        }
    }

    fn set_option(&mut self, arguments: &[&str]) -> Result<(), String> {
        match arguments {
            ["name", name, "value", value] if name.eq_ignore_ascii_case("halfkomi") => {
                self.half_komi = half_komi(value)?;
                Ok(())
            }
            _ => Err("expected name HalfKomi value K".into()),
        }
    }

    fn new_game(&mut self, arguments: &[&str]) -> Result<(), String> {
        self.stop();
        let mut rest = match arguments {
            [size, rest @ ..] if *size != "size" && *size != "halfkomi" => {
                self.size = board_size(size)?;
                rest
            }
            all => all,
        };
        while let [name, value, behind @ ..] = rest {
            match *name {
                "size" => self.size = board_size(value)?,
                "halfkomi" => self.half_komi = half_komi(value)?,
                _ => return Err(format!("expected size N or halfkomi K, found {name}")),
            }
            rest = behind;
        }
        if let [word] = rest {
            return Err(format!("expected a value behind {word}"));
        }
        self.position = None;
        Ok(())
    }

    fn read_position(&self, arguments: &[&str]) -> Result<Box<dyn Position>, String> {
        let (text, rest) = match arguments {
            ["startpos", rest @ ..] => (self.start(), rest),
            ["tps", board, turn, number, rest @ ..] => (format!("{board} {turn} {number}"), rest),
            _ => return Err("expected startpos, or tps and a position".into()),
        };
        let moves = match rest {
            [] => rest,
            ["moves", moves @ ..] => moves,
            [word, ..] => return Err(format!("expected moves, found {word}")),
        };
        let komi = Komi::from_half_points(self.half_komi).unwrap_or_default();
        let options = Options::default().with("komi", komi);
        let mut position = Tak.position(&text, &options).map_err(|error| error.to_string())?;
        for mv in moves {
            position = position.play(mv).map_err(|error| error.to_string())?;
        }
        Ok(position)
    }

    fn start(&self) -> String {
        let rank = format!("x{}", self.size);
        format!("{} 1 1", vec![rank; self.size].join("/"))
    }

    /// Begins to search; the answer comes from another thread.
    fn go(&mut self, arguments: &[&str]) -> Result<(), String> {
        self.stop();
        let position = match self.position.take() {
            Some(position) => position,
            None => self.read_position(&["startpos"])?,
        };
        // The same position may be asked about again.
        self.position = Some(self.read_position_again(&*position)?);
        let order = Order::read(arguments, &*position)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, infinite) = (Arc::clone(&stop), order.infinite);
        let pool = Arc::clone(&self.pool);
        let thread = thread::spawn(move || {
            // Whoever has closed the pipe does not want to know.
            _ = pool.install(|| answer(&*position, &order, &flag));
        });
        self.search = Some(Running { stop, thread, infinite });
        Ok(())
    }

    fn read_position_again(&self, position: &dyn Position) -> Result<Box<dyn Position>, String> {
        let text = position.text();
        let words: Vec<&str> = ["tps"].into_iter().chain(text.split_whitespace()).collect();
        self.read_position(&words)
    }

    /// Ends a search and waits for its answer.
    fn stop(&mut self) {
        if let Some(Running { stop, thread, .. }) = self.search.take() {
            stop.store(true, Ordering::Relaxed);
            _ = thread.join();
        }
    }

    /// Waits for a search that ends by itself: there is nothing more to read.
    fn finish(&mut self) {
        if let Some(Running { stop, thread, infinite }) = self.search.take() {
            stop.store(infinite, Ordering::Relaxed);
            _ = thread.join();
        }
    }
}

fn reply(line: &str) -> Result<(), String> {
    say(line).map_err(|error| error.to_string())
}

fn board_size(text: &str) -> Result<usize, String> {
    let size = text.parse().ok().filter(|size| SIZES.contains(size));
    size.ok_or_else(|| format!("a board has 3 to 8 squares an edge, found {text}"))
}

fn half_komi(text: &str) -> Result<i8, String> {
    let half = text.parse().ok().filter(|&half| Komi::from_half_points(half).is_some());
    let most = MOST_HALF_KOMI;
    half.ok_or_else(|| format!("komi is -{most} to {most} half points, found {text}"))
}

/// How long and how deep to search.
struct Order {
    plies: u8,
    time: Option<Duration>,
    /// Whether the answer waits for `stop`.
    infinite: bool,
}

/// The most plies of a search.
const MOST_PLIES: u8 = 250;

impl Order {
    fn read(arguments: &[&str], position: &dyn Position) -> Result<Self, String> {
        let mut order = Self { plies: MOST_PLIES, time: None, infinite: false };
        let white = position.text().split_whitespace().nth(1) == Some("1");
        let (mut clock, mut increment) = (None, 0);
        let mut rest = arguments;
        loop {
            rest = match rest {
                [] => break,
                ["infinite", behind @ ..] => {
                    order.infinite = true;
                    behind
                }
                [name, value, behind @ ..] => {
                    let number: u64 = value
                        .parse()
                        .map_err(|_| format!("expected a number behind {name}, found {value}"))?;
                    match *name {
                        "depth" => order.plies = number.clamp(1, MOST_PLIES.into()) as u8,
                        "movetime" => order.time = Some(Duration::from_millis(number)),
                        "wtime" if white => clock = Some(number),
                        "btime" if !white => clock = Some(number),
                        "winc" if white => increment = number,
                        "binc" if !white => increment = number,
                        "wtime" | "btime" | "winc" | "binc" => {}
                        _ => {
                            return Err(format!(
                                "expected depth, movetime or a clock, found {name}"
                            ));
                        }
                    }
                    behind
                }
                [name] => return Err(format!("expected a number behind {name}")),
            };
        }
        if let (Some(clock), None) = (clock, order.time) {
            // A thirtieth of what is left, and what comes back; never all of it.
            let share = (clock / 30 + increment * 3 / 4).min(clock / 2).max(1);
            order.time = Some(Duration::from_millis(share));
        }
        if arguments.is_empty() {
            order.time = Some(Duration::from_secs(1));
        }
        Ok(order)
    }
}

/// Searches, and prints what it finds and the move.
fn answer(position: &dyn Position, order: &Order, stop: &AtomicBool) -> io::Result<()> {
    let start = Instant::now();
    let deadline = order.time.map(|time| start + time);
    let limits = Limits { stop: Some(stop), deadline };
    let question = Question { goal: Goal::Any, plies: order.plies, parallel: true };
    let mut searched = 0;
    let mut failed = None;
    let chosen = question.choose(position, limits, &mut |plies| {
        searched = plies;
        let line = format!("info depth {plies} time {}", start.elapsed().as_millis());
        failed = say(&line).err().or_else(|| failed.take());
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let time = start.elapsed().as_millis();
    match chosen {
        Ok(Some(choice)) => {
            let mv = &choice.mv;
            match choice.worth {
                Worth::Value(value @ (Value::Win(plies) | Value::Loss(plies))) => {
                    let (sign, word) = if value.is_win() { ("", "win") } else { ("-", "loss") };
                    let moves = plies.0.div_ceil(2);
                    say(&format!(
                        "info depth {searched} time {time} score mate {sign}{moves} pv {mv} string {word} in {plies} plies, proved"
                    ))?;
                }
                Worth::Value(Value::Draw) => {
                    say(&format!(
                        "info depth {searched} time {time} score cp 0 pv {mv} string draw, proved"
                    ))?;
                }
                _ => say(&format!(
                    "info depth {searched} time {time} pv {mv} string nothing proved within {searched} plies"
                ))?,
            }
            while order.infinite && !stop.load(Ordering::Relaxed) {
                thread::sleep(LOOK_EVERY);
            }
            say(&format!("bestmove {mv}"))
        }
        Ok(None) => say("info string error: go: the game is over"),
        Err(error) => say(&format!("info string error: go: {error}")),
    }
}
