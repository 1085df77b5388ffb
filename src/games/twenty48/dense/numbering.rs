//! Dense numbers for the boards of one sum.
//!
//! The boards of a layer are numbered 0, 1, 2, …, so that a set of boards is a row of bits and their
//! values are an array: nothing is hashed, and nothing is brought to canonical form before it is
//! looked up. A board is cut into its *corners* and the *rest*. Every symmetry maps corners to
//! corners and the rest to the rest, so the corners alone choose how a board is turned: the way
//! that makes them the smallest of their images. Up to symmetry there are only some thousand of
//! them, the *classes*. With the sum given, a class leaves a sum for the rest, and the rests of that
//! sum follow each other:
//!
//! ```text
//! class, turn   = classes[corners]
//! number(board) = starts[class] + rank[rest][turn]
//! ```
//!
//! `classes` and `rank` are the same for all layers; `starts` is made anew for each, by adding up
//! how many rests every class goes with. All of it stays in the second cache.
//!
//! Corners that are symmetric themselves can be turned in more than one way, so that a position may
//! have several numbers there, all in its class. The smallest of them stands for it
//! ([`Numbering::reduce`]), and what is known of it is told to the others ([`Numbering::spread`]).
//!
//! Corners and rests that no game can show are left out: they hold a tile too large, or more large
//! tiles than the cells can have built ([`Board::has_room`]). Both together may still be
//! impossible; such a board has a number, and nobody asks for it.

use std::ops::Range;

use rayon::prelude::*;

use super::super::{Board, Direction, Size, Symmetry};
use super::bits::Bits;

/// A board in the layout of this module: four bits a cell, first the rest, then the corners, each
/// in the order of the cells.
pub type Packed = u64;

/// Marks corners that no game shows.
const NO_CLASS: u16 = u16::MAX;

/// What does not depend on the layer.
pub struct Numbering {
    size: Size,
    /// Where the corners begin.
    rest_bits: u32,
    /// By the bits of the corners: eight times their class, and the symmetry that leads to it.
    classes: Vec<u16>,
    /// By the bits of a rest, for each symmetry: one more than the rank of its image among the
    /// rests of the same sum; 0 for a rest that no game shows.
    ranks: Vec<[u16; 8]>,
    pub corners: Parts,
    /// By their sums.
    pub rests: Parts,
    /// Half a sum gives the first of its rests.
    groups: Vec<u32>,
    /// For each class the symmetries that leave its corners as they are.
    turns: Vec<Vec<usize>>,
    /// For each symmetry the direction whose image is up, right, down, left.
    pub directions: [[u8; 4]; 8],
}

/// Corners or rests. What is known of a board is known of its parts, joined by OR or by plus.
#[derive(Default)]
pub struct Parts {
    pub boards: Vec<Packed>,
    /// Row by row.
    pub rows: Vec<u64>,
    /// Column by column.
    pub columns: Vec<u64>,
    /// The codes of the images.
    pub codes: Vec<[u32; 8]>,
    sums: Vec<u32>,
}

/// The numbers of one layer.
#[derive(Default)]
pub struct Numbers {
    /// Where each class begins, and where the last one ends.
    starts: Vec<u32>,
    /// The first rest of each class.
    firsts: Vec<u32>,
}

/// The parts of a board, as places in the lists of a numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub corners: usize,
    pub rest: usize,
}

impl Numbering {
    /// The most cells of a board. There is none of ten or eleven, and twelve are too many.
    pub const MOST_CELLS: u8 = 9;

    /// Numbers the boards whose largest exponent is at most `highest`; `None` if the board has too
    /// many cells.
    pub fn new(size: Size, highest: u8) -> Option<Self> {
        if size.cells() > Self::MOST_CELLS {
            return None;
        }
        let layout = Layout::new(size);
        let corners = layout.parts(highest, layout.rest..size.cells().into());
        let mut rests = layout.parts(highest, 0..layout.rest);
        rests.sort_by_key(|parts, place| parts.sums[place]);
        let most = rests.sums.iter().max().map_or(0, |&sum| sum / 2);
        let first = |half: u32| rests.sums.partition_point(|&sum| sum / 2 < half) as u32;
        let groups: Vec<u32> = (0..=most + 1).map(first).collect();
        let (corners, turns, classes) = layout.classes(&corners);
        let ranks = layout.ranks(&rests, &groups);
        let mut directions = [[0; 4]; 8];
        for (before, symmetry) in directions.iter_mut().zip(symmetries(size)) {
            *before = Direction::ALL.map(|image| symmetry.direction_before(image) as u8);
        }
        let rest_bits = 4 * layout.rest as u32;
        Some(Self { size, rest_bits, classes, ranks, corners, rests, groups, turns, directions })
    }

    /// How many boards have a number in the layer with this sum.
    fn len(&self, sum: u32) -> u64 {
        self.corners.sums.iter().map(|&corners| u64::from(self.group(sum, corners).1)).sum()
    }

    /// How many have one in the largest layer.
    pub fn most(&self) -> u64 {
        let largest = |parts: &Parts| parts.sums.iter().copied().max().unwrap_or(0);
        let last = largest(&self.corners) + largest(&self.rests);
        (0..=last / 2).into_par_iter().map(|half| self.len(2 * half)).max().unwrap_or(0)
    }

    /// Bytes of memory that all this takes.
    pub fn bytes(&self) -> u64 {
        let parts = (self.corners.boards.len() + self.rests.boards.len()) as u64;
        // Of the ranks, pages are touched that hold any.
        let ranks = (4 * self.rests.boards.len()).min(self.ranks.len()) * size_of::<[u16; 8]>();
        parts * Parts::BYTES + ranks as u64 + (self.classes.len() * size_of::<u16>()) as u64
    }

    /// The first of the rests that go with these corners, and how many they are.
    fn group(&self, sum: u32, corners: u32) -> (u32, u32) {
        let half = sum.checked_sub(corners).map_or(usize::MAX, |rest| rest as usize / 2);
        match self.groups.get(half..) {
            Some(&[first, end, ..]) => (first, end - first),
            _ => (0, 0),
        }
    }

    /// Numbers the layer with this sum.
    pub fn number_layer(&self, sum: u32, numbers: &mut Numbers) {
        numbers.starts.clear();
        numbers.firsts.clear();
        let mut next = 0;
        for &corners in &self.corners.sums {
            let (first, count) = self.group(sum, corners);
            numbers.starts.push(next);
            numbers.firsts.push(first);
            next += count;
        }
        numbers.starts.push(next);
    }

    /// The number of a board in its layer, `None` if it has a tile too large.
    #[inline]
    pub fn number(&self, numbers: &Numbers, board: Packed) -> Option<u32> {
        let class = self.classes[(board >> self.rest_bits) as usize];
        let ranks = &self.ranks[(board & ((1 << self.rest_bits) - 1)) as usize];
        let rank = ranks[usize::from(class & 7)];
        let found = class != NO_CLASS && rank != 0;
        found.then(|| numbers.starts[usize::from(class / 8)] + u32::from(rank) - 1)
    }

    /// Where the numbers of boards with these corners begin, and the symmetry to rank a rest with.
    #[inline]
    pub fn start(&self, numbers: &Numbers, corners: Packed) -> (u32, usize) {
        let class = self.classes[(corners >> self.rest_bits) as usize];
        (numbers.starts[usize::from(class / 8)].wrapping_sub(1), usize::from(class & 7))
    }

    /// One more than the rank of a rest under each symmetry.
    #[inline]
    pub fn ranks(&self, rest: Packed) -> &[u16; 8] {
        &self.ranks[rest as usize]
    }

    /// The layout of a board.
    pub fn pack(&self, board: Board) -> Packed {
        Layout::new(self.size).pack(board)
    }

    /// The empty cells of a part, the lowest bit of each; `corners` or the rest.
    #[inline]
    pub fn empty(&self, part: Packed, corners: bool) -> Packed {
        let all = 0x1111_1111_1111_1111 & ((1 << (4 * self.size.cells())) - 1);
        let cells = if corners {
            all >> self.rest_bits << self.rest_bits
        } else {
            all & ((1 << self.rest_bits) - 1)
        };
        !(part | part >> 1 | part >> 2 | part >> 3) & cells
    }

    /// The smallest code of a board's images, and the first symmetry that gives it.
    #[inline]
    pub fn canonical(&self, place: Place) -> (u32, usize) {
        let (corners, rest) = (&self.corners.codes[place.corners], &self.rests.codes[place.rest]);
        // Code and symmetry as one number: the smallest of eight, without a chain of waits.
        let image =
            |symmetry: usize| u64::from(corners[symmetry] + rest[symmetry]) << 3 | symmetry as u64;
        let two = |symmetry: usize| image(symmetry).min(image(symmetry + 1));
        let smallest = two(0).min(two(2)).min(two(4).min(two(6)));
        ((smallest >> 3) as u32, smallest as usize & 7)
    }

    /// Leaves of each position one number in a set.
    pub fn reduce(&self, numbers: &Numbers, set: &mut Bits) {
        for (class, turns) in self.turns.iter().enumerate().filter(|(_, turns)| turns.len() > 1) {
            let (start, first) = (numbers.starts[class], numbers.firsts[class]);
            set.each_in(start..numbers.starts[class + 1], |set, number| {
                let ranks = self.ranks(self.rests.boards[(first + number - start) as usize]);
                let smallest = turns.iter().map(|&turn| ranks[turn]).min().unwrap_or(1);
                let smallest = start + u32::from(smallest) - 1;
                if smallest != number {
                    set.remove(number);
                    set.insert(smallest);
                }
            });
        }
    }

    /// Gives all numbers of each position in a reduced set the value that the one in the set has.
    pub fn spread(&self, numbers: &Numbers, set: &Bits, values: &mut [f64]) {
        for (class, turns) in self.turns.iter().enumerate().filter(|(_, turns)| turns.len() > 1) {
            let (start, first) = (numbers.starts[class], numbers.firsts[class]);
            set.each_of(start..numbers.starts[class + 1], |number| {
                let ranks = self.ranks(self.rests.boards[(first + number - start) as usize]);
                for &turn in turns {
                    values[(start + u32::from(ranks[turn]) - 1) as usize] = values[number as usize];
                }
            });
        }
    }
}

impl Numbers {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// Finds the parts of boards by their numbers, which ascend from `first` on.
    #[inline]
    pub fn places(&self, first: usize) -> impl FnMut(usize) -> Place {
        let mut class = self.starts.partition_point(|&start| start as usize <= first).max(1) - 1;
        move |number| {
            while number >= self.starts[class + 1] as usize {
                class += 1;
            }
            let rest = self.firsts[class] as usize + number - self.starts[class] as usize;
            Place { corners: class, rest }
        }
    }
}

impl Parts {
    /// Bytes that one takes.
    const BYTES: u64 = (3 * size_of::<u64>() + 9 * size_of::<u32>()) as u64;

    fn sort_by_key<K: Ord>(&mut self, key: impl Fn(&Self, usize) -> K) {
        let mut order: Vec<usize> = (0..self.boards.len()).collect();
        order.sort_by_key(|&place| key(self, place));
        *self = self.select(&order);
    }

    fn select(&self, order: &[usize]) -> Self {
        Self {
            boards: order.iter().map(|&place| self.boards[place]).collect(),
            rows: order.iter().map(|&place| self.rows[place]).collect(),
            columns: order.iter().map(|&place| self.columns[place]).collect(),
            codes: order.iter().map(|&place| self.codes[place]).collect(),
            sums: order.iter().map(|&place| self.sums[place]).collect(),
        }
    }
}

/// The symmetries of a board, those of an oblong one twice.
fn symmetries(size: Size) -> impl Iterator<Item = Symmetry> {
    Symmetry::all(size).chain(Symmetry::all(size)).take(8)
}

/// A board's cells one behind the other, row by row or column by column.
pub fn line_of(board: Board, size: Size, by_columns: bool) -> u64 {
    let (lines, cells) =
        if by_columns { (size.columns(), size.rows()) } else { (size.rows(), size.columns()) };
    let all = (0..lines * cells).map(|place| (place / cells, place % cells));
    all.rev().fold(0, |done, (line, cell)| {
        let (x, y) = if by_columns { (line, cell) } else { (cell, line) };
        done << 4 | u64::from(board.exponent(x, y))
    })
}

/// Where the cells of a board stand in the layout.
pub struct Layout {
    size: Size,
    /// The cells (x, y), first the rest, then the corners.
    cells: Vec<(u8, u8)>,
    /// How many cells are no corners.
    rest: usize,
}

impl Layout {
    pub fn new(size: Size) -> Self {
        let is_corner =
            |&(x, y): &(u8, u8)| x % (size.columns() - 1) == 0 && y % (size.rows() - 1) == 0;
        let cells = (0..size.rows()).flat_map(|y| (0..size.columns()).map(move |x| (x, y)));
        let (corners, mut cells): (Vec<_>, Vec<_>) = cells.partition(is_corner);
        let rest = cells.len();
        cells.extend(corners);
        Self { size, cells, rest }
    }

    pub fn pack(&self, board: Board) -> Packed {
        let cells = self.cells.iter().rev();
        cells.fold(0, |packed, &(x, y)| packed << 4 | Packed::from(board.exponent(x, y)))
    }

    pub fn unpack(&self, packed: Packed) -> Board {
        let cells = self.cells.iter().enumerate();
        cells.fold(Board::default(), |board, (place, &(x, y))| {
            board.put(4 * y + x, (packed >> (4 * place) & 15) as u8)
        })
    }

    /// Everything that a game can show on some of the places, in the order of its bits.
    fn parts(&self, highest: u8, places: Range<usize>) -> Parts {
        let base = u64::from(highest) + 1;
        let board = |number: u64| {
            let (mut rest, mut packed) = (number, 0);
            for place in places.clone() {
                packed |= (rest % base) << (4 * place);
                rest /= base;
            }
            self.unpack(packed)
        };
        let all = (0..base.pow(places.len() as u32)).into_par_iter().map(board);
        self.parts_of(&all.filter(|board| board.has_room(self.size)).collect::<Vec<_>>())
    }

    fn parts_of(&self, boards: &[Board]) -> Parts {
        let size = self.size;
        let codes = |&board: &Board| {
            let mut codes = symmetries(size).map(|it| it.board(board, size).code(size) as u32);
            std::array::from_fn(|_| codes.next().unwrap_or(0))
        };
        Parts {
            boards: boards.par_iter().map(|&board| self.pack(board)).collect(),
            rows: boards.par_iter().map(|&board| line_of(board, size, false)).collect(),
            columns: boards.par_iter().map(|&board| line_of(board, size, true)).collect(),
            codes: boards.par_iter().map(codes).collect(),
            sums: boards.iter().map(|board| board.sum()).collect(),
        }
    }

    /// The classes: the smallest of the images of all corners, the symmetries that each of them is
    /// its own image under, and the class of all corners.
    fn classes(&self, corners: &Parts) -> (Parts, Vec<Vec<usize>>, Vec<u16>) {
        let images = |&board: &Packed| {
            let board = self.unpack(board);
            symmetries(self.size).map(move |it| self.pack(it.board(board, self.size)))
        };
        let smallest = |board: &Packed| images(board).min().unwrap_or(0);
        let order = 0..corners.boards.len();
        let own = order.filter(|&place| smallest(&corners.boards[place]) == corners.boards[place]);
        let own: Vec<usize> = own.collect();
        let chosen = corners.select(&own);
        let count = Symmetry::all(self.size).count();
        let turns = chosen.boards.iter().map(|board| {
            let same = images(board).take(count).enumerate().filter(|(_, image)| image == board);
            same.map(|(symmetry, _)| symmetry).collect()
        });
        let turns = turns.collect();
        let mut classes = vec![NO_CLASS; 1 << (4 * (self.cells.len() - self.rest))];
        for board in &corners.boards {
            let to = smallest(board);
            let class = chosen.boards.partition_point(|&it| it < to);
            let symmetry = images(board).position(|image| image == to).unwrap_or(0);
            classes[(board >> (4 * self.rest)) as usize] = (8 * class + symmetry) as u16;
        }
        (chosen, turns, classes)
    }

    fn ranks(&self, rests: &Parts, groups: &[u32]) -> Vec<[u16; 8]> {
        let mut own = vec![0u16; 1 << (4 * self.rest)];
        for (place, &board) in rests.boards.iter().enumerate() {
            let first = groups[rests.sums[place] as usize / 2] as usize;
            own[board as usize] = (place - first + 1) as u16;
        }
        let images = |&packed: &Packed| {
            let board = self.unpack(packed);
            let mut images = symmetries(self.size).map(|it| self.pack(it.board(board, self.size)));
            std::array::from_fn(|_| own[images.next().unwrap_or(0) as usize])
        };
        let all: Vec<[u16; 8]> = rests.boards.par_iter().map(images).collect();
        let mut ranks = vec![[0; 8]; own.len()];
        for (&packed, all) in rests.boards.iter().zip(all) {
            ranks[packed as usize] = all;
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// All boards with no tile beyond `highest` whose parts a game can show.
    fn boards(size: Size, highest: u8) -> Vec<Board> {
        let layout = Layout::new(size);
        let all = layout.parts(highest, layout.rest..size.cells().into());
        let rests = layout.parts(highest, 0..layout.rest);
        let pairs = all
            .boards
            .iter()
            .flat_map(|&corners| rests.boards.iter().map(move |&rest| corners | rest));
        pairs.map(|packed| layout.unpack(packed)).collect()
    }

    fn check(size: Size, highest: u8) {
        let numbering = Numbering::new(size, highest).unwrap();
        let mut by_sum: HashMap<u32, Vec<Board>> = HashMap::new();
        for board in boards(size, highest) {
            by_sum.entry(board.sum()).or_default().push(board);
        }
        for (sum, boards) in by_sum {
            let mut numbers = Numbers::default();
            numbering.number_layer(sum, &mut numbers);
            let mut all = Bits::default();
            all.reset(numbers.len());
            let mut canonical = HashMap::new();
            for &board in &boards {
                let number = numbering.number(&numbers, numbering.pack(board)).unwrap();
                assert!((number as usize) < numbers.len());
                all.insert(number);
                // What has a number in common is the same position.
                let form = board.canonical(size);
                assert_eq!(*canonical.entry(number).or_insert(form), form, "{board}");
                let place = numbers.places(0)(number as usize);
                let (code, symmetry) = numbering.canonical(place);
                assert_eq!(u64::from(code), form.code(size), "{board}");
                let Place { corners, rest } = place;
                let there = numbering.corners.boards[corners] | numbering.rests.boards[rest];
                let there = Layout::new(size).unpack(there);
                let symmetry = symmetries(size).nth(symmetry).unwrap();
                assert_eq!(symmetry.board(there, size), form, "{board}");
            }
            // Every number is some board's, and each position has one that stands for it.
            assert_eq!(all.count(), numbers.len(), "{size} {sum}");
            assert_eq!(numbering.len(sum) as usize, numbers.len());
            numbering.reduce(&numbers, &mut all);
            let mut forms: Vec<Board> = canonical.values().copied().collect();
            forms.sort_unstable();
            forms.dedup();
            assert_eq!(all.count(), forms.len(), "{size} {sum}");
            // What is told to one number is told to all of the position.
            let mut values = vec![f64::NAN; numbers.len()];
            all.each_of(0..numbers.len() as u32, |number| {
                values[number as usize] = canonical[&number].0 as f64;
            });
            numbering.spread(&numbers, &all, &mut values);
            for (number, form) in canonical {
                assert_eq!(values[number as usize], form.0 as f64);
            }
        }
    }

    #[test]
    fn numbers_are_dense_and_one_to_one_up_to_symmetry() {
        for (size, highest) in
            [("2x2", 5), ("2x3", 4), ("3x2", 4), ("2x4", 3), ("4x2", 2), ("3x3", 2)]
        {
            check(size.parse().unwrap(), highest);
        }
        assert!(Numbering::new(Size::FULL, 3).is_none());
    }

    #[test]
    fn tiles_too_large_have_no_number() {
        let size: Size = "2x3".parse().unwrap();
        let numbering = Numbering::new(size, 4).unwrap();
        let mut numbers = Numbers::default();
        numbering.number_layer(34, &mut numbers);
        for text in ["32,2,0/0,0,0", "2,32,0/0,0,0"] {
            let board = Board::parse(text, size).unwrap();
            assert_eq!(numbering.number(&numbers, numbering.pack(board)), None);
        }
    }
}
