//! The numbers of positions.
//!
//! A position with n stones on the board, w of them the mover's, is a shape, the colours of the stones,
//! and which tops are walls. Its number, in a layer of all positions with n stones, is
//!
//! ```text
//! start of the block w + C(n, w) * start of the shape + (rank of the colours << stacks | walls)
//! ```
//!
//! where the shape is taken up to symmetry, the start of a shape is the sum of 2^stacks of the shapes
//! before it, and the rank is among all n-bit numbers with w ones. So shapes, blocks and layers need a
//! sum each, and everything else is looked up. A shape with symmetries of its own gives a position several
//! numbers: the smallest is meant. The others are not used, and neither are those of boards with a road.

use std::ops::RangeInclusive;

use super::arrangement::Arrangement;
use super::mapping::{Mapping, own_mappings};
use super::shapes::{Heights, MOST_SQUARES, Shape, Shapes, binomial};
use crate::games::tak::{Board, Grid, Komi, Reserve, Rules, Size, is_road};

/// The numbering of a layer: all positions with as many stones on the board.
#[derive(Debug)]
pub struct Numbering {
    /// Squares an edge.
    pub(super) edge: usize,
    /// The flats that each player has.
    pub(super) flats: usize,
    /// How many stones are on the board.
    pub(super) stones: usize,
    pub(super) shapes: Shapes,
    /// By the mover's stones: the colours with so many ones, ascending.
    patterns: Vec<Vec<u16>>,
    /// The place of colours among those.
    ranks: Vec<u16>,
    /// How many stones are the mover's.
    blocks: RangeInclusive<usize>,
    /// By shape, the symmetries that it has itself.
    own: Vec<Vec<Mapping>>,
    /// By the mover's stones: where the block begins, or would.
    block_starts: Vec<u64>,
}

impl Numbering {
    /// The numbering of positions with so many stones on the board.
    pub(in crate::games::tak) fn new(edge: usize, flats: usize, stones: usize) -> Self {
        let shapes = Shapes::new(edge, stones);
        let mut patterns = vec![Vec::new(); stones + 1];
        let mut ranks = Vec::with_capacity(1 << stones);
        for colours in 0..1_u32 << stones {
            let some: &mut Vec<u16> = &mut patterns[colours.count_ones() as usize];
            ranks.push(some.len() as u16);
            some.push(colours as u16);
        }
        let own = (0..shapes.list.len()).map(|shape| own_mappings(&shapes, shape)).collect();
        let most = flats - 1;
        let blocks = stones.saturating_sub(most).max(1)..=(stones - 1).min(most);
        let mut block_starts = vec![0];
        for own in 0..=stones {
            let numbers = if blocks.contains(&own) { binomial(stones, own) } else { 0 };
            block_starts.push(block_starts[own] + numbers * shapes.total());
        }
        Self { edge, flats, stones, shapes, patterns, ranks, own, blocks, block_starts }
    }

    /// The blocks of the layer: how many stones are the mover's. Both players have at least one on the
    /// board and one in reserve.
    pub(super) fn blocks(&self) -> RangeInclusive<usize> {
        self.blocks.clone()
    }

    /// Squares an edge.
    #[must_use]
    pub fn edge(&self) -> usize {
        self.edge
    }

    /// How many numbers there are.
    #[must_use]
    pub fn numbers(&self) -> u64 {
        self.block_start(self.blocks().end() + 1)
    }

    /// Where the block begins in which so many stones are the mover's.
    pub(super) fn block_start(&self, own: usize) -> u64 {
        self.block_starts[own]
    }

    /// Where a shape begins in a block.
    pub(super) fn shape_start(&self, own: usize, shape: usize) -> u64 {
        self.block_start(own) + self.patterns[own].len() as u64 * self.shapes.starts[shape]
    }

    /// All colours of which so many are the mover's, in the order of their ranks.
    pub(super) fn patterns(&self, own: usize) -> &[u16] {
        &self.patterns[own]
    }

    /// The place of colours in that order.
    #[inline]
    pub(super) fn rank(&self, colours: u16) -> u64 {
        self.ranks[usize::from(colours)].into()
    }

    /// The symmetries that a shape has itself, but for the first.
    pub(super) fn own(&self, shape: usize) -> &[Mapping] {
        &self.own[shape]
    }

    /// The number of an arrangement of a shape, inside the shape.
    #[inline]
    pub(super) fn inside(&self, stacks: u32, colours: u16, walls: u16) -> u64 {
        self.rank(colours) << stacks | u64::from(walls)
    }

    /// The smallest number of all images of an arrangement of a shape, inside the shape, and how many
    /// symmetries leave it as it is.
    pub(super) fn smallest(&self, shape: usize, colours: u16, walls: u16) -> (u64, u8) {
        let stacks = self.shapes.list[shape].stacks();
        let this = self.inside(stacks, colours, walls);
        let (mut smallest, mut same) = (this, 1);
        for own in &self.own[shape] {
            let image = self.inside(stacks, own.colours(colours), own.walls(walls));
            smallest = smallest.min(image);
            same += u8::from(image == this);
        }
        (smallest, same)
    }

    /// The position of a number, with White to move; `None` if no position has it, or the size is another.
    #[must_use]
    pub fn board<S: Size>(&self, number: u64) -> Option<Board<S>> {
        let arrangement = self.arrangement(number).filter(|it| self.is_position(it))?;
        let reserve = Reserve { flats: self.flats as u8, caps: 0 };
        let rules = Rules { reserve, komi: Komi::ZERO };
        (S::N == self.edge).then(|| arrangement.board(rules))?
    }

    /// The number of an arrangement of the layer's stones. `None` if it fills the board, or the stones of a
    /// player are more or fewer than the layer has.
    #[must_use]
    pub fn number(&self, arrangement: &Arrangement) -> Option<u64> {
        let Arrangement { heights, colours, walls } = arrangement;
        let own = colours.count_ones() as usize;
        let stones: usize = heights.iter().map(|&height| usize::from(height)).sum();
        if stones != self.stones || !self.blocks.contains(&own) {
            return None;
        }
        let (shape, symmetry) = self.shapes.find(heights)?;
        let image = self.shapes.symmetries.image(symmetry);
        let (colours, walls) = self.turned(heights, *colours, *walls, shape, image);
        Some(self.shape_start(own, shape) + self.smallest(shape, colours, walls).0)
    }

    /// Colours and walls as they are on a shape to which a symmetry leads.
    fn turned(
        &self,
        heights: &Heights,
        colours: u16,
        walls: u16,
        shape: usize,
        image: &[u8],
    ) -> (u16, u16) {
        let shape = &self.shapes.list[shape];
        let (mut to_colours, mut to_walls, mut bit, mut from) = (0, 0, 0, 0);
        for (&height, &to) in heights.iter().zip(image) {
            if height == 0 {
                continue;
            }
            let stack = shape.stack(usize::from(to));
            let stones = colours >> bit & ((1 << height) - 1);
            to_colours |= stones << shape.tops[stack];
            to_walls |= (walls >> from & 1) << stack;
            bit += height;
            from += 1;
        }
        (to_colours, to_walls)
    }

    /// The arrangement of a number, in the form of its shape; `None` if there is no such number. Whether it
    /// is a position shows [`is_position`](Self::is_position).
    pub(in crate::games::tak) fn arrangement(&self, number: u64) -> Option<Arrangement> {
        if number >= self.numbers() {
            return None;
        }
        let own = self.blocks().rev().find(|&own| self.block_start(own) <= number)?;
        let inside = number - self.block_start(own);
        let each = binomial(self.stones, own);
        let shape = self.shapes.starts.partition_point(|start| start * each <= inside) - 1;
        let inside = inside - self.shapes.starts[shape] * each;
        let shape = &self.shapes.list[shape];
        let stacks = shape.stacks();
        Some(Arrangement {
            heights: shape.heights,
            colours: self.patterns(own)[(inside >> stacks) as usize],
            walls: inside as u16 & ((1 << stacks) - 1),
        })
    }

    /// Whether an arrangement in the form of its shape is a position: nobody has a road, and no other of its
    /// images is meant.
    pub(in crate::games::tak) fn is_position(&self, arrangement: &Arrangement) -> bool {
        let Arrangement { heights, colours, walls } = *arrangement;
        let Some((shape, 0)) = self.shapes.find(&heights) else { return false };
        let form = &self.shapes.list[shape];
        let [mover, other] = flats(form, colours, walls);
        !self.is_road(mover)
            && !self.is_road(other)
            && self.smallest(shape, colours, walls).0 == self.inside(form.stacks(), colours, walls)
    }

    /// Whether a set of squares joins two opposite edges.
    pub(super) fn is_road(&self, squares: u64) -> bool {
        match self.edge {
            3 => is_road::<Grid<3>>(squares),
            4 => is_road::<Grid<4>>(squares),
            _ => is_road::<Grid<5>>(squares),
        }
    }
}

const _: () = assert!(MOST_SQUARES == 25, "the largest board is 5x5");

/// The squares with a flat on top: those of the mover, and the other's.
pub(super) fn flats(shape: &Shape, colours: u16, walls: u16) -> [u64; 2] {
    let own = shape.colours_on_top(colours);
    let all = (1 << shape.stacks()) - 1;
    [own, !own & all].map(|tops| shape.spread(tops & !walls))
}
