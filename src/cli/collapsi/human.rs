//! A person plays Collapsi against perfect play.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use crossterm::event::KeyCode;
use endtable::games::collapsi::{Board, Cell, Mask, Move, Side, Solver};
use endtable::value::Value;

use super::perfect::{Moves, Perfect};
use super::scene::Scene;
use crate::cli::Failure;
use crate::cli::colour;
use crate::cli::output::say;
use crate::cli::terminal::{Console, Input, Request, stopped_after};

/// A person's game.
pub struct Human {
    perfect: Arc<Perfect>,
    solver: Arc<Mutex<Solver>>,
    console: Console,
    board: Board,
    /// The person's side.
    side: Side,
    /// What was played so far.
    turns: Vec<Turn>,
    /// What was asked about the board.
    hint: Option<Moves>,
    cursor: Cell,
}

/// A move that was made.
struct Turn {
    board: Board,
    moves: Moves,
    played: Move,
}

/// What a person wants.
#[derive(Clone, Copy)]
enum Wish {
    Move(Move),
    Cursor(Cell),
    Sides,
    Asked(Request),
}

impl Human {
    /// A game from a board.
    pub fn new(perfect: Perfect, board: Board, side: Side) -> Result<Self, Failure> {
        Ok(Self {
            perfect: Arc::new(perfect),
            solver: Arc::default(),
            console: Console::open()?,
            board,
            side,
            turns: Vec::new(),
            hint: None,
            cursor: board.pawn(side),
        })
    }

    /// Plays until the person has had enough; then says what was lost where.
    pub fn play(mut self, name: &str) -> Result<(), Failure> {
        let played = self.run(name);
        let (outcome, review) = (self.outcome(), self.review());
        let plies = self.turns.len();
        let readable = self.console.close();
        played.map_err(|failure| stopped_after(failure, format_args!("{plies} plies")))?;
        say(outcome)?;
        review.into_iter().try_for_each(say)?;
        readable
    }

    fn run(&mut self, name: &str) -> Result<(), Failure> {
        if !self.console.has_screen() {
            let rules = self.perfect.rules();
            say(format_args!("{name}, rule {rules}; you are {}", self.side))?;
        }
        loop {
            self.reply()?;
            self.show(name)?;
            match self.console.next()? {
                Input::Key(key) => {
                    if let Some(wish) = self.wish_of_key(key)
                        && !self.grant(wish)?
                    {
                        return Ok(());
                    }
                }
                Input::Line(words) => {
                    for word in words {
                        match self.wish_of_word(&word) {
                            Ok(wish) if self.grant(wish)? => self.reply()?,
                            Ok(_) => return Ok(()),
                            Err(complaint) => self.console.complain(complaint),
                        }
                    }
                }
                Input::Resized => {}
                Input::End => return Ok(()),
            }
        }
    }

    /// Does what the person wants; `false` if that is to leave.
    fn grant(&mut self, wish: Wish) -> Result<bool, Failure> {
        match wish {
            Wish::Asked(Request::Quit) => return Ok(false),
            Wish::Asked(Request::Undo) => self.undo(),
            Wish::Asked(Request::Hint) => {
                let moves = self.moves()?;
                if !self.console.has_screen() {
                    say(hint_text(&moves))?;
                }
                self.hint = Some(moves);
            }
            Wish::Sides => {
                self.side = self.side.other();
                self.hint = None;
            }
            Wish::Cursor(cell) => self.cursor = cell,
            Wish::Move(mv) if self.is_legal(mv) => self.make(mv)?,
            Wish::Move(mv) => {
                let legal: Vec<String> = self.legal().iter().map(|mv| place(mv.to)).collect();
                self.console.complain(match legal.is_empty() {
                    true => "the game is over".into(),
                    false => format!(
                        "{} cannot be reached; the cells that can: {}",
                        place(mv.to),
                        legal.join(" ")
                    ),
                });
            }
        }
        Ok(true)
    }

    /// The moves of the side to move.
    fn legal(&self) -> Vec<Move> {
        self.board.moves(self.perfect.rules()).collect()
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.legal().contains(&mv)
    }

    /// What every move is worth.
    fn moves(&self) -> Result<Moves, Failure> {
        let (perfect, solver) = (Arc::clone(&self.perfect), Arc::clone(&self.solver));
        let board = self.board;
        self.console.wait_for(move || {
            perfect.moves(&board, &mut solver.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    /// Makes the moves of the other side.
    fn reply(&mut self) -> Result<(), Failure> {
        while self.board.turn() != self.side
            && let Some(best) = self.moves()?.best().next()
        {
            self.make(best)?;
        }
        Ok(())
    }

    fn make(&mut self, mv: Move) -> Result<(), Failure> {
        let moves = self.moves()?;
        let after = self.board.play(mv, self.perfect.rules()).map_err(Failure::input)?;
        if !self.console.has_screen() {
            let (side, from, to) = (self.board.turn(), place(mv.from), place(mv.to));
            say(format_args!("{side} {mv}, from {from} to {to}"))?;
        }
        self.turns.push(Turn { board: self.board, moves, played: mv });
        self.set(after);
        Ok(())
    }

    fn set(&mut self, board: Board) {
        self.board = board;
        self.hint = None;
        self.cursor = board.pawn(self.side);
    }

    /// Takes the person's last move back, and what came after it.
    fn undo(&mut self) {
        let own = self.turns.iter().rposition(|turn| turn.board.turn() == self.side);
        match own {
            Some(own) => {
                let board = self.turns[own].board;
                self.turns.truncate(own);
                self.set(board);
            }
            None => self.console.complain("undo: you have made no move".into()),
        }
    }

    fn wish_of_key(&self, key: KeyCode) -> Option<Wish> {
        // Around the edges, as on the torus.
        let beside = |rows, columns| {
            Wish::Cursor(Cell::at(self.cursor.row() + rows, self.cursor.column() + columns))
        };
        Some(match key {
            KeyCode::Up => beside(3, 0),
            KeyCode::Down => beside(1, 0),
            KeyCode::Left => beside(0, 3),
            KeyCode::Right => beside(0, 1),
            KeyCode::Tab => {
                let legal = self.legal();
                let behind = legal.iter().find(|mv| mv.to > self.cursor).or(legal.first());
                Wish::Cursor(behind?.to)
            }
            KeyCode::Enter | KeyCode::Char(' ') => {
                Wish::Move(Move { from: self.board.mover(), to: self.cursor })
            }
            KeyCode::Char('s') => Wish::Sides,
            KeyCode::Char(digit) if digit.is_ascii_hexdigit() => {
                Wish::Cursor(cell_of_digit(digit)?)
            }
            key => Wish::Asked(Request::of_key(key)?),
        })
    }

    fn wish_of_word(&self, word: &str) -> Result<Wish, String> {
        if let Some(request) = Request::of_word(word) {
            return Ok(Wish::Asked(request));
        }
        if matches!(word, "sides" | "s") {
            return Ok(Wish::Sides);
        }
        let mv = self.move_of_word(word);
        mv.map(Wish::Move).ok_or_else(|| {
            format!(
                "{word}: expected a cell as row,column (2,4) or as its digit (7), a move from and \
                 to (37), hint, undo, sides or quit"
            )
        })
    }

    fn move_of_word(&self, word: &str) -> Option<Move> {
        let from = self.board.mover();
        if let Some((row, column)) = word.split_once(',') {
            let number = |text: &str| text.parse().ok().filter(|number| (1..=4).contains(number));
            let (row, column): (u8, u8) = (number(row)?, number(column)?);
            return Some(Move { from, to: Cell::at(row - 1, column - 1) });
        }
        let mut digits = word.chars();
        match (digits.next(), digits.next(), digits.next()) {
            (Some(to), None, None) => Some(Move { from, to: cell_of_digit(to)? }),
            (Some(start), Some(to), None) => {
                Some(Move { from: cell_of_digit(start)?, to: cell_of_digit(to)? })
            }
            _ => None,
        }
    }

    /// How the game stands, or how it ended.
    fn outcome(&self) -> String {
        let plies = self.turns.len();
        if !self.legal().is_empty() {
            return format!("not finished after {plies} plies, {} to move", self.board.turn());
        }
        let winner = self.board.turn().other();
        let whose = if winner == self.side { "you win" } else { "you lose" };
        format!("over after {plies} plies: {winner} wins, {whose}")
    }

    /// The moves that lost something, a line each; those of perfect play are none of them.
    fn review(&self) -> Vec<String> {
        let turns = (1..).zip(&self.turns);
        let mut lost: Vec<String> = turns.filter_map(|(number, turn)| turn.loss(number)).collect();
        if lost.is_empty() && !self.turns.is_empty() {
            lost.push("no move lost anything".into());
        }
        lost
    }

    fn show(&self, name: &str) -> Result<(), Failure> {
        let over = self.legal().is_empty();
        if !self.console.has_screen() {
            return say(colour::text(&self.board.picture(Mask::EMPTY)).trim_end());
        }
        let rules = self.perfect.rules();
        let mut lines = vec![format!("{name}, rule {rules}; you are {}", self.side)];
        let legal = if self.board.turn() == self.side { self.legal() } else { Vec::new() };
        let (hint, cursor) = (self.hint.as_ref(), self.cursor);
        let scene = Scene { board: &self.board, legal: &legal, hint, cursor };
        let (_, height) = self.console.size()?;
        lines.extend(colour::lines(&scene.picture(height)));
        lines.push(match self.turns.last() {
            Some(turn) => format!("last move: {} {}", turn.board.turn(), turn.played),
            None => String::new(),
        });
        lines.push("arrows: cursor   enter: move   h: hint   u: undo   s: sides   q: quit".into());
        lines.extend(self.console.complaint());
        if let Some(hint) = hint.filter(|_| !Scene::is_large(height)) {
            lines.extend(hint_text(hint).lines().map(str::to_owned));
        }
        if over {
            lines.push(self.outcome());
            lines.extend(self.review());
        }
        self.console.draw(&lines)
    }
}

impl Turn {
    /// What its move lost, if anything: the game, or plies.
    fn loss(&self, number: usize) -> Option<String> {
        let (best, made) = (self.moves.value(), self.moves.value_of(self.played)?);
        if made == best {
            return None;
        }
        let better: Vec<String> = self.moves.best().map(|mv| mv.to_string()).collect();
        let lost = match (best, made) {
            (Value::Win(_), Value::Loss(_)) => "the game".into(),
            _ => format!("{} plies", best.plies().0.abs_diff(made.plies().0)),
        };
        let (side, played, better) = (self.board.turn(), self.played, better.join(" "));
        Some(format!("ply {number}: {side} {played} lost {lost}: {made}, not {best} by {better}"))
    }
}

/// Every move with what it is worth, a line each.
fn hint_text(moves: &Moves) -> String {
    let mut text = String::new();
    for (mv, value) in &moves.0 {
        let best = if *value == moves.value() { ", best" } else { "" };
        _ = writeln!(text, "{} {mv} {value}{best}", place(mv.to));
    }
    if text.is_empty() { "the game is over".into() } else { text.trim_end().to_owned() }
}

/// A cell as people write it.
fn place(cell: Cell) -> String {
    format!("{},{}", cell.row() + 1, cell.column() + 1)
}

fn cell_of_digit(digit: char) -> Option<Cell> {
    digit.to_digit(16).and_then(|number| Cell::new(number as u8))
}
