//! The patterns that are shipped, and how a pattern is found by what a person types.

use std::path::Path;
use std::sync::LazyLock;

use super::{Pattern, PatternError};

macro_rules! shipped {
    ($($name:literal),*) => {
        [$(include_str!(concat!("../../../../data/patterns/", $name, ".toml"))),*]
    };
}

static SHIPPED: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let files = shipped!["44", "L3", "442", "t", "4421", "LL", "free8"];
    files.iter().filter_map(|file| Pattern::from_toml(file).ok()).collect()
});

impl Pattern {
    /// The patterns that are shipped.
    #[must_use]
    pub fn shipped() -> &'static [Self] {
        &SHIPPED
    }

    /// What they are called.
    pub(super) fn names() -> Vec<&'static str> {
        Self::shipped().iter().map(Self::name).collect()
    }

    /// Whether it is one of them.
    #[must_use]
    pub fn is_shipped(&self) -> bool {
        // A line has no sentence.
        let same = |it: &Self| Self { sentence: it.sentence.clone(), ..self.clone() } == *it;
        Self::shipped().iter().any(same)
    }

    /// The pattern that a text names: one that is shipped, a file, or the line that
    /// [`Display`](std::fmt::Display) writes.
    ///
    /// # Errors
    /// When it names none, or what it names is no pattern.
    pub fn named(text: &str) -> Result<Self, PatternError> {
        if let Some(pattern) = Self::shipped().iter().find(|it| it.name == text) {
            return Ok(pattern.clone());
        }
        let path = Path::new(text);
        if path.exists() {
            let pattern = Self::from_file(path)?;
            return pattern.with_own_name().map_err(|error| PatternError::File {
                path: text.into(),
                error: error.to_string(),
            });
        }
        text.parse()
    }

    /// The same if no other pattern is shipped under its name.
    pub(super) fn with_own_name(self) -> Result<Self, PatternError> {
        if Self::names().contains(&self.name.as_str()) && !self.is_shipped() {
            return Err(PatternError::Taken(self.name));
        }
        Ok(self)
    }
}
