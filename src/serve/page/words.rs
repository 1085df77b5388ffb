//! What positions and moves are worth, in words.

use endtable::games::{Answer, Position};
use endtable::value::{Expected, GameResult, Unit, Value, Worth};

/// A chance as people read it: more digits where it is near to certain.
pub fn percent(chance: f64) -> String {
    // Tables round chances to steps of about 2^-32: what lies on the edge goes up, as before.
    const STEP: f64 = 5e-8;
    let shown = 100.0 * chance;
    // Rounding must not make certain what is not.
    match shown.min(100.0 - shown) {
        near if near <= 0.0 => format!("{shown:.0} %"),
        near if near < 0.001 => format!("{:.6} %", shown.clamp(0.000_001, 99.999_999)),
        near if near < 0.1 => format!("{:.4} %", shown + STEP),
        near if near < 1.0 => format!("{:.2} %", shown + STEP),
        _ => format!("{:.1} %", shown + STEP),
    }
}

/// Expected values with as many digits as it takes to tell them apart, within reason.
pub fn told_apart(values: &[Expected]) -> Vec<String> {
    const MOST_DIGITS: usize = 8;
    let plain: Vec<String> = values.iter().map(expected).collect();
    let with = |digits: usize| -> Vec<String> {
        let text = |value: &Expected| match value.unit {
            Unit::Chance => format!("{:.digits$} %", 100.0 * value.value),
            _ => number(value.value, digits),
        };
        values.iter().map(text).collect()
    };
    // What differs even less was rounded on different ways to the same.
    let finest = with(MOST_DIGITS);
    let alike = |texts: &[String]| {
        let mut pairs = (0..values.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        pairs.any(|(one, other)| texts[one] == texts[other] && finest[one] != finest[other])
    };
    let finer = (2..MOST_DIGITS).map(with);
    [plain].into_iter().chain(finer).find(|texts| !alike(texts)).unwrap_or_else(|| finest.clone())
}

/// A number of plies.
fn plies(count: u16) -> String {
    format!("{count} {}", if count == 1 { "ply" } else { "plies" })
}

/// A number with its thousands parted.
pub fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |whole| ("-", whole));
    let mut parted = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            parted.push(',');
        }
        parted.push(digit);
    }
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{parted}{point}{fraction}")
}

/// An expected value by itself.
pub fn expected(expected: &Expected) -> String {
    match expected.unit {
        Unit::Chance => percent(expected.value),
        _ => number(expected.value, 1),
    }
}

/// What a move is worth to the one who makes it.
pub fn of_move(worth: &Worth) -> String {
    match worth {
        Worth::Value(Value::Win(count)) => format!("wins in {}", plies(count.0)),
        Worth::Value(Value::Loss(count)) => format!("loses in {}", plies(count.0)),
        Worth::Value(Value::Draw) | Worth::Result(GameResult::Draw) => "draws".into(),
        Worth::Result(GameResult::Win) => "wins".into(),
        Worth::Result(GameResult::Loss) => "loses".into(),
        Worth::Expected(value) => expected(value),
        Worth::Unknown { searched } => format!("not decided within {}", plies(searched.0)),
        other => other.to_string(),
    }
}

/// A text that begins a sentence.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// What a position is worth, as a sentence without its full stop. `goal` is what a chance is of.
pub fn headline(position: &dyn Position, answer: &Answer, goal: Option<&str>) -> String {
    let who = position.turn().unwrap_or("the side to move");
    match &answer.worth {
        Worth::Expected(Expected { unit: Unit::Chance, gain: false, .. }) => match goal {
            Some(goal) => format!("No chance {goal}"),
            None => "No chance".into(),
        },
        Worth::Expected(value) => {
            let text = expected(value);
            match (value.unit, goal) {
                (Unit::Chance, Some(goal)) => format!("{text} {goal}"),
                (Unit::Chance, None) => format!("A chance of {text}"),
                (Unit::Score, _) => format!("{text} points still to come on average"),
                // An estimate means something beside others only.
                _ => match answer.best() {
                    Some(best) => format!("{} looks best", capital(best)),
                    None => "Nothing to be done".into(),
                },
            }
        }
        Worth::Unknown { searched } => {
            format!("Not decided within {}", plies(searched.0))
        }
        other => format!("{} {}", capital(who), of_move(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_parted_and_chances_never_look_certain() {
        assert_eq!(number(1_234_567.25, 1), "1,234,567.2");
        assert_eq!(number(-999.0, 0), "-999");
        assert_eq!(number(1000.0, 0), "1,000");
        assert_eq!(percent(0.824), "82.4 %");
        assert_eq!(percent(0.999_96), "99.9960 %");
        assert_eq!(percent(0.000_000_1), "0.000010 %");
        assert_eq!(percent(0.999_999_999_9), "99.999999 %");
        assert_eq!(
            (percent(0.545_499_999_9).as_str(), percent(0.5455).as_str()),
            ("54.6 %", "54.6 %")
        );
        assert_eq!((percent(1.0).as_str(), percent(0.0).as_str()), ("100 %", "0 %"));
    }

    #[test]
    fn values_that_differ_look_different() {
        let chance = |value| Expected {
            value,
            unit: Unit::Chance,
            precision: endtable::value::Precision::Double,
            gain: true,
        };
        let shown =
            |values: &[f64]| told_apart(&values.iter().map(|&it| chance(it)).collect::<Vec<_>>());
        assert_eq!(shown(&[0.9391, 0.92]), ["93.9 %", "92.0 %"]);
        assert_eq!(shown(&[0.93921, 0.93924, 0.93921]), ["93.921 %", "93.924 %", "93.921 %"]);
        assert_eq!(shown(&[0.5]), ["50.0 %"]);
        assert_eq!(shown(&[0.736_774_177_01, 0.736_774_177_02]), ["73.7 %", "73.7 %"]);
    }
}
