//! The options of 2048, as data, and what they stand for.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use super::jobs::CLOCK;
use super::{Heuristic, HeuristicError, Limit, Objective, Pattern, PatternError, Settings, Size};
use crate::games::options::{NumberRange, anything, parses};
use crate::games::{GameError, OptionSpec};
use crate::table::{Options, TableError, ValueKind};

/// Options that read a position.
pub(super) const POSITION: &[OptionSpec] = &[OptionSpec::new(
    "board",
    "RxC",
    parses::<Size>,
    "Rows and columns of a board in hex, 4x4 by default, or those of the tables; rows of tiles say \
     themselves how many there are",
)];

/// Options that solve a position.
pub(super) const SOLVE: &[OptionSpec] = &[
    DEPTH,
    MS,
    HEURISTIC,
    WEIGHTS,
    CUT_OFF,
    OptionSpec::new(
        "tables",
        "PATH",
        anything,
        "Tables to take answers from; a board that they do not have is searched",
    )
    .path(),
];

/// Options that probe tables.
pub(super) const PROBE: &[OptionSpec] =
    &[OptionSpec::switch("spawns", "List every legal move with every tile that may come after it")];

/// Options that make tables.
pub(super) const GENERATE: &[OptionSpec] = &[
    OptionSpec::new("board", "RxC", parses::<Size>, "Rows and columns of the board, 2x2 to 4x4")
        .unless(&["pattern"]),
    OptionSpec::new(
        "pattern",
        "PATTERN",
        parses::<PatternName>,
        "An endgame pattern of the 4x4 board instead, whose afterstates are solved for a tile: the \
         name of one that is shipped, or a file (see `endtable patterns`)",
    )
    .conflicts(&["board", "seeds"]),
    OptionSpec::new(
        "objective",
        "OBJECTIVE",
        parses::<Objective>,
        "What to play for: `score`, the most points on average; or `tile:N`, the best chance that a \
         tile N appears",
    )
    .default_value(DEFAULT_OBJECTIVE)
    .conflicts(&["seeds"]),
    OptionSpec::new(
        "start",
        "BOARD",
        anything,
        "Begin with this position instead of all starts: in hex or as rows of tiles. With a pattern, \
         positions to begin with besides its seeds, of real games and in any orientation, parted by \
         blanks",
    )
    .conflicts(&["seeds"]),
    OptionSpec::new(
        "value",
        "KIND",
        parses::<ValueName>,
        "How values are stored, f32, f64 or chance32: f32 for scores and chance32 for chances by \
         default; in tables of patterns chance16, chance24 (the default) or chance32",
    )
    .conflicts(&["seeds"]),
    OptionSpec::new(
        "seeds",
        "A..B",
        parses::<NumberRange>,
        "Positions of games played by search instead, those of these seeds: 0..10 are ten",
    )
    .requires(&["depth"])
    .conflicts(&["objective", "start", "value"]),
    DEPTH.requires(&["seeds"]),
    OptionSpec::new("ms", "T", |_| Err(CLOCK.into()), "Refused: what a clock ends cannot be made again"),
    HEURISTIC.requires(&["seeds"]),
    WEIGHTS.requires(&["seeds"]),
    CUT_OFF.requires(&["seeds"]),
];

/// What is played for if nothing else is said.
pub(super) const DEFAULT_OBJECTIVE: &str = "score";

const DEPTH: OptionSpec = OptionSpec::new(
    "depth",
    "N",
    parses::<Depth>,
    "Search so many rounds of a new tile and a move behind the first move; by default two less than \
     the board has different tiles, with strong three less, but at least 3",
);

const MS: OptionSpec = OptionSpec::new(
    "ms",
    "T",
    parses::<Milliseconds>,
    "Search deeper and deeper, for so many milliseconds a move",
)
.conflicts(&["depth"]);

const HEURISTIC: OptionSpec = OptionSpec::new(
    "heuristic",
    "NAME",
    parses::<Heuristic>,
    "What the last boards are valued with: edges, sum, score or strong; by default strong on 4x4 \
     boards, sum on smaller ones",
);

const WEIGHTS: OptionSpec = OptionSpec::new(
    "weights",
    "FILE",
    anything,
    "A file with the heuristic's weights, a line for each: NAME = NUMBER; for strong a file that \
     tools/tune2048 made",
)
.path();

const CUT_OFF: OptionSpec = OptionSpec::new(
    "cut-off",
    "P",
    parses::<CutOff>,
    "Do not search on behind what is less likely than this, 0.0001 by default; 0 cuts nothing off. \
     With a time limit it falls from 0.01 to this as the search gets deeper, and below it in the end",
);

/// How a search ends that was given a number of rounds.
struct Depth(u8);

impl FromStr for Depth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let depth = text.parse().ok().filter(|depth| *depth <= 60);
        depth.map(Self).ok_or_else(|| "not a depth from 0 to 60".into())
    }
}

/// The time of a search.
struct Milliseconds(u64);

impl FromStr for Milliseconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let time = text.parse().ok().filter(|time| (1..=3_600_000).contains(time));
        time.map(Self).ok_or_else(|| "not a time from 1 to 3600000 ms".into())
    }
}

/// A chance below which nothing is searched.
struct CutOff(f64);

impl FromStr for CutOff {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let chance = text.parse().ok().filter(|chance| (0.0..1.0).contains(chance));
        chance.map(Self).ok_or_else(|| "not from 0 to 1".into())
    }
}

/// A kind of value that 2048 tables store.
pub(super) struct ValueName(pub ValueKind);

impl FromStr for ValueName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kinds = [
            ValueKind::F32,
            ValueKind::F64,
            ValueKind::Chance16,
            ValueKind::Chance24,
            ValueKind::Chance32,
        ];
        let kind = kinds.into_iter().find(|kind| kind.to_string() == text);
        let expected = || "not a kind of value; expected f32, f64, chance16, chance24 or chance32";
        kind.map(Self).ok_or_else(|| expected().into())
    }
}

/// A pattern, by its name, its file or its text.
pub(super) struct PatternName(pub Pattern);

impl FromStr for PatternName {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        Pattern::named(text).map(Self)
    }
}

/// How to search, as options say it, for boards of any size.
///
/// ```
/// use endtable::games::twenty48::{Limit, SearchOptions, Size};
/// use endtable::table::Options;
///
/// let options = Options::default().with("depth", 3).with("heuristic", "sum");
/// let settings = SearchOptions::new(&options)?.settings(Size::FULL)?;
/// assert_eq!(settings.limit, Limit::Depth(3));
/// # Ok::<(), endtable::games::GameError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SearchOptions {
    limit: Limit,
    heuristic: Option<Heuristic>,
    weights: Option<String>,
    cut_off: f64,
}

impl SearchOptions {
    /// What all of them are called.
    pub(super) const NAMES: [&'static str; 5] = ["depth", "ms", "heuristic", "weights", "cut-off"];

    /// Takes `depth`, `ms`, `heuristic`, `weights` and `cut-off`.
    ///
    /// # Errors
    /// When one of them is not what it should be, or they do not go together.
    pub fn new(options: &Options) -> Result<Self, GameError> {
        let depth = options.parse::<Depth>("depth")?;
        let limit = match (depth, options.parse::<Milliseconds>("ms")?) {
            (Some(_), Some(Milliseconds(ms))) => {
                return Err(GameError::option(
                    "ms",
                    ms,
                    "a search ends by its depth or by the clock",
                ));
            }
            (Some(Depth(depth)), None) => Limit::Depth(depth),
            (None, Some(Milliseconds(ms))) => Limit::Time(Duration::from_millis(ms)),
            (None, None) => Limit::Adaptive,
        };
        let cut_off = options.parse("cut-off")?;
        Ok(Self {
            limit,
            heuristic: options.parse("heuristic")?,
            weights: options.get("weights").map(str::to_owned),
            cut_off: cut_off.map_or(Settings::default().cut_off, |CutOff(cut_off)| cut_off),
        })
    }

    /// The settings of a search of boards of a size.
    ///
    /// # Errors
    /// When the weights cannot be read, or are not the heuristic's.
    pub fn settings(&self, size: Size) -> Result<Settings, GameError> {
        let mut heuristic = self.heuristic.clone().unwrap_or_else(|| Heuristic::for_size(size));
        if let Some(weights) = &self.weights {
            heuristic = with_weights(heuristic, weights)?;
        }
        let Self { limit, cut_off, .. } = *self;
        Ok(Settings { size, heuristic, limit, cut_off, ..Settings::default() })
    }
}

/// No file of weights is as long: not even networks of which every weight were there.
const MOST_WEIGHTS: u64 = 1 << 28;

/// Reads a file that has so many bytes at the most, be it a device without end.
fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, GameError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(TableError::io(path))?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(TableError::io(path))?;
    if bytes.len() as u64 > most {
        let path = path.display();
        return Err(GameError::Unsupported(format!("{path}: too long for a file of weights")));
    }
    Ok(bytes)
}

/// A heuristic with the weights that a text names: a file, or what [`weights_text`] has written.
fn with_weights(heuristic: Heuristic, text: &str) -> Result<Heuristic, GameError> {
    let wrong = |error| GameError::Unsupported(format!("{text}: {error}"));
    let path = Path::new(text);
    if !path.exists() {
        if let Some(lines) = weights_lines(text) {
            return heuristic.with_weights(lines).map_err(wrong);
        }
        if is_checksum(text) {
            return Err(GameError::NotFound(format!(
                "the weights with the checksum {text} are needed; name the file that has them"
            )));
        }
    }
    let file = read_at_most(path, MOST_WEIGHTS)?;
    heuristic.with_weights(file).map_err(wrong)
}

/// The weights of a heuristic in a line, if they are not those that it has by itself: names and
/// numbers as in `open 20000, edge 100`, or the checksum of networks.
pub(super) fn weights_text(heuristic: &Heuristic) -> Option<String> {
    if heuristic.name().parse().as_ref() == Ok(heuristic) {
        return None;
    }
    let text = heuristic.to_string();
    let weights = text.strip_prefix(heuristic.name())?.trim();
    Some(weights.trim_start_matches('(').trim_end_matches(')').into())
}

/// The lines that a file of weights would have for a text that [`weights_text`] has written;
/// `None` for other texts.
fn weights_lines(text: &str) -> Option<String> {
    let line = |weight: &str| {
        let (name, number) = weight.trim().split_once(' ')?;
        number.parse::<f64>().ok()?;
        Some(format!("{name} = {number}\n"))
    };
    text.split(',').map(line).collect()
}

fn is_checksum(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A heuristic that cannot be used as it was asked for.
impl From<HeuristicError> for GameError {
    fn from(error: HeuristicError) -> Self {
        Self::Unsupported(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn refused(options: &Options) -> String {
        SearchOptions::new(options).unwrap_err().to_string()
    }

    #[test]
    fn limits_are_checked() {
        let with = |name, value| Options::default().with(name, value);
        for (options, reason) in [
            (with("depth", "61"), "not a depth from 0 to 60"),
            (with("ms", "0"), "not a time from 1"),
            (with("cut-off", "1"), "not from 0 to 1"),
            (with("cut-off", "nan"), "not from 0 to 1"),
            (with("heuristic", "best"), "no heuristic"),
            (with("depth", "1").with("ms", 5), "by its depth or by the clock"),
        ] {
            let said = refused(&options);
            assert!(said.contains(reason), "{options}: {said}");
        }
        let settings = SearchOptions::new(&with("ms", "66")).unwrap().settings(Size::FULL);
        assert_eq!(settings.unwrap().limit, Limit::Time(Duration::from_millis(66)));
    }

    #[test]
    fn weights_are_read_from_files_and_from_what_headers_say_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("weights");
        fs::write(&file, "open = 7\n# and\nsmoothness=-2.5").unwrap();
        let heuristic = |weights: &str| {
            let options = Options::default().with("heuristic", "sum").with("weights", weights);
            SearchOptions::new(&options).unwrap().settings(Size::FULL).map(|it| it.heuristic)
        };
        let read = heuristic(file.to_str().unwrap()).unwrap();
        let text = weights_text(&read).unwrap();
        assert_eq!(text, "tiles 1, open 7, smoothness -2.5, monotonicity 0, corner 0");
        assert_eq!(heuristic(&text).unwrap(), read);
        assert_eq!(weights_text(&"sum".parse().unwrap()), None);
        let said = |weights| heuristic(weights).unwrap_err().to_string();
        assert!(said("width 7").contains("no weight \"width\""));
        assert!(said("0123456789abcdef").contains("name the file"));
        assert!(said("missing.txt").contains("missing.txt"));
    }
}
