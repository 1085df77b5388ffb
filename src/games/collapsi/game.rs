//! Collapsi as everything that is not about one game sees it: its options, and what it offers.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::drawing;
use super::jobs::{self, Positions};
use super::position::CollapsiPosition;
use super::tables::{Decoder, board_of, move_answer, table_rules};
use super::{QuickSolver, Rules, Solver as ExactSolver, Subgame, Tables};
use crate::games::options::{NumberRange, anything, parses};
use crate::games::{
    self, Answer, Detail, Game, GameError, OptionSpec, Position, RecordDecoder, Solver, Start, Use,
};
use crate::job::Job;
use crate::solve::Limits;
use crate::table::{Header, Options, Table};
use crate::value::{GameResult, Worth};

/// The game of Collapsi.
#[derive(Clone, Copy, Debug)]
pub struct Collapsi;

const RULES: OptionSpec = OptionSpec::new(
    "rules",
    "RULES",
    parses::<Rules>,
    "How far a pawn goes from its joker: `one` step, or `wild`, one to four; as the tables have it, or one",
);

const POSITION: &[OptionSpec] = &[
    OptionSpec::new("seed", "N", parses::<u64>, "The deal of a seed, a number below 2^64"),
    RULES,
    OptionSpec::switch("fold64", "Print 64-bit folded keys"),
];

const SOLVE: &[OptionSpec] = &[
    OptionSpec::new(
        "tables",
        "DIR",
        anything,
        "Take answers from the complete tables in a folder instead of searching",
    )
    .path()
    .conflicts(&["no-distance"]),
    OptionSpec::switch(
        "no-distance",
        "Only who wins and a move that does it: several times as fast",
    )
    .conflicts(&["moves", "verbose"]),
];

const GENERATE: &[OptionSpec] = &[
    OptionSpec::new(
        "seeds",
        "A..B",
        parses::<NumberRange>,
        "The deals of seeds, the first one and the one behind the last: 0..10 are ten",
    )
    .unless(&["complete", "deals"]),
    RULES.conflicts(&["complete"]),
    OptionSpec::new(
        "positions",
        "WHICH",
        parses::<Positions>,
        "`all` positions reachable from each deal, or the `root` only: the deals; all by default",
    )
    .conflicts(&["complete", "deals"]),
    OptionSpec::switch("exact", "Store positions as they are, not in canonical form")
        .conflicts(&["complete", "deals"]),
    OptionSpec::switch("fold64", "Store 64-bit folded keys").conflicts(&["complete", "deals"]),
    OptionSpec::switch("uncompressed", "Do not compress: larger, probed in place")
        .conflicts(&["complete"]),
    OptionSpec::switch(
        "complete",
        "Every position of the game, a table for each number of cards, into the folder --out",
    )
    .conflicts(&["seeds"]),
    OptionSpec::new(
        "cards",
        "N",
        parses::<u8>,
        "With --complete: only positions with so many cards left, 2 to 16, 16 by default; \
         what has more is searched",
    )
    .requires(&["complete"]),
    OptionSpec::switch(
        "sparse",
        "With --complete: leave out 4, 6, 8, 10 and 12 cards; a probe searches a move deeper there",
    )
    .requires(&["complete"]),
    OptionSpec::switch(
        "deals",
        "All deals up to symmetry, taken from complete tables, as a table with keys",
    )
    .requires(&["tables"])
    .conflicts(&["complete", "seeds"]),
    OptionSpec::new("tables", "DIR", anything, "With --deals: the folder of the complete tables")
        .path()
        .requires(&["deals"]),
];

impl Game for Collapsi {
    fn name(&self) -> &'static str {
        "collapsi"
    }

    fn about(&self) -> &'static str {
        "Collapsi: two pawns on a 4x4 torus of cards that collapse behind them"
    }

    fn notation(&self) -> &'static str {
        "A position is rows from the top left parted by `/` (A 2 3 4 a card, J a joker, . a collapsed \
         cell, x or o behind the cell where that pawn stands), a blank and the side to move; or eight \
         hex numbers A,2,3,4,X,O,collapsed,turn (cell (row r, column c) is bit 4r+c); or a key HI:LO; \
         or a decimal number, the seed of a deal. A move is two hex digits, from and to."
    }

    fn options(&self, of: Use) -> &'static [OptionSpec] {
        match of {
            Use::Position => POSITION,
            Use::Solve => SOLVE,
            Use::Perft | Use::Probe => &[],
            Use::Generate => GENERATE,
        }
    }

    fn answers(&self) -> &'static str {
        "The line is the key, whose turn it is (0 x, 1 o), whether that side wins (1) or loses (0), and \
         the best move, of equally good ones the one with the lowest destination; ff where the game \
         is over. The winner hurries and the loser holds out: distances are in plies."
    }

    fn examples(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("solve", "collapsi --seed 1"),
            ("solve", "collapsi \"JxA23/4Jo32/A2A3/2A43 x\" --rules wild --moves"),
            ("solve", "collapsi 0100000808001830:12d27d06b02589e4 --picture"),
            ("dump", "collapsi --seed 1"),
            ("dump", "collapsi --seed 1 --picture"),
            ("apply", "collapsi \"A332/234Jx/3A42/A2AJo x\" 73 fb"),
            ("perft", "collapsi 1 4"),
            ("generate", "collapsi --seeds 0..10 --out seeds.etb"),
            ("generate", "collapsi --seeds 10..20 --out more.etb"),
            ("generate", "collapsi --seeds 0..1000 --positions root --rules wild --out deals.etb"),
            ("generate", "collapsi --complete --cards 8 --out complete"),
            ("plan", "generate collapsi --seeds 0..20 --shards 4 --dir shards"),
            ("plan", "generate collapsi --complete --shards 64 --simulate 256"),
            ("plan", "verify complete --shards 4 --dir checks"),
            ("shard", "shards"),
            ("shard", "shards/plan.json solved.0.4"),
            ("run", "shards/plan.json --threads 2"),
            ("run", "checks"),
            ("probe", "seeds.etb 0100000808001830:12d27d06b02589e4"),
            ("probe", "seeds.etb --seed 1 --moves"),
            ("probe", "complete \"2x.AA/2A3o2/..../...3 x\" --rules wild --json"),
            ("line", "seeds.etb --seed 1"),
            ("line", "complete \"2x.AA/2A3o2/..../...3 x\" --json"),
            ("info", "seeds.etb"),
            ("info", "complete --json"),
            ("verify", "seeds.etb --resolve 1000"),
            ("verify", "complete --full"),
            ("manifest", "complete"),
            ("merge", "seeds.etb more.etb --out both.etb"),
            ("stats", "seeds.etb --svg plies.svg"),
            ("export", "seeds.etb --csv --out seeds.csv"),
            ("export", "complete --layer 6 --npy --out layer-6.npy"),
            ("export", "complete/collapsi-07.etd --records 0..1000 --csv --out some.csv"),
            ("dump", "seeds.etb --records 0..10"),
            ("dump", "seeds.etb --prefix 0100"),
            ("dump", "complete --layer 5 --records 0..10"),
            ("serve", "seeds.etb complete"),
            ("play", "collapsi --seed 1 --tables complete --side o"),
            ("play", "collapsi --games 100 --opponent one-ply --rules wild"),
        ]
    }

    fn starts(&self) -> Vec<Start> {
        drawing::starts()
    }

    fn example(&self) -> &'static str {
        "A3.2/2.4x3/3A42o/A2A. o"
    }

    fn assemble(&self, cells: &[Vec<String>], settings: &Options) -> String {
        drawing::assemble(cells, settings)
    }

    fn commands(&self, position: &dyn Position) -> Vec<(String, &'static str)> {
        let rules = board_of(position).map(|it| it.rules).unwrap_or_default();
        let text = position.text();
        vec![
            (format!("endtable solve collapsi \"{text}\" --rules {rules}"), "solves this position"),
            (
                "endtable generate collapsi --complete --out complete".into(),
                "makes tables of every position, under both rules",
            ),
        ]
    }

    fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        let board = CollapsiPosition::parse_board(text);
        let board = board.map_err(|reason| GameError::position(text, reason))?;
        let rules = options.parse("rules")?.unwrap_or_default();
        Ok(Box::new(CollapsiPosition { board, rules, folded: options.has("fold64") }))
    }

    fn solver(&self, options: &Options, _parallel: bool) -> Result<Box<dyn Solver>, GameError> {
        if let Some(folder) = options.get("tables") {
            return Ok(Box::new(FromTables(Tables::open(&[folder], options.parse("rules")?)?)));
        }
        if options.has("no-distance") {
            return Ok(Box::new(Quick(QuickSolver::new())));
        }
        Ok(Box::new(Exact(ExactSolver::new())))
    }

    fn open(
        &self,
        paths: &[PathBuf],
        options: &Options,
    ) -> Result<Box<dyn games::Tables>, GameError> {
        Ok(Box::new(Self::open_tables(paths, options)?))
    }

    fn job(&self, options: &Options) -> Result<Box<dyn Job>, GameError> {
        jobs::job(options)
    }

    fn decoder(&self, header: &Header, path: &Path) -> Result<Box<dyn RecordDecoder>, GameError> {
        Ok(Box::new(Decoder::new(header, path)?))
    }

    fn check_merge(&self, tables: &[Table]) -> Result<(), GameError> {
        let rules = |table: &Table| table_rules(&table.header().description, table.path());
        Ok(tables.iter().try_for_each(|table| rules(table).map(drop))?)
    }
}

/// Solves by AO*: no position takes longer than some milliseconds, and none is stopped.
struct Exact(ExactSolver);

impl Solver for Exact {
    fn solve_within(
        &mut self,
        position: &dyn Position,
        detail: Detail,
        _limits: Limits<'_>,
    ) -> Result<Answer, GameError> {
        let CollapsiPosition { board, rules, .. } = board_of(position)?;
        let start = Instant::now();
        let solved = self.0.solve(board, *rules);
        let (nodes, time) = (self.0.counts().expanded, start.elapsed());
        let best = solved.best.map(|mv| mv.to_string());
        let mut answer = Answer::new(Worth::Value(solved.value), best);
        if detail.has_moves() {
            let moves = self.0.move_values(board, *rules);
            let best = moves.iter().filter(|(_, value)| *value == solved.value);
            answer.best = best.map(|(mv, _)| mv.to_string()).collect();
            answer.moves = moves.iter().map(|&(mv, value)| move_answer(mv, Some(value))).collect();
        }
        answer.notes.push(("nodes", nodes.to_string()));
        answer.notes.push(("time", format!("{} us", time.as_micros())));
        Ok(answer)
    }
}

/// Finds out only who wins.
struct Quick(QuickSolver);

impl Solver for Quick {
    fn solve_within(
        &mut self,
        position: &dyn Position,
        _detail: Detail,
        _limits: Limits<'_>,
    ) -> Result<Answer, GameError> {
        let CollapsiPosition { board, rules, .. } = board_of(position)?;
        let solved = self.0.solve(&Subgame::new(*board, *rules));
        let result = if solved.win { GameResult::Win } else { GameResult::Loss };
        Ok(Answer::new(Worth::Result(result), solved.best.map(|mv| mv.to_string())))
    }
}

/// Takes answers from complete tables.
struct FromTables(Tables);

impl Solver for FromTables {
    fn solve_within(
        &mut self,
        position: &dyn Position,
        detail: Detail,
        _limits: Limits<'_>,
    ) -> Result<Answer, GameError> {
        let answer = games::Tables::probe(&self.0, position, detail)?;
        answer.ok_or_else(|| GameError::NotFound(format!("{}: not in the tables", position.text())))
    }
}
