//! What Collapsi tables look like together: results and plies to the end.

use std::fmt::Write as _;

use rayon::prelude::*;

use super::keyed::KeyedTables;
use super::layers::CompleteSet;
use crate::games::collapsi::{Index, Layer};
use crate::games::{Bar, Chart, GameError, Statistics};
use crate::table::{DenseTable, TableError};

/// The most plies of a game, and one more.
const PLIES: usize = 15;

/// How many positions end after how many plies.
#[derive(Clone, Copy, Default)]
struct ByPlies {
    plies: [u64; 32],
    wins: u64,
    total: u64,
}

impl ByPlies {
    /// Counts so many that end alike.
    fn add(&mut self, plies: u16, win: bool, count: u64) {
        self.plies[usize::from(plies).min(31)] += count;
        self.wins += if win { count } else { 0 };
        self.total += count;
    }

    fn and(mut self, other: Self) -> Self {
        for (sum, count) in self.plies.iter_mut().zip(other.plies) {
            *sum += count;
        }
        self.wins += other.wins;
        self.total += other.total;
        self
    }

    fn share(&self, part: u64) -> f64 {
        100.0 * part as f64 / self.total.max(1) as f64
    }

    fn text(&self, things: &str) -> String {
        let mut text = String::new();
        let losses = self.total - self.wins;
        _ = writeln!(text, "{things:<9} {:>12}", self.total);
        _ = writeln!(text, "won       {:>12} {:>6.2} %", self.wins, self.share(self.wins));
        _ = writeln!(text, "lost      {losses:>12} {:>6.2} %", self.share(losses));
        for (plies, &count) in self.plies.iter().enumerate().filter(|(_, count)| **count > 0) {
            _ = writeln!(text, "plies {plies:<3} {count:>12} {:>6.2} %", self.share(count));
        }
        text
    }

    /// A bar for each number of plies: wins, which are odd, dark; losses light.
    fn chart(&self, title: &str) -> Chart {
        let last = self.plies.iter().rposition(|&count| count > 0).unwrap_or(0);
        let bar = |(plies, &count): (usize, &u64)| Bar {
            name: plies.to_string(),
            note: format!("{:.1}%", self.share(count)),
            count,
            light: plies % 2 == 0,
        };
        Chart {
            title: format!("{title} by plies to the end (dark: side to move wins)"),
            bars: self.plies[..=last].iter().enumerate().map(bar).collect(),
        }
    }
}

/// The statistics of all records.
pub(super) fn of_keyed(tables: &KeyedTables) -> Result<Statistics, GameError> {
    let mut all = ByPlies::default();
    for table in tables.set().tables() {
        let count = |mut counts: ByPlies, block| {
            for record in table.block_records(block)? {
                let value = record.meta.value();
                counts.add(value.plies().0, value.is_win(), 1);
            }
            Ok::<_, TableError>(counts)
        };
        let counts = (0..table.blocks())
            .into_par_iter()
            .try_fold(ByPlies::default, count)
            .try_reduce(ByPlies::default, |one, other| Ok(one.and(other)))?;
        all = all.and(counts);
    }
    Ok(Statistics {
        text: all.text("positions"),
        charts: vec![all.chart(&format!("{} positions", all.total))],
        columns: 2,
    })
}

/// The statistics of all deals, weighted by symmetry, and of every layer.
pub(super) fn of_complete(set: &CompleteSet, index: &Index) -> Result<Statistics, GameError> {
    let (mut text, mut charts) = (String::new(), Vec::new());
    let layers = set.layers();
    for layer in layers.layers().filter(|layer| layer.cards() == Layer::MOST) {
        let Some(table) = set.open(layer, index)? else { continue };
        let (counts, rules) = (count_deals(index, &table)?, layer.rules().unwrap_or_default());
        _ = writeln!(text, "all deals, rule {rules}\n{}", counts.text("deals"));
        charts.push(counts.chart(&format!("{} deals, rule {rules},", counts.total)));
    }
    text += "layer      positions     won %  share of the positions by plies to the end, %\n";
    let heads: String = (0..PLIES).map(|plies| format!("{plies:>5}")).collect();
    _ = writeln!(text, "{:>30}  {heads}", "");
    for layer in layers.layers() {
        let Some(table) = set.open(layer, index)? else {
            _ = writeln!(text, "{:<8} left out", layer.to_string());
            continue;
        };
        let counts = count_entries(&table)?;
        _ = writeln!(text, "{}", layer_line(layer, &counts));
        charts.push(counts.chart(&format!("{} positions, layer {layer},", counts.total)));
    }
    Ok(Statistics { text, charts, columns: 2 })
}

fn layer_line(layer: Layer, counts: &ByPlies) -> String {
    let share = counts.share(counts.wins);
    let mut line = format!("{:<8}{:>12} {share:>8.2}  ", layer.to_string(), counts.total);
    for &count in &counts.plies[..PLIES] {
        _ = match count {
            0 => write!(line, "    -"),
            count => write!(line, "{:>5.1}", counts.share(count)),
        };
    }
    line
}

fn count_deals(index: &Index, table: &DenseTable) -> Result<ByPlies, TableError> {
    let blocks = (0..table.blocks()).map(|block| table.block(block));
    let entries: Vec<u8> = blocks.collect::<Result<Vec<_>, _>>()?.concat();
    let mut counts = ByPlies::default();
    index.weights(Layer::MOST, |numbers, weight| {
        for &plies in &entries[numbers.start as usize..numbers.end as usize] {
            counts.add(plies.into(), plies % 2 == 1, weight.into());
        }
    });
    Ok(counts)
}

fn count_entries(table: &DenseTable) -> Result<ByPlies, TableError> {
    let histogram = (0..table.blocks())
        .into_par_iter()
        .map(|block| {
            let mut histogram = [0u64; 16];
            table.block(block)?.iter().for_each(|&plies| histogram[usize::from(plies)] += 1);
            Ok(histogram)
        })
        .try_reduce(
            || [0; 16],
            |one, other| {
                Ok::<_, TableError>(std::array::from_fn(|plies| one[plies] + other[plies]))
            },
        )?;
    let mut counts = ByPlies::default();
    for (plies, count) in (0..).zip(histogram) {
        counts.add(plies, plies % 2 == 1, count);
    }
    Ok(counts)
}
