//! `endtable longest`: the deals with the longest and the shortest games.

use std::path::PathBuf;

use endtable::games::collapsi::{Index, Layer, Rules, value_of_plies};
use endtable::generate::complete::CompleteSet;
use endtable::table::DenseTable;

use super::Failure;
use super::complete::deal_tables;
use super::output::say;

/// Show deals with the longest and the shortest games, from complete tables
///
/// One line a deal: the rule, the result for the first player with its plies, the deal as text,
/// which `solve`, `probe` and `dump` take with --position.
#[derive(clap::Args)]
#[command(after_help = "Example:
  endtable longest complete --rules wild --count 3")]
pub struct Args {
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

pub fn run(args: &Args) -> Result<(), Failure> {
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
