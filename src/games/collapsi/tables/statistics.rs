//! What Collapsi tables look like together: results and plies to the end.

use rayon::prelude::*;

use super::keyed::KeyedTables;
use super::layers::CompleteSet;
use crate::games::collapsi::{Board, Collapsi, Index, Layer, Rules, value_of_plies};
use crate::games::statistics::{Tally, check_stop, count_records};
use crate::games::{
    self, Bin, Example, Field, Game, GameError, Group, Histogram, Section, Statistics, Watch,
};
use crate::table::{DenseTable, Options, Record, TableError};

/// How many positions end after how many plies.
#[derive(Clone, Copy, Default)]
struct ByPlies {
    plies: [u64; 32],
    wins: u64,
}

impl ByPlies {
    /// Counts so many that end alike.
    fn count(&mut self, plies: u16, win: bool, count: u64) {
        self.plies[usize::from(plies).min(31)] += count;
        self.wins += if win { count } else { 0 };
    }

    fn group(&self, label: Vec<(&'static str, Field)>) -> Group {
        let total = self.plies.iter().sum();
        let bins = self.plies.iter().enumerate().filter(|(_, count)| **count > 0);
        let bins = bins.map(|(plies, &count)| Bin {
            from: plies as f64,
            to: None,
            count,
            part: Some(if plies % 2 == 1 { "won" } else { "lost" }),
        });
        let bins = bins.collect();
        Group {
            label,
            parts: vec![("won", self.wins), ("lost", total - self.wins)],
            histograms: vec![Histogram { by: "plies", axis: "plies to the end".into(), bins }],
            ..Group::new(total)
        }
    }
}

impl Tally for ByPlies {
    fn add(&mut self, record: &Record) -> Result<(), TableError> {
        let value = record.meta.value();
        self.count(value.plies().0, value.is_win(), 1);
        Ok(())
    }

    fn join(mut self, other: Self) -> Self {
        for (sum, count) in self.plies.iter_mut().zip(other.plies) {
            *sum += count;
        }
        self.wins += other.wins;
        self
    }
}

/// The statistics of all records.
pub(super) fn of_keyed(tables: &KeyedTables, watch: &Watch<'_>) -> Result<Statistics, GameError> {
    let counts = count_records(tables.set().tables(), watch, ByPlies::default)?;
    let positions = Section::whole("positions", counts.group(Vec::new()));
    Ok(Statistics::new(Collapsi.name(), tables.rules(), vec![positions]))
}

/// The statistics of all deals, weighted by symmetry, and of every layer.
pub(super) fn of_complete(
    set: &CompleteSet,
    index: &Index,
    watch: &Watch<'_>,
) -> Result<Statistics, GameError> {
    let mut tables = Vec::new();
    for layer in set.layers().layers() {
        tables.extend(set.open(layer, index)?.map(|table| (layer, table)));
    }
    watch.progress.begin("counting", tables.iter().map(|(_, table)| table.len()).sum(), 0);
    let counted = count_tables(&tables, index, watch);
    watch.progress.end();
    let (deals, layers) = counted?;
    let mut examples = Vec::new();
    for (layer, table) in &tables {
        if let (Layer::MOST, Some(rules)) = (layer.cards(), layer.rules()) {
            examples.extend(longest_deals(index, table, rules)?);
        }
    }
    let section = |name, things, layout, groups| Section { name, things, layout, groups };
    let mut sections = Vec::new();
    if !deals.is_empty() {
        sections.push(section("deals", "deals", games::Layout::Columns, deals));
    }
    match <[Group; 1]>::try_from(layers) {
        Ok([layer]) => sections.push(Section::whole("positions", layer)),
        Err(layers) => {
            sections.push(section("layers", "positions", games::Layout::Rows, layers));
        }
    }
    let rules: Vec<String> = tables.iter().map(|(layer, _)| rules_text(*layer)).collect();
    let same = rules.first().filter(|first| rules.iter().all(|rules| rules == *first));
    let rules = same.map_or(super::layers::BOTH_RULES, String::as_str);
    let mut statistics = Statistics::new(Collapsi.name(), rules, sections);
    statistics.tables = Some(describe(set, &tables));
    statistics.examples = examples;
    Ok(statistics)
}

fn rules_text(layer: Layer) -> String {
    layer.rules().map_or(super::layers::BOTH_RULES.into(), |rules| rules.to_string())
}

/// The deals by rule, and the layers, each a group.
fn count_tables(
    tables: &[(Layer, DenseTable)],
    index: &Index,
    watch: &Watch<'_>,
) -> Result<(Vec<Group>, Vec<Group>), GameError> {
    let (mut deals, mut layers) = (Vec::new(), Vec::new());
    for (layer, table) in tables {
        if let (Layer::MOST, Some(rules)) = (layer.cards(), layer.rules()) {
            deals.push(count_deals(index, table)?.group(vec![("rules", rules.name().into())]));
        }
        let mut label = vec![("layer", Field::Number(layer.cards().into()))];
        label.extend(layer.rules().map(|rules| ("rules", rules.name().into())));
        layers.push(count_entries(table, watch)?.group(label));
    }
    Ok((deals, layers))
}

/// Says what of which set the tables are.
fn describe(set: &CompleteSet, tables: &[(Layer, DenseTable)]) -> String {
    let layers = set.layers();
    let sparse = if layers.sparse { ", every other layer up to 12 left out" } else { "" };
    let whole = format!("the complete tables of up to {} cards{sparse}", layers.cards);
    match tables {
        _ if set.is_whole() => whole,
        [(layer, _)] => format!("layer {layer} of {whole}"),
        tables => {
            let names: Vec<String> = tables.iter().map(|(layer, _)| layer.to_string()).collect();
            format!("layers {} of {whole}", names.join(", "))
        }
    }
}

/// How many of the longest deals are shown, of each rule.
const EXAMPLES: usize = 3;

/// The first of the deals that last longest.
fn longest_deals(
    index: &Index,
    table: &DenseTable,
    rules: Rules,
) -> Result<Vec<Example>, TableError> {
    let (mut most, mut numbers) = (0, Vec::new());
    for block in 0..table.blocks() {
        let first = (block * table.block_entries()) as u64;
        for (number, plies) in (first..).zip(table.block(block)?) {
            if plies > most {
                (most, numbers) = (plies, Vec::new());
            }
            if plies == most && numbers.len() < EXAMPLES {
                numbers.push(number);
            }
        }
    }
    let deals = numbers.into_iter().filter_map(|number| index.unrank(Layer::MOST, number));
    let example = |deal: Board| Example {
        value: value_of_plies(most),
        position: deal.to_string(),
        options: Options::default().with("rules", rules),
    };
    Ok(deals.map(example).collect())
}

fn count_deals(index: &Index, table: &DenseTable) -> Result<ByPlies, TableError> {
    let blocks = (0..table.blocks()).map(|block| table.block(block));
    let entries: Vec<u8> = blocks.collect::<Result<Vec<_>, _>>()?.concat();
    let mut counts = ByPlies::default();
    index.weights(Layer::MOST, |numbers, weight| {
        for &plies in &entries[numbers.start as usize..numbers.end as usize] {
            counts.count(plies.into(), plies % 2 == 1, weight.into());
        }
    });
    Ok(counts)
}

fn count_entries(table: &DenseTable, watch: &Watch<'_>) -> Result<ByPlies, GameError> {
    let count = |block| {
        check_stop(watch)?;
        let entries = table.block(block)?;
        let mut histogram = [0u64; 16];
        entries.iter().for_each(|&plies| histogram[usize::from(plies)] += 1);
        watch.progress.advance(entries.len() as u64, entries.len() as u64);
        Ok(histogram)
    };
    let add = |one: [u64; 16], other: [u64; 16]| {
        Ok::<_, GameError>(std::array::from_fn(|plies| one[plies] + other[plies]))
    };
    let histogram = (0..table.blocks()).into_par_iter().map(count).try_reduce(|| [0; 16], add)?;
    let mut counts = ByPlies::default();
    for (plies, count) in (0..).zip(histogram) {
        counts.count(plies, plies % 2 == 1, count);
    }
    Ok(counts)
}
