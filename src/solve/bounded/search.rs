//! The search for one bounded proof.

use rayon::prelude::*;

use super::memory::Memory;
use super::{Duel, Outlook, Turn, Width};
use crate::solve::Limits;

/// A search was stopped before it was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// A search for one attacker, with what it remembers from one question to the next.
pub struct Search<'a, D: Duel> {
    duel: &'a D,
    narrow: Memory<D::Key, D::Move>,
    wide: Memory<D::Key, D::Move>,
    limits: Limits<'a>,
    /// Whether the moves of the position that is asked about are shared out among threads.
    parallel: bool,
}

impl<'a, D: Duel> Search<'a, D> {
    /// A search that may use about so many bytes of memory. With `parallel` it uses all threads of the
    /// rayon pool that it is called in.
    pub fn new(duel: &'a D, bytes: usize, limits: Limits<'a>, parallel: bool) -> Self {
        let (narrow, wide) = (Memory::new(bytes / 4), Memory::new(bytes / 4 * 3));
        Self { duel, narrow, wide, limits, parallel }
    }

    /// Whether the attacker, who is to move, wins within so many plies: by which move, the first that
    /// does in the order in which the game lists them, threats before others.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn winning_move(
        &self,
        position: &D::Position,
        plies: u8,
    ) -> Result<Option<D::Move>, Stopped> {
        let plies = self.duel.relevant_plies(position, plies, Turn::Attacker);
        for &width in widths(plies) {
            let mut moves = Vec::new();
            match self.duel.attack(position, plies, width, &mut moves) {
                Outlook::Wins => {
                    self.duel.moves(position, &mut moves);
                    return self.first(&moves, |mv| self.wins_by(position, *mv, plies));
                }
                Outlook::Fails if width == Width::All => return Ok(None),
                Outlook::Fails | Outlook::Open => {}
            }
            let found = self.first(&moves, |mv| self.beats(position, *mv, plies, width))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Whether a move of the attacker's wins within so many plies, itself among them.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn wins_by(&self, position: &D::Position, mv: D::Move, plies: u8) -> Result<bool, Stopped> {
        self.beats(position, mv, plies, Width::All)
    }

    /// Whether the attacker, who is to move, wins within so many plies.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn wins(&self, position: &D::Position, plies: u8) -> Result<bool, Stopped> {
        Worker::new(self).attack(position, plies)
    }

    /// Whether the attacker wins within so many plies though the defender is to move.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn wins_against(&self, position: &D::Position, plies: u8) -> Result<bool, Stopped> {
        let plies = self.duel.relevant_plies(position, plies, Turn::Defender);
        let mut moves = Vec::new();
        match self.duel.defend(position, plies, &mut moves) {
            Outlook::Wins => return Ok(true),
            Outlook::Fails => return Ok(false),
            Outlook::Open => {}
        }
        let holds = |mv: &D::Move| {
            let after = self.duel.play(position, *mv);
            Worker::new(self).attack(&after, plies - 1).map(|wins| !wins)
        };
        Ok(self.first(&moves, holds)?.is_none())
    }

    /// All legal moves of a position, in the game's order.
    #[must_use]
    pub fn moves(&self, position: &D::Position) -> Vec<D::Move> {
        let mut moves = Vec::new();
        self.duel.moves(position, &mut moves);
        moves
    }

    /// The position after a move.
    #[must_use]
    pub fn play(&self, position: &D::Position, mv: D::Move) -> D::Position {
        self.duel.play(position, mv)
    }

    fn beats(
        &self,
        position: &D::Position,
        mv: D::Move,
        plies: u8,
        width: Width,
    ) -> Result<bool, Stopped> {
        let after = self.duel.play(position, mv);
        Worker::new(self).defend(&after, plies - 1, width)
    }

    /// The first of some moves that a test takes. It is the same whatever the threads.
    fn first(
        &self,
        moves: &[D::Move],
        test: impl Fn(&D::Move) -> Result<bool, Stopped> + Sync,
    ) -> Result<Option<D::Move>, Stopped> {
        let tried = |mv: &D::Move| match test(mv) {
            Ok(true) => Some(Ok(*mv)),
            Ok(false) => None,
            Err(stopped) => Some(Err(stopped)),
        };
        if self.parallel {
            moves.par_iter().with_max_len(1).find_map_first(tried).transpose()
        } else {
            moves.iter().find_map(tried).transpose()
        }
    }
}

/// What is tried, one after the other. With few plies left threats are all that there is.
fn widths(plies: u8) -> &'static [Width] {
    if plies < 5 { &[Width::All] } else { &[Width::Threats, Width::All] }
}

/// How many replies are tried first because they have just held in a position like this.
const KILLERS: usize = 2;

/// What one thread needs to search.
struct Worker<'s, 'a, D: Duel> {
    search: &'s Search<'a, D>,
    /// One list for all plies: each uses its end.
    moves: Vec<D::Move>,
    /// By the plies left, the defender's moves that have just held.
    killers: Vec<[Option<D::Move>; KILLERS]>,
}

impl<'s, 'a, D: Duel> Worker<'s, 'a, D> {
    fn new(search: &'s Search<'a, D>) -> Self {
        Self { search, moves: Vec::new(), killers: vec![[None; KILLERS]; 256] }
    }

    /// Whether the attacker, who is to move, wins within so many plies.
    fn attack(&mut self, position: &D::Position, plies: u8) -> Result<bool, Stopped> {
        for &width in widths(plies) {
            if self.try_width(position, plies, width)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn try_width(
        &mut self,
        position: &D::Position,
        plies: u8,
        width: Width,
    ) -> Result<bool, Stopped> {
        let duel = self.search.duel;
        let plies = duel.relevant_plies(position, plies, Turn::Attacker);
        if plies == 0 {
            return Ok(duel.attack(position, 0, width, &mut self.moves) == Outlook::Wins);
        }
        if self.search.limits.reached() {
            return Err(Stopped);
        }
        let memory = match width {
            Width::Threats => &self.search.narrow,
            Width::All => &self.search.wide,
        };
        let key = duel.key(position);
        let known = memory.get(&key);
        if let Some(wins) = known.verdict(plies) {
            return Ok(wins);
        }
        let first = self.moves.len();
        let (wins, best) = match duel.attack(position, plies, width, &mut self.moves) {
            Outlook::Wins => (true, None),
            Outlook::Fails => (false, None),
            Outlook::Open => {
                self.try_first(first, known.best);
                let mut best = None;
                for number in first..self.moves.len() {
                    let mv = self.moves[number];
                    if self.defend(&duel.play(position, mv), plies - 1, width)? {
                        best = Some(mv);
                        break;
                    }
                }
                (best.is_some(), best)
            }
        };
        self.moves.truncate(first);
        memory.learn(key, plies, wins, best);
        Ok(wins)
    }

    /// Whether the attacker wins within so many plies though the defender is to move.
    fn defend(&mut self, position: &D::Position, plies: u8, width: Width) -> Result<bool, Stopped> {
        let duel = self.search.duel;
        let plies = duel.relevant_plies(position, plies, Turn::Defender);
        let first = self.moves.len();
        match duel.defend(position, plies, &mut self.moves) {
            Outlook::Wins => return Ok(true),
            Outlook::Fails => return Ok(false),
            Outlook::Open => {}
        }
        for killer in self.killers[usize::from(plies)].into_iter().rev() {
            self.try_first(first, killer);
        }
        for number in first..self.moves.len() {
            let mv = self.moves[number];
            let after = duel.play(position, mv);
            let wins = match width {
                Width::Threats => self.try_width(&after, plies - 1, width)?,
                Width::All => self.attack(&after, plies - 1)?,
            };
            if !wins {
                self.moves.truncate(first);
                let killers = &mut self.killers[usize::from(plies)];
                if killers[0] != Some(mv) {
                    *killers = [Some(mv), killers[0]];
                }
                return Ok(false);
            }
        }
        self.moves.truncate(first);
        Ok(true)
    }

    /// Moves a move to the front of the list that begins at `first`, if it is there.
    fn try_first(&mut self, first: usize, mv: Option<D::Move>) {
        let Some(mv) = mv else { return };
        let moves = &mut self.moves[first..];
        if let Some(place) = moves.iter().position(|there| *there == mv) {
            moves[..=place].rotate_right(1);
        }
    }
}
