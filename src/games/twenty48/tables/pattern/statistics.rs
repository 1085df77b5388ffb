//! What is in tables of patterns, counted.

use std::collections::BTreeMap;

use super::{PatternTable, PatternTables};
use crate::games::statistics::{self, count_records};
use crate::games::twenty48::{PatternRules, Twenty48};
use crate::games::{
    Bin, Field, Game, GameError, Group, Histogram, Layout, Section, Statistics, Watch,
};
use crate::table::{Record, TableError};

/// What the first seeds are called.
const SEEDS: [&str; 8] =
    ["seed 1", "seed 2", "seed 3", "seed 4", "seed 5", "seed 6", "seed 7", "seed 8"];

impl PatternTables {
    /// Reads every record once, on all threads, and says what they are like together.
    pub(super) fn count_statistics(&self, watch: &Watch<'_>) -> Result<Statistics, GameError> {
        let first = &self.tables[0];
        let mut sections = Vec::new();
        for table in &self.tables {
            let new = || Tally { table, sums: BTreeMap::new() };
            let tally = count_records(std::slice::from_ref(&table.table), watch, new)?;
            sections.push(Section::whole("afterstates", tally.whole()?));
            sections.push(tally.by_sum());
        }
        Ok(Statistics::new(Twenty48.name(), &first.rules, sections))
    }
}

/// How many records there are of each chance, by the sum of their small tiles.
struct Tally<'a> {
    table: &'a PatternTable,
    sums: BTreeMap<u32, Layer>,
}

/// The records of one sum.
#[derive(Clone, Default)]
struct Layer {
    count: u64,
    lost: u64,
    /// The stored numbers added up: whole, so that the order does not matter.
    total: u128,
    /// By twentieths of certainty, rounded.
    bars: [u64; 21],
}

impl Layer {
    fn join(&mut self, other: &Self) {
        self.count += other.count;
        self.lost += other.lost;
        self.total += other.total;
        self.bars.iter_mut().zip(other.bars).for_each(|(bar, more)| *bar += more);
    }

    fn chances(&self) -> Histogram {
        let bin = |(place, &count): (u32, &u64)| {
            let from = f64::from(place) / 20.0;
            Bin { from, to: None, count, part: None }
        };
        let bins = (0..).zip(&self.bars).filter(|(_, count)| **count > 0).map(bin).collect();
        Histogram { by: "chance", axis: "chance, to the next twentieth".into(), bins }
    }

    fn group(&self, table: &PatternTable) -> Group {
        let kind = table.value_kind();
        let certain = kind.encode(1.0) as f64;
        let mean = self.total as f64 / certain / self.count.max(1) as f64;
        Group {
            parts: vec![("lost", self.lost)],
            facts: vec![("mean", table.worth(mean))],
            histograms: vec![self.chances()],
            ..Group::new(self.count)
        }
    }
}

impl Tally<'_> {
    fn whole(&self) -> Result<Group, TableError> {
        let mut all = Layer::default();
        self.sums.values().for_each(|layer| all.join(layer));
        let mut group = all.group(self.table);
        for (&name, &seed) in SEEDS.iter().zip(self.table.rules.pattern().seeds()) {
            let chance = self.table.afterstate(seed)?;
            group.facts.extend(chance.map(|chance| (name, self.table.worth(chance))));
        }
        Ok(group)
    }

    fn by_sum(&self) -> Section {
        let group = |(&sum, layer): (&u32, &Layer)| Group {
            label: vec![("sum", Field::Number(sum.into()))],
            ..layer.group(self.table)
        };
        let groups = self.sums.iter().map(group).collect();
        Section { name: "sums", things: "afterstates", layout: Layout::Rows, groups }
    }
}

impl statistics::Tally for Tally<'_> {
    fn add(&mut self, record: &Record) -> Result<(), TableError> {
        let board =
            self.table.codes.board(record.code).ok_or_else(|| TableError::Inconsistent {
                path: self.table.table.path().into(),
                what: format!("{:#x}: no code of an afterstate", record.code),
            })?;
        let layer = self.sums.entry(PatternRules::sum(board)).or_default();
        layer.count += 1;
        layer.lost += u64::from(record.value == 0);
        layer.total += u128::from(record.value);
        let chance = self.table.value_kind().decode(record.value);
        layer.bars[((20.0 * chance).round() as usize).min(20)] += 1;
        Ok(())
    }

    fn join(mut self, other: Self) -> Self {
        for (sum, layer) in other.sums {
            self.sums.entry(sum).or_default().join(&layer);
        }
        self
    }
}
