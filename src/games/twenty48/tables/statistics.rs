//! What is in tables of 2048 boards, counted.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rayon::prelude::*;

use super::Tables;
use crate::games::{Bar, Chart, Statistics};
use crate::table::{Record, TableError};

impl Tables {
    /// Reads every record once, on all threads, and says what they are like together.
    pub(super) fn count_statistics(&self) -> Result<Statistics, TableError> {
        let tally = Tally::of(self)?;
        let charts = tally.charts(self);
        Ok(Statistics { text: tally.text(self)?, charts: charts.into(), columns: 1 })
    }
}

/// How many records there are of each kind.
#[derive(Default)]
struct Tally {
    positions: u64,
    over: u64,
    lost: u64,
    by_highest: BTreeMap<u8, u64>,
    by_sum: BTreeMap<u32, u64>,
    by_value: Histogram,
}

impl Tally {
    fn of(tables: &Tables) -> Result<Self, TableError> {
        let mut tally = Self::default();
        for table in tables.set().tables() {
            let add = |mut tally: Self, block| {
                for record in table.block_records(block)? {
                    tally.add(&record, tables)?;
                }
                Ok(tally)
            };
            let blocks = (0..table.blocks()).into_par_iter();
            let some = blocks
                .try_fold(Self::default, add)
                .try_reduce(Self::default, |one, other| Ok(one.and(other)))?;
            tally = tally.and(some);
        }
        Ok(tally)
    }

    fn add(&mut self, record: &Record, tables: &Tables) -> Result<(), TableError> {
        let board = tables.board(record)?;
        let over = record.meta.best_move().is_none();
        self.positions += 1;
        self.over += u64::from(over);
        self.lost += u64::from(!over && !record.meta.value().is_win());
        *self.by_highest.entry(board.highest()).or_default() += 1;
        *self.by_sum.entry(board.sum()).or_default() += 1;
        self.by_value.add(tables.value.decode(record.value));
        Ok(())
    }

    fn and(mut self, other: Self) -> Self {
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

    fn text(&self, tables: &Tables) -> Result<String, TableError> {
        let share = |part: u64| 100.0 * part as f64 / self.positions.max(1) as f64;
        let mut text = String::new();
        _ = writeln!(text, "positions    {:>12}", self.positions);
        _ = writeln!(text, "over         {:>12} {:>6.2} %", self.over, share(self.over));
        _ = writeln!(text, "lost         {:>12} {:>6.2} %", self.lost, share(self.lost));
        if let Some(start) = tables.start()? {
            _ = writeln!(text, "start        {}", tables.worth(start, start > 0.0));
        }
        for (&exponent, &count) in &self.by_highest {
            let tile = 1u32 << exponent;
            _ = writeln!(text, "highest {tile:<4} {count:>12} {:>6.2} %", share(count));
        }
        for (from, count) in self.by_value.bars() {
            let from = format!("{from:.4}");
            _ = writeln!(text, "value {from:<10} {count:>8} {:>6.2} %", share(count));
        }
        for (&sum, &count) in &self.by_sum {
            _ = writeln!(text, "sum {sum:<8} {count:>12} {:>6.2} %", share(count));
        }
        Ok(text)
    }

    /// Three charts: by highest tile, by value, by sum.
    fn charts(&self, tables: &Tables) -> [Chart; 3] {
        let tiles = self.by_highest.iter().map(|(e, &count)| ((1u32 << e).to_string(), count));
        let values = self.by_value.bars().map(|(from, count)| (from.to_string(), count));
        let sums: Vec<(u32, u64)> = self.by_sum.iter().map(|(&sum, &count)| (sum, count)).collect();
        let sums = sums
            .chunks(sums.len().div_ceil(Histogram::BARS).max(1))
            .map(|some| (some[0].0.to_string(), some.iter().map(|&(_, count)| count).sum()));
        let charts: [(&str, Vec<(String, u64)>); 3] = [
            ("highest tile", tiles.collect()),
            ("value", values.collect()),
            ("sum of tiles", sums.collect()),
        ];
        charts.map(|(by, bars)| Chart {
            title: format!("{} positions of {} by {by}", self.positions, tables.rules()),
            bars: bars.into_iter().map(|(name, count)| self.bar(name, count)).collect(),
        })
    }

    fn bar(&self, name: String, count: u64) -> Bar {
        let share = 100.0 * count as f64 / self.positions.max(1) as f64;
        Bar { name, note: format!("{share:.1}%"), count, light: false }
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

    /// Each bar: from which value on, and how many. None behind the largest value.
    fn bars(&self) -> impl Iterator<Item = (f64, u64)> {
        let last = self.counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        let from = |bar: usize| self.width * bar as f64;
        self.counts[..last].iter().enumerate().map(move |(bar, &count)| (from(bar), count))
    }
}
