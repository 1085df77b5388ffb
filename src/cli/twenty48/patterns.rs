//! `endtable patterns`: the endgame patterns that there are, and what their tables take.

use std::fmt::Write as _;
use std::path::Path;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::twenty48::{Pattern, PatternGrowth, PatternRules, Target};
use endtable::job::Expectation;
use endtable::table::ValueKind;
use indicatif::{HumanBytes, HumanCount};
use serde_json::{Value, json};

use crate::cli::Failure;
use crate::cli::output::say;
use crate::cli::progress::Spoken;

/// List the endgame patterns of 2048, and what their tables take
///
/// A pattern is where the largest tiles stand late in a game of 2048 on 4x4 (F), while the next tile
/// is made on the other cells. Without a name all that are shipped are listed; a file of your own works
/// the same. With each comes what its table takes for every tile: afterstates, size, memory and time
/// about as they will be with these threads, and whether that fits this folder's disk and the memory
/// that is free.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  endtable patterns
  endtable patterns L3
  endtable patterns 44 --json

A pattern of your own is a file such as this one:
  name = \"corner\"
  sentence = \"One large tile stays in a corner.\"
  masks = [\"..../..../..../...F\"]
  seeds = [\"2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,F\"]
After every move one of the masks must be all large tiles; without masks these may go anywhere. Seeds \
are boards after a move, which the table begins with. Rows may also be lines, cells parted by blanks.")]
struct Args {
    /// The name of a pattern, or a file with one
    #[arg(value_name = "NAME|FILE")]
    pattern: Option<String>,
    /// Print an object for each pattern, one a line
    #[arg(long)]
    json: bool,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("patterns"))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let named = args.pattern.as_deref().map(Pattern::named).transpose().map_err(Failure::input)?;
    let patterns = named.map_or_else(|| Pattern::shipped().to_vec(), |pattern| vec![pattern]);
    let room = Room::here()?;
    for (number, pattern) in patterns.iter().enumerate() {
        if args.json {
            let tables = Tables::of(pattern);
            say(object(pattern, &tables, &room))?;
            continue;
        }
        if number > 0 {
            say("")?;
        }
        say(description(pattern))?;
        say(Tables::of(pattern).text(&room))?;
    }
    Ok(())
}

/// What there is on this machine.
struct Room {
    disk: u64,
    memory: Option<u64>,
}

impl Room {
    fn here() -> Result<Self, Failure> {
        let here = Path::new(".");
        let disk = fs4::available_space(here).map_err(|error| Failure::about(here, &error))?;
        Ok(Self { disk, memory: free_memory() })
    }

    /// Whether a table fits, or what is too small for it.
    fn verdict(&self, table: &Table) -> &'static str {
        let memory = self.memory.is_none_or(|free| table.memory() <= free);
        match (table.expected.disk as u64 <= self.disk, memory) {
            (true, true) => "yes",
            (false, true) => "disk too small",
            (true, false) => "memory too small",
            (false, false) => "disk and memory too small",
        }
    }
}

/// Bytes of memory that the system has to give, where it says so.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// What the table for a tile takes.
struct Table {
    target: Target,
    expected: Expectation,
}

impl Table {
    /// Bytes of memory with which it goes fastest.
    fn memory(&self) -> u64 {
        self.expected.memory.unwrap_or(0.0) as u64
    }
}

struct Tables(Vec<Table>);

impl Tables {
    /// For every tile that the pattern has room for.
    fn of(pattern: &Pattern) -> Self {
        let growth = PatternGrowth::new(pattern);
        let rules = (3..15).filter_map(Target::new);
        let rules = rules.filter_map(|target| PatternRules::new(pattern.clone(), target).ok());
        let expected = |rules: PatternRules| Table {
            target: rules.target(),
            expected: growth.expect(&rules, ValueKind::Chance24),
        };
        Self(rules.map(expected).collect())
    }

    fn text(&self, room: &Room) -> String {
        let mut text = format!(
            "{:>6} {:>15} {:>11} {:>11} {:>12}  fits\n",
            "tile", "afterstates", "table", "memory", "time"
        );
        for table in &self.0 {
            let Expectation { positions, exact, table: bytes, seconds, .. } = table.expected;
            let about = if exact { "" } else { "~" };
            let count = format!("{about}{}", HumanCount(positions as u64));
            let seconds = seconds.map_or("?".into(), |seconds| Spoken(seconds).to_string());
            _ = writeln!(
                text,
                "{:>6} {count:>15} {:>11} {:>11} {seconds:>12}  {}",
                table.target.to_string(),
                HumanBytes(bytes as u64).to_string(),
                HumanBytes(table.memory()).to_string(),
                room.verdict(table)
            );
        }
        text.trim_end().into()
    }
}

/// The name, the sentence and the picture.
fn description(pattern: &Pattern) -> String {
    let mut text = format!("{}  {}", pattern.name(), pattern.sentence());
    for line in pattern.picture().lines() {
        text += if line.is_empty() { "\n" } else { "\n    " };
        text += line;
    }
    for &seed in pattern.seeds() {
        _ = write!(text, "\nfrom {}", Pattern::board_text(seed));
    }
    text
}

fn object(pattern: &Pattern, tables: &Tables, room: &Room) -> Value {
    let seeds: Vec<String> = pattern.seeds().iter().map(|&it| Pattern::board_text(it)).collect();
    let table = |table: &Table| {
        let Expectation { positions, exact, table: bytes, disk, seconds, .. } = table.expected;
        let mut object = json!({
            "target": 1u32 << table.target.exponent(),
            "records": positions as u64,
            "exact": exact,
            "bytes": bytes as u64,
            "disk": disk as u64,
            "memory": table.memory(),
        });
        if let Some(seconds) = seconds {
            object["seconds"] = ((seconds * 10.0).round() / 10.0).into();
        }
        object["fits"] = (room.verdict(table) == "yes").into();
        object
    };
    json!({
        "game": "2048",
        "pattern": pattern.name(),
        "sentence": pattern.sentence(),
        "masks": pattern.masks().iter().map(|&it| Pattern::mask_text(it)).collect::<Vec<_>>(),
        "seeds": seeds,
        "free": pattern.free_cells(),
        "symmetries": pattern.symmetries().len(),
        "tables": tables.0.iter().map(table).collect::<Vec<_>>(),
    })
}
