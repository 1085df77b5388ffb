//! Prints the line of best play from a position to the end of the game, a move a line.
//!
//!     cargo run --example best_line TABLE POSITION [NAME=VALUE | NAME]...
//!
//! TABLE is a file or a folder of tables of any game, options are as in `rules=wild`. Where chance moves
//! next, there is no one line any more: it says so and ends.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use endtable::games::{self, Detail, Field, GameError, Position, Use, read_options};

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let [table, position, options @ ..] = args.as_slice() else {
        eprintln!("usage: best_line TABLE POSITION [NAME=VALUE | NAME]...");
        return ExitCode::from(2);
    };
    match print_line(table.into(), position, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("best_line: {error}");
            ExitCode::from(match error {
                GameError::NotFound(_) => 1,
                GameError::Table(_) | GameError::UnknownGame { .. } => 3,
                _ => 2,
            })
        }
    }
}

/// Follows the best moves.
fn print_line(table: PathBuf, text: &str, options: &[String]) -> Result<(), GameError> {
    let game = games::game_of(&table)?;
    let options = options.iter().map(|option| match option.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (option.as_str(), None),
    });
    let options = read_options(game, &[Use::Position, Use::Probe], options)?;
    let tables = game.open(&[table], &options)?;
    let mut position = tables.position(text, &options)?;
    while !is_chance(&*position) {
        let absent = || GameError::NotFound("the position is not in the tables".into());
        let answer = tables.probe(&*position, Detail::Best)?.ok_or_else(absent)?;
        let Some(best) = answer.best() else {
            eprintln!("the end: {}", position.over().unwrap_or("no move to make".into()));
            return Ok(());
        };
        println!("{best}");
        position = position.play(best)?;
    }
    eprintln!("chance moves next");
    Ok(())
}

/// Whether chance moves next.
fn is_chance(position: &dyn Position) -> bool {
    position.fields().contains(&("turn", Field::from("chance")))
}
