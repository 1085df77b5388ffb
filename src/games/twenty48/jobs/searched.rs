//! Positions met in games of 2048 that a search plays, each with what the search found.

use super::Source;
use super::twenty48::meta;
use crate::games::twenty48::{Game, HeuristicError, Search, Settings};
use crate::solve::layered::Solved;
use crate::table::{Record, TableError, ValueKind};

/// The games of seeds, played by a search. Every position is searched in its canonical form, so
/// that one that comes up in several games has one answer.
#[derive(Clone)]
pub struct SearchedGames {
    first: u64,
    count: u64,
    settings: Settings,
}

impl SearchedGames {
    /// So many games from a first seed on, searched in this way.
    ///
    /// # Errors
    /// When such a search cannot be made.
    pub fn new(first: u64, count: u64, settings: Settings) -> Result<Self, HeuristicError> {
        Search::new(&settings)?;
        Ok(Self { first, count, settings })
    }
}

impl Source for SearchedGames {
    type State = Search;

    fn start(&self) -> Search {
        Search::new(&self.settings).expect("one has been made")
    }

    fn items(&self) -> u64 {
        self.count
    }

    fn solve(
        &self,
        search: &mut Search,
        item: u64,
        records: &mut Vec<Record>,
    ) -> Result<(), TableError> {
        let size = self.settings.size;
        let mut game = Game::new(self.first.wrapping_add(item), size);
        loop {
            let symmetry = game.board().to_canonical(size);
            let canonical = symmetry.board(game.board(), size);
            let choice = search.best(canonical);
            let value = choice.map_or(0.0, |choice| choice.value);
            let best = choice.map(|choice| choice.direction as u8);
            records.push(Record {
                code: canonical.code(size),
                meta: meta(&Solved { value, best }),
                value: ValueKind::F32.encode(value),
            });
            let Some(choice) = choice else { return Ok(()) };
            game.play(symmetry.direction_before(choice.direction));
        }
    }

    fn most_records(&self) -> usize {
        // A turn adds 2 at the least, and the nybbles end at two 32768s and less.
        1 << 16
    }
}
