//! The network while it learns: weights, and how coherent their errors have been.

use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use bytemuck::Pod;
use endtable::games::twenty48::Board;
#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::MmapMut;

use crate::pattern::{ENTRIES, LOOKUPS, TABLES, entries};

/// All weights of all tables.
const WEIGHTS: usize = TABLES * ENTRIES;

pub struct Network {
    weights: Large<f32>,
    /// For every weight the sum of its errors and the sum of their sizes.
    errors: Large<[f32; 2]>,
}

impl Network {
    /// A network that knows nothing.
    pub fn new() -> io::Result<Self> {
        Ok(Self { weights: Large::new()?, errors: Large::new()? })
    }

    /// Goes on from what was learned before. The errors count for a hundredth, of which a tenth
    /// coherent, so that the weights soon follow the new games without forgetting all at once.
    pub fn continued(learned: &Learned) -> io::Result<Self> {
        let mut network = Self::new()?;
        network.weights.copy_from_slice(learned.weights());
        for (error, size) in network.errors.iter_mut().zip(learned.evidence()) {
            *error = [0.001 * size, 0.01 * size];
        }
        Ok(network)
    }

    #[inline(always)]
    pub fn value(&self, board: Board) -> f32 {
        let weights = &*self.weights;
        entries(board).into_iter().map(|entry| weights[entry]).sum()
    }

    /// Temporal coherence: a weight learns at the rate |sum of errors| / sum of |errors|, so
    /// that those whose errors cancel out stand still.
    #[inline(always)]
    pub fn learn(&mut self, board: Board, error: f32) {
        let step = error / LOOKUPS as f32;
        let (weights, errors) = (&mut *self.weights, &mut *self.errors);
        for entry in entries(board) {
            let [sum, size] = &mut errors[entry];
            let coherence = if *size > 0.0 { sum.abs() / *size } else { 1.0 };
            weights[entry] += step * coherence;
            *sum += error;
            *size += error.abs();
        }
    }

    /// All weights, then for all of them the sum of the sizes of their errors, in `f32`.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut out = io::BufWriter::with_capacity(1 << 20, File::create(path)?);
        for weight in self.weights.iter() {
            out.write_all(&weight.to_le_bytes())?;
        }
        for [_, size] in self.errors.iter() {
            out.write_all(&size.to_le_bytes())?;
        }
        out.flush()
    }
}

/// What a network wrote.
pub struct Learned(Vec<f32>);

impl Learned {
    pub fn read(path: &Path) -> io::Result<Self> {
        let bytes = std::fs::read(path)?;
        if bytes.len() != 2 * WEIGHTS * size_of::<f32>() {
            return Err(io::Error::other(format!("{}: no network", path.display())));
        }
        Ok(Self(bytes.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect()))
    }

    pub fn weights(&self) -> &[f32] {
        &self.0[..WEIGHTS]
    }

    /// How much each weight has seen.
    pub fn evidence(&self) -> &[f32] {
        &self.0[WEIGHTS..]
    }
}

/// A number for each weight, 0 at first, in huge pages: with small ones most look-ups would have to
/// find the page first.
struct Large<T> {
    bytes: MmapMut,
    of: PhantomData<T>,
}

impl<T: Pod> Large<T> {
    fn new() -> io::Result<Self> {
        let bytes = MmapMut::map_anon(WEIGHTS * size_of::<T>())?;
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(Advice::HugePage);
        Ok(Self { bytes, of: PhantomData })
    }
}

impl<T: Pod> Deref for Large<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.bytes)
    }
}

impl<T: Pod> DerefMut for Large<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.bytes)
    }
}
