//! The file's frame: header, index entries, footer. `docs/FORMAT.md` is the specification; this
//! file follows it field by field.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::TableError;
use super::recipe::{Options, Recipe};
use super::record::Layout;
use crate::value::Precision;

/// The first eight bytes of a finished table.
pub(super) const MAGIC: [u8; 8] = *b"ENDTABLE";
/// The last eight.
pub(super) const END_MAGIC: [u8; 8] = *b"ELBATDNE";
/// The version of the format that is written and read here.
pub(super) const VERSION: u16 = 2;
/// Bytes of the header before its text.
pub(super) const FIXED_HEADER: usize = 80;
/// No header is longer.
pub(super) const MAX_HEADER: usize = 1 << 16;
/// Bytes of an index entry.
pub(super) const INDEX_ENTRY: usize = 32;
/// Bytes of the footer.
pub(super) const FOOTER: usize = 32;
/// The most records or entries that a block may have: what a reader must make room for is bounded by
/// it, however small the file.
pub(super) const MOST_BLOCK_RECORDS: u32 = 1 << 16;
/// Records in a block, all but the last one's. Small, because a probe decompresses a whole block.
pub(crate) const BLOCK_RECORDS: u32 = 256;

/// A type that is one byte in the header.
macro_rules! byte_enum {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$vdoc:meta])* $variant:ident = $byte:literal, $text:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant = $byte,)*
        }

        impl $name {
            fn from_byte(byte: u8, path: &Path) -> Result<Self, TableError> {
                match byte {
                    $($byte => Ok(Self::$variant),)*
                    found => Err(TableError::Unknown { path: path.into(), what: $what, found: found.into() }),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$variant => $text,)* })
            }
        }
    };
}

byte_enum! {
    /// How positions became codes. What a code is, the game says.
    Codec, "key codec" {
        /// Positions in canonical form.
        Canonical = 1, "canonical";
        /// Positions exactly as they stand.
        Exact = 2, "exact";
        /// The 64-bit folded key of the canonical position. Not invertible.
        Folded = 3, "canonical, folded";
        /// The 64-bit folded key of the position as it stands. Not invertible.
        ExactFolded = 4, "exact, folded";
        /// The numbers of positions in a numbering of the game.
        Numbered = 5, "numbered";
    }
}

impl Codec {
    /// Whether codes are 64-bit folded keys, from which positions cannot be had back.
    #[must_use]
    pub const fn is_folded(self) -> bool {
        matches!(self, Self::Folded | Self::ExactFolded)
    }
}

byte_enum! {
    /// What the value column holds.
    ValueKind, "value column" {
        /// There is none.
        None = 0, "none";
        /// 32-bit floating point.
        F32 = 1, "f32";
        /// 64-bit floating point.
        F64 = 2, "f64";
        /// A chance from 0 to 1 as a 32-bit fraction of 2³² - 1.
        Chance32 = 3, "chance32";
        /// A 64-bit number. Runs of a generation use it; finished tables do not.
        U64 = 4, "u64";
        /// A chance from 0 to 1 as a 16-bit fraction of 2¹⁶ - 1.
        Chance16 = 5, "chance16";
        /// A chance from 0 to 1 as a 24-bit fraction of 2²⁴ - 1.
        Chance24 = 6, "chance24";
    }
}

impl ValueKind {
    /// Bytes of one value.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::None => 0,
            Self::Chance16 => 2,
            Self::Chance24 => 3,
            Self::F32 | Self::Chance32 => 4,
            Self::F64 | Self::U64 => 8,
        }
    }

    /// How many digits of its values mean something.
    #[must_use]
    pub const fn precision(self) -> Precision {
        match self {
            Self::F32 => Precision::Single,
            Self::Chance16 => Precision::Fixed(5),
            Self::Chance24 => Precision::Fixed(8),
            Self::Chance32 => Precision::Fixed(10),
            Self::None | Self::F64 | Self::U64 => Precision::Double,
        }
    }

    /// A number as the column holds it, as close as it can be.
    #[must_use]
    pub fn encode(self, number: f64) -> u64 {
        match self {
            Self::None | Self::U64 => 0,
            Self::F32 => u64::from((number as f32).to_bits()),
            Self::F64 => number.to_bits(),
            Self::Chance16 | Self::Chance24 | Self::Chance32 => {
                (number * self.certainty()).round() as u64
            }
        }
    }

    /// A chance as a column of chances holds it where nothing else tells what is impossible and what
    /// is certain: 0 and the largest number stand for exactly these, and whatever lies between them
    /// for a number between them.
    #[must_use]
    pub fn encode_chance(self, chance: f64) -> u64 {
        let between = |bits: u64| bits.clamp(1, self.certainty() as u64 - 1);
        match self {
            Self::Chance16 | Self::Chance24 | Self::Chance32 if chance > 0.0 && chance < 1.0 => {
                between(self.encode(chance))
            }
            _ => self.encode(chance.min(1.0)),
        }
    }

    /// Whether it holds chances only, as fractions.
    #[must_use]
    pub const fn is_chance(self) -> bool {
        matches!(self, Self::Chance16 | Self::Chance24 | Self::Chance32)
    }

    /// The number that stands for a chance of 1.
    const fn certainty(self) -> f64 {
        (u64::MAX >> (64 - 8 * self.bytes())) as f64
    }

    /// The number that the column's bits stand for, 0 where there is none.
    #[must_use]
    pub fn decode(self, bits: u64) -> f64 {
        match self {
            Self::None | Self::U64 => 0.0,
            Self::F32 => f32::from_bits(bits as u32).into(),
            Self::F64 => f64::from_bits(bits),
            Self::Chance16 | Self::Chance24 | Self::Chance32 => bits as f64 / self.certainty(),
        }
    }
}

byte_enum! {
    /// How blocks are stored.
    Compression, "compression" {
        /// Plain columns, read in place.
        None = 0, "none";
        /// Delta-coded keys, then zstd.
        Zstd = 1, "zstd";
        /// Codes after Elias and Fano, values as they are: read in place.
        Packed = 2, "packed";
    }
}

byte_enum! {
    /// What a table stores of its positions.
    Kind, "kind of table" {
        /// A code for each, in ascending order.
        Keyed = 0, "keyed";
        /// Nothing: all positions of a layer are there, each at the place that its game's index
        /// gives it.
        Dense = 1, "dense";
    }
}

/// What a table says of itself, apart from counts: the part that its maker chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The game, and how the table was made.
    pub recipe: Recipe,
    /// The rules, in the game's own words.
    pub rules: String,
    /// How positions became codes.
    pub codec: Codec,
    /// Bytes of the key in the logical record.
    pub key_bytes: u8,
    /// How a record's meta is laid out.
    pub layout: Layout,
    /// What the value column holds.
    pub value: ValueKind,
    /// How blocks are stored.
    pub compression: Compression,
    /// Name and version of the program that made it.
    pub generator: String,
    /// The licence of the data.
    pub licence: String,
}

impl Description {
    /// The licence of tables that this program makes: they are facts.
    pub const LICENCE: &'static str = "CC0-1.0";

    /// This program and its version.
    #[must_use]
    pub fn this_generator() -> String {
        concat!("endtable ", env!("CARGO_PKG_VERSION")).into()
    }

    /// The game's name.
    #[must_use]
    pub fn game(&self) -> &str {
        &self.recipe.game
    }

    /// Bytes of a logical record: key, meta, value.
    #[must_use]
    pub const fn record_bytes(&self) -> u64 {
        self.key_bytes as u64 + self.layout.bytes() as u64 + self.value.bytes() as u64
    }

    /// The header's text: a line for each entry.
    pub(crate) fn text(&self) -> String {
        lines(self).into_iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
    }

    /// The recipe that such a text tells.
    pub(crate) fn parse_recipe(text: &str, path: &Path) -> Result<Recipe, TableError> {
        Ok(parse_text(text, path)?.0)
    }

    /// Checks that a header can hold it, so that what is written can be read.
    pub(super) fn check(&self, path: &Path) -> Result<(), TableError> {
        let lines = lines(self);
        for (name, value) in &lines {
            if name.contains(char::is_control) || value.contains(char::is_control) {
                return Err(inconsistent(path, format!("the {name} {value:?} is not one line")));
            }
        }
        let length = Header::length(self);
        if length > MAX_HEADER {
            return Err(inconsistent(
                path,
                format!("the header would be {length} bytes long, {MAX_HEADER} are the most"),
            ));
        }
        Ok(())
    }
}

/// The whole header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the maker chose.
    pub description: Description,
    /// What is stored of the positions.
    pub kind: Kind,
    /// In dense tables, which layer of the game it is; 0 in others.
    pub layer: u8,
    /// How many records there are.
    pub records: u64,
    /// How many blocks.
    pub blocks: u64,
    /// Records in each block but the last.
    pub block_records: u32,
    /// Where the index begins.
    pub index_offset: u64,
    /// How long the file is.
    pub file_length: u64,
    /// How long the header is: where the blocks begin.
    pub header_length: u32,
}

impl Header {
    /// How many bytes [`encode`](Self::encode) gives: all but counts decide it.
    pub(super) fn length(description: &Description) -> usize {
        (FIXED_HEADER + description.text().len()).next_multiple_of(8) + 8
    }

    /// Refuses a table of another kind.
    pub(super) fn expect(&self, expected: Kind, path: &Path) -> Result<(), TableError> {
        let found = self.kind;
        if found == expected {
            return Ok(());
        }
        Err(TableError::WrongKind { path: path.into(), expected, found })
    }

    /// The header as bytes, its checksum last.
    pub(super) fn encode(&self) -> Vec<u8> {
        let text = self.description.text();
        let length = Self::length(&self.description);
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([self.kind as u8, 0]);
        bytes.extend((length as u32).to_le_bytes());
        bytes.extend(0u64.to_le_bytes());
        let description = &self.description;
        let [result_bits, move_bits, plies_bits] = description.layout.bits();
        bytes.extend([
            description.codec as u8,
            description.value as u8,
            description.compression as u8,
            description.key_bytes,
            self.layer,
            result_bits,
            move_bits,
            plies_bits,
        ]);
        bytes.extend(self.records.to_le_bytes());
        bytes.extend(self.blocks.to_le_bytes());
        bytes.extend(self.block_records.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(self.index_offset.to_le_bytes());
        bytes.extend(self.file_length.to_le_bytes());
        bytes.extend([0; 8]);
        debug_assert_eq!(bytes.len(), FIXED_HEADER);
        bytes.extend(text.as_bytes());
        bytes.resize(length - 8, 0);
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a header from the beginning of a file.
    pub(super) fn decode(file: &[u8], path: &Path) -> Result<Self, TableError> {
        let not_a_table = || TableError::NotATable { path: path.into() };
        let magic = file.first_chunk().ok_or_else(not_a_table)?;
        if magic == &[0; 8] && file.len() >= FIXED_HEADER {
            return Err(TableError::Unfinished { path: path.into() });
        }
        if magic != &MAGIC {
            return Err(not_a_table());
        }
        let field = Fields { bytes: file, path };
        let version = field.u16(8)?;
        if version != VERSION {
            return Err(TableError::Version {
                path: path.into(),
                expected: VERSION,
                found: version,
            });
        }
        let length = field.u32(12)? as usize;
        let sane = (FIXED_HEADER + 8..=MAX_HEADER).contains(&length) && length.is_multiple_of(8);
        let bytes = sane
            .then(|| file.get(..length))
            .flatten()
            .ok_or_else(|| inconsistent(path, format!("a header of {length} bytes cannot be")))?;
        check(&bytes[..length - 8], field.u64(length - 8)?, "header", path)?;
        let features = field.u64(16)?;
        if features != 0 {
            return Err(TableError::Unknown {
                path: path.into(),
                what: "feature",
                found: features,
            });
        }
        let text_end = FIXED_HEADER.saturating_add(field.u32(52)? as usize);
        if text_end.checked_next_multiple_of(8) != Some(length - 8) {
            return Err(inconsistent(path, "the length of the header's text is wrong"));
        }
        let text = std::str::from_utf8(&bytes[FIXED_HEADER..text_end]);
        let text = text.map_err(|_| inconsistent(path, "the header's text is not UTF-8"))?;
        let (recipe, [rules, generator, licence]) = parse_text(text, path)?;
        let kind = Kind::from_byte(bytes[10], path)?;
        if bytes[11] != 0 {
            let found = u64::from(field.u16(10)?);
            return Err(TableError::Unknown { path: path.into(), what: "kind of table", found });
        }
        let layout = Layout::from_bits([bytes[29], bytes[30], bytes[31]]);
        let layout = layout.filter(|&layout| layout.is_dense() == (kind == Kind::Dense));
        let layout = layout.ok_or_else(|| TableError::Unknown {
            path: path.into(),
            what: "layout of records",
            found: u64::from_be_bytes([0, 0, 0, 0, 0, bytes[29], bytes[30], bytes[31]]),
        })?;
        let key_bytes = bytes[27];
        if !matches!(key_bytes, 8 | 16) {
            return Err(inconsistent(path, format!("keys of {key_bytes} bytes cannot be")));
        }
        let codec = Codec::from_byte(bytes[24], path)?;
        let value = ValueKind::from_byte(bytes[25], path)?;
        let compression = Compression::from_byte(bytes[26], path)?;
        let dense = (Codec::Canonical, ValueKind::None, Compression::Zstd);
        if kind == Kind::Dense && (codec, value, compression) != dense {
            return Err(inconsistent(path, "a dense table is canonical, without values, and zstd"));
        }
        Ok(Self {
            description: Description {
                recipe,
                rules,
                codec,
                key_bytes,
                layout,
                value,
                compression,
                generator,
                licence,
            },
            kind,
            layer: bytes[28],
            records: field.u64(32)?,
            blocks: field.u64(40)?,
            block_records: field.u32(48)?,
            index_offset: field.u64(56)?,
            file_length: field.u64(64)?,
            header_length: length as u32,
        })
    }
}

/// The entries of the header's text: names and values.
fn lines(description: &Description) -> Vec<(String, String)> {
    let Description { recipe, rules, generator, licence, .. } = description;
    let mut lines: Vec<(String, String)> =
        [("game", &recipe.game), ("rules", rules), ("generator", generator), ("licence", licence)]
            .map(|(name, value)| (name.into(), value.clone()))
            .into();
    lines.extend(recipe.merged.map(|merged| ("merged".into(), merged.to_string())));
    lines.extend(recipe.position.clone().map(|position| ("position".into(), position)));
    let option = |(name, value): (&str, Option<&str>)| {
        (format!("{OPTION}{name}"), value.unwrap_or_default().into())
    };
    lines.extend(recipe.options.iter().map(option));
    lines
}

/// Before the name of an option in the header's text.
const OPTION: &str = "option ";

/// The recipe, the rules, the generator and the licence that a header's text tells. Names that are
/// not known are passed over.
fn parse_text(text: &str, path: &Path) -> Result<(Recipe, [String; 3]), TableError> {
    let entries = entries(text).map_err(|what| {
        inconsistent(path, format!("the header's text is not as it should be: {what}"))
    })?;
    let entry = |name: &str| entries.iter().find(|(it, _)| *it == name).map(|(_, value)| *value);
    let needed = |name: &str| {
        let value = entry(name).filter(|value| !value.is_empty());
        value.ok_or_else(|| inconsistent(path, format!("the header does not name the {name}")))
    };
    let mut recipe = Recipe::new(needed("game")?, Options::default());
    if let Some(merged) = entry("merged") {
        let digits = merged.bytes().all(|byte| byte.is_ascii_digit());
        let count = digits.then(|| merged.parse().ok()).flatten();
        let wrong = || inconsistent(path, format!("{merged:?} is no number of merged tables"));
        recipe.merged = Some(count.ok_or_else(wrong)?);
    }
    recipe.position = entry("position").map(str::to_owned);
    for (name, value) in &entries {
        if let Some(name) = name.strip_prefix(OPTION) {
            let options = recipe.options;
            recipe.options = match *value {
                "" => options.with_switch(name),
                value => options.with(name, value),
            };
        }
    }
    let rest = [
        needed("rules")?,
        entry("generator").unwrap_or_default(),
        entry("licence").unwrap_or_default(),
    ];
    Ok((recipe, rest.map(str::to_owned)))
}

/// The lines of a header's text, each a name and a value; what is wrong with it if they are not. What
/// is shown of it is escaped: control characters are not for a terminal.
fn entries(text: &str) -> Result<Vec<(&str, &str)>, String> {
    if !text.is_empty() && !text.ends_with('\n') {
        return Err("its last line has no end".into());
    }
    let mut entries: Vec<(&str, &str)> = Vec::new();
    let mut names = HashSet::new();
    for line in text.split_terminator('\n') {
        let entry = line.split_once(": ").filter(|_| !line.contains(char::is_control));
        let entry = entry.ok_or_else(|| format!("{line:?} is not a name and a value"))?;
        if !names.insert(entry.0) {
            return Err(format!("{:?} is there twice", entry.0));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// What the index says of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexEntry {
    pub first_code: u64,
    pub offset: u64,
    pub length: u32,
    pub records: u32,
    pub checksum: u64,
}

impl IndexEntry {
    pub fn encode(&self) -> [u8; INDEX_ENTRY] {
        let mut bytes = [0; INDEX_ENTRY];
        bytes[..8].copy_from_slice(&self.first_code.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.offset.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.length.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.records.to_le_bytes());
        bytes[24..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    pub fn decode(bytes: &[u8; INDEX_ENTRY]) -> Self {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        Self {
            first_code: word(0),
            offset: word(8),
            length: word(16) as u32,
            records: (word(16) >> 32) as u32,
            checksum: word(24),
        }
    }
}

/// The footer: the index's checksum, where it begins, how long the file is, the end mark.
pub(super) fn encode_footer(index: &[u8], index_offset: u64, file_length: u64) -> [u8; FOOTER] {
    let mut bytes = [0; FOOTER];
    bytes[..8].copy_from_slice(&xxh3_64(index).to_le_bytes());
    bytes[8..16].copy_from_slice(&index_offset.to_le_bytes());
    bytes[16..24].copy_from_slice(&file_length.to_le_bytes());
    bytes[24..].copy_from_slice(&END_MAGIC);
    bytes
}

/// Little-endian numbers at places in a file.
pub(super) struct Fields<'a> {
    pub bytes: &'a [u8],
    pub path: &'a Path,
}

impl Fields<'_> {
    fn array<const N: usize>(&self, at: usize) -> Result<[u8; N], TableError> {
        let bytes = self.bytes.get(at..).and_then(|rest| rest.first_chunk());
        bytes.copied().ok_or_else(|| inconsistent(self.path, "the file is too short"))
    }

    pub fn u16(&self, at: usize) -> Result<u16, TableError> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub fn u32(&self, at: usize) -> Result<u32, TableError> {
        self.array(at).map(u32::from_le_bytes)
    }

    pub fn u64(&self, at: usize) -> Result<u64, TableError> {
        self.array(at).map(u64::from_le_bytes)
    }
}

/// Compares a part of the file with its checksum.
pub(super) fn check(
    bytes: &[u8],
    expected: u64,
    part: &'static str,
    path: &Path,
) -> Result<(), TableError> {
    let found = xxh3_64(bytes);
    if found == expected {
        return Ok(());
    }
    Err(TableError::PartChecksum { path: path.into(), part, expected, found })
}

pub(super) fn inconsistent(path: &Path, what: impl Into<String>) -> TableError {
    TableError::Inconsistent { path: path.into(), what: what.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_impossible_and_the_certain_are_stored_as_such() {
        for kind in [ValueKind::Chance16, ValueKind::Chance24, ValueKind::Chance32] {
            let certain = (1u64 << (8 * kind.bytes())) - 1;
            let stored = |chance| kind.encode_chance(chance);
            assert_eq!((stored(0.0), stored(1.0), stored(1.0 + 1e-9)), (0, certain, certain));
            assert_eq!((stored(1e-30), stored(1.0 - f64::EPSILON)), (1, certain - 1));
            assert_eq!((kind.decode(0), kind.decode(certain)), (0.0, 1.0));
            for number in [1, 2, certain / 3, certain - 2, certain - 1] {
                assert_eq!(stored(kind.decode(number)), number, "{kind}");
                assert_eq!(kind.encode(kind.decode(number)), number, "{kind}");
            }
        }
        assert_eq!(ValueKind::Chance24.encode(0.5), 1 << 23);
        assert_eq!(ValueKind::F64.encode_chance(0.25), 0.25f64.to_bits());
    }
}
