//! Tables made and opened through the library: of random records, whose every answer is known, and
//! of games.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use endtable::games::random::SplitMix64;
use endtable::games::twenty48::Rules;
use endtable::generate::twenty48::Exact;
use endtable::generate::{self, Options, Outcome};
use endtable::probe::{CollapsiTables, Twenty48Tables};
use endtable::progress::Progress;
use endtable::table::{
    Codec, Compression, Description, Game, Meta, Record, TableError, TableSet, ValueKind, Writer,
};

/// A table of Collapsi positions in canonical form.
pub fn description(value: ValueKind, compression: Compression) -> Description {
    Description {
        game: Game::Collapsi,
        rules: 0,
        codec: Codec::Canonical,
        value,
        compression,
        generator: Description::this_generator(),
        command: "a test".into(),
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
            Record { code, meta: Meta(random.next() as u16), value }
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
pub fn options<'a>(out: &'a Path, stop: &'a AtomicBool) -> Options<'a> {
    Options { out, memory: 1 << 30, force: false, stop, save_every: Options::SAVE_EVERY }
}

/// Every position of 2048 on boards of a size.
pub fn exact_2048(size: &str, objective: &str) -> Exact {
    let rules = Rules { size: size.parse().unwrap(), objective: objective.parse().unwrap() };
    Exact { rules, start: None }
}

/// Makes a table of such positions.
pub fn make_2048(source: &Exact, options: &Options<'_>, progress: &dyn Progress) -> Outcome {
    let description = Description {
        game: Game::Twenty48,
        rules: source.rules.number(),
        ..description(ValueKind::F32, Compression::Packed)
    };
    generate::twenty48::generate(source, &description, options, progress).unwrap()
}

/// Opens a table of 2048 positions.
pub fn open_2048(path: &Path) -> Twenty48Tables {
    Twenty48Tables::new(TableSet::open(&[path]).unwrap()).unwrap()
}

/// Opens tables of Collapsi positions.
pub fn open_collapsi(paths: &[impl AsRef<Path>]) -> CollapsiTables {
    CollapsiTables::new(TableSet::open(paths).unwrap()).unwrap()
}
