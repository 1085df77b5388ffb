//! Making the tables of a small game: layer by layer, from the one with the most stones down.
//!
//! A layer is solved as a whole, from the one above it, and gets its file when it is done. A generation that
//! was stopped keeps the finished layers and begins the next one anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::dense::{Numbering, StoneLayer};
use super::tables::{LayerTable, SmallGame};
use crate::job::dense::{Packing, read_entries, remove_work, write_layer};
use crate::job::{
    Cut, Ending, Expectation, FIXED_MEMORY, Job, JobError, Made, Plan, Run, ShardId, Shards,
    whole_plan,
};
use crate::solve::retrograde::{self, Unsolved};
use crate::table::{DENSE_EXTENSION, DenseTable, Recipe, TableError, files_in, read_header};

/// The tables of a small game.
#[derive(Debug)]
pub struct LayersJob {
    game: SmallGame,
    recipe: Recipe,
    /// Each after the one that it is solved from.
    layers: Vec<(u8, Numbering)>,
}

/// Bytes of a file for a number, about.
const FILE_BYTES: f64 = 0.2;

impl LayersJob {
    pub fn new(game: SmallGame) -> Self {
        let layers = game.layers().map(|stones| (stones, game.numbering(stones))).collect();
        Self { game, recipe: game.recipe(), layers }
    }

    fn numbers(&self) -> u64 {
        self.layers.iter().map(|(_, numbering)| numbering.numbers()).sum()
    }
}

impl Shards for LayersJob {
    fn plan(&self, cut: Cut) -> Result<Plan, JobError> {
        Ok(whole_plan(self, "tables", cut))
    }

    fn shard(&self, _shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError> {
        self.run(run)
    }

    fn is_done(&self, _shard: &ShardId, out: &Path) -> bool {
        out.is_dir()
    }
}

impl Job for LayersJob {
    fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    fn expect(&self) -> Expectation {
        let table = FILE_BYTES * self.numbers() as f64;
        Expectation {
            positions: self.numbers() as f64,
            exact: false,
            table,
            disk: table,
            memory: Some(self.least_memory() as f64),
            seconds: None,
        }
    }

    /// A layer's entries and counters, what is won at once in it, and the entries of the layer above it.
    fn least_memory(&self) -> u64 {
        let mut above = 0;
        let layers = self.layers.iter().map(|(_, numbering)| {
            let numbers = numbering.numbers();
            3 * numbers + std::mem::replace(&mut above, numbers)
        });
        FIXED_MEMORY + layers.max().unwrap_or(0)
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        fs::create_dir_all(run.out).map_err(TableError::io(run.out))?;
        self.check_folder(run.out)?;
        run.progress.begin("solving", self.numbers(), 0);
        let made = self.make_all(run);
        run.progress.end();
        let (done, total) = (made?, self.layers.len() as u64);
        if done == total {
            return Ok(Ending::Finished);
        }
        Ok(Ending::Stopped { what: "layers", done, total })
    }
}

/// A layer that is solved: its numbering and entries.
type Solved<'a> = (&'a Numbering, Vec<u8>);

impl LayersJob {
    /// Refuses a folder with the tables of another game.
    fn check_folder(&self, folder: &Path) -> Result<(), TableError> {
        for path in files_in(folder, DENSE_EXTENSION)? {
            // What cannot be read is made again.
            if let Ok(header) = read_header(&path)
                && header.description.recipe != self.recipe
            {
                return Err(TableError::OtherRecipe {
                    path: folder.into(),
                    expected: self.recipe.clone().into(),
                    found: header.description.recipe.into(),
                });
            }
        }
        Ok(())
    }

    /// Makes every layer that is not there yet, and reports each. Answers how many are there then.
    fn make_all(&self, run: &Run<'_>) -> Result<u64, JobError> {
        let mut above: Option<Solved<'_>> = None;
        // A finished layer is loaded only if the next one is not there.
        let mut there: Option<(&Numbering, DenseTable)> = None;
        for (done, (stones, numbering)) in (0..).zip(&self.layers) {
            if run.is_stopped() {
                return Ok(done);
            }
            let path = run.out.join(SmallGame::file_name(*stones));
            if let Some(table) = self.whole(&path, *stones) {
                remove_work(&path, &self.game.description())?;
                run.progress.advance(numbering.numbers(), 0);
                run.progress.made(&Self::made(*stones, &path, &table, None)?);
                (above, there) = (None, Some((numbering, table)));
                continue;
            }
            if let Some((numbering, table)) = there.take() {
                let Some(entries) = load(&table, run.stop)? else { return Ok(done) };
                above = Some((numbering, entries));
            }
            let start = Instant::now();
            let Some(entries) = self.make(*stones, numbering, above.as_ref(), &path, run)? else {
                return Ok(done);
            };
            let table = DenseTable::open(&path)?;
            run.progress.made(&Self::made(*stones, &path, &table, Some(start.elapsed()))?);
            above = Some((numbering, entries));
        }
        Ok(self.layers.len() as u64)
    }

    /// Solves a layer and writes its file. `None` when stopped.
    fn make(
        &self,
        stones: u8,
        numbering: &Numbering,
        above: Option<&Solved<'_>>,
        path: &Path,
        run: &Run<'_>,
    ) -> Result<Option<Vec<u8>>, JobError> {
        let layer =
            StoneLayer { numbering, above: above.map(|(above, entries)| (*above, &entries[..])) };
        let solve = || {
            run.progress.at(&format!("{stones} stones"));
            let entries: Vec<AtomicU8> =
                (0..numbering.numbers()).map(|_| AtomicU8::new(0)).collect();
            let advance = |numbers| run.progress.advance(numbers, numbers);
            match retrograde::solve(&layer, &entries, run.stop, advance) {
                Ok(()) => Ok(Some(entries.into_iter().map(AtomicU8::into_inner).collect())),
                Err(Unsolved::Stopped) => Ok(None),
                Err(error) => Err(JobError::Check(format!("{stones} stones: {error}"))),
            }
        };
        write_layer(path, &self.game.description(), stones, run, solve)
    }

    /// The table of a layer, if it is there and every checksum is right.
    fn whole(&self, path: &Path, stones: u8) -> Option<DenseTable> {
        if !path.exists() {
            return None;
        }
        let (_, layer) = LayerTable::open(path, Some(self.game)).ok()?;
        (layer.stones == stones && layer.table.check_blocks().is_ok()).then_some(layer.table)
    }

    fn made(
        stones: u8,
        path: &Path,
        table: &DenseTable,
        solving: Option<Duration>,
    ) -> Result<Made, TableError> {
        let count = |block| {
            let entries = table.block(block)?;
            Ok(entries.iter().filter(|&&entry| entry != retrograde::ABSENT).count() as u64)
        };
        let positions =
            (0..table.blocks()).into_par_iter().map(count).sum::<Result<u64, TableError>>()?;
        Ok(Made {
            path: Some(PathBuf::from(path)),
            name: stones.to_string(),
            positions,
            resumed: if solving.is_some() { 0 } else { positions },
            solving: solving.unwrap_or_default(),
            bytes: table.header().file_length,
        })
    }
}

/// The entries of a table. `None` when stopped.
pub fn load(table: &DenseTable, stop: &AtomicBool) -> Result<Option<Vec<u8>>, TableError> {
    let mut entries = vec![0; table.len() as usize];
    let all = read_entries(table, &mut entries, Packing::NONE.entry, stop)?;
    Ok(all.then_some(entries))
}
