//! What Tak tables look like together: results, plies to the end, and the longest games.

use rayon::prelude::*;

use super::Tables;
use super::layers::LayerTable;
use crate::games::statistics::check_stop;
use crate::games::tak::Tak;
use crate::games::{
    self, Bin, Example, Field, Game, GameError, Group, Histogram, Section, Statistics, Watch,
};
use crate::solve::retrograde;
use crate::table::Options;
use crate::value::Value;

/// How many of the longest wins and losses are shown.
const EXAMPLES: usize = 3;

/// How many numbers have each entry.
#[derive(Clone)]
struct ByEntry([u64; 256]);

impl ByEntry {
    fn add(mut self, other: &Self) -> Self {
        for (sum, count) in self.0.iter_mut().zip(other.0) {
            *sum += count;
        }
        self
    }

    /// Every value that occurs, and how often.
    fn values(&self) -> impl Iterator<Item = (Value, u64)> {
        let entries = (0..=u8::MAX).zip(self.0).filter(|(_, count)| *count > 0);
        entries.filter_map(|(entry, count)| Some((retrograde::value(entry)?, count)))
    }

    fn count(&self, which: impl Fn(Value) -> bool) -> u64 {
        self.values().filter(|(value, _)| which(*value)).map(|(_, count)| count).sum()
    }

    fn parts(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("won", self.count(Value::is_win)),
            ("drawn", self.count(|value| value == Value::Draw)),
            ("lost", self.count(|value| matches!(value, Value::Loss(_)))),
        ]
    }

    fn total(&self) -> u64 {
        self.count(|_| true)
    }

    /// The values of some kind by their plies.
    fn by_plies(&self, by: &'static str, axis: &str, which: impl Fn(Value) -> bool) -> Histogram {
        let mut counts = vec![0; usize::from(retrograde::MOST_PLIES) + 1];
        for (value, count) in self.values().filter(|(value, _)| which(*value)) {
            counts[usize::from(value.plies().0)] += count;
        }
        let counts = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
        let bin = |(plies, count)| Bin { from: plies as f64, to: None, count, part: None };
        Histogram { by, axis: axis.into(), bins: counts.map(bin).collect() }
    }
}

/// The statistics of all layers together and of each.
pub(super) fn of_layers(tables: &Tables, watch: &Watch<'_>) -> Result<Statistics, GameError> {
    watch.progress.begin("counting", tables.layers.iter().map(|it| it.table.len()).sum(), 0);
    let counted: Result<Vec<ByEntry>, GameError> =
        tables.layers.iter().map(|layer| count(layer, watch)).collect();
    watch.progress.end();
    let counted = counted?;
    let all = counted.iter().fold(ByEntry([0; 256]), ByEntry::add);
    let is_loss = |value| matches!(value, Value::Loss(_));
    let whole = Group {
        parts: all.parts(),
        histograms: vec![
            all.by_plies("win", "plies to a win", Value::is_win),
            all.by_plies("loss", "plies to a loss", is_loss),
        ],
        ..Group::new(all.total())
    };
    let mut sections = vec![Section::whole("positions", whole)];
    if tables.layers.len() > 1 {
        let group = |(layer, counts): (&LayerTable, &ByEntry)| Group {
            label: vec![("stones", Field::Number(layer.stones.into()))],
            parts: counts.parts(),
            histograms: vec![counts.by_plies("plies", "plies to the end", |it| it != Value::Draw)],
            ..Group::new(counts.total())
        };
        let groups = tables.layers.iter().zip(&counted).map(group).collect();
        let (things, layout) = ("positions", games::Layout::Rows);
        sections.push(Section { name: "layers", things, layout, groups });
    }
    let mut statistics = Statistics::new(Tak.name(), tables.game.text(), sections);
    for which in [Value::is_win as fn(Value) -> bool, is_loss] {
        let plies = all.values().map(|(value, _)| value).filter(|it| which(*it));
        let longest = plies.max_by_key(|value| value.plies());
        if let Some(longest) = longest {
            statistics.examples.extend(examples(tables, longest, watch)?);
        }
    }
    Ok(statistics)
}

fn count(layer: &LayerTable, watch: &Watch<'_>) -> Result<ByEntry, GameError> {
    let count = |block| {
        check_stop(watch)?;
        let entries = layer.table.block(block)?;
        let mut counts = [0; 256];
        entries.iter().for_each(|&entry| counts[usize::from(entry)] += 1);
        watch.progress.advance(entries.len() as u64, entries.len() as u64);
        Ok(ByEntry(counts))
    };
    let none = || ByEntry([0; 256]);
    let blocks = (0..layer.table.blocks()).into_par_iter().map(count);
    blocks.try_reduce(none, |one, other| Ok(one.add(&other)))
}

/// The first positions of a value, those with the fewest stones first.
fn examples(tables: &Tables, value: Value, watch: &Watch<'_>) -> Result<Vec<Example>, GameError> {
    let mut found = Vec::new();
    for layer in tables.layers.iter().rev() {
        let length = layer.table.block_entries() as u64;
        for block in 0..layer.table.blocks() {
            check_stop(watch)?;
            let numbered = (block as u64 * length..).zip(layer.table.block(block)?);
            let alike = numbered.filter(|&(_, entry)| retrograde::value(entry) == Some(value));
            let texts = alike.filter_map(|(number, _)| layer.text(number));
            found.extend(texts.take(EXAMPLES - found.len()).map(|position| {
                let options = Options::default();
                Example { value, position, options }
            }));
            if found.len() == EXAMPLES {
                return Ok(found);
            }
        }
    }
    Ok(found)
}
