//! The file that the program reads: its layout is described in
//! `src/games/twenty48/heuristic/strong.rs`.

use std::io::{self, Write};

use crate::network::Learned;

/// Whole numbers for all weights. Those that have seen errors of less than `evidence` in all become
/// 0: that is most of them, and little of the strength.
pub fn quantised(learned: &Learned, scale: f32, evidence: f32) -> Vec<i16> {
    let quantise = |(&weight, &seen): (&f32, &f32)| {
        // The conversion takes what is too large to the largest there is.
        if seen >= evidence { (weight / scale).round() as i16 } else { 0 }
    };
    learned.weights().iter().zip(learned.evidence()).map(quantise).collect()
}

pub fn packed(weights: &[i16], scale: f32) -> io::Result<Vec<u8>> {
    let map = |eight: &[i16]| (0..8).fold(0, |map, i| map | u8::from(eight[i] != 0) << i);
    let maps: Vec<u8> = weights.chunks_exact(8).map(map).collect();
    let there = || weights.iter().filter(|&&weight| weight != 0).map(|weight| weight.to_le_bytes());
    let low: Vec<u8> = there().map(|[low, _]| low).collect();
    let high: Vec<u8> = there().map(|[_, high]| high).collect();
    let mut frame = zstd::Encoder::new(Vec::new(), 19)?;
    frame.include_checksum(true)?;
    for part in [b"2048net1".as_slice(), &scale.to_le_bytes(), &maps, &low, &high] {
        frame.write_all(part)?;
    }
    frame.finish()
}
