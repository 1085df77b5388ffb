//! Questions about positions: from parameters, or from the object of a batch.

use endtable::games::{
    self, Answer, Detail, Game, GameError, OptionSpec, Position, Use, read_options,
};
use endtable::table::Options;

use super::opened::Opened;
use super::parameters::is_on;
use super::{Parameters, Problem, Site};

/// No form of a position is longer.
const LONGEST: usize = 1_000;

/// What every question may have beside the game's options.
const OWN: [&str; 7] = ["game", "position", "seed", "table", "moves", "move", "chance"];

/// What is asked, all but the position.
pub struct Question<'a> {
    site: &'a Site,
    /// The game.
    pub game: &'static dyn Game,
    /// The tables that are to answer, if they were named.
    pub tables: Option<&'a Opened>,
    /// The game's options.
    pub options: Options,
    /// Whether the moves are to be listed.
    pub moves: bool,
}

impl<'a> Question<'a> {
    /// Reads what is asked, with the options that the game has for some uses.
    ///
    /// # Errors
    /// Says what cannot be read.
    pub fn read(site: &'a Site, asked: &Parameters, uses: &[Use]) -> Result<Self, Problem> {
        let tables = asked.get("table").map(|number| named_tables(site, number)).transpose()?;
        let game = match (asked.get("game"), tables) {
            (Some(name), _) => games::by_name(name).ok_or_else(|| {
                let names = games::ALL.map(Game::name).join(", ");
                Problem::bad(format!("game={name}: expected one of {names}"))
            })?,
            (None, Some(tables)) => tables.game(),
            (None, None) => return Err(Problem::bad("name the game, as in game=NAME")),
        };
        if let Some(tables) = tables
            && tables.game().name() != game.name()
        {
            let (number, own) = (tables.number, tables.game().name());
            return Err(Problem::bad(format!("table={number}: these tables are of {own}")));
        }
        let options = options(game, uses, asked)?;
        let spawns = options.has("spawns");
        let moves = asked.switch("moves")? || spawns;
        if moves && let Some(name) = refused_with_moves(game, uses, &options) {
            return Err(Problem::bad(format!("{name} does not go with moves")));
        }
        Ok(Self { site, game, tables, options, moves })
    }

    /// How much has to be found out. An object lists every best move, so that all must be known.
    pub fn detail(&self) -> Detail {
        if self.options.has("spawns") { Detail::Chances } else { Detail::Moves }
    }

    /// Reads a position: as the tables have it that were named, else as the game does.
    ///
    /// # Errors
    /// When it is none.
    pub fn position(&self, text: &str) -> Result<Box<dyn Position>, GameError> {
        if text.len() > LONGEST {
            let reason = format!("expected a position, found more than {LONGEST} bytes");
            return Err(GameError::Position { text: String::new(), reason });
        }
        match self.tables {
            Some(tables) => tables.position(text.trim(), &self.options),
            None => self.game.position(text.trim(), &self.options),
        }
    }

    /// What the tables say that were named, else the first that have the position; and which they are.
    ///
    /// # Errors
    /// When tables are damaged where the answer would be, or have changed; when it is not a position of
    /// those that were named.
    pub fn probe(
        &self,
        position: &dyn Position,
    ) -> Result<Option<(Answer, &'a Opened)>, GameError> {
        match self.tables {
            Some(tables) => {
                let found = tables.probe(position, self.detail())?;
                Ok(found.map(|answer| (answer, tables)))
            }
            None => self.site.probe(self.game, position, self.detail()),
        }
    }

    /// The position that the parameters name, or the deal of their seed.
    ///
    /// # Errors
    /// When there is none, or two.
    pub fn named_position(&self, asked: &Parameters) -> Result<Box<dyn Position>, Problem> {
        let has_seeds = self.game.options(Use::Position).iter().any(|spec| spec.name == "seed");
        match (asked.get("position"), asked.get("seed").filter(|_| has_seeds)) {
            (Some(_), Some(_)) => Err(Problem::bad("give a position or a seed, not both")),
            (Some(text), None) | (None, Some(text)) => Ok(self.position(text)?),
            (None, None) => Err(Problem::bad("give a position, as in position=TEXT")),
        }
    }
}

/// The tables that are to answer, by their number.
///
/// # Errors
/// When there are none of this number.
pub fn named_tables<'a>(site: &'a Site, number: &str) -> Result<&'a Opened, Problem> {
    let missing = || Problem::not_found(format!("table={number}: no tables of this number"));
    site.numbered(number).map(|opened| &**opened).ok_or_else(missing)
}

/// The game's options among parameters. What names a file is not taken from a request.
///
/// # Errors
/// When one is not the game's, has a value that it cannot have, or does not go with the others.
pub fn options(
    game: &'static dyn Game,
    uses: &[Use],
    asked: &Parameters,
) -> Result<Options, Problem> {
    let specs = || uses.iter().flat_map(|&of| game.options(of));
    let mut entries = Vec::new();
    for (name, value) in asked.iter().filter(|(name, _)| !OWN.contains(name)) {
        match specs().find(|spec| spec.name == name) {
            Some(OptionSpec { path: true, .. }) => {
                let sentence = format!("{name}: names a file, and none is opened on request");
                return Err(Problem::bad(sentence));
            }
            Some(OptionSpec { value: None, .. }) if !is_on(name, value)? => {}
            Some(OptionSpec { value: None, .. }) => entries.push((name, None)),
            _ => entries.push((name, Some(value))),
        }
    }
    Ok(read_options(game, uses, entries)?)
}

/// An option that was given and does not go with moves.
fn refused_with_moves<'a>(game: &dyn Game, uses: &[Use], options: &'a Options) -> Option<&'a str> {
    let specs = || uses.iter().flat_map(|&of| game.options(of));
    let refuses =
        |name: &str| specs().any(|spec| spec.name == name && spec.conflicts.contains(&"moves"));
    options.iter().map(|(name, _)| name).find(|name| refuses(name))
}
