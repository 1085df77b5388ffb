//! The file that the program reads: its layout is described in
//! `src/games/twenty48/heuristic/strong.rs`.

use std::io::{self, Read, Write};

use crate::network::Network;
use crate::pattern::{ENTRIES, LARGE_ENTRIES};

const MAGIC: &[u8; 8] = b"2048net2";

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
    frame.write_all(MAGIC)?;
    frame.write_all(&scale.to_le_bytes())?;
    for part in [byte(small, 0), byte(small, 1), maps, byte(&large, 0), byte(&large, 1)] {
        frame.write_all(&part)?;
    }
    frame.finish()
}

/// The weights of all networks of a file.
pub fn unpacked(mut file: &[u8]) -> io::Result<Vec<Vec<f32>>> {
    let mut networks = Vec::new();
    while !file.is_empty() {
        let mut content = zstd::Decoder::with_buffer(file)?.single_frame();
        networks.push(unpacked_frame(&mut content)?);
        file = content.finish();
    }
    Ok(networks)
}

fn unpacked_frame(content: &mut impl Read) -> io::Result<Vec<f32>> {
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
    let mut weights: Vec<f32> =
        (0..LARGE_ENTRIES).map(|entry| next(entry).unwrap_or(0.0)).collect();
    weights.extend(small[0].iter().zip(&small[1]).map(weight));
    // Only at its end does the frame tell whether its checksum is right.
    match content.read(&mut [0])? {
        0 => Ok(weights),
        _ => Err(io::Error::other("packed weights that are too long")),
    }
}
