//! The complete tables of Collapsi: what `generate`, `stats` and `verify` do with a folder of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use endtable::games::collapsi::{Index, Layer, Rules};
use endtable::generate::complete::{CompleteSet, Generation, LayerReport, Plan};
use endtable::table::{DenseTable, TableError};
use rayon::prelude::*;

use super::generate::{bytes_in, check_free, listen};
use super::output::say;
use super::progress::Shown;
use super::stats::{Counts, draw, text};
use super::{Failure, complain};

/// Every position of every deal, in a folder of tables.
#[derive(clap::Args)]
pub struct Args {
    /// Every position of the game, a table for each number of cards, into the folder --out
    #[arg(long, conflicts_with_all = ["seeds", "rules", "positions", "exact", "fold64", "uncompressed", "force"])]
    complete: bool,
    /// With --complete: only positions with so many cards left; a probe searches down to them
    #[arg(long, value_name = "N", requires = "complete", default_value_t = Layer::MOST,
          value_parser = clap::value_parser!(u8).range(2..=16))]
    cards: u8,
    /// With --complete: leave out 4, 6, 8, 10 and 12 cards; a probe searches one move deeper there
    #[arg(long, requires = "complete")]
    sparse: bool,
    /// All deals up to symmetry, taken from complete tables, as a table with keys
    #[arg(long, requires = "tables", conflicts_with_all = ["complete", "seeds", "positions", "exact", "fold64"])]
    deals: bool,
    /// With --deals: the folder of the complete tables
    #[arg(long, value_name = "DIR", requires = "deals")]
    tables: Option<PathBuf>,
}

impl Args {
    /// Where the deals are to come from, if they are asked for.
    pub fn deals_from(&self) -> Option<&Path> {
        self.tables.as_deref().filter(|_| self.deals)
    }
}

/// Generates the tables.
pub fn generate(args: &Args, folder: &Path) -> Result<(), Failure> {
    let plan = Plan { cards: args.cards, sparse: args.sparse };
    let start = Instant::now();
    let stop = Arc::new(AtomicBool::new(false));
    listen(&stop)?;
    let shown = Shown::new();
    let mut generation = Generation::new(folder, plan, &stop, &shown)?;
    // Layers that are there already need no more room.
    check_free(folder, generation.room_needed().saturating_sub(bytes_in(folder)))?;
    let (mut layers, mut positions, mut bytes) = (0, 0, 0);
    say("layer      positions  seconds     M/s       bytes   bits a position")?;
    let finished = generation.run(|report| {
        // Whoever stopped listening still wants the tables.
        _ = say(report_line(&report));
        layers += 1;
        positions += report.positions;
        bytes += report.bytes.unwrap_or(0);
    });
    let hint = format!("the same command goes on from there ({})", folder.display());
    if !finished.map_err(|error| resumable(error, &hint))? {
        return Err(Failure::Stopped(format!(
            "stopped with {layers} of {} layers done; {hint}",
            plan.layers().count()
        )));
    }
    let bits = 8.0 * bytes as f64 / (positions as f64).max(1.0);
    let seconds = start.elapsed().as_secs_f64();
    say(format_args!("all     {positions:>12} {seconds:>8.2}         {bytes:>11}   {bits:.3}"))?;
    Ok(())
}

/// A failed write loses nothing that was finished: say so.
fn resumable(error: TableError, hint: &str) -> Failure {
    match Failure::from(error) {
        Failure::Io(error) => {
            Failure::Io(std::io::Error::new(error.kind(), format!("{error}\n{hint}")))
        }
        failure => failure,
    }
}

fn report_line(report: &LayerReport) -> String {
    let LayerReport { layer, positions, there, solving, bytes } = report;
    let mut line = format!("{:<8}{positions:>12} ", layer.to_string());
    match positions - there {
        0 => line += "   there        ",
        solved => {
            let seconds = solving.as_secs_f64();
            _ = write!(line, "{seconds:>8.2} {:>7.0}", solved as f64 / seconds / 1e6);
        }
    }
    match bytes {
        Some(bytes) => {
            _ = write!(line, " {bytes:>11}   {:.3}", 8.0 * *bytes as f64 / *positions as f64);
        }
        None => line += "    left out",
    }
    if (1..*positions).contains(there) {
        _ = write!(line, "   {there} were there");
    }
    line
}

/// The statistics of all deals, weighted by symmetry, and of every layer.
pub fn stats(folder: &Path, svg_path: Option<&Path>) -> Result<(), Failure> {
    let (set, index) = (CompleteSet::find(folder)?, Index::new());
    let (mut lines, mut charts) = (String::new(), Vec::new());
    for layer in set.plan().layers().filter(|layer| layer.cards() == Layer::MOST) {
        let Some(table) = set.open(layer, &index)? else { continue };
        let (counts, rules) = (count_deals(&index, &table)?, layer.rules().unwrap_or_default());
        _ = writeln!(lines, "all deals, rule {rules}\n{}", text(&counts, "deals"));
        charts.push((format!("{} deals, rule {rules},", counts.total), counts));
    }
    lines += "layer      positions     won %  share of the positions by plies to the end, %\n";
    let heads: String = (0..15).map(|plies| format!("{plies:>5}")).collect();
    _ = writeln!(lines, "{:>30}  {heads}", "");
    for layer in set.plan().layers() {
        let Some(table) = set.open(layer, &index)? else {
            _ = writeln!(lines, "{:<8} left out", layer.to_string());
            continue;
        };
        let counts = count_entries(&table)?;
        _ = writeln!(lines, "{}", layer_line(layer, &counts));
        charts.push((format!("{} positions, layer {layer},", counts.total), counts));
    }
    // Before the lines: whoever reads them may stop at the first.
    if let Some(path) = svg_path {
        draw(path, &charts)?;
    }
    say(lines.trim_end())
}

fn layer_line(layer: Layer, counts: &Counts) -> String {
    let share = |part: u64| 100.0 * part as f64 / counts.total.max(1) as f64;
    let mut line =
        format!("{:<8}{:>12} {:>8.2}  ", layer.to_string(), counts.total, share(counts.wins));
    for &count in &counts.plies[..15] {
        _ = match count {
            0 => write!(line, "    -"),
            count => write!(line, "{:>5.1}", share(count)),
        };
    }
    line
}

fn count_deals(index: &Index, table: &DenseTable) -> Result<Counts, Failure> {
    let entries: Vec<u8> = (0..table.blocks())
        .map(|block| table.block(block))
        .collect::<Result<Vec<_>, _>>()?
        .concat();
    let mut counts = Counts::default();
    index.weights(Layer::MOST, |numbers, weight| {
        for &plies in &entries[numbers.start as usize..numbers.end as usize] {
            counts.add(plies, plies % 2 == 1, weight.into());
        }
    });
    Ok(counts)
}

fn count_entries(table: &DenseTable) -> Result<Counts, Failure> {
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
    let mut counts = Counts::default();
    for (plies, count) in (0..).zip(histogram) {
        counts.add(plies, plies % 2 == 1, count);
    }
    Ok(counts)
}

/// Checks every table of a folder; with `full`, solves each layer anew from the table below it.
/// Each one that is wrong is named, not only the first.
pub fn verify(folder: &Path, full: bool) -> Result<(), Failure> {
    let (set, index) = (CompleteSet::find(folder)?, Index::new());
    let layers: Vec<Layer> = set.plan().layers().filter(|&layer| set.plan().keeps(layer)).collect();
    let mut worst = None;
    for &layer in &layers {
        match check_table(&set, layer, &index) {
            Ok(said) => say(said)?,
            Err(failure) => {
                complain(failure.message().unwrap_or_default());
                worst = Failure::worse(worst, failure);
            }
        }
    }
    if let Some(failure) = worst {
        return Err(failure.reported());
    }
    if full {
        solve_anew(set, &layers)?;
    }
    Ok(())
}

fn check_table(set: &CompleteSet, layer: Layer, index: &Index) -> Result<String, Failure> {
    let path = set.path(layer);
    let Some(table) = set.open(layer, index)? else { return Ok(String::new()) };
    (0..table.blocks()).into_par_iter().try_for_each(|block| {
        let entries = table.block(block)?;
        match entries.iter().find(|&&plies| plies > 14) {
            Some(plies) => Err(TableError::Inconsistent {
                path: path.clone(),
                what: format!("block {block} has {plies} plies, but no game is that long"),
            }),
            None => Ok(()),
        }
    })?;
    let (positions, blocks) = (table.len(), table.blocks());
    Ok(format!("{}: {positions} positions in {blocks} blocks are sound", path.display()))
}

fn solve_anew(set: CompleteSet, layers: &[Layer]) -> Result<(), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    listen(&stop)?;
    let shown = Shown::new();
    let mut generation = Generation::over(set.clone(), &stop, &shown);
    let mut wrong = 0;
    for &layer in layers {
        let path = set.path(layer);
        let Some(differences) = generation.check(layer)? else {
            return Err(Failure::Stopped("stopped before everything was solved anew".into()));
        };
        match differences.first {
            None => say(format_args!("{}: solved anew, agrees", path.display()))?,
            Some(number) => {
                wrong += 1;
                let board = generation.index().unrank(layer.cards(), number);
                let board = board.map_or(String::new(), |board| format!(" ({board})"));
                complain(format!(
                    "{}: {} positions differ, the first is number {number}{board}",
                    path.display(),
                    differences.count
                ));
            }
        }
    }
    match wrong {
        0 => Ok(()),
        wrong => Err(Failure::Check(format!("{wrong} tables are not right"))),
    }
}

/// The one folder of complete tables among some paths, if that is what they are.
pub fn folder_of(paths: &[PathBuf]) -> Option<&Path> {
    match paths {
        [folder] if folder.is_dir() && CompleteSet::is_in(folder) => Some(folder),
        _ => None,
    }
}

/// The tables of deals in a set, by rule.
pub fn deal_tables(
    set: &CompleteSet,
    index: &Index,
    rules: Option<Rules>,
) -> Result<Vec<(Rules, DenseTable)>, Failure> {
    let mut tables = Vec::new();
    for rule in Rules::ALL.into_iter().filter(|&rule| rules.is_none_or(|rules| rules == rule)) {
        let layer = Layer::new(Layer::MOST, rule).filter(|&layer| set.plan().keeps(layer));
        let table = layer.map(|layer| set.open(layer, index)).transpose()?.flatten();
        tables.extend(table.map(|table| (rule, table)));
    }
    if tables.is_empty() {
        return Err(Failure::NotFound(format!(
            "the tables end at {} cards: there are no deals in them",
            set.plan().cards
        )));
    }
    Ok(tables)
}
