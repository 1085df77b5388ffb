//! Games of 2048: a seed and the moves tell all of a game, and one line of text holds both.

mod harness;

use endtable::games::twenty48::{Direction, PlayedGame, Record, RecordError, Size};
use endtable::random::mix;
use harness::search::{heuristic, search, settings};

#[test]
fn a_seed_gives_the_same_game_and_its_record_replays_it() {
    let hash = |game: &PlayedGame| {
        game.record().moves.iter().fold(game.score().into(), |hash, &it| mix(hash ^ it as u64))
    };
    let mut found = Vec::new();
    for (name, size) in [("edges", "4x4"), ("sum", "4x4"), ("score", "3x4"), ("strong", "4x4")] {
        let size: Size = size.parse().unwrap();
        let search = search(&settings(&heuristic(name), size, 2));
        let mut game = PlayedGame::new(2048, size);
        while let Some(choice) = search.best(game.board()) {
            assert!(game.play(choice.direction));
        }
        assert!(game.board().is_over(size));
        let text = game.record().to_string();
        let again = text.parse::<Record>().unwrap().replay().unwrap();
        assert_eq!((again.board(), again.score()), (game.board(), game.score()));
        assert_eq!(again.record(), game.record());
        found.push((game.score(), game.record().moves.len(), hash(&game)));
    }
    let expected = [
        (35_328, 1_799, 2_302_868_587_153_848_220),
        (14_408, 833, 18_264_765_559_910_576_869),
        (3_076, 247, 14_364_809_525_319_670_727),
        // Other weights, another game.
        (289_436, 11_090, 17_680_572_790_785_233_872),
    ];
    assert_eq!(found, expected);
}

#[test]
fn bad_records_are_refused() {
    for text in ["", "4x4", "4x4 x uu", "4x4 1 uxu", "4x4 1 u u"] {
        assert_eq!(text.parse::<Record>(), Err(RecordError::Text(text.into())));
    }
    assert!(matches!("5x5 1 u".parse::<Record>(), Err(RecordError::Size(_))));
    // A board that has just slid up, and got one tile, cannot slide up forever.
    let stuck = format!("2x2 1 {}", "u".repeat(100)).parse::<Record>().unwrap().replay();
    assert!(matches!(stuck, Err(RecordError::Stuck { direction: Direction::Up, .. })), "{stuck:?}");
}
