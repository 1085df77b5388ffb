//! Proofs as tables of the house: probed, counted, checked, exported.

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::strategy::{Step, code, replies};
use super::{Claim, claimed_size, inconsistent};
use crate::games::key::{Key, Key64};
use crate::games::tak::Tak;
use crate::games::tak::board::{Board, Rules};
use crate::games::tak::game::check_options;
use crate::games::tak::moves::Move;
use crate::games::tak::position::TakPosition;
use crate::games::tak::size::{Size, for_size};
use crate::games::{
    Answer, Bin, Check, Columns, Contents, Detail, Game, GameError, Group, Histogram, Layout,
    Position, RecordDecoder, Section, Statistics, Tables, Watch,
};
use crate::table::{Header, OpenFile, Options, Record, Table, TableError};
use crate::value::{Plies, Value, Worth};

/// Opens a proof.
///
/// # Errors
/// When it is damaged or none, or there are several.
pub(in crate::games::tak) fn open(
    paths: &[PathBuf],
    options: &Options,
) -> Result<Box<dyn Tables>, GameError> {
    let [path] = paths else {
        return Err(GameError::Unsupported("proofs are opened one at a time".into()));
    };
    let table = Table::open(path)?;
    let size = claimed_size(&table.header().description, path)?;
    for_size!(size, S => {
        let claim = Claim::<S>::read(&table.header().description, path)?;
        let proof = Proof { table, claim };
        proof.check_options(options)?;
        Ok(Box::new(proof))
    })
}

/// What the records of a proof stand for.
///
/// # Errors
/// When it is none.
pub(in crate::games::tak) fn decoder(
    header: &Header,
    path: &Path,
) -> Result<Box<dyn RecordDecoder>, GameError> {
    let size = claimed_size(&header.description, path)?;
    for_size!(size, S => {
        Claim::<S>::read(&header.description, path)?;
        Ok(Box::new(Decoder { names: |mv: Move| mv.to_ptn::<S>(), squares: S::SQUARES }))
    })
}

struct Decoder {
    names: fn(Move) -> String,
    squares: usize,
}

impl RecordDecoder for Decoder {
    fn columns(&self) -> Columns {
        Columns { turn: true, result: true, best_move: true, plies: true }
    }

    fn key(&self, code: u64) -> Result<Key, GameError> {
        Ok(Key::Short(Key64(code)))
    }

    fn move_name(&self, number: u16) -> Option<String> {
        let mv = Move::from_bits(number);
        let fits = mv.square() < self.squares && (mv.is_slide() || number >> 8 & 3 < 3);
        fits.then(|| (self.names)(mv))
    }
}

/// A proof that was opened.
struct Proof<S: Size> {
    table: Table,
    claim: Claim<S>,
}

impl<S: Size> Proof<S> {
    fn rules(&self) -> Rules {
        self.claim.board.rules()
    }

    fn path(&self) -> &Path {
        self.table.path()
    }

    fn wrong(&self, what: impl ToString) -> GameError {
        inconsistent(self.path(), what)
    }

    /// Options that say something else than the proof's rules are refused.
    fn check_options(&self, options: &Options) -> Result<(), GameError> {
        let rules = &self.table.header().description.rules;
        check_options(options, self.rules(), &format!("the proof is for {rules}"))
    }

    /// The winner's step on a board, as it stands.
    fn step(&self, board: &Board<S>) -> Result<Option<Step>, TableError> {
        let canonical = board.canonical();
        let Some(record) = self.table.get(code(&canonical.board))? else { return Ok(None) };
        let Some(step) = step_of(record) else { return Ok(None) };
        let mv = canonical.symmetry.inverse().image_of_move::<S>(step.mv);
        Ok(Some(Step { mv, ..step }))
    }

    /// Checks that a record is a step that can be made.
    fn check_record(&self, record: Record) -> Result<Step, GameError> {
        let wrong = |what: &str| Err(self.wrong(format!("record {:016x}: {what}", record.code)));
        let board = Board::<S>::from_exact_key(record.code.into(), self.rules());
        let Some(board) = board else { return wrong("there is no such position") };
        if board.canonical().board != board {
            return wrong("the position is not in canonical form");
        }
        if board.end().is_some() {
            return wrong("the game is over there");
        }
        if u16::from(board.turn() as u8) != record.meta.turn() {
            return wrong("it is the other side's turn");
        }
        let Some(step) = step_of(record) else { return wrong("it is no win with a move") };
        let mut moves = Vec::new();
        board.push_moves(&mut moves);
        if !moves.contains(&step.mv) {
            return wrong("the move is not legal");
        }
        Ok(step)
    }

    /// Follows the proof from the position that it is about. Answers how many positions it met.
    fn follow(&self, watch: &Watch<'_>) -> Result<u64, GameError> {
        let Claim { board, goal, plies } = &self.claim;
        let winner = match self.step(board)? {
            Some(_) => board.turn(),
            None => board.turn().other(),
        };
        let mut open = vec![(*board, *plies)];
        let (mut seen, mut met) = (HashSet::new(), 0);
        while let Some((board, most)) = open.pop() {
            if watch.stop.load(Ordering::Relaxed) {
                return Err(GameError::Stopped);
            }
            if let Some(end) = board.end() {
                if !goal.reached(end, winner) {
                    return Err(self.wrong(format!("{board}: the winner loses his win: {end}")));
                }
                continue;
            }
            let next = most.checked_sub(1).ok_or_else(|| {
                self.wrong(format!("{board}: the win takes longer than the proof says"))
            })?;
            if board.turn() != winner {
                open.extend(replies(&board).map(|after| (after, next)));
                continue;
            }
            let step = self.step(&board)?;
            let step = step.ok_or_else(|| self.wrong(format!("{board}: there is no move")))?;
            if u16::from(step.plies) > most {
                return Err(self.wrong(format!("{board}: {} plies, expected {most}", step.plies)));
            }
            if seen.insert(code(&board.canonical().board)) {
                met += 1;
                let mut after = board;
                after.make(step.mv);
                open.push((after, u16::from(step.plies) - 1));
            }
        }
        Ok(met)
    }
}

/// The step that a record holds, if it is one.
fn step_of(record: Record) -> Option<Step> {
    let Value::Win(Plies(plies @ 1..=250)) = record.meta.value() else { return None };
    Some(Step { mv: Move::from_bits(record.meta.best_move()?), plies: plies as u8 })
}

impl<S: Size> Tables for Proof<S> {
    fn game(&self) -> &'static dyn Game {
        &Tak
    }

    fn files(&self) -> Vec<&OpenFile> {
        vec![&self.table]
    }

    fn contents(&self) -> Contents {
        Contents::of(&self.table.header().description.rules, &self.files())
    }

    fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        self.check_options(options)?;
        let board = Board::<S>::from_tps(text, self.rules());
        let board = board.map_err(|reason| GameError::position(text, reason))?;
        Ok(Box::new(TakPosition { board, ended: Default::default() }))
    }

    fn probe(&self, position: &dyn Position, _: Detail) -> Result<Option<Answer>, GameError> {
        let TakPosition { board, .. } = TakPosition::<S>::of(position)?;
        if board.rules() != self.rules() || board.is_over() {
            return Ok(None);
        }
        let step = self.step(board)?;
        Ok(step.map(|Step { mv, plies }| {
            let value = Value::Win(Plies(plies.into()));
            Answer::new(Worth::Value(value), [mv.to_ptn::<S>()])
        }))
    }

    fn statistics(&self, _watch: &Watch<'_>) -> Result<Statistics, GameError> {
        let mut counts = BTreeMap::new();
        for record in self.table.records() {
            *counts.entry(record?.meta.value().plies().0).or_insert(0) += 1;
        }
        let bin = |(&plies, &count): (&u16, &u64)| Bin {
            from: plies.into(),
            to: None,
            count,
            part: None,
        };
        let bins = counts.iter().map(bin).collect();
        let histogram = Histogram { by: "plies", axis: "plies to the end".into(), bins };
        let group = Group {
            label: Vec::new(),
            total: self.table.len(),
            parts: vec![("won", self.table.len())],
            facts: Vec::new(),
            histograms: vec![histogram],
        };
        let section =
            Section { name: "", things: "positions", layout: Layout::Columns, groups: vec![group] };
        let rules = &self.table.header().description.rules;
        Ok(Statistics::new(Tak.name(), rules, vec![section]))
    }

    fn check(
        &self,
        check: Check,
        watch: &Watch<'_>,
        report: &mut dyn FnMut(Result<String, GameError>),
    ) -> Result<(), GameError> {
        if let Check::Sample { .. } = check {
            let what = "a proof is checked as a whole: --full follows every move of it";
            return Err(GameError::Unsupported(what.into()));
        }
        let path = self.path().display();
        let sound =
            self.table.records().try_for_each(|record| self.check_record(record?).map(drop));
        let records = self.table.len();
        report(sound.map(|()| format!("{path}: {records} records are sound")));
        if check.is_full() {
            let Claim { board, plies, .. } = &self.claim;
            match self.follow(watch) {
                Err(GameError::Stopped) => return Err(GameError::Stopped),
                followed => report(followed.map(|met| {
                    format!("{path}: {met} positions prove {board} within {plies} plies")
                })),
            }
        }
        Ok(())
    }
}
