//! Where the stones of a shape go by a move, a move taken back or a symmetry: the same for all colours of
//! the stones, so that a few look-ups move a whole board.

use super::shapes::{Heights, MOST_SQUARES, MOST_STACKS, MOST_STONES, Shape, Shapes};

/// A stack: the bits of its stones, the top first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stack {
    bits: [u8; MOST_STONES],
    height: u8,
}

impl Stack {
    pub fn bits(&self) -> &[u8] {
        &self.bits[..usize::from(self.height)]
    }

    /// Puts stones below the others, the highest first.
    pub fn put_below(&mut self, bits: impl IntoIterator<Item = u8>) {
        for bit in bits {
            self.bits[usize::from(self.height)] = bit;
            self.height += 1;
        }
    }
}

/// The bit of a stone that is placed.
pub const PLACED: u8 = MOST_STONES as u8;
/// Marks a stack whose wall, if it has one, is not kept.
const NOWHERE: u8 = MOST_STACKS as u8 + 1;

/// A board in the making: stacks of stones of a shape on the squares, and where its walls go.
#[derive(Clone, Debug)]
pub struct Rearranged {
    stacks: [Stack; MOST_SQUARES],
    /// For each square the stack of the shape whose wall stands there.
    walls: [u8; MOST_SQUARES],
}

impl Rearranged {
    /// The shape as it is.
    pub fn new(shape: &Shape) -> Self {
        let mut same =
            Self { stacks: [Stack::default(); MOST_SQUARES], walls: [NOWHERE; MOST_SQUARES] };
        for (stack, (&square, &top)) in (0..).zip(shape.squares.iter().zip(&shape.tops)) {
            let square = usize::from(square);
            same.stacks[square].put_below(top..top + shape.heights[square]);
            same.walls[square] = stack;
        }
        same
    }

    pub fn stack(&self, square: usize) -> &Stack {
        &self.stacks[square]
    }

    /// Replaces a stack. It has no wall.
    pub fn set(&mut self, square: usize, stack: Stack) {
        self.stacks[square] = stack;
        self.walls[square] = NOWHERE;
    }

    /// Lets the wall that a square has on another board stand on this square.
    pub fn move_wall(&mut self, from: &Self, source: usize, square: usize) {
        self.walls[square] = from.walls[source];
    }

    pub fn heights(&self) -> Heights {
        self.stacks.map(|stack| stack.height)
    }

    /// Where stones and walls go, if the squares of this board become those of a shape by a symmetry.
    pub fn mapping(&self, shape: &Shape, target: &Shape, image: &[u8]) -> Mapping {
        let (mut stones, mut walls) = ([0; MOST_STONES + 1], [0; NOWHERE as usize + 1]);
        for (square, &to) in image.iter().enumerate() {
            if self.stacks[square].height == 0 {
                continue;
            }
            let stack = target.stack(usize::from(to));
            for (to, &from) in (target.tops[stack]..).zip(self.stacks[square].bits()) {
                stones[usize::from(from)] = 1 << to;
            }
            walls[usize::from(self.walls[square])] = 1 << stack;
        }
        let count: usize = shape.heights.iter().map(|&height| usize::from(height)).sum();
        Mapping {
            low: subset_sums(&stones[..count.min(HALF)]),
            high: subset_sums(stones.get(HALF..count).unwrap_or(&[])),
            walls: subset_sums(&walls[..shape.squares.len()]),
            placed: stones[usize::from(PLACED)],
        }
    }
}

/// Colours are looked up in two halves of at most so many bits.
const HALF: usize = MOST_STONES / 2;

/// Where stones and walls go.
#[derive(Clone, Debug)]
pub struct Mapping {
    low: [u16; 1 << HALF],
    high: [u16; 1 << HALF],
    walls: [u16; 1 << MOST_STACKS],
    /// The bit of the stone that is placed, if one is.
    placed: u16,
}

impl Mapping {
    /// The colours of the stones where they go; that of a placed one is the mover's.
    #[inline]
    pub fn colours(&self, colours: u16) -> u16 {
        let colours = usize::from(colours);
        self.low[colours & ((1 << HALF) - 1)] | self.high[colours >> HALF] | self.placed
    }

    /// The walls where they go.
    #[inline]
    pub fn walls(&self, walls: u16) -> u16 {
        self.walls[usize::from(walls) & ((1 << MOST_STACKS) - 1)]
    }
}

/// The sums of all sets of some numbers, each at the place that the set has as a number.
fn subset_sums<const N: usize>(numbers: &[u16]) -> [u16; N] {
    let mut sums = [0; N];
    for set in 1..(1 << numbers.len()).min(N) {
        sums[set] = sums[set & (set - 1)] | numbers[set.trailing_zeros() as usize];
    }
    sums
}

/// The symmetries that a shape has itself, but for the first.
pub fn own_mappings(shapes: &Shapes, shape: usize) -> Vec<Mapping> {
    let it = &shapes.list[shape];
    let same = Rearranged::new(it);
    let own = shapes.own[shape].iter();
    own.map(|&symmetry| same.mapping(it, it, shapes.symmetries.image(usize::from(symmetry))))
        .collect()
}
