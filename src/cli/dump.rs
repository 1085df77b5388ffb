//! `endtable dump`: a position in all its forms.

use std::fmt::Write;

use endtable::games::collapsi::{Board, Cell, Field, Mask};

use super::Failure;
use super::input::Input;

/// Show a position in all its forms: boards, keys, text, picture
#[derive(clap::Args)]
#[command(after_help = "Examples:
  endtable dump --seed 1
  endtable dump --key 0100000808001830:12d27d06b02589e4")]
pub struct Args {
    #[command(flatten)]
    input: Input,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    args.input.answer(|| (), |(), board| forms(&board))
}

fn forms(board: &Board) -> String {
    let canonical = board.canonical().board;
    let mut text = String::new();
    _ = writeln!(text, "position  {board}");
    _ = writeln!(text, "state     {}", board.to_hex());
    _ = writeln!(text, "key       {}", board.key());
    _ = writeln!(text, "folded    {}", board.key().fold());
    _ = writeln!(text, "canonical {} {canonical}", canonical.key());
    text += &bitboards(board);
    text += &board.picture(Mask::EMPTY);
    text
}

/// The seven boards side by side, each with its number in hex above it.
fn bitboards(board: &Board) -> String {
    let (boards, turn) = board.to_raw();
    let mut text = String::new();
    let mut line = |cells: [String; 7]| {
        text += cells.map(|cell| format!("{cell:<9}")).concat().trim_end();
        text += "\n";
    };
    line(std::array::from_fn(|i| Field::ALL[i].to_string()));
    line(boards.map(|board| Mask(board).to_string()));
    for row in 0..4 {
        line(boards.map(|board| {
            let bit = |column| Mask(board).contains(Cell::at(row, column));
            (0..4).map(|column| if bit(column) { '#' } else { '.' }).collect()
        }));
    }
    text + &format!("turn {turn}\n")
}
