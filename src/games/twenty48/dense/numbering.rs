//! Dense numbers for the boards of one sum.
//!
//! The boards of a layer are numbered 0, 1, 2, …, so that a set of boards is a row of bits and their
//! values are an array: nothing is hashed, and nothing is brought to canonical form before it is
//! looked up. The cells are cut into two parts of about the same size that every symmetry maps to
//! themselves. What stands on a part is a number, its *content*: the exponents of the cells as digits.
//! The first part alone chooses how a board is turned: the way that makes its content the smallest of
//! its images, which stand together as a *class*. With the sum given, a class leaves a sum for the
//! second part, and the contents of that sum follow each other:
//!
//! ```text
//! number(board) = starts[first] + ranks[second][turns[first]]
//! ```
//!
//! `turns` and `ranks` are the same for all layers; `starts` is made anew for each, by adding up how
//! many contents of the second part every class goes with.
//!
//! A first part that is symmetric itself can be turned in more than one way, so that a position may
//! have several numbers there, all in its class. The smallest of them stands for it
//! ([`Numbering::reduce`]), and what is known of it is told to the others ([`Numbering::spread`]).
//!
//! Contents that no game can show are left out: they hold more large tiles than the cells can have
//! built. Both parts together may still be impossible; such a board has a number, and nobody asks for
//! it. Where the large tiles of a pattern may stand on several masks, every mask that is not the
//! image of another is a *frame* with numbers of its own, and the frames of a layer follow each other.

use std::mem;
use std::ops::Range;

use rayon::prelude::*;

use super::super::pattern::LARGE;
use super::super::{Board, Direction, Size, Symmetry};
use super::bits::Bits;
use super::shape::{Cells, Shape, image, image_of_cell};

/// How many symmetric classes a thread takes at a time.
const CLASSES: usize = 64;

/// Marks a content that no game shows.
const NO_CLASS: u32 = u32::MAX;

/// What does not depend on the layer.
pub struct Numbering {
    shape: Shape,
    base: u32,
    frames: Vec<Frame>,
    /// For each mask, how its boards are seen by the frame that stands for it.
    views: Vec<FrameView>,
    /// By half a sum, how many numbers its layer has.
    lengths: Vec<u64>,
    /// For each symmetry the direction whose image is up, right, down, left.
    pub directions: Vec<[u8; 4]>,
}

/// How the boards of a mask are seen by a frame: which one, and what the digits of each cell count
/// there.
pub struct FrameView {
    pub frame: usize,
    pub weights: [Contents; 16],
}

/// The boards of a mask.
pub struct Frame {
    mask: Cells,
    /// What a digit of each cell counts in the content of its part.
    weights: [Contents; 16],
    /// What a digit of each cell of either part counts, in the order of the cells.
    pub part_weights: [Vec<u32>; 2],
    /// By content of the first part: its class.
    classes: Vec<u32>,
    /// By content of the first part: which symmetry leads to its class.
    turns: Vec<u8>,
    /// The classes, by sum.
    pub first: Vec<Content>,
    /// Half a sum gives the first of its classes.
    class_groups: Vec<u32>,
    /// The classes that more than one symmetry leaves as they are, with those.
    symmetric: Vec<(u32, Vec<usize>)>,
    /// The contents of the second part, by sum.
    pub second: Vec<Content>,
    /// Half a sum gives the first of its contents.
    groups: Vec<u32>,
    /// For each symmetry and by content of the second part: one more than the rank of its image among
    /// the contents of the same sum; 0 for a content that no game shows.
    ranks: Vec<u16>,
    /// How many contents the second part has, possible or not.
    seconds: usize,
    /// How many symmetries leave the mask as it is.
    symmetries: usize,
    /// The codes of the images of the classes and of the contents of the second part, which add up to
    /// that of the board, if it is a small one.
    codes: [Vec<u64>; 2],
}

/// The contents of both parts of a board, or what a digit of a cell counts in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    pub first: u32,
    pub second: u32,
}

/// What stands on the cells of a part.
#[derive(Clone, Copy, Default)]
pub struct Content {
    /// The contents of the lines, 16 bits each: of all rows, and of all columns.
    pub rows: u64,
    pub columns: u64,
    /// All digits as one number.
    pub number: u32,
    /// Half the sum of the tiles.
    half: u16,
    /// Which of the part's cells are empty, in their order.
    pub empty: u16,
}

/// The numbers of one layer.
#[derive(Default)]
pub struct Numbers {
    half: u32,
    length: usize,
    frames: Vec<FrameNumbers>,
}

/// The numbers of one frame in a layer.
#[derive(Default)]
struct FrameNumbers {
    /// Where each class begins, and where the last one ends.
    classes: Vec<u32>,
    /// The first content of the second part that goes with each class.
    firsts: Vec<u32>,
    /// By content of the first part, one less than where its class begins.
    starts: Vec<u32>,
}

/// The parts of a board, as places in the lists of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub frame: usize,
    pub first: usize,
    pub second: usize,
}

impl Numbering {
    /// The most cells with small tiles.
    const MOST_CELLS: u8 = 12;
    /// The most contents of a part, possible or not: a file from a stranger may name any pattern.
    const MOST_CONTENTS: u32 = 1 << 21;
    /// The most numbers of a layer.
    const MOST_NUMBERS: u64 = 1 << 31;

    /// Numbers the boards whose exponents are below `base`; `None` if they are too many.
    pub fn new(shape: Shape, base: u8) -> Option<Self> {
        if shape.free() > Self::MOST_CELLS {
            return None;
        }
        let size = shape.size();
        let mut frames: Vec<Frame> = Vec::new();
        let mut views = Vec::new();
        for &mask in shape.masks() {
            let turned_to = |frame: &Frame| {
                let mut symmetries = shape.symmetries().iter().copied();
                symmetries.find(|&it| image(it, mask, size) == frame.mask)
            };
            let known = frames.iter().enumerate();
            let known = known.filter_map(|(place, frame)| Some((place, turned_to(frame)?))).next();
            let (frame, turned) = match known {
                Some(known) => known,
                None => {
                    frames.push(Frame::new(&shape, mask, base.into())?);
                    (frames.len() - 1, shape.symmetries()[0])
                }
            };
            let mut weights = [Contents::default(); 16];
            for cell in shape.free_cells(mask) {
                let turned = image_of_cell(turned, cell, size);
                weights[usize::from(cell)] = frames[frame].weights[usize::from(turned)];
            }
            views.push(FrameView { frame, weights });
        }
        let mut lengths = Vec::new();
        for frame in &frames {
            let some = frame.lengths();
            lengths.resize(lengths.len().max(some.len()), 0);
            lengths.iter_mut().zip(some).for_each(|(all, some)| *all += some);
        }
        let before = |it: &Symmetry| Direction::ALL.map(|image| it.direction_before(image) as u8);
        let directions = shape.symmetries().iter().map(before).collect();
        let numbering = Self { shape, base: base.into(), frames, views, lengths, directions };
        (numbering.most() < Self::MOST_NUMBERS).then_some(numbering)
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// One more than the largest exponent.
    pub fn base(&self) -> u32 {
        self.base
    }

    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// How the boards of each mask are seen.
    pub fn views(&self) -> &[FrameView] {
        &self.views
    }

    /// How many boards have a number in each layer, by half its sum.
    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// How many have one in the largest layer.
    pub fn most(&self) -> u64 {
        self.lengths.iter().copied().max().unwrap_or(0)
    }

    /// Bytes of memory that all this takes, with the numbers of so many layers.
    pub fn bytes(&self, layers: usize) -> u64 {
        self.frames.iter().map(|frame| frame.bytes(layers) as u64).sum()
    }

    /// Numbers the layer with this sum.
    pub fn number_layer(&self, sum: u32, numbers: &mut Numbers) {
        numbers.half = sum / 2;
        numbers.frames.resize_with(self.frames.len(), FrameNumbers::default);
        let mut next = 0;
        for (frame, numbers) in self.frames.iter().zip(&mut numbers.frames) {
            next = frame.number_layer(sum / 2, next, numbers);
        }
        numbers.length = next as usize;
    }

    /// The number of a board that a frame sees so, whose sum is the layer's.
    #[inline(always)]
    pub fn number(&self, numbers: &Numbers, frame: usize, contents: Contents) -> u32 {
        let start = numbers.frames[frame].starts[contents.first as usize];
        let frame = &self.frames[frame];
        let turn = if frame.symmetries == 1 { 0 } else { frame.turns[contents.first as usize] };
        start.wrapping_add(frame.rank(contents.second, turn.into()))
    }

    /// Where the numbers of boards with a content begin, less one, and the symmetry to rank the
    /// second part with.
    #[inline]
    pub fn start(&self, numbers: &Numbers, frame: usize, first: u32) -> (u32, usize) {
        let start = numbers.frames[frame].starts[first as usize];
        (start, usize::from(self.frames[frame].turns[first as usize]))
    }

    /// The smallest number in its layer of any board that somebody names; `None` if it has none, or is
    /// not of the layer.
    pub fn number_of(&self, numbers: &Numbers, board: Board) -> Option<u32> {
        let (place, contents) = self.contents(board)?;
        let frame = &self.frames[place];
        let class = frame.class_of(contents)?;
        let (first, second) =
            (half_of(contents.first, self.base), half_of(contents.second, self.base));
        if first + second != numbers.half {
            return None;
        }
        let rank = frame.smallest_rank(class, frame.turned(contents, second));
        Some(numbers.frames[place].classes[class as usize] + rank - 1)
    }

    /// The same without the numbers of the layer, which are only counted as far as need be.
    pub fn sum_and_number(&self, board: Board) -> Option<(u32, u64)> {
        let (place, contents) = self.contents(board)?;
        let frame = &self.frames[place];
        let class = frame.class_of(contents)?;
        let (first, second) =
            (half_of(contents.first, self.base), half_of(contents.second, self.base));
        let rank = frame.smallest_rank(class, frame.turned(contents, second));
        let before: u64 =
            self.frames[..place].iter().map(|it| it.before(u32::MAX, first + second)).sum();
        let start = frame.start_of(class, first, first + second);
        Some((2 * (first + second), before + start + u64::from(rank) - 1))
    }

    /// The board with a number in the layer of a sum; `None` if there is none.
    pub fn board_of(&self, sum: u32, number: u64) -> Option<Board> {
        let mut number = number;
        for (place, frame) in self.frames.iter().enumerate() {
            let length = frame.before(u32::MAX, sum / 2);
            if number < length {
                let (first, second) = frame.place_of(sum / 2, number)?;
                return Some(self.board(Place { frame: place, first, second }));
            }
            number -= length;
        }
        None
    }

    /// The frame that sees a board, and how; `None` if no mask holds its large tiles, or a tile is too
    /// large.
    pub fn contents(&self, board: Board) -> Option<(usize, Contents)> {
        let mask = self.shape.mask_of(board)?;
        let FrameView { frame, weights } = &self.views[mask];
        let mut contents = Contents::default();
        let free = !self.shape.masks()[mask];
        for (cell, weight) in weights.iter().enumerate().filter(|(cell, _)| free >> cell & 1 == 1) {
            let digit = (board.0 >> (4 * cell) & 15) as u32;
            if digit >= self.base {
                return None;
            }
            contents.first += digit * weight.first;
            contents.second += digit * weight.second;
        }
        Some((*frame, contents))
    }

    /// The board at a place.
    pub fn board(&self, place: Place) -> Board {
        let frame = &self.frames[place.frame];
        let (first, second) = (frame.first[place.first].number, frame.second[place.second].number);
        let tile = |cell: usize| match frame.weights[cell] {
            _ if frame.mask >> cell & 1 == 1 => LARGE.into(),
            Contents { first: 0, second: 0 } => 0,
            Contents { first: 0, second: weight } => u64::from(second / weight % self.base),
            Contents { first: weight, .. } => u64::from(first / weight % self.base),
        };
        Board((0..16).fold(0, |board, cell| board | tile(cell) << (4 * cell)))
    }

    /// The smallest code of a small board's images, and the first symmetry that gives it.
    #[inline]
    pub fn canonical(&self, place: Place) -> (u64, usize) {
        let Frame { symmetries, codes: [first, second], .. } = &self.frames[0];
        let first = &first[place.first * symmetries..][..*symmetries];
        let second = &second[place.second * symmetries..][..*symmetries];
        // Code and symmetry as one number: the smallest of all, without a chain of waits.
        let image = |symmetry: usize| (first[symmetry] + second[symmetry]) << 3 | symmetry as u64;
        let two = |symmetry: usize| image(symmetry).min(image(symmetry + 1));
        let four = |symmetry: usize| two(symmetry).min(two(symmetry + 2));
        let smallest = if *symmetries == 8 { four(0).min(four(4)) } else { four(0) };
        (smallest >> 3, smallest as usize & 7)
    }

    /// Leaves of each position one number in a set.
    pub fn reduce(&self, numbers: &Numbers, set: &mut Bits) {
        for (frame, numbers) in self.frames.iter().zip(&numbers.frames) {
            let classes = frame.symmetric.par_chunks(CLASSES);
            let others = classes.map(|classes| {
                let mut others = Vec::new();
                for &(class, ref turns) in classes {
                    let start = numbers.classes[class as usize];
                    let seconds = &frame.second[numbers.firsts[class as usize] as usize..];
                    set.each_of(start..numbers.classes[class as usize + 1], |number| {
                        let second = seconds[(number - start) as usize].number;
                        let ranks = turns.iter().map(|&turn| frame.rank(second, turn));
                        let smallest = start + ranks.min().unwrap_or(1) - 1;
                        if smallest != number {
                            others.push((number, smallest));
                        }
                    });
                }
                others
            });
            for (number, smallest) in others.collect::<Vec<_>>().into_iter().flatten() {
                set.remove(number);
                set.insert(smallest);
            }
        }
    }

    /// Gives all numbers of each position in a reduced set the value that the one in the set has.
    pub fn spread(&self, numbers: &Numbers, set: &Bits, values: &mut [f64]) {
        let (mut rest, mut before) = (values, 0u32);
        for (frame, numbers) in self.frames.iter().zip(&numbers.frames) {
            let start_of = |class: u32| numbers.classes[class as usize];
            // The numbers of some classes each.
            let mut parts = Vec::with_capacity(frame.symmetric.len().div_ceil(CLASSES));
            for classes in frame.symmetric.chunks(CLASSES) {
                let (first, last) = (classes[0].0, classes[classes.len() - 1].0);
                let (from, end) = (start_of(first), start_of(last + 1));
                let (_, behind) = mem::take(&mut rest).split_at_mut((from - before) as usize);
                let (values, behind) = behind.split_at_mut((end - from) as usize);
                parts.push((classes, from, values));
                (rest, before) = (behind, end);
            }
            parts.into_par_iter().for_each(|(classes, from, values): (&[_], u32, &mut [f64])| {
                for &(class, ref turns) in classes {
                    let start = start_of(class);
                    let seconds = &frame.second[numbers.firsts[class as usize] as usize..];
                    set.each_of(start..start_of(class + 1), |number| {
                        let second = seconds[(number - start) as usize].number;
                        for &turn in turns {
                            let same = start + frame.rank(second, turn) - 1;
                            values[(same - from) as usize] = values[(number - from) as usize];
                        }
                    });
                }
            });
        }
    }
}

impl Frame {
    fn new(shape: &Shape, mask: Cells, base: u32) -> Option<Self> {
        let size = shape.size();
        let own = shape.symmetries().iter().copied().filter(|&it| image(it, mask, size) == mask);
        let own: Vec<Symmetry> = own.collect();
        let parts = cut(&shape.free_cells(mask), &own, size);
        let mut weights = [Contents::default(); 16];
        let mut part_weights = [Vec::new(), Vec::new()];
        for (place, part) in parts.iter().enumerate() {
            let mut weight = 1;
            for &cell in part {
                let there = &mut weights[usize::from(cell)];
                if place == 0 {
                    there.first = weight
                } else {
                    there.second = weight
                }
                part_weights[place].push(weight);
                weight *= base;
                if weight > Numbering::MOST_CONTENTS {
                    return None;
                }
            }
        }
        let parts = parts.map(|cells| Part::new(shape, mask, base, cells, &own));
        let [first, second] = &parts;
        let (classes, turns, chosen) = first.classes();
        let symmetric = first.symmetric(&chosen);
        let contents = second.possible();
        let groups = groups(&contents, base);
        if groups.windows(2).any(|two| two[1] - two[0] >= u32::from(u16::MAX)) {
            return None;
        }
        let mut own_ranks = vec![0u16; base.pow(second.cells.len() as u32) as usize];
        for (place, &content) in (0..).zip(&contents) {
            let group = groups[half_of(content, base) as usize];
            own_ranks[content as usize] = (place - group + 1) as u16;
        }
        let seconds = own_ranks.len();
        let mut ranks = vec![0; seconds * own.len()];
        for content in 0..seconds {
            for (turn, image) in second.images(content as u32).enumerate() {
                ranks[turn * seconds + content] = own_ranks[image as usize];
            }
        }
        let codes = match mask {
            0 => [first.codes(&chosen), second.codes(&contents)],
            _ => Default::default(),
        };
        Some(Self {
            mask,
            weights,
            part_weights,
            classes,
            turns,
            symmetric,
            first: first.contents(&chosen),
            class_groups: self::groups(&chosen, base),
            second: second.contents(&contents),
            groups,
            ranks,
            seconds,
            symmetries: own.len(),
            codes,
        })
    }

    /// Bytes of memory that it takes, with the numbers of so many layers.
    fn bytes(&self, layers: usize) -> usize {
        let contents = self.first.len() + self.second.len();
        contents * (size_of::<Content>() + 8 * self.symmetries)
            + self.classes.len() * (5 + 4 * layers)
            + self.first.len() * 8 * layers
            + self.ranks.len() * size_of::<u16>()
    }

    /// One more than the rank of an image of a content of the second part.
    #[inline(always)]
    pub fn rank(&self, content: u32, turn: usize) -> u32 {
        self.ranks[turn * self.seconds + content as usize].into()
    }

    /// The same for all contents as they stand.
    #[inline]
    pub fn own_ranks(&self) -> &[u16] {
        &self.ranks[..self.seconds]
    }

    pub fn mask(&self) -> Cells {
        self.mask
    }

    /// How many numbers the layers have, by half their sums.
    fn lengths(&self) -> Vec<u64> {
        let mut lengths = vec![0; self.class_groups.len() + self.groups.len() - 3];
        for (first, classes) in self.class_groups.windows(2).enumerate() {
            let classes = u64::from(classes[1] - classes[0]);
            for (second, group) in self.groups.windows(2).enumerate().filter(|_| classes > 0) {
                lengths[first + second] += classes * u64::from(group[1] - group[0]);
            }
        }
        lengths
    }

    /// How many numbers the classes have that come before those with half a sum of `first`, in the
    /// layer of this half.
    fn before(&self, first: u32, half: u32) -> u64 {
        let classes = self.class_groups.windows(2).take(first.min(half + 1) as usize);
        let numbers = classes.zip(0..).map(|(classes, first)| {
            u64::from(classes[1] - classes[0]) * count(&group(&self.groups, half - first))
        });
        numbers.sum()
    }

    /// Where a class begins in a layer: `first` is half its sum, `half` that of the layer.
    fn start_of(&self, class: u32, first: u32, half: u32) -> u64 {
        let in_group = u64::from(class - group(&self.class_groups, first).start);
        self.before(first, half) + in_group * count(&group(&self.groups, half - first))
    }

    /// The class and the content of the second part of a number, as places in their lists.
    fn place_of(&self, half: u32, number: u64) -> Option<(usize, usize)> {
        let mut number = number;
        for first in 0..=half {
            let classes = group(&self.class_groups, first);
            let seconds = group(&self.groups, half - first);
            let length = count(&classes) * count(&seconds);
            if number < length {
                let (class, rank) = (number / count(&seconds), number % count(&seconds));
                return Some((
                    classes.start as usize + class as usize,
                    seconds.start as usize + rank as usize,
                ));
            }
            number -= length;
        }
        None
    }

    /// The class of a board; `None` if no game shows one of its parts.
    fn class_of(&self, contents: Contents) -> Option<u32> {
        let class = self.classes[contents.first as usize];
        (class != NO_CLASS && self.rank(contents.second, 0) != 0).then_some(class)
    }

    /// The content of the second part, whose sum has this half, when the first is turned to its class.
    fn turned(&self, contents: Contents, half: u32) -> u32 {
        let turn = usize::from(self.turns[contents.first as usize]);
        let rank = self.rank(contents.second, turn);
        self.second[(self.groups[half as usize] + rank) as usize - 1].number
    }

    /// One more than the smallest rank that a board of a class can have.
    fn smallest_rank(&self, class: u32, second: u32) -> u32 {
        match self.symmetric.binary_search_by_key(&class, |(class, _)| *class) {
            Ok(at) => {
                let turns = self.symmetric[at].1.iter();
                turns.map(|&turn| self.rank(second, turn)).min().unwrap_or(1)
            }
            Err(_) => self.rank(second, 0),
        }
    }

    fn number_layer(&self, half: u32, from: u32, numbers: &mut FrameNumbers) -> u32 {
        numbers.classes.clear();
        numbers.firsts.clear();
        let mut next = from;
        for class in &self.first {
            let group = half
                .checked_sub(class.half.into())
                .map_or(0..0, |rest| self::group(&self.groups, rest));
            numbers.classes.push(next);
            numbers.firsts.push(group.start);
            next += group.end - group.start;
        }
        numbers.classes.push(next);
        numbers.starts.clear();
        let start = |&class: &u32| match class {
            NO_CLASS => 0,
            class => numbers.classes[class as usize].wrapping_sub(1),
        };
        numbers.starts.extend(self.classes.iter().map(start));
        next
    }
}

impl Numbers {
    /// Whether they are those of the layer with this sum.
    pub fn are_of(&self, sum: u32) -> bool {
        self.half == sum / 2 && !self.frames.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.length
    }
}

/// Goes through the numbers of a layer from one on: all boards of a class follow each other.
pub struct Cursor<'a> {
    numbering: &'a Numbering,
    numbers: &'a Numbers,
    /// The frame, the class, and the numbers of the class.
    pub frame: usize,
    class: usize,
    start: usize,
    pub end: usize,
    /// What the class is, and what goes with it.
    pub first: &'a Content,
    seconds: &'a [Content],
    first_second: usize,
}

impl<'a> Cursor<'a> {
    /// At the class of a number, if there is any.
    pub fn new(numbering: &'a Numbering, numbers: &'a Numbers, number: usize) -> Self {
        let ends = |frame: &FrameNumbers| frame.classes.last().copied().unwrap_or(0) as usize;
        let frame = numbers.frames.iter().position(|it| number < ends(it)).unwrap_or(0);
        let classes = &numbers.frames[frame].classes;
        let class = classes.partition_point(|&start| start as usize <= number).max(1) - 1;
        let first = &numbering.frames[frame].first[0];
        let mut cursor = Self {
            numbering,
            numbers,
            frame,
            class: class.min(classes.len() - 2),
            start: 0,
            end: 0,
            first,
            seconds: &[],
            first_second: 0,
        };
        cursor.settle();
        cursor
    }

    /// Goes on to the class of a number, which is behind this one.
    pub fn go_to(&mut self, number: usize) {
        let mut classes = &self.numbers.frames[self.frame].classes;
        while number >= classes[self.class + 1] as usize {
            self.class += 1;
            if self.class + 1 == classes.len() {
                self.frame += 1;
                classes = &self.numbers.frames[self.frame].classes;
                self.class = 0;
            }
        }
        self.settle();
    }

    fn settle(&mut self) {
        let numbers = &self.numbers.frames[self.frame];
        let frame = &self.numbering.frames[self.frame];
        self.start = numbers.classes[self.class] as usize;
        self.end = numbers.classes[self.class + 1] as usize;
        self.first = &frame.first[self.class];
        self.first_second = numbers.firsts[self.class] as usize;
        self.seconds = &frame.second[self.first_second..][..self.end - self.start];
    }

    /// The second part of a number of this class.
    #[inline(always)]
    pub fn second(&self, number: usize) -> &'a Content {
        &self.seconds[number - self.start]
    }

    /// Where a number of this class is.
    #[inline]
    pub fn place(&self, number: usize) -> Place {
        let second = self.first_second + number - self.start;
        Place { frame: self.frame, first: self.class, second }
    }
}

/// By half a sum, the first of the contents, ordered by their sums, that have it.
fn groups(contents: &[u32], base: u32) -> Vec<u32> {
    let most = contents.last().map_or(0, |it| half_of(*it, base));
    let before = |half: u32| contents.partition_point(|&it| half_of(it, base) < half) as u32;
    (0..=most + 1).map(before).collect()
}

/// The contents with this half of a sum, as places in their list.
#[inline]
fn group(groups: &[u32], half: u32) -> Range<u32> {
    match groups.get(half as usize..) {
        Some(&[first, end, ..]) => first..end,
        _ => 0..0,
    }
}

fn count(range: &Range<u32>) -> u64 {
    u64::from(range.end - range.start)
}

/// Cuts the cells into two parts that the symmetries map to themselves.
fn cut(cells: &[u8], symmetries: &[Symmetry], size: Size) -> [Vec<u8>; 2] {
    let mut parts = [Vec::new(), Vec::new()];
    for &cell in cells {
        if parts.iter().flatten().any(|&it| it == cell) {
            continue;
        }
        let mut orbit: Vec<u8> =
            symmetries.iter().map(|&it| image_of_cell(it, cell, size)).collect();
        orbit.sort_unstable();
        orbit.dedup();
        let fits = parts[0].len() + orbit.len() <= cells.len().div_ceil(2);
        parts[usize::from(!fits)].extend(orbit);
    }
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

/// The digits of a content, the first cell's first.
fn digits(content: u32, base: u32) -> impl Iterator<Item = u32> {
    let mut rest = content;
    std::iter::from_fn(move || {
        let digit = rest % base;
        (rest > 0).then(|| rest /= base)?;
        Some(digit)
    })
}

/// Half the sum of a content's tiles.
fn half_of(content: u32, base: u32) -> u32 {
    digits(content, base).map(|digit| (1 << digit) >> 1).sum()
}

/// A part of the cells, while its contents are listed.
struct Part<'a> {
    shape: &'a Shape,
    mask: Cells,
    base: u32,
    cells: Vec<u8>,
    /// For each symmetry of the frame what a digit of each cell counts in the content of the image,
    /// and in the code of the image of a small board.
    images: Vec<Vec<(u32, u64)>>,
}

impl<'a> Part<'a> {
    fn new(
        shape: &'a Shape,
        mask: Cells,
        base: u32,
        cells: Vec<u8>,
        symmetries: &[Symmetry],
    ) -> Self {
        let size = shape.size();
        let images = symmetries.iter().map(|&symmetry| {
            let counts = cells.iter().map(|&cell| {
                let image = image_of_cell(symmetry, cell, size);
                let place = cells.iter().position(|&it| it == image).unwrap_or(0);
                (base.pow(place as u32), Board(1 << (4 * image)).code(size))
            });
            counts.collect()
        });
        let images = images.collect();
        Self { shape, mask, base, cells, images }
    }

    /// The contents that a game can show, by their sums.
    fn possible(&self) -> Vec<u32> {
        let all = 0..self.base.pow(self.cells.len() as u32);
        let possible = all.filter(|&content| self.has_room(content));
        let mut all: Vec<(u32, u32)> =
            possible.map(|content| (half_of(content, self.base), content)).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, content)| content).collect()
    }

    /// Whether there are never more large tiles than the cells have room to build.
    fn has_room(&self, content: u32) -> bool {
        let mut counts = [0; 16];
        digits(content, self.base).for_each(|digit| counts[digit as usize] += 1);
        let mut at_least = 0;
        (3..self.base).rev().all(|exponent| {
            at_least += counts[exponent as usize];
            at_least + exponent <= u32::from(self.shape.free()) + 2
        })
    }

    /// The images of a content.
    fn images(&self, content: u32) -> impl Iterator<Item = u32> {
        self.images.iter().map(move |counts| {
            counts
                .iter()
                .zip(digits(content, self.base))
                .map(|((count, _), digit)| digit * count)
                .sum()
        })
    }

    /// The class of every content, the symmetry that leads to it, and the content that stands for each
    /// class.
    fn classes(&self) -> (Vec<u32>, Vec<u8>, Vec<u32>) {
        let mut classes = vec![NO_CLASS; self.base.pow(self.cells.len() as u32) as usize];
        let mut turns = vec![0; classes.len()];
        let possible = self.possible();
        let smallest: Vec<(u32, u8)> = possible
            .iter()
            .map(|&content| self.images(content).zip(0..).min().unwrap_or((content, 0)))
            .collect();
        let mut chosen = Vec::new();
        for (&content, &(stands_for_it, _)) in possible.iter().zip(&smallest) {
            if stands_for_it == content {
                classes[content as usize] = chosen.len() as u32;
                chosen.push(content);
            }
        }
        for (content, (stands_for_it, turn)) in possible.into_iter().zip(smallest) {
            classes[content as usize] = classes[stands_for_it as usize];
            turns[content as usize] = turn;
        }
        (classes, turns, chosen)
    }

    /// The classes that more than one symmetry leaves as they are, with those.
    fn symmetric(&self, classes: &[u32]) -> Vec<(u32, Vec<usize>)> {
        let turns = |&content: &u32| {
            let same = self.images(content).enumerate().filter(|&(_, image)| image == content);
            same.map(|(symmetry, _)| symmetry).collect::<Vec<usize>>()
        };
        let all = (0..).zip(classes.iter().map(turns));
        all.filter(|(_, turns)| turns.len() > 1).collect()
    }

    /// What is to be known of contents.
    fn contents(&self, contents: &[u32]) -> Vec<Content> {
        // What a digit of each cell counts in the lines.
        let mut in_lines = [[0u64; 2]; 16];
        let rows = self.shape.size().rows() as usize;
        for (number, line) in self.shape.lines().into_iter().enumerate() {
            let (place, direction) = if number < rows { (number, 0) } else { (number - rows, 1) };
            let mut weight = 1u64 << (16 * place);
            for cell in line.into_iter().filter(|cell| self.mask >> cell & 1 == 0) {
                in_lines[usize::from(cell)][direction] = weight;
                weight *= u64::from(self.base);
            }
        }
        let content = |&number: &u32| {
            let mut content = Content {
                number,
                half: half_of(number, self.base) as u16,
                empty: ((1u32 << self.cells.len()) - 1) as u16,
                ..Content::default()
            };
            let tiles = self.cells.iter().zip(digits(number, self.base)).enumerate();
            for (place, (&cell, digit)) in tiles.filter(|(_, (_, digit))| *digit > 0) {
                let [row, column] = in_lines[usize::from(cell)];
                content.rows += u64::from(digit) * row;
                content.columns += u64::from(digit) * column;
                content.empty &= !(1 << place);
            }
            content
        };
        contents.iter().map(content).collect()
    }

    /// The codes of the images of contents.
    fn codes(&self, contents: &[u32]) -> Vec<u64> {
        let code = |counts: &[(u32, u64)], content: u32| -> u64 {
            let digits = digits(content, self.base).map(u64::from);
            counts.iter().zip(digits).map(|((_, count), digit)| digit * count).sum()
        };
        let codes = contents
            .iter()
            .flat_map(|&content| self.images.iter().map(move |counts| code(counts, content)));
        codes.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::games::twenty48::Pattern;

    /// All boards of a shape with exponents below `base` whose parts a game can show.
    fn boards(numbering: &Numbering) -> Vec<Board> {
        let shape = numbering.shape();
        let mut all = Vec::new();
        for &mask in shape.masks() {
            let cells = shape.free_cells(mask);
            let larges = (0..16).filter(|cell| mask >> cell & 1 == 1);
            let larges = larges.fold(0, |board, cell| board | u64::from(LARGE) << (4 * cell));
            for number in 0..u64::from(numbering.base()).pow(cells.len() as u32) {
                let (mut board, mut rest) = (larges, number);
                for cell in &cells {
                    board |= (rest % u64::from(numbering.base())) << (4 * cell);
                    rest /= u64::from(numbering.base());
                }
                all.push(Board(board));
            }
        }
        all
    }

    /// The smallest image of a board.
    fn canonical(shape: &Shape, board: Board) -> Board {
        let images = shape.symmetries().iter().map(|it| it.board(board, shape.size()));
        images.min().unwrap()
    }

    fn small_sum(shape: &Shape, board: Board) -> u32 {
        let larges = shape.masks()[shape.mask_of(board).unwrap()].count_ones();
        board.sum() - (larges << LARGE)
    }

    fn check(shape: Shape, base: u8) {
        let numbering = Numbering::new(shape, base).unwrap();
        let shape = numbering.shape();
        let mut by_sum: HashMap<u32, Vec<Board>> = HashMap::new();
        for board in boards(&numbering) {
            by_sum.entry(small_sum(shape, board)).or_default().push(board);
        }
        for (sum, boards) in by_sum {
            let mut numbers = Numbers::default();
            numbering.number_layer(sum, &mut numbers);
            let length = numbering.lengths().get(sum as usize / 2).copied().unwrap_or(0);
            assert_eq!(length, numbers.len() as u64);
            let mut all = Bits::default();
            all.reset(numbers.len());
            let mut forms = HashMap::new();
            for &board in &boards {
                let Some(number) = numbering.number_of(&numbers, board) else { continue };
                all.insert(number);
                // What has a number in common is the same position, and the other way round.
                let form = canonical(shape, board);
                assert_eq!(*forms.entry(form).or_insert(number), number, "{board}");
                let (there, same) = numbering.sum_and_number(board).unwrap();
                assert_eq!((there, same), (sum, number.into()), "{board}");
                let place =
                    Cursor::new(&numbering, &numbers, number as usize).place(number as usize);
                assert_eq!(canonical(shape, numbering.board(place)), form, "{board}");
                assert_eq!(numbering.board_of(sum, same), Some(numbering.board(place)));
                if shape.masks() == [0] {
                    let (code, symmetry) = numbering.canonical(place);
                    assert_eq!(code, form.code(shape.size()), "{board}");
                    let image =
                        shape.symmetries()[symmetry].board(numbering.board(place), shape.size());
                    assert_eq!(image, form, "{board}");
                }
            }
            assert_eq!(all.count(), forms.len(), "{sum}");
            // Every number is some board's, and of those of one position the smallest stands for it.
            let mut whole = Bits::default();
            whole.reset(numbers.len());
            (0..numbers.len() as u32).for_each(|number| whole.insert(number));
            numbering.reduce(&numbers, &mut whole);
            assert!(whole == all, "{sum}");
            // What is told to one number is told to all of the position.
            let mut values = vec![f64::NAN; numbers.len()];
            all.iter().for_each(|number| values[number as usize] = f64::from(number));
            numbering.spread(&numbers, &all, &mut values);
            for (number, value) in values.iter().enumerate() {
                let board = numbering.board_of(sum, number as u64).unwrap();
                assert_eq!(forms[&canonical(shape, board)] as f64, *value);
            }
        }
    }

    #[test]
    fn numbers_are_dense_and_one_to_one_up_to_symmetry() {
        for (size, base) in [("2x2", 6), ("2x3", 5), ("3x2", 5), ("2x4", 4), ("4x2", 3), ("3x3", 3)]
        {
            check(Shape::board(size.parse().unwrap()), base);
        }
        check(Shape::board("3x4".parse().unwrap()), 2);
        check(Shape::board("4x3".parse().unwrap()), 2);
        assert!(Numbering::new(Shape::board(Size::FULL), 3).is_none());
        for (name, base) in [("44", 4), ("L3", 3), ("t", 2), ("442", 2), ("4421", 2), ("LL", 2)] {
            check(Shape::pattern(&Pattern::named(name).unwrap()).unwrap(), base);
        }
        // Two masks that are images of each other, and one that is its own.
        let two = "two ..../..../...F/..FF ..../..../F.../FF.. 2,0,0,0/0,0,0,0/0,0,0,F/0,0,F,F";
        assert!(Shape::pattern(&two.parse().unwrap()).unwrap().free() > Numbering::MOST_CELLS);
        let two = "two ..../F..F/F..F/F..F ..../.FFF/..../.FFF 0,0,0,0/F,0,0,F/F,0,0,F/F,0,2,F";
        check(Shape::pattern(&two.parse().unwrap()).unwrap(), 3);
    }

    #[test]
    fn tiles_too_large_have_no_number() {
        let size: Size = "2x3".parse().unwrap();
        let numbering = Numbering::new(Shape::board(size), 5).unwrap();
        let mut numbers = Numbers::default();
        numbering.number_layer(34, &mut numbers);
        for text in ["32,2,0/0,0,0", "2,32,0/0,0,0"] {
            let board = Board::parse(text, size).unwrap();
            assert_eq!(numbering.number_of(&numbers, board), None);
        }
    }
}
