//! A person plays 2048.

use std::path::Path;
use std::sync::{Arc, Mutex};

use crossterm::event::KeyCode;
use endtable::games::twenty48::{Direction, PlayedGame, Record, Size, TallBoard, Twenty48Position};
use endtable::games::{Answer, Detail, Position, Solver};
use rayon::ThreadPool;

use super::tiles;
use crate::cli::Failure;
use crate::cli::colour;
use crate::cli::output::{say, write_file};
use crate::cli::solve::{moves_text, remarks};
use crate::cli::terminal::{Console, Input, Request, stopped_after};

/// Knows what moves are worth.
pub struct Adviser {
    solver: Arc<Mutex<Box<dyn Solver>>>,
    threads: Arc<ThreadPool>,
}

impl Adviser {
    /// Asks a solver, which has these threads.
    pub fn new(solver: Box<dyn Solver>, threads: ThreadPool) -> Self {
        Self { solver: Arc::new(Mutex::new(solver)), threads: Arc::new(threads) }
    }

    fn answer(&self, console: &Console, board: TallBoard, size: Size) -> Result<Answer, Failure> {
        let (solver, threads) = (Arc::clone(&self.solver), Arc::clone(&self.threads));
        console.wait_for(move || {
            let position = Twenty48Position::new(board, size);
            let answer = threads.install(|| {
                let mut solver = solver.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                solver.solve(&position, Detail::Moves)
            });
            Ok(answer?)
        })
    }
}

/// A person's game.
pub struct Human {
    game: PlayedGame,
    adviser: Adviser,
    console: Console,
    /// What was asked about the board.
    hint: Option<Answer>,
}

impl Human {
    /// A new game.
    pub fn new(seed: u64, size: Size, adviser: Adviser) -> Result<Self, Failure> {
        let (game, console) = (PlayedGame::new(seed, size), Console::open()?);
        Ok(Self { game, adviser, console, hint: None })
    }

    /// Plays until the person has had enough, and keeps the game if there is a file for it.
    pub fn play(mut self, record: Option<&Path>) -> Result<(), Failure> {
        let played = self.run();
        let Self { game, console, .. } = self;
        let readable = console.close();
        if let Some(path) = record {
            write_file(path, |out| Ok(writeln!(out, "{}", game.record())?))?;
        }
        played.map_err(|failure| stopped_after(failure, tiles::outcome(&game)))?;
        say(tiles::outcome(&game))?;
        readable
    }

    fn run(&mut self) -> Result<(), Failure> {
        loop {
            self.show()?;
            match self.console.next()? {
                Input::Key(key) => match (direction_of_key(key), Request::of_key(key)) {
                    (Some(direction), _) => self.slide(direction),
                    (None, Some(Request::Quit)) => return Ok(()),
                    (None, Some(request)) => self.serve(request)?,
                    (None, None) => {}
                },
                Input::Line(words) => {
                    for word in words {
                        match (direction_of_word(&word), Request::of_word(&word)) {
                            (Some(direction), _) => self.slide(direction),
                            (None, Some(Request::Quit)) => return Ok(()),
                            (None, Some(request)) => self.serve(request)?,
                            (None, None) => self.console.complain(format!(
                                "{word}: expected up, left, down, right, hint, undo or quit"
                            )),
                        }
                    }
                }
                Input::Resized => {}
                Input::End => return Ok(()),
            }
        }
    }

    fn slide(&mut self, direction: Direction) {
        if self.game.play(direction) {
            self.hint = None;
        } else {
            self.console.complain(format!("{}: moves nothing", direction.name()));
        }
    }

    fn serve(&mut self, request: Request) -> Result<(), Failure> {
        match request {
            Request::Hint => {
                let (board, size) = (self.game.board(), self.game.record().size);
                let answer = self.adviser.answer(&self.console, board, size)?;
                if !self.console.has_screen() {
                    say(hint_text(board, size, &answer))?;
                }
                self.hint = Some(answer);
            }
            Request::Undo => {
                let mut record: Record = self.game.record().clone();
                if record.moves.pop().is_none() {
                    self.console.complain("undo: no move has been made".into());
                    return Ok(());
                }
                // The tile that comes is the seed's: the same move brings the same one.
                self.game = record.replay().map_err(Failure::input)?;
                self.hint = None;
            }
            Request::Quit => {}
        }
        Ok(())
    }

    fn show(&self) -> Result<(), Failure> {
        let (board, size) = (self.game.board(), self.game.record().size);
        if !self.console.has_screen() {
            say(tiles::state(&self.game))?;
            return say(colour::text(&board.picture(size, None)).trim_end());
        }
        let mut lines = vec![tiles::state(&self.game), String::new()];
        lines.extend(tiles::lines(board, size, self.console.size()?));
        lines.push(String::new());
        lines.push("arrows or wasd: slide   h: hint   u: undo   q: quit".into());
        lines.extend(board.is_over(size).then(|| "over: nothing moves".into()));
        lines.extend(self.console.complaint());
        if let Some(hint) = &self.hint {
            lines.extend(hint_text(board, size, hint).lines().map(str::to_owned));
        }
        self.console.draw(&lines)
    }
}

/// What every move is worth, a sentence, and where that comes from if there is a word to say on it.
fn hint_text(board: TallBoard, size: Size, answer: &Answer) -> String {
    let sentence = Twenty48Position::new(board, size).sentence(answer);
    let text = remarks(answer).fold(sentence, |text, remark| format!("{text}\n{remark}"));
    format!("{}\n{text}", moves_text(answer)).trim_start().to_owned()
}

fn direction_of_key(key: KeyCode) -> Option<Direction> {
    match key {
        KeyCode::Up | KeyCode::Char('w') => Some(Direction::Up),
        KeyCode::Left | KeyCode::Char('a') => Some(Direction::Left),
        KeyCode::Down | KeyCode::Char('s') => Some(Direction::Down),
        KeyCode::Right | KeyCode::Char('d') => Some(Direction::Right),
        _ => None,
    }
}

fn direction_of_word(word: &str) -> Option<Direction> {
    match word {
        "w" => Some(Direction::Up),
        "a" => Some(Direction::Left),
        "s" => Some(Direction::Down),
        "d" => Some(Direction::Right),
        name => Direction::ALL.into_iter().find(|direction| direction.name() == name),
    }
}
