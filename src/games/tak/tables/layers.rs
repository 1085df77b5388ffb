//! The files of a set of tables: one for each number of stones on the board, in a folder.

use std::path::{Path, PathBuf};

use crate::games::tak::dense::{MOST_STONES, Numbering};
use crate::games::tak::size::for_size;
use crate::games::tak::{Komi, Reserve, Rules, Tak};
use crate::games::{Game, GameError};
use crate::table::{
    Codec, Compression, DENSE_EXTENSION, DenseTable, Description, Header, Layout, Options, Recipe,
    TableError, ValueKind, set_in,
};

/// A game so small that all of its positions fit tables: the size of the board, and the flats that each
/// player has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallGame {
    /// Squares an edge, 3 to 5.
    pub size: u8,
    /// Flats of each player.
    pub flats: u8,
}

/// By size, the most flats of which tables are made.
const MOST_FLATS: [(u8, u8); 3] = [(3, 8), (4, 5), (5, 4)];
const _: () = assert!(2 * (MOST_FLATS[0].1 as usize - 1) <= MOST_STONES);

impl SmallGame {
    /// The game that options ask for.
    ///
    /// # Errors
    /// When there are no tables of it.
    pub fn from_options(options: &Options) -> Result<Self, GameError> {
        let needed = |name: &str| {
            let value = options.parse::<u8>(name)?;
            value.ok_or_else(|| GameError::Unsupported(format!("tables need --{name}")))
        };
        let (size, flats) = (needed("size")?, needed("flats")?);
        let Some((_, most)) = MOST_FLATS.into_iter().find(|&(it, _)| it == size) else {
            return Err(GameError::option("size", size, "there are tables of 3x3, 4x4 and 5x5"));
        };
        if !(2..=most).contains(&flats) {
            let reason = format!("on {size}x{size} there are tables of 2 to {most} flats");
            return Err(GameError::option("flats", flats, reason));
        }
        Ok(Self { size, flats })
    }

    /// How its tables are made.
    #[must_use]
    pub fn recipe(self) -> Recipe {
        let options = Options::default().with("size", self.size).with("flats", self.flats);
        Recipe::new(Tak.name(), options)
    }

    fn from_recipe(recipe: &Recipe, path: &Path) -> Result<Self, TableError> {
        let game = Self::from_options(&recipe.options).ok();
        game.filter(|game| game.recipe() == *recipe).ok_or_else(|| TableError::Inconsistent {
            path: path.into(),
            what: format!("not of tables of Tak, but made by `{recipe}`"),
        })
    }

    /// Its rules.
    #[must_use]
    pub fn rules(self) -> Rules {
        Rules { reserve: Reserve { flats: self.flats, caps: 0 }, komi: Komi::ZERO }
    }

    /// The same in words, as headers have it.
    #[must_use]
    pub fn text(self) -> String {
        format!("{0}x{0}, {1} flats", self.size, self.flats)
    }

    /// The layers, by the stones on the board: each after the one that it is solved from. Both players have
    /// a stone on the board and one in reserve.
    pub fn layers(self) -> impl Iterator<Item = u8> + Clone {
        (2..=2 * self.flats - 2).rev()
    }

    /// The numbering of a layer.
    #[must_use]
    pub fn numbering(self, stones: u8) -> Numbering {
        Numbering::new(self.size.into(), self.flats.into(), stones.into())
    }

    /// What a layer's file says of itself.
    #[must_use]
    pub fn description(self) -> Description {
        // Turn, walls and heights take a bit and two a square, stones a bit each.
        let key_bits = 1 + 2 * u32::from(self.size).pow(2) + 4 * u32::from(self.flats);
        Description {
            recipe: self.recipe(),
            rules: self.text(),
            codec: Codec::Canonical,
            key_bytes: if key_bits <= 64 { 8 } else { 16 },
            layout: Layout::ByteEntry,
            value: ValueKind::None,
            compression: Compression::Zstd,
            generator: Description::this_generator(),
            licence: Description::LICENCE.into(),
        }
    }

    /// The name of a layer's file.
    #[must_use]
    pub fn file_name(stones: u8) -> String {
        format!("tak-{stones:02}.{DENSE_EXTENSION}")
    }
}

/// A layer that is there.
#[derive(Debug)]
pub struct LayerTable {
    /// How many stones are on the board.
    pub stones: u8,
    /// How its positions are numbered.
    pub numbering: Numbering,
    /// What is known of them.
    pub table: DenseTable,
}

impl LayerTable {
    /// The position of a number with White to move, as text; `None` if no position has it.
    #[must_use]
    pub fn text(&self, number: u64) -> Option<String> {
        for_size!(self.numbering.edge(), S => Some(self.numbering.board::<S>(number)?.to_string()))
    }

    /// Opens the table of a layer, of a game if one is named.
    ///
    /// # Errors
    /// When it is missing, damaged, or another's.
    pub fn open(path: &Path, expected: Option<SmallGame>) -> Result<(SmallGame, Self), TableError> {
        let table = DenseTable::open(path)?;
        let (game, stones, numbering) = layer_of(table.header(), path)?;
        match expected {
            Some(expected) if expected != game => Err(TableError::OtherRecipe {
                path: path.into(),
                expected: expected.recipe().into(),
                found: game.recipe().into(),
            }),
            _ => Ok((game, Self { stones, numbering, table })),
        }
    }
}

/// The layer whose table has this header.
pub fn layer_of(header: &Header, path: &Path) -> Result<(SmallGame, u8, Numbering), TableError> {
    let Header { description, layer, records, .. } = header;
    if description.game() != Tak.name() {
        return Err(TableError::Inconsistent {
            path: path.into(),
            what: format!("a table of {}, not of Tak", description.game()),
        });
    }
    let game = SmallGame::from_recipe(&description.recipe, path)?;
    let wrong = || TableError::Inconsistent {
        path: path.into(),
        what: format!(
            "no layer of Tak on {} has {layer} stones and {records} numbers, under the rules {:?}",
            game.text(),
            description.rules
        ),
    };
    let expected = game.description();
    let alike = (&description.rules, description.layout, description.key_bytes)
        == (&expected.rules, expected.layout, expected.key_bytes);
    if !alike || !game.layers().any(|stones| stones == *layer) {
        return Err(wrong());
    }
    let numbering = game.numbering(*layer);
    if numbering.numbers() != *records {
        return Err(wrong());
    }
    Ok((game, *layer, numbering))
}

/// The files of the layers in a folder, and of which game they are.
///
/// # Errors
/// When there are none, those of different games lie together, or one is missing.
pub fn files_of_folder(folder: &Path) -> Result<(SmallGame, Vec<PathBuf>), TableError> {
    let (path, recipe) = set_in(folder)?;
    let game = SmallGame::from_recipe(&recipe, &path)?;
    let files: Vec<PathBuf> =
        game.layers().map(|stones| folder.join(SmallGame::file_name(stones))).collect();
    if let Some(missing) = files.iter().find(|file| !file.exists()) {
        let name = format!("{}, of the set that `{recipe}` makes", missing.display());
        return Err(TableError::MissingTable { name });
    }
    Ok((game, files))
}
