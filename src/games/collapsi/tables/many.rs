//! Many boards at once: what has to be looked up is sorted first, so that each block is read once,
//! and all threads take part.

use rayon::prelude::*;

use super::{CompleteTables, KeyedTables};
use crate::games::collapsi::{Answer, Board, Move, value_of_plies};
use crate::table::TableError;
use crate::value::Value;

/// How many sorted look-ups a thread takes at a time.
const CHUNK: usize = 1 << 10;

/// The answers to many keys, in the keys' order. They are asked for in ascending order, some at a
/// time.
fn ask_sorted<R: Clone + Send + Sync>(
    keys: &[u64],
    ask: impl Fn(&[u64]) -> Vec<R> + Send + Sync,
) -> Vec<R> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.par_sort_unstable_by_key(|&number| keys[number]);
    let sorted: Vec<u64> = order.iter().map(|&number| keys[number]).collect();
    let answers: Vec<R> = sorted.par_chunks(CHUNK).flat_map_iter(ask).collect();
    let mut places = vec![0; keys.len()];
    for (place, &number) in order.iter().enumerate() {
        places[number] = place;
    }
    places.into_par_iter().map(|place| answers[place].clone()).collect()
}

/// What keyed tables say of each board, as [`KeyedTables::probe_best`] says it.
pub fn keyed(tables: &KeyedTables, boards: &[&Board]) -> Vec<Result<Option<Answer>, TableError>> {
    let forms: Vec<_> = boards.par_iter().map(|board| tables.stored(board)).collect();
    let codes: Vec<u64> = forms.iter().map(|form| form.0).collect();
    // A chunk with a damaged block is asked again one by one: only what is in that block fails.
    let metas = ask_sorted(&codes, |codes| match tables.set().get_many(codes) {
        Ok(records) => records.into_iter().map(|it| Some(it.map(|it| it.meta))).collect(),
        Err(_) => vec![None; codes.len()],
    });
    let questions = boards.par_iter().zip(forms).zip(metas);
    let answer = |((board, (_, symmetry)), meta): ((&&Board, _), _)| match meta {
        Some(meta) => tables.best(board, meta, symmetry),
        None => tables.probe_best(board),
    };
    questions.map(answer).collect()
}

/// What each move on each board is worth, as [`CompleteTables::moves`] says it.
pub fn complete(
    tables: &CompleteTables,
    boards: &[&Board],
) -> Vec<Result<Vec<(Move, Value)>, TableError>> {
    let moves: Vec<Vec<(Move, u64)>> =
        boards.par_iter().map(|board| tables.places(board)).collect();
    let places: Vec<u64> = moves.iter().flatten().map(|&(_, place)| place).collect();
    let plies = ask_sorted(&places, |places| {
        places.iter().map(|&place| tables.entry(place).ok().flatten()).collect()
    });
    let mut plies = plies.into_iter();
    let values: Vec<Option<Vec<(Move, Value)>>> = moves
        .iter()
        .map(|moves| {
            let of_board: Vec<Option<u8>> = plies.by_ref().take(moves.len()).collect();
            let value = |(&(mv, _), plies): (&(Move, u64), Option<u8>)| {
                Some((mv, value_of_plies(plies?).before_move()))
            };
            moves.iter().zip(of_board).map(value).collect()
        })
        .collect();
    // Layers that are not there are searched, and what is damaged says so itself.
    let questions = boards.par_iter().zip(values);
    questions.map(|(board, values)| values.map_or_else(|| tables.moves(board), Ok)).collect()
}
