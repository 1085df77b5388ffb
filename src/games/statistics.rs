//! What tables look like together: counts, from which text, objects and pictures are made.

use std::fmt::{Display, Write as _};
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::{Field, GameError, Watch};
use crate::table::{Options, Record, Table, TableError, merge};
use crate::value::{Value, Worth};

/// What a terminal shows at once, the line of the prompt aside.
const SCREEN_LINES: usize = 23;

/// The fewest lines that are worth showing of counts for which there is no room.
const FEWEST_BINS: usize = 4;

/// Statistics of tables.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// The name of the game.
    pub game: &'static str,
    /// The rules of the tables.
    pub rules: String,
    /// Which tables they are, where the rules do not tell.
    pub tables: Option<String>,
    /// What was counted, the most important first.
    pub sections: Vec<Section>,
    /// Positions worth a look: the longest games.
    pub examples: Vec<Example>,
}

/// A position that stands for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// What it is worth.
    pub value: Value,
    /// The position in the game's notation.
    pub position: String,
    /// The options with which it is read, if the rules of the tables do not tell.
    pub options: Options,
}

/// Things that were counted, in one group or in several.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Section {
    /// The groups, in the plural; empty if there is only one, which is everything.
    pub name: &'static str,
    /// What is counted, in the plural.
    pub things: &'static str,
    /// How groups are laid out.
    pub layout: Layout,
    /// The groups.
    pub groups: Vec<Group>,
}

/// How the groups of a section are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A few side by side, each a bar chart.
    Columns,
    /// Many below each other, together a heat map. Each has one histogram.
    Rows,
}

/// Some of the things that were counted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Group {
    /// What tells it from the other groups of its section.
    pub label: Vec<(&'static str, Field)>,
    /// How many there are.
    pub total: u64,
    /// How many there are of some kinds.
    pub parts: Vec<(&'static str, u64)>,
    /// What else is known of them.
    pub facts: Vec<(&'static str, Worth)>,
    /// How many there are by one quantity or another.
    pub histograms: Vec<Histogram>,
}

/// How many there are by some quantity.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Histogram {
    /// The quantity in a word.
    pub by: &'static str,
    /// The quantity as the title of an axis.
    pub axis: String,
    /// The counts, in ascending order of the quantity.
    pub bins: Vec<Bin>,
}

/// How many there are of one number, or of a range of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// The number, or where the range begins.
    pub from: f64,
    /// Where the range ends, if it is one: the last number of whole ones, otherwise the first that
    /// lies behind it.
    pub to: Option<f64>,
    /// How many there are.
    pub count: u64,
    /// The part that all of these belong to, if there is one.
    pub part: Option<&'static str>,
}

impl Statistics {
    /// Statistics of these sections.
    pub(super) fn new(game: &'static str, rules: impl Display, sections: Vec<Section>) -> Self {
        Self { game, rules: rules.to_string(), tables: None, sections, examples: Vec::new() }
    }

    /// Everything, to be read.
    #[must_use]
    pub fn text(&self) -> String {
        let sections = self.sections.iter().map(|section| match section.layout {
            Layout::Columns => section.columns(usize::MAX),
            Layout::Rows => section.wide_rows(),
        });
        let parts = self.heading().into_iter().chain(sections).chain(self.examples_text());
        parts.collect::<Vec<String>>().join("\n")
    }

    /// What matters most, to be read on a screen of 24 lines of 80 characters.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = self.heading().unwrap_or_default();
        for section in &self.sections {
            let gap = usize::from(!text.is_empty());
            let room = SCREEN_LINES.saturating_sub(text.lines().count() + gap);
            let part = match section.layout {
                Layout::Columns => section.columns(room),
                Layout::Rows => section.short_rows(),
            };
            if part.lines().count() <= room {
                text += &"\n"[..gap];
                text += &part;
            }
        }
        if let Some(part) = self.examples_text()
            && text.lines().count() + 1 + part.lines().count() <= SCREEN_LINES
        {
            text += "\n";
            text += &part;
        }
        text
    }

    /// A line an example: what it is worth, and the position.
    fn examples_text(&self) -> Option<String> {
        let line = |Example { value, position, options }: &Example| {
            let text = format!("{:<8} {position} {options}", value.to_string());
            text.trim_end().to_owned() + "\n"
        };
        (!self.examples.is_empty()).then(|| self.examples.iter().map(line).collect())
    }

    fn heading(&self) -> Option<String> {
        self.tables.as_ref().map(|tables| format!("{tables}\n"))
    }
}

impl Section {
    /// One group, which is everything.
    pub(super) fn whole(things: &'static str, group: Group) -> Self {
        Self { name: "", things, layout: Layout::Columns, groups: vec![group] }
    }

    /// The groups side by side, in no more lines than there are: longer histograms have wider bins,
    /// and the last ones are left out.
    fn columns(&self, lines: usize) -> String {
        let Some(first) = self.groups.first() else { return String::new() };
        let labelled = self.groups.iter().any(|group| !group.label.is_empty());
        let mut rows = Vec::new();
        let cells = |cell: &dyn Fn(&Group) -> String| -> String {
            self.groups.iter().map(cell).collect::<String>().trim_end().into()
        };
        if labelled {
            rows.push((String::new(), cells(&|group| format!(" {:>21}", group.label_text()))));
        }
        rows.push((self.things.into(), cells(&|group| format!(" {:>12}         ", group.total))));
        for (place, (name, _)) in first.parts.iter().enumerate() {
            let count = |group: &Group| group.parts.get(place).map_or(0, |&(_, count)| count);
            rows.push(((*name).into(), cells(&|group| group.counted(count(group)))));
        }
        for (place, (name, _)) in first.facts.iter().enumerate() {
            let fact = |group: &Group| match group.facts.get(place) {
                Some((_, worth)) => format!(" {:>12}         ", worth.to_string()),
                None => format!("{:22}", ""),
            };
            rows.push(((*name).into(), cells(&fact)));
        }
        for place in 0..first.histograms.len() {
            let histograms = self.groups.iter().filter_map(|group| group.histograms.get(place));
            let by = first.histograms[place].by;
            let ranges = all_ranges(histograms);
            let room = lines.saturating_sub(rows.len());
            if ranges.len() > room && room < FEWEST_BINS {
                break;
            }
            for ranges in ranges.chunks(ranges.len().div_ceil(room).max(1)) {
                let range = (ranges[0].0, ranges[ranges.len() - 1]);
                let name = format!("{by} {}", range_text(range.0, range.1, ranges.len() > 1));
                let count = |group: &Group| group.count_in(place, ranges[0].0, range.1.0);
                rows.push((name, cells(&|group| group.counted(count(group)))));
            }
        }
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        rows.iter().map(|(name, cells)| format!("{name:<width$}{cells}\n")).collect()
    }

    /// A line a group: how many, how many of the first part, the mean and the most.
    fn short_rows(&self) -> String {
        let Some((first, histogram)) = self.first_histogram() else { return String::new() };
        let part = first.parts.first().map_or("", |(name, _)| name);
        let by = histogram.by;
        let mut text = format!(
            "{:<8}{:>12} {:>8}{:>12}{:>12}\n",
            self.label_name(),
            self.things,
            format!("{part} %"),
            format!("mean {by}"),
            format!("most {by}")
        );
        for group in &self.groups {
            let Some(histogram) = group.histograms.first() else { continue };
            let (mean, most) = (group.mean().unwrap_or(histogram.mean()), histogram.most());
            let won = group.share(group.parts.first().map_or(0, |&(_, count)| count));
            let (label, total) = (group.label_values(), group.total);
            _ = writeln!(text, "{label:<8}{total:>12} {won:>8.2}{mean:>12.2}{most:>12}");
        }
        text
    }

    /// A line a group, with the share of every bin.
    fn wide_rows(&self) -> String {
        let Some((first, histogram)) = self.first_histogram() else { return String::new() };
        let part = first.parts.first().map_or("", |(name, _)| name);
        let ranges = all_ranges(self.groups.iter().filter_map(|group| group.histograms.first()));
        let heads: String = ranges.iter().map(|(from, _)| format!("{:>5}", short(*from))).collect();
        let mut text = format!(
            "{:<8}{:>12} {:>8}  share of the {} by {}, %\n{:>31}{heads}\n",
            self.label_name(),
            self.things,
            format!("{part} %"),
            self.things,
            histogram.axis,
            ""
        );
        for group in &self.groups {
            let won = group.share(group.parts.first().map_or(0, |&(_, count)| count));
            _ = write!(text, "{:<8}{:>12} {won:>8.2}  ", group.label_values(), group.total);
            for &(from, _) in &ranges {
                _ = match group.count_in(0, from, from) {
                    0 => write!(text, "    -"),
                    count => write!(text, "{:>5.1}", group.share(count)),
                };
            }
            text.push('\n');
        }
        text
    }

    fn first_histogram(&self) -> Option<(&Group, &Histogram)> {
        let first = self.groups.first()?;
        Some((first, first.histograms.first()?))
    }

    /// What the first word of a label means.
    fn label_name(&self) -> &'static str {
        let first = self.groups.first().and_then(|group| group.label.first());
        first.map_or("", |(name, _)| name)
    }
}

impl Group {
    /// So many, of which nothing else is known yet.
    pub(super) fn new(total: u64) -> Self {
        Self {
            label: Vec::new(),
            total,
            parts: Vec::new(),
            facts: Vec::new(),
            histograms: Vec::new(),
        }
    }

    /// The share that a number is of all, in hundredths.
    #[must_use]
    pub fn share(&self, count: u64) -> f64 {
        100.0 * count as f64 / self.total.max(1) as f64
    }

    /// What tells it from others, as in `rules one`.
    #[must_use]
    pub fn label_text(&self) -> String {
        let words = self.label.iter().map(|(name, value)| format!("{name} {value}"));
        words.collect::<Vec<_>>().join(", ")
    }

    /// The same without names, as in `15 wild`.
    #[must_use]
    pub fn label_values(&self) -> String {
        self.label.iter().map(|(_, value)| value.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// The mean, if it is known exactly.
    fn mean(&self) -> Option<f64> {
        self.facts.iter().find_map(|(name, worth)| match worth {
            Worth::Expected(expected) if *name == "mean" => Some(expected.value),
            _ => None,
        })
    }

    fn counted(&self, count: u64) -> String {
        format!(" {count:>12} {:>6.2} %", self.share(count))
    }

    /// How many there are from one bin of a histogram to another.
    fn count_in(&self, histogram: usize, first: f64, last: f64) -> u64 {
        let bins = self.histograms.get(histogram).map_or(&[][..], |histogram| &histogram.bins);
        let bins = bins.iter().filter(|bin| (first..=last).contains(&bin.from));
        bins.map(|bin| bin.count).sum()
    }
}

impl Histogram {
    fn mean(&self) -> f64 {
        let count: u64 = self.bins.iter().map(|bin| bin.count).sum();
        let sum: f64 = self.bins.iter().map(|bin| bin.from * bin.count as f64).sum();
        sum / count.max(1) as f64
    }

    fn most(&self) -> String {
        let last = self.bins.iter().rfind(|bin| bin.count > 0);
        last.map_or(String::new(), |bin| short(bin.from))
    }
}

impl Bin {
    /// The number, or the range, as people write it.
    #[must_use]
    pub fn text(&self) -> String {
        range_text(self.from, (self.from, self.to), false)
    }
}

/// Where the bins of several histograms begin and end, each once.
fn all_ranges<'a>(histograms: impl Iterator<Item = &'a Histogram>) -> Vec<(f64, Option<f64>)> {
    let bins = histograms.flat_map(|histogram| &histogram.bins);
    let mut ranges: Vec<(f64, Option<f64>)> = bins.map(|bin| (bin.from, bin.to)).collect();
    ranges.sort_by(|one, other| one.0.total_cmp(&other.0));
    ranges.dedup_by_key(|range| range.0);
    ranges
}

/// A number, or a range up to the end of a last bin. `several` bins are a range in any case.
fn range_text(from: f64, last: (f64, Option<f64>), several: bool) -> String {
    match last {
        (_, Some(to)) => format!("{} to {}", short(from), short(to)),
        (last, None) if several => format!("{} to {}", short(from), short(last)),
        _ => short(from),
    }
}

/// A number in no more digits than tell it apart.
fn short(number: f64) -> String {
    let digits = match number.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size => (4 - size.log10().floor() as i32).max(0) as usize,
    };
    let text = format!("{number:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

/// Counts into which records go, on several threads at once.
pub(super) trait Tally: Send {
    /// Counts a record.
    fn add(&mut self, record: &Record) -> Result<(), TableError>;

    /// Adds the counts of another.
    fn join(self, other: Self) -> Self;
}

/// Counts the records of tables, each position once, however many of the tables it is in.
///
/// # Errors
/// When a table is damaged, or two contradict each other; and when stopped.
pub(super) fn count_records<T: Tally>(
    tables: &[Table],
    watch: &Watch<'_>,
    new: impl Fn() -> T + Sync,
) -> Result<T, GameError> {
    watch.progress.begin("counting", tables.iter().map(|table| table.len()).sum(), 0);
    let counted = match tables {
        [table] => count_blocks(table, watch, &new),
        tables => count_merged(tables, watch, &new),
    };
    watch.progress.end();
    counted
}

fn count_blocks<T: Tally>(
    table: &Table,
    watch: &Watch<'_>,
    new: &(impl Fn() -> T + Sync),
) -> Result<T, GameError> {
    let add = |mut tally: T, block| {
        check_stop(watch)?;
        let records = table.block_records(block)?;
        records.iter().try_for_each(|record| tally.add(record))?;
        watch.progress.advance(records.len() as u64, records.len() as u64);
        Ok(tally)
    };
    let blocks = (0..table.blocks()).into_par_iter();
    blocks.try_fold(new, add).try_reduce(new, |one, other| Ok(one.join(other)))
}

/// Some records at a time, which several threads count.
const MERGED: usize = 1 << 18;

fn count_merged<T: Tally>(
    tables: &[Table],
    watch: &Watch<'_>,
    new: &(impl Fn() -> T + Sync),
) -> Result<T, GameError> {
    let mut records = merge(tables);
    let mut tally = new();
    loop {
        check_stop(watch)?;
        let some: Vec<Record> = records.by_ref().take(MERGED).collect::<Result<_, _>>()?;
        if some.is_empty() {
            return Ok(tally);
        }
        let add = |mut tally: T, record: &Record| tally.add(record).map(|()| tally);
        let parts = some.par_iter().try_fold(new, add);
        tally = tally.join(parts.try_reduce(new, |one, other| Ok(one.join(other)))?);
        watch.progress.advance(some.len() as u64, some.len() as u64);
    }
}

/// Ends the work when it was stopped.
pub(super) fn check_stop(watch: &Watch<'_>) -> Result<(), GameError> {
    match watch.stop.load(Ordering::Relaxed) {
        true => Err(GameError::Stopped),
        false => Ok(()),
    }
}
