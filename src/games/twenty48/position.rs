//! A board with its size and whose turn it is, as everything that is not about one game sees it.

use std::any::Any;
use std::fmt::Write as _;

use super::{Direction, Size, Spawn, TallBoard};
use crate::games::key::{Key, Key64};
use crate::games::{Answer, Drawing, Field, GameError, Parts, Picture, Position};
use crate::table::Options;
use crate::value::{Expected, Unit, Worth};

/// A board of some size: with the player to move, or an afterstate, to which a new tile comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Twenty48Position {
    /// The board.
    pub board: TallBoard,
    /// Its size.
    pub size: Size,
    /// Whether it is an afterstate: a board after a move, before the new tile.
    pub afterstate: bool,
}

/// How a game ends that is over.
const NO_MOVE: &str = "no move";

impl Twenty48Position {
    /// A board with the player to move.
    #[must_use]
    pub fn new(board: impl Into<TallBoard>, size: Size) -> Self {
        Self { board: board.into(), size, afterstate: false }
    }

    /// The position behind the trait.
    ///
    /// # Errors
    /// When it is another game's.
    pub fn of(position: &dyn Position) -> Result<&Self, GameError> {
        let any: &dyn Any = position;
        any.downcast_ref().ok_or(GameError::OtherGame)
    }

    /// Reads a board: rows of tiles, which say themselves how many there are, or a hex number,
    /// which is of the size given, 4x4 if none is.
    pub(super) fn parse(text: &str, size: Option<Size>) -> Result<Self, GameError> {
        let wrong = |error| GameError::position(text, error);
        // A size that is given and not that of the rows is refused with the board.
        let size = match size {
            Some(size) => size,
            None => match rows_and_columns(text) {
                Some((rows, columns)) => format!("{rows}x{columns}").parse().map_err(wrong)?,
                None => Size::FULL,
            },
        };
        let board = TallBoard::parse(text, size).map_err(wrong)?;
        if board == TallBoard::default() {
            let reason = "a board without tiles: a game begins with two";
            return Err(GameError::position(text, reason));
        }
        Ok(Self::new(board, size))
    }

    /// Every tile that may come to an afterstate, with the position that it makes.
    pub(super) fn spawned(&self) -> impl Iterator<Item = (Self, Spawn)> {
        let (board, size) = (self.board, self.size);
        let spawns = self.afterstate.then(|| board.nybbles().spawns(size)).into_iter().flatten();
        spawns
            .map(move |(_, spawn)| (Self::new(board.put(spawn.cell, spawn.exponent), size), spawn))
    }

    /// Every slide that moves something, with the afterstate that it leads to and its score.
    fn slid(&self) -> impl Iterator<Item = (Direction, Self, u32)> {
        let (board, size) = (self.board, self.size);
        let slides = (!self.afterstate).then(|| board.slides(size)).into_iter().flatten();
        slides.map(move |(direction, board, score)| {
            (direction, Self { board, size, afterstate: true }, score)
        })
    }

    /// Every position after a ply, a slide or a new tile.
    fn next(&self) -> impl Iterator<Item = Self> {
        self.slid().map(|(_, after, _)| after).chain(self.spawned().map(|(next, _)| next))
    }

    fn count_positions(&self, counts: &mut [u64]) {
        let Some((count, deeper)) = counts.split_first_mut() else { return };
        for next in self.next() {
            *count += 1;
            next.count_positions(deeper);
        }
    }
}

/// How many rows and columns a text has that is rows of tiles.
pub(super) fn rows_and_columns(text: &str) -> Option<(usize, usize)> {
    if !text.contains([',', '/']) {
        return None;
    }
    let first = text.split('/').next().unwrap_or_default();
    Some((text.split('/').count(), first.split(',').count()))
}

/// The move that a new tile is: the tile and its place, row and column from 1, as in `2@1,3`.
pub(super) fn spawn_name(spawn: Spawn) -> String {
    let (row, column) = (spawn.cell / 4 + 1, spawn.cell % 4 + 1);
    format!("{}@{row},{column}", 1 << spawn.exponent)
}

/// The direction of a name.
pub(super) fn direction_of(name: &str) -> Option<Direction> {
    Direction::ALL.into_iter().find(|direction| direction.name() == name)
}

impl Position for Twenty48Position {
    fn fields(&self) -> Vec<(&'static str, Field)> {
        let mut fields = vec![
            ("board", Field::from(self.size.to_string())),
            ("position", self.text().into()),
            ("key", self.key().to_string().into()),
            ("rows", self.board.text(self.size).into()),
        ];
        if let Some(turn) = self.turn() {
            fields.push(("turn", turn.into()));
        }
        fields
    }

    fn turn(&self) -> Option<&'static str> {
        self.afterstate.then_some("chance")
    }

    fn text(&self) -> String {
        self.board.to_string()
    }

    fn options(&self) -> Options {
        let size = (self.size != Size::FULL).then_some(self.size);
        Options::default().with_some("board", size)
    }

    fn key(&self) -> Key {
        Key::Short(Key64(self.board.nybbles().0))
    }

    fn forms(&self) -> Vec<(&'static str, Field)> {
        let Self { board, size, .. } = *self;
        let canonical = board.nybbles().canonical(size);
        let mut forms = vec![
            ("board", Field::from(board.text(size))),
            ("size", size.to_string().into()),
            ("key", self.key().to_string().into()),
            ("canonical", format!("{canonical} {}", canonical.text(size)).into()),
            ("sum", Field::Number(board.sum().into())),
        ];
        forms.extend(self.slid().map(|(direction, after, score)| {
            (direction.name(), format!("{} scores {score}", after.board).into())
        }));
        forms
    }

    fn bitboards(&self) -> String {
        String::new()
    }

    fn picture(&self, best: Option<&str>) -> Picture {
        self.board.picture(self.size, best.and_then(direction_of))
    }

    fn drawing(&self, best: Option<&str>) -> Drawing {
        self.draw(best.and_then(direction_of))
    }

    fn parts(&self) -> Parts {
        self.to_parts()
    }

    fn moves(&self) -> Vec<String> {
        let slides = self.slid().map(|(direction, ..)| direction.name().to_owned());
        slides.chain(self.spawned().map(|(_, spawn)| spawn_name(spawn))).collect()
    }

    fn play(&self, mv: &str) -> Result<Box<dyn Position>, GameError> {
        if self.afterstate {
            let spawned = self.spawned().find(|(_, spawn)| spawn_name(*spawn) == mv);
            let (next, _) = spawned.ok_or_else(|| {
                let reason = "a new tile comes next, a 2 or a 4 on an empty cell: \
                              the tile, @, its row and its column from 1, as in 2@1,3";
                GameError::illegal(mv, reason)
            })?;
            return Ok(Box::new(next));
        }
        let direction = direction_of(mv).ok_or_else(|| {
            GameError::illegal(mv, "not a move; expected up, right, down or left")
        })?;
        let slid = self.slid().find(|(it, ..)| *it == direction);
        let (_, after, _) = slid.ok_or_else(|| {
            GameError::illegal(mv, format!("moves nothing on {}", self.board.text(self.size)))
        })?;
        Ok(Box::new(after))
    }

    fn chances(&self) -> Vec<(String, f64)> {
        self.spawned().map(|(_, spawn)| (spawn_name(spawn), spawn.chance)).collect()
    }

    fn over(&self) -> Option<String> {
        self.next().next().is_none().then(|| NO_MOVE.into())
    }

    fn line(&self, answer: &Answer) -> String {
        let best = answer.best().and_then(direction_of);
        let best = best.map_or("ff", |best| ["00", "01", "02", "03"][best as usize]);
        let win = u8::from(answer.worth.is_win());
        format!("{} 0{win}{best} {}", self.key(), answer.worth)
    }

    fn sentence(&self, answer: &Answer) -> String {
        let mut text = match answer.worth {
            Worth::Expected(Expected { gain: false, .. }) if answer.best.is_empty() => {
                return "over".into();
            }
            Worth::Expected(Expected { unit: Unit::Chance, gain: false, .. }) => {
                return "lost".into();
            }
            Worth::Expected(Expected { unit: Unit::Score, value, .. }) => {
                format!("score still to come {value:.3}")
            }
            Worth::Expected(Expected { unit: Unit::Chance, value, .. }) => {
                format!("chance {value:.4}")
            }
            Worth::Expected(Expected { unit, .. }) => format!("{unit} {}", answer.worth),
            other => other.to_string(),
        };
        if !answer.best.is_empty() {
            _ = write!(text, "; best: {}", answer.best.join(", "));
        }
        text
    }

    fn perft(&self, plies: u32) -> Vec<u64> {
        let mut counts = vec![0; plies as usize];
        self.count_positions(&mut counts);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Precision;

    fn position(text: &str) -> Twenty48Position {
        Twenty48Position::parse(text, None).unwrap()
    }

    fn refused(text: &str, size: Option<&str>) -> String {
        let size = size.map(|size| size.parse().unwrap());
        Twenty48Position::parse(text, size).unwrap_err().to_string()
    }

    #[test]
    fn rows_say_their_size_and_hex_is_given_one() {
        assert_eq!(position("2,4,0/0,0,2").size.to_string(), "2x3");
        assert_eq!(position("1257001400230012").size, Size::FULL);
        let small = Twenty48Position::parse("200021", "2x3".parse().ok()).unwrap();
        assert_eq!(small, position("2,4,0/0,4,0"));
        assert_eq!(position(" 2,4,0/0,4,0 "), small);
        assert!(refused("2,4,0/0,0,2", Some("4x4")).contains("2 rows of 3 tiles"));
        assert!(refused("2,4,0", None).contains("not a board size"));
        assert!(refused("0", None).contains("without tiles"));
        assert!(refused("1000", Some("2x3")).contains("outside of the 2x3 board"));
        assert!(refused("up", None).contains("not a board"));
    }

    #[test]
    fn slides_and_new_tiles_take_turns() {
        let start = position("2,2/0,4");
        assert_eq!(start.moves(), ["right", "down", "left"]);
        let after = start.play("left").unwrap();
        assert_eq!(after.text(), "0000000000020002");
        assert_eq!(after.moves(), ["2@1,2", "4@1,2", "2@2,2", "4@2,2"]);
        assert_eq!(after.over(), None);
        assert!(after.fields().contains(&("turn", "chance".into())));
        let next = after.play("2@1,2").unwrap();
        assert!(next.fields().contains(&("rows", "4,2/4,0".into())));
        assert!(!next.fields().contains(&("turn", "chance".into())));
        assert!(after.play("2@1,1").is_err() && after.play("up").is_err());
        assert!(start.play("2@2,1").is_err() && start.play("LEFT").is_err());
        let stuck = position("2,4/4,2");
        assert_eq!((stuck.over().as_deref(), stuck.moves().len()), (Some("no move"), 0));
        let error = position("2,0/2,0").play("left").err().unwrap().to_string();
        assert_eq!(error, "left: moves nothing on 2,0/2,0");
    }

    #[test]
    fn a_picture_has_arrows_where_to_slide() {
        let picture = |best| position("2,2,0/0,0,16").picture(best).to_string();
        assert_eq!(picture(None), " 2  2  .\n .  . 16\n");
        assert_eq!(picture(Some("up")), " ^  ^  ^\n 2  2  .\n .  . 16\n");
        assert_eq!(picture(Some("right")), " 2  2  . >\n .  . 16 >\n");
        assert_eq!(picture(Some("down")), " 2  2  .\n .  . 16\n v  v  v\n");
        assert_eq!(picture(Some("left")), "<  2  2  .\n<  .  . 16\n");
    }

    #[test]
    fn perft_counts_as_plain_play_does() {
        fn count(position: &dyn Position, plies: u32) -> u64 {
            if plies == 0 {
                return 1;
            }
            let each = |mv: &String| count(&*position.play(mv).unwrap(), plies - 1);
            position.moves().iter().map(each).sum()
        }
        let start = position("2,4,0/0,0,2");
        let plain: Vec<u64> = (1..=5).map(|plies| count(&start, plies)).collect();
        assert_eq!(start.perft(5), plain);
        assert!(start.perft(0).is_empty());
    }

    #[test]
    fn an_answer_reads_as_a_line_and_as_a_sentence() {
        let answer = |value: f64, unit, precision, best: &[&str]| {
            let worth = Worth::Expected(Expected { value, unit, precision, gain: value > 0.0 });
            Answer::new(worth, best.iter().map(|&best| best.to_owned()))
        };
        let start = position("2,2/0,4");
        let both = |answer: &Answer| (start.line(answer), start.sentence(answer));
        let said =
            |line: &str, sentence: &str| (format!("0000000000200011 {line}"), sentence.to_owned());
        let score = answer(2624.7823, Unit::Score, Precision::Single, &["right", "up"]);
        let sentence = "score still to come 2624.782; best: right, up";
        assert_eq!(both(&score), said("0101 2624.7822", sentence));
        let chance = answer(0.86981, Unit::Chance, Precision::Fixed(10), &["left"]);
        assert_eq!(both(&chance), said("0103 0.8698100000", "chance 0.8698; best: left"));
        let estimate = answer(267_299.9, Unit::Estimate, Precision::Single, &["up"]);
        assert_eq!(both(&estimate), said("0100 267299.9", "estimate 267299.9; best: up"));
        let lost = answer(0.0, Unit::Chance, Precision::Fixed(10), &["down"]);
        assert_eq!(both(&lost), said("0002 0.0000000000", "lost"));
        let over = answer(0.0, Unit::Score, Precision::Single, &[]);
        assert_eq!(both(&over), said("00ff 0", "over"));
        let there = answer(1.0, Unit::Chance, Precision::Fixed(10), &[]);
        assert_eq!(both(&there), said("01ff 1.0000000000", "chance 1.0000"));
    }
}
