//! The objects that only this interface has; those that commands print, too, are in [`crate::json`].

use endtable::games::{Answer, Game, Line, LineEnd, Position};
use serde_json::Value;

use crate::json::{Object, answer_object, step_object};

/// What every move is worth, and where that comes from: the address of the tables of a number, or a
/// search.
pub fn moves(
    game: &dyn Game,
    position: &dyn Position,
    answer: &Answer,
    tables: Option<usize>,
) -> String {
    let source = tables.map_or("search".into(), |number| format!("/tables/{number}"));
    let mut object = answer_object(game, position, answer, true);
    object.insert("source".into(), source.into());
    Value::Object(object).to_string()
}

/// Best play, and why it ends.
pub fn line(game: &dyn Game, line: &Line) -> String {
    let steps = line.steps.iter().map(|step| Value::Object(step_object(game, step)));
    let end = match line.end {
        LineEnd::Done => "done",
        LineEnd::Chance => "chance",
        LineEnd::Absent => "absent",
        LineEnd::Repeated => "repeated",
    };
    let mut object = Object::new();
    object.insert("game".into(), game.name().into());
    object.insert("line".into(), steps.collect());
    object.insert("end".into(), end.into());
    object.insert("last".into(), line.last.text().into());
    object.insert("over".into(), line.last.over().map_or(Value::Null, Value::from));
    Value::Object(object).to_string()
}
