//! The file that the program reads: its layout is described in
//! `src/games/twenty48/heuristic/strong.rs`.

use std::io::{self, Read, Write};

use crate::network::Network;
use crate::pattern::{ENTRIES, LARGE_ENTRIES};

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

/// The weights of the networks of a file, in points.
pub fn unpacked(mut file: &[u8]) -> io::Result<Vec<Vec<f32>>> {
    let mut networks = Vec::new();
    while !file.is_empty() {
        let mut frame = zstd::Decoder::with_buffer(file)?.single_frame();
        let mut part = |len: usize| {
            let mut bytes = vec![0; len];
            frame.read_exact(&mut bytes).map(|()| bytes)
        };
        if part(8)? != b"2048net2" {
            return Err(io::Error::other("no weights of strong"));
        }
        let scale = f32::from_le_bytes(part(4)?.try_into().expect("four bytes"));
        let small = ENTRIES - LARGE_ENTRIES;
        let [small_low, small_high] = [part(small)?, part(small)?];
        let maps = part(LARGE_ENTRIES / 8)?;
        let count = maps.iter().map(|map| map.count_ones() as usize).sum();
        let [low, high] = [part(count)?, part(count)?];
        frame.read_to_end(&mut Vec::new())?;
        let points = |(&low, &high): (&u8, &u8)| scale * f32::from(i16::from_le_bytes([low, high]));
        let mut kept = low.iter().zip(&high).map(points);
        let is_kept = |entry: usize| maps[entry / 8] >> (entry % 8) & 1 == 1;
        let large = (0..LARGE_ENTRIES).map(|entry| match is_kept(entry) {
            true => kept.next().unwrap_or(0.0),
            false => 0.0,
        });
        let mut weights: Vec<f32> = large.collect();
        weights.extend(small_low.iter().zip(&small_high).map(points));
        networks.push(weights);
        file = frame.finish();
    }
    Ok(networks)
}
