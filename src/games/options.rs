//! The options of games, as data: a command line is built from them.

/// What options are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// Reading a position.
    Position,
    /// Solving positions.
    Solve,
    /// Probing tables.
    Probe,
    /// Making tables.
    Generate,
}

/// An option: its name, what its value stands for, and what goes with it.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// Its name.
    pub name: &'static str,
    /// What its value is called; `None` for a switch, which has no value.
    pub value: Option<&'static str>,
    /// A sentence about it.
    pub help: &'static str,
    /// What holds if it is not given.
    pub default: Option<&'static str>,
    /// One of these must be given if this is not; empty if it may be left out.
    pub unless: &'static [&'static str],
    /// What it needs beside it.
    pub requires: &'static [&'static str],
    /// What it does not go with.
    pub conflicts: &'static [&'static str],
    /// Whether it must be given.
    pub required: bool,
    /// Checks a value.
    pub check: fn(&str) -> Result<(), String>,
}

impl OptionSpec {
    /// An option with a value.
    #[must_use]
    pub const fn new(
        name: &'static str,
        value: &'static str,
        check: fn(&str) -> Result<(), String>,
        help: &'static str,
    ) -> Self {
        let none: &[&str] = &[];
        Self {
            name,
            value: Some(value),
            help,
            default: None,
            unless: none,
            requires: none,
            conflicts: none,
            required: false,
            check,
        }
    }

    /// An option without a value.
    #[must_use]
    pub const fn switch(name: &'static str, help: &'static str) -> Self {
        Self { value: None, ..Self::new(name, "", |_| Ok(()), help) }
    }

    /// The same with what holds if it is not given.
    #[must_use]
    pub const fn default_value(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    /// The same, to be given unless one of these is.
    #[must_use]
    pub const fn unless(self, unless: &'static [&'static str]) -> Self {
        Self { unless, ..self }
    }

    /// The same, with what it needs beside it.
    #[must_use]
    pub const fn requires(self, requires: &'static [&'static str]) -> Self {
        Self { requires, ..self }
    }

    /// The same, with what it does not go with.
    #[must_use]
    pub const fn conflicts(self, conflicts: &'static [&'static str]) -> Self {
        Self { conflicts, ..self }
    }

    /// The same, which must be given.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }
}

/// Checks that a value parses as a type.
pub(crate) fn parses<T>(text: &str) -> Result<(), String>
where
    T: std::str::FromStr,
    T::Err: ToString,
{
    text.parse::<T>().map(drop).map_err(|error| error.to_string())
}

/// Anything will do.
pub(crate) fn anything(_: &str) -> Result<(), String> {
    Ok(())
}

/// A half-open range of numbers, as Rust writes it: `0..10` are ten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberRange(pub std::ops::Range<u64>);

impl std::str::FromStr for NumberRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once("..")
            .and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
        match numbers {
            Some(range) if range.start < range.end => Ok(Self(range)),
            Some(_) => Err("the range is empty: the second number must be larger".into()),
            None => Err("expected two numbers as in 0..10".into()),
        }
    }
}

impl std::fmt::Display for NumberRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.0.start, self.0.end)
    }
}
