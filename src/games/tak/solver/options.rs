//! The options of solving.

use std::str::FromStr;
use std::time::Duration;

use super::duel::Goal;
use crate::games::OptionSpec;
use crate::games::options::{anything, parses};

pub(in crate::games::tak) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "plies",
        "N",
        parses::<Depth>,
        "Look for wins of up to so many plies, 1 to 250; by default 15 on 3x3, 9 on 4x4 and 7 on larger \
         boards, and with --time as many as there is time for",
    ),
    OptionSpec::new(
        "goal",
        "GOAL",
        parses::<Goal>,
        "What counts as a win: `any`, by a road or by flats; or `road`",
    )
    .default_value("any"),
    OptionSpec::new(
        "time",
        "T",
        parses::<Time>,
        "Stop after so many seconds, and say how many plies were searched",
    ),
    OptionSpec::new(
        "proof",
        "FILE",
        anything,
        "Write the winning strategy to a new table, if there is one",
    )
    .path(),
];

/// How many plies are searched.
pub(super) struct Depth(pub u8);

impl FromStr for Depth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let plies = text.parse().ok().filter(|plies| (1..=MOST_PLIES).contains(plies));
        plies.map(Self).ok_or_else(|| format!("not a number of plies from 1 to {MOST_PLIES}"))
    }
}

/// The most plies that can be asked for.
pub(super) const MOST_PLIES: u8 = 250;

/// A time in seconds.
pub(super) struct Time(pub Duration);

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = text.parse().ok().filter(|seconds| (0.001..=1e6).contains(seconds));
        let time = seconds.map(|seconds| Self(Duration::from_secs_f64(seconds)));
        time.ok_or_else(|| "not a time from 0.001 to 1000000 seconds".into())
    }
}

impl FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "any" => Ok(Self::Any),
            "road" => Ok(Self::Road),
            _ => Err("expected any or road".into()),
        }
    }
}
