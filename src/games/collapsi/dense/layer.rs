//! Solving a layer from the one below it.
//!
//! A layer in memory is one byte a position, its **score**, which orders outcomes by what the
//! mover likes: 0 lost at once, 7 lost after 14 plies, then 8 won after 13 plies, 14 won at once.
//! A mover picks the child that is worst for its opponent, so a score is a function of the least
//! child's score, and a minimum over children is one instruction for sixteen of them.
//!
//! That is how the solver works: on **rows**, the positions that differ only in which of the row's
//! cells hold the fours and which the twos. There are at most 15 and they stand together. A move
//! takes a row into one row of the layer below, or two if it ends on a cell of the row: one with a
//! two there and one with a four. So reading the children of a whole row is a load and a byte
//! shuffle, or two, for each destination.

use std::io;
use std::mem;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::MmapMut;
use rayon::prelude::*;

use super::cube::{COMPOSE, Cell, Mask, SIGMA, SIGMAS, Sigma, cells, permute, relabel, translate};
use super::index::{
    ACE, Blocks, FOUR, Group, Index, JOKER, MAX_ROW, NONE, SECTIONS, Section, THREE, TWO, sections,
};
use super::machine::{LANES, Machine, solve_best};
use super::{Layer, Rules};
use crate::games::collapsi::moves::Paths;
use crate::games::collapsi::{Cell as GridCell, Mask as GridMask};
use crate::job::Progress;

/// The longest block: twos, threes and fours on nine or ten cells.
const MAX_BLOCK: usize = 3150;
/// About how many positions a thread solves at once: enough that the moves of a section, which are found
/// once, do not show, and few enough that threads end together.
const TASK: usize = 1 << 16;
/// More than any score: there is no child.
const NO_CHILD: u8 = 15;

/// The score of a mover whose least child has score `i`: won in one ply more than the child is
/// lost, or lost in one ply more than it is won, or lost at once for want of a child.
const FROM_LEAST: [u8; LANES] = {
    let mut table = [0; LANES];
    let mut i = 0;
    while i < LANES as u8 {
        table[i as usize] = if i < 8 { 14 - i } else { 15 - i };
        i += 1;
    }
    table
};

/// Plies to the end for a score: even for a loss, odd for a win.
const PLIES: [u8; LANES] = [0, 2, 4, 6, 8, 10, 12, 14, 13, 11, 9, 7, 5, 3, 1, 0];

/// The score of a position that ends after so many plies: the inverse of [`PLIES`].
const SCORES: [u8; LANES] = {
    let mut table = [0; LANES];
    let mut score = 14;
    while score > 0 {
        table[PLIES[score] as usize] = score as u8;
        score -= 1;
    }
    table
};

/// A solved layer in memory: a byte for each position.
#[derive(Debug)]
pub struct Scores {
    /// Padded at the end, so that any row can be loaded whole.
    bytes: MmapMut,
}

impl Scores {
    /// Room for so many positions, all lost at once.
    ///
    /// # Errors
    /// When there is not so much memory.
    pub fn new(len: u64) -> io::Result<Self> {
        let bytes = MmapMut::map_anon(len as usize + LANES)?;
        // A gigabyte in small pages costs a second to touch. Where there are no others, so be it.
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(Advice::HugePage);
        Ok(Self { bytes })
    }

    /// A score for each position: what [`plies`](Self::plies) understands.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.bytes.len() - LANES]
    }

    /// The same, to be filled by [`score`](Self::score).
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        let len = self.bytes.len() - LANES;
        &mut self.bytes[..len]
    }

    /// Plies to the end for a score: odd if the mover wins.
    #[must_use]
    pub const fn plies(score: u8) -> u8 {
        PLIES[(score & 15) as usize]
    }

    /// The score for plies to the end, 0 to 14.
    #[must_use]
    pub const fn score(plies: u8) -> u8 {
        SCORES[(plies & 15) as usize]
    }
}

/// What becomes of a row's cells under a symmetry.
#[derive(Clone, Copy, Default)]
struct Turn {
    /// The row's cells afterwards.
    row: Mask,
    /// The number of the permutation of its cells.
    shuffle: u16,
}

/// `ROW_NUMBER[m]`: a number for each set of at most six cells.
static ROW_NUMBER: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let mut next = 0;
    (0..=Mask::MAX)
        .map(|m| {
            let small = m.count_ones() as usize <= MAX_ROW;
            next += small as u16;
            next - small as u16
        })
        .collect()
});

/// `TURNS[t][sigma][number]`: what `x -> sigma(x ^ t)` does to a row, for the translations that
/// bring the other pawn's cell (1, 3, 7, 15) to 0; `t` counts its bits, less one.
static TURNS: LazyLock<Vec<Vec<Vec<Turn>>>> = LazyLock::new(|| {
    let turn = |row: Mask, t: Cell, sigma: usize| {
        let image: Vec<Cell> = cells(row).map(|x| SIGMA[sigma][(x ^ t) as usize]).collect();
        let shuffle = shuffle_number(&image) as u16;
        Turn { row: image.iter().fold(0, |m, x| m | 1 << x), shuffle }
    };
    let rows: Vec<Mask> = (0..=Mask::MAX).filter(|m| m.count_ones() as usize <= MAX_ROW).collect();
    [1, 3, 7, 15]
        .map(|t| (0..SIGMAS).map(|s| rows.iter().map(|&r| turn(r, t, s)).collect()).collect())
        .into()
});

/// The number of a permutation of up to six things, given by any keys in its order: those of
/// fewer things first, then by the count of greater keys before each (its Lehmer code).
fn shuffle_number(keys: &[u8]) -> usize {
    let (mut number, mut factorial) = (0, 1);
    // 0! + 1! + ... + (r-1)! permutations have fewer things.
    let mut fewer = 0;
    for (i, key) in keys.iter().enumerate() {
        number += factorial * keys[..i].iter().filter(|k| *k > key).count();
        fewer += factorial;
        factorial *= i + 1;
    }
    fewer + number
}

/// Permutations of at most six things.
const PERMUTATIONS: usize = 874;
/// Permutations of at most five things.
const SHORT_PERMUTATIONS: usize = 154;

/// How the entries of a section's rows follow from those of the rows below.
struct Shuffles {
    /// The move does not end in the row. By permutation of the row's cells.
    same: Vec<[u8; LANES]>,
    /// The move ends in the row, on a two or on a four. By the end's place in the row, then by
    /// permutation of the other cells.
    two: Vec<[u8; LANES]>,
    four: Vec<[u8; LANES]>,
}

/// By the mover's card, then the other's.
static SHUFFLES: LazyLock<[[Shuffles; 5]; 5]> =
    LazyLock::new(|| std::array::from_fn(|v| std::array::from_fn(|w| Shuffles::new(v, w))));

impl Shuffles {
    fn new(v: usize, w: usize) -> Self {
        /// The shuffle result for an entry that comes from elsewhere.
        const ZERO: u8 = 0x80;
        let parent = &SECTIONS[v][w];
        // Below, the other is the mover; its new opponent stands where the move ended.
        let [same, two, four] = [ACE, TWO, FOUR].map(|end| &SECTIONS[w][end]);
        let mut all = Shuffles {
            same: vec![[0; LANES]; PERMUTATIONS],
            two: vec![[ZERO; LANES]; MAX_ROW * SHORT_PERMUTATIONS],
            four: vec![[ZERO; LANES]; MAX_ROW * SHORT_PERMUTATIONS],
        };
        for r in 0..=MAX_ROW {
            each_permutation(&mut (0..r as u8).collect(), 0, &mut |keys| {
                let number = shuffle_number(keys);
                let turn = |fours| cells(fours).fold(0, |m, x| m | 1usize << keys[x as usize]);
                for (fours, to) in entries(parent, r) {
                    all.same[number][to] = same.fours[r][turn(fours)] as u8;
                }
                if r == MAX_ROW {
                    return;
                }
                for place in 0..=r {
                    for (fours, to) in entries(parent, r + 1) {
                        let below = fours & ((1 << place) - 1);
                        let rest = turn(below | (fours >> (place + 1)) << place);
                        let at = place * SHORT_PERMUTATIONS + number;
                        if fours >> place & 1 == 0 {
                            all.two[at][to] = two.fours[r][rest] as u8;
                        } else {
                            all.four[at][to] = four.fours[r][rest] as u8;
                        }
                    }
                }
            });
        }
        all
    }
}

/// The entries of a section's rows of `r` cells: fours and place.
fn entries(section: &Section, r: usize) -> impl Iterator<Item = (Mask, usize)> {
    (0..).zip(&section.fours[r]).filter(|(_, to)| **to != NONE).map(|(m, to)| (m, *to as usize))
}

fn each_permutation(keys: &mut Vec<u8>, fixed: usize, visit: &mut impl FnMut(&[u8])) {
    if fixed == keys.len() {
        return visit(keys);
    }
    for i in fixed..keys.len() {
        keys.swap(fixed, i);
        each_permutation(keys, fixed + 1, visit);
        keys.swap(fixed, i);
    }
}

/// The layer below, for all tasks of a layer.
pub struct Children<'a> {
    index: &'a Index,
    scores: &'a [u8],
    rules: Rules,
}

/// Blocks of a section of a group, and the room for their scores.
pub struct Task<'a> {
    group: &'a Group,
    mover_card: usize,
    other_card: usize,
    blocks: Blocks<'a>,
    /// How many scores of the first block are not asked for.
    skipped: usize,
    /// Ends where those of the last block end, or before.
    out: &'a mut [u8],
}

/// A destination of a move, for a whole section.
struct Way<'a> {
    group: &'a Group,
    sigma: Sigma,
    end: Mask,
}

/// Where rows are found in a block of the layer below.
#[derive(Clone, Copy)]
struct Block {
    start: usize,
    rows: &'static [u16],
}

/// A destination of a move, for all rows of a block.
struct Target {
    turns: &'static [Turn],
    /// The cells below that hold neither a pawn nor an ace.
    open: Mask,
    /// The destination, if it can lie in a row.
    end: Mask,
    /// The block for an end outside the row, then those for an end on a two and a four of the row.
    same: Block,
    two: Block,
    four: Block,
}

impl Way<'_> {
    fn target(&self, machine: impl Machine, aces: Mask, other: Cell, other_card: usize) -> Target {
        let turned = permute(self.sigma, translate(aces & !self.end, other));
        let place = self.group.place(machine.pext(turned, self.group.cells));
        let sigma = COMPOSE[place.sigma as usize][self.sigma as usize];
        let open = self.group.cells & !permute(place.sigma, turned);
        let block = |end_card: usize| Block {
            start: self.group.block(other_card, end_card, &place) as usize,
            rows: &SECTIONS[other_card][end_card].rows[open.count_ones() as usize],
        };
        let on_ace = aces & self.end != 0;
        Target {
            turns: &TURNS[other.count_ones() as usize - 1][sigma as usize],
            open,
            end: if on_ace { 0 } else { self.end },
            same: block(if on_ace { ACE } else { THREE }),
            two: block(TWO),
            four: block(FOUR),
        }
    }
}

/// The scores of a row from those below.
#[inline(always)]
fn solve_row<M: Machine>(
    machine: M,
    row: Mask,
    targets: &[Target],
    below: &[u8],
    numbers: &[u16],
    shuffles: &Shuffles,
) -> M::Row {
    let mut least = machine.load(&[NO_CHILD; LANES]);
    for target in targets {
        let turn = target.turns[numbers[(row & !target.end) as usize] as usize];
        let squeezed = machine.pext(turn.row, target.open) as usize;
        let read = |block: &Block, shuffle: &[u8; LANES]| {
            let at = block.start + block.rows[squeezed] as usize;
            let child = machine.load(below[at..][..LANES].try_into().expect("sixteen bytes"));
            machine.shuffle(child, machine.load(shuffle))
        };
        let number = turn.shuffle as usize;
        let score = if row & target.end == 0 {
            read(&target.same, &shuffles.same[number])
        } else {
            let place = (row & (target.end - 1)).count_ones() as usize;
            let number = place * SHORT_PERMUTATIONS + number;
            let two = read(&target.two, &shuffles.two[number]);
            let four = read(&target.four, &shuffles.four[number]);
            machine.or(two, four)
        };
        least = machine.min(least, score);
    }
    machine.shuffle(machine.load(&FROM_LEAST), least)
}

#[inline(always)]
pub fn solve_task<M: Machine>(machine: M, task: Task<'_>, children: &Children<'_>) {
    let Task { group, mover_card, other_card, blocks, mut skipped, mut out } = task;
    let (alive, other) = (group.alive, group.other);
    let ways: Vec<Way<'_>> = cells(ends(alive, other, mover_card, children.rules))
        .map(|end| {
            let (group, sigma) = children.index.group(alive & !1, other, end);
            Way { group, sigma, end: 1 << end }
        })
        .collect();
    let section = &SECTIONS[mover_card][other_card];
    let (shuffles, numbers) = (&SHUFFLES[mover_card][other_card], &ROW_NUMBER[..]);
    // A row is stored as a whole vector, over the beginning of the next; hence the room behind.
    let mut scores = vec![0; MAX_BLOCK + LANES];
    let mut targets = Vec::with_capacity(16);
    for &aces in blocks.aces {
        let aces = machine.pdep(aces, group.cells);
        let open = group.cells & !aces;
        let rows = &section.rows[open.count_ones() as usize];
        targets.clear();
        targets.extend(ways.iter().map(|way| way.target(machine, aces, other, other_card)));
        for (row, &start) in (0..).zip(rows).filter(|(_, start)| **start != NONE) {
            let row = machine.pdep(row, open);
            let score = solve_row(machine, row, &targets, children.scores, numbers, shuffles);
            let to = &mut scores[start as usize..][..LANES];
            machine.store(score, to.try_into().expect("sixteen bytes"));
        }
        let solved = &scores[mem::take(&mut skipped)..blocks.len];
        let (here, rest) = out.split_at_mut(solved.len().min(out.len()));
        here.copy_from_slice(&solved[..here.len()]);
        out = rest;
    }
}

/// Where a mover on cell 0 can go.
fn ends(alive: Mask, other: Cell, card: usize, rules: Rules) -> Mask {
    let (alive, from) = (GridMask(relabel(alive)), GridCell::low_bits(0));
    let reached = match (card, rules) {
        (JOKER, Rules::Wild) => Paths::get().after_any(alive, from),
        (JOKER, Rules::One) => Paths::get().after(alive, from, 1),
        (card, _) => Paths::get().after(alive, from, card as u8 + 1),
    };
    relabel(reached.0) & !(1 << other)
}

/// Solves a layer from the one below it, which only the lowest layer lacks. The threads are
/// rayon's. `None` when `stop` was set before the end.
///
/// # Errors
/// When there is not enough memory.
///
/// # Panics
/// When `below` has another length than the layer below.
pub fn solve_layer(
    index: &super::Index,
    layer: Layer,
    below: Option<&Scores>,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> io::Result<Option<Scores>> {
    let len = index.len(layer.cards());
    let mut solved = Scores::new(len)?;
    progress.begin(&format!("layer {layer}"), len, 0);
    let all = solve_part(index, layer, below, solved.as_mut_slice(), 0..len, stop, progress);
    progress.end();
    Ok(all.then_some(solved))
}

/// Solves a part of a layer, as [`solve_layer`] does the whole: `solved` is the room for the scores of the part
/// alone. `false` when `stop` was set before the end.
///
/// # Panics
/// When `below` has another length than the layer below, `solved` another one than the part, or the layer ends
/// before the part.
pub fn solve_part(
    index: &super::Index,
    layer: Layer,
    below: Option<&Scores>,
    solved: &mut [u8],
    part: Range<u64>,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> bool {
    let below_len = layer.below().map_or(0, |below| index.len(below.cards()));
    let below = below.filter(|_| below_len > 0);
    assert_eq!(below.map_or(0, |scores| scores.as_slice().len() as u64), below_len);
    assert!(part.end <= index.len(layer.cards()) && solved.len() as u64 == part.end - part.start);
    let index = &index.0;
    let scores = below.map_or(&[][..], |scores| &scores.bytes);
    let children = Children { index, scores, rules: layer.rules().unwrap_or_default() };
    let tasks = tasks(index, usize::from(layer.cards()), &part, solved);
    tasks.into_par_iter().for_each(|task| {
        if !stop.load(Ordering::Relaxed) {
            let positions = task.out.len() as u64;
            solve_best(task, &children);
            progress.advance(positions, positions);
        }
    });
    !stop.load(Ordering::Relaxed)
}

/// Cuts a part of a layer into tasks.
fn tasks<'a>(
    index: &'a Index,
    k: usize,
    part: &Range<u64>,
    mut out: &'a mut [u8],
) -> Vec<Task<'a>> {
    let groups = &index.layers[k].groups;
    let first = groups.partition_point(|group| group.base <= part.start).saturating_sub(1);
    let groups = groups[first..].iter().take_while(|group| group.base < part.end);
    let sections = groups.flat_map(|group| sections(k).map(move |(v, w)| (group, v, w)));
    let mut tasks = Vec::new();
    for (group, mover_card, other_card) in sections {
        for Blocks { start, len, aces } in group.blocks(mover_card, other_card) {
            let most = (TASK / len).max(1);
            for (start, aces) in (start..).step_by(most * len).zip(aces.chunks(most)) {
                let end = start + (aces.len() * len) as u64;
                let here = start.max(part.start)..end.min(part.end);
                if here.is_empty() {
                    continue;
                }
                let asked = (here.start - start) as usize..(here.end - start) as usize;
                let first = asked.start / len;
                let aces = &aces[first..asked.end.div_ceil(len)];
                let blocks = Blocks { start: start + (first * len) as u64, len, aces };
                let (here, rest) = out.split_at_mut(asked.len());
                out = rest;
                let skipped = asked.start % len;
                tasks.push(Task { group, mover_card, other_card, blocks, skipped, out: here });
            }
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::collapsi::dense::machine::Portable;
    use crate::job::Quiet;
    use crate::random::SplitMix64;

    /// The portable code and the machine's own do the same.
    #[test]
    fn machines_agree() {
        let index = crate::games::collapsi::Index::new();
        let mut below: Option<Scores> = None;
        for layer in Layer::all().take_while(|layer| layer.cards() <= 6) {
            let go_on = AtomicBool::new(false);
            let solved = solve_layer(&index, layer, below.as_ref(), &go_on, &Quiet);
            let solved = solved.unwrap().unwrap();
            let len = index.len(layer.cards());
            let mut portable = vec![0; len as usize];
            let scores = below.as_ref().map_or(&[][..], |scores| &scores.bytes);
            let children = Children { index: &index.0, scores, rules: Rules::One };
            for task in tasks(&index.0, usize::from(layer.cards()), &(0..len), &mut portable) {
                solve_task(Portable, task, &children);
            }
            assert_eq!(&portable[..], solved.as_slice());
            below = Some(solved);
        }
    }

    /// Parts that begin and end anywhere, within a block, too.
    #[test]
    fn parts_are_what_the_whole_has_there() {
        let index = crate::games::collapsi::Index::new();
        let (go_on, mut random) = (AtomicBool::new(false), SplitMix64::new(9));
        let mut below: Option<Scores> = None;
        for layer in Layer::all().take_while(|layer| layer.cards() <= 7) {
            let whole = solve_layer(&index, layer, below.as_ref(), &go_on, &Quiet);
            let whole = whole.unwrap().unwrap();
            let len = index.len(layer.cards());
            for round in 0..20 {
                let length = random.below(len.min(2 << round) + 1);
                let start = random.below(len - length + 1);
                let part = start..start + length;
                let mut solved = vec![NO_CHILD; length as usize];
                let numbers = start as usize..part.end as usize;
                let below = below.as_ref();
                assert!(solve_part(&index, layer, below, &mut solved, part, &go_on, &Quiet));
                assert!(solved == whole.as_slice()[numbers.clone()], "{layer}: {numbers:?}");
            }
            below = Some(whole);
        }
    }

    #[test]
    fn scores_and_plies_are_inverse() {
        assert!((0..=14).all(|plies| Scores::plies(Scores::score(plies)) == plies));
    }
}
