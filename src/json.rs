//! Answers as JSON objects: the same fields for every game, absent where a game has none.

use endtable::games::{Answer, Field, Game, MoveAnswer, Position, Step};
use endtable::table::{Header, Kind, ValueKind};
use endtable::value::Worth;
use serde_json::{Map, Number, Value, json};

/// An object in the making.
pub type Object = Map<String, Value>;

/// The fields that tell a position apart.
pub fn position(game: &dyn Game, position: &dyn Position) -> Object {
    let mut object = Object::new();
    object.insert("game".into(), game.name().into());
    for (name, field) in position.fields() {
        object.insert(name.into(), value(field));
    }
    object
}

/// A field as a value.
pub fn value(field: Field) -> Value {
    match field {
        Field::Text(text) => text.into(),
        Field::Number(number) => number.into(),
        Field::Group(fields) => {
            let each = fields.into_iter().map(|(name, field)| (name.to_owned(), value(field)));
            Value::Object(each.collect())
        }
    }
}

/// What a table is, in the fields that every list of tables has.
pub fn table(file: &str, header: &Header) -> Object {
    let description = &header.description;
    let mut object = Object::new();
    object.insert("file".into(), file.into());
    object.insert("game".into(), description.game().into());
    object.insert("rules".into(), description.rules.clone().into());
    object.insert("kind".into(), header.kind.to_string().into());
    match header.kind {
        Kind::Dense => object.insert("layer".into(), header.layer.into()),
        Kind::Keyed => object.insert("positions".into(), description.codec.to_string().into()),
    };
    if description.value != ValueKind::None {
        object.insert("value".into(), description.value.to_string().into());
    }
    object.insert("records".into(), header.records.into());
    object.insert("bytes".into(), header.file_length.into());
    object.insert("licence".into(), description.licence.clone().into());
    object.insert("generator".into(), description.generator.clone().into());
    object.insert("command".into(), description.recipe.to_string().into());
    object
}

/// A position with its answer, its moves if they are asked for, in a line.
pub fn answer(game: &dyn Game, asked: &dyn Position, answer: &Answer, moves: bool) -> String {
    Value::Object(answer_object(game, asked, answer, moves)).to_string()
}

/// The same as an object.
pub fn answer_object(
    game: &dyn Game,
    asked: &dyn Position,
    answer: &Answer,
    moves: bool,
) -> Object {
    let mut object = position(game, asked);
    for (name, field) in &answer.source {
        object.insert((*name).into(), value(field.clone()));
    }
    add_answer(&mut object, answer);
    if moves {
        let moves = answer.moves.iter().map(|mv| Value::Object(move_object(mv)));
        object.insert("moves".into(), moves.collect());
        if !answer.excluded.is_empty() {
            let excluded = answer.excluded.iter().map(|(mv, why)| json!({"move": mv, "why": why}));
            object.insert("excluded".into(), excluded.collect());
        }
    }
    object
}

/// A position in all its forms, its moves, and how the game has ended if it has.
pub fn forms(game: &dyn Game, shown: &dyn Position) -> String {
    let mut object = position(game, shown);
    for (name, form) in shown.forms() {
        object.entry(name).or_insert_with(|| value(form));
    }
    object.insert("moves".into(), shown.moves().into_iter().collect());
    object.insert("over".into(), shown.over().map_or(Value::Null, Value::from));
    Value::Object(object).to_string()
}

/// A move of a line: the position in which it is made with its answer, and the move.
pub fn step(game: &dyn Game, step: &Step) -> String {
    Value::Object(step_object(game, step)).to_string()
}

/// The same as an object.
pub fn step_object(game: &dyn Game, step: &Step) -> Object {
    let mut object = position(game, &*step.position);
    if let Some(answer) = &step.answer {
        add_answer(&mut object, answer);
    }
    object.insert("move".into(), step.mv.clone().into());
    object
}

/// A position that is not in the table.
pub fn absent(game: &dyn Game, asked: &dyn Position) -> String {
    let mut object = Object::new();
    object.insert("game".into(), game.name().into());
    object.insert("position".into(), asked.text().into());
    object.insert("result".into(), "absent".into());
    Value::Object(object).to_string()
}

/// An input that cannot be read.
pub fn unreadable(input: &[u8], error: &str) -> String {
    let mut object = Object::new();
    object.insert("input".into(), String::from_utf8_lossy(input).into());
    object.insert("error".into(), error.into());
    Value::Object(object).to_string()
}

fn add_answer(object: &mut Object, answer: &Answer) {
    add_worth(object, &answer.worth);
    if let Worth::Expected(expected) = &answer.worth {
        object.insert("unit".into(), expected.unit.to_string().into());
    }
    // In the game's order, which the moves are in.
    let mut best = answer.best.clone();
    best.sort_by_key(|best| answer.moves.iter().position(|mv| mv.name == *best));
    object.insert("best".into(), best.into());
}

fn move_object(mv: &MoveAnswer) -> Object {
    let mut object = Object::new();
    object.insert("move".into(), mv.name.clone().into());
    if let Some(worth) = &mv.worth {
        add_worth(&mut object, worth);
    }
    if !mv.chances.is_empty() {
        let chances = mv.chances.iter().map(|(chance, worth)| {
            let mut object = Object::new();
            object.insert("chance".into(), chance.clone().into());
            if let Some(worth) = worth {
                add_worth(&mut object, worth);
            }
            Value::Object(object)
        });
        object.insert("chances".into(), chances.collect());
    }
    object
}

fn add_worth(object: &mut Object, worth: &Worth) {
    if let Some(result) = worth.result() {
        object.insert("result".into(), result.to_string().into());
    }
    if let Some(plies) = worth.plies() {
        object.insert("plies".into(), plies.0.into());
    }
    match worth {
        Worth::Expected(expected) => {
            // As many digits as the value has: what is printed, not what it was rounded from.
            let value = expected.to_string().parse().ok().and_then(Number::from_f64);
            object.insert("value".into(), value.map_or(Value::Null, Value::Number));
        }
        Worth::Unknown { searched } => {
            object.insert("result".into(), "unknown".into());
            object.insert("searched".into(), searched.0.into());
        }
        _ => {}
    }
}
