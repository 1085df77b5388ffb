//! A board on the command line, and all its forms.

use std::fmt::Write as _;

use endtable::games::twenty48::{Board, Direction, Size};

use crate::cli::Failure;

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
