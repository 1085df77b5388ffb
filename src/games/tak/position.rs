//! A Tak board, as everything that is not about one game sees it.

use std::any::Any;
use std::fmt::Write as _;

use super::board::{Board, Colour, Reserve, Rules};
use super::moves::Move;
use super::perft::Ended;
use super::size::Size;
use crate::games::key::Key;
use crate::games::{Answer, Drawing, Field, GameError, Parts, Picture, Position};
use crate::table::Options;
use crate::value::{Value, Worth};

/// A board, with what it takes to count the positions behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakPosition<S: Size> {
    /// The board.
    pub board: Board<S>,
    /// How games that have ended are counted.
    pub ended: Ended,
}

impl<S: Size> TakPosition<S> {
    /// The position behind the trait.
    ///
    /// # Errors
    /// When it is another game's, or of another size.
    pub fn of(position: &dyn Position) -> Result<&Self, GameError> {
        let any: &dyn Any = position;
        any.downcast_ref().ok_or(GameError::OtherGame)
    }

    fn find_move(&self, text: &str) -> Option<Move> {
        self.board.read_move(text).ok()
    }
}

/// Both players' of something.
fn of_both(of: impl Fn(Colour) -> Field) -> Field {
    let both = [Colour::White, Colour::Black];
    Field::Group(both.map(|colour| (colour.name(), of(colour))).into())
}

fn reserve_field(reserve: Reserve) -> Field {
    let Reserve { flats, caps } = reserve;
    Field::Group(vec![("flats", Field::Number(flats.into())), ("caps", Field::Number(caps.into()))])
}

fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> Field {
    items.iter().map(text).collect::<Vec<_>>().join(",").into()
}

impl<S: Size> Position for TakPosition<S> {
    fn fields(&self) -> Vec<(&'static str, Field)> {
        let rules = self.board.rules();
        let usual = Rules::usual::<S>();
        let mut fields = vec![("size", Field::Number(S::N as u64))];
        if rules.reserve != usual.reserve {
            fields.push(("stones", reserve_field(rules.reserve)));
        }
        if rules.komi != usual.komi {
            fields.push(("komi", rules.komi.to_string().into()));
        }
        fields.push(("position", self.text().into()));
        fields.push(("key", self.key().to_string().into()));
        fields.push(("turn", self.board.turn().name().into()));
        fields
    }

    fn turn(&self) -> Option<&'static str> {
        Some(self.board.turn().name())
    }

    fn text(&self) -> String {
        self.board.to_string()
    }

    fn options(&self) -> Options {
        let (rules, usual) = (self.board.rules(), Rules::usual::<S>());
        let unusual = |one: u8, usual: u8| (one != usual).then_some(one);
        let komi = (rules.komi != usual.komi).then_some(rules.komi);
        Options::default()
            .with_some("flats", unusual(rules.reserve.flats, usual.reserve.flats))
            .with_some("caps", unusual(rules.reserve.caps, usual.reserve.caps))
            .with_some("komi", komi)
    }

    fn key(&self) -> Key {
        self.board.key()
    }

    fn forms(&self) -> Vec<(&'static str, Field)> {
        let board = &self.board;
        let canonical = board.canonical().board;
        let set = |set: u64| Field::from(format!("{set:016x}"));
        let flats = |colour| Field::Number(board.flats(colour).count_ones().into());
        vec![
            ("position", self.text().into()),
            ("white", set(board.tops(Colour::White))),
            ("black", set(board.tops(Colour::Black))),
            ("standing", set(board.standing())),
            ("caps", set(board.caps())),
            ("heights", list(board.heights(), |height| height.to_string())),
            ("stacks", list(board.stacks(), |&stack| format!("{:x}", stack.into()))),
            ("key", self.key().to_string().into()),
            ("canonical", format!("{} {canonical}", canonical.key()).into()),
            ("flats", of_both(flats)),
            ("reserves", of_both(|colour| reserve_field(board.reserve(colour)))),
        ]
    }

    /// The four sets side by side, each with its name above it, ranks from the top.
    fn bitboards(&self) -> String {
        let board = &self.board;
        let sets = [
            ("white", board.tops(Colour::White)),
            ("black", board.tops(Colour::Black)),
            ("standing", board.standing()),
            ("caps", board.caps()),
        ];
        let mut text = String::new();
        let mut line = |cells: [String; 4]| {
            text += cells.map(|cell| format!("{cell:<10}")).concat().trim_end();
            text += "\n";
        };
        line(sets.map(|(name, _)| name.into()));
        for rank in (0..S::N).rev() {
            line(sets.map(|(_, set)| {
                let squares = S::N * rank..S::N * (rank + 1);
                squares.map(|square| if set >> square & 1 != 0 { '#' } else { '.' }).collect()
            }));
        }
        text
    }

    fn picture(&self, best: Option<&str>) -> Picture {
        self.board.picture(best.and_then(|text| self.find_move(text)))
    }

    fn drawing(&self, best: Option<&str>) -> Drawing {
        self.board.drawing(best.and_then(|text| self.find_move(text)))
    }

    fn parts(&self) -> Parts {
        self.board.parts()
    }

    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        if !self.board.is_over() {
            self.board.push_moves(&mut moves);
        }
        moves.iter().map(|mv| mv.to_ptn::<S>()).collect()
    }

    fn play(&self, mv: &str) -> Result<Box<dyn Position>, GameError> {
        let legal = self.board.read_move(mv).map_err(|error| GameError::illegal(mv, error))?;
        let mut after = *self;
        after.board.make(legal);
        Ok(Box::new(after))
    }

    fn over(&self) -> Option<String> {
        self.board.end().map(|end| end.to_string())
    }

    /// The key, whose turn it is, the result, the plies where they are known, and a best move.
    fn line(&self, answer: &Answer) -> String {
        let result = match answer.worth {
            Worth::Unknown { searched } => format!("unknown {searched}"),
            Worth::Value(Value::Draw) => "draw -".into(),
            Worth::Result(result) => format!("{result} -"),
            other => other.to_string(),
        };
        let (turn, best) = (self.board.turn(), answer.best().unwrap_or("-"));
        format!("{} {turn} {result} {best}", self.key())
    }

    fn sentence(&self, answer: &Answer) -> String {
        let mut text = match self.board.end() {
            Some(end) => return format!("over: {end}"),
            None => format!("{} to move ", self.board.turn()),
        };
        _ = match answer.worth {
            Worth::Value(Value::Win(plies)) => write!(text, "wins in {plies} plies"),
            Worth::Value(Value::Loss(plies)) => write!(text, "loses in {plies} plies"),
            Worth::Value(Value::Draw) => write!(text, "draws"),
            Worth::Unknown { searched } => {
                write!(text, "has no forced result within {searched} plies")
            }
            Worth::Result(result) => write!(text, "has a {result}"),
            Worth::Expected(expected) => write!(text, "has {expected}"),
        };
        if !answer.best.is_empty() {
            _ = write!(text, "; best: {}", answer.best.join(", "));
        }
        text
    }

    fn perft(&self, plies: u32) -> Vec<u64> {
        (1..=plies).map(|plies| self.board.perft(plies, self.ended)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Grid;
    use super::*;
    use crate::value::{GameResult, Plies};

    fn position(text: &str) -> TakPosition<Grid<5>> {
        TakPosition { board: text.parse().unwrap(), ended: Ended::Zero }
    }

    #[test]
    fn an_answer_reads_as_a_line_and_as_a_sentence() {
        let start: TakPosition<Grid<3>> =
            TakPosition { board: "x3/x3/x3 1 1".parse().unwrap(), ended: Ended::Zero };
        for (worth, best, line, sentence) in [
            (
                Worth::Value(Value::Win(Plies(13))),
                &["b2", "b1"][..],
                "win 13 b2",
                "wins in 13 plies; best: b2, b1",
            ),
            (
                Worth::Value(Value::Loss(Plies(6))),
                &["c3"],
                "loss 6 c3",
                "loses in 6 plies; best: c3",
            ),
            (Worth::Value(Value::Draw), &["a1"], "draw - a1", "draws; best: a1"),
            (Worth::Result(GameResult::Win), &["a1"], "win - a1", "has a win; best: a1"),
            (
                Worth::Unknown { searched: Plies(9) },
                &[],
                "unknown 9 -",
                "has no forced result within 9 plies",
            ),
        ] {
            let answer = Answer::new(worth, best.iter().map(|&best| best.to_owned()));
            assert_eq!(start.line(&answer), format!("{} white {line}", start.key()));
            assert_eq!(start.sentence(&answer), format!("white to move {sentence}"));
        }
        let over = position("1,1,1,1,1/x5/x5/x5/2,2,2,2,x 2 5");
        let lost = Answer::new(Worth::Value(Value::Loss(Plies(0))), None);
        assert_eq!(over.sentence(&lost), "over: R-0");
        assert!(over.moves().is_empty());
    }

    #[test]
    fn a_picture_marks_what_a_move_touches() {
        let stacks = position("x5/x5/x,1212121C,x3/x5/2,x4 1 9");
        let drawn = stacks.picture(Some("2b3>11")).to_string();
        assert!(drawn.contains("3 |        |>..121C<|   ><   |   ><   |        |\n"), "{drawn}");
        assert!(drawn.contains("1 |   2    |"), "{drawn}");
        assert!(drawn.ends_with("      a        b        c        d        e\n"), "{drawn}");
        assert!(!stacks.picture(None).to_string().contains('>'));
    }
}
