//! `endtable solve`: positions in, answers out.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use endtable::games::Value;
use endtable::games::collapsi::{Board, Mask, Move, QuickSolver, Rules, Solver, Subgame};
use endtable::probe::{CollapsiComplete, best};

use super::Failure;
use super::input::Input;
use super::output::say;
use super::probe::known;
use super::search::SearchArgs;
use super::twenty48::{self, BoardArgs};

/// Solve positions exactly: who wins, the best move, how many plies
///
/// Prints one line a position: its key, one bit for the side to move (0 x, 1 o), one bit for
/// whether that side wins, and the best move as two hex digits, from and to (ff: the game is
/// over). Of equally good moves it is the one with the lowest destination.
///
/// A 2048 board (--board) is searched as deep as --depth or --ms say, or taken from --tables. Its
/// line has the best move as 00 up, 01 right, 02 down, 03 left, and its value.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  endtable solve --seed 1
  endtable solve --position \"JxA23/4Jo32/A2A3/2A43 x\" --rules wild --verbose
  seq 0 999 | endtable solve --stdin
  endtable solve --board 4,2,0,0/8,4,0,0/16,2,0,0/128,32,4,2 --depth 3")]
pub struct Args {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    search: SearchArgs,
    /// How far a pawn goes from its joker: `one` step, or `wild`, one to four
    #[arg(long, default_value_t, conflicts_with = "board")]
    rules: Rules,
    /// Print 64-bit folded keys
    #[arg(long, conflicts_with = "board")]
    fold64: bool,
    /// Tables to take answers from, instead of searching: for Collapsi a folder of complete ones
    #[arg(long, value_name = "PATH", conflicts_with = "no_distance")]
    tables: Option<PathBuf>,
    /// Only who wins and a move that does it: several times as fast
    #[arg(long, conflicts_with_all = ["verbose", "board"])]
    no_distance: bool,
    /// Add a line `state` with the seven boards and the turn in hex
    #[arg(long, conflicts_with = "board")]
    dump_state: bool,
    /// Add the distance, every move with its result and distance, nodes expanded and time
    #[arg(long, conflicts_with = "board")]
    verbose: bool,
    /// Add a drawing of the board, the best move's cells in angle brackets
    #[arg(long, conflicts_with = "board")]
    picture: bool,
}

/// What a thread keeps from one position to the next.
struct Solvers {
    exact: Solver,
    quick: QuickSolver,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some((board, size)) = args.board.board()? {
        let line = twenty48::solve(board, size, &args.search, args.tables.as_deref())?;
        return say(line.trim_end());
    }
    if args.search.is_given() {
        return Err(Failure::input("--depth and its like are for 2048: give --board, too"));
    }
    if let Some(folder) = &args.tables {
        let tables = CollapsiComplete::open(folder, args.rules)?;
        return args.input.answer(|| (), |(), board| look_up(args, &tables, &board));
    }
    let start = || Solvers { exact: Solver::new(), quick: QuickSolver::new() };
    args.input.answer(start, |solvers, board| Ok(answer(args, solvers, &board)))
}

/// The same answer, from complete tables: no nodes are expanded.
fn look_up(args: &Args, tables: &CollapsiComplete, board: &Board) -> Result<String, Failure> {
    let start = Instant::now();
    let moves = tables.moves(board)?;
    let found = best(&moves);
    let time = start.elapsed();
    let mut text = line(board, args.fold64, found.value.is_win(), found.best);
    if args.dump_state {
        _ = writeln!(text, "state {}", board.to_hex());
    }
    if args.verbose {
        text += &moves_text(found.value, known(moves));
        _ = writeln!(text, "nodes 0\ntime {} us", time.as_micros());
    }
    if args.picture {
        text += &picture(board, found.best, found.value.is_win(), Some(found.value));
    }
    Ok(text)
}

fn answer(args: &Args, solvers: &mut Solvers, board: &Board) -> String {
    let start = Instant::now();
    let (win, best, value) = if args.no_distance {
        let answer = solvers.quick.solve(&Subgame::new(*board, args.rules));
        (answer.win, answer.best, None)
    } else {
        let answer = solvers.exact.solve(board, args.rules);
        (answer.value.is_win(), answer.best, Some(answer.value))
    };
    let time = start.elapsed();
    let mut text = line(board, args.fold64, win, best);
    if args.dump_state {
        _ = writeln!(text, "state {}", board.to_hex());
    }
    if let (true, Some(value)) = (args.verbose, value) {
        let expanded = solvers.exact.counts().expanded;
        let moves = solvers.exact.move_values(board, args.rules);
        text += &moves_text(value, moves.into_iter().map(|(mv, value)| (mv, Some(value))));
        _ = writeln!(text, "nodes {expanded}");
        _ = writeln!(text, "time {} us", time.as_micros());
    }
    if args.picture {
        text += &picture(board, best, win, value);
    }
    text
}

/// The line that `solve` and `probe` print: key, turn, win, best move.
pub fn line(board: &Board, fold64: bool, win: bool, best: Option<Move>) -> String {
    let key = board.key();
    let key = if fold64 { key.fold().to_string() } else { key.to_string() };
    let best = best.map_or("ff".into(), |mv| mv.to_string());
    format!("{key} {}{}{best}\n", board.turn().bit(), u8::from(win))
}

/// The lines that say how long the game lasts and what each move is worth.
pub fn moves_text(value: Value, moves: impl Iterator<Item = (Move, Option<Value>)>) -> String {
    let mut text = format!("distance {}\n", value.plies());
    for (mv, value) in moves {
        let value = value.map_or("unknown".into(), |value| value.to_string());
        _ = writeln!(text, "move {mv} {value}");
    }
    text
}

fn picture(board: &Board, best: Option<Move>, win: bool, value: Option<Value>) -> String {
    let marked = best.map_or(Mask::EMPTY, |mv| Mask(mv.from.mask().0 | mv.to.mask().0));
    let mut text = board.picture(marked);
    _ = write!(text, "{} to move ", board.turn());
    text += if win { "wins" } else { "loses" };
    if let Some(value) = value {
        _ = write!(text, " in {} plies", value.plies());
    }
    match best {
        Some(mv) => _ = writeln!(text, "; best: from {} to {}", place(mv.from), place(mv.to)),
        None => text += "; it has no move\n",
    }
    text
}

fn place(cell: endtable::games::collapsi::Cell) -> String {
    format!("row {} column {}", cell.row() + 1, cell.column() + 1)
}
