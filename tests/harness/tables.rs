//! Tables made and opened through the library: of random records, whose every answer is known, and
//! of games.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use endtable::games::Game;
use endtable::games::collapsi::{Collapsi, KeyedTables};
use endtable::games::twenty48::{self, Twenty48};
use endtable::job::{Job, Quiet, Run};
use endtable::random::SplitMix64;
use endtable::table::{
    Codec, Compression, Description, Layout, Options, Recipe, Record, TableError, TableSet,
    ValueKind, Writer,
};

/// A table of Collapsi positions in canonical form.
pub fn description(value: ValueKind, compression: Compression) -> Description {
    Description {
        recipe: Recipe::new(Collapsi.name(), Options::default().with_switch("test")),
        rules: "one".into(),
        codec: Codec::Canonical,
        key_bytes: 16,
        layout: Layout::Short,
        value,
        compression,
        generator: Description::this_generator(),
        licence: Description::LICENCE.into(),
    }
}

/// Records with ascending codes, some side by side, some far apart.
pub fn random_records(count: usize, value: ValueKind, random: &mut SplitMix64) -> Vec<Record> {
    let mut code = 0;
    (0..count)
        .map(|_| {
            code += 1 + (random.next() >> (16 + random.below(48)));
            let bits = 8 * value.bytes() as u32;
            let value = random.next().checked_shr(64 - bits).unwrap_or(0);
            let meta = Layout::Short.unpack(random.next() as u16 as u32).expect("any bits will do");
            Record { code, meta, value }
        })
        .collect()
}

/// Writes records to a file.
pub fn write(path: &Path, description: &Description, records: &[Record]) -> Result<(), TableError> {
    let mut writer = Writer::create(path, description.clone())?;
    records.iter().try_for_each(|&record| writer.push(record))?;
    writer.finish().map(|_| ())
}

/// Plenty of memory, nothing replaced.
pub fn run<'a>(out: &'a Path, stop: &'a AtomicBool) -> Run<'a> {
    let save_every = Run::SAVE_EVERY;
    Run { out, memory: 1 << 30, replace: false, stop, save_every, progress: &Quiet }
}

/// Every afterstate of an endgame pattern of 2048.
pub fn pattern_2048(pattern: &str, objective: &str) -> Box<dyn Job> {
    let options = Options::default().with("pattern", pattern).with("objective", objective);
    Twenty48.job(&options).unwrap()
}

/// Every position of 2048 on boards of a size.
pub fn exact_2048(size: &str, objective: &str) -> Box<dyn Job> {
    let options = Options::default().with("board", size).with("objective", objective);
    Twenty48.job(&options).unwrap()
}

/// Opens a table of 2048 positions.
pub fn open_2048(path: &Path) -> twenty48::Tables {
    twenty48::Tables::open(&[path]).unwrap()
}

/// Opens tables of Collapsi positions.
pub fn open_collapsi(paths: &[impl AsRef<Path>]) -> KeyedTables {
    KeyedTables::new(TableSet::open(paths).unwrap()).unwrap()
}
