//! The heuristic `strong`: a network of patterns that has learned how much there is still to score.
//!
//! # The network
//! A pattern is six cells, and each of the 2^24 ways to fill them has a weight. Four patterns are
//! laid on the board in all eight ways, and the 32 weights are added up. All of them lie within two
//! neighbouring lines. A *pair* of lines is 32 bits: the first line in the low 16, its first cell in
//! the lowest nybble. Of each pair two patterns are looked up: the *rectangle*, cells 0 to 2 of both
//! lines, and the *axe*, the whole first line and cells 0 and 1 of the second. An *outer* pair is an
//! edge of the board and the line beside it, an *inner* pair the two lines in the middle, in either
//! order; each is read from both ends.
//!
//! # The file
//! One zstd frame, its content little-endian:
//!
//! | part | bytes |
//! |---|---|
//! | `2048net1` | 8 |
//! | how many points a weight of 1 is worth: `f32`, a power of two | 4 |
//! | for each table a map of its entries, a bit for each: is the weight not 0? Entry 8j + i is bit i of byte j | 4 · 2^21 |
//! | of all weights that are not 0, `i16`, the low bytes, in the order of the maps | as many as bits are set |
//! | their high bytes | as many |
//!
//! The tables are those of outer rectangle, outer axe, inner rectangle and inner axe. The nybbles of
//! an entry's number, the lowest first, are the cells of the first line and then of the second.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, LazyLock};

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::MmapMut;
use xxhash_rust::xxh3::xxh3_64;

use super::{Evaluation, HeuristicError};

/// The network that is used when no other is given, unpacked when it is first needed.
static SHIPPED: LazyLock<Result<Arc<Network>, HeuristicError>> =
    LazyLock::new(|| Network::read(include_bytes!("strong.weights")).map(Arc::new));

const MAGIC: [u8; 8] = *b"2048net1";

/// Entries of a table in the file.
const ENTRIES: usize = 1 << 24;

/// The weights of a rectangle and an axe that have five cells in common: 16 rectangles by their
/// sixth cell, then 16 axes by theirs. What a pair looks up at once is in one line of the cache.
type Block = [i16; 32];

/// A block for each filling of the five cells.
const BLOCKS: usize = 1 << 20;

/// The weights of a network.
pub(super) struct Network {
    outer: Blocks,
    inner: Blocks,
    scale: f32,
    checksum: u64,
}

struct Blocks(MmapMut);

impl Blocks {
    fn new() -> io::Result<Self> {
        let bytes = MmapMut::map_anon(BLOCKS * size_of::<Block>())?;
        // Look-ups go everywhere: in small pages most of them would have to find the page first.
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(Advice::HugePage);
        Ok(Self(bytes))
    }

    #[inline(always)]
    fn blocks(&self) -> &[Block] {
        bytemuck::cast_slice(&self.0)
    }

    /// The rectangle and the axe of a pair read one way.
    #[inline(always)]
    fn patterns(&self, pair: u32) -> i32 {
        let block = &self.blocks()[(pair & 0xfff | pair >> 4 & 0xf_f000) as usize];
        let rectangle = block[(pair >> 24 & 15) as usize];
        let axe = block[(pair >> 12 & 15 | 16) as usize];
        i32::from(rectangle) + i32::from(axe)
    }
}

impl Network {
    /// The shipped one.
    pub fn shipped() -> Result<Arc<Self>, HeuristicError> {
        SHIPPED.clone()
    }

    /// A network from what a file holds.
    pub fn read(file: &[u8]) -> Result<Self, HeuristicError> {
        let damaged = |error: io::Error| HeuristicError::Network(error.to_string());
        let mut content = zstd::Decoder::with_buffer(file).map_err(damaged)?;
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
        let maps = part(4 * ENTRIES / 8)?;
        let count = maps.iter().map(|map| map.count_ones() as usize).sum();
        let (low, high) = (part(count)?, part(count)?);
        // Only at its end does the frame tell whether its checksum is right.
        if content.read(&mut [0]).map_err(damaged)? != 0 {
            return Err(HeuristicError::Network("it is too long".into()));
        }
        let memory = |error: io::Error| HeuristicError::Memory(error.to_string());
        let (mut outer, mut inner) =
            (Blocks::new().map_err(memory)?, Blocks::new().map_err(memory)?);
        let mut weights =
            low.iter().zip(&high).map(|(&low, &high)| i16::from_le_bytes([low, high]));
        for (table, map) in maps.chunks_exact(ENTRIES / 8).enumerate() {
            let blocks = if table < 2 { &mut outer } else { &mut inner };
            let blocks: &mut [Block] = bytemuck::cast_slice_mut(&mut blocks.0);
            for (entries, map) in map.chunks_exact(8).enumerate() {
                let mut map = u64::from_le_bytes(map.try_into().expect("eight bytes"));
                while map != 0 {
                    let entry = 64 * entries + map.trailing_zeros() as usize;
                    map &= map - 1;
                    let (block, at) = if table % 2 == 0 {
                        (entry & 0xf_ffff, entry >> 20)
                    } else {
                        (entry & 0xfff | entry >> 4 & 0xf_f000, 16 | entry >> 12 & 15)
                    };
                    blocks[block][at] = weights.next().expect("as many as bits");
                }
            }
        }
        Ok(Self { outer, inner, scale, checksum: xxh3_64(file) })
    }

    #[cold]
    #[inline(never)]
    fn outer(&self, pair: u32) -> i32 {
        self.outer.patterns(pair) + self.outer.patterns(mirror(pair))
    }

    #[cold]
    #[inline(never)]
    fn inner(&self, pair: u32) -> i32 {
        let both = |pair| self.inner.patterns(pair) + self.inner.patterns(mirror(pair));
        both(pair) + both(pair.rotate_left(16))
    }
}

/// Both lines read from their other ends.
#[inline(always)]
const fn mirror(pair: u32) -> u32 {
    let pair = (pair & 0x0f0f_0f0f) << 4 | pair >> 4 & 0x0f0f_0f0f;
    (pair & 0x00ff_00ff) << 8 | pair >> 8 & 0x00ff_00ff
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.checksum == other.checksum
    }
}

/// The checksum of its file.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.checksum)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network({self})")
    }
}

/// The network as a search uses it.
pub(in crate::games::twenty48) struct Strong(pub(super) Arc<Network>);

/// Pairs of lines met, with what they are worth: the boards of a search have most of theirs in
/// common. The memory of a thread, so small that it stays in the nearer caches.
pub(in crate::games::twenty48) struct Pairs {
    outer: Memory,
    inner: Memory,
}

/// What each kind of pair was found to be worth, by a hash; the last one stays.
type Memory = Box<[(u32, i32); 1 << BITS]>;

const BITS: u32 = 14;

#[inline(always)]
fn remembered(memory: &mut Memory, pair: u32, worth: impl FnOnce() -> i32) -> i32 {
    let known = &mut memory[(pair.wrapping_mul(0x9e37_79b1) >> (32 - BITS)) as usize];
    if known.0 != pair {
        *known = (pair, worth());
    }
    known.1
}

impl Strong {
    /// What the pair that begins at line 0, 1 or 2 is worth; an edge comes first.
    #[inline(always)]
    fn pair(&self, lines: u64, at: u32, pairs: &mut Pairs) -> i32 {
        let pair = (lines >> (16 * at)) as u32;
        match at {
            1 => remembered(&mut pairs.inner, pair, || self.0.inner(pair)),
            0 => remembered(&mut pairs.outer, pair, || self.0.outer(pair)),
            _ => {
                let pair = pair.rotate_left(16);
                remembered(&mut pairs.outer, pair, || self.0.outer(pair))
            }
        }
    }

    #[inline(always)]
    fn points(&self, worth: i32) -> f32 {
        worth as f32 * self.0.scale
    }
}

impl Evaluation for Strong {
    const SCORES: bool = true;
    const DEAR: bool = true;
    const FORESEES: bool = true;
    type Memory = Pairs;

    fn memory(&self) -> Pairs {
        let memory = |worth: i32| -> Memory {
            // The empty pair in all places: right in its own, and never looked for elsewhere.
            vec![(0, worth); 1 << BITS].try_into().expect("as many as asked for")
        };
        Pairs { outer: memory(self.0.outer(0)), inner: memory(self.0.inner(0)) }
    }

    #[inline(always)]
    fn without<const TURNED: bool>(&self, along: u64, y: u32, pairs: &mut Pairs) -> f32 {
        let mut pair = |at| self.pair(along, at, pairs);
        self.points(match y {
            0 => pair(1) + pair(2),
            1 => pair(2),
            2 => pair(0),
            _ => pair(0) + pair(1),
        })
    }

    #[inline(always)]
    fn with<const TURNED: bool>(&self, along: u64, across: u64, y: u32, pairs: &mut Pairs) -> f32 {
        let crossing =
            self.pair(across, 0, pairs) + self.pair(across, 1, pairs) + self.pair(across, 2, pairs);
        let mut pair = |at| self.pair(along, at, pairs);
        let own = match y {
            0 => pair(0),
            1 => pair(0) + pair(1),
            2 => pair(1) + pair(2),
            _ => pair(2),
        };
        self.points(crossing + own)
    }
}
