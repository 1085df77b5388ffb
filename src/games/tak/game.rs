//! Tak as everything that is not about one game sees it: its options, and what it offers.

use std::path::{Path, PathBuf};

use super::board::{Board, Reserve, Rules};
use super::komi::Komi;
use super::perft::Ended;
use super::position::TakPosition;
use super::size::{Size, for_size};
use super::tps::size_of;
use super::{drawing, proof, solver, tables};
use crate::games::options::parses;
use crate::games::{
    self, Game, GameError, OptionSpec, Position, RecordDecoder, Solver, Start, Use,
};
use crate::job::Job;
use crate::table::{Header, Kind, Options, read_header};

/// The game of Tak.
#[derive(Clone, Copy, Debug)]
pub struct Tak;

const POSITION: &[OptionSpec] = &[
    OptionSpec::new(
        "flats",
        "F",
        parses::<u8>,
        "How many flats each player has: 10, 15, 21, 30, 40 or 50 by default, from 3x3 to 8x8",
    ),
    OptionSpec::new(
        "caps",
        "C",
        parses::<u8>,
        "How many capstones each player has: none on 3x3 and 4x4, 1 on 5x5 and 6x6, 2 on 7x7 and 8x8 \
         by default",
    ),
    OptionSpec::new(
        "komi",
        "K",
        parses::<Komi>,
        "What is added to Black's flats when they are counted, in halves: 0 by default",
    ),
];

const PERFT: &[OptionSpec] = &[OptionSpec::new(
    "ended",
    "HOW",
    parses::<Ended>,
    "What a game that ended before the last ply counts for: `zero`; `one`; or `on`, ends are not looked \
     for and moves are made on",
)
.default_value("zero")];

/// The rules that options describe.
///
/// # Errors
/// When a player has no flats, or more stones than fit a stack.
pub fn rules_of<S: Size>(options: &Options) -> Result<Rules, GameError> {
    let mut rules = Rules::usual::<S>();
    if let Some(flats) = options.parse("flats")? {
        rules.reserve.flats = flats;
    }
    if let Some(caps) = options.parse("caps")? {
        rules.reserve.caps = caps;
    }
    if let Some(komi) = options.parse("komi")? {
        rules.komi = komi;
    }
    rules.check::<S>().map_err(GameError::Unsupported)?;
    Ok(rules)
}

/// Refuses options that say something else than the rules of what was opened, which `of` tells.
///
/// # Errors
/// When one does, or cannot be read.
pub fn check_options(options: &Options, rules: Rules, of: &str) -> Result<(), GameError> {
    let refuse = |name, asked: String| Err(GameError::option(name, asked, of));
    let Reserve { flats, caps } = rules.reserve;
    for (name, own) in [("flats", flats), ("caps", caps)] {
        if let Some(asked) = options.parse::<u8>(name)?.filter(|asked| *asked != own) {
            return refuse(name, asked.to_string());
        }
    }
    match options.parse::<Komi>("komi")?.filter(|asked| *asked != rules.komi) {
        Some(asked) => refuse("komi", asked.to_string()),
        None => Ok(()),
    }
}

fn read<S: Size>(text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
    let board = Board::<S>::from_tps(text, rules_of::<S>(options)?);
    let board = board.map_err(|reason| GameError::position(text, reason))?;
    let ended = options.parse("ended")?.unwrap_or_default();
    Ok(Box::new(TakPosition { board, ended }))
}

impl Game for Tak {
    fn name(&self) -> &'static str {
        "tak"
    }

    fn about(&self) -> &'static str {
        "Tak: stones that are placed and stacked until a road joins two opposite edges, 3x3 to 8x8"
    }

    fn notation(&self) -> &'static str {
        "A position is TPS, quoted: ranks from the top parted by `/`, squares by `,`; x an empty square, \
         x3 three of them; a stack its stones from the bottom, 1 white and 2 black, then S if the top \
         stands and C if it is a capstone; a blank and whose turn it is, 1 or 2; a blank and the number \
         of the move. The start of 3x3 is \"x3/x3/x3 1 1\". A move is PTN: c2 places a flat, Sc2 a \
         standing stone, Cc2 a capstone; a1> slides a stone to the right (+ up, - down, < left), 3a1> \
         three of them, 3a1>12 one to the next square and two to the one behind it; quote < and >. Marks \
         behind a move (' * ! ?) are passed over."
    }

    fn options(&self, of: Use) -> &'static [OptionSpec] {
        match of {
            Use::Position => POSITION,
            Use::Perft => PERFT,
            Use::Solve => solver::OPTIONS,
            Use::Probe => &[],
            Use::Generate => tables::OPTIONS,
        }
    }

    fn answers(&self) -> &'static str {
        "The line is the key, whose turn it is, the result (win, loss, draw or unknown, seen by the side \
         to move), the plies to the end, the winner hurrying and the loser holding out (- for a draw; \
         for unknown, the plies searched), and a best move (- if there is none)."
    }

    fn examples(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("solve", "tak \"x3/x3/x3 1 1\""),
            (
                "solve",
                "tak \"1,1,2,x,1/x,12,1C,1,1/2,x,1,x,2/x,2,2,112,x/2,x2,1,x 1 12\" --goal road --json",
            ),
            ("solve", "tak \"x3/1,x2/x,2,x 1 2\" --proof proof.etb"),
            ("verify", "proof.etb --full"),
            ("probe", "proof.etb \"x3/1,x2/x,2,x 1 2\""),
            ("tei", "--threads 1"),
            ("play", "tak --size 4 --side black --time 0.1"),
            ("dump", "tak \"x3/x,12S,x/1,x2 2 3\""),
            ("dump", "tak \"x5/x2,2S,x2/x2,121C,x2/x5/x5 1 4\" --picture"),
            ("apply", "tak \"x5/x5/x5/x5/x5 1 1\" a5 e1 c3 Cc2 c3+ --json"),
            ("apply", "tak \"x2,1/2,1,x/1,x,2 1 4\" a1+ c1+ --flats 8 --komi 0.5"),
            ("perft", "tak \"x3/x3/x3 1 1\" 5"),
            ("perft", "tak \"x5/x2,2S,x2/x2,121,x2/x5/x5 1 4\" 3 --ended one"),
            ("generate", "tak --size 3 --flats 4 --out small-tak"),
            ("plan", "generate tak --size 3 --flats 3 --shards 2 --dir tak-shards"),
            ("probe", "small-tak \"x3/x,12S,x/1,x2 2 3\" --moves"),
            ("line", "small-tak \"x3/x3/x3 1 1\""),
            ("serve", "small-tak proof.etb"),
            ("info", "small-tak"),
            ("stats", "small-tak --all"),
            ("verify", "small-tak --full"),
            ("export", "small-tak --layer 4 --csv --out small-tak.csv"),
            ("dump", "small-tak/tak-03.etd --records 0..10"),
        ]
    }

    fn starts(&self) -> Vec<Start> {
        drawing::starts()
    }

    fn example(&self) -> &'static str {
        "x,2,x,1,x/x,12,2S,1,x/x,1,121C,2,1/x,2,1,221,x/2,x,1,x2 1 12"
    }

    fn assemble(&self, cells: &[Vec<String>], settings: &Options) -> String {
        drawing::assemble(cells, settings)
    }

    fn commands(&self, position: &dyn Position) -> Vec<(String, &'static str)> {
        let options = position.options().to_string();
        let blank = if options.is_empty() { "" } else { " " };
        let text = position.text();
        let longer = format!("endtable solve tak \"{text}\"{blank}{options} --time 600");
        let table = "endtable generate tak --size 3 --flats 4 --out small-tak";
        let mut commands = vec![(longer, "searches for ten minutes")];
        if size_of(&text) == Ok(3) {
            commands
                .push((table.into(), "makes tables of 3x3 with four flats each: every position"));
        }
        commands
    }

    fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        let size = size_of(text).map_err(|reason| GameError::position(text, reason))?;
        for_size!(size, S => read::<S>(text, options))
    }

    fn solver(&self, options: &Options, parallel: bool) -> Result<Box<dyn Solver>, GameError> {
        solver::solver(options, parallel)
    }

    fn open(
        &self,
        paths: &[PathBuf],
        options: &Options,
    ) -> Result<Box<dyn games::Tables>, GameError> {
        match paths {
            [path] if is_proof(path) => proof::open(paths, options),
            _ => tables::open(paths, options),
        }
    }

    fn job(&self, options: &Options) -> Result<Box<dyn Job>, GameError> {
        tables::job(options)
    }

    fn decoder(&self, header: &Header, path: &Path) -> Result<Box<dyn RecordDecoder>, GameError> {
        match header.kind {
            Kind::Keyed => proof::decoder(header, path),
            Kind::Dense => tables::decoder(header, path),
        }
    }
}

/// Whether a file is a proof: of Tak's tables only these have keys.
fn is_proof(path: &Path) -> bool {
    path.is_file() && read_header(path).is_ok_and(|header| header.kind == Kind::Keyed)
}
