//! Shapes: how many stones lie on each square, up to the symmetries of the board.

use std::cmp::Ordering;

/// The most squares of a board that has tables.
pub const MOST_SQUARES: usize = 25;
/// The most stones on a board that has tables.
pub const MOST_STONES: usize = 14;
/// The most squares with stones, when the game is not over.
pub const MOST_STACKS: usize = 8;
/// How many symmetries a board has.
pub const SYMMETRIES: usize = 8;

/// How many stones lie on each square; 0 behind the last square of the board.
pub type Heights = [u8; MOST_SQUARES];

/// How many stones lie on each square, and where each of them is in a row of bits: the stacks by ascending
/// square, each from its top down, from the lowest bit on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The stones on each square.
    pub heights: Heights,
    /// The squares with stones, ascending.
    pub squares: Vec<u8>,
    /// For each of these the bit of its top.
    pub tops: Vec<u8>,
}

impl Shape {
    pub fn new(heights: Heights) -> Self {
        let (mut squares, mut tops, mut bit) = (Vec::new(), Vec::new(), 0);
        for (square, &height) in (0..).zip(&heights) {
            if height > 0 {
                squares.push(square);
                tops.push(bit);
                bit += height;
            }
        }
        Self { heights, squares, tops }
    }

    /// How many squares have stones.
    pub fn stacks(&self) -> u32 {
        self.squares.len() as u32
    }

    /// The stack on a square with stones: its place among all of them.
    pub fn stack(&self, square: usize) -> usize {
        self.squares.partition_point(|&it| usize::from(it) < square)
    }

    /// Which stacks have a bit of these colours on top, a bit a stack.
    pub fn colours_on_top(&self, colours: u16) -> u16 {
        (0..).zip(&self.tops).fold(0, |set, (stack, top)| set | (colours >> top & 1) << stack)
    }

    /// A set of stacks as a set of squares.
    pub fn spread(&self, stacks: u16) -> u64 {
        (0..)
            .zip(&self.squares)
            .fold(0, |set, (stack, square)| set | u64::from(stacks >> stack & 1) << square)
    }
}

/// A board's symmetries, as the square that each square becomes: the transpositions of files and ranks
/// in bit 2, the reflections of ranks in bit 1 and of files in bit 0, which come first.
#[derive(Clone, Debug)]
pub struct Symmetries {
    images: [[u8; MOST_SQUARES]; SYMMETRIES],
    squares: usize,
}

impl Symmetries {
    fn new(edge: usize) -> Self {
        let image = |symmetry: usize, square: usize| {
            let (mut x, mut y) = (square % edge, square / edge);
            if symmetry & 1 != 0 {
                x = edge - 1 - x;
            }
            if symmetry & 2 != 0 {
                y = edge - 1 - y;
            }
            if symmetry & 4 != 0 {
                (x, y) = (y, x);
            }
            (edge * y + x) as u8
        };
        let squares = edge * edge;
        let mut images = [[0; MOST_SQUARES]; SYMMETRIES];
        for (symmetry, images) in images.iter_mut().enumerate() {
            for (square, to) in images[..squares].iter_mut().enumerate() {
                *to = image(symmetry, square);
            }
        }
        Self { images, squares }
    }

    /// The square that each square becomes.
    pub fn image(&self, symmetry: usize) -> &[u8] {
        &self.images[symmetry][..self.squares]
    }

    fn apply(&self, symmetry: usize, heights: &Heights) -> Heights {
        let mut to = [0; MOST_SQUARES];
        for (&image, &height) in self.image(symmetry).iter().zip(heights) {
            to[usize::from(image)] = height;
        }
        to
    }
}

/// The shapes of so many stones, up to symmetry and without those that fill the board. Of the images of a
/// shape the one is meant whose row of heights is the smallest, from the first square on; the shapes
/// come in the order of these rows.
#[derive(Clone, Debug)]
pub struct Shapes {
    pub symmetries: Symmetries,
    pub list: Vec<Shape>,
    /// Before each shape, and behind the last: the sum of 2 to the stacks of those before it.
    pub starts: Vec<u64>,
    /// The symmetries, but for the first, that each shape has itself.
    pub own: Vec<Vec<u8>>,
    /// For every row of heights, by its rank: the shape, and above it the symmetry that leads there.
    found: Vec<u32>,
    /// `below[square][stones][height]`: how many rows have fewer than `height` stones on this square, of
    /// so many on it and behind it.
    below: Vec<[[u32; MOST_STONES + 2]; MOST_STONES + 1]>,
}

const FULL: u32 = u32::MAX;
const SYMMETRY_SHIFT: u32 = 29;

impl Shapes {
    pub fn new(edge: usize, stones: usize) -> Self {
        let mut shapes = Self {
            symmetries: Symmetries::new(edge),
            list: Vec::new(),
            starts: vec![0],
            own: Vec::new(),
            found: Vec::new(),
            below: rows_below(edge * edge, stones),
        };
        let mut heights = [0; MOST_SQUARES];
        shapes.add_from(&mut heights, 0, stones);
        shapes
    }

    /// Adds the rows that continue one from a square on, in ascending order.
    fn add_from(&mut self, heights: &mut Heights, square: usize, stones: usize) {
        if square + 1 == self.symmetries.squares {
            heights[square] = stones as u8;
            return self.add(heights);
        }
        for height in 0..=stones {
            heights[square] = height as u8;
            self.add_from(heights, square + 1, stones - height);
        }
        heights[square] = 0;
    }

    fn add(&mut self, heights: &Heights) {
        let squares = self.symmetries.squares;
        if heights[..squares].iter().all(|&height| height > 0) {
            self.found.push(FULL);
            return;
        }
        let (mut least, mut by, mut own) = (*heights, 0, Vec::new());
        for symmetry in 1..SYMMETRIES {
            let image = self.symmetries.apply(symmetry, heights);
            match image.cmp(&least) {
                Ordering::Less => (least, by) = (image, symmetry),
                Ordering::Equal if by == 0 => own.push(symmetry as u8),
                _ => {}
            }
        }
        if by != 0 {
            // It came before.
            let shape = self.found[self.rank(&least)];
            self.found.push(shape | (by as u32) << SYMMETRY_SHIFT);
            return;
        }
        let shape = Shape::new(least);
        self.found.push(self.list.len() as u32);
        self.starts.push(self.starts[self.list.len()] + (1 << shape.stacks()));
        self.list.push(shape);
        self.own.push(own);
    }

    /// How many rows come before one.
    fn rank(&self, heights: &Heights) -> usize {
        let squares = self.symmetries.squares;
        let mut left: usize = heights[..squares].iter().map(|&height| usize::from(height)).sum();
        let mut rank = 0;
        for (&height, below) in heights[..squares].iter().zip(&self.below) {
            rank += below[left][usize::from(height)];
            left -= usize::from(height);
        }
        rank as usize
    }

    /// The shape of these heights and the symmetry that leads there; `None` if they fill the board. They
    /// have as many stones as the shapes.
    pub fn find(&self, heights: &Heights) -> Option<(usize, usize)> {
        let found = self.found[self.rank(heights)];
        let shape = found & ((1 << SYMMETRY_SHIFT) - 1);
        (found != FULL).then_some((shape as usize, (found >> SYMMETRY_SHIFT) as usize))
    }

    /// The sum of 2 to the stacks of all shapes.
    pub fn total(&self) -> u64 {
        self.starts[self.list.len()]
    }
}

/// How many rows of so many squares have so many stones.
fn rows(squares: usize, stones: usize) -> u32 {
    match squares {
        0 => u32::from(stones == 0),
        _ => binomial(stones + squares - 1, squares - 1) as u32,
    }
}

/// For up to so many stones. With the most there are, boards of more squares have more rows than can be
/// counted here.
fn rows_below(squares: usize, most: usize) -> Vec<[[u32; MOST_STONES + 2]; MOST_STONES + 1]> {
    let mut below = vec![[[0; MOST_STONES + 2]; MOST_STONES + 1]; squares];
    for (square, below) in below.iter_mut().enumerate() {
        for (stones, below) in below.iter_mut().enumerate().take(most + 1) {
            for height in 0..=stones {
                below[height + 1] = below[height] + rows(squares - square - 1, stones - height);
            }
        }
    }
    below
}

/// How many sets of `k` there are among `n`.
pub const fn binomial(n: usize, k: usize) -> u64 {
    let (mut product, mut i) = (1, 0);
    while i < k {
        product = product * (n - i) as u64 / (i + 1) as u64;
        i += 1;
    }
    product
}
