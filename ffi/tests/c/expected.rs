//! What the C program must print, by the answers of the Rust library.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use endtable::games::{Answer, Detail, GameError, Position, Tables, Watch};
use endtable::job::Quiet;
use endtable::value::Worth;

use super::kinds::{Kind, options};

/// What the C program prints of tables.
pub fn of_tables(tables: &dyn Tables, kind: &Kind, questions: &[String]) -> String {
    let contents = tables.contents();
    let watch = Watch { stop: &AtomicBool::new(false), progress: &Quiet };
    let mut text = format!(
        "{}, {}, {} files, {} records\n{}\n",
        kind.game,
        contents.rules,
        contents.files,
        contents.records,
        tables.statistics(&watch).unwrap().text()
    );
    let options = options(kind.options);
    let expected = Expected {
        position: &|text| tables.position(text, &options),
        answer: &|position, detail| tables.probe(position, detail),
    };
    text += &expected.lines(questions);
    text
}

/// What is printed for no answer.
const NOTHING: &str = "none -1 -1 nan none 0 - - -";

type Outcome<T> = Result<T, GameError>;
type Ask<'a> = dyn Fn(&dyn Position, Detail) -> Outcome<Option<Answer>> + 'a;

/// What the C program prints, as Rust has it.
pub struct Expected<'a> {
    pub position: &'a dyn Fn(&str) -> Outcome<Box<dyn Position>>,
    pub answer: &'a Ask<'a>,
}

impl Expected<'_> {
    /// A line for each question.
    pub fn lines(&self, questions: &[String]) -> String {
        questions.iter().map(|question| self.line(question) + "\n").collect()
    }

    fn line(&self, question: &str) -> String {
        let Ok(position) = (self.position)(question.trim()) else {
            return format!("2 {NOTHING}");
        };
        let position = &*position;
        let Some(best) = (self.answer)(position, Detail::Best).unwrap() else {
            return format!("1 {NOTHING}");
        };
        let all = (self.answer)(position, Detail::Moves).unwrap().unwrap();
        let mut line =
            format!("0 {} | {}", answer_text(position, &best), answer_text(position, &all));
        for mv in &all.moves {
            let is_best = u8::from(all.best.contains(&mv.name));
            _ = write!(line, " | {} {is_best} {}", mv.name, worth_text(mv.worth.as_ref()));
        }
        line + &self.after(position, best.best())
    }

    /// The position after the best move, with its answer; the position itself if there is none.
    fn after(&self, position: &dyn Position, best: Option<&str>) -> String {
        let after = best.map(|best| position.play(best)).transpose();
        let Ok(after) = after else { return " | after 2".into() };
        let after = after.as_deref().unwrap_or(position);
        let (moves, over) = (after.moves().len(), after.over().unwrap_or("-".into()));
        // A solver may have nothing to say where it is chance's turn.
        let answer = match (self.answer)(after, Detail::Best) {
            Ok(Some(answer)) => format!("0 {}", answer_text(after, &answer)),
            Ok(None) => format!("1 {NOTHING}"),
            Err(_) => format!("2 {NOTHING}"),
        };
        let words = format!("{} {} {moves} {}, {over}", turn(after), after.key(), after.text());
        format!(" | after 0 {words}, {answer}")
    }
}

fn answer_text(position: &dyn Position, answer: &Answer) -> String {
    let best = answer.best().unwrap_or("-");
    let worth = worth_text(Some(&answer.worth));
    format!("{worth} {} {best} {} {}", answer.best.len(), turn(position), position.key())
}

fn turn(position: &dyn Position) -> String {
    let turn = position.fields().into_iter().find(|(name, _)| *name == "turn");
    turn.map_or("-".into(), |(_, turn)| turn.to_string())
}

fn worth_text(worth: Option<&Worth>) -> String {
    match worth {
        None => "unknown -1 -1 nan none".into(),
        Some(Worth::Unknown { searched }) => format!("unknown -1 {searched} nan none"),
        Some(Worth::Expected(expected)) => {
            format!("none -1 -1 {} {}", c_number(expected.value), expected.unit)
        }
        Some(worth) => {
            let plies = worth.plies().map_or(-1, |plies| i32::from(plies.0));
            format!("{} {plies} -1 nan none", worth.result().unwrap())
        }
    }
}

/// A number as C's `%.17e` prints it: an exponent has a sign and two digits.
fn c_number(value: f64) -> String {
    let text = format!("{value:.17e}");
    let (digits, exponent) = text.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
