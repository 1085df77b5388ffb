//! A game of 2048 to watch in the terminal.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::KeyCode;
use endtable::games::twenty48::{Direction, PlayedGame, Record, TallBoard};

use super::tiles;
use crate::cli::Failure;
use crate::cli::output::say;
use crate::cli::terminal::{self, Console, Input, stopped_after};

/// What is shown.
pub enum Watched {
    /// A game that is being played, from where it stands.
    Live { game: PlayedGame, choose: Arc<Choose> },
    /// A game that was recorded.
    Recorded(Record),
}

/// Chooses a move, `None` when the game is over.
pub type Choose = dyn Fn(TallBoard) -> Result<Option<Direction>, Failure> + Send + Sync;

/// Shows a game in the terminal. A recorded one is listed where there is no terminal.
pub fn watch(watched: &Watched) -> Result<(), Failure> {
    match watched {
        _ if terminal::is_there() => show(watched),
        Watched::Live { .. } => Err(Failure::input("--watch: standard output is no terminal")),
        Watched::Recorded(record) => list(record),
    }
}

/// One line a move: the move, the board after it and the new tile, the score.
fn list(record: &Record) -> Result<(), Failure> {
    let mut game = PlayedGame::new(record.seed, record.size);
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "start {} 0", game.board())?;
    for &direction in &record.moves {
        game.play(direction);
        writeln!(out, "{} {} {}", direction.name(), game.board(), game.score())?;
    }
    Ok(out.flush()?)
}

/// Plays at the speed that the keys ask for, until q is pressed. Ctrl-C, or a polite kill, is no
/// quiet end.
fn show(watched: &Watched) -> Result<(), Failure> {
    let console = Console::open()?;
    let mut game = match watched {
        Watched::Live { game, .. } => game.clone(),
        Watched::Recorded(record) => PlayedGame::new(record.seed, record.size),
    };
    let shown = run(&console, watched, &mut game);
    drop(console);
    shown.map_err(|failure| stopped_after(failure, tiles::outcome(&game)))?;
    say(tiles::outcome(&game))
}

fn run(console: &Console, watched: &Watched, game: &mut PlayedGame) -> Result<(), Failure> {
    let mut pace = Pace { delay: Duration::from_millis(66), paused: false };
    loop {
        draw(console, game, &pace, false)?;
        let next = next(console, watched, game)?;
        draw(console, game, &pace, next.is_none())?;
        let shown = Instant::now();
        loop {
            let waits = next.is_none() || pace.paused;
            let left = pace.delay.saturating_sub(shown.elapsed());
            let input = console.next_within(if waits { Duration::MAX } else { left })?;
            match input.as_ref().map(Key::of) {
                None => break,
                Some(Some(Key::Quit)) => return Ok(()),
                Some(Some(Key::Step)) if pace.paused => break,
                Some(Some(key)) => pace.press(key),
                Some(None) => {}
            }
            draw(console, game, &pace, next.is_none())?;
        }
        if let Some(direction) = next {
            game.play(direction);
        }
    }
}

/// The next move, `None` at the end.
fn next(
    console: &Console,
    watched: &Watched,
    game: &PlayedGame,
) -> Result<Option<Direction>, Failure> {
    match watched {
        Watched::Live { choose, .. } => {
            let (choose, board) = (Arc::clone(choose), game.board());
            console.wait_for(move || choose(board))
        }
        Watched::Recorded(record) => Ok(record.moves.get(game.record().moves.len()).copied()),
    }
}

struct Pace {
    delay: Duration,
    paused: bool,
}

impl Pace {
    fn press(&mut self, key: Key) {
        match key {
            Key::Pause => self.paused = !self.paused,
            Key::Faster => self.delay = (self.delay / 2).max(Duration::from_millis(1)),
            Key::Slower => self.delay = (self.delay * 2).min(Duration::from_secs(4)),
            Key::Step | Key::Quit => {}
        }
    }
}

#[derive(Clone, Copy)]
enum Key {
    Pause,
    Faster,
    Slower,
    Step,
    Quit,
}

impl Key {
    fn of(input: &Input) -> Option<Self> {
        match input {
            Input::Key(KeyCode::Char('q') | KeyCode::Esc) | Input::End => Some(Self::Quit),
            Input::Key(KeyCode::Char(' ' | 'p')) => Some(Self::Pause),
            Input::Key(KeyCode::Char('+' | '=') | KeyCode::Up) => Some(Self::Faster),
            Input::Key(KeyCode::Char('-') | KeyCode::Down) => Some(Self::Slower),
            Input::Key(KeyCode::Char('n') | KeyCode::Right) => Some(Self::Step),
            _ => None,
        }
    }
}

fn draw(console: &Console, game: &PlayedGame, pace: &Pace, over: bool) -> Result<(), Failure> {
    let state = match (over, pace.paused) {
        (true, _) => "over".into(),
        (false, true) => "paused".into(),
        (false, false) => format!("{} ms a move", pace.delay.as_millis()),
    };
    let mut lines = vec![tiles::state(game), String::new()];
    lines.extend(tiles::lines(game.board(), game.record().size, console.size()?));
    lines.extend([String::new(), state]);
    lines.push("blank: pause   n: step   + -: speed   q: quit".into());
    console.draw(&lines)
}
