//! Layers that are sorted, as groups with several hands on each.
//!
//! A layer is found in two steps. First the layer before it is expanded: a piece is a range of its positions,
//! and leaves what follows them in the next two layers, sorted. Then all that leads to a layer is merged: a
//! piece is a range of the positions to be found. Where these ranges begin must be known before they are: they
//! are those that cut the layer two before into even parts, because layers change slowly. So a hand reads of
//! each piece that was expanded only the part that belongs to the range that it merges.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::mem;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::Domain;
use super::answers::{LayerAnswers, ordered};
use super::group_files::Exact;
use super::groups::{Layers, Records};
use super::sorted::BYTES_A_POSITION;
use crate::games::twenty48::Board;
use crate::games::twenty48::dense::{NO_MOVE, WORTH};
use crate::job::deltas;
use crate::job::hands::{Hand, Pieces};
use crate::solve::layered::{Solved, Values};
use crate::table::{Meta, Record, Table, TableError};

/// The layers of a job at work.
pub struct SortedLayers<'a, D> {
    domain: &'a D,
    hand: Hand<'a>,
    /// How many positions each layer is expected to have; empty where nothing is planned.
    expected: Vec<u64>,
    /// The layer at work.
    at: u64,
    /// The two layers before it, and what follows them.
    before: [Option<Expanded>; 2],
    /// The values of the two layers behind it.
    above: [Values; 2],
}

/// The positions of a layer, in ascending order.
type Layer = Arc<Vec<u64>>;

type Found = BTreeMap<u64, Layer>;

/// Bytes that a position takes in a file of what was expanded, merged or found, and how many positions a layer
/// leads to, for each of its own: about what is found of small boards and patterns, not measured on large ones.
const STORED_BYTES: u64 = 3;
const FOLLOWERS: u64 = 6;

impl<'a, D: Domain> SortedLayers<'a, D> {
    pub fn new(domain: &'a D, hand: Hand<'a>) -> Self {
        let (before, above) = Default::default();
        Self { domain, hand, expected: Vec::new(), at: 0, before, above }
    }

    /// For a plan: layers have so many positions together, in these proportions.
    pub fn expecting(self, positions: f64, proportions: &[f64]) -> Self {
        let total: f64 = proportions.iter().sum();
        let count = |&some: &f64| (positions * some / total.max(1.0)).ceil() as u64;
        Self { expected: proportions.iter().map(count).collect(), ..self }
    }

    /// Shares the pieces of a step with the others. What is a single piece, every hand makes itself: to wait for
    /// it would take as long.
    fn share(
        hand: &Hand<'_>,
        step: &str,
        pieces: usize,
        work: &mut dyn Pieces,
    ) -> Result<(), TableError> {
        match hand.exchange(step, pieces as u64, work)? {
            true => Ok(()),
            false => Err(TableError::io(Path::new(step))(ErrorKind::Interrupted.into())),
        }
    }

    /// How many pieces a step has that goes through so many positions.
    fn pieces(&self, positions: usize) -> usize {
        self.hand.pieces(positions as u64, WORTH) as usize
    }

    /// Goes back by one layer, whose values are these.
    fn go_back(&mut self, values: Values) {
        let [next, _] = mem::take(&mut self.above);
        self.above = [values, next];
    }
}

impl<D: Domain> Layers for SortedLayers<'_, D> {
    type Layer = Layer;
    type Answers = LayerAnswers<u64>;

    const IN_ORDER: bool = false;
    /// A position takes ten times as long as one that has a number.
    const HAND: u64 = WORTH;
    /// What follows the two layers before a group is found again, so that it should have some.
    const GROUP_BYTES: u64 = 1 << 34;
    const SOLVED_BYTES: u64 = 9;
    /// Measured on free8.
    const IN_FILES: f64 = 1.5;

    fn most(&self) -> u64 {
        self.domain.most_layers()
    }

    fn numbers(&self, layer: u64) -> u64 {
        self.expected.get(layer as usize).copied().unwrap_or(0)
    }

    fn layer_bytes(&self, layer: u64) -> u64 {
        self.numbers(layer) * size_of::<u64>() as u64
    }

    fn bytes_on(&self, _threads: usize, layers: &Range<u64>) -> u64 {
        layers.clone().map(|layer| self.numbers(layer)).max().unwrap_or(0) * BYTES_A_POSITION
    }

    fn exchanged(&self, layers: &Range<u64>, hands: u64) -> [u64; 2] {
        let positions: u64 = layers.clone().map(|layer| self.numbers(layer)).sum();
        let (merged, expanded) = (positions * STORED_BYTES, positions * STORED_BYTES * FOLLOWERS);
        match hands {
            1 => [0, 0],
            _ => [merged + expanded / hands, merged + expanded],
        }
    }

    fn stored<'s>(&'s self, found: &'s Found, some: Range<u64>) -> Records<'s> {
        let mut codes = Vec::new();
        for layer in found.range(some).map(|(_, layer)| layer) {
            codes.extend(codes_of(layer, self.domain));
        }
        codes.par_sort_unstable();
        Box::new(codes.into_iter().map(|code| Record { code, meta: Meta::default(), value: 0 }))
    }

    fn stored_len(&self, _number: u64, layer: &Layer) -> u64 {
        layer.len() as u64
    }

    fn load(&self, layers: Range<u64>, shards: &[Table]) -> Result<Found, TableError> {
        let domain = self.domain;
        let mut found: BTreeMap<u64, Vec<u64>> = layers.map(|it| (it, Vec::new())).collect();
        for shard in shards {
            let blocks = (0..shard.blocks()).into_par_iter().map(|block| {
                let records = shard.block_records(block)?.into_iter();
                let boards = records.map(|it| domain.board_in(it.code, shard));
                boards.map(|it| it.map(|it| (domain.layer(it), it.0))).collect()
            });
            for block in blocks.collect::<Result<Vec<Vec<(u64, u64)>>, TableError>>()? {
                for (number, state) in block {
                    let layer = found.get_mut(&number).ok_or_else(|| TableError::Inconsistent {
                        path: shard.path().into(),
                        what: "has positions of other layers".into(),
                    })?;
                    layer.push(state);
                }
            }
        }
        let sorted = found.into_iter().map(|(number, mut states)| {
            // Codes need not be in the order of their boards.
            states.par_sort_unstable();
            (number, Arc::new(states))
        });
        Ok(sorted.collect())
    }

    fn count(layer: &Layer) -> u64 {
        layer.len() as u64
    }

    fn begin_finding(&mut self, layer: u64) {
        self.at = layer;
        self.before = Default::default();
    }

    fn find(&mut self) -> Result<Layer, TableError> {
        let starts = self.domain.starts().iter().filter(|&&it| self.domain.layer(it) == self.at);
        let mut starts: Vec<u64> = starts.map(|board| board.0).collect();
        starts.sort_unstable();
        let [second, first] = &mut self.before;
        let bounds = first.as_ref().map_or(Vec::new(), |it| it.bounds[0].clone());
        let sources = [first.as_mut().map(|it| (it, 0)), second.as_mut().map(|it| (it, 1))];
        let (hand, ranges) = (&self.hand, bounds.len() + 1);
        let mut work = Merging {
            hand,
            domain: self.domain,
            step: &format!("merge-{}", self.at),
            starts,
            sources: sources.into_iter().flatten().collect(),
            bounds,
            merged: vec![Vec::new(); ranges],
        };
        Self::share(hand, work.step, ranges, &mut work)?;
        let merged = mem::take(&mut work.merged);
        // Nobody asks for what led there any more.
        self.before[0] = None;
        if let Some(first) = &mut self.before[1] {
            first.own.iter_mut().flatten().for_each(|own| own[0] = Vec::new());
        }
        Ok(Arc::new(merged.concat()))
    }

    fn follow(&mut self, layer: &Layer) -> Result<(), TableError> {
        let pieces = self.pieces(layer.len());
        let ranges: Vec<Range<usize>> = cut(layer.len(), pieces).collect();
        let behind = ranges[1..].iter().map(|range| layer[range.start]).collect();
        let [_, last] = mem::take(&mut self.before);
        let next = last.as_ref().map_or(Vec::new(), |it| it.bounds[1].clone());
        let step = format!("expand-{}", self.at);
        let own = vec![None; pieces];
        let bounds = [next, behind];
        let mut work = Expanding {
            hand: &self.hand,
            domain: self.domain,
            expanded: Expanded { layer: Arc::clone(layer), step, ranges, bounds, own },
        };
        let step = work.expanded.step.clone();
        Self::share(&self.hand, &step, pieces, &mut work)?;
        self.before = [last, Some(work.expanded)];
        self.at += 1;
        Ok(())
    }

    fn begin_solving(&mut self, _layer: u64) {
        self.above = Default::default();
    }

    fn recall(
        &mut self,
        layer: u64,
        _found: &Found,
        exact: Exact,
        path: &Path,
    ) -> Result<(), TableError> {
        let domain = self.domain;
        let wrong = |what| TableError::Inconsistent { path: path.into(), what };
        let state = |&(code, value): &(u64, f64)| {
            let board = domain.board(code).map_err(wrong)?;
            match domain.layer(board) == layer {
                true => Ok((board.0, value)),
                false => Err(wrong(format!("has values that are not of layer {layer}"))),
            }
        };
        let values = exact.par_iter().map(state).collect::<Result<Vec<_>, TableError>>()?;
        self.go_back(Values::new(values.into_iter()));
        Ok(())
    }

    fn solve(&mut self, layer: u64, found: &Found) -> Result<LayerAnswers<u64>, TableError> {
        let states = &found[&layer];
        let pieces = self.pieces(states.len());
        let step = format!("solve-{layer}");
        let mut work = Solving {
            hand: &self.hand,
            domain: self.domain,
            step: &step,
            above: &self.above,
            states,
            ranges: cut(states.len(), pieces).collect(),
            solved: vec![(Vec::new(), Vec::new()); pieces],
        };
        Self::share(&self.hand, &step, pieces, &mut work)?;
        let (values, moves): (Vec<_>, Vec<_>) = work.solved.into_iter().unzip();
        let (values, moves) = (values.concat(), moves.concat());
        self.go_back(Values::new(states.iter().copied().zip(values.iter().copied())));
        // Those who write them give the codes.
        Ok(LayerAnswers::new(Vec::new(), values, moves))
    }

    fn exact(&self, layer: &Layer, answers: &LayerAnswers<u64>) -> Exact {
        let codes = codes_of(layer, self.domain).into_iter();
        let mut exact: Exact = codes.zip(answers.values().iter().copied()).collect();
        exact.par_sort_unstable_by_key(|&(code, _)| code);
        exact
    }

    fn records<'s>(
        &'s self,
        found: &'s Found,
        solved: &'s mut [(u64, LayerAnswers<u64>)],
    ) -> Records<'s> {
        for (number, answers) in solved.iter_mut().filter(|(_, it)| it.lacks_codes()) {
            answers.give_codes(codes_of(&found[number], self.domain));
        }
        let layers: Vec<_> = solved.iter_mut().map(|(_, answers)| answers).collect();
        let stored = |value| self.domain.stored(value);
        Box::new(ordered(layers, D::meta, stored).flatten())
    }
}

/// The codes of positions, in their order.
fn codes_of<D: Domain>(states: &[u64], domain: &D) -> Vec<u64> {
    states.par_iter().map(|&state| domain.code(Board(state))).collect()
}

/// Cuts so many positions into ranges.
fn cut(positions: usize, ranges: usize) -> impl Iterator<Item = Range<usize>> {
    let bound = move |range: usize| (positions as u128 * range as u128 / ranges as u128) as usize;
    (0..ranges).map(move |range| bound(range)..bound(range + 1))
}

/// The part of a sorted list that is in a range, of those that bounds cut.
fn part<'s>(states: &'s [u64], bounds: &[u64], range: usize) -> &'s [u64] {
    let place = |bound: Option<&u64>, none| {
        bound.map_or(none, |&bound| states.partition_point(|&state| state < bound))
    };
    let start = place(range.checked_sub(1).and_then(|before| bounds.get(before)), 0);
    &states[start..place(bounds.get(range), states.len())]
}

/// A layer, and what follows it.
struct Expanded {
    layer: Layer,
    /// The name of the step.
    step: String,
    /// The pieces.
    ranges: Vec<Range<usize>>,
    /// Where the ranges begin, but for the first, in which the next layer and the one behind it are merged.
    bounds: [Vec<u64>; 2],
    /// What follows a piece in these layers, sorted; `None` where another hand has left that.
    own: Vec<Option<[Vec<u64>; 2]>>,
}

impl Expanded {
    fn expand<D: Domain>(&self, piece: usize, domain: &D) -> [Vec<u64>; 2] {
        domain.expand(&self.layer[self.ranges[piece].clone()]).map(|mut states| {
            states.par_sort_unstable();
            states.dedup();
            states
        })
    }

    /// How many parts a piece has: the ranges of both layers.
    fn parts(&self) -> usize {
        self.bounds.iter().map(|bounds| bounds.len() + 1).sum()
    }

    /// Adds what follows a piece in a range of one of the layers.
    fn extend<D: Domain>(
        &mut self,
        states: &mut Vec<u64>,
        piece: usize,
        (ahead, range): (usize, usize),
        hand: &Hand<'_>,
        domain: &D,
    ) {
        if self.own[piece].is_none() {
            let before = if ahead == 0 { 0 } else { self.bounds[0].len() + 1 };
            let left = hand.taken_part(&self.step, piece as u64, before + range, self.parts());
            if left.is_some_and(|bytes| deltas::unpack(&bytes, states).is_some()) {
                return;
            }
            // What was there is gone.
            self.own[piece] = Some(self.expand(piece, domain));
        }
        if let Some(own) = &self.own[piece] {
            states.extend(part(&own[ahead], &self.bounds[ahead], range));
        }
    }
}

/// The pieces of a layer that is expanded.
struct Expanding<'a, D> {
    hand: &'a Hand<'a>,
    domain: &'a D,
    expanded: Expanded,
}

impl<D: Domain> Pieces for Expanding<'_, D> {
    fn take(&mut self, piece: u64) -> Result<bool, TableError> {
        Ok(self.hand.has_parts(&self.expanded.step, piece, self.expanded.parts()))
    }

    fn make(&mut self, piece: u64) -> Result<bool, TableError> {
        let Expanded { step, bounds, .. } = &self.expanded;
        let next = self.expanded.expand(piece as usize, self.domain);
        if self.hand.has_others() {
            let parts: Vec<Vec<u8>> = next
                .iter()
                .zip(bounds)
                .flat_map(|(states, bounds)| {
                    (0..=bounds.len()).map(move |range| deltas::pack(part(states, bounds, range)))
                })
                .collect();
            self.hand.give_parts(step, piece, &parts)?;
        }
        self.expanded.own[piece as usize] = Some(next);
        Ok(true)
    }
}

/// The pieces of a layer that is merged.
struct Merging<'a, D> {
    hand: &'a Hand<'a>,
    domain: &'a D,
    step: &'a str,
    /// What the job begins with in this layer.
    starts: Vec<u64>,
    /// What leads to it: from the next layer before it, or the one before that.
    sources: Vec<(&'a mut Expanded, usize)>,
    bounds: Vec<u64>,
    /// By range.
    merged: Vec<Vec<u64>>,
}

impl<D: Domain> Pieces for Merging<'_, D> {
    fn take(&mut self, piece: u64) -> Result<bool, TableError> {
        let Some(bytes) = self.hand.taken(self.step, piece) else { return Ok(false) };
        let merged = &mut self.merged[piece as usize];
        merged.clear();
        Ok(deltas::unpack(&bytes, merged).is_some())
    }

    fn make(&mut self, piece: u64) -> Result<bool, TableError> {
        let range = piece as usize;
        let mut states = part(&self.starts, &self.bounds, range).to_vec();
        for (source, ahead) in &mut self.sources {
            for piece in 0..source.own.len() {
                source.extend(&mut states, piece, (*ahead, range), self.hand, self.domain);
            }
        }
        // They are sorted runs: this one merges them.
        states.par_sort();
        states.dedup();
        if self.hand.has_others() {
            self.hand.give(self.step, piece, &deltas::pack(&states))?;
        }
        self.merged[range] = states;
        Ok(true)
    }
}

/// The pieces of a layer that is solved.
struct Solving<'a, D> {
    hand: &'a Hand<'a>,
    domain: &'a D,
    step: &'a str,
    above: &'a [Values; 2],
    states: &'a [u64],
    ranges: Vec<Range<usize>>,
    /// Values and best moves.
    solved: Vec<(Vec<f64>, Vec<u8>)>,
}

impl<D: Domain> Pieces for Solving<'_, D> {
    fn take(&mut self, piece: u64) -> Result<bool, TableError> {
        let Some(mut bytes) = self.hand.taken(self.step, piece) else { return Ok(false) };
        let count = self.ranges[piece as usize].len();
        if bytes.len() != count * (size_of::<f64>() + 1) {
            return Ok(false);
        }
        let moves = bytes.split_off(count * size_of::<f64>());
        let values = bytes.chunks_exact(size_of::<f64>());
        let values = values.map(|it| f64::from_le_bytes(it.try_into().unwrap_or_default()));
        self.solved[piece as usize] = (values.collect(), moves);
        Ok(true)
    }

    fn make(&mut self, piece: u64) -> Result<bool, TableError> {
        let states = &self.states[self.ranges[piece as usize].clone()];
        let value = |ahead: usize, state| self.above[ahead].get(state);
        // All that follows has been found and solved, unless somebody changed the work folder.
        let solved = self.domain.solve(states, value).ok_or_else(|| TableError::Inconsistent {
            path: self.step.into(),
            what: "positions are missing; remove the folder and begin anew".into(),
        })?;
        let values: Vec<f64> = solved.iter().map(|it| it.value).collect();
        let moves: Vec<u8> = solved.iter().map(|it: &Solved| it.best.unwrap_or(NO_MOVE)).collect();
        if self.hand.has_others() {
            let values = values.iter().flat_map(|value| value.to_le_bytes());
            let bytes: Vec<u8> = values.chain(moves.iter().copied()).collect();
            self.hand.give(self.step, piece, &bytes)?;
        }
        self.solved[piece as usize] = (values, moves);
        Ok(true)
    }
}
