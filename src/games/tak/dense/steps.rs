//! The moves of a shape, forward and back.
//!
//! Which slides there are depends on the heights alone, but for who owns the top of a stack and for walls
//! in the way: two masks. So does where they lead, but for the colours.

use super::mapping::{Mapping, PLACED, Rearranged, Stack};
use super::shapes::{Shape, Shapes};

/// A move of every arrangement of a shape, or a move taken back.
#[derive(Clone, Debug)]
pub struct Step {
    /// The shape that it leads to, by number; `None` if that fills the board.
    pub target: Option<usize>,
    /// That shape, if it fills the board.
    pub full: Option<Shape>,
    /// Where the stones go.
    pub mapping: Mapping,
    /// The bit of the top that must be the mover's, or the other's if it is taken back.
    pub top: u16,
    /// The stacks that must not have a wall.
    pub blocked: u16,
}

/// The squares from one on in some direction, up to the edge: what is added, and how many.
fn lines(edge: usize, square: usize) -> [(isize, usize); 4] {
    let (x, y) = (square % edge, square / edge);
    let up = edge as isize;
    [(up, edge - 1 - y), (1, edge - 1 - x), (-up, y), (-1, x)]
}

/// Visits every way to drop stones on the squares of a line: at least one on each, no more than are
/// carried or fit. `most` tells for each square of the line how many it may get; 0 ends the line.
fn drops(carry: usize, most: impl Fn(usize) -> usize, visit: &mut impl FnMut(&[u8])) {
    fn further(
        dropped: &mut Vec<u8>,
        carry: usize,
        most: &impl Fn(usize) -> usize,
        visit: &mut impl FnMut(&[u8]),
    ) {
        for count in 1..=carry.min(most(dropped.len())) {
            dropped.push(count as u8);
            visit(dropped);
            further(dropped, carry - count, most, visit);
            dropped.pop();
        }
    }
    further(&mut Vec::with_capacity(carry), carry, &most, visit);
}

/// Makes steps of one shape.
pub struct Steps<'a> {
    pub edge: usize,
    pub shape: &'a Shape,
    /// The shapes that they lead to.
    pub targets: &'a Shapes,
}

impl Steps<'_> {
    fn height(&self, square: usize) -> usize {
        usize::from(self.shape.heights[square])
    }

    /// Visits every slide.
    pub fn slides(&self, mut visit: impl FnMut(&Step)) {
        let same = Rearranged::new(self.shape);
        for &source in &self.shape.squares {
            let source = usize::from(source);
            for (step, room) in lines(self.edge, source) {
                let line = |passed: usize| source.wrapping_add_signed(step * (passed as isize + 1));
                let carry = self.edge.min(self.height(source));
                let most = |passed| if passed < room { carry } else { 0 };
                drops(carry, most, &mut |drops| {
                    let board = slid(&same, source, line, drops);
                    let passed = (0..drops.len()).map(line);
                    let step = Step {
                        top: self.top_bit(source),
                        blocked: self.walls(passed),
                        ..self.step(&board)
                    };
                    visit(&step);
                });
            }
        }
    }

    /// Visits every slide taken back that leads to a shape for which `target` has an answer, and that.
    pub fn slides_back<T>(
        &self,
        target: impl Fn(usize) -> Option<T>,
        mut visit: impl FnMut(&Step, T),
    ) {
        let same = Rearranged::new(self.shape);
        for source in 0..self.edge * self.edge {
            for (step, room) in lines(self.edge, source) {
                let line = |passed: usize| source.wrapping_add_signed(step * (passed as isize + 1));
                let most = |passed| if passed < room { self.height(line(passed)) } else { 0 };
                drops(self.edge, most, &mut |drops| {
                    // Where it leads is soon told; the rest takes longer.
                    let mut heights = self.shape.heights;
                    for (passed, count) in drops.iter().enumerate() {
                        heights[line(passed)] -= count;
                        heights[source] += count;
                    }
                    let found = self.targets.find(&heights);
                    let Some(target) = found.and_then(|(shape, _)| target(shape)) else { return };
                    let board = slid_back(&same, source, line, drops);
                    let last = drops.len() - 1;
                    let flat = (0..last).map(line).chain([source]);
                    let step = Step {
                        top: self.top_bit(line(last)),
                        blocked: self.walls(flat),
                        ..self.step(&board)
                    };
                    visit(&step, target);
                });
            }
        }
    }

    /// Visits the placing of a flat on every empty square, and the stack that it becomes, as a set. Those
    /// that fill the board are left out.
    pub fn placings(&self, mut visit: impl FnMut(&Step, u16)) {
        let same = Rearranged::new(self.shape);
        for square in (0..self.edge * self.edge).filter(|&square| self.height(square) == 0) {
            let mut board = same.clone();
            let mut stack = Stack::default();
            stack.put_below([PLACED]);
            board.set(square, stack);
            let Some((shape, symmetry)) = self.targets.find(&board.heights()) else { continue };
            let (target, image) =
                (&self.targets.list[shape], self.targets.symmetries.image(symmetry));
            let step = Step {
                target: Some(shape),
                full: None,
                mapping: board.mapping(self.shape, target, image),
                top: 0,
                blocked: 0,
            };
            visit(&step, 1 << target.stack(usize::from(image[square])));
        }
    }

    /// A step to this board.
    fn step(&self, board: &Rearranged) -> Step {
        let heights = board.heights();
        let (target, full, mapping) = match self.targets.find(&heights) {
            Some((shape, symmetry)) => {
                let image = self.targets.symmetries.image(symmetry);
                let mapping = board.mapping(self.shape, &self.targets.list[shape], image);
                (Some(shape), None, mapping)
            }
            None => {
                let full = Shape::new(heights);
                let mapping = board.mapping(self.shape, &full, self.targets.symmetries.image(0));
                (None, Some(full), mapping)
            }
        };
        Step { target, full, mapping, top: 0, blocked: 0 }
    }

    fn top_bit(&self, square: usize) -> u16 {
        1 << self.shape.tops[self.shape.stack(square)]
    }

    /// The stacks on some squares, as far as there are any.
    fn walls(&self, squares: impl Iterator<Item = usize>) -> u16 {
        let stacks = squares.filter(|&square| self.height(square) > 0);
        stacks.fold(0, |set, square| set | 1 << self.shape.stack(square))
    }
}

/// A board after a slide.
fn slid(
    same: &Rearranged,
    source: usize,
    line: impl Fn(usize) -> usize,
    drops: &[u8],
) -> Rearranged {
    let mut board = same.clone();
    let from = *same.stack(source);
    let carried: usize = drops.iter().map(|&count| usize::from(count)).sum();
    let (mut hand, left) = from.bits().split_at(carried);
    let mut stack = Stack::default();
    stack.put_below(left.iter().copied());
    board.set(source, stack);
    for (passed, &count) in drops.iter().enumerate() {
        // The lowest stones in the hand fall first.
        let (rest, dropped) = hand.split_at(hand.len() - usize::from(count));
        hand = rest;
        let mut stack = Stack::default();
        stack.put_below(dropped.iter().copied());
        stack.put_below(same.stack(line(passed)).bits().iter().copied());
        board.set(line(passed), stack);
    }
    board.move_wall(same, source, line(drops.len() - 1));
    board
}

/// A board from which a slide leads to this one.
fn slid_back(
    same: &Rearranged,
    source: usize,
    line: impl Fn(usize) -> usize,
    drops: &[u8],
) -> Rearranged {
    let mut board = same.clone();
    let mut whole = Stack::default();
    for (passed, &count) in drops.iter().enumerate().rev() {
        let (taken, left) = same.stack(line(passed)).bits().split_at(usize::from(count));
        whole.put_below(taken.iter().copied());
        let mut stack = Stack::default();
        stack.put_below(left.iter().copied());
        board.set(line(passed), stack);
    }
    whole.put_below(same.stack(source).bits().iter().copied());
    board.set(source, whole);
    board.move_wall(same, line(drops.len() - 1), source);
    board
}
