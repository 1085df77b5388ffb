//! The kinds of table that C is given, how they are made, and what they are asked.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use endtable::games::{self, Game, Position, Tables};
use endtable::job::{Ending, Quiet, Run};
use endtable::random::SplitMix64;
use endtable::table::Options;

use super::folder;

/// A kind of table: how it is made, how it is opened, and which positions to ask it for.
pub struct Kind {
    pub name: &'static str,
    pub game: &'static str,
    /// Options of the job; a switch has an empty value.
    pub job: &'static [(&'static str, &'static str)],
    /// Options to open it with.
    pub options: &'static [(&'static str, &'static str)],
    /// Where random games begin; some may be absent.
    pub starts: &'static [&'static str],
    /// How many positions are asked of each game, its last ones.
    pub last: usize,
}

/// The positions of a deal, of which a game of another one is asked as well.
const DEAL: Kind = Kind {
    name: "canonical",
    game: "collapsi",
    job: &[("seeds", "0..1")],
    options: &[],
    starts: &["0", "0", "1"],
    last: usize::MAX,
};

/// Every position of a small board, of which a board of another size is no position.
const TILES: Kind = Kind {
    name: "score",
    game: "2048",
    job: &[("board", "2x3"), ("objective", "score")],
    options: &[],
    starts: &["2,4,0/0,0,0", "2,0,0/0,0,2", "0,2,0/2,0,0"],
    last: 40,
};

/// Every kind of table. A new game adds its own.
pub const KINDS: &[Kind] = &[
    DEAL,
    Kind { name: "exact", job: &[("seeds", "0..1"), ("exact", "")], ..DEAL },
    Kind {
        name: "folded",
        job: &[("seeds", "0..1"), ("fold64", "")],
        options: &[("fold64", "")],
        ..DEAL
    },
    Kind { name: "exact-folded", job: &[("seeds", "0..1"), ("exact", ""), ("fold64", "")], ..DEAL },
    Kind {
        name: "uncompressed",
        job: &[("seeds", "0..1"), ("uncompressed", "")],
        options: &[("rules", "one")],
        ..DEAL
    },
    // What has more cards is searched down to them: the last positions take no time.
    Kind {
        name: "complete",
        job: &[("complete", ""), ("cards", "5")],
        options: &[("rules", "wild")],
        starts: &["0", "1", "2", "3"],
        last: 6,
        ..DEAL
    },
    TILES,
    Kind { name: "chance", job: &[("board", "2x3"), ("objective", "tile:32")], ..TILES },
];

/// Solvers with their options, and the positions to ask them; they have no jobs.
pub const SOLVERS: &[Kind] = &[
    Kind { name: "search", job: &[], last: 8, ..DEAL },
    Kind {
        name: "results only",
        job: &[],
        options: &[("rules", "wild"), ("no-distance", "")],
        last: 8,
        ..DEAL
    },
];

/// What is a position nowhere, or hardly anywhere.
const STRANGE: &[&str] =
    &["", "no such position", "99999999999999999999", "\u{e9}/\u{2603}", "0:0"];

pub fn options(entries: &[(&str, &str)]) -> Options {
    entries.iter().fold(Options::default(), |options, &(name, value)| match value {
        "" => options.with_switch(name),
        value => options.with(name, value),
    })
}

impl Kind {
    pub fn game(&self) -> &'static dyn Game {
        games::by_name(self.game).unwrap()
    }

    /// The options as C gives them.
    pub fn option_text(&self) -> String {
        let entries = self.options.iter().map(|&(name, value)| match value {
            "" => name.to_owned(),
            value => format!("{name}={value}"),
        });
        entries.collect::<Vec<_>>().join(" ; ")
    }

    /// Makes the table in a folder.
    pub fn make(&self, folder: &Path) -> PathBuf {
        let is_folder = self.job.iter().any(|(name, _)| *name == "complete");
        let out = folder.join(format!("{}{}", self.name, if is_folder { "" } else { ".etb" }));
        let job = self.game().job(&options(self.job)).unwrap();
        let run = Run {
            out: &out,
            memory: job.least_memory(),
            replace: false,
            stop: &AtomicBool::new(false),
            save_every: Run::SAVE_EVERY,
            progress: &Quiet,
        };
        assert!(matches!(job.run(&run), Ok(Ending::Finished)), "{}", self.name);
        out
    }

    pub fn open(&self, table: &Path) -> Box<dyn Tables> {
        games::open(&[table], &options(self.options)).unwrap()
    }

    /// Positions of random games in all forms, one after the other, in no order that a table would
    /// like; and texts that are none.
    pub fn questions(&self, count: usize) -> Vec<String> {
        let (mut random, mut questions) = (SplitMix64::new(7), Vec::new());
        let game_options = options(self.options);
        for start in self.starts.iter().cycle() {
            let mut positions = vec![self.game().position(start, &game_options).unwrap()];
            while let Some(next) = random_move(&**positions.last().unwrap(), &mut random) {
                positions.push(next);
            }
            for position in positions.iter().rev().take(self.last) {
                let mut forms: Vec<_> =
                    position.forms().into_iter().map(|(_, form)| form.to_string()).collect();
                forms.push(position.text());
                let form = forms.swap_remove(questions.len() % forms.len());
                questions.push(if questions.len() % 7 == 0 { format!(" {form} ") } else { form });
            }
            if questions.len() > count {
                break;
            }
        }
        questions.extend(STRANGE.iter().map(|&text| text.to_owned()));
        for last in (1..questions.len()).rev() {
            questions.swap(last, random.below(last as u64 + 1) as usize);
        }
        questions
    }
}

fn random_move(position: &dyn Position, random: &mut SplitMix64) -> Option<Box<dyn Position>> {
    let moves = position.moves();
    let number = random.below(moves.len().max(1) as u64) as usize;
    moves.get(number).map(|mv| position.play(mv).unwrap())
}

/// The tables of all kinds, in the order of the kinds, made once.
fn tables() -> &'static [PathBuf] {
    static TABLES: OnceLock<Vec<PathBuf>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let folder = folder("tables");
        KINDS.iter().map(|kind| kind.make(&folder)).collect()
    })
}

/// Every kind with its table.
pub fn kinds() -> impl Iterator<Item = (&'static Kind, &'static Path)> {
    KINDS.iter().zip(tables().iter().map(PathBuf::as_path))
}

/// The kind of a name with its table.
pub fn table_of(name: &str) -> (&'static Kind, &'static Path) {
    kinds().find(|(kind, _)| kind.name == name).unwrap()
}

/// A copy of a file or folder with damaged blocks: in its largest file bits are flipped, here and there
/// but for the ends.
pub fn damaged(table: &Path, folder: &Path) -> PathBuf {
    let copy = folder.join(table.file_name().unwrap());
    let mut files = vec![(table.to_path_buf(), copy.clone())];
    if table.is_dir() {
        fs::create_dir(&copy).unwrap();
        let entries = fs::read_dir(table).unwrap().map(|entry| entry.unwrap());
        files = entries.map(|entry| (entry.path(), copy.join(entry.file_name()))).collect();
    }
    files.sort_by_key(|(from, _)| (fs::metadata(from).unwrap().len(), from.clone()));
    let (from, to) = files.pop().unwrap();
    let mut bytes = fs::read(from).unwrap();
    let length = bytes.len();
    (3..30).for_each(|part| bytes[length * part / 40] ^= 0x10);
    fs::write(to, bytes).unwrap();
    files.iter().for_each(|(from, to)| _ = fs::copy(from, to).unwrap());
    copy
}
