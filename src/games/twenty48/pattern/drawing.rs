//! Masks and seeds as rows of cells.
//!
//! Rows are lines, or parted by `/`. In a mask `F` is a cell of a large tile and `.` another one; in
//! a seed cells are parted by blanks or commas, and are `F`, `.` or 0 for an empty cell, or a tile.

use super::{LARGE, PatternError};
use crate::games::twenty48::Board;

/// Reads a set of cells.
pub(super) fn read_mask(text: &str, number: usize) -> Result<u16, PatternError> {
    let wrong = |why| PatternError::Drawing { what: "mask", number, why };
    let mut mask = 0;
    let rows = rows(text).map(|row| row.chars().filter(|it| !it.is_whitespace()).collect());
    for (cell, drawn) in cells(rows.collect()).map_err(wrong)?.into_iter().enumerate() {
        match drawn {
            'F' => mask |= 1 << cell,
            '.' => {}
            other => {
                let why = format!("{other:?} in row {}; expected F or .", cell / 4 + 1);
                return Err(wrong(why));
            }
        }
    }
    Ok(mask)
}

/// Reads a board with large tiles.
pub(super) fn read_board(text: &str, number: usize) -> Result<Board, PatternError> {
    let wrong = |why| PatternError::Drawing { what: "seed", number, why };
    let cell = |it: char| it == ',' || it.is_whitespace();
    let rows = rows(text).map(|row| row.split(cell).filter(|it| !it.is_empty()).collect());
    let mut board = 0;
    for (cell, drawn) in cells::<&str>(rows.collect()).map_err(wrong)?.into_iter().enumerate() {
        let exponent = exponent(drawn).ok_or_else(|| {
            let row = cell / 4 + 1;
            wrong(format!("{drawn:?} in row {row}; expected F, a tile from 2 to 16384, or 0"))
        })?;
        board |= u64::from(exponent) << (4 * cell);
    }
    Ok(Board(board))
}

fn exponent(drawn: &str) -> Option<u8> {
    match drawn {
        "F" => Some(LARGE),
        "." | "0" => Some(0),
        tile => {
            let tile = tile.parse::<u32>().ok().filter(|tile| tile.is_power_of_two())?;
            let exponent = tile.trailing_zeros() as u8;
            (1..LARGE).contains(&exponent).then_some(exponent)
        }
    }
}

/// The rows of a drawing, without lines that are empty.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.split(['/', '\n']).map(str::trim).filter(|row| !row.is_empty())
}

/// The cells of four rows of four.
fn cells<T>(rows: Vec<Vec<T>>) -> Result<Vec<T>, String> {
    if rows.len() != 4 {
        return Err(format!("{} rows; expected four of four cells", rows.len()));
    }
    if let Some((row, cells)) = (1..).zip(&rows).find(|(_, cells)| cells.len() != 4) {
        return Err(format!("row {row} has {} cells; expected four", cells.len()));
    }
    Ok(rows.into_iter().flatten().collect())
}

/// A set of cells in a line: `..../..../.FFF/.FFF`.
pub(super) fn mask(mask: u16) -> String {
    let row = |y: u32| (0..4).map(move |x| if mask >> (4 * y + x) & 1 == 1 { 'F' } else { '.' });
    (0..4).map(|y| row(y).collect::<String>()).collect::<Vec<_>>().join("/")
}

/// A board with large tiles in a line: `2,0,0,0/0,0,0,0/2,F,F,F/4,F,F,F`.
pub(super) fn board(board: Board) -> String {
    let tile = |exponent: u8| match exponent {
        0 => "0".to_owned(),
        LARGE => "F".to_owned(),
        exponent => (1u32 << exponent).to_string(),
    };
    let rows = board.exponents().map(|row| row.map(tile).join(","));
    rows.join("/")
}

/// Drawings of masks, four at most side by side.
pub(super) fn picture(masks: &[u16]) -> String {
    let mut lines = String::new();
    for (number, some) in masks.chunks(4).enumerate() {
        if number > 0 {
            lines.push('\n');
        }
        let drawn: Vec<String> = some.iter().map(|&it| mask(it)).collect();
        for y in 0..4 {
            let rows: Vec<&str> = drawn.iter().filter_map(|it| it.split('/').nth(y)).collect();
            lines += &rows.join("   ");
            lines.push('\n');
        }
    }
    lines
}
