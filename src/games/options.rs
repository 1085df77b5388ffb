//! The options of games, as data: a command line is built from them, and other programs' options are
//! checked against them.

use super::{Game, GameError};
use crate::table::Options;

/// What options are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// Reading a position.
    Position,
    /// Counting positions.
    Perft,
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
    /// Whether its value names a file or a folder. Who answers for others takes none from them.
    pub path: bool,
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
            path: false,
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

    /// The same, its value a file or a folder.
    #[must_use]
    pub const fn path(self) -> Self {
        Self { path: true, ..self }
    }

    /// The same, which must be given.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }
}

/// An option that names a position. Where positions are given by themselves, it has no place.
const SEED: &str = "seed";

/// Reads names and values as the options that a game has for some uses, a switch having no value, and
/// adds what holds for those that are not given.
///
/// ```
/// use endtable::games::{Use, by_name, read_options};
///
/// let game = by_name("collapsi").expect("there is such a game");
/// let options = read_options(game, &[Use::Position], [("rules", Some("wild")), ("fold64", None)])?;
/// assert_eq!(options.to_string(), "--rules wild --fold64");
/// # Ok::<(), endtable::games::GameError>(())
/// ```
///
/// # Errors
/// When one is not the game's, has a value that it cannot have, or does not go with the others.
pub fn read_options<'a>(
    game: &dyn Game,
    uses: &[Use],
    entries: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
) -> Result<Options, GameError> {
    let mut specs: Vec<&OptionSpec> = Vec::new();
    for spec in uses.iter().flat_map(|&of| game.options(of)) {
        if spec.name != SEED && specs.iter().all(|there| there.name != spec.name) {
            specs.push(spec);
        }
    }
    let mut options = Options::default();
    for (name, value) in entries {
        let spec = specs.iter().find(|spec| spec.name == name).ok_or_else(|| {
            let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
            let (game, names) = (game.name(), names.join(", "));
            refused(name, format!("not an option of {game} here; those are: {names}"))
        })?;
        options = add(options, spec, value)?;
    }
    specs.iter().try_for_each(|spec| check_company(spec, &options))?;
    let absent: Vec<_> = specs.into_iter().filter(|spec| !options.has(spec.name)).collect();
    Ok(absent.iter().fold(options, |options, spec| options.with_some(spec.name, spec.default)))
}

fn refused(what: impl std::fmt::Display, why: impl std::fmt::Display) -> GameError {
    GameError::Unsupported(format!("{what}: {why}"))
}

fn add(options: Options, spec: &OptionSpec, value: Option<&str>) -> Result<Options, GameError> {
    let name = spec.name;
    if options.has(name) {
        return Err(refused(name, "given twice"));
    }
    match (spec.value, value) {
        (None, None) => Ok(options.with_switch(name)),
        (None, Some(_)) => Err(refused(name, "a switch, which takes no value")),
        (Some(kind), None) => Err(refused(name, format!("takes a value, as in {name}={kind}"))),
        (Some(_), Some(value)) => match (spec.check)(value) {
            Ok(()) => Ok(options.with(name, value)),
            Err(reason) => Err(refused(format!("{name}={value}"), reason)),
        },
    }
}

/// Checks that an option has beside it what it needs, and not what it does not go with.
fn check_company(spec: &OptionSpec, options: &Options) -> Result<(), GameError> {
    let name = spec.name;
    if !options.has(name) {
        let missing = spec.required
            || !spec.unless.is_empty() && spec.unless.iter().all(|other| !options.has(other));
        return if missing { Err(refused(name, "not given")) } else { Ok(()) };
    }
    if let Some(other) = spec.conflicts.iter().find(|other| options.has(other)) {
        return Err(refused(name, format!("does not go with {other}")));
    }
    if let Some(other) = spec.requires.iter().find(|other| !options.has(other)) {
        return Err(refused(name, format!("needs {other} beside it")));
    }
    Ok(())
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
