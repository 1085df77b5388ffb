//! The heuristic `strong`: networks of patterns that have learned how much there is still to score.
//!
//! # The network
//! A pattern is four or six cells, and each way to fill them has a weight. The patterns are laid on
//! the board in all eight ways, and the weights are added up. All of them lie within two neighbouring
//! lines. A *pair* of lines is 32 bits: the first line in the low 16, its first cell in the lowest
//! nybble. An *outer* pair is an edge of the board and the line beside it, an *inner* pair the two
//! lines in the middle, in either order; each is read from both ends. Of every pair five patterns are
//! looked up:
//!
//! | pattern | cells of the first line | of the second |
//! |---|---|---|
//! | rectangle | 0, 1, 2 | 0, 1, 2 |
//! | axe | 0, 1, 2, 3 | 0, 1 |
//! | line | 0, 1, 2, 3 | |
//! | end | 0, 1 | 0, 1 |
//! | middle | 1, 2 | 1, 2 |
//!
//! The three of four cells are parts of the two of six. They learn sooner, and speak for fillings of
//! six cells that were hardly ever met. When a network is read, their weights are added to those of
//! the patterns that they are parts of, so that they cost nothing.
//!
//! And there are *whole* pairs, all eight cells, with a weight each, as far as they have been met often enough.
//! A board has six, however they are read: the *canonical* form of an outer pair is the smaller of its two
//! readings, of an inner pair the smallest of four.
//!
//! # Late boards
//! A second network of the same kind values boards that are near a 32768, those with all tiles from 4096
//! to 16384 and no 32768. There is little room from then on, for thousands of moves, and every tile counts.
//!
//! # The file
//! The network, then that for late boards; if that is missing, the first one values all boards. Each is
//! a zstd frame, its content little-endian:
//!
//! | part | bytes |
//! |---|---|
//! | `2048net3` | 8 |
//! | how many points a weight of 1 is worth: `f32`, a power of two | 4 |
//! | the weights of the patterns of four cells, `i16`, the low bytes | 6 · 2^16 |
//! | their high bytes | 6 · 2^16 |
//! | for each table of six cells a map of its entries, a bit for each: is the weight not 0? Entry 8j + i is bit i of byte j | 4 · 2^21 |
//! | of all weights of six cells that are not 0, `i16`, the low bytes, in the order of the maps | as many as bits are set |
//! | their high bytes | as many |
//! | how many whole pairs have a weight, outer ones and inner ones: `u32` | 4 + 4 |
//! | the outer pairs from the smallest up, each as the difference from the one before: the lowest bytes, the next, up to the highest | 4 a pair |
//! | the inner pairs in the same way | 4 a pair |
//! | the weights of the outer and then of the inner pairs, `i16`, the low bytes | 1 a pair |
//! | their high bytes | 1 a pair |
//!
//! There are two tables of each pattern, for outer and then for inner pairs, in the order of the
//! patterns above. The nybbles of an entry's number, the lowest first, are the cells of the first line
//! and then of the second.

mod round;
mod whole;

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::thread;

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::MmapMut;
use xxhash_rust::xxh3::xxh3_64;

use super::{Evaluation, HeuristicError, Ready};
use crate::games::twenty48::round::{
    Afterstate, Entries, Entry, LastRound, Missing, PLACE_BITS, place,
};
use crate::games::twenty48::{Board, Size, TallBoard};
use crate::solve::expectimax::Margins;
use whole::{WholePairs, canonical_inner, canonical_outer};

/// The networks that are used when no others are given, unpacked when they are first needed.
#[cfg(feature = "weights")]
static SHIPPED: std::sync::LazyLock<Result<Arc<Networks>, HeuristicError>> =
    std::sync::LazyLock::new(|| Networks::read(endtable_weights::STRONG).map(Arc::new));

const MAGIC: [u8; 8] = *b"2048net3";

/// Entries of a table of six cells in the file, and of one of four.
const LARGE: usize = 1 << 24;
const SMALL: usize = 1 << 16;

/// The weights of a rectangle and an axe that have five cells in common: 16 rectangles by their
/// sixth cell, then 16 axes by theirs. What a pair looks up at once is in one line of the cache.
type Block = [i16; 32];

/// A block for each filling of the five cells.
type Table = [Block; 1 << 20];

/// What a file holds.
pub(super) struct Networks {
    network: Arc<Network>,
    late: Option<Arc<Network>>,
    checksum: u64,
}

/// The weights of a network.
struct Network {
    outer: Weights,
    inner: Weights,
    scale: f32,
}

/// What pairs of one kind have of weights.
struct Weights {
    blocks: MmapMut,
    whole: WholePairs,
}

impl Weights {
    /// The weights of the patterns of four cells, as part of those of six, and of whole pairs.
    fn new(line: &[i16], end: &[i16], middle: &[i16], whole: &[(u32, i16)]) -> io::Result<Self> {
        let mut bytes = MmapMut::map_anon(size_of::<Table>())?;
        // Look-ups go everywhere: in small pages most of them would have to find the page first.
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(Advice::HugePage);
        // A block's sixth cells are the last of a line and of a middle: these side by side.
        let (line, middle) = (by_last_cell(line), by_last_cell(middle));
        let blocks: &mut [Block] = bytemuck::cast_slice_mut(&mut bytes);
        for (at, block) in blocks.iter_mut().enumerate() {
            let end = end[at & 0xff | at >> 4 & 0xff00];
            let middle = &middle[at >> 4 & 0xff | at >> 8 & 0xf00];
            let (rectangles, axes) = block.split_at_mut(16);
            for (rectangle, middle) in rectangles.iter_mut().zip(middle) {
                *rectangle = end.saturating_add(*middle);
            }
            axes.copy_from_slice(&line[at & 0xfff]);
        }
        Ok(Self { blocks: bytes, whole: WholePairs::new(whole)? })
    }

    /// Adds the weights of six cells that a map tells: of rectangles or of axes.
    fn add(&mut self, axes: bool, map: &[u8], weights: &mut impl Iterator<Item = i16>) {
        let blocks: &mut [Block] = bytemuck::cast_slice_mut(&mut self.blocks);
        for (entries, map) in map.as_chunks().0.iter().enumerate() {
            let mut map = u64::from_le_bytes(*map);
            while map != 0 {
                let entry = 64 * entries + map.trailing_zeros() as usize;
                map &= map - 1;
                let (block, at) = if axes {
                    (entry & 0xfff | entry >> 4 & 0xf_f000, 16 | entry >> 12 & 15)
                } else {
                    (entry & 0xf_ffff, entry >> 20)
                };
                let weight = &mut blocks[block][at];
                *weight = weight.saturating_add(weights.next().expect("as many as bits"));
            }
        }
    }

    #[inline(always)]
    fn table(&self) -> &Table {
        bytemuck::cast_slice(&self.blocks).try_into().expect("as many as asked for")
    }
}

/// The number of the block of a pair.
#[inline(always)]
const fn block_of(pair: u32) -> usize {
    (pair & 0xfff | pair >> 4 & 0xf_f000) as usize
}

/// The rectangle and the axe of a pair read one way.
#[inline(always)]
fn patterns(table: &Table, pair: u32) -> i32 {
    let block = &table[block_of(pair)];
    let rectangle = block[(pair >> 24 & 15) as usize];
    let axe = block[(pair >> 12 & 15 | 16) as usize];
    i32::from(rectangle) + i32::from(axe)
}

/// The patterns of a pair read from both ends.
#[inline(always)]
fn both_ends(table: &Table, pair: u32) -> i32 {
    patterns(table, pair) + patterns(table, mirror(pair))
}

/// What an outer pair is worth; the edge comes first.
#[inline(always)]
fn outer(weights: &Weights, pair: u32) -> i32 {
    both_ends(weights.table(), pair) + weights.whole.weight(canonical_outer(pair))
}

/// What an inner pair is worth.
#[inline(always)]
fn inner(weights: &Weights, pair: u32) -> i32 {
    let table = weights.table();
    let patterns = both_ends(table, pair) + both_ends(table, pair.rotate_left(16));
    patterns + weights.whole.weight(canonical_inner(pair))
}

impl Networks {
    /// The shipped ones.
    pub fn shipped() -> Result<Arc<Self>, HeuristicError> {
        #[cfg(feature = "weights")]
        return SHIPPED.clone();
        #[cfg(not(feature = "weights"))]
        Err(HeuristicError::NoWeights)
    }

    /// Networks from what a file holds.
    pub fn read(file: &[u8]) -> Result<Self, HeuristicError> {
        let (network, rest) = Unpacked::read(file)?;
        let (late, rest) = match rest {
            [] => (None, rest),
            _ => Unpacked::read(rest).map(|(late, rest)| (Some(late), rest))?,
        };
        if !rest.is_empty() {
            return Err(HeuristicError::Network("it is too long".into()));
        }
        // Not on the threads of rayon: while one waits there, it may take up work that waits for this.
        let (network, late) = thread::scope(|scope| {
            let late = late.map(|late| scope.spawn(move || late.network()));
            (network.network(), late.map(|late| late.join().expect("nothing panics there")))
        });
        Ok(Self { network: network?, late: late.transpose()?, checksum: xxh3_64(file) })
    }

    /// As a search uses them.
    pub fn ready(&self) -> Ready {
        let strong = |network: &Arc<Network>| Strong { network: network.clone() };
        Ready::Strong { strong: strong(&self.network), late: self.late.as_ref().map(strong) }
    }
}

/// What a frame holds.
struct Unpacked {
    scale: f32,
    small: Vec<i16>,
    maps: Vec<u8>,
    /// The low bytes, then the high bytes.
    large: [Vec<u8>; 2],
    /// Outer and inner ones, with their weights.
    whole: [Vec<(u32, i16)>; 2],
}

impl Unpacked {
    /// The first frame, and what follows it.
    fn read(file: &[u8]) -> Result<(Self, &[u8]), HeuristicError> {
        let damaged = |error: io::Error| HeuristicError::Network(error.to_string());
        let mut content = zstd::Decoder::with_buffer(file).map_err(damaged)?.single_frame();
        let mut part = |len: usize| {
            let mut bytes = vec![0; len];
            content.read_exact(&mut bytes).map_err(damaged).map(|()| bytes)
        };
        if part(MAGIC.len())? != MAGIC {
            return Err(HeuristicError::Network("it begins otherwise".into()));
        }
        let scale = f32::from_le_bytes(part(4)?.try_into().expect("four bytes"));
        // Powers of two keep sums exact, in whatever order they are added up.
        if !scale.is_normal() || scale < 0.0 || scale.to_bits().trailing_zeros() < 23 {
            return Err(HeuristicError::Network(format!("a scale of {scale}")));
        }
        let (low, high) = (part(6 * SMALL)?, part(6 * SMALL)?);
        let small = joined(&low, &high).collect();
        let maps = part(4 * LARGE / 8)?;
        let count = maps.iter().map(|map| map.count_ones() as usize).sum();
        let large = [part(count)?, part(count)?];
        let counts = [part(4)?, part(4)?];
        let counts = counts.map(|count| u32::from_le_bytes(count.try_into().expect("four bytes")));
        if let Some(count) = counts.into_iter().find(|&count| count > MOST_PAIRS) {
            return Err(HeuristicError::Network(format!("{count} pairs")));
        }
        let [outer, inner] = counts.map(|count| count as usize);
        let pairs = [part(4 * outer)?, part(4 * inner)?];
        let (low, high) = (part(outer + inner)?, part(outer + inner)?);
        let mut weights = joined(&low, &high);
        let mut whole = [const { Vec::new() }; 2];
        for (whole, differences) in whole.iter_mut().zip(&pairs) {
            let pairs = ascending(differences)
                .ok_or_else(|| HeuristicError::Network("pairs out of order".into()))?;
            *whole = pairs.into_iter().zip(&mut weights).collect();
        }
        // Only at its end does the frame tell whether its checksum is right.
        if content.read(&mut [0]).map_err(damaged)? != 0 {
            return Err(HeuristicError::Network("it is too long".into()));
        }
        Ok((Self { scale, small, maps, large, whole }, content.finish()))
    }

    fn network(&self) -> Result<Arc<Network>, HeuristicError> {
        let memory = |error: io::Error| HeuristicError::Memory(error.to_string());
        let [outer_line, inner_line, outer_end, inner_end, outer_middle, inner_middle] =
            std::array::from_fn(|table| &self.small[table * SMALL..][..SMALL]);
        let [whole_outer, whole_inner] = &self.whole;
        let mut outer =
            Weights::new(outer_line, outer_end, outer_middle, whole_outer).map_err(memory)?;
        let mut inner =
            Weights::new(inner_line, inner_end, inner_middle, whole_inner).map_err(memory)?;
        let [low, high] = &self.large;
        let mut weights = joined(low, high);
        for (table, map) in self.maps.chunks_exact(LARGE / 8).enumerate() {
            let kind = if table % 2 == 0 { &mut outer } else { &mut inner };
            kind.add(table / 2 == 1, map, &mut weights);
        }
        Ok(Arc::new(Network { outer, inner, scale: self.scale }))
    }
}

/// The board that is searched instead of a board. A board plays much like the one in which all tiles
/// above a missing one are halved: across the gap nothing merges before the missing tile is made. So
/// tiles are halved above the largest gap, and above the next one, until there is no 16384 or no gap any
/// more. The first network has learned games that go on with such a board as soon as there is a 16384.
///
/// Equal tiles stay equal and different ones different: the legal moves are the same, but for two 32768s
/// above which and below which there is no gap: no nybble holds what they merge to.
pub(super) fn familiar(board: TallBoard) -> Board {
    halved(board, RARE)
}

/// The board for the second network that is searched instead of a board, if there is one: with all
/// tiles from 4096 to 16384, and no larger one that stays so when the tiles above gaps are halved.
pub(super) fn late(board: TallBoard) -> Option<Board> {
    let board = halved(board, RARE + 1);
    (board.tiles() >> 12 == 0b0111).then_some(board)
}

/// A board with its tiles above gaps halved until none is as large, or there is no gap any more.
fn halved(board: TallBoard, large: u8) -> Board {
    if let Some(board) = board.small()
        && board.highest() < large
    {
        return board;
    }
    let mut exponents = board.exponents();
    loop {
        let tiles = exponents.iter().fold(0u32, |tiles, exponent| tiles | 1 << exponent);
        let highest = tiles.ilog2() as u8;
        let gap = (SMALLEST_GAP..highest).rev().find(|exponent| tiles >> exponent & 1 == 0);
        let Some(gap) = gap.filter(|_| highest >= large) else { break };
        exponents = exponents.map(|exponent| exponent - u8::from(exponent > gap));
    }
    let nybbles = exponents.map(|exponent| u64::from(exponent.min(LARGEST)));
    Board(nybbles.iter().rev().fold(0, |board, nybble| board << 4 | nybble))
}

/// The exponent of tiles that the first network hardly knows.
const RARE: u8 = 14;

/// The exponent of the largest tile there is.
const LARGEST: u8 = Size::FULL.highest();

/// The exponent of the smallest tile whose absence is a gap. Smaller ones come and go.
const SMALLEST_GAP: u8 = 6;

/// The most whole pairs of a kind that a file may have: more would be more than a search has room for.
const MOST_PAIRS: u32 = 1 << 25;

/// Pairs from the bytes of their differences, if each is larger than the one before.
fn ascending(differences: &[u8]) -> Option<Vec<u32>> {
    let count = differences.len() / 4;
    let mut pairs: Vec<u32> = Vec::with_capacity(count);
    for at in 0..count {
        let difference =
            u32::from_le_bytes(std::array::from_fn(|byte| differences[byte * count + at]));
        pairs.push(match pairs.last() {
            Some(last) => last.checked_add(difference).filter(|pair| pair > last)?,
            None => difference,
        });
    }
    Some(pairs)
}

/// Weights from their low and high bytes.
fn joined(low: &[u8], high: &[u8]) -> impl Iterator<Item = i16> {
    low.iter().zip(high).map(|(&low, &high)| i16::from_le_bytes([low, high]))
}

/// The weights of four cells by the first three; for each of these, by the last.
fn by_last_cell(weights: &[i16]) -> Vec<[i16; 16]> {
    let count = weights.len() / 16;
    (0..count).map(|first| std::array::from_fn(|last| weights[last * count + first])).collect()
}

/// Both lines read from their other ends.
#[inline(always)]
const fn mirror(pair: u32) -> u32 {
    let pair = (pair & 0x0f0f_0f0f) << 4 | pair >> 4 & 0x0f0f_0f0f;
    (pair & 0x00ff_00ff) << 8 | pair >> 8 & 0x00ff_00ff
}

impl PartialEq for Networks {
    fn eq(&self, other: &Self) -> bool {
        self.checksum == other.checksum
    }
}

/// The checksum of their file.
impl fmt::Display for Networks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.checksum)
    }
}

impl fmt::Debug for Networks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Networks({self})")
    }
}

/// A network as a search uses it.
pub(in crate::games::twenty48) struct Strong {
    network: Arc<Network>,
}

/// Pairs of lines met, with what they are worth: the boards of a search have most of theirs in
/// common. The memory of a thread, so small that it stays in the nearer caches.
pub(in crate::games::twenty48) struct Pairs {
    outer: Memory,
    inner: Memory,
}

/// What pairs of one kind were found to be worth, by a hash; the last one stays.
struct Memory {
    known: Box<Entries>,
    /// Those that a round has not found, each with the place among its sums where it belongs.
    missing: Missing,
    /// How many of them have been fetched.
    fetched: usize,
}

impl Memory {
    /// The empty pair in all places: right in its own, and never looked for elsewhere.
    fn new(worth: i32) -> Self {
        let known = vec![Entry { key: 0, value: worth }; 1 << PLACE_BITS];
        let known = known.try_into().ok().expect("as many as asked for");
        Self { known, missing: Missing::new(), fetched: 0 }
    }

    fn worth(&mut self, pair: u32, worth: impl FnOnce(u32) -> i32) -> i32 {
        let known = &mut self.known[place(pair)];
        if known.key != pair {
            *known = Entry { key: pair, value: worth(pair) };
        }
        known.value
    }
}

impl Evaluation for Strong {
    const SCORES: bool = true;
    const FORESEES: bool = true;
    // Moves that fill cells as the network has hardly ever seen look far worse than they are. With these
    // margins a search chooses as well as one that leaves nothing out; with half of them it does not.
    const MARGINS: Option<Margins> =
        Some(Margins { glance: 60_000.0, round: 20_000.0, first: 8_000.0 });
    type Memory = Pairs;

    fn memory(&self) -> Pairs {
        let outer = Memory::new(outer(&self.network.outer, 0));
        let inner = Memory::new(inner(&self.network.inner, 0));
        Pairs { outer, inner }
    }

    // The last round looks up pairs by itself: boards are only valued as a whole.
    fn without<const AXIS: usize>(&self, _along: u64, _y: usize) -> f32 {
        0.0
    }

    fn with<const AXIS: usize>(
        &self,
        along: u64,
        across: u64,
        _y: usize,
        pairs: &mut Pairs,
    ) -> f32 {
        let outer = |pair| outer(&self.network.outer, pair);
        let inner = |pair| inner(&self.network.inner, pair);
        let worth = [along, across].map(|lines| {
            pairs.outer.worth(lines as u32, outer)
                + pairs.inner.worth((lines >> 16) as u32, inner)
                + pairs.outer.worth(((lines >> 32) as u32).rotate_left(16), outer)
        });
        (worth[0] + worth[1]) as f32 * self.network.scale
    }

    #[inline]
    fn last_round(&self, round: &LastRound, after: Afterstate, pairs: &mut Pairs) -> [f64; 2] {
        round.sums(round::Round::new(&self.network, pairs), after)
    }
}

#[cfg(test)]
mod tests {
    use super::ascending;

    /// The four bytes of all differences, the lowest first.
    fn planes(differences: &[u32]) -> Vec<u8> {
        (0..4).flat_map(|byte| differences.iter().map(move |it| it.to_le_bytes()[byte])).collect()
    }

    #[test]
    fn pairs_ascend_or_the_file_is_damaged() {
        let pairs = |differences: &[u32]| ascending(&planes(differences));
        assert_eq!(pairs(&[]), Some(vec![]));
        assert_eq!(pairs(&[0, 1, 0x1_0203, 1 << 24]), Some(vec![0, 1, 0x1_0204, 0x101_0204]));
        assert_eq!(pairs(&[7, u32::MAX - 7]), Some(vec![7, u32::MAX]));
        assert_eq!(pairs(&[7, u32::MAX - 6]), None);
        assert_eq!(pairs(&[7, 0]), None);
    }
}
