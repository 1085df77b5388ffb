//! What stands behind the question mark of an address.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::Problem;

/// Names and values in their order, percent signs and plus signs resolved. A name without `=` has an
/// empty value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters(Vec<(String, String)>);

impl From<Vec<(String, String)>> for Parameters {
    fn from(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }
}

impl Parameters {
    /// Reads what stands behind the question mark.
    ///
    /// # Errors
    /// When it is no text.
    pub fn parse(query: &str) -> Result<Self, Problem> {
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name)?, decoded(value)?))
        });
        pairs.collect::<Result<_, _>>().map(Self)
    }

    /// The value of a name, the first if there are several.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Every value of a name.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.iter().filter(move |(it, _)| *it == name).map(|(_, value)| value)
    }

    /// Every name and value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether a switch is on: there, unless its value says no.
    ///
    /// # Errors
    /// When the value is neither yes nor no.
    pub fn switch(&self, name: &str) -> Result<bool, Problem> {
        self.get(name).map_or(Ok(false), |value| is_on(name, value))
    }
}

/// Whether the value of a switch turns it on.
///
/// # Errors
/// When it is neither yes nor no.
pub fn is_on(name: &str, value: &str) -> Result<bool, Problem> {
    match value {
        "" | "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        value => Err(Problem::bad(format!("{name}={value}: expected true or false"))),
    }
}

/// A text without its percent and plus signs.
fn decoded(text: &str) -> Result<String, Problem> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
                let byte = digit().zip(digit()).map(|(high, low)| (high << 4 | low) as u8);
                byte.ok_or_else(|| {
                    Problem::bad(format!("{text:?}: expected two hex digits behind %"))
                })?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| Problem::bad(format!("{text:?}: not UTF-8")))
}

impl<S: Sync> FromRequestParts<S> for Parameters {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::parse(parts.uri.query().unwrap_or_default())
    }
}
