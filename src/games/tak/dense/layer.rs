//! A layer as the retrograde analysis sees it: positions with as many stones on the board, between which
//! slides lead, and stones that are placed lead out to the layer above.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::numbering::{Numbering, flats};
use super::shapes::Shape;
use super::steps::{Step, Steps};
use crate::solve::retrograde::{ABSENT, Layer, OPEN, Reply, Score, WON_AT_ONCE};

/// All positions with as many stones on the board.
#[derive(Clone, Copy, Debug)]
pub struct StoneLayer<'a> {
    pub numbering: &'a Numbering,
    /// The layer with a stone more, and its entries. None above the last layer.
    pub above: Option<(&'a Numbering, &'a [u8])>,
}

/// A shape with so many stones of the mover's: a group of the analysis.
#[derive(Clone, Copy)]
struct Group<'a> {
    shape_number: usize,
    shape: &'a Shape,
    stacks: u32,
    /// The mover's stones.
    own: usize,
    /// The mover's stones of the position after a move.
    others: usize,
}

impl StoneLayer<'_> {
    fn group(&self, group: usize) -> Group<'_> {
        let shapes = &self.numbering.shapes.list;
        let own = self.numbering.blocks().start() + group / shapes.len();
        let shape_number = group % shapes.len();
        let shape = &shapes[shape_number];
        let others = self.numbering.stones - own;
        Group { shape_number, shape, stacks: shape.stacks(), own, others }
    }

    /// The group of a shape with so many stones of the mover's.
    fn group_of(&self, own: usize, shape: usize) -> usize {
        (own - self.numbering.blocks().start()) * self.numbering.shapes.list.len() + shape
    }

    fn steps<'b>(&'b self, group: &Group<'b>) -> Steps<'b> {
        let Numbering { edge, shapes, .. } = self.numbering;
        Steps { edge: *edge, shape: group.shape, targets: shapes }
    }

    /// How a game ends, to the one who has just moved: his road first, then the other's, then the flats.
    fn ended(&self, own: u64, other: u64) -> Score {
        if self.numbering.is_road(own) {
            Score::WIN
        } else if self.numbering.is_road(other) {
            Score::LOSS
        } else {
            by_flats(own.count_ones(), other.count_ones())
        }
    }

    /// Visits what slides lead to.
    fn visit_slides(
        &self,
        group: &Group<'_>,
        entries: &[AtomicU8],
        asked: impl Fn(usize) -> bool,
        mut visit: impl FnMut(usize, Reply),
    ) {
        self.steps(group).slides(|step| {
            let to = Landing::new(self.numbering, step, group.others);
            for (rank, &colours) in self.numbering.patterns(group.own).iter().enumerate() {
                if colours & step.top == 0 {
                    continue;
                }
                let mine = step.mapping.colours(colours);
                let row = to.row(mine);
                for walls in 0..1_u16 << group.stacks {
                    let position = rank << group.stacks | usize::from(walls);
                    if walls & step.blocked != 0 || !asked(position) {
                        continue;
                    }
                    let to_walls = step.mapping.walls(walls);
                    let entry = row.number(to_walls).map(|number| entries[number].load(Relaxed));
                    let reply = match entry {
                        None | Some(ABSENT) => {
                            let [own, other] = flats(to.shape, mine, to_walls);
                            Reply::Out(self.ended(own, other))
                        }
                        Some(entry) => Reply::Inside(entry),
                    };
                    visit(position, reply);
                }
            }
        });
    }

    /// Visits what placing a stone leads to where the game goes on unless that makes a road.
    fn visit_placings(
        &self,
        group: &Group<'_>,
        (numbering, entries): (&Numbering, &[u8]),
        asked: impl Fn(usize) -> bool,
        mut visit: impl FnMut(usize, Reply),
    ) {
        let steps = Steps { targets: &numbering.shapes, ..self.steps(group) };
        steps.placings(|step, placed| {
            let to = Landing::new(numbering, step, group.others);
            for (rank, &colours) in self.numbering.patterns(group.own).iter().enumerate() {
                let row = to.row(step.mapping.colours(colours));
                for walls in 0..1_u16 << group.stacks {
                    let position = rank << group.stacks | usize::from(walls);
                    if !asked(position) {
                        continue;
                    }
                    let to_walls = step.mapping.walls(walls);
                    for to_walls in [to_walls, to_walls | placed] {
                        let Some(number) = row.number(to_walls) else { continue };
                        // Only a road can have ended the game, and it was made by the stone.
                        let score = match entries[number] {
                            ABSENT => Score::WIN,
                            entry => Score::before_move(entry),
                        };
                        visit(position, Reply::Out(score));
                    }
                }
            }
        });
    }

    /// Visits the best of what placing a stone leads to where the game ends by it.
    fn visit_last_placings(
        &self,
        group: &Group<'_>,
        asked: impl Fn(usize) -> bool,
        mut visit: impl FnMut(usize, Reply),
    ) {
        let placing = Placing::new(self, group);
        for (rank, &colours) in self.numbering.patterns(group.own).iter().enumerate() {
            let tops = group.shape.colours_on_top(colours);
            for walls in 0..1_u16 << group.stacks {
                let position = rank << group.stacks | usize::from(walls);
                if asked(position) {
                    visit(position, Reply::Out(placing.last(tops, walls)));
                }
            }
        }
    }

    /// Whether placing a stone ends the game: it is the last of the mover's, or fills the board.
    fn is_last(&self, group: &Group<'_>) -> bool {
        let squares = self.numbering.edge * self.numbering.edge;
        group.own + 1 == self.numbering.flats || group.shape.squares.len() + 1 == squares
    }
}

/// What placing a flat does to roads, for all sets of stacks of a shape.
struct Placing {
    all: u16,
    is_road: Vec<bool>,
    /// Whether a flat on some empty square makes a road of a set.
    makes_road: Vec<bool>,
}

impl Placing {
    fn new(layer: &StoneLayer<'_>, group: &Group<'_>) -> Self {
        let Numbering { edge, .. } = *layer.numbering;
        let empty: Vec<usize> =
            (0..edge * edge).filter(|&square| group.shape.heights[square] == 0).collect();
        let sets = || (0..1_u16 << group.stacks).map(|stacks| group.shape.spread(stacks));
        let is_road = |set| layer.numbering.is_road(set);
        let makes_road = |set| empty.iter().any(|square| is_road(set | 1 << square));
        Self {
            all: (1 << group.stacks) - 1,
            is_road: sets().map(is_road).collect(),
            makes_road: sets().map(makes_road).collect(),
        }
    }

    /// Whether somebody has a road. `tops` are the stacks of the mover.
    fn has_road(&self, tops: u16, walls: u16) -> bool {
        let other = !tops & self.all;
        [tops, other].iter().any(|set| self.is_road[usize::from(set & !walls)])
    }

    /// Whether a flat can be placed that makes a road.
    fn makes_road(&self, tops: u16, walls: u16) -> bool {
        self.makes_road[usize::from(tops & !walls)]
    }

    /// What the best placing is worth where it ends the game. A wall counts for nothing, so that a flat is
    /// never worse.
    fn last(&self, tops: u16, walls: u16) -> Score {
        if self.makes_road(tops, walls) {
            return Score::WIN;
        }
        let other = !tops & self.all;
        by_flats((tops & !walls).count_ones() + 1, (other & !walls).count_ones())
    }
}

fn by_flats(own: u32, other: u32) -> Score {
    match own.cmp(&other) {
        std::cmp::Ordering::Greater => Score::WIN,
        std::cmp::Ordering::Equal => Score::DRAW,
        std::cmp::Ordering::Less => Score::LOSS,
    }
}

/// Where the arrangements of a step land.
struct Landing<'a> {
    numbering: &'a Numbering,
    shape: &'a Shape,
    stacks: u32,
    /// The shape's number and where it begins, unless it fills the board.
    target: Option<(usize, usize)>,
    has_symmetries: bool,
}

impl<'a> Landing<'a> {
    /// `own` are the stones of the one who is to move there.
    fn new(numbering: &'a Numbering, step: &'a Step, own: usize) -> Self {
        Self::at(numbering, step, |shape| numbering.shape_start(own, shape) as usize)
    }

    /// The same by numbers inside the shape.
    fn inside(numbering: &'a Numbering, step: &'a Step) -> Self {
        Self::at(numbering, step, |_| 0)
    }

    fn at(numbering: &'a Numbering, step: &'a Step, start: impl Fn(usize) -> usize) -> Self {
        let target = step.target.map(|shape| (shape, start(shape)));
        let shape = match (&step.full, step.target) {
            (Some(full), _) => full,
            (None, target) => &numbering.shapes.list[target.unwrap_or(0)],
        };
        let has_symmetries = step.target.is_some_and(|shape| !numbering.own(shape).is_empty());
        Self { numbering, shape, stacks: shape.stacks(), target, has_symmetries }
    }

    /// The arrangements there with these stones of the one who has moved, from which walls tell one.
    #[inline]
    fn row(&self, moved: u16) -> Row<'_> {
        let colours = !moved & ((1 << self.numbering.stones) - 1);
        let start = self
            .target
            .map(|(_, start)| start + self.numbering.inside(self.stacks, colours, 0) as usize);
        Row { landing: self, colours, start }
    }
}

/// Arrangements that differ only in their walls.
struct Row<'a> {
    landing: &'a Landing<'a>,
    colours: u16,
    start: Option<usize>,
}

impl Row<'_> {
    /// The number of the one with these walls; `None` if it fills the board.
    #[inline]
    fn number(&self, walls: u16) -> Option<usize> {
        match self.landing.has_symmetries {
            true => self.number_and_symmetries(walls).map(|(number, _)| number),
            false => Some(self.start? + usize::from(walls)),
        }
    }

    /// The same, and how many symmetries leave it as it is.
    #[inline]
    fn number_and_symmetries(&self, walls: u16) -> Option<(usize, u8)> {
        let Landing { numbering, target, has_symmetries, .. } = self.landing;
        if !has_symmetries {
            return Some((self.start? + usize::from(walls), 1));
        }
        let (shape, start) = (*target)?;
        let (inside, same) = numbering.smallest(shape, self.colours, walls);
        Some((start + inside as usize, same))
    }
}

impl Layer for StoneLayer<'_> {
    fn groups(&self) -> usize {
        self.numbering.blocks().count() * self.numbering.shapes.list.len()
    }

    fn numbers(&self, group: usize) -> Range<usize> {
        let Group { shape_number, stacks, own, .. } = self.group(group);
        let start = self.numbering.shape_start(own, shape_number) as usize;
        start..start + (self.numbering.patterns(own).len() << stacks)
    }

    fn mark(&self, group: usize, entries: &[AtomicU8]) {
        let group = self.group(group);
        let placing = Placing::new(self, &group);
        let is_last = self.is_last(&group);
        let has_symmetries = !self.numbering.own(group.shape_number).is_empty();
        for (rank, &colours) in self.numbering.patterns(group.own).iter().enumerate() {
            let tops = group.shape.colours_on_top(colours);
            for walls in 0..1_u16 << group.stacks {
                let position = rank << group.stacks | usize::from(walls);
                let is_meant = || {
                    let smallest = self.numbering.smallest(group.shape_number, colours, walls);
                    smallest.0 == position as u64
                };
                let wins = || match is_last {
                    true => placing.last(tops, walls) == Score::WIN,
                    false => placing.makes_road(tops, walls),
                };
                let is_absent = placing.has_road(tops, walls) || has_symmetries && !is_meant();
                let entry = match is_absent {
                    true => ABSENT,
                    false if wins() => WON_AT_ONCE,
                    false => OPEN,
                };
                entries[position].store(entry, Relaxed);
            }
        }
    }

    fn moves(
        &self,
        group: usize,
        entries: &[AtomicU8],
        asked: impl Fn(u8) -> bool,
        mut visit: impl FnMut(usize, Reply),
    ) {
        let own = &entries[self.numbers(group)];
        let asked = |position: usize| asked(own[position].load(Relaxed));
        let group = self.group(group);
        match self.above {
            Some(above) if !self.is_last(&group) => {
                self.visit_placings(&group, above, asked, &mut visit);
            }
            _ => self.visit_last_placings(&group, asked, &mut visit),
        }
        self.visit_slides(&group, entries, asked, visit);
    }

    fn unmoves<T: Copy>(
        &self,
        group: usize,
        positions: &[u32],
        target: impl Fn(usize) -> Option<T>,
        mut visit: impl FnMut(T, usize, u8),
    ) {
        let group = self.group(group);
        let target = |shape| target(self.group_of(group.others, shape));
        if !self.numbering.own(group.shape_number).is_empty() {
            return self.unmoves_with_symmetry(&group, positions, target, visit);
        }
        self.steps(&group).slides_back(target, |step, target| {
            self.take_back(&group, step, positions, |_, number, same| visit(target, number, same));
        });
    }
}

impl StoneLayer<'_> {
    /// Visits the numbers from which a slide leads to some positions: the position, the number inside its
    /// shape, and how many symmetries leave the latter as it is.
    fn take_back(
        &self,
        group: &Group<'_>,
        step: &Step,
        positions: &[u32],
        mut visit: impl FnMut(u32, usize, u8),
    ) {
        let to = Landing::inside(self.numbering, step);
        let patterns = self.numbering.patterns(group.own);
        for &position in positions {
            let colours = patterns[position as usize >> group.stacks];
            let walls = position as u16 & ((1 << group.stacks) - 1);
            if colours & step.top != 0 || walls & step.blocked != 0 {
                continue;
            }
            let row = to.row(step.mapping.colours(colours));
            if let Some((number, same)) = row.number_and_symmetries(step.mapping.walls(walls)) {
                visit(position, number, same);
            }
        }
    }

    /// The same where a position may be its own image, so that slides lead to it from several images of
    /// another. Up to symmetry a slide leads from P to Q as often as one taken back leads from Q to P, times
    /// the symmetries of P, divided by those of Q.
    fn unmoves_with_symmetry<T: Copy>(
        &self,
        group: &Group<'_>,
        positions: &[u32],
        target: impl Fn(usize) -> Option<T>,
        mut visit: impl FnMut(T, usize, u8),
    ) {
        let shape = |shape| target(shape).map(|_| shape);
        let mut found: Vec<(u32, usize, usize, u8)> = Vec::new();
        for positions in positions.chunks(CHUNK) {
            found.clear();
            self.steps(group).slides_back(shape, |step, shape| {
                self.take_back(group, step, positions, |position, number, same| {
                    found.push((position, shape, number, same));
                });
            });
            found.sort_unstable();
            for alike in
                found.chunk_by(|one, other| (one.0, one.1, one.2) == (other.0, other.1, other.2))
            {
                let (position, shape, number, _) = alike[0];
                let times: u8 = alike.iter().map(|&(.., same)| same).sum();
                if let Some(target) = target(shape) {
                    visit(target, number, times / self.symmetries(group, position));
                }
            }
        }
    }

    /// How many symmetries leave a position as it is.
    fn symmetries(&self, group: &Group<'_>, position: u32) -> u8 {
        let colours = self.numbering.patterns(group.own)[position as usize >> group.stacks];
        let walls = position as u16 & ((1 << group.stacks) - 1);
        self.numbering.smallest(group.shape_number, colours, walls).1
    }
}

/// How many positions with symmetries are looked at together: what they come from is kept.
const CHUNK: usize = 1 << 12;
