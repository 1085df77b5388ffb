//! A board of 2048 in the terminal, large where there is room.

use endtable::games::twenty48::{PlayedGame, Size, TallBoard};
use endtable::games::{Picture, Tone};

use crate::cli::colour;

/// How wide and high a tile is drawn in a window, with a gap behind it.
fn tile_size(size: Size, (width, height): (u16, u16)) -> (usize, usize) {
    let wide = width >= 8 * u16::from(size.columns());
    let high = height >= OTHER_LINES + 3 * u16::from(size.rows());
    if wide && high { (7, 3) } else { (5, 1) }
}

/// How many lines there are besides the board.
const OTHER_LINES: u16 = 9;

/// The lines of a board, coloured where that is wanted.
pub fn lines(board: TallBoard, size: Size, window: (u16, u16)) -> Vec<String> {
    let (width, height) = tile_size(size, window);
    let mut picture = Picture::default();
    for y in 0..size.rows() {
        for line in 0..height {
            let pieces = (0..size.columns()).flat_map(|x| {
                let exponent = board.exponent(x, y);
                let text = match exponent {
                    _ if line != height / 2 => String::new(),
                    0 => ".".into(),
                    _ => (1u32 << exponent).to_string(),
                };
                let tile = (format!("{text:^width$}"), Tone::Step(exponent));
                [tile, (" ".into(), Tone::Plain)]
            });
            picture.line(pieces);
        }
    }
    colour::lines(&picture)
}

/// How a game stands.
pub fn state(game: &PlayedGame) -> String {
    format!("score {}   move {}", game.score(), game.record().moves.len())
}

/// How a game went.
pub fn outcome(game: &PlayedGame) -> String {
    let (board, score, moves) = (game.board(), game.score(), game.record().moves.len());
    let over = if board.is_over(game.record().size) { ", over" } else { "" };
    format!("{moves} moves, score {score}, highest {}{over}", 1u32 << board.highest())
}
