//! 2048 as everything that is not about one game sees it.

use std::path::{Path, PathBuf};

use super::drawing;
use super::jobs;
use super::options::{GENERATE, POSITION, PROBE, SOLVE};
use super::solver::BoardSolver;
use super::tables::{
    Decoder, PatternDecoder, PatternTables, Tables, are_patterns, check_description,
    check_pattern_merge, is_of_pattern, table_rules,
};
use super::{Objective, Twenty48Position};
use crate::games::{
    self, Game, GameError, OptionSpec, Position, RecordDecoder, Solver, Start, Use,
};
use crate::job::Job;
use crate::table::{Header, Options, Table};

/// The game 2048.
#[derive(Clone, Copy, Debug)]
pub struct Twenty48;

impl Game for Twenty48 {
    fn name(&self) -> &'static str {
        "2048"
    }

    fn about(&self) -> &'static str {
        "Tiles that slide and merge, on boards from 2x2 to 4x4; after each move comes a new tile"
    }

    fn notation(&self) -> &'static str {
        "A position is a board, in one of these forms:\n\
         \x20 2,4,0/0,2,0/0,0,8  rows of tiles from the top, 0 for an empty cell\n\
         \x20 1257001400230012   a hex number, cell (x, y) in bits 16y+4x, each the exponent of its\n\
         \x20                    tile; of a 4x4 board unless another size is given\n\
         A move is up, right, down or left; the new tile after it, a 2 or a 4 and its place, row and\n\
         column from 1: 2@1,3."
    }

    fn options(&self, of: Use) -> &'static [OptionSpec] {
        match of {
            Use::Position => POSITION,
            Use::Perft => &[],
            Use::Solve => SOLVE,
            Use::Probe => PROBE,
            Use::Generate => GENERATE,
        }
    }

    fn answers(&self) -> &'static str {
        "The line is the board, the turn (always 0), whether there is something to gain (1) or the \
         game is lost or over (0), the best move (00 up, 01 right, 02 down, 03 left, ff none), and the \
         value: the score still to come, the chance that the tile appears, or what a search \
         estimates. So 000. is lost, 00ff over, and 01ff has the tile already."
    }

    fn examples(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("solve", "2048 4,2,0,0/8,4,0,0/16,2,0,0/128,32,4,2 --depth 3"),
            ("dump", "2048 2,4,0/0,2,0/0,0,8"),
            ("apply", "2048 2,4,0/0,2,0/0,0,8 left 2@1,3 up"),
            ("perft", "2048 2,4,0/0,2,0/0,0,8 3"),
            ("generate", "2048 --board 2x3 --objective score --out 2x3.etb"),
            ("generate", "2048 --board 2x4 --objective tile:256 --out 2x4-256.etb"),
            (
                "generate",
                "2048 --board 4x4 --depth 0 --heuristic edges --seeds 0..2 --out games.etb",
            ),
            ("generate", "2048 --pattern 44 --objective tile:64 --out 44-64.etb"),
            ("solve", "2048 2,4,0/0,2,0 --tables 2x3.etb --moves"),
            ("probe", "2x3.etb 2,4,0/0,2,0 --moves"),
            ("probe", "2x3.etb 2,4,0/0,2,0 --spawns"),
            ("probe", "44-64.etb 0,0,0,0/2,4,0,0/128,256,512,128/64,128,1024,2048 --moves"),
            ("line", "2x3.etb 2,4,0/0,2,0 --chance 7"),
            ("verify", "2x3.etb --full"),
            ("stats", "2x3.etb"),
            ("serve", "2x3.etb 44-64.etb"),
            ("export", "2x3.etb --raw --out 2x3.bin"),
            ("export", "2x3.etb --npy --out 2x3.npy"),
            ("play", "2048 --human --seed 1 --depth 2"),
            ("play", "2048 --games 2 --depth 0"),
            ("play", "2048 --board 2x3 --tables 2x3.etb --games 1000 --seed 1"),
            ("play", "2048 --tables 44-64.etb --games 1000 --seed 1"),
            ("plan", "play 2048 --games 4 --depth 0 --shards 2 --dir games"),
            ("run", "games"),
            ("play", "2048 --games 2 --depth 0 --record games.txt"),
            ("play", "2048 --replay games.txt"),
        ]
    }

    fn starts(&self) -> Vec<Start> {
        drawing::starts()
    }

    fn example(&self) -> &'static str {
        "2,4,0,0/8,16,4,0/64,32,16,2/1024,512,128,8"
    }

    fn assemble(&self, cells: &[Vec<String>], _settings: &Options) -> String {
        drawing::assemble(cells)
    }

    fn commands(&self, position: &dyn Position) -> Vec<(String, &'static str)> {
        let Ok(position) = Twenty48Position::of(position) else { return Vec::new() };
        let (text, size) = (position.board.text(position.size), position.size);
        let search = (
            format!("endtable solve 2048 {text} --ms 10000 --moves"),
            "searches for ten seconds: an estimate",
        );
        let table = match size.cells() {
            ..=9 => (
                format!("endtable generate 2048 --board {size} --objective score --out {size}.etb"),
                "makes a table of every position: exact values",
            ),
            _ => ("endtable patterns".into(), "lists the endgames of which tables can be made"),
        };
        vec![table, search]
    }

    fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        Ok(Box::new(Twenty48Position::parse(text, options.parse("board")?)?))
    }

    fn solver(&self, options: &Options, parallel: bool) -> Result<Box<dyn Solver>, GameError> {
        Ok(Box::new(BoardSolver::new(options, parallel)?))
    }

    fn open(
        &self,
        paths: &[PathBuf],
        _options: &Options,
    ) -> Result<Box<dyn games::Tables>, GameError> {
        if are_patterns(paths) {
            return Ok(Box::new(PatternTables::open(paths)?));
        }
        Ok(Box::new(Tables::open(paths)?))
    }

    fn job(&self, options: &Options) -> Result<Box<dyn Job>, GameError> {
        jobs::from_options(options)
    }

    fn decoder(&self, header: &Header, path: &Path) -> Result<Box<dyn RecordDecoder>, GameError> {
        if is_of_pattern(&header.description) {
            return Ok(Box::new(PatternDecoder::new(header, path)?));
        }
        Ok(Box::new(Decoder::new(header, path)?))
    }

    /// What different searches found is not to be mixed: nobody could tell which said what.
    fn check_merge(&self, tables: &[Table]) -> Result<(), GameError> {
        let Some((one, others)) = tables.split_first() else { return Ok(()) };
        if is_of_pattern(&one.header().description) {
            return check_pattern_merge(tables);
        }
        let rules = table_rules(&one.header().description, one.path())?;
        for table in tables {
            check_description(&table.header().description, table.path())?;
        }
        if rules.objective != Objective::Search {
            return Ok(());
        }
        others.iter().try_for_each(|other| same_search(one, other))
    }
}

/// Checks that two tables of searched games were made alike: all options but the seeds agree.
fn same_search(one: &Table, other: &Table) -> Result<(), GameError> {
    let options = |table: &Table| table.header().description.recipe.options.clone();
    let (first, second) = (options(one), options(other));
    let names = first.iter().chain(second.iter()).map(|(name, _)| name);
    let differs = |name: &&str| *name != jobs::SEEDS && first.get(name) != second.get(name);
    let Some(name) = names.into_iter().find(differs) else { return Ok(()) };
    let shown = |options: &Options| options.get(name).unwrap_or("none").to_owned();
    Err(GameError::Unsupported(format!(
        "{} and {} differ in their search: {name} {} and {}",
        one.path().display(),
        other.path().display(),
        shown(&first),
        shown(&second)
    )))
}
