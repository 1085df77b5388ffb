//! How a table was made, as data: named options that a header holds and that parse back.

use std::fmt;
use std::str::FromStr;

/// Named options in the order in which they are printed, each with its value unless it is a mere
/// switch. What a person gives on a command line, and what a header remembers of it.
///
/// ```
/// use endtable::table::Options;
///
/// let options = Options::default().with("seeds", "0..10").with_switch("exact");
/// assert_eq!(options.get("seeds"), Some("0..10"));
/// assert!(options.has("exact") && !options.has("fold64"));
/// assert_eq!(options.to_string(), "--seeds 0..10 --exact");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    entries: Vec<(String, Option<String>)>,
}

impl Options {
    /// The same with one more, which has a value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.entries.push((name.into(), Some(value.to_string())));
        self
    }

    /// The same with one more, which has none.
    #[must_use]
    pub fn with_switch(mut self, name: &str) -> Self {
        self.entries.push((name.into(), None));
        self
    }

    /// The same with one more if it is given.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl fmt::Display>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The same with a switch if it is set.
    #[must_use]
    pub fn with_switch_if(self, name: &str, set: bool) -> Self {
        if set { self.with_switch(name) } else { self }
    }

    /// The value of an option, `None` if it is not given or has none.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.find(name)?.as_deref()
    }

    /// Whether an option is given, with a value or without.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<&Option<String>> {
        self.entries.iter().find(|(it, _)| it == name).map(|(_, value)| value)
    }

    /// The value of an option as what it stands for, `None` if it is not given.
    ///
    /// # Errors
    /// When it is given and stands for nothing of the kind.
    pub fn parse<T>(&self, name: &str) -> Result<Option<T>, OptionError>
    where
        T: FromStr,
        T::Err: fmt::Display,
    {
        let Some(value) = self.get(name) else { return Ok(None) };
        value.parse().map(Some).map_err(|error: T::Err| OptionError {
            name: name.into(),
            value: value.into(),
            reason: error.to_string(),
        })
    }

    /// Each option and its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value.as_deref()))
    }

    /// The options that both have, with the same values.
    fn common(&self, other: &Self) -> Self {
        let both = |entry: &&(String, Option<String>)| other.entries.contains(entry);
        Self { entries: self.entries.iter().filter(both).cloned().collect() }
    }
}

/// As a command line: `--seeds 0..10 --exact`.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (name, value)) in self.entries.iter().enumerate() {
            let blank = if number == 0 { "" } else { " " };
            write!(f, "{blank}--{name}")?;
            match value {
                Some(value) if value.contains([' ', '(', ')']) => write!(f, " \"{value}\"")?,
                Some(value) => write!(f, " {value}")?,
                None => {}
            }
        }
        Ok(())
    }
}

/// An option's value that does not stand for what it should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--{name} {value}: {reason}")]
pub struct OptionError {
    /// The option.
    pub name: String,
    /// Its value.
    pub value: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What made a table: a game's job with the options that show in the table's bytes, or a merge of
/// tables that such jobs made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recipe {
    /// The game's name.
    pub game: String,
    /// The options of the job; those that all parts have in common if the table was merged.
    pub options: Options,
    /// How many generated tables were merged, if it was.
    pub merged: Option<u64>,
    /// The position that was solved, if the table is the proof of one.
    pub position: Option<String>,
}

impl Recipe {
    /// A job of a game.
    #[must_use]
    pub fn new(game: &str, options: Options) -> Self {
        Self { game: game.into(), options, merged: None, position: None }
    }

    /// The recipe of tables joined into one: what they have in common, and how many there are.
    #[must_use]
    pub fn joined<'a>(recipes: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let each =
            |recipe: &Self| Self { merged: Some(recipe.merged.unwrap_or(1)), ..recipe.clone() };
        recipes.into_iter().map(each).reduce(|one, other| Self {
            options: one.options.common(&other.options),
            merged: Some(one.merged.unwrap_or(1).saturating_add(other.merged.unwrap_or(1))),
            game: one.game,
            position: None,
        })
    }
}

/// The command: `endtable generate GAME OPTIONS`, `endtable solve GAME POSITION OPTIONS`, or what was
/// merged.
impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(merged) = self.merged {
            write!(f, "endtable merge, {merged} tables of: ")?;
        }
        let blank = if self.options.entries.is_empty() { "" } else { " " };
        match &self.position {
            None => write!(f, "endtable generate {}{blank}{}", self.game, self.options),
            Some(position) => {
                write!(f, "endtable solve {} \"{position}\"{blank}{}", self.game, self.options)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_says_how_many_and_what_they_share() {
        let part = |seeds| {
            let options = Options::default().with("seeds", seeds).with("rules", "one");
            Recipe::new("draughts", options.with_switch("exact"))
        };
        let (one, two) = (part("0..10"), part("10..20"));
        let both = Recipe::joined([&one, &two]).unwrap();
        assert_eq!(
            both.to_string(),
            "endtable merge, 2 tables of: endtable generate draughts --rules one --exact"
        );
        let three = Recipe::joined([&both, &part("20..30")]).unwrap();
        assert_eq!(three.merged, Some(3));
        assert_eq!(three.options, both.options);
    }
}
