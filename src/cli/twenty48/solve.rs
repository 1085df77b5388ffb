//! `endtable solve --board`: a board searched, or taken from tables.

use std::path::Path;

use endtable::games::twenty48::{Board, Search, Settings, Size};

use super::probe::line;
use crate::cli::play::Players;
use crate::cli::search::SearchArgs;
use crate::cli::{Failure, complain};

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
    let search = Search::new(&parallel).map_err(Failure::input)?;
    if players.tables().is_some() {
        let heuristic = &parallel.heuristic;
        complain(format_args!("{board} is not in the table: searched with {heuristic}"));
    }
    let choice = search.best(board);
    let choice = choice.ok_or_else(|| Failure::Check("the search found no move".into()))?;
    let win = u8::from(choice.value > 0.0);
    let (best, value) = (choice.direction as u8, choice.value as f32);
    Ok(format!("{board} 0{win}{best:02x} {value}\n"))
}
