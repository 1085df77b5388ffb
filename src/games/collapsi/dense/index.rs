//! A dense number for every position, and back.
//!
//! A **layer** holds the positions with `k` cells alive. Its positions are numbered by, in this
//! order:
//!
//! 1. the **group**: (alive set, mover's cell, other's cell) up to symmetry;
//! 2. the **section**: the card under the mover, then the card under the other;
//! 3. the **block**: which of the other alive cells hold aces, fewer aces first;
//! 4. the **row**: which of the cells left hold twos or fours, and so which hold threes;
//! 5. which cells of the row hold the fours.
//!
//! Each step squeezes (`pext`) one mask onto the cells that the steps before left open and looks it
//! up in a small table. What says most about the outcome comes first, so that neighbours in the
//! index have like outcomes and compress. Where a group has symmetries of its own, only those sets
//! of aces are numbered that are the smallest of their images.

use std::sync::{Arc, LazyLock};

use super::cube::{COMPOSE, Cell, Mask, SIGMA, SIGMAS, Sigma, pdep, permute, pext, translate};

/// The values of cards. A joker is no card once its pawn has left it.
pub const ACE: usize = 0;
pub const TWO: usize = 1;
pub const THREE: usize = 2;
pub const FOUR: usize = 3;
pub const JOKER: usize = 4;

/// The most aces, twos, threes and fours in a deal.
const LIMITS: [u32; 4] = [4, 4, 4, 2];
/// The most cells that can hold twos and fours.
pub const MAX_ROW: usize = 6;
/// The most cells that can hold anything but aces.
pub const MAX_OPEN: usize = 10;
/// The most aces.
const MAX_ACES: usize = 4;
/// In a table by mask: no arrangement has this mask.
pub const NONE: u16 = u16::MAX;

/// A position, in cube cells. An alive cell without a card is a joker's, with its pawn on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub alive: Mask,
    /// The cells of the aces, twos, threes and fours.
    pub cards: [Mask; 4],
    pub mover: Cell,
    pub other: Cell,
}

impl Position {
    /// The value of the card on an alive cell.
    pub fn card(&self, cell: Cell) -> usize {
        self.cards.iter().position(|m| m >> cell & 1 != 0).unwrap_or(JOKER)
    }
}

/// How the cells beside the pawns' can be filled, given the cards under the pawns.
pub struct Section {
    /// The most aces.
    aces: u32,
    /// `rows[n][m]`: where the row with twos and fours on `m` begins in a block over `n` cells.
    pub rows: Vec<Vec<u16>>,
    /// The length of a block over `n` cells.
    block_len: Vec<u16>,
    /// `fours[r][m]`: where the fours on `m` stand in a row over `r` cells.
    pub fours: Vec<Vec<u16>>,
}

/// By the mover's card, then the other's.
pub static SECTIONS: LazyLock<[[Section; 5]; 5]> = LazyLock::new(|| {
    std::array::from_fn(|mover| std::array::from_fn(|other| Section::new(mover, other)))
});

impl Section {
    fn new(mover: usize, other: usize) -> Self {
        let left = |v: usize| LIMITS[v].saturating_sub((mover == v) as u32 + (other == v) as u32);
        // A row is never longer than 15.
        let (fours, row_len): (Vec<_>, Vec<_>) = (0..=MAX_ROW as u32)
            .map(|r| number(r, |fours| (fours <= left(FOUR) && r - fours <= left(TWO)) as u16))
            .unzip();
        let (rows, block_len) = (0..=MAX_OPEN as u32)
            .map(|n| {
                number(n, |r| {
                    let fits = r as usize <= MAX_ROW && n - r <= left(THREE);
                    if fits { row_len[r as usize] } else { 0 }
                })
            })
            .unzip();
        Section { aces: left(ACE), rows, block_len, fours }
    }

    /// The length of a block with `aces` aces on `cells` cells.
    pub fn block_len(&self, cells: usize, aces: usize) -> usize {
        match cells.checked_sub(aces) {
            Some(open @ ..=MAX_OPEN) if aces as u32 <= self.aces => self.block_len[open] as usize,
            _ => 0,
        }
    }
}

/// Give every mask of `bits` bits its start, in increasing order of masks, by the room that a mask
/// with so many ones takes; and the room of all together.
fn number(bits: u32, room: impl Fn(u32) -> u16) -> (Vec<u16>, u16) {
    let mut next = 0;
    let starts = (0..1u32 << bits)
        .map(|m| match room(m.count_ones()) {
            0 => NONE,
            room => {
                next += room;
                next - room
            }
        })
        .collect();
    (starts, next)
}

/// A number for each mask of at most four ones, in increasing order.
static FEW: LazyLock<Vec<u16>> =
    LazyLock::new(|| number(14, |ones| (ones as usize <= MAX_ACES) as u16).0);

/// The sets of aces of a group, up to the group's own symmetries.
struct Aces {
    /// By [`FEW`]: the number of the smallest image among those of as many aces, and the way there.
    places: Vec<(u16, Sigma)>,
    /// The smallest images, by number of aces, in increasing order.
    least: [Vec<Mask>; MAX_ACES + 1],
}

impl Aces {
    /// `own`: the axis permutations that keep the group.
    fn new(cells: Mask, own: &[Sigma]) -> Self {
        let mut aces = Aces { places: Vec::new(), least: Default::default() };
        let all = 1u32 << cells.count_ones();
        for mask in (0..all as Mask).filter(|m| m.count_ones() as usize <= MAX_ACES) {
            let image = |s| if s == 0 { mask } else { pext(permute(s, pdep(mask, cells)), cells) };
            let (image, sigma) = own.iter().map(|&s| (image(s), s)).min().unwrap_or((mask, 0));
            let least = &mut aces.least[mask.count_ones() as usize];
            if image == mask {
                aces.places.push((least.len() as u16, 0));
                least.push(mask);
            } else {
                // The smaller image has been numbered before.
                let (number, _) = aces.places[FEW[image as usize] as usize];
                aces.places.push((number, sigma));
            }
        }
        aces
    }
}

/// (alive set, mover, other) up to symmetry: the mover on cell 0, the other on 1, 3, 7 or 15,
/// and the alive set the greatest of its images.
pub struct Group {
    pub alive: Mask,
    pub other: Cell,
    /// The alive cells without a pawn.
    pub cells: Mask,
    /// How many of the 384 images of (alive, mover, other) differ.
    images: u32,
    /// The number of its first position in the layer.
    pub base: u64,
    /// By section: the start after `base`.
    starts: [[u32; 5]; 5],
    aces: Arc<Aces>,
}

/// The sections of a layer, in order.
pub fn sections(k: usize) -> impl Iterator<Item = (usize, usize)> {
    let (mover, other) = match k {
        ..=14 => (0..4, 0..4),
        15 => (4..5, 0..4),
        _ => (4..5, 4..5),
    };
    mover.flat_map(move |v| other.clone().map(move |w| (v, w)))
}

/// Positions of a group that share section and number of aces.
pub struct Blocks<'a> {
    /// The number of the first position in the layer.
    pub start: u64,
    /// The length of each block.
    pub len: usize,
    /// The aces of each block, squeezed onto the group's cells.
    pub aces: &'a [Mask],
}

impl Group {
    fn new(alive: Mask, other: Cell, base: u64, own: &[Sigma], plain: &[Arc<Aces>]) -> (Self, u64) {
        let cells = alive & !1 & !(1 << other);
        let aces = match own {
            [_] => plain[cells.count_ones() as usize].clone(),
            _ => Arc::new(Aces::new(cells, own)),
        };
        let images = (16 * SIGMAS / own.len()) as u32;
        let mut group =
            Group { alive, other, cells, images, base, starts: Default::default(), aces };
        let mut len = 0;
        for (v, w) in sections(alive.count_ones() as usize) {
            group.starts[v][w] = len;
            len += group.before(v, w, MAX_ACES + 1) as u32;
        }
        (group, len as u64)
    }

    /// The length of a section's blocks with fewer than `aces` aces.
    #[inline]
    fn before(&self, v: usize, w: usize, aces: usize) -> usize {
        let cells = self.cells.count_ones() as usize;
        (0..aces).map(|n| self.aces.least[n].len() * SECTIONS[v][w].block_len(cells, n)).sum()
    }

    /// Where a set of aces, squeezed onto the group's cells, is numbered, and what must be done to
    /// the board before the rest is.
    #[inline]
    pub fn place(&self, aces: Mask) -> Place {
        let (number, sigma) = self.aces.places[FEW[aces as usize] as usize];
        Place { number: number as usize, aces: aces.count_ones() as usize, sigma }
    }

    /// The number, in the layer, of a block's first position.
    #[inline]
    pub fn block(&self, v: usize, w: usize, place: &Place) -> u64 {
        let len = SECTIONS[v][w].block_len(self.cells.count_ones() as usize, place.aces);
        let start = self.before(v, w, place.aces) + place.number * len;
        self.base + self.starts[v][w] as u64 + start as u64
    }

    /// The blocks of a section, by number of aces.
    pub fn blocks(&self, v: usize, w: usize) -> impl Iterator<Item = Blocks<'_>> {
        let cells = self.cells.count_ones() as usize;
        (0..=MAX_ACES).filter_map(move |n| {
            let len = SECTIONS[v][w].block_len(cells, n);
            let start = self.base + self.starts[v][w] as u64 + self.before(v, w, n) as u64;
            let aces = &self.aces.least[n][..];
            (len > 0 && !aces.is_empty()).then_some(Blocks { start, len, aces })
        })
    }

    /// How many boards each position of a block stands for, by the board's symmetries.
    pub fn weight(&self, aces: Mask) -> u32 {
        let aces = pdep(aces, self.cells);
        let own: Vec<_> = own_symmetries(self.alive, self.other).collect();
        let keep = own.iter().filter(|&&s| permute(s, aces) == aces).count();
        self.images * (own.len() / keep) as u32
    }
}

/// Where a set of aces is numbered in a group.
pub struct Place {
    number: usize,
    aces: usize,
    pub sigma: Sigma,
}

/// The axis permutations that keep (alive, 0, other), the identity first.
fn own_symmetries(alive: Mask, other: Cell) -> impl Iterator<Item = Sigma> {
    (0..SIGMAS as Sigma)
        .filter(move |&s| SIGMA[s as usize][other as usize] == other && permute(s, alive) == alive)
}

/// The groups of the positions with a given number of alive cells.
#[derive(Default)]
pub struct Groups {
    pub groups: Vec<Group>,
    pub len: u64,
}

/// The index of all layers.
pub struct Index {
    /// By the number of alive cells; 0 and 1 are empty. In 2..=14 both pawns stand on cards; in 15
    /// the mover stands on its joker; in 16 both do.
    pub layers: [Groups; 17],
    /// By the other's cell and the alive set, the mover on cell 0: the group, and the way there.
    canon: Vec<(u16, Sigma)>,
}

fn canon_slot(alive: Mask, other: Cell) -> usize {
    (other as usize) << 15 | (alive >> 1) as usize
}

impl Index {
    pub fn new() -> Self {
        let mut index = Index { layers: Default::default(), canon: vec![(NONE, 0); 16 << 15] };
        let first = |c: u32| ((1u32 << c) - 1) as Mask;
        let plain: Vec<_> = (0..=14).map(|c| Arc::new(Aces::new(first(c), &[0]))).collect();
        for other in [1, 3, 7, 15] {
            for alive in (0..=Mask::MAX).rev().filter(|m| m & 1 != 0 && m >> other & 1 != 0) {
                // Downwards, so that the first of a group is its greatest.
                if index.canon[canon_slot(alive, other)].0 == NONE {
                    index.add_group(alive, other, &plain);
                }
            }
        }
        index
    }

    /// Add a group, and tell all its images the way to it.
    fn add_group(&mut self, alive: Mask, other: Cell, plain: &[Arc<Aces>]) {
        let layer = &mut self.layers[alive.count_ones() as usize];
        let own: Vec<_> = own_symmetries(alive, other).collect();
        let number = layer.groups.len() as u16;
        // Downwards, so that of several ways the smallest stays; to itself that is the identity.
        for s in (0..SIGMAS).rev() {
            let back = (0..SIGMAS).find(|&b| COMPOSE[s][b] == 0).expect("every one has an inverse");
            let slot = canon_slot(permute(back as Sigma, alive), SIGMA[back][other as usize]);
            self.canon[slot] = (number, s as Sigma);
        }
        let (group, len) = Group::new(alive, other, layer.len, &own, plain);
        layer.groups.push(group);
        layer.len += len;
    }

    /// The group of (alive, mover, other), and the axis permutation that leads there after the
    /// translation by the mover's cell.
    #[inline]
    pub fn group(&self, alive: Mask, mover: Cell, other: Cell) -> (&Group, Sigma) {
        let (number, sigma) = self.canon[canon_slot(translate(alive, mover), other ^ mover)];
        (&self.layers[alive.count_ones() as usize].groups[number as usize], sigma)
    }

    /// The number of a legal position in its layer.
    pub fn rank(&self, p: &Position) -> u64 {
        let (v, w) = (p.card(p.mover), p.card(p.other));
        let (group, sigma) = self.group(p.alive, p.mover, p.other);
        let turn = |sigma, mask| permute(sigma, translate(mask, p.mover)) & group.cells;
        let place = group.place(pext(turn(sigma, p.cards[ACE]), group.cells));
        let sigma = COMPOSE[place.sigma as usize][sigma as usize];
        let [aces, twos, _, fours] = p.cards.map(|m| turn(sigma, m));
        let (open, row) = (group.cells & !aces, twos | fours);
        let section = &SECTIONS[v][w];
        let in_block = section.rows[open.count_ones() as usize][pext(row, open) as usize];
        let in_row = section.fours[row.count_ones() as usize][pext(fours, row) as usize];
        group.block(v, w, &place) + in_block as u64 + in_row as u64
    }

    /// The position with a given number in layer `k`: the inverse of [`Index::rank`].
    pub fn unrank(&self, k: usize, number: u64) -> Position {
        let groups = &self.layers[k].groups;
        let group = &groups[groups.partition_point(|g| g.base <= number) - 1];
        let (v, w, blocks) = sections(k)
            .flat_map(|(v, w)| group.blocks(v, w).map(move |b| (v, w, b)))
            .take_while(|(.., b)| b.start <= number)
            .last()
            .expect("a group starts with a block");
        let rest = (number - blocks.start) as usize;
        let aces = pdep(blocks.aces[rest / blocks.len], group.cells);
        let open = group.cells & !aces;
        let section = &SECTIONS[v][w];
        let rest = (rest % blocks.len) as u16;
        let (row, start) = last_at_most(&section.rows[open.count_ones() as usize], rest);
        let row = pdep(row, open);
        let (fours, _) = last_at_most(&section.fours[row.count_ones() as usize], rest - start);
        let fours = pdep(fours, row);
        let mut cards = [aces, row & !fours, open & !row, fours, 0];
        cards[v] |= 1;
        cards[w] |= 1 << group.other;
        let [aces, twos, threes, fours, _] = cards;
        Position {
            alive: group.alive,
            cards: [aces, twos, threes, fours],
            mover: 0,
            other: group.other,
        }
    }
}

/// The last mask that starts at or before `number`, and its start.
fn last_at_most(starts: &[u16], number: u16) -> (Mask, u16) {
    // They ascend, and `NONE` is more than any.
    let mask = starts.iter().rposition(|&start| start <= number).expect("some mask starts at 0");
    (mask as Mask, starts[mask])
}
