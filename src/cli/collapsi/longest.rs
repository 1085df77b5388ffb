//! `endtable longest`: the deals with the longest and the shortest games.

use std::path::PathBuf;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::collapsi::{CompleteSet, Index, Layer, Rules, value_of_plies};
use endtable::table::DenseTable;

use crate::cli::Failure;
use crate::cli::output::say;

/// Show deals with the longest and the shortest games, from complete tables
///
/// One line a deal: the rule, the result for the first player with its plies, the deal as text,
/// which `solve`, `probe` and `dump` take.
#[derive(clap::Args)]
#[command(after_help = "Example:
  endtable longest complete --rules wild --count 3")]
struct Args {
    /// The folder with the complete tables
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Only this joker rule, both by default
    #[arg(long)]
    rules: Option<Rules>,
    /// How many deals of each kind
    #[arg(long, value_name = "N", default_value_t = 5)]
    count: usize,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("longest"))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let (set, index) = (CompleteSet::find(&args.folder)?, Index::new());
    for (rules, table) in deal_tables(&set, &index, args.rules)? {
        let by_plies = first_by_plies(&table, args.count)?;
        let longest = by_plies.iter().rposition(|numbers| !numbers.is_empty());
        let shortest = by_plies.iter().position(|numbers| !numbers.is_empty());
        for plies in longest.into_iter().chain(shortest) {
            for &number in &by_plies[plies] {
                let Some(deal) = index.unrank(Layer::MOST, number) else { continue };
                say(format_args!("{rules} {} {deal}", value_of_plies(plies as u8)))?;
            }
        }
    }
    Ok(())
}

/// The first deals that end after so many plies, some of each.
fn first_by_plies(table: &DenseTable, count: usize) -> Result<[Vec<u64>; 16], Failure> {
    let mut numbers: [Vec<u64>; 16] = Default::default();
    for block in 0..table.blocks() {
        let first = (block * table.block_entries()) as u64;
        for (number, plies) in (first..).zip(table.block(block)?) {
            let same = &mut numbers[usize::from(plies)];
            if same.len() < count {
                same.push(number);
            }
        }
    }
    Ok(numbers)
}

/// The tables of deals in a set, by rule.
fn deal_tables(
    set: &CompleteSet,
    index: &Index,
    rules: Option<Rules>,
) -> Result<Vec<(Rules, DenseTable)>, Failure> {
    let mut tables = Vec::new();
    for rule in Rules::ALL.into_iter().filter(|&rule| rules.is_none_or(|rules| rules == rule)) {
        let layer = Layer::new(Layer::MOST, rule).filter(|&layer| set.layers().has_file(layer));
        let table = layer.map(|layer| set.open(layer, index)).transpose()?.flatten();
        tables.extend(table.map(|table| (rule, table)));
    }
    if tables.is_empty() {
        return Err(Failure::NotFound(format!(
            "the tables end at {} cards: there are no deals in them",
            set.layers().cards
        )));
    }
    Ok(tables)
}
