//! A board as data for pages: how it is drawn, and what it is put together from.

use super::position::spawn_name;
use super::{Board, Direction, Pattern, Size, TallBoard, Twenty48Position};
use crate::games::{Arrow, Choice, Drawing, Ground, Parts, Place, Start};

/// A tile as it is typed, 0 for an empty cell.
fn tile(exponent: u8) -> u32 {
    if exponent == 0 { 0 } else { 1 << exponent }
}

/// The exponent of the largest tile that a board can have: on the full one it is 131072.
fn highest(size: Size) -> u8 {
    if size == Size::FULL { TallBoard::HIGHEST } else { size.highest() }
}

impl Twenty48Position {
    fn exponents(&self) -> Vec<Vec<u8>> {
        let row = |y| (0..self.size.columns()).map(|x| self.board.exponent(x, y)).collect();
        (0..self.size.rows()).map(row).collect()
    }

    pub(super) fn draw(&self, best: Option<Direction>) -> Drawing {
        let place = |exponent: u8| {
            let mut place = Place::empty(Ground::Tile(exponent));
            if exponent > 0 {
                place.text = tile(exponent).to_string();
                place.words = place.text.clone();
            }
            place
        };
        let rows = self.exponents().into_iter();
        let mut rows: Vec<Vec<Place>> =
            rows.map(|row| row.into_iter().map(place).collect()).collect();
        for (_, spawn) in self.spawned() {
            let place = &mut rows[usize::from(spawn.cell / 4)][usize::from(spawn.cell % 4)];
            place.moves.push(spawn_name(spawn));
        }
        let arrow = best.map(|direction| match direction {
            Direction::Up => Arrow::Slide { down: -1, right: 0 },
            Direction::Right => Arrow::Slide { down: 0, right: 1 },
            Direction::Down => Arrow::Slide { down: 1, right: 0 },
            Direction::Left => Arrow::Slide { down: 0, right: -1 },
        });
        let caption = format!("The tiles are {} together", self.board.sum());
        Drawing { rows, caption, arrow, ..Drawing::default() }
    }

    pub(super) fn to_parts(self) -> Parts {
        let cell = |exponent| tile(exponent).to_string();
        let rows = self.exponents().into_iter();
        let choice = |exponent| match exponent {
            0 => Choice::new(0, "empty"),
            _ => Choice::new(tile(exponent), tile(exponent)),
        };
        Parts {
            cells: rows.map(|row| row.into_iter().map(cell).collect()).collect(),
            contents: (0..=highest(self.size)).map(choice).collect(),
            others: "",
            settings: Vec::new(),
        }
    }
}

/// The text of a board with these cells: the inverse of [`Twenty48Position::to_parts`].
pub(super) fn assemble(cells: &[Vec<String>]) -> String {
    cells.iter().map(|row| row.join(",")).collect::<Vec<_>>().join("/")
}

/// A board of every size, the full one first, and one of every endgame pattern.
pub(super) fn starts() -> Vec<Start> {
    let size = |size: Size| {
        // Two tiles in opposite corners.
        let last = 16 * (size.rows() - 1) + 4 * (size.columns() - 1);
        let board = Board(1 | 1 << last);
        Start { kind: "Size", label: size.to_string(), text: board.text(size) }
    };
    let mut sizes: Vec<Size> = Size::all().collect();
    sizes.reverse();
    let sizes = sizes.into_iter().map(size);
    sizes.chain(Pattern::shipped().iter().filter_map(pattern_start)).collect()
}

/// The first seed of a pattern with large tiles that do not merge, and a new tile.
fn pattern_start(pattern: &Pattern) -> Option<Start> {
    let seed = *pattern.seeds().first()?;
    let mut board = 0;
    for (x, y) in (0..16).map(|cell| (cell % 4, cell / 4)) {
        let exponent = match seed.exponent(x, y) {
            // Neighbours differ.
            super::LARGE => 12 + x % 2 + 2 * (y % 2),
            small => small,
        };
        board |= u64::from(exponent) << (16 * y + 4 * x);
    }
    let (board, _) = Board(board).spawns(Size::FULL).next()?;
    let label = format!("pattern {}", pattern.name());
    Some(Start { kind: "Pattern", label, text: board.text(Size::FULL) })
}
