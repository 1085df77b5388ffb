//! The file that the program reads: its layout is described in
//! `src/games/twenty48/heuristic/strong.rs`.

use std::io::{self, Read, Write};

use crate::network::Network;
use crate::pattern::{ENTRIES, LARGE_ENTRIES};

const MAGIC: &[u8; 8] = b"2048net3";

/// The weights of a network: of all entries, and of whole pairs, outer and inner ones, from the smallest up.
pub struct Weights<T = f32> {
    pub entries: Vec<T>,
    pub pairs: [Vec<(u32, T)>; 2],
}

impl Weights<i16> {
    /// Whole numbers for all weights. Of those of six cells and of whole pairs that have seen errors of less
    /// than so much in all, none is kept: that is most of them, and little of the strength.
    pub fn quantised(network: &Network, scale: f32, evidence: f32, of_pairs: f32) -> Self {
        // The conversion takes what is too large to the largest there is.
        let quantise = |weight: f32| (weight / scale).round() as i16;
        let entry = |entry| {
            let learned = network.learned(entry);
            let kept = entry >= LARGE_ENTRIES || learned.errors[1] >= evidence;
            if kept { quantise(learned.weight) } else { 0 }
        };
        let pairs = network.learned_pairs().map(|pairs| {
            let kept = pairs.filter(|(_, learned)| learned.errors[1] >= of_pairs);
            let mut pairs: Vec<_> =
                kept.map(|(pair, learned)| (pair, quantise(learned.weight))).collect();
            pairs.retain(|&(_, weight)| weight != 0);
            pairs.sort_unstable();
            pairs
        });
        Self { entries: (0..ENTRIES).map(entry).collect(), pairs }
    }

    /// How many are not 0.
    pub fn count(&self) -> usize {
        let entries = self.entries.iter().filter(|&&weight| weight != 0).count();
        entries + self.pairs.iter().map(Vec::len).sum::<usize>()
    }

    pub fn packed(&self, scale: f32) -> io::Result<Vec<u8>> {
        let (large, small) = self.entries.split_at(LARGE_ENTRIES);
        let map = |eight: &[i16]| (0..8).fold(0, |map, i| map | u8::from(eight[i] != 0) << i);
        let maps: Vec<u8> = large.chunks_exact(8).map(map).collect();
        let large: Vec<i16> = large.iter().copied().filter(|&weight| weight != 0).collect();
        let byte = |weights: &[i16], which: usize| -> Vec<u8> {
            weights.iter().map(|weight| weight.to_le_bytes()[which]).collect()
        };
        let mut frame = zstd::Encoder::new(Vec::new(), 19)?;
        frame.include_checksum(true)?;
        frame.write_all(MAGIC)?;
        frame.write_all(&scale.to_le_bytes())?;
        for part in [byte(small, 0), byte(small, 1), maps, byte(&large, 0), byte(&large, 1)] {
            frame.write_all(&part)?;
        }
        for pairs in &self.pairs {
            frame.write_all(&(pairs.len() as u32).to_le_bytes())?;
        }
        for pairs in &self.pairs {
            frame.write_all(&differences(pairs))?;
        }
        let weights: Vec<i16> = self.pairs.iter().flatten().map(|&(_, weight)| weight).collect();
        frame.write_all(&byte(&weights, 0))?;
        frame.write_all(&byte(&weights, 1))?;
        frame.finish()
    }
}

/// The differences of pairs, the first one's from 0: all lowest bytes, up to the highest.
fn differences(pairs: &[(u32, i16)]) -> Vec<u8> {
    let mut before = 0;
    let mut difference = |&(pair, _): &(u32, i16)| pair - std::mem::replace(&mut before, pair);
    let differences: Vec<u32> = pairs.iter().map(&mut difference).collect();
    let byte = |which: usize| differences.iter().map(move |it| it.to_le_bytes()[which]);
    (0..4).flat_map(byte).collect()
}

/// The weights of all networks of a file.
pub fn unpacked(mut file: &[u8]) -> io::Result<Vec<Weights>> {
    let mut networks = Vec::new();
    while !file.is_empty() {
        let mut content = zstd::Decoder::with_buffer(file)?.single_frame();
        networks.push(unpacked_frame(&mut content)?);
        file = content.finish();
    }
    Ok(networks)
}

fn unpacked_frame(content: &mut impl Read) -> io::Result<Weights> {
    let mut part = |len: usize| {
        let mut bytes = vec![0; len];
        content.read_exact(&mut bytes).map(|()| bytes)
    };
    if part(MAGIC.len())? != MAGIC {
        return Err(io::Error::other("no packed weights"));
    }
    let scale = f32::from_le_bytes(part(4)?.try_into().expect("four bytes"));
    let weight = |(&low, &high): (&u8, &u8)| scale * f32::from(i16::from_le_bytes([low, high]));
    let small = [part(ENTRIES - LARGE_ENTRIES)?, part(ENTRIES - LARGE_ENTRIES)?];
    let maps = part(LARGE_ENTRIES / 8)?;
    let count = maps.iter().map(|map| map.count_ones() as usize).sum();
    let large = [part(count)?, part(count)?];
    let mut kept = large[0].iter().zip(&large[1]).map(weight);
    let is_kept = |entry: usize| maps[entry / 8] >> (entry % 8) & 1 == 1;
    let mut next = |entry| if is_kept(entry) { kept.next() } else { None };
    let mut entries: Vec<f32> =
        (0..LARGE_ENTRIES).map(|entry| next(entry).unwrap_or(0.0)).collect();
    entries.extend(small[0].iter().zip(&small[1]).map(weight));

    let mut number = || part(4).map(|bytes| u32::from_le_bytes(std::array::from_fn(|i| bytes[i])));
    let counts = [number()? as usize, number()? as usize];
    let differences = [part(4 * counts[0])?, part(4 * counts[1])?];
    let weights = [part(counts[0] + counts[1])?, part(counts[0] + counts[1])?];
    let mut weights = weights[0].iter().zip(&weights[1]).map(weight);
    let pairs = differences.map(|bytes| {
        let (count, mut pair) = (bytes.len() / 4, 0u32);
        let mut next = |at| {
            let bytes = std::array::from_fn(|byte| bytes[byte * count + at]);
            pair = pair.wrapping_add(u32::from_le_bytes(bytes));
            pair
        };
        (0..count).map(&mut next).zip(&mut weights).collect()
    });
    // Only at its end does the frame tell whether its checksum is right.
    match content.read(&mut [0])? {
        0 => Ok(Weights { entries, pairs }),
        _ => Err(io::Error::other("packed weights that are too long")),
    }
}
