//! A Collapsi board with its joker rule, as everything that is not about one game sees it.

use std::fmt::Write as _;

use super::board::Board;
use super::deal::deal_from_seed;
use super::geometry::{Cell, Mask};
use super::moves::{Move, Rules};
use super::notation::Field as BoardField;
use crate::games::key::{Key, Key64, Key128};
use crate::games::{Answer, Drawing, Field, GameError, Parts, Picture, Position};
use crate::table::Options;
use crate::value::Worth;

/// A board and the rule that it is played by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollapsiPosition {
    /// The board.
    pub board: Board,
    /// The joker rule.
    pub rules: Rules,
    /// Whether its key is shown folded to 64 bits.
    pub folded: bool,
}

impl CollapsiPosition {
    /// Reads a board in any of its forms, told apart by what only they contain.
    pub(super) fn parse_board(text: &str) -> Result<Board, String> {
        let text = text.trim();
        if text.contains('/') {
            text.parse::<Board>().map_err(|error| error.to_string())
        } else if text.contains(',') {
            Board::from_hex(text).map_err(|error| error.to_string())
        } else if text.contains(':') || text.starts_with("0x") || text.starts_with("0X") {
            let key: Key128 = text.parse().map_err(|error| format!("{error}"))?;
            Board::unkey(key).map_err(|error| format!("no position has this key: {error}"))
        } else if text.is_empty() {
            Err("expected a position, found nothing".into())
        } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
            let seed = text.parse().map_err(|_| format!("seeds are below 2^64, found {text}"))?;
            Ok(deal_from_seed(seed))
        } else {
            Err(format!(
                "expected a position with /, eight numbers with , a key with : or a seed, \
                 found {text:?}"
            ))
        }
    }

    pub(super) fn find_move(&self, text: &str) -> Option<Move> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 2 || !text.bytes().all(is_digit) {
            return None;
        }
        let mv = Move::from_byte(u8::from_str_radix(text, 16).ok()?)?;
        self.board.moves(self.rules).find(|legal| *legal == mv)
    }
}

impl Position for CollapsiPosition {
    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![
            ("rules", self.rules.name().into()),
            ("position", self.text().into()),
            ("key", self.key().to_string().into()),
            ("turn", self.board.turn().name().into()),
        ]
    }

    fn turn(&self) -> Option<&'static str> {
        Some(self.board.turn().name())
    }

    fn text(&self) -> String {
        self.board.to_string()
    }

    fn options(&self) -> Options {
        let rules = (self.rules != Rules::default()).then_some(self.rules);
        Options::default().with_some("rules", rules).with_switch_if("fold64", self.folded)
    }

    fn key(&self) -> Key {
        let key = self.board.key();
        if self.folded { Key::Short(key.fold()) } else { Key::Long(key) }
    }

    fn forms(&self) -> Vec<(&'static str, Field)> {
        let (board, canonical) = (&self.board, self.board.canonical().board);
        vec![
            ("position", board.to_string().into()),
            ("state", board.to_hex().into()),
            ("key", board.key().to_string().into()),
            ("folded", board.key().fold().to_string().into()),
            ("canonical", format!("{} {canonical}", canonical.key()).into()),
        ]
    }

    /// The seven boards side by side, each with its number in hex above it.
    fn bitboards(&self) -> String {
        let (boards, turn) = self.board.to_raw();
        let mut text = String::new();
        let mut line = |cells: [String; 7]| {
            text += cells.map(|cell| format!("{cell:<9}")).concat().trim_end();
            text += "\n";
        };
        line(std::array::from_fn(|i| BoardField::ALL[i].to_string()));
        line(boards.map(|board| Mask(board).to_string()));
        for row in 0..4 {
            line(boards.map(|board| {
                let bit = |column| Mask(board).contains(Cell::at(row, column));
                (0..4).map(|column| if bit(column) { '#' } else { '.' }).collect()
            }));
        }
        text + &format!("turn {turn}\n")
    }

    fn picture(&self, best: Option<&str>) -> Picture {
        let best = best.and_then(|text| self.find_move(text));
        let marked = best.map_or(Mask::EMPTY, |mv| Mask(mv.from.mask().0 | mv.to.mask().0));
        self.board.picture(marked)
    }

    fn drawing(&self, best: Option<&str>) -> Drawing {
        self.draw(best.and_then(|text| self.find_move(text)))
    }

    fn parts(&self) -> Parts {
        self.to_parts()
    }

    fn moves(&self) -> Vec<String> {
        self.board.moves(self.rules).map(|mv| mv.to_string()).collect()
    }

    fn play(&self, mv: &str) -> Result<Box<dyn Position>, GameError> {
        let legal = self.find_move(mv).ok_or_else(|| {
            let moves = self.moves().join(" ");
            GameError::illegal(mv, format!("not a legal move here; those are: {moves}"))
        })?;
        let board = self.board.play(legal, self.rules);
        let board = board.map_err(|error| GameError::illegal(mv, error))?;
        Ok(Box::new(Self { board, ..*self }))
    }

    fn over(&self) -> Option<String> {
        let winner = self.board.turn().other();
        self.board.destinations(self.rules).is_empty().then(|| format!("{winner} wins"))
    }

    fn line(&self, answer: &Answer) -> String {
        let (turn, win) = (self.board.turn().bit(), u8::from(answer.worth.is_win()));
        format!("{} {turn}{win}{}", self.key(), answer.best().unwrap_or("ff"))
    }

    fn sentence(&self, answer: &Answer) -> String {
        let mut text = format!("{} to move ", self.board.turn());
        text += if answer.worth.is_win() { "wins" } else { "loses" };
        if let Worth::Value(value) = answer.worth {
            _ = write!(text, " in {} plies", value.plies());
        }
        match answer.best().and_then(|best| self.find_move(best)) {
            Some(mv) => _ = write!(text, "; best: from {} to {}", place(mv.from), place(mv.to)),
            None => text += "; it has no move",
        }
        text
    }

    fn perft(&self, plies: u32) -> Vec<u64> {
        let mut counts = vec![0; plies as usize];
        count_positions(&self.board, self.rules, &mut counts);
        counts
    }
}

/// Adds how many positions there are after 1, 2 and so on plies.
fn count_positions(board: &Board, rules: Rules, counts: &mut [u64]) {
    let Some((count, deeper)) = counts.split_first_mut() else { return };
    let moves = board.destinations(rules);
    *count += u64::from(moves.len());
    if deeper.is_empty() {
        return;
    }
    for mv in board.moves(rules) {
        if let Ok(after) = board.play(mv, rules) {
            count_positions(&after, rules, deeper);
        }
    }
}

fn place(cell: Cell) -> String {
    format!("row {} column {}", cell.row() + 1, cell.column() + 1)
}

/// A position of which only the folded key is known: what a table of such keys can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoldedKey {
    pub key: Key64,
    /// Turn and win bit as the table has them, once it was asked.
    pub turn: u16,
}

impl Position for FoldedKey {
    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![("position", self.text().into()), ("key", self.text().into())]
    }

    fn text(&self) -> String {
        self.key.to_string()
    }

    fn options(&self) -> Options {
        Options::default().with_switch("fold64")
    }

    fn key(&self) -> Key {
        Key::Short(self.key)
    }

    fn forms(&self) -> Vec<(&'static str, Field)> {
        vec![("folded", self.text().into())]
    }

    fn bitboards(&self) -> String {
        String::new()
    }

    fn picture(&self, _best: Option<&str>) -> Picture {
        Picture::default()
    }

    fn drawing(&self, _best: Option<&str>) -> Drawing {
        Drawing::default()
    }

    fn parts(&self) -> Parts {
        Parts::default()
    }

    fn moves(&self) -> Vec<String> {
        Vec::new()
    }

    fn play(&self, mv: &str) -> Result<Box<dyn Position>, GameError> {
        Err(GameError::illegal(mv, "a folded key does not give its position back"))
    }

    fn over(&self) -> Option<String> {
        None
    }

    fn line(&self, answer: &Answer) -> String {
        let win = u8::from(answer.worth.is_win());
        format!("{} {}{win}{}", self.key, self.turn, answer.best().unwrap_or("ff"))
    }

    fn sentence(&self, answer: &Answer) -> String {
        format!("{}: {}", self.key, answer.worth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Plies, Value};

    fn deal() -> CollapsiPosition {
        let board = CollapsiPosition::parse_board("1").unwrap();
        CollapsiPosition { board, rules: Rules::One, folded: false }
    }

    #[test]
    fn every_form_is_recognised() {
        for text in [
            "A332/234Jx/3A42/A2AJo x",
            "5201,2818,0126,0440,0080,8000,0000,0",
            "0100000808001830:12d27d06b02589e4",
            " 1 ",
        ] {
            assert_eq!(CollapsiPosition::parse_board(text), Ok(deal().board), "{text}");
        }
        assert!(CollapsiPosition::parse_board("99999999999999999999").is_err());
        assert!(CollapsiPosition::parse_board("seed").is_err());
    }

    #[test]
    fn perft_counts_as_plain_play_does() {
        struct Plain(CollapsiPosition);
        fn count(position: &dyn Position, plies: u32) -> u64 {
            if plies == 0 {
                return 1;
            }
            let each = |mv: &String| count(&*position.play(mv).unwrap(), plies - 1);
            position.moves().iter().map(each).sum()
        }
        let plain = Plain(deal());
        let counts = deal().perft(4);
        assert_eq!(counts, (1..=4).map(|plies| count(&plain.0, plies)).collect::<Vec<_>>());
    }

    #[test]
    fn an_answer_reads_as_a_line_and_as_a_sentence() {
        let answer = Answer::new(Worth::Value(Value::Win(Plies(13))), ["73".to_owned()]);
        assert_eq!(deal().line(&answer), "0100000808001830:12d27d06b02589e4 0173");
        assert_eq!(
            deal().sentence(&answer),
            "x to move wins in 13 plies; best: from row 2 column 4 to row 1 column 4"
        );
    }
}
