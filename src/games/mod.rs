//! The games: rules, bitboards, symmetries, notation, keys, tables and jobs, one folder each.
//!
//! Everything that is not about one game (the command line, C, Python, JSON, a page) sees games
//! through object-safe traits: a [`Game`] reads positions and says what it offers; a [`Position`]
//! shows itself and plays on; a [`Solver`] and [`Tables`] answer. What is hot is generic and
//! compiled for each game, and Rust programs use a game's own types: [`collapsi::Tables`],
//! [`twenty48::Tables`].
//!
//! A new game is a folder here and a line in [`ALL`].

mod answer;
pub mod collapsi;
mod drawing;
mod error;
pub mod key;
mod line;
mod options;
mod parts;
mod picture;
mod records;
mod statistics;
pub mod tak;
pub mod twenty48;

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

pub use answer::{Answer, Detail, Field, MoveAnswer};
pub use drawing::{Arrow, Drawing, Ground, Piece, Place, Shape};
pub use error::GameError;
pub use line::{Line, LineEnd, Step, best_line, draw};
pub use options::{NumberRange, OptionSpec, Use, read_options};
pub use parts::{Choice, Parts, Setting, Start};
pub use picture::{Picture, Tone};
pub use records::{Columns, RecordDecoder, Records, Row};
pub use statistics::{Bin, Example, Group, Histogram, Layout, Section, Statistics};

use rayon::prelude::*;

use crate::job::{Job, Progress};
use crate::solve::Limits;
use crate::table::{
    DENSE_EXTENSION, EXTENSION, Header, OpenFile, Options, Table, TableError, files_in, read_header,
};
use key::Key;

/// Every game there is.
pub static ALL: [&dyn Game; 3] = [&collapsi::Collapsi, &twenty48::Twenty48, &tak::Tak];

/// The game of a name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Game> {
    ALL.into_iter().find(|game| game.name() == name)
}

/// A game: its names, notations, options and jobs.
pub trait Game: Sync {
    /// What people type and headers say.
    fn name(&self) -> &'static str;

    /// A sentence about it.
    fn about(&self) -> &'static str;

    /// The forms that a position can have, in a few lines.
    fn notation(&self) -> &'static str;

    /// The options of a use. Those of [`Use::Position`] go with every use that reads positions.
    fn options(&self, of: Use) -> &'static [OptionSpec];

    /// How an answer reads, in a few lines.
    fn answers(&self) -> &'static str;

    /// Examples: a command, and arguments that work with it. One may need a file that an earlier one
    /// has made.
    fn examples(&self) -> &'static [(&'static str, &'static str)];

    /// Positions to begin with, the most usual one first. There is one at least.
    fn starts(&self) -> Vec<Start>;

    /// A position that shows what the game is like, for a picture.
    fn example(&self) -> &'static str;

    /// The text of the position that has these on its places, row by row from the top, and these
    /// settings: the inverse of [`Position::parts`]. Whether there is such a position is found out when it
    /// is read.
    fn assemble(&self, cells: &[Vec<String>], settings: &Options) -> String;

    /// Commands that would make known what a position is worth, or more of it than is known, each with
    /// what it does in a few words.
    fn commands(&self, position: &dyn Position) -> Vec<(String, &'static str)>;

    /// Reads a position in any of its forms.
    ///
    /// # Errors
    /// When it has none of them, or the rules have no such position.
    fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError>;

    /// Makes a solver. With `parallel` it uses all threads of the rayon pool that it is called in.
    ///
    /// # Errors
    /// When the options do not go together, or name what cannot be had.
    fn solver(&self, options: &Options, parallel: bool) -> Result<Box<dyn Solver>, GameError>;

    /// Opens tables of the game: files, or a folder of them.
    ///
    /// # Errors
    /// When one is missing, damaged or another game's, or they do not belong together.
    fn open(&self, paths: &[PathBuf], options: &Options) -> Result<Box<dyn Tables>, GameError>;

    /// The job that the options describe.
    ///
    /// # Errors
    /// When they do not go together, or name what cannot be made.
    fn job(&self, options: &Options) -> Result<Box<dyn Job>, GameError>;

    /// What the records of a table with this header stand for. Programs ask [`Records`].
    ///
    /// # Errors
    /// When it is not a table as the game makes them.
    fn decoder(&self, header: &Header, path: &Path) -> Result<Box<dyn RecordDecoder>, GameError>;

    /// Checks that tables of the same rules, codec and value may be merged.
    ///
    /// # Errors
    /// Says what keeps them apart.
    fn check_merge(&self, _tables: &[Table]) -> Result<(), GameError> {
        Ok(())
    }
}

/// A position of some game.
pub trait Position: Any + Send + Sync {
    /// What tells the position apart, in this order: what the game's rules call for, `position`,
    /// and what else it has of `key`, `turn` and the like.
    fn fields(&self) -> Vec<(&'static str, Field)>;

    /// Whose turn it is, if the fields say so: what they call `turn`.
    fn turn(&self) -> Option<&'static str> {
        None
    }

    /// The position in the game's notation.
    fn text(&self) -> String;

    /// The options with which the text is read as this position again; none that hold by themselves.
    fn options(&self) -> Options;

    /// Its key.
    fn key(&self) -> Key;

    /// Every other form that fits a line.
    fn forms(&self) -> Vec<(&'static str, Field)>;

    /// Its boards, drawn bit by bit where the game has bitboards. May be empty.
    fn bitboards(&self) -> String;

    /// A drawing, with a move marked if one is given.
    fn picture(&self, best: Option<&str>) -> Picture;

    /// The same as data, for a page.
    fn drawing(&self, best: Option<&str>) -> Drawing;

    /// What it is put together from, for an editor.
    fn parts(&self) -> Parts;

    /// The legal moves, in the game's order and notation. None when the game is over.
    fn moves(&self) -> Vec<String>;

    /// The position after a move.
    ///
    /// # Errors
    /// When it is not legal, or no move at all.
    fn play(&self, mv: &str) -> Result<Box<dyn Position>, GameError>;

    /// The moves of chance with their probabilities, 1 together; none where a player moves.
    fn chances(&self) -> Vec<(String, f64)> {
        Vec::new()
    }

    /// How the game ended, in its own notation, if it has.
    fn over(&self) -> Option<String>;

    /// The line that is printed for an answer: the key, turn and win bits, a best move, and the
    /// value where there is one.
    fn line(&self, answer: &Answer) -> String;

    /// An answer as a sentence.
    fn sentence(&self, answer: &Answer) -> String;

    /// How many positions there are after 1 to so many plies, those reached in several ways counted
    /// as often; what a finished game leads to is nothing.
    fn perft(&self, plies: u32) -> Vec<u64> {
        let mut counts = vec![0; plies as usize];
        if plies > 0 {
            for mv in self.moves() {
                counts[0] += 1;
                let Ok(after) = self.play(&mv) else { continue };
                for (sum, count) in counts[1..].iter_mut().zip(after.perft(plies - 1)) {
                    *sum += count;
                }
            }
        }
        counts
    }
}

/// Answers positions by search.
pub trait Solver: Send {
    /// Solves a position.
    ///
    /// # Errors
    /// When it is another game's, or tables that the solver reads are damaged.
    fn solve(&mut self, position: &dyn Position, detail: Detail) -> Result<Answer, GameError> {
        self.solve_within(position, detail, Limits::default())
    }

    /// Solves a position as far as the limits allow.
    ///
    /// # Errors
    /// As of [`solve`](Self::solve); and [`GameError::Stopped`] when a limit was reached before there
    /// was an answer of any kind.
    fn solve_within(
        &mut self,
        position: &dyn Position,
        detail: Detail,
        limits: Limits<'_>,
    ) -> Result<Answer, GameError>;
}

/// Tables of a game, opened.
pub trait Tables: Send + Sync {
    /// Their game.
    fn game(&self) -> &'static dyn Game;

    /// The files that they answer from.
    fn files(&self) -> Vec<&OpenFile>;

    /// How much there is of them, and of which rules, as their headers say.
    fn contents(&self) -> Contents;

    /// Other rules that the same files answer for, as options to open them with once more.
    fn other_rules(&self) -> Vec<Options> {
        Vec::new()
    }

    /// What the chance of an answer of theirs is of, as in `to reach 512`; `None` if it is no chance.
    fn goal(&self, _answer: &Answer) -> Option<String> {
        None
    }

    /// Reads a position, as their rules have it.
    ///
    /// # Errors
    /// As of [`Game::position`]; and when the options contradict the tables.
    fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError>;

    /// What they say of a position: `None` if it is not in them.
    ///
    /// # Errors
    /// When it is another game's, or a table is damaged where the answer would be.
    fn probe(&self, position: &dyn Position, detail: Detail) -> Result<Option<Answer>, GameError>;

    /// What they say of many positions, in their order: by all threads of the rayon pool that it is
    /// called in, and quicker than one by one where positions lie close together in the tables.
    fn probe_many(
        &self,
        positions: &[&dyn Position],
        detail: Detail,
    ) -> Vec<Result<Option<Answer>, GameError>> {
        positions.par_iter().map(|position| self.probe(*position, detail)).collect()
    }

    /// What their answers look like together. A position that several tables have is counted once.
    ///
    /// # Errors
    /// When a table is damaged, two contradict each other, or it was stopped.
    fn statistics(&self, watch: &Watch<'_>) -> Result<Statistics, GameError>;

    /// How many parts a full check has that can be done apart: files, most often.
    fn parts(&self) -> u64 {
        self.files().len() as u64
    }

    /// Checks them, as thoroughly as asked for. `report` hears of each part that is sound, in a
    /// sentence, or of what is wrong with it.
    ///
    /// # Errors
    /// When a check is asked for that they do not have, or it was stopped.
    fn check(
        &self,
        check: Check,
        watch: &Watch<'_>,
        report: &mut dyn FnMut(Result<String, GameError>),
    ) -> Result<(), GameError>;
}

/// How much there is of opened tables.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The rules that they answer for.
    pub rules: String,
    /// How many files were opened.
    pub files: u64,
    /// How many records these have together; in dense tables, entries.
    pub records: u64,
}

impl Contents {
    /// What files that answer for some rules have together.
    fn of(rules: impl ToString, files: &[&OpenFile]) -> Self {
        Self {
            rules: rules.to_string(),
            files: files.len() as u64,
            records: files.iter().map(|file| file.len()).sum(),
        }
    }
}

/// How thoroughly tables are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Every checksum, the order and the counts, and that each record can be.
    Sound,
    /// The same, and some records, chosen at random by a seed, solved anew.
    Sample {
        /// How many.
        count: u64,
        /// The seed.
        seed: u64,
    },
    /// The same, and every answer worked out anew from those that it follows from.
    Full,
    /// What that says of one of [`Tables::parts`].
    Part(u64),
}

impl Check {
    /// Whether answers are worked out anew.
    #[must_use]
    pub fn is_full(self) -> bool {
        matches!(self, Self::Full | Self::Part(_))
    }

    /// Whether it is about a part.
    #[must_use]
    pub fn is_about(self, part: usize) -> bool {
        match self {
            Self::Part(only) => only == part as u64,
            Self::Sound | Self::Sample { .. } | Self::Full => true,
        }
    }
}

/// Who watches over long work.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Set to stop it.
    pub stop: &'a AtomicBool,
    /// Hears how far it is.
    pub progress: &'a dyn Progress,
}

/// Opens tables of any game: files, or a folder of them.
///
/// ```no_run
/// use endtable::games::{self, Detail};
/// use endtable::table::Options;
///
/// let options = Options::default();
/// let tables = games::open(&["seeds.etb"], &options)?;
/// let position = tables.position("A332/234Jx/3A42/A2AJo x", &options)?;
/// if let Some(answer) = tables.probe(&*position, Detail::Moves)? {
///     println!("{}", position.line(&answer));
/// }
/// # Ok::<(), endtable::games::GameError>(())
/// ```
///
/// # Errors
/// When one is missing, damaged or of a game that is not known, or they do not belong together.
pub fn open(paths: &[impl AsRef<Path>], options: &Options) -> Result<Box<dyn Tables>, GameError> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.as_ref().into()).collect();
    let first = paths.first().ok_or(TableError::MissingTable { name: "no path".into() })?;
    game_of(first)?.open(&paths, options)
}

/// The game of a table, or of the tables in a folder.
///
/// # Errors
/// When there is none, or its game is not known.
pub fn game_of(path: &Path) -> Result<&'static dyn Game, GameError> {
    let file = if path.is_dir() { first_table(path)? } else { path.to_path_buf() };
    let header = read_header(&file)?;
    let name = header.description.game();
    by_name(name).ok_or_else(|| GameError::UnknownGame { path: file, name: name.into() })
}

/// The first table in a folder whose header can be read; what is wrong with the first if none can.
fn first_table(folder: &Path) -> Result<PathBuf, GameError> {
    let mut files = files_in(folder, DENSE_EXTENSION)?;
    files.extend(files_in(folder, EXTENSION)?);
    let missing = || TableError::MissingTable {
        name: format!("{}/*.{EXTENSION}, *.{DENSE_EXTENSION}", folder.display()),
    };
    let first = files.first().ok_or_else(missing)?;
    let legible = files.iter().find(|file| read_header(file).is_ok());
    Ok(legible.unwrap_or(first).clone())
}
