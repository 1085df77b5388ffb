//! Boards of Collapsi to ask for.

use endtable::games::collapsi::{Board, Index, Layer, Symmetry};
use endtable::random::SplitMix64;

/// Random positions, each as likely as any other, turned by random symmetries.
pub fn random_boards(index: &Index, count: usize) -> Vec<Board> {
    let mut random = SplitMix64::new(1);
    let all: u64 = (Layer::FEWEST..=Layer::MOST).map(|cards| index.len(cards)).sum();
    let symmetries: Vec<Symmetry> = Symmetry::all().collect();
    let mut board = || {
        let mut number = random.below(all);
        let cards = (Layer::FEWEST..=Layer::MOST).find(|&cards| {
            let here = number < index.len(cards);
            number -= if here { 0 } else { index.len(cards) };
            here
        });
        let board = index.unrank(cards?, number)?;
        Some(board.image(symmetries[random.below(384) as usize]))
    };
    (0..count).filter_map(|_| board()).collect()
}
