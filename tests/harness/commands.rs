//! The program and its command lines, one function each. Where the grammar stands once, it is
//! changed once: tests add only the options that they are about.

use std::path::Path;
use std::process::Command;

use super::process::Process;

/// The built program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_endtable");

/// The program without arguments.
pub fn endtable() -> Command {
    Command::new(PROGRAM)
}

fn command(words: &str) -> Command {
    let mut command = endtable();
    command.words(words);
    command
}

/// The forms of a Collapsi position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Seed,
    Text,
    Hex,
    Key,
}

/// Adds a position to a command about Collapsi.
pub trait Position {
    fn position(&mut self, form: Form, text: impl AsRef<std::ffi::OsStr>) -> &mut Self;

    fn seed(&mut self, seed: &str) -> &mut Self;

    /// Positions come from stdin, one a line.
    fn stdin_lines(&mut self) -> &mut Self;
}

impl Position for Command {
    fn position(&mut self, form: Form, text: impl AsRef<std::ffi::OsStr>) -> &mut Self {
        if form == Form::Seed {
            self.arg("--seed");
        }
        self.arg(text)
    }

    fn seed(&mut self, seed: &str) -> &mut Self {
        self.position(Form::Seed, seed)
    }

    fn stdin_lines(&mut self) -> &mut Self {
        self.arg("--stdin")
    }
}

/// Solves Collapsi positions.
pub fn solve_collapsi() -> Command {
    command("solve collapsi")
}

/// Shows every form of Collapsi positions.
pub fn dump_collapsi() -> Command {
    command("dump collapsi")
}

/// The experiment with keys.
pub fn keys() -> Command {
    command("keys")
}

/// Searches a 2048 board, or looks it up with `--tables`.
pub fn solve_2048(board: &str) -> Command {
    command(&format!("solve 2048 {board}"))
}

/// Plays 2048.
pub fn play_2048() -> Command {
    command("play 2048")
}

/// Plays Collapsi.
pub fn play_collapsi() -> Command {
    command("play collapsi")
}

/// Makes a table of the Collapsi deals of seeds, as in `0..10`.
pub fn generate_seeds(seeds: &str, out: impl AsRef<Path>) -> Command {
    to(command(&format!("generate collapsi --seeds {seeds}")), out)
}

/// Makes the complete tables of Collapsi up to this many cards.
pub fn generate_complete(cards: u8, folder: impl AsRef<Path>) -> Command {
    to(command(&format!("generate collapsi --complete --cards {cards}")), folder)
}

/// Makes the tables of Tak on a board of this size, with so many flats each.
pub fn generate_tak(size: u8, flats: u8, folder: impl AsRef<Path>) -> Command {
    to(command(&format!("generate tak --size {size} --flats {flats}")), folder)
}

/// Makes a table of all Collapsi deals from complete tables.
pub fn generate_deals(complete: &Path, out: impl AsRef<Path>) -> Command {
    let mut command = command("generate collapsi --deals --tables");
    command.arg(complete);
    to(command, out)
}

/// Makes a table of all 2048 positions on boards of a size.
pub fn generate_2048(size: &str, objective: &str, out: impl AsRef<Path>) -> Command {
    to(command(&format!("generate 2048 --board {size} --objective {objective}")), out)
}

/// Makes a table of an endgame pattern of 2048.
pub fn generate_pattern(pattern: &str, target: u32, out: impl AsRef<Path>) -> Command {
    let mut command = command("generate 2048 --pattern");
    command.arg(pattern).arg("--objective").arg(format!("tile:{target}"));
    to(command, out)
}

/// Lists endgame patterns of 2048.
pub fn patterns() -> Command {
    command("patterns")
}

/// Makes a table of the positions of 2048 games that a search plays; options name seeds and search.
pub fn generate_searched(size: &str, options: &str, out: impl AsRef<Path>) -> Command {
    to(command(&format!("generate 2048 --board {size} {options}")), out)
}

fn to(mut command: Command, out: impl AsRef<Path>) -> Command {
    command.arg("--out").arg(out.as_ref());
    command
}

/// Looks up positions in a table; those of 2048 are added as arguments.
pub fn probe(table: impl AsRef<Path>) -> Command {
    about("probe", table)
}

/// Checks a table's checksums; with `--full`, its answers.
pub fn verify(table: impl AsRef<Path>) -> Command {
    about("verify", table)
}

/// Counts what is in a table.
pub fn stats(table: impl AsRef<Path>) -> Command {
    about("stats", table)
}

/// Prints what a table says of itself.
pub fn info(table: impl AsRef<Path>) -> Command {
    about("info", table)
}

/// Prints the deals that last longest.
pub fn longest(table: impl AsRef<Path>) -> Command {
    about("longest", table)
}

/// Writes a table's records as lines of comma-separated values.
pub fn export_csv(table: impl AsRef<Path>, out: impl AsRef<Path>) -> Command {
    let mut command = about("export", table);
    command.arg("--csv");
    to(command, out)
}

/// Joins tables.
pub fn merge(tables: &[&str], out: impl AsRef<Path>) -> Command {
    let mut command = command("merge");
    command.args(tables);
    to(command, out)
}

fn about(name: &str, table: impl AsRef<Path>) -> Command {
    let mut command = command(name);
    command.arg(table.as_ref());
    command
}
