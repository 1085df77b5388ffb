//! Checking Tak tables: are they whole, and are they right?

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::Tables;
use super::layers::LayerTable;
use crate::games::tak::dense::StoneLayer;
use crate::games::tak::jobs::load;
use crate::games::{Check, GameError, Watch};
use crate::solve::retrograde::{self, Differences, Unsolved};
use crate::table::TableError;

/// Checks every table; in full, every entry is worked out anew from those that its moves lead to, in the same
/// layer and in the one above.
///
/// That proves the tables right, draws included, if the highest layer's moves out of it end the game.
/// Suppose that all entries follow from those after their moves. A win in n has a move to a loss in n - 1,
/// a loss in n only moves to wins in less than n, so that every entry that is no draw tells a line of play
/// to the end of the game, as strong as it says. And a position that can be won in n has a move to one that
/// is lost in n - 1, so by induction over n it cannot be entered as a draw or as a longer win; the same
/// holds for losses.
pub(super) fn layers(
    tables: &Tables,
    check: Check,
    watch: &Watch<'_>,
    report: &mut dyn FnMut(Result<String, GameError>),
) -> Result<(), GameError> {
    match check {
        Check::Sample { .. } => {
            return Err(GameError::Unsupported(
                "these tables are checked in full: --full works every entry out anew".into(),
            ));
        }
        Check::Full | Check::Part(_) if tables.folder.is_none() => {
            return Err(GameError::Unsupported(
                "a layer is worked out anew from the one above it: name the folder".into(),
            ));
        }
        _ => {}
    }
    let mut damaged = false;
    let layers = tables.layers.iter().enumerate();
    for (_, layer) in layers.clone().filter(|(part, _)| check.is_about(*part)) {
        let done = sound(layer, watch);
        if let Err(GameError::Stopped) = done {
            return Err(GameError::Stopped);
        }
        damaged |= done.is_err();
        report(done);
    }
    // What is damaged cannot be compared, nor what follows from it.
    if check.is_full() && !damaged {
        let mut above: Option<(&LayerTable, Vec<u8>)> = None;
        for (part, layer) in layers {
            // Of the others, only the one that it follows from is loaded.
            if !check.is_about(part) && !check.is_about(part + 1) {
                continue;
            }
            let Some(entries) = load(&layer.table, watch.stop)? else {
                return Err(GameError::Stopped);
            };
            if !check.is_about(part) {
                above = Some((layer, entries));
                continue;
            }
            let (done, entries) = follows(layer, entries, above.as_ref(), watch);
            if let Err(GameError::Stopped) = done {
                return Err(GameError::Stopped);
            }
            report(done);
            above = Some((layer, entries));
        }
    }
    Ok(())
}

/// Checks every block of a layer's table.
fn sound(layer: &LayerTable, watch: &Watch<'_>) -> Result<String, GameError> {
    let table = &layer.table;
    let scan = table.scan()?;
    watch.progress.begin("checking", table.len(), 0);
    let done = (0..table.blocks()).into_par_iter().map(|block| {
        if watch.stop.load(Ordering::Relaxed) {
            return Err(GameError::Stopped);
        }
        let entries = scan.entries(block)?;
        let first = (block * table.block_entries()) as u64;
        check_entries(layer, first, &entries)?;
        watch.progress.advance(entries.len() as u64, entries.len() as u64);
        Ok(entries.iter().filter(|&&entry| entry != retrograde::ABSENT).count())
    });
    let done = done.try_reduce(|| 0, |one, other| Ok(one + other));
    watch.progress.end();
    let (path, blocks) = (table.path().display(), table.blocks());
    Ok(format!("{path}: {} positions in {blocks} blocks are sound", done?))
}

/// Checks that the numbers of positions have an entry, and no others.
fn check_entries(layer: &LayerTable, first: u64, entries: &[u8]) -> Result<(), GameError> {
    let is_position = |number| {
        let arrangement = layer.numbering.arrangement(number);
        arrangement.is_some_and(|it| layer.numbering.is_position(&it))
    };
    let wrong = (first..)
        .zip(entries)
        .find(|&(number, &entry)| is_position(number) != (entry != retrograde::ABSENT));
    let Some((number, &entry)) = wrong else { return Ok(()) };
    let what = match entry {
        retrograde::ABSENT => format!("number {number} is a position and has no entry"),
        _ => format!("number {number} has the entry {entry} and is no position"),
    };
    Err(TableError::Inconsistent { path: layer.table.path().into(), what }.into())
}

/// Works every entry of a layer out anew. Gives the entries back.
fn follows(
    layer: &LayerTable,
    entries: Vec<u8>,
    above: Option<&(&LayerTable, Vec<u8>)>,
    watch: &Watch<'_>,
) -> (Result<String, GameError>, Vec<u8>) {
    let above = above.map(|(layer, entries)| (&layer.numbering, &entries[..]));
    let this = StoneLayer { numbering: &layer.numbering, above };
    let entries: Vec<AtomicU8> = entries.into_iter().map(AtomicU8::new).collect();
    let path = layer.table.path().display();
    watch.progress.begin("working out anew", layer.table.len(), 0);
    let advance = |numbers| watch.progress.advance(numbers, numbers);
    let differences = retrograde::check(&this, &entries, watch.stop, advance);
    watch.progress.end();
    let done = match differences {
        Err(Unsolved::Stopped) => Err(GameError::Stopped),
        Err(error) => Err(GameError::Wrong(format!("{path}: {error}"))),
        Ok(Differences { first: None, .. }) => {
            Ok(format!("{path}: each entry follows from those after its moves"))
        }
        Ok(Differences { count, first: Some(number) }) => {
            let position =
                layer.text(number as u64).map_or(String::new(), |text| format!(" ({text})"));
            Err(GameError::Wrong(format!(
                "{path}: {count} entries do not follow from those after their moves, the first is number \
                 {number}{position}"
            )))
        }
    };
    (done, entries.into_iter().map(AtomicU8::into_inner).collect())
}
