//! `endtable generate`: from nothing to a finished table.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Subcommand, ValueEnum};
use endtable::games::collapsi::{Board, Layer, Rules};
use endtable::generate::collapsi::{Positions, Seeds};
use endtable::generate::deals::Deals;
use endtable::generate::{Options, Outcome, Source, generate, least_memory, work_folder};
use endtable::probe::CollapsiComplete;
use endtable::table::{Codec, Compression, Description, Game, Record, TableError, ValueKind};
use indicatif::HumanBytes;

use super::Failure;
use super::complete;
use super::output::say;
use super::progress::Shown;
use super::twenty48;

/// Generate a table: enumerate positions, solve them, write them to a file
///
/// Work that is done is kept in OUT.work until the table is finished; with --complete, beside the
/// tables in OUT. Stopped by Ctrl-C, a kill or a full disk, the same command goes on where it was.
/// The finished file is the same, byte for byte, whatever the threads, the memory and the
/// interruptions.
#[derive(clap::Args)]
#[command(after_help = "Example:
  endtable generate collapsi --seeds 0..10 --out seeds.etb

  endtable generate 2048 --board 2x3 --objective score --out 2x3.etb

`endtable generate collapsi --help` and `endtable generate 2048 --help` explain the rest.")]
pub struct Args {
    #[command(subcommand)]
    game: GameArgs,
}

#[derive(Subcommand)]
enum GameArgs {
    Collapsi(CollapsiArgs),
    #[command(name = "2048")]
    Twenty48(twenty48::GenerateArgs),
}

/// Collapsi: the deals of seeds and every position that can be reached from them, or everything
#[derive(clap::Args)]
#[command(after_help = "Examples:
  endtable generate collapsi --seeds 0..10 --out seeds.etb
  endtable generate collapsi --seeds 0..1000000 --positions root --rules wild --out deals.etb
  endtable generate collapsi --complete --out complete
  endtable generate collapsi --deals --tables complete --out deals.etb")]
struct CollapsiArgs {
    /// The seeds, the first one and the one behind the last: 0..10 are ten
    #[arg(long, value_name = "A..B", required_unless_present_any = ["complete", "deals"])]
    seeds: Option<NumberRange>,
    #[command(flatten)]
    complete: complete::Args,
    /// How far a pawn goes from its joker: `one` step, or `wild`, one to four
    #[arg(long, default_value_t)]
    rules: Rules,
    /// Every position reachable from each deal, or the deals only
    #[arg(long, value_enum, default_value_t)]
    positions: PositionsArg,
    /// Store positions as they are, not in canonical form
    #[arg(long)]
    exact: bool,
    /// Store 64-bit folded keys
    #[arg(long)]
    fold64: bool,
    /// Do not compress: larger, probed in place
    #[arg(long)]
    uncompressed: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Where a table goes and what may be used to make it.
#[derive(clap::Args)]
pub struct OutputArgs {
    /// The file to write, or the folder
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Memory to stay within, as in 500M or 4G
    #[arg(long, value_name = "SIZE", default_value = "1G")]
    memory: Size,
    /// Threads to use, all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Replace a finished table, and begin what does not seem to fit
    #[arg(long)]
    pub force: bool,
}

impl OutputArgs {
    /// The bytes of memory to stay within.
    pub fn memory(&self) -> u64 {
        self.memory.0
    }

    /// Does something on the threads that may be used.
    pub fn install(&self, act: impl FnOnce() -> Result<(), Failure> + Send) -> Result<(), Failure> {
        let threads = self.threads.unwrap_or(0).into();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(Failure::input)?.install(act)
    }

    /// The folder that the table goes to, which is made if it is not there.
    pub fn folder(&self) -> Result<&Path, Failure> {
        let folder = self.out.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        Ok(folder)
    }
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum PositionsArg {
    #[default]
    All,
    Root,
}

/// A half-open range of numbers, as Rust writes it.
#[derive(Clone)]
pub struct NumberRange(pub Range<u64>);

impl FromStr for NumberRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once("..")
            .and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
        match numbers {
            Some(range) if range.start < range.end => Ok(Self(range)),
            Some(_) => Err("the range is empty: the second number must be larger".into()),
            None => Err("expected two numbers as in 0..10".into()),
        }
    }
}

/// A number of bytes.
#[derive(Clone, Copy)]
struct Size(u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let shift = match text[digits.len()..].to_ascii_uppercase().trim_end_matches(['B', 'I']) {
            "" => 0,
            "K" => 10,
            "M" => 20,
            "G" => 30,
            "T" => 40,
            _ => {
                return Err("expected a number of bytes, or one with K, M, G or T behind it".into());
            }
        };
        let number: u64 = digits.parse().map_err(|_| "expected a number first, as in 500M")?;
        number.checked_mul(1 << shift).map(Self).ok_or_else(|| "too large".into())
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.game {
        GameArgs::Collapsi(args) => collapsi(args),
        GameArgs::Twenty48(args) => twenty48::generate(args),
    }
}

fn collapsi(args: &CollapsiArgs) -> Result<(), Failure> {
    args.output.install(|| match (&args.seeds, args.complete.deals_from()) {
        (Some(NumberRange(seeds)), _) => generate_seeds(args, seeds),
        (None, Some(tables)) => generate_deals(args, tables),
        (None, None) => complete::generate(&args.complete, &args.output.out),
    })
}

fn generate_seeds(args: &CollapsiArgs, seeds: &Range<u64>) -> Result<(), Failure> {
    let codec = match (args.exact, args.fold64) {
        (false, false) => Codec::Canonical,
        (true, false) => Codec::Exact,
        (false, true) => Codec::Folded,
        (true, true) => Codec::ExactFolded,
    };
    let &Range { start, end } = seeds;
    let (positions, text) = match args.positions {
        PositionsArg::All => (Positions::All, "all"),
        PositionsArg::Root => (Positions::Root, "root"),
    };
    let source = Seeds { first: start, count: end - start, rules: args.rules, positions, codec };
    let records = match (positions, args.rules) {
        (Positions::Root, _) => 1,
        (Positions::All, Rules::One) => 62_000,
        (Positions::All, Rules::Wild) => 290_000,
    };
    let work = format!("--seeds {start}..{end} --rules {} --positions {text}", args.rules);
    let description = description(args, codec, &work);
    run_source(&source, &description, source.count.saturating_mul(records), &args.output)
}

fn generate_deals(args: &CollapsiArgs, tables: &Path) -> Result<(), Failure> {
    let tables = CollapsiComplete::open(tables, args.rules)?;
    let source = Deals { tables: &tables };
    let work = format!("--deals --rules {}", args.rules);
    let description = description(args, Codec::Canonical, &work);
    run_source(&source, &description, tables.index().len(Layer::MOST), &args.output)
}

/// What the table will say of itself. Its command makes the same bytes: what does not show in them
/// is left out.
fn description(args: &CollapsiArgs, codec: Codec, work: &str) -> Description {
    let mut command = format!("endtable generate collapsi {work}");
    for (given, flag) in [
        (args.exact, " --exact"),
        (args.fold64, " --fold64"),
        (args.uncompressed, " --uncompressed"),
    ] {
        if given {
            command += flag;
        }
    }
    Description {
        game: Game::Collapsi,
        rules: args.rules as u8,
        codec,
        value: ValueKind::None,
        compression: if args.uncompressed { Compression::None } else { Compression::Zstd },
        generator: Description::this_generator(),
        command,
        licence: Description::LICENCE.into(),
    }
}

/// Generates a table of about so many records.
pub fn run_source(
    source: &impl Source,
    description: &Description,
    records: u64,
    output: &OutputArgs,
) -> Result<(), Failure> {
    let least = least_memory(source);
    if output.memory.0 < least {
        return Err(Failure::input(format!(
            "--memory: this takes at least {} with these threads",
            HumanBytes(least)
        )));
    }
    check_room(records, description, output)?;
    let stop = Arc::new(AtomicBool::new(false));
    listen(&stop)?;
    let options = Options {
        out: &output.out,
        memory: output.memory.0,
        force: output.force,
        stop: &stop,
        save_every: Options::SAVE_EVERY,
    };
    let outcome = generate(source, description, &options, &Shown::new());
    report(outcome.map_err(|error| explain(error, description.codec, &output.out))?, &output.out)
}

/// Says how a generation ended.
pub fn report(outcome: Outcome, out: &Path) -> Result<(), Failure> {
    match outcome {
        Outcome::Finished(header) => {
            let bytes = header.file_length as f64 / header.records.max(1) as f64;
            say(format_args!(
                "{}: {} positions, {} bytes, {bytes:.2} a record",
                out.display(),
                header.records,
                header.file_length
            ))
        }
        Outcome::Stopped { done, total } => Err(Failure::Stopped(format!(
            "stopped with {done} of {total} done; the same command goes on from there ({})",
            work_folder(out).display()
        ))),
    }
}

/// Ctrl-C and a polite kill ask to stop; a second Ctrl-C does not ask. A file that may not grow
/// further is an error of the write, not the end of the program.
pub fn listen(stop: &Arc<AtomicBool>) -> Result<(), Failure> {
    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::flag;
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 130, Arc::clone(stop))?;
        flag::register(signal, Arc::clone(stop))?;
    }
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

/// Refuses to begin what the disk will not hold: the runs and the table that is made of them. Runs
/// that are there already need no more room.
fn check_room(records: u64, description: &Description, output: &OutputArgs) -> Result<(), Failure> {
    let folded = description.codec.is_folded();
    // Values of a search are as good as random, and so are the boards of a few games.
    let valued = description.value != ValueKind::None;
    let run_bytes = if folded || valued { 14 } else { 2 };
    let table_bytes = match (description.compression, folded) {
        (Compression::None, _) => 11,
        (Compression::Zstd | Compression::Packed, _) if valued => 10,
        (Compression::Zstd | Compression::Packed, true) => 8,
        (Compression::Zstd | Compression::Packed, false) => 2,
    };
    let needed = records.saturating_mul(run_bytes + table_bytes);
    let needed = needed.saturating_sub(bytes_in(&work_folder(&output.out)));
    check_free(output.folder()?, needed)
}

/// Checks that a folder's disk has room for so many bytes more.
pub fn check_free(folder: &Path, needed: u64) -> Result<(), Failure> {
    let free = fs4::available_space(folder)?;
    if needed <= free {
        return Ok(());
    }
    Err(Failure::Io(std::io::Error::other(format!(
        "{}: {} free, but this takes about {}",
        folder.display(),
        HumanBytes(free),
        HumanBytes(needed)
    ))))
}

/// The bytes of the files in a folder, none if there is no such folder.
pub fn bytes_in(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

/// Names the positions behind an error that only knows codes.
fn explain(error: TableError, codec: Codec, out: &Path) -> Failure {
    let board = |record: Record| match codec {
        Codec::Folded => Board::from_code(record.value),
        _ => Board::from_exact_code(record.value),
    };
    if let TableError::Conflict { one, other } = &error
        && codec.is_folded()
        && let (Ok(first), Ok(second)) = (board(*one), board(*other))
    {
        return Failure::Check(format!(
            "two positions fold to the key {:016x}: \"{first}\" and \"{second}\"; generate without --fold64",
            one.code
        ));
    }
    explain_io(error, out)
}

/// A failed write loses nothing that was finished: says so.
pub fn explain_io(error: TableError, out: &Path) -> Failure {
    let resumable = matches!(error, TableError::Io { .. });
    let failure = Failure::from(error);
    if !resumable {
        return failure;
    }
    let hint = format!(
        "what is done is kept in {}; the same command goes on from there",
        work_folder(out).display()
    );
    match failure {
        Failure::Io(error) => {
            Failure::Io(std::io::Error::new(error.kind(), format!("{error}\n{hint}")))
        }
        failure => failure,
    }
}
