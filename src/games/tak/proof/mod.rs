//! Proofs as tables: for every position that can arise while the winner follows them, a move and how
//! long it takes at the most.
//!
//! A proof holds the positions where the winner moves, in canonical form, under their exact keys. From
//! the position that it proves, the stored move is played where the winner moves and every move where
//! the loser does: each leads to the end, or to a stored position that takes fewer plies. So it can be
//! checked by whoever knows the rules, without a search.

mod strategy;
mod tables;

use std::path::Path;

use super::board::{Board, Rules};
use super::size::Size;
use super::solver::{Goal, Packed};
use super::tps::size_of;
use super::{Tak, rules_of};
use crate::games::{Game, GameError};
use crate::solve::Limits;
use crate::solve::bounded::Stopped;
use crate::table::{
    Codec, Compression, Description, Layout, Meta, Options, Recipe, Record, TableError, ValueKind,
    Writer, check_output,
};
use crate::value::{Plies, Value};
use strategy::Strategy;

pub(super) use tables::{decoder, open};

/// The bits of the codes that tables store.
const CODE_BITS: u32 = 64;

/// Checks that positions of some rules have keys that a table can store, and that a file can be made.
///
/// # Errors
/// Says what is in the way.
pub(super) fn check<S: Size>(rules: Rules, path: &Path) -> Result<(), GameError> {
    let bits = rules.key_bits::<S>();
    if bits > CODE_BITS {
        let n = S::N;
        return Err(GameError::Unsupported(format!(
            "a proof stores exact keys of {CODE_BITS} bits, and with these stones a key of {n}x{n} has \
             {bits}: 3x3 fits with up to 11 flats, 4x4 with 7, 5x5 with 3, without capstones"
        )));
    }
    Ok(check_output(path, false)?)
}

/// Writes the proof of a position that a side wins in so many plies. `value` is seen by the side to move.
///
/// # Errors
/// When it cannot be written, or was stopped.
pub(super) fn write<S: Packed>(
    board: &Board<S>,
    value: Value,
    goal: Goal,
    limits: Limits<'_>,
    path: &Path,
) -> Result<u64, GameError> {
    let Plies(plies) = value.plies();
    let winner = if value.is_win() { board.turn() } else { board.turn().other() };
    let strategy = Strategy::find(board, winner, goal, plies as u8, limits);
    let strategy = strategy.map_err(|Stopped| GameError::Stopped)?;
    let mut writer = Writer::create(path, description(board, goal, plies))?;
    for (code, step) in strategy.steps() {
        let value = Value::Win(Plies(step.plies.into()));
        let meta = Meta::new(winner as u16, value, Some(step.mv.to_bits()));
        writer.push(Record { code, meta, value: 0 })?;
    }
    Ok(writer.finish()?.records)
}

fn description<S: Size>(board: &Board<S>, goal: Goal, plies: u16) -> Description {
    let (rules, usual) = (board.rules(), Rules::usual::<S>());
    let flats = (rules.reserve.flats != usual.reserve.flats).then_some(rules.reserve.flats);
    let caps = (rules.reserve.caps != usual.reserve.caps).then_some(rules.reserve.caps);
    let komi = (rules.komi != usual.komi).then_some(rules.komi);
    let options = Options::default()
        .with_some("flats", flats)
        .with_some("caps", caps)
        .with_some("komi", komi)
        .with("plies", plies)
        .with_some("goal", (goal == Goal::Road).then_some("road"));
    let mut recipe = Recipe::new(Tak.name(), options);
    recipe.position = Some(board.to_string());
    Description {
        recipe,
        rules: rules_text::<S>(rules),
        codec: Codec::Canonical,
        key_bytes: 8,
        layout: Layout::Long,
        value: ValueKind::None,
        compression: Compression::Zstd,
        generator: Description::this_generator(),
        licence: Description::LICENCE.into(),
    }
}

/// The rules as a header names them.
fn rules_text<S: Size>(rules: Rules) -> String {
    let (n, reserve, komi) = (S::N, rules.reserve, rules.komi);
    format!("{n}x{n} flats {} caps {} komi {komi}", reserve.flats, reserve.caps)
}

/// What a proof proves, as its header says.
struct Claim<S: Size> {
    board: Board<S>,
    goal: Goal,
    plies: u16,
}

/// The size of the board that a proof is about.
fn claimed_size(description: &Description, path: &Path) -> Result<usize, GameError> {
    let position = description.recipe.position.as_deref();
    let position = position.ok_or_else(|| inconsistent(path, "it names no position"))?;
    size_of(position).map_err(|error| inconsistent(path, error))
}

impl<S: Size> Claim<S> {
    fn read(description: &Description, path: &Path) -> Result<Self, GameError> {
        let Description { recipe, codec, key_bytes, layout, value, .. } = description;
        let wrong = |what: &str| Err(inconsistent(path, what));
        if description.game() != Tak.name() {
            let (expected, found) = (Tak.name().into(), description.game().into());
            return Err(TableError::OtherGame { path: path.into(), expected, found }.into());
        }
        if (*codec, *key_bytes, *layout, *value)
            != (Codec::Canonical, 8, Layout::Long, ValueKind::None)
        {
            return wrong("its records are not those of a proof");
        }
        let rules = rules_of::<S>(&recipe.options)?;
        if rules.key_bits::<S>() > CODE_BITS || description.rules != rules_text::<S>(rules) {
            return wrong("its rules and its options do not go together");
        }
        let text = recipe.position.as_deref().unwrap_or_default();
        let board = Board::from_tps(text, rules).map_err(|error| inconsistent(path, error))?;
        let goal = recipe.options.parse("goal")?.unwrap_or(Goal::Any);
        let plies = recipe.options.parse("plies")?;
        let plies = plies.ok_or_else(|| inconsistent(path, "it names no number of plies"))?;
        Ok(Self { board, goal, plies })
    }
}

fn inconsistent(path: &Path, what: impl ToString) -> GameError {
    TableError::Inconsistent { path: path.into(), what: what.to_string() }.into()
}
