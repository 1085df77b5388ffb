//! `endtable stats`: what a table's answers look like together.

use std::fmt::Write as _;
use std::path::PathBuf;

use endtable::table::{Table, TableSet};

use super::output::{say, write_file};
use super::{Failure, complete};

/// Count a table's answers: wins, losses, plies to the end
///
/// A folder of complete tables: for each joker rule, all deals, each counted; then every layer.
#[derive(clap::Args)]
#[command(after_help = "Example:
  endtable stats seeds.etb --svg plies.svg")]
pub struct Args {
    /// The tables, or folders with tables, counted together
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Draw the plies as a bar chart into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
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
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(folder) = complete::folder_of(&args.files) {
        return complete::stats(folder, args.svg.as_deref());
    }
    let set = TableSet::open(&args.files)?;
    let counts = count(set.tables())?;
    say(text(&counts, "positions").trim_end())?;
    if let Some(path) = &args.svg {
        write_file(path, |out| Ok(out.write_all(svg(&counts).as_bytes())?))?;
    }
    Ok(())
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
pub fn svg(counts: &Counts) -> String {
    const HEIGHT: f64 = 240.0;
    let last = counts.plies.iter().rposition(|&count| count > 0).unwrap_or(0);
    let most = counts.plies.iter().copied().max().unwrap_or(0).max(1) as f64;
    let width = 60 + 40 * (last + 1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"320\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <text x=\"30\" y=\"20\">{} positions by plies to the end (dark: side to move wins)</text>\n",
        counts.total
    );
    for (plies, &count) in counts.plies[..=last].iter().enumerate() {
        let height = HEIGHT * count as f64 / most;
        let (x, y) = (30 + 40 * plies, 30.0 + HEIGHT - height);
        let colour = if plies % 2 == 1 { "#1b6ca8" } else { "#a8cbe3" };
        let share = 100.0 * count as f64 / counts.total.max(1) as f64;
        _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y:.1}\" width=\"30\" height=\"{height:.1}\" fill=\"{colour}\"/>\
             <text x=\"{0}\" y=\"290\" text-anchor=\"middle\">{plies}</text>\
             <text x=\"{0}\" y=\"305\" text-anchor=\"middle\" fill=\"#666\">{share:.1}%</text>",
            x + 15
        );
    }
    svg + "</svg>\n"
}
