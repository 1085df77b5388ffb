//! `endtable generate 2048`: exact tables of small boards, and tables of searched games.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;
use endtable::games::twenty48::{Board, Objective, Rules, Size};
use endtable::generate::searched::SearchedGames;
use endtable::generate::twenty48::{Exact, Expected, expect, generate as solve_all, least_memory};
use endtable::generate::{Options, work_folder};
use endtable::table::{Codec, Compression, Description, Game, ValueKind};
use indicatif::{HumanBytes, HumanCount};

use crate::cli::generate::{
    NumberRange, OutputArgs, check_free, explain_io, listen, report, run_source,
};
use crate::cli::progress::Shown;
use crate::cli::search::SearchArgs;
use crate::cli::{Failure, complain};

/// 2048: every position of a small board, with its exact value and best move
///
/// Solves everything that can be reached from the starts of a game, or from one position, to the
/// end of the game. Says first what that will take; what cannot fit is refused, unless --force.
///
/// With --seeds, for boards too large for that: plays the games of the seeds by search, and keeps
/// every position that comes up with what the search found.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  endtable generate 2048 --board 3x3 --objective score --out 3x3.etb
  endtable generate 2048 --board 2x4 --objective tile:256 --out 2x4-256.etb
  endtable generate 2048 --board 4x4 --depth 3 --seeds 0..10 --out games.etb")]
pub struct GenerateArgs {
    /// Rows and columns of the board, 2x2 to 4x4
    #[arg(long, value_name = "RxC")]
    board: Size,
    /// What to play for: `score`, the most points on average; or `tile:N`, the best chance that a
    /// tile N appears
    #[arg(long, value_name = "OBJECTIVE", default_value_t = Objective::Score)]
    objective: Objective,
    /// Begin with this position instead of all starts: in hex or as rows of tiles
    #[arg(long, value_name = "BOARD")]
    start: Option<String>,
    /// How values are stored: f32 for scores and chance32 for chances by default
    #[arg(long, value_enum)]
    value: Option<ValueArg>,
    /// Positions of games played by search instead, those of these seeds: 0..10 are ten
    #[arg(long, value_name = "A..B", requires = "depth",
          conflicts_with_all = ["objective", "start", "value"])]
    seeds: Option<NumberRange>,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ValueArg {
    F32,
    F64,
    Chance32,
}

/// Generates a table.
pub fn generate(args: &GenerateArgs) -> Result<(), Failure> {
    let size = args.board;
    if let Some(NumberRange(seeds)) = &args.seeds {
        return generate_games(args, seeds);
    }
    if args.search.is_given() {
        return Err(Failure::input(
            "--depth and its like are for searched games: give --seeds, too",
        ));
    }
    let objective = args.objective.check(size).map_err(Failure::input)?;
    let rules = Rules { size, objective };
    let start = args.start.as_deref().map(|text| {
        let board = Board::parse(text, size).map_err(Failure::input)?;
        board.check_possible(size).map_err(Failure::input)?;
        if rules.is_finished(board) {
            return Err(Failure::input(format!("{board}: the tile is there already")));
        }
        Ok(board)
    });
    let source = Exact { rules, start: start.transpose()? };
    let value = match (args.value, objective) {
        (Some(ValueArg::F64), _) => ValueKind::F64,
        (Some(ValueArg::F32), _) => ValueKind::F32,
        (None | Some(ValueArg::Chance32), Objective::Tile(_)) => ValueKind::Chance32,
        (None, _) => ValueKind::F32,
        (Some(ValueArg::Chance32), _) => {
            return Err(Failure::input("--value chance32: a score is no chance"));
        }
    };
    args.output.install(|| run(&source, value, &args.output))
}

/// Generates a table of positions of searched games.
fn generate_games(args: &GenerateArgs, seeds: &Range<u64>) -> Result<(), Failure> {
    if args.search.is_timed() {
        return Err(Failure::input(
            "--ms: what a clock ends cannot be made again; give --depth instead",
        ));
    }
    let settings = args.search.settings(args.board)?;
    let &Range { start, end } = seeds;
    let rules = Rules { size: args.board, objective: Objective::Search };
    let command = format!(
        "endtable generate 2048 --board {} --seeds {start}..{end} {}",
        args.board,
        args.search.text(&settings)
    );
    let description = Description {
        game: Game::Twenty48,
        rules: rules.number(),
        codec: Codec::Canonical,
        value: ValueKind::F32,
        compression: Compression::Packed,
        generator: Description::this_generator(),
        command,
        licence: Description::LICENCE.into(),
    };
    let source = SearchedGames::new(start, end - start, settings).map_err(Failure::input)?;
    let records = (end - start).saturating_mul(MEAN_GAME);
    args.output.install(|| run_source(&source, &description, records, &args.output))
}

/// About how many positions a game has that is played well.
const MEAN_GAME: u64 = 15_000;

fn run(source: &Exact, value: ValueKind, output: &OutputArgs) -> Result<(), Failure> {
    let least = least_memory(source);
    if output.memory() < least {
        let least = HumanBytes(least);
        return Err(Failure::input(format!("--memory: this takes at least {least}")));
    }
    let description = description(source, value);
    let out = output.out.as_path();
    // What has begun is known to fit.
    if !work_folder(out).exists() && !out.exists() {
        announce(&expect(source, value), output)?;
    }
    let stop = Arc::new(AtomicBool::new(false));
    listen(&stop)?;
    let options = Options {
        out,
        memory: output.memory(),
        force: output.force,
        stop: &stop,
        save_every: Options::SAVE_EVERY,
    };
    let outcome = solve_all(source, &description, &options, &Shown::new());
    report(outcome.map_err(|error| explain_io(error, out))?, out)
}

fn description(source: &Exact, value: ValueKind) -> Description {
    let Rules { size, objective } = source.rules;
    let mut command = format!("endtable generate 2048 --board {size} --objective {objective}");
    if let Some(start) = source.start {
        _ = write!(command, " --start {start}");
    }
    _ = write!(command, " --value {value}");
    Description {
        game: Game::Twenty48,
        rules: source.rules.number(),
        codec: Codec::Canonical,
        value,
        compression: Compression::Packed,
        generator: Description::this_generator(),
        command,
        licence: Description::LICENCE.into(),
    }
}

/// Says what it will take, and refuses what cannot fit.
fn announce(expected: &Expected, output: &OutputArgs) -> Result<(), Failure> {
    let about = if expected.exact { "" } else { "about " };
    complain(format!(
        "expecting {about}{} positions, a table of {}, {} of disk, {} of memory, {:.0} s",
        HumanCount(expected.states as u64),
        HumanBytes(expected.table as u64),
        HumanBytes(expected.disk as u64),
        HumanBytes(expected.memory.min(output.memory() as f64) as u64),
        expected.seconds.ceil(),
    ));
    if output.force {
        return Ok(());
    }
    let folder = output.folder()?;
    check_free(folder, expected.disk as u64).map_err(|failure| {
        let message = failure.message().unwrap_or_default();
        Failure::input(format!("{message}; --force begins all the same"))
    })
}
