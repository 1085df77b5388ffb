//! What is in tables of 2048 boards, counted.

use std::collections::BTreeMap;

use super::Tables;
use crate::games::statistics::{self, count_records};
use crate::games::twenty48::{Board, Objective, Twenty48};
use crate::games::{self, Bin, Game, GameError, Group, Section, Statistics, Watch};
use crate::table::{Record, TableError};

impl Tables {
    /// Reads every record once, on all threads, and says what they are like together.
    pub(super) fn count_statistics(&self, watch: &Watch<'_>) -> Result<Statistics, GameError> {
        let new = || Tally::new(self);
        let tally = count_records(self.set().tables(), watch, new)?;
        let positions = Section::whole("positions", tally.group()?);
        Ok(Statistics::new(Twenty48.name(), self.rules(), vec![positions]))
    }
}

/// How many records there are of each kind.
struct Tally<'a> {
    tables: &'a Tables,
    positions: u64,
    over: u64,
    lost: u64,
    by_highest: BTreeMap<u8, u64>,
    by_sum: BTreeMap<u32, u64>,
    by_value: Histogram,
}

impl<'a> Tally<'a> {
    fn new(tables: &'a Tables) -> Self {
        Self {
            tables,
            positions: 0,
            over: 0,
            lost: 0,
            by_highest: BTreeMap::new(),
            by_sum: BTreeMap::new(),
            by_value: Histogram::default(),
        }
    }

    fn group(&self) -> Result<Group, TableError> {
        let one =
            |(number, count): (u32, u64)| Bin { from: number.into(), to: None, count, part: None };
        let highest = self.by_highest.iter().map(|(&exponent, &count)| (1u32 << exponent, count));
        let sums = self.by_sum.iter().map(|(&sum, &count)| (sum, count));
        let histogram = |by, axis: String, bins| games::Histogram { by, axis, bins };
        let value = match self.tables.rules().objective {
            Objective::Score => "value (score still to come)".into(),
            Objective::Tile(_) => "value (chance that the tile comes)".into(),
            Objective::Search => "value (what the search found)".into(),
        };
        let start = self.tables.start()?.map(|start| self.tables.worth(start, start > 0.0));
        Ok(Group {
            parts: vec![("over", self.over), ("lost", self.lost)],
            facts: start.map(|start| ("start", start)).into_iter().collect(),
            histograms: vec![
                histogram("highest", "highest tile".into(), highest.map(one).collect()),
                histogram("value", value, self.by_value.bins()),
                histogram("sum", "sum of the tiles".into(), sums.map(one).collect()),
            ],
            ..Group::new(self.positions)
        })
    }
}

impl statistics::Tally for Tally<'_> {
    fn add(&mut self, record: &Record) -> Result<(), TableError> {
        let board: Board = self.tables.board(record)?;
        let over = record.meta.best_move().is_none();
        self.positions += 1;
        self.over += u64::from(over);
        self.lost += u64::from(!over && !record.meta.value().is_win());
        *self.by_highest.entry(board.highest()).or_default() += 1;
        *self.by_sum.entry(board.sum()).or_default() += 1;
        self.by_value.add(self.tables.value.decode(record.value));
        Ok(())
    }

    fn join(mut self, other: Self) -> Self {
        self.positions += other.positions;
        self.over += other.over;
        self.lost += other.lost;
        for (highest, count) in other.by_highest {
            *self.by_highest.entry(highest).or_default() += count;
        }
        for (sum, count) in other.by_sum {
            *self.by_sum.entry(sum).or_default() += count;
        }
        self.by_value.merge(other.by_value);
        self
    }
}

/// How many values there are of which size. The largest is known only at the end: the bars are as
/// wide as a power of two, and double when a value lies behind the last.
struct Histogram {
    width: f64,
    counts: [u64; Self::BARS],
}

impl Default for Histogram {
    fn default() -> Self {
        Self { width: 1.0 / 65536.0, counts: [0; Self::BARS] }
    }
}

impl Histogram {
    const BARS: usize = 20;

    fn add(&mut self, value: f64) {
        // A damaged table may hold anything.
        let value = value.min(1e300);
        while value >= self.width * Self::BARS as f64 {
            self.widen();
        }
        self.counts[(value / self.width) as usize] += 1;
    }

    fn widen(&mut self) {
        self.width *= 2.0;
        let old = self.counts;
        let pairs = old.chunks(2).map(|pair| pair.iter().sum());
        self.counts = [0; Self::BARS];
        self.counts.iter_mut().zip(pairs).for_each(|(count, pair)| *count = pair);
    }

    fn merge(&mut self, mut other: Self) {
        while self.width < other.width {
            self.widen();
        }
        while other.width < self.width {
            other.widen();
        }
        self.counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
    }

    /// The counts, none behind the largest value.
    fn bins(&self) -> Vec<Bin> {
        let last = self.counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        let bin = |(place, &count): (usize, &u64)| {
            let from = self.width * place as f64;
            Bin { from, to: Some(from + self.width), count, part: None }
        };
        self.counts[..last].iter().enumerate().map(bin).collect()
    }
}
