//! The file that the program reads: its layout is described in
//! `src/games/twenty48/heuristic/strong.rs`.

use std::io::{self, Write};

use crate::network::Network;
use crate::pattern::LARGE_ENTRIES;

/// Whole numbers for all weights. Of those of six cells that have seen errors of less than `evidence`
/// in all, none is kept: that is most of them, and little of the strength.
pub fn quantised(network: &Network, scale: f32, evidence: f32) -> Vec<i16> {
    let quantise = |(entry, (weight, seen)): (usize, (f32, f32))| {
        // The conversion takes what is too large to the largest there is.
        let kept = entry >= LARGE_ENTRIES || seen >= evidence;
        if kept { (weight / scale).round() as i16 } else { 0 }
    };
    network.learned().enumerate().map(quantise).collect()
}

pub fn packed(weights: &[i16], scale: f32) -> io::Result<Vec<u8>> {
    let (large, small) = weights.split_at(LARGE_ENTRIES);
    let map = |eight: &[i16]| (0..8).fold(0, |map, i| map | u8::from(eight[i] != 0) << i);
    let maps: Vec<u8> = large.chunks_exact(8).map(map).collect();
    let large: Vec<i16> = large.iter().copied().filter(|&weight| weight != 0).collect();
    let byte = |weights: &[i16], which: usize| -> Vec<u8> {
        weights.iter().map(|weight| weight.to_le_bytes()[which]).collect()
    };
    let mut frame = zstd::Encoder::new(Vec::new(), 19)?;
    frame.include_checksum(true)?;
    frame.write_all(b"2048net2")?;
    frame.write_all(&scale.to_le_bytes())?;
    for part in [byte(small, 0), byte(small, 1), maps, byte(&large, 0), byte(&large, 1)] {
        frame.write_all(&part)?;
    }
    frame.finish()
}
