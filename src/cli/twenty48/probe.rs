//! `endtable probe`: boards looked up in tables.

use std::fmt::Write as _;

use endtable::games::twenty48::{Board, Direction};
use endtable::probe::{MoveOutlook, Outlook, Twenty48Tables};
use endtable::table::Meta;

use crate::cli::Failure;
use crate::cli::export::number_text;
use crate::cli::input::answer_lines;
use crate::cli::probe::{no_position, write_found};

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
pub fn line(board: Board, found: &Outlook, tables: &Twenty48Tables) -> String {
    let best = found.best.map_or(Meta::NO_MOVE, |best| best as u8);
    let value = number_text(found.value, tables.value_kind());
    format!("{board} 0{}{best:02x} {value}\n", u8::from(found.win))
}

fn value_or_unknown(value: Option<f64>, tables: &Twenty48Tables) -> String {
    value.map_or("unknown".into(), |value| number_text(value, tables.value_kind()))
}
