//! Patterns as files: TOML with the keys `name`, `sentence`, `masks`, `symmetry` and `seeds`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use toml::{Table, Value};

use super::{Pattern, PatternError, drawing};

/// No file of a pattern is longer.
const MOST_BYTES: u64 = 1 << 16;

impl Pattern {
    /// Reads a pattern from a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no pattern's.
    pub fn from_file(path: &Path) -> Result<Self, PatternError> {
        let wrong = |error: String| PatternError::File { path: path.display().to_string(), error };
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|it| it.take(MOST_BYTES + 1).read_to_end(&mut bytes));
        read.map_err(|error| wrong(error.to_string()))?;
        if bytes.len() as u64 > MOST_BYTES {
            let most = MOST_BYTES >> 10;
            return Err(wrong(format!("too long for a pattern, which has {most} KiB at the most")));
        }
        let text = String::from_utf8(bytes).map_err(|_| wrong("not a text in UTF-8".into()))?;
        Self::from_toml(&text).map_err(|error| wrong(error.to_string()))
    }

    /// Reads a pattern as it stands in a file.
    ///
    /// ```
    /// use endtable::games::twenty48::Pattern;
    ///
    /// let pattern = Pattern::from_toml(r#"
    ///     name = "corner"
    ///     sentence = "One large tile stays in a corner."
    ///     masks = ["..../..../..../...F"]
    ///     seeds = ["2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,F"]
    /// "#)?;
    /// assert_eq!(pattern.free_cells(), 15);
    /// # Ok::<(), endtable::games::twenty48::PatternError>(())
    /// ```
    ///
    /// # Errors
    /// When it is no TOML, a key is missing or unknown, or what it says is no pattern.
    pub fn from_toml(text: &str) -> Result<Self, PatternError> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            PatternError::Toml(error.to_string().trim_end().to_owned())
        })?;
        let known = ["name", "sentence", "masks", "symmetry", "seeds"];
        if let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(PatternError::Key(key.clone()));
        }
        let name = string(&table, "name")?;
        let name = name.ok_or(PatternError::Expected { key: "name", expected: "a name" })?;
        let sentence = string(&table, "sentence")?.unwrap_or_default();
        let masks = drawings(&table, "masks")?;
        let masks = (1..).zip(masks).map(|(number, text)| drawing::read_mask(text, number));
        let seeds = drawings(&table, "seeds")?;
        let seeds = (1..).zip(seeds).map(|(number, text)| drawing::read_board(text, number));
        let (masks, seeds) = (masks.collect::<Result<_, _>>()?, seeds.collect::<Result<_, _>>()?);
        let pattern = Self::new(name, sentence, masks, seeds)?;
        match string(&table, "symmetry")? {
            None | Some("all") => Ok(pattern),
            Some("none") => Ok(pattern.without_symmetry()),
            Some(_) => Err(PatternError::Expected { key: "symmetry", expected: "all or none" }),
        }
    }
}

fn string<'a>(table: &'a Table, key: &'static str) -> Result<Option<&'a str>, PatternError> {
    let expected = PatternError::Expected { key, expected: "a text in quotes" };
    table.get(key).map(|value| value.as_str().ok_or(expected)).transpose()
}

fn drawings<'a>(table: &'a Table, key: &'static str) -> Result<Vec<&'a str>, PatternError> {
    let expected = || PatternError::Expected {
        key,
        expected: "a list of drawings, each a text of four rows; the list of masks may be empty",
    };
    let list = table.get(key).and_then(Value::as_array).ok_or_else(expected)?;
    list.iter().map(|value| value.as_str().ok_or_else(expected)).collect()
}
