//! Layers in memory and on the disk.

use std::borrow::Cow;
use std::fs;
use std::mem;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::games::twenty48::{Board, Size};
use crate::solve::layered::Values;
use crate::table::{
    Codec, Compression, Description, Game, Meta, Record, Table, TableError, ValueKind, Writer,
};

/// A layer's positions, in ascending order.
pub enum Layer {
    /// In memory.
    Loaded(Vec<u64>),
    /// A run, too long for that.
    Stored(Box<Table>),
}

impl Layer {
    /// Takes a run into memory if it is not too long.
    pub fn load(run: Table, size: Size, most: usize) -> Result<Self, TableError> {
        if run.len() > most as u64 {
            return Ok(Self::Stored(run.into()));
        }
        Ok(Self::Loaded(states(&run, 0..run.blocks(), size)?))
    }

    /// How many positions it has.
    pub fn len(&self) -> u64 {
        match self {
            Self::Loaded(states) => states.len() as u64,
            Self::Stored(table) => table.len(),
        }
    }

    /// Its positions, not more than about so many at a time.
    pub fn pieces(
        &self,
        size: Size,
        most: usize,
    ) -> Box<dyn Iterator<Item = Result<Cow<'_, [u64]>, TableError>> + '_> {
        match self {
            Self::Loaded(states) => {
                Box::new(states.chunks(most.max(1)).map(|piece| Ok(Cow::Borrowed(piece))))
            }
            Self::Stored(table) => {
                let step = (most / table.block_len()).max(1);
                Box::new((0..table.blocks()).step_by(step).map(move |first| {
                    let blocks = first..table.blocks().min(first + step);
                    states(table, blocks, size).map(Cow::Owned)
                }))
            }
        }
    }
}

/// The positions of some blocks.
fn states(table: &Table, blocks: Range<usize>, size: Size) -> Result<Vec<u64>, TableError> {
    let blocks = blocks.into_par_iter().map(|block| {
        let records = table.block_records(block)?;
        records.iter().map(|record| state(record, size, table)).collect()
    });
    Ok(blocks.collect::<Result<Vec<Vec<u64>>, TableError>>()?.concat())
}

/// The records of some blocks.
fn records(table: &Table, blocks: Range<usize>) -> Result<Vec<Record>, TableError> {
    let blocks = blocks.into_par_iter().map(|block| table.block_records(block));
    Ok(blocks.collect::<Result<Vec<Vec<Record>>, TableError>>()?.concat())
}

/// The position of a record.
fn state(record: &Record, size: Size, table: &Table) -> Result<u64, TableError> {
    let board = Board::from_code(record.code, size);
    board.map(|board| board.0).map_err(|error| TableError::Inconsistent {
        path: table.path().into(),
        what: error.to_string(),
    })
}

/// The values of a solved layer, to be looked up.
pub enum Above {
    /// In memory.
    Loaded(Values),
    /// In a run.
    Stored(Box<Table>),
}

impl Default for Above {
    fn default() -> Self {
        Self::Loaded(Values::default())
    }
}

impl Above {
    /// Takes the values of a run into memory if it is not too long.
    pub fn load(run: Table, size: Size, most: usize) -> Result<Self, TableError> {
        if run.len() > most as u64 {
            return Ok(Self::Stored(run.into()));
        }
        let value =
            |record: Record| Ok((state(&record, size, &run)?, f64::from_bits(record.value)));
        let values = records(&run, 0..run.blocks())?.into_iter().map(value);
        let values = values.collect::<Result<Vec<_>, TableError>>()?;
        Ok(Self::Loaded(Values::new(values.into_iter())))
    }

    #[inline]
    pub fn get(&self, state: u64, size: Size) -> Option<f64> {
        match self {
            Self::Loaded(values) => values.get(state),
            Self::Stored(table) => {
                let record = table.get(Board(state).code(size)).ok()??;
                Some(f64::from_bits(record.value))
            }
        }
    }
}

/// Gathers the positions of a layer in any order, more than once if it comes to that. When they
/// become too many, they go to the disk as sorted runs.
pub struct Gather {
    folder: PathBuf,
    size: Size,
    most: usize,
    states: Vec<u64>,
    runs: Vec<Table>,
}

/// What was gathered.
pub enum Found {
    /// Positions in ascending order, each once.
    Sorted(Vec<u64>),
    /// Sorted runs, to be merged.
    Runs(Vec<Table>),
}

impl Found {
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many there are, those in several runs counted for each.
    pub fn len(&self) -> u64 {
        match self {
            Self::Sorted(states) => states.len() as u64,
            Self::Runs(runs) => runs.iter().map(Table::len).sum(),
        }
    }
}

impl Gather {
    pub fn new(folder: &Path, size: Size, most: usize) -> Self {
        Self { folder: folder.into(), size, most, states: Vec::new(), runs: Vec::new() }
    }

    pub fn add(&mut self, mut states: Vec<u64>) -> Result<(), TableError> {
        self.states.append(&mut states);
        if self.states.len() > 2 * self.most {
            self.tidy();
            if self.states.len() > self.most {
                self.spill()?;
            }
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<Found, TableError> {
        self.tidy();
        if self.runs.is_empty() && self.states.len() <= self.most {
            return Ok(Found::Sorted(self.states));
        }
        self.spill()?;
        Ok(Found::Runs(self.runs))
    }

    fn tidy(&mut self) {
        self.states.par_sort_unstable();
        self.states.dedup();
    }

    /// Writes what is there as a run. Its file has no name any more as soon as it is mapped: it is
    /// gone with us, whatever happens.
    fn spill(&mut self) -> Result<(), TableError> {
        fs::create_dir_all(&self.folder).map_err(TableError::io(&self.folder))?;
        let path = self.folder.join("spill.etb");
        let mut writer = Writer::create(&path, description())?;
        for state in mem::take(&mut self.states) {
            let code = Board(state).code(self.size);
            writer.push(Record { code, meta: Meta::default(), value: 0 })?;
        }
        writer.finish()?;
        self.runs.push(Table::open(&path)?);
        fs::remove_file(&path).map_err(TableError::io(&path))
    }
}

/// What a spilled run says of itself: nobody else reads it.
fn description() -> Description {
    Description {
        game: Game::Twenty48,
        rules: 0,
        codec: Codec::Canonical,
        value: ValueKind::None,
        compression: Compression::Packed,
        generator: Description::this_generator(),
        command: "spill".into(),
        licence: Description::LICENCE.into(),
    }
}
