//! The files of the complete tables: one for each layer, in a folder.

use std::path::{Path, PathBuf};

use super::decoder::INDEX;
use super::keyed::check_game;
use crate::games::collapsi::{Collapsi, Index, Layer, Rules};
use crate::games::{Game, GameError};
use crate::table::{
    Codec, Compression, DENSE_EXTENSION, DenseTable, Description, Header, Layout, Options, Recipe,
    TableError, ValueKind, files_in, read_header, set_in,
};

/// What the header of a layer says that is the same under both rules.
pub(in crate::games::collapsi) const BOTH_RULES: &str = "one and wild";

/// Which layers a set of complete tables has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerSet {
    /// The most cards, 2 to 16.
    pub cards: u8,
    /// Whether the layers with 4, 6, 8, 10 and 12 cards are left out.
    pub sparse: bool,
}

impl LayerSet {
    /// The set that options ask for.
    pub(in crate::games::collapsi) fn from_options(options: &Options) -> Result<Self, GameError> {
        let cards = options.parse("cards")?.unwrap_or(Layer::MOST);
        if !(Layer::FEWEST..=Layer::MOST).contains(&cards) {
            return Err(GameError::option("cards", cards, "there are 2 to 16"));
        }
        Ok(Self { cards, sparse: options.has("sparse") })
    }

    /// How such a set is made.
    #[must_use]
    pub fn recipe(self) -> Recipe {
        let options = Options::default().with_switch("complete").with("cards", self.cards);
        Recipe::new(Collapsi.name(), options.with_switch_if("sparse", self.sparse))
    }

    /// The set that a recipe makes.
    fn from_recipe(recipe: &Recipe) -> Option<Self> {
        let set = Self::from_options(&recipe.options).ok()?;
        (set.recipe() == *recipe).then_some(set)
    }

    /// The layers, those left out included, each after the one below it.
    pub fn layers(self) -> impl Iterator<Item = Layer> {
        Layer::all().filter(move |layer| layer.cards() <= self.cards)
    }

    /// Those that have files.
    pub fn with_files(self) -> impl Iterator<Item = Layer> {
        self.layers().filter(move |&layer| self.has_file(layer))
    }

    /// Whether a layer has a file.
    #[must_use]
    pub fn has_file(self, layer: Layer) -> bool {
        let left_out = self.sparse && matches!(layer.cards(), 4 | 6 | 8 | 10 | 12);
        layer.cards() <= self.cards && !left_out
    }

    /// What a layer's file says of itself.
    pub(in crate::games::collapsi) fn description(self, layer: Layer) -> Description {
        Description {
            recipe: self.recipe(),
            rules: layer.rules().map_or(BOTH_RULES, Rules::name).into(),
            codec: Codec::Canonical,
            key_bytes: 16,
            layout: Layout::Entry,
            value: ValueKind::None,
            compression: Compression::Zstd,
            generator: Description::this_generator(),
            licence: Description::LICENCE.into(),
        }
    }
}

/// The files of a set: a folder with all of them, or the files of some layers by themselves.
#[derive(Clone, Debug)]
pub struct CompleteSet {
    folder: PathBuf,
    layers: LayerSet,
    /// The files that were named one by one; none if all are meant.
    named: Vec<(Layer, PathBuf)>,
}

impl CompleteSet {
    /// The set that is or will be in a folder.
    pub(in crate::games::collapsi) fn new(folder: &Path, layers: LayerSet) -> Self {
        Self { folder: folder.into(), layers, named: Vec::new() }
    }

    /// The one layer whose table is this file, whatever its name.
    ///
    /// # Errors
    /// When there is no such file, or it is not the table of a layer.
    pub fn of_file(path: &Path) -> Result<Self, TableError> {
        let header = read_header(path)?;
        let layers = set_of(&header.description.recipe, path)?;
        let layer = layer_of(&header, path, &INDEX)?;
        let folder = path.parent().unwrap_or(path).into();
        Ok(Self { folder, layers, named: vec![(layer, path.into())] })
    }

    /// The layers whose tables are these files, whatever their names.
    ///
    /// # Errors
    /// When there is none, one is not the table of a layer, or they are of different sets.
    pub fn of_files(paths: &[impl AsRef<Path>]) -> Result<Self, TableError> {
        let missing = || TableError::MissingTable { name: "no path".into() };
        let first = paths.first().ok_or_else(missing)?.as_ref();
        let mut set = Self::of_file(first)?;
        for path in &paths[1..] {
            let path = path.as_ref();
            let other = Self::of_file(path)?;
            if other.layers != set.layers {
                return Err(TableError::Mixed {
                    paths: (first.into(), path.into()),
                    what: "the set they belong to",
                    first: set.layers.recipe().to_string(),
                    second: other.layers.recipe().to_string(),
                });
            }
            set.named.extend(other.named);
        }
        Ok(set)
    }

    /// The set that is in a folder, by what the tables there say of themselves. Whether all are
    /// there shows when they are opened.
    ///
    /// # Errors
    /// When there is none, or tables of different sets lie together.
    pub fn find(folder: &Path) -> Result<Self, TableError> {
        let (path, recipe) = set_in(folder)?;
        Ok(Self::new(folder, set_of(&recipe, &path)?))
    }

    /// Whether a folder has dense tables in it.
    #[must_use]
    pub fn is_in(folder: &Path) -> bool {
        files_in(folder, DENSE_EXTENSION).is_ok_and(|files| !files.is_empty())
    }

    /// Which layers the set has.
    #[must_use]
    pub fn layers(&self) -> LayerSet {
        self.layers
    }

    /// The one layer, if it is the file of one by itself.
    #[must_use]
    pub fn only(&self) -> Option<Layer> {
        if let [(layer, _)] = &self.named[..] { Some(*layer) } else { None }
    }

    /// Whether all files of the set are meant, and not only some that were named.
    pub(super) fn is_whole(&self) -> bool {
        self.named.is_empty()
    }

    /// The file of a layer.
    #[must_use]
    pub fn path(&self, layer: Layer) -> PathBuf {
        if let Some((_, path)) = self.named.iter().find(|(named, _)| *named == layer) {
            return path.clone();
        }
        let cards = layer.cards();
        self.folder.join(match layer.rules() {
            Some(rules) => format!("collapsi-{cards}-{rules}.{DENSE_EXTENSION}"),
            None => format!("collapsi-{cards:02}.{DENSE_EXTENSION}"),
        })
    }

    /// The table of a layer, `None` if the set leaves it out, or is another layer's by itself.
    ///
    /// # Errors
    /// When it should be there and is not, is damaged, or is that of another layer.
    pub fn open(&self, layer: Layer, index: &Index) -> Result<Option<DenseTable>, TableError> {
        let is_meant = self.is_whole() || self.named.iter().any(|(named, _)| *named == layer);
        if !self.layers.has_file(layer) || !is_meant {
            return Ok(None);
        }
        let path = self.path(layer);
        if !path.exists() {
            let name =
                format!("{}, of the set that `{}` makes", path.display(), self.layers.recipe());
            return Err(TableError::MissingTable { name });
        }
        let table = DenseTable::open(&path)?;
        let (header, expected) = (table.header(), self.layers.description(layer));
        let description = &header.description;
        if description.recipe != expected.recipe {
            return Err(TableError::OtherRecipe {
                path: self.folder.clone(),
                expected: expected.recipe.into(),
                found: description.recipe.clone().into(),
            });
        }
        let right = header.layer == layer.cards()
            && description.rules == expected.rules
            && header.records == index.len(layer.cards());
        if !right {
            return Err(TableError::Inconsistent {
                path,
                what: format!(
                    "the table of layer {} ({}) with {} positions under the name of layer {layer}",
                    header.layer, description.rules, header.records
                ),
            });
        }
        Ok(Some(table))
    }
}

/// The set that a recipe makes.
fn set_of(recipe: &Recipe, path: &Path) -> Result<LayerSet, TableError> {
    LayerSet::from_recipe(recipe).ok_or_else(|| TableError::Inconsistent {
        path: path.into(),
        what: format!("not of a complete set, but made by `{recipe}`"),
    })
}

/// The layer whose table has this header.
pub(super) fn layer_of(header: &Header, path: &Path, index: &Index) -> Result<Layer, TableError> {
    let Header { description, layer: cards, records, .. } = header;
    check_game(description, path)?;
    let layer = Layer::all().find(|layer| {
        let rules = layer.rules().map_or(BOTH_RULES, Rules::name);
        layer.cards() == *cards && description.rules == rules
    });
    let counted = layer.filter(|layer| index.len(layer.cards()) == *records);
    counted.ok_or_else(|| TableError::Inconsistent {
        path: path.into(),
        what: format!(
            "no layer of Collapsi has {cards} cards, the rules {:?} and {records} positions",
            description.rules
        ),
    })
}
