//! Layers of boards that cannot be numbered, or not within memory: they are sorted and hashed. A layer that
//! does not fit into memory is gathered in several sorted spills, and read piece by piece.

use std::borrow::Cow;
use std::mem;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::Domain;
use super::answers::LayerAnswers;
use super::kernel::{Found, Kernel, Positions, Write};
use crate::games::twenty48::Board;
use crate::games::twenty48::dense::NO_MOVE;
use crate::job::work::WorkFolder;
use crate::solve::layered::{Solved, Values};
use crate::table::{Description, Meta, Record, Table, TableError, ValueKind};

/// A kernel for boards of any size.
pub struct Sorted<'a, D> {
    domain: &'a D,
    /// What follows the layers before: of the layer at work, and of the next one.
    next: [Gather<'a, D>; 2],
    /// The values of the two layers behind the one at work.
    above: [LayerValues; 2],
    /// The most positions of a layer to load into memory.
    most: usize,
    /// Where spills go.
    work: &'a WorkFolder,
}

/// Bytes that a position takes in memory when it is full, all lists together: most of them for
/// the values of the two layers that are looked up.
pub const BYTES_A_POSITION: u64 = 200;

impl<'a, D: Domain> Sorted<'a, D> {
    /// Works within so many bytes of memory.
    pub fn new(domain: &'a D, memory: u64, work: &'a WorkFolder) -> Self {
        let most = (memory / BYTES_A_POSITION).max(1) as usize;
        let new = || Gather::new(work, domain, most);
        Self { domain, next: [new(), new()], above: Default::default(), most, work }
    }

    fn gather(&self) -> Gather<'a, D> {
        Gather::new(self.work, self.domain, self.most)
    }

    /// Solves some positions.
    fn solve_states(&self, states: &[u64]) -> Result<Vec<Solved>, TableError> {
        let value = |ahead: usize, state| self.above[ahead].get(state, self.domain);
        // All that follows has been found and solved, unless somebody changed the work folder.
        self.domain.solve(states, value).ok_or_else(|| TableError::Inconsistent {
            path: self.work.path().into(),
            what: "positions are missing; remove the folder and begin anew".into(),
        })
    }

    /// The same for a piece of a stored layer, into records.
    fn solve_piece(
        &self,
        piece: Result<Cow<'_, [u64]>, TableError>,
    ) -> Result<Vec<Result<Record, TableError>>, TableError> {
        let states = piece?;
        let solved = self.solve_states(&states)?;
        let pairs = states.iter().zip(&solved);
        let records = pairs.map(|(&state, solved)| {
            let code = self.domain.code(Board(state));
            let meta = D::meta(solved.value, solved.best);
            Ok(Record { code, meta, value: solved.value.to_bits() })
        });
        Ok(records.collect())
    }

    /// Goes back by one layer, whose values are these.
    fn go_back(&mut self, values: LayerValues) {
        let [next, _] = mem::take(&mut self.above);
        self.above = [values, next];
    }
}

impl<D: Domain> Kernel for Sorted<'_, D> {
    type Code = u64;
    type Layer = Layer;

    fn begin(&mut self, _layer: u64) {
        self.next = [self.gather(), self.gather()];
        self.above = Default::default();
    }

    fn add(&mut self, boards: &[Board]) -> Result<(), TableError> {
        self.next[0].add(boards.iter().map(|board| board.0).collect())
    }

    fn found(&mut self) -> Result<Found<Layer>, TableError> {
        let new = self.gather();
        mem::replace(&mut self.next[0], new).finish()
    }

    fn follow(&mut self, layer: &Layer) -> Result<(), TableError> {
        self.next.swap(0, 1);
        self.next[1] = self.gather();
        // A position has some ten followers, which must fit, too.
        for piece in layer.pieces(self.domain, self.most / 16) {
            let followers = self.domain.expand(&piece?);
            for (followers, next) in followers.into_iter().zip(&mut self.next) {
                next.add(followers)?;
            }
        }
        Ok(())
    }

    fn load(&mut self, _number: u64, positions: Positions) -> Result<Layer, TableError> {
        match positions {
            Positions::Shard(shard) => Ok(Layer::Stored(shard)),
            Positions::Codes(codes, path) => {
                let state = |&code: &u64| state(code, self.domain, &path);
                Ok(Layer::Loaded(codes.iter().map(state).collect::<Result<_, _>>()?))
            }
        }
    }

    fn most(&self) -> u64 {
        self.most as u64
    }

    fn len(&self, layer: &Layer) -> u64 {
        match layer {
            Layer::Loaded(states) => states.len() as u64,
            Layer::Stored(table) => table.len(),
        }
    }

    fn bytes(&self, layer: &Layer) -> Option<u64> {
        match layer {
            Layer::Loaded(states) => Some((states.len() * size_of::<u64>()) as u64),
            Layer::Stored(_) => None,
        }
    }

    fn codes(&self, _number: u64, layer: &Layer) -> Vec<u64> {
        let code = |&state: &u64| self.domain.code(Board(state));
        match layer {
            Layer::Loaded(states) => states.par_iter().map(code).collect(),
            Layer::Stored(_) => Vec::new(),
        }
    }

    fn recall(&mut self, number: u64, shard: Table) -> Result<(), TableError> {
        // Those of other layers in the shard do no harm.
        let values = if shard.len() > self.most as u64 {
            LayerValues::Stored(shard.into())
        } else {
            let mut values = Vec::new();
            for record in shard.records() {
                let record = record?;
                if self.domain.layer_in(record.code, &shard)? == number {
                    let state = state(record.code, self.domain, shard.path())?;
                    values.push((state, f64::from_bits(record.value)));
                }
            }
            LayerValues::Loaded(Values::new(values.into_iter()))
        };
        self.go_back(values);
        Ok(())
    }

    fn solve(
        &mut self,
        _number: u64,
        layer: &Layer,
        write: &mut Write<'_>,
    ) -> Result<Option<LayerAnswers<u64>>, TableError> {
        let states = match layer {
            Layer::Loaded(states) => states,
            Layer::Stored(_) => {
                let pieces = layer.pieces(self.domain, self.most / 4);
                let mut solved = pieces.flat_map(|piece| {
                    self.solve_piece(piece).unwrap_or_else(|error| vec![Err(error)])
                });
                let shard = write(&mut solved)?;
                drop(solved);
                self.go_back(LayerValues::Stored(shard.into()));
                return Ok(None);
            }
        };
        let solved = self.solve_states(states)?;
        let values = || {
            let pairs = states.iter().zip(&solved);
            Values::new(pairs.map(|(&state, it)| (state, it.value)))
        };
        let answers = || {
            let code = |&state: &u64| self.domain.code(Board(state));
            LayerAnswers::new(
                states.par_iter().map(code).collect(),
                solved.iter().map(|it| it.value).collect(),
                solved.iter().map(|it| it.best.unwrap_or(NO_MOVE)).collect(),
            )
        };
        let (values, answers) = rayon::join(values, answers);
        self.go_back(LayerValues::Loaded(values));
        Ok(Some(answers))
    }
}

/// A layer's positions, in ascending order.
pub enum Layer {
    /// In memory.
    Loaded(Vec<u64>),
    /// A shard, too long for that.
    Stored(Box<Table>),
}

impl Layer {
    /// Its positions, not more than about so many at a time.
    pub fn pieces<'s, D: Domain>(
        &'s self,
        domain: &'s D,
        most: usize,
    ) -> Box<dyn Iterator<Item = Result<Cow<'s, [u64]>, TableError>> + 's> {
        match self {
            Self::Loaded(states) => {
                Box::new(states.chunks(most.max(1)).map(|piece| Ok(Cow::Borrowed(piece))))
            }
            Self::Stored(table) => {
                let step = (most / table.block_len()).max(1);
                Box::new((0..table.blocks()).step_by(step).map(move |first| {
                    let blocks = first..table.blocks().min(first + step);
                    states(table, blocks, domain).map(Cow::Owned)
                }))
            }
        }
    }
}

/// The positions of some blocks.
fn states<D: Domain>(
    table: &Table,
    blocks: Range<usize>,
    domain: &D,
) -> Result<Vec<u64>, TableError> {
    let blocks = blocks.into_par_iter().map(|block| {
        let records = table.block_records(block)?;
        records.iter().map(|record| state(record.code, domain, table.path())).collect()
    });
    Ok(blocks.collect::<Result<Vec<Vec<u64>>, TableError>>()?.concat())
}

/// The position of a code that a shard holds.
fn state<D: Domain>(code: u64, domain: &D, path: &Path) -> Result<u64, TableError> {
    let inconsistent = |what| TableError::Inconsistent { path: path.into(), what };
    domain.board(code).map(|board| board.0).map_err(inconsistent)
}

/// The values of a solved layer, to be looked up.
pub enum LayerValues {
    /// In memory.
    Loaded(Values),
    /// In a shard.
    Stored(Box<Table>),
}

impl Default for LayerValues {
    fn default() -> Self {
        Self::Loaded(Values::default())
    }
}

impl LayerValues {
    #[inline]
    pub fn get<D: Domain>(&self, state: u64, domain: &D) -> Option<f64> {
        match self {
            Self::Loaded(values) => values.get(state),
            Self::Stored(table) => {
                let record = table.get(domain.code(Board(state))).ok()??;
                Some(f64::from_bits(record.value))
            }
        }
    }
}

/// Gathers the positions of a layer in any order, more than once if it comes to that. When they
/// become too many, they go to the disk as sorted spills.
struct Gather<'a, D> {
    work: &'a WorkFolder,
    domain: &'a D,
    most: usize,
    states: Vec<u64>,
    spills: Vec<Table>,
}

impl<'a, D: Domain> Gather<'a, D> {
    fn new(work: &'a WorkFolder, domain: &'a D, most: usize) -> Self {
        Self { work, domain, most, states: Vec::new(), spills: Vec::new() }
    }

    fn add(&mut self, mut states: Vec<u64>) -> Result<(), TableError> {
        self.states.append(&mut states);
        if self.states.len() > 2 * self.most {
            self.tidy();
            if self.states.len() > self.most {
                self.spill()?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Found<Layer>, TableError> {
        self.tidy();
        if self.spills.is_empty() && self.states.len() <= self.most {
            return Ok(Found::Layer(Layer::Loaded(self.states)));
        }
        self.spill()?;
        Ok(Found::Spills(self.spills))
    }

    fn tidy(&mut self) {
        self.states.par_sort_unstable();
        self.states.dedup();
    }

    /// Writes what is there as a spill.
    fn spill(&mut self) -> Result<(), TableError> {
        let description = Description { value: ValueKind::None, ..self.work.description().clone() };
        let states = mem::take(&mut self.states).into_par_iter();
        let mut codes: Vec<u64> = states.map(|state| self.domain.code(Board(state))).collect();
        // Codes need not be in the order of their boards.
        codes.par_sort_unstable();
        let records =
            codes.into_iter().map(|code| Record { code, meta: Meta::default(), value: 0 });
        self.spills.push(self.work.spill(description, records)?);
        Ok(())
    }
}
