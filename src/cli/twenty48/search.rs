//! How to search 2048 boards: what `play`, `solve` and `generate` have in common.

use std::path::PathBuf;
use std::time::Duration;

use endtable::games::twenty48::{Heuristic, Limit, Settings, Size};

use super::Failure;

/// How to search.
#[derive(clap::Args)]
pub struct SearchArgs {
    /// Search so many rounds of a new tile and a move behind the first move; by default two less
    /// than the board has different tiles, with strong three less, but at least 3
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=60))]
    depth: Option<u8>,
    /// Search deeper and deeper, for so many milliseconds a move
    #[arg(long, value_name = "T", conflicts_with = "depth", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    ms: Option<u64>,
    /// What the last boards are valued with: edges, sum, score or strong; by default strong on 4x4
    /// boards, sum on smaller ones
    #[arg(long, value_name = "NAME")]
    heuristic: Option<Heuristic>,
    /// A file with the heuristic's weights, a line for each: NAME = NUMBER; for strong a file that
    /// tools/tune2048 made
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Do not search on behind what is less likely than this, 0.0001 by default; 0 cuts nothing off.
    /// With --ms it falls from 0.01 to this as the search gets deeper, and below it in the end
    #[arg(long, value_name = "P")]
    cut_off: Option<f64>,
}

impl SearchArgs {
    /// Whether anything but the defaults has been asked for.
    pub fn is_given(&self) -> bool {
        self.depth.is_some()
            || self.ms.is_some()
            || self.heuristic.is_some()
            || self.weights.is_some()
            || self.cut_off.is_some()
    }

    /// Whether the search ends by the clock, so that it may end differently the next time.
    pub fn is_timed(&self) -> bool {
        self.ms.is_some()
    }

    /// The options that search so again, as far as they decide what is found.
    pub fn text(&self, settings: &Settings) -> String {
        let depth = self.depth.map_or(String::new(), |depth| format!("--depth {depth} "));
        let Settings { heuristic, cut_off, .. } = settings;
        let weights =
            if self.weights.is_some() { format!(" ({heuristic})") } else { String::new() };
        format!("{depth}--heuristic {} --cut-off {cut_off}{weights}", heuristic.name())
    }

    /// The settings of a search.
    pub fn settings(&self, size: Size) -> Result<Settings, Failure> {
        let mut heuristic = self.heuristic.clone().unwrap_or_else(|| Heuristic::for_size(size));
        if let Some(path) = &self.weights {
            let file = std::fs::read(path).map_err(|error| Failure::about(path, &error))?;
            let wrong = |error| Failure::input(format!("{}: {error}", path.display()));
            heuristic = heuristic.with_weights(file).map_err(wrong)?;
        }
        let cut_off = self.cut_off.unwrap_or(Settings::default().cut_off);
        if !(0.0..1.0).contains(&cut_off) {
            return Err(Failure::input(format!("--cut-off {cut_off}: not from 0 to 1")));
        }
        let limit = match (self.depth, self.ms) {
            (Some(depth), _) => Limit::Depth(depth),
            (None, Some(ms)) => Limit::Time(Duration::from_millis(ms)),
            (None, None) => Limit::Adaptive,
        };
        Ok(Settings { size, heuristic, limit, cut_off, ..Settings::default() })
    }
}
