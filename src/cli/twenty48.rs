//! 2048: what `generate`, `probe`, `dump`, `stats` and `verify` do with its boards and tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;
use endtable::games::twenty48::{Board, Direction, Objective, Rules, Search, Settings, Size};
use endtable::generate::twenty48::{
    Exact, Expected, SearchedGames, expect, generate as solve_all, least_memory,
};
use endtable::generate::{Options, work_folder};
use endtable::probe::{Checked, MoveOutlook, Outlook, Twenty48Tables};
use endtable::progress::Progress;
use endtable::table::{Codec, Compression, Description, Game, Meta, TableSet, ValueKind};
use indicatif::{HumanBytes, HumanCount};

use super::export::number_text;
use super::generate::{
    NumberRange, OutputArgs, check_free, explain_io, listen, report, run_source,
};
use super::input::answer_lines;
use super::output::{say, write_file};
use super::play::Players;
use super::probe::{no_position, write_found};
use super::progress::Shown as ShownProgress;
use super::search::SearchArgs;
use super::{Failure, complain};

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
    let outcome = solve_all(source, &description, &options, &ShownProgress::new());
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

/// What `probe` shows besides the answer.
#[derive(Clone, Copy)]
pub struct Shown {
    pub moves: bool,
    pub spawns: bool,
}

/// Looks boards up: those named, or those of standard input.
pub fn probe(
    tables: &Twenty48Tables,
    words: &[String],
    stdin: bool,
    shown: Shown,
) -> Result<(), Failure> {
    let size = tables.rules().size;
    if stdin {
        return answer_lines(
            || (),
            |(), line| answer(tables, Board::parse(line, size).map_err(Failure::input)?, shown),
        );
    }
    if words.is_empty() {
        return Err(Failure::input("name a board, in hex or as rows of tiles, or --stdin"));
    }
    let parse = |word: &String| Board::parse(word, size).map_err(|error| no_position(word, error));
    let boards = words.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    write_found(boards.into_iter().map(|board| answer(tables, board, shown)))
}

fn answer(tables: &Twenty48Tables, board: Board, shown: Shown) -> Result<String, Failure> {
    let size = tables.rules().size;
    board.check_possible(size).map_err(Failure::input)?;
    let found = tables.probe(board)?;
    let found = found.ok_or_else(|| Failure::NotFound(format!("{board}: not in the table")))?;
    let mut text = line(board, &found, tables);
    if !shown.moves && !shown.spawns || found.best.is_none() {
        return Ok(text);
    }
    for (direction, outlook) in Direction::ALL.into_iter().zip(tables.moves(board)?) {
        let Some(MoveOutlook { after, value }) = outlook else { continue };
        _ = writeln!(text, "move {} {}", direction.name(), value_or_unknown(value, tables));
        if shown.spawns && !tables.rules().is_finished(after) {
            for (spawn, value) in tables.spawns(after)? {
                let (row, column) = (spawn.cell / 4 + 1, spawn.cell % 4 + 1);
                let (tile, chance) = (1 << spawn.exponent, spawn.chance);
                let value = value_or_unknown(value, tables);
                _ = writeln!(
                    text,
                    "  {tile} at row {row} column {column} chance {chance:.4} {value}"
                );
            }
        }
    }
    Ok(text)
}

/// The line that `probe` prints: key, turn, win, best move, value.
fn line(board: Board, found: &Outlook, tables: &Twenty48Tables) -> String {
    let best = found.best.map_or(Meta::NO_MOVE, |best| best as u8);
    let value = number_text(found.value, tables.value_kind());
    format!("{board} 0{}{best:02x} {value}\n", u8::from(found.win))
}

fn value_or_unknown(value: Option<f64>, tables: &Twenty48Tables) -> String {
    value.map_or("unknown".into(), |value| number_text(value, tables.value_kind()))
}

/// A board named on the command line.
#[derive(clap::Args)]
pub struct BoardArgs {
    /// A 2048 board, in hex or as rows of tiles: 2,4,0/0,2,0/0,0,8
    #[arg(long, value_name = "BOARD", conflicts_with = "Input")]
    board: Option<String>,
    /// With a board in hex: its rows and columns
    #[arg(long, value_name = "RxC", requires = "board", default_value_t = Size::FULL)]
    size: Size,
}

impl BoardArgs {
    /// The board and its size, if one is named. Rows say themselves how many there are.
    pub fn board(&self) -> Result<Option<(Board, Size)>, Failure> {
        let Some(text) = &self.board else { return Ok(None) };
        let rows = text.split('/').count();
        let columns = text.split('/').next().map_or(0, |row| row.split(',').count());
        let size =
            if text.contains(',') { format!("{rows}x{columns}").parse() } else { Ok(self.size) };
        let size = size.map_err(Failure::input)?;
        Ok(Some((Board::parse(text, size).map_err(Failure::input)?, size)))
    }
}

/// Searches a board, or takes its answer from tables: what `solve --board` prints.
pub fn solve(
    board: Board,
    size: Size,
    search: &SearchArgs,
    tables: Option<&Path>,
) -> Result<String, Failure> {
    if board == Board::default() {
        return Err(Failure::input("a board without tiles: a game begins with two"));
    }
    if board.is_over(size) {
        complain("the game is over: nothing moves");
        return Ok(format!("{board} 00ff 0\n"));
    }
    let settings = search.settings(size)?;
    let players = Players::new(
        size,
        &tables.map(Path::to_path_buf).into_iter().collect::<Vec<_>>(),
        settings,
    )?;
    if let Some(tables) = players.tables()
        && let Some(found) = tables.probe(board)?
    {
        return Ok(line(board, &found, tables));
    }
    let parallel = Settings { parallel: true, ..players.settings().clone() };
    let choice = Search::new(&parallel).map_err(Failure::input)?.best(board);
    let choice = choice.ok_or_else(|| Failure::Check("the search found no move".into()))?;
    let win = u8::from(choice.value > 0.0);
    let (best, value) = (choice.direction as u8, choice.value as f32);
    Ok(format!("{board} 0{win}{best:02x} {value}\n"))
}

/// A board in all its forms: what `dump --board` prints.
pub fn forms(board: Board, size: Size) -> String {
    let canonical = board.canonical(size);
    let mut text = String::new();
    _ = writeln!(text, "board     {}", board.text(size));
    _ = writeln!(text, "size      {size}");
    _ = writeln!(text, "key       {board}");
    _ = writeln!(text, "canonical {canonical} {}", canonical.text(size));
    _ = writeln!(text, "sum       {}", board.sum());
    text += &board.picture(size);
    for (direction, slid) in Direction::ALL.into_iter().zip(board.slides(size)) {
        if let Some((after, score)) = slid {
            _ = writeln!(text, "{:<9} {after} scores {score}", direction.name());
        }
    }
    if board.is_over(size) {
        text += "no move: the game is over\n";
    }
    text
}

/// Counts what is in tables.
pub fn stats(set: TableSet, svg: Option<&Path>) -> Result<(), Failure> {
    let tables = Twenty48Tables::new(set)?;
    let counts = Counts::of(&tables)?;
    if let Some(path) = svg {
        write_file(path, |out| Ok(out.write_all(counts.svg(&tables).as_bytes())?))?;
    }
    say(counts.text(&tables)?.trim_end())
}

#[derive(Default)]
struct Counts {
    positions: u64,
    over: u64,
    lost: u64,
    by_highest: BTreeMap<u8, u64>,
    by_sum: BTreeMap<u32, u64>,
    /// By twentieths of the largest value.
    by_value: [u64; Self::BARS],
    largest: f64,
}

impl Counts {
    const BARS: usize = 20;

    fn of(tables: &Twenty48Tables) -> Result<Self, Failure> {
        let mut counts = Self::default();
        for table in tables.set().tables() {
            let kind = table.header().description.value;
            for record in table.records() {
                counts.largest = counts.largest.max(kind.decode(record?.value));
            }
        }
        for table in tables.set().tables() {
            let kind = table.header().description.value;
            for record in table.records() {
                let record = record?;
                let board = tables.board(&record)?;
                let over = record.meta.best_move() == Meta::NO_MOVE;
                counts.positions += 1;
                counts.over += u64::from(over);
                counts.lost += u64::from(!over && !record.meta.value().is_win());
                *counts.by_highest.entry(board.highest()).or_default() += 1;
                *counts.by_sum.entry(board.sum()).or_default() += 1;
                let share = kind.decode(record.value) / counts.largest.max(f64::MIN_POSITIVE);
                let bar = (share * Self::BARS as f64) as usize;
                counts.by_value[bar.min(Self::BARS - 1)] += 1;
            }
        }
        Ok(counts)
    }

    fn text(&self, tables: &Twenty48Tables) -> Result<String, Failure> {
        let share = |part: u64| 100.0 * part as f64 / self.positions.max(1) as f64;
        let mut text = String::new();
        _ = writeln!(text, "positions    {:>12}", self.positions);
        _ = writeln!(text, "over         {:>12} {:>6.2} %", self.over, share(self.over));
        _ = writeln!(text, "lost         {:>12} {:>6.2} %", self.lost, share(self.lost));
        if let Some(start) = tables.start()? {
            _ = writeln!(text, "start        {start:>12.9}");
        }
        for (&exponent, &count) in &self.by_highest {
            let tile = 1u32 << exponent;
            _ = writeln!(text, "highest {tile:<4} {count:>12} {:>6.2} %", share(count));
        }
        for (bar, &count) in self.by_value.iter().enumerate() {
            let from = self.largest * bar as f64 / Self::BARS as f64;
            let from = format!("{from:.4}");
            _ = writeln!(text, "value {from:<10} {count:>8} {:>6.2} %", share(count));
        }
        for (&sum, &count) in &self.by_sum {
            _ = writeln!(text, "sum {sum:<8} {count:>12} {:>6.2} %", share(count));
        }
        Ok(text)
    }

    /// Three charts, one below the other: by highest tile, by value, by sum.
    fn svg(&self, tables: &Twenty48Tables) -> String {
        let Rules { size, objective } = tables.rules();
        let tiles = self.by_highest.iter().map(|(e, &count)| ((1u32 << e).to_string(), count));
        let values = self.by_value.iter().enumerate().map(|(bar, &count)| {
            let from = self.largest * bar as f64 / Self::BARS as f64;
            (if from < 2.0 { format!("{from:.2}") } else { format!("{from:.0}") }, count)
        });
        let sums: Vec<(u32, u64)> = self.by_sum.iter().map(|(&sum, &count)| (sum, count)).collect();
        let sums = sums
            .chunks(sums.len().div_ceil(Self::BARS).max(1))
            .map(|some| (some[0].0.to_string(), some.iter().map(|&(_, count)| count).sum()));
        let charts: [(&str, Vec<(String, u64)>); 3] = [
            ("highest tile", tiles.collect()),
            ("value", values.collect()),
            ("sum of tiles", sums.collect()),
        ];
        let mut svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"900\" \
                       font-family=\"sans-serif\" font-size=\"11\">\n"
            .to_owned();
        for (number, (by, bars)) in charts.iter().enumerate() {
            let top = 300 * number;
            _ = writeln!(
                svg,
                "<text x=\"30\" y=\"{}\">{} positions of {size} {objective} by {by}</text>",
                top + 20,
                self.positions
            );
            let most = bars.iter().map(|&(_, count)| count).max().unwrap_or(0).max(1);
            for (place, (name, count)) in bars.iter().enumerate() {
                let height = 230.0 * *count as f64 / most as f64;
                let (x, y) = (30 + 40 * place, (top + 260) as f64 - height);
                _ = writeln!(
                    svg,
                    "<rect x=\"{x}\" y=\"{y:.1}\" width=\"34\" height=\"{height:.1}\" \
                     fill=\"#1b6ca8\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{name}</text>",
                    x + 17,
                    top + 275
                );
            }
        }
        svg + "</svg>\n"
    }
}

/// Checks every record against one step of backup from the records after it.
pub fn verify_full(file: &Path) -> Result<String, Failure> {
    let tables = Twenty48Tables::new(TableSet::open(&[file])?)?;
    if tables.rules().objective == Objective::Search {
        return Err(Failure::input("--full: a search's values are no backups of each other"));
    }
    let records = tables.set().tables().iter().map(|table| table.len()).sum();
    let progress = ShownProgress::new();
    progress.begin("checking", records, 0);
    let checked = tables.check(|records| progress.advance(records, records));
    progress.end();
    match checked? {
        Checked::Right(_) => Ok("; each is one step of backup from those after it".into()),
        Checked::Wrong(wrong) => {
            let should = match wrong.solved {
                Some(solved) => {
                    format!("one step of backup gives {} (move {:?})", solved.value, solved.best)
                }
                None => "boards that follow it are not there".into(),
            };
            let path = file.display();
            Err(Failure::Check(format!(
                "{path}: {} says {} {}, but {should}",
                wrong.board, wrong.meta, wrong.value
            )))
        }
    }
}
