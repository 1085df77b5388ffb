//! `endtable probe`: answers from tables.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

use endtable::games::Value;
use endtable::games::collapsi::{Board, Move, Rules};
use endtable::games::key::Key64;
use endtable::probe::{Answer, CollapsiComplete, CollapsiTables, Twenty48Tables, best};
use endtable::table::{Game, TableError, TableSet};

use super::input::{Input, parse_any};
use super::solve::{line, moves_text};
use super::{Failure, complain, complete, twenty48};

/// Look positions up in tables
///
/// Prints the same line as `solve`: key, turn, win, best move. Several files, or a folder with
/// tables (*.etb), are searched as one. A folder of complete tables (*.etd) has every position, for
/// both joker rules: --rules says which. A position that is in none of them: said on standard
/// error, exit code 1.
///
/// Tables of 2048 boards take boards in hex or as rows of tiles, in any orientation, and print a
/// value behind the rest: the score still to come, or the chance that the tile appears. Moves are
/// 00 up, 01 right, 02 down, 03 left, ff none. The win bit says that there is something to gain,
/// or that the tile is there already: 000.. is lost, 01ff finished, 00ff over.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  endtable probe seeds.etb 0100000808001830:12d27d06b02589e4
  endtable probe seeds.etb --seed 1 --moves
  seq 0 9 | endtable probe seeds.etb --stdin
  endtable probe complete --seed 1 --rules wild --moves
  endtable probe 3x3.etb 2,4,0/0,2,0/0,0,8 --moves")]
pub struct Args {
    /// Tables or folders, then positions: keys, text, eight numbers or seeds
    #[arg(required = true, value_name = "FILE|KEY")]
    words: Vec<String>,
    #[command(flatten)]
    input: Input,
    /// The joker rule, `one` or `wild`: what complete tables answer for, what others must be of
    #[arg(long)]
    rules: Option<Rules>,
    /// List every legal move with its result and distance
    #[arg(long)]
    moves: bool,
    /// 2048: list every legal move with every tile that may come after it
    #[arg(long)]
    spawns: bool,
    /// Print 64-bit folded keys
    #[arg(long)]
    fold64: bool,
}

impl Args {
    fn refuse_spawns(&self) -> Result<(), Failure> {
        match self.spawns {
            true => Err(Failure::input("--spawns: for tables of 2048 boards")),
            false => Ok(()),
        }
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let (files, words) = sort_words(&args.words)?;
    if !words.is_empty() && args.input.is_given() {
        return Err(Failure::input("name positions behind the tables or by an option, not both"));
    }
    if let Some(folder) = complete::folder_of(&files) {
        args.refuse_spawns()?;
        return probe_complete(args, folder, collapsi_questions(&words)?);
    }
    let set = TableSet::open(&files)?;
    if set.description().is_some_and(|description| description.game == Game::Twenty48) {
        for (given, option) in [(args.rules.is_some(), "--rules"), (args.fold64, "--fold64")] {
            if given {
                return Err(Failure::input(format!(
                    "{option}: for Collapsi; these are 2048 tables"
                )));
            }
        }
        let shown = twenty48::Shown { moves: args.moves, spawns: args.spawns };
        let stdin = args.input.only_stdin()?;
        return twenty48::probe(&Twenty48Tables::new(set)?, &words, stdin, shown);
    }
    args.refuse_spawns()?;
    let questions = collapsi_questions(&words)?;
    let tables = CollapsiTables::new(set)?;
    if let Some(rules) = args.rules
        && rules != tables.rules()
    {
        return Err(Failure::input(format!(
            "--rules {rules}: the tables are of the rule {}",
            tables.rules()
        )));
    }
    if questions.is_empty() {
        args.input.answer(|| (), |(), board| answer(args, &tables, &board))?;
    }
    write_found(questions.into_iter().map(|question| match question {
        Question::Board(board) => answer(args, &tables, &board),
        Question::Folded(key) => folded(&tables, key),
    }))
}

/// Writes answers. What was not found is reported, and the rest still answered.
pub fn write_found(answers: impl Iterator<Item = Result<String, Failure>>) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let mut missing = None;
    for answer in answers {
        match answer {
            Ok(text) => out.write_all(text.as_bytes())?,
            Err(failure @ Failure::NotFound(_)) => {
                complain(failure.message().unwrap_or_default());
                missing = Failure::worse(missing, failure);
            }
            Err(failure) => return Err(failure),
        }
    }
    out.flush()?;
    missing.map_or(Ok(()), |failure| Err(failure.reported()))
}

enum Question {
    Board(Board),
    Folded(Key64),
}

/// Tells files from positions: what exists is a file.
fn sort_words(words: &[String]) -> Result<(Vec<PathBuf>, Vec<String>), Failure> {
    let (files, words): (Vec<String>, Vec<String>) =
        words.iter().cloned().partition(|word| Path::new(word).exists());
    match (files.is_empty(), words.first()) {
        (true, Some(word)) => Err(TableError::MissingTable { name: word.clone() }.into()),
        _ => Ok((files.into_iter().map(PathBuf::from).collect(), words)),
    }
}

fn collapsi_questions(words: &[String]) -> Result<Vec<Question>, Failure> {
    let question = |word: &String| {
        if word.len() == 16
            && let Ok(key) = word.parse()
        {
            return Ok(Question::Folded(key));
        }
        parse_any(word).map(Question::Board).map_err(|error| no_position(word, error))
    };
    words.iter().map(question).collect()
}

/// A word that is neither a file nor a position.
pub fn no_position(word: &str, error: impl Display) -> Failure {
    Failure::input(format!("{word}: no such file, nor a position: {error}"))
}

fn answer(args: &Args, tables: &CollapsiTables, board: &Board) -> Result<String, Failure> {
    let found = tables.probe(board)?;
    let found = found.ok_or_else(|| Failure::NotFound(format!("{board}: not in the table")))?;
    let moves = tables.probe_moves(board)?;
    let best = lowest_best(&found, &moves);
    let mut text = line(board, args.fold64, found.value.is_win(), best);
    if args.moves {
        text += &moves_text(found.value, moves.into_iter());
    }
    Ok(text)
}

fn probe_complete(args: &Args, folder: &Path, questions: Vec<Question>) -> Result<(), Failure> {
    let tables = CollapsiComplete::open(folder, args.rules.unwrap_or_default())?;
    let answer = |board: &Board| {
        let moves = tables.moves(board)?;
        let found = best(&moves);
        let mut text = line(board, args.fold64, found.value.is_win(), found.best);
        if args.moves {
            text += &moves_text(found.value, known(moves));
        }
        Ok::<_, Failure>(text)
    };
    if questions.is_empty() {
        args.input.answer(|| (), |(), board| answer(&board))?;
    }
    let mut out = std::io::stdout().lock();
    for question in questions {
        match question {
            Question::Board(board) => out.write_all(answer(&board)?.as_bytes())?,
            Question::Folded(key) => {
                return Err(Failure::input(format!("{key}: a folded key names no position")));
            }
        }
    }
    Ok(out.flush()?)
}

/// Moves whose values are all known.
pub fn known(moves: Vec<(Move, Value)>) -> impl Iterator<Item = (Move, Option<Value>)> {
    moves.into_iter().map(|(mv, value)| (mv, Some(value)))
}

/// The best move as `solve` names it, the lowest destination of equally good ones, as far as the
/// table knows the positions after the moves; the stored one otherwise.
fn lowest_best(found: &Answer, moves: &[(Move, Option<Value>)]) -> Option<Move> {
    let lowest = moves.iter().find(|(_, value)| *value == Some(found.value));
    let all_known = moves.iter().all(|(_, value)| value.is_some());
    lowest.filter(|_| all_known).map(|(mv, _)| *mv).or(found.best)
}

/// A folded key names no board: the record is printed as it is stored.
fn folded(tables: &CollapsiTables, key: Key64) -> Result<String, Failure> {
    if !tables.codec().is_folded() {
        return Err(Failure::input(format!(
            "{key}: a 64-bit key, but the table has 128-bit ones (HI:LO)"
        )));
    }
    match tables.set().get(key.0)? {
        Some(record) => Ok(format!("{key} {}\n", record.meta)),
        None => Err(Failure::NotFound(format!("{key}: not in the table"))),
    }
}
