//! Tables of random records, for tests that know every answer.

use std::path::Path;

use endtable::games::random::SplitMix64;
use endtable::table::{
    Codec, Compression, Description, Game, Meta, Record, TableError, ValueKind, Writer,
};

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

pub fn write(path: &Path, description: &Description, records: &[Record]) -> Result<(), TableError> {
    let mut writer = Writer::create(path, description.clone())?;
    records.iter().try_for_each(|&record| writer.push(record))?;
    writer.finish().map(|_| ())
}
