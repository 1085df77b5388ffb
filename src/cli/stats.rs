//! `endtable stats`: what a table's answers look like together.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use endtable::table::{Game, Table, TableSet};

use super::chart::{Bar, Chart, svg};
use super::output::{check_new, say, write_file};
use super::{Failure, complete, twenty48};

/// Count a table's answers: wins, losses, plies to the end
///
/// A folder of complete tables: for each joker rule, all deals, each counted; then every layer.
/// Tables of 2048 boards: what a random start is worth; positions by highest tile, value and sum.
#[derive(clap::Args)]
#[command(after_help = "Example:
  endtable stats seeds.etb --svg plies.svg")]
pub struct Args {
    /// The tables, or folders with tables, counted together
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Draw the plies as bar charts into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long, requires = "svg")]
    force: bool,
}

/// How many records end after how many plies.
pub struct Counts {
    pub plies: [u64; 64],
    pub wins: u64,
    pub total: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Self { plies: [0; 64], wins: 0, total: 0 }
    }
}

impl Counts {
    /// Counts so many that end alike.
    pub fn add(&mut self, plies: u8, win: bool, count: u64) {
        self.plies[usize::from(plies) % 64] += count;
        self.wins += if win { count } else { 0 };
        self.total += count;
    }

    /// The most plies of any.
    fn last(&self) -> usize {
        self.plies.iter().rposition(|&count| count > 0).unwrap_or(0)
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.svg {
        check_new(path, args.force)?;
    }
    if let Some(folder) = complete::folder_of(&args.files) {
        return complete::stats(folder, args.svg.as_deref());
    }
    let set = TableSet::open(&args.files)?;
    if set.description().is_some_and(|description| description.game == Game::Twenty48) {
        return twenty48::stats(set, args.svg.as_deref());
    }
    let counts = count(set.tables())?;
    let text = text(&counts, "positions");
    // The picture first: standard output may be closed before all of it is written.
    if let Some(path) = &args.svg {
        draw(path, &[(format!("{} positions", counts.total), counts)])?;
    }
    say(text.trim_end())
}

/// Draws a chart for each title and its counts into a file.
pub fn draw(path: &Path, charts: &[(String, Counts)]) -> Result<(), Failure> {
    let charts: Vec<Chart> = charts.iter().map(|(title, counts)| chart(title, counts)).collect();
    write_file(path, |out| Ok(out.write_all(svg(&charts, 2).as_bytes())?))
}

fn count(tables: &[Table]) -> Result<Counts, Failure> {
    let mut counts = Counts::default();
    for table in tables {
        for record in table.records() {
            let value = record?.meta.value();
            counts.add(value.plies().0, value.is_win(), 1);
        }
    }
    Ok(counts)
}

pub fn text(counts: &Counts, things: &str) -> String {
    let share = |part: u64| 100.0 * part as f64 / counts.total.max(1) as f64;
    let mut text = String::new();
    let losses = counts.total - counts.wins;
    _ = writeln!(text, "{things:<9} {:>12}", counts.total);
    _ = writeln!(text, "won       {:>12} {:>6.2} %", counts.wins, share(counts.wins));
    _ = writeln!(text, "lost      {losses:>12} {:>6.2} %", share(losses));
    for (plies, &count) in counts.plies.iter().enumerate().filter(|(_, count)| **count > 0) {
        _ = writeln!(text, "plies {plies:<3} {count:>12} {:>6.2} %", share(count));
    }
    text
}

/// A bar for each number of plies: wins, which are odd, dark; losses light.
fn chart(title: &str, counts: &Counts) -> Chart {
    let bar = |(plies, &count): (usize, &u64)| Bar {
        name: plies.to_string(),
        note: format!("{:.1}%", 100.0 * count as f64 / counts.total.max(1) as f64),
        count,
        light: plies % 2 == 0,
    };
    Chart {
        title: format!("{title} by plies to the end (dark: side to move wins)"),
        bars: counts.plies[..=counts.last()].iter().enumerate().map(bar).collect(),
    }
}
