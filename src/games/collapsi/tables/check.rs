//! Checking Collapsi tables: are they whole, and are they right?

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::backup::{self, Column};
use super::keyed::{KeyedTables, record_board, stored_move};
use super::layers::CompleteSet;
use crate::games::collapsi::jobs::Generation;
use crate::games::collapsi::{Board, Index, Layer, Rules, Solver};
use crate::games::{Check, GameError, Watch};
use crate::random::SplitMix64;
use crate::table::{Codec, Meta, Record, Table, TableError};

/// The most plies that a game lasts: every one collapses a card, and two pawns stand on the last.
const LONGEST: u8 = 14;

/// What hears of each part.
type Report<'a> = &'a mut dyn FnMut(Result<String, GameError>);

/// Checks keyed tables, one after the other.
pub(super) fn keyed(
    tables: &KeyedTables,
    check: Check,
    watch: &Watch<'_>,
    report: Report<'_>,
) -> Result<(), GameError> {
    if check != Check::Sound && tables.codec().is_folded() {
        return Err(GameError::Unsupported(
            "folded keys do not give their positions back, so none can be solved anew".into(),
        ));
    }
    let mut columns = Vec::new();
    for table in tables.set().tables() {
        let done = match check {
            Check::Full | Check::Part(_) => read(table, tables.rules(), watch).map(|column| {
                columns.push(column);
                String::new()
            }),
            Check::Sound => sound(table, tables.rules(), watch),
            Check::Sample { count, seed } => sound(table, tables.rules(), watch).and_then(|said| {
                solve_anew(table, tables.rules(), count, seed, watch)?;
                Ok(format!("{said}; {} solved anew agree", count.min(table.len())))
            }),
        };
        match done {
            Err(GameError::Stopped) => return Err(GameError::Stopped),
            Ok(_) if check.is_full() => {}
            done => report(done),
        }
    }
    // What is damaged cannot be compared, nor what follows from it.
    if check.is_full() && columns.len() == tables.set().tables().len() {
        let all = tables.set().tables().iter().enumerate();
        for (number, table) in all.filter(|(number, _)| check.is_about(*number)) {
            watch.progress.begin("working out anew", table.len(), 0);
            let done = backup::check(tables, &columns, number, watch);
            watch.progress.end();
            match done {
                Err(GameError::Stopped) => return Err(GameError::Stopped),
                done => report(done.map(|()| {
                    format!("{}; each follows from those after its moves", are_sound(table))
                })),
            }
        }
    }
    Ok(())
}

/// Checks every block of a table, and that each of its records can be.
fn sound(table: &Table, rules: Rules, watch: &Watch<'_>) -> Result<String, GameError> {
    watch.progress.begin("checking", table.len(), 0);
    let scan = table.scan()?;
    let check_block = |block| {
        if watch.stop.load(Ordering::Relaxed) {
            return Err(GameError::Stopped);
        }
        let records = scan.records(block)?;
        records.iter().try_for_each(|record| check_in_table(table, rules, block, record))?;
        watch.progress.advance(records.len() as u64, records.len() as u64);
        Ok(())
    };
    let done = (0..table.blocks()).into_par_iter().try_for_each(check_block);
    watch.progress.end();
    done?;
    Ok(are_sound(table))
}

/// Does the same, and keeps what was read.
fn read(table: &Table, rules: Rules, watch: &Watch<'_>) -> Result<Column, GameError> {
    watch.progress.begin("checking", table.len(), 0);
    let column =
        Column::read(table, watch, |block, record| check_in_table(table, rules, block, record));
    watch.progress.end();
    column
}

fn are_sound(table: &Table) -> String {
    let (path, count, blocks) = (table.path().display(), table.len(), table.blocks());
    format!("{path}: {count} records in {blocks} blocks are sound")
}

/// Checks a record of a block, and names both if it cannot be.
fn check_in_table(
    table: &Table,
    rules: Rules,
    block: usize,
    record: &Record,
) -> Result<(), GameError> {
    let codec = table.header().description.codec;
    check_record(record, codec, rules).map_err(|what| {
        let what = format!("block {block}, code {:016x}: {what}", record.code);
        TableError::Inconsistent { path: table.path().into(), what }.into()
    })
}

/// Checks that a record can be: a position in the codec's form, a legal move of its or none where
/// there is none, a result that goes with its plies, which are no more than the cards allow.
fn check_record(record: &Record, codec: Codec, rules: Rules) -> Result<(), String> {
    let value = record.meta.value();
    let plies = value.plies().0;
    if plies > LONGEST.into() || value.is_win() != (plies % 2 == 1) {
        return Err(format!("{value} plies: no game ends so"));
    }
    let best = stored_move(record.meta);
    if (plies == 0) != best.is_none() {
        return Err(format!("{value} plies, but the move is {}", record.meta));
    }
    let board = record_board(record, codec).map_err(|error| error.to_string())?;
    let Some(board) = board else { return Ok(()) };
    if u32::from(plies) > board.alive().len().saturating_sub(2) {
        return Err(format!("{board}: {plies} plies, but every ply takes a card"));
    }
    if codec == Codec::Canonical && board.canonical().board != board {
        return Err(format!("{board}: not in canonical form"));
    }
    if record.meta.turn() != board.turn().bit() {
        return Err(format!("{board}: the other side's turn"));
    }
    let destinations = board.destinations(rules);
    match best {
        None if destinations.is_empty() => Ok(()),
        None => Err(format!("{board}: lost at once, but there are moves")),
        Some(mv) if mv.from == board.mover() && destinations.contains(mv.to) => Ok(()),
        Some(mv) => Err(format!("{board}: {mv} is not a legal move")),
    }
}

/// Solves random records anew and compares win, distance and best move.
fn solve_anew(
    table: &Table,
    rules: Rules,
    count: u64,
    seed: u64,
    watch: &Watch<'_>,
) -> Result<(), GameError> {
    let codec = table.header().description.codec;
    let mut random = SplitMix64::new(seed);
    let mut numbers = BTreeSet::new();
    if count >= table.len() {
        numbers.extend(0..table.len());
    }
    while (numbers.len() as u64) < count.min(table.len()) {
        numbers.insert(random.below(table.len()));
    }
    watch.progress.begin("solving", numbers.len() as u64, 0);
    let done = numbers.into_par_iter().try_for_each_init(Solver::new, |solver, number| {
        if watch.stop.load(Ordering::Relaxed) {
            return Err(GameError::Stopped);
        }
        let Some(record) = table.records_from(number).next() else { return Ok(()) };
        let record = record?;
        let board = record_board(&record, codec);
        let named = |error| GameError::Wrong(format!("{}: {error}", table.path().display()));
        let board = board.map_err(named)?;
        watch.progress.advance(1, 1);
        board.map_or(Ok(()), |board| compare(solver, &board, &record, rules))
    });
    watch.progress.end();
    done
}

fn compare(
    solver: &mut Solver,
    board: &Board,
    record: &Record,
    rules: Rules,
) -> Result<(), GameError> {
    let answer = solver.solve(board, rules);
    let best = answer.best.map(|mv| mv.byte().into());
    let solved = Meta::new(board.turn().bit(), answer.value, best);
    if solved == record.meta {
        return Ok(());
    }
    Err(GameError::Wrong(format!(
        "{board}: the table says {} in {}, solved anew {solved} in {}",
        record.meta,
        record.meta.value().plies(),
        answer.value.plies()
    )))
}

/// Checks every table of a complete set; in full, solves each layer anew from the table below it.
pub(super) fn complete(
    set: &CompleteSet,
    check: Check,
    watch: &Watch<'_>,
    report: Report<'_>,
) -> Result<(), GameError> {
    let full = match check {
        Check::Sound => false,
        Check::Full | Check::Part(_) => true,
        Check::Sample { .. } => {
            return Err(GameError::Unsupported(
                "complete tables are checked in full: every layer is solved anew".into(),
            ));
        }
    };
    let index = Index::new();
    let layers = set.layers().with_files().enumerate();
    let layers = layers.filter(|(part, _)| check.is_about(*part)).map(|(_, layer)| layer);
    let layers: Vec<Layer> = layers.collect();
    let mut damaged = false;
    for &layer in &layers {
        match check_layer(set, layer, &index, watch) {
            Err(GameError::Stopped) => return Err(GameError::Stopped),
            done => {
                damaged |= done.is_err();
                report(done);
            }
        }
    }
    // What is damaged cannot be compared, nor what is solved from it.
    if full && !damaged {
        let mut generation = Generation::over(set.clone(), &index, watch);
        for &layer in &layers {
            let done = solve_layer_anew(set, layer, &mut generation)?;
            report(done);
        }
    }
    Ok(())
}

fn check_layer(
    set: &CompleteSet,
    layer: Layer,
    index: &Index,
    watch: &Watch<'_>,
) -> Result<String, GameError> {
    let path = set.path(layer);
    let Some(table) = set.open(layer, index)? else { return Ok(String::new()) };
    let scan = table.scan()?;
    // Every ply takes a card, and two pawns stand on the last.
    let longest = layer.cards() - Layer::FEWEST;
    (0..table.blocks()).into_par_iter().try_for_each(|block| {
        if watch.stop.load(Ordering::Relaxed) {
            return Err(GameError::Stopped);
        }
        let entries = scan.entries(block)?;
        match entries.iter().find(|&&plies| plies > longest) {
            Some(plies) => Err(GameError::Table(TableError::Inconsistent {
                path: path.clone(),
                what: format!(
                    "block {block} has {plies} plies, but no game of so few cards is that long"
                ),
            })),
            None => Ok(()),
        }
    })?;
    let (positions, blocks) = (table.len(), table.blocks());
    Ok(format!("{}: {positions} positions in {blocks} blocks are sound", path.display()))
}

/// Solves a layer from the table below it and compares the two. Only a stop ends everything.
fn solve_layer_anew(
    set: &CompleteSet,
    layer: Layer,
    generation: &mut Generation<'_>,
) -> Result<Result<String, GameError>, GameError> {
    let path = set.path(layer);
    let path = path.display();
    let differences = match generation.check(layer) {
        Ok(Some(differences)) => differences,
        Ok(None) => return Err(GameError::Stopped),
        Err(error) => return Ok(Err(error.into())),
    };
    Ok(match differences.first {
        None => Ok(format!("{path}: solved anew, agrees")),
        Some(number) => {
            let board = generation.index().unrank(layer.cards(), number);
            let board = board.map_or(String::new(), |board| format!(" ({board})"));
            Err(GameError::Wrong(format!(
                "{path}: {} positions differ, the first is number {number}{board}",
                differences.count
            )))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::collapsi::{deal_from_seed, record};
    use crate::value::{Plies, Value};

    #[test]
    fn records_that_cannot_be_are_told() {
        let deal = deal_from_seed(1);
        let solved = Solver::new().solve(&deal, Rules::One);
        let best = solved.best.unwrap().to.mask();
        let right = record(&deal, solved.value, best, Codec::Exact);
        assert_eq!(check_record(&right, Codec::Exact, Rules::One), Ok(()));
        let with = |value, best| Record { meta: Meta::new(0, value, best), ..right };
        let move_of = right.meta.best_move();
        for wrong in [
            with(Value::Win(Plies(12)), move_of),
            with(Value::Win(Plies(15)), move_of),
            with(Value::Loss(Plies(0)), None),
            with(Value::Win(Plies(13)), Some(0x12)),
            with(Value::Win(Plies(13)), None),
            Record { meta: Meta::new(1, solved.value, move_of), ..right },
            Record { code: u64::MAX, ..right },
        ] {
            assert!(check_record(&wrong, Codec::Exact, Rules::One).is_err(), "{wrong:?}");
        }
    }
}
