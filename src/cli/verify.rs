//! `endtable verify`: is a table whole, and is it right?

use std::collections::BTreeSet;
use std::path::PathBuf;

use endtable::games::collapsi::{Rules, Solver};
use endtable::random::SplitMix64;
use endtable::probe::record_board;
use endtable::table::{Game, Meta, Record, Table, TableError};
use rayon::prelude::*;

use super::output::say;
use super::{Failure, complete, twenty48};

/// Check tables: header, every checksum, the order and the counts
///
/// With --resolve, some records are also solved anew and compared. A folder of complete tables:
/// every table of it; with --full, every layer is also solved anew from the table below it. Tables
/// of 2048 boards: with --full, every record is also worked out from the records after it.
#[derive(clap::Args)]
#[command(after_help = "Example:
  endtable verify seeds.etb --resolve 1000")]
pub struct Args {
    /// The tables
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Solve so many records, chosen at random, anew
    #[arg(long, value_name = "N", default_value_t = 0)]
    resolve: u64,
    /// Complete tables and 2048: work every answer out anew from those after it
    #[arg(long, conflicts_with = "resolve")]
    full: bool,
    /// The seed of that choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(folder) = complete::folder_of(&args.files) {
        return complete::verify(folder, args.full);
    }
    for file in &args.files {
        let table = Table::open(file)?;
        let count = (0..table.blocks())
            .into_par_iter()
            .map(|block| table.verify_block(block))
            .try_reduce(|| 0, |one, other| Ok(one + other))?;
        if count != table.len() {
            return Err(Failure::from(TableError::Inconsistent {
                path: file.clone(),
                what: format!("{count} records, but the header says {}", table.len()),
            }));
        }
        let mut said =
            format!("{}: {count} records in {} blocks are sound", file.display(), table.blocks());
        let is_2048 = table.header().description.game == Game::Twenty48;
        if args.full || args.resolve > 0 && is_2048 {
            if !args.full || !is_2048 {
                return Err(Failure::input(
                    "--full is for 2048 and for folders of complete tables, --resolve for others",
                ));
            }
            said += &twenty48::verify_full(file)?;
        }
        if args.resolve > 0 {
            resolve(&table, args)?;
            said += &format!("; {} solved anew agree", args.resolve.min(count));
        }
        say(said)?;
    }
    Ok(())
}

/// Solves random records anew and compares win, distance and best move.
fn resolve(table: &Table, args: &Args) -> Result<(), Failure> {
    let codec = table.header().description.codec;
    let rules = Rules::ALL[usize::from(table.header().description.rules)];
    if codec.is_folded() {
        return Err(Failure::input("--resolve: folded keys do not give their positions back"));
    }
    let mut random = SplitMix64::new(args.seed);
    let mut numbers = BTreeSet::new();
    if args.resolve >= table.len() {
        numbers.extend(0..table.len());
    }
    while (numbers.len() as u64) < args.resolve.min(table.len()) {
        numbers.insert(random.below(table.len()));
    }
    numbers.into_par_iter().try_for_each_init(Solver::new, |solver, number| {
        let Some(record) = table.records_from(number).next() else { return Ok(()) };
        let record = record?;
        check_record(solver, &record, codec, rules)
    })
}

fn check_record(
    solver: &mut Solver,
    record: &Record,
    codec: endtable::table::Codec,
    rules: Rules,
) -> Result<(), Failure> {
    let board = record_board(record, codec).map_err(|error| Failure::Check(error.to_string()))?;
    let Some(board) = board else { return Ok(()) };
    let answer = solver.solve(&board, rules);
    let best = answer.best.map_or(Meta::NO_MOVE, |mv| mv.byte());
    let solved = Meta::new(board.turn().bit(), answer.value, best);
    if solved == record.meta {
        return Ok(());
    }
    Err(Failure::Check(format!(
        "{board}: the table says {} in {}, solved anew {solved} in {}",
        record.meta,
        record.meta.value().plies(),
        answer.value.plies()
    )))
}
