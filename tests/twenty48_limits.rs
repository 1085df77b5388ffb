//! What ends a search of 2048 boards: depth, the cut-off of what is unlikely, time, the end of the
//! game.

mod harness;

use std::time::{Duration, Instant};

use endtable::games::twenty48::{Board, Choice, Limit, PlayedGame, Settings, Size};
use harness::search::{answer, boards_of_games, exact, heuristic, search, settings};

/// What the usual cut-off changes at depth 3, on the first boards of a game: values by a small
/// share, and hardly ever the best move. A score within four moves is a small number, so
/// that little is much of it. `strong` leaves moves out as well, which changes more of both; what counts
/// is that the moves it chooses instead are worth nearly as much.
#[test]
fn the_cut_off_changes_little() {
    const BOARDS: u32 = 300;
    for (name, most, others) in
        [("edges", 0.0005, 1), ("sum", 0.001, 1), ("score", 0.02, 1), ("strong", 0.004, 6)]
    {
        let heuristic = heuristic(name);
        let cut = search(&settings(&heuristic, Size::FULL, 3));
        let exact = search(&exact(&heuristic, Size::FULL, 3));
        let (mut difference, mut same, mut evaluated) = (0.0f64, 0, [0; 2]);
        let (mut lost, mut all_lost) = (0.0f64, 0.0);
        let mut game = PlayedGame::new(5, Size::FULL);
        for _ in 0..BOARDS {
            let choice = cut.best(game.board()).expect("the game is not over yet");
            let expected = exact.best(game.board()).expect("the game is not over yet");
            for (found, value) in choice.moves.into_iter().zip(expected.moves) {
                assert_eq!(found.is_some(), value.is_some());
                let (found, value) = (found.unwrap_or(0.0), value.unwrap_or(0.0));
                difference = difference.max((found - value).abs() / value.max(1.0));
            }
            let chosen = expected.moves[choice.direction as usize].expect("a legal move");
            let loss = (expected.value - chosen) / expected.value.max(1.0);
            lost = lost.max(loss);
            all_lost += loss;
            same += u32::from(choice.direction == expected.direction);
            evaluated[0] += choice.evaluated;
            evaluated[1] += expected.evaluated;
            game.play(choice.direction);
        }
        let [with, without] = evaluated;
        println!(
            "{name}: values differ by at most {difference:.2e}, moves lose at most {lost:.2e}, all of \
             them {all_lost:.2e}, the best move is the same on {same} of {BOARDS} boards, {with} \
             positions instead of {without}"
        );
        let measured = if name == "strong" { lost } else { difference };
        assert!(measured < most, "{name}: {measured}");
        assert!(same + others >= BOARDS, "{name}: {same}");
        assert!(with < without, "{name}: {evaluated:?}");
    }
}

/// Once the cut-off ends every way, to go deeper is to do the same again: the time goes into ways that
/// are less likely.
#[test]
fn time_that_is_left_lowers_the_cut_off() {
    let settings = |limit| Settings { limit, cut_off: 0.2, ..Settings::default() };
    let board = Board::parse("5869022210000000", Size::FULL).unwrap();
    let timed = search(&settings(Limit::Time(Duration::from_millis(200))));
    let found = timed.best(board).unwrap();
    assert!(found.cut_off < 0.1, "{found:?}");
    let deep = search(&settings(Limit::Depth(40))).best(board).unwrap();
    assert!((deep.cut_off - 0.2).abs() < 0.01 && deep.evaluated < found.evaluated, "{deep:?}");
    // A game that can be searched to its end is not searched again and again.
    let limit = Limit::Time(Duration::from_secs(100));
    let small = Settings {
        size: "2x2".parse().unwrap(),
        heuristic: heuristic("score"),
        limit,
        cut_off: 0.0,
        ..Settings::default()
    };
    let begun = Instant::now();
    let board = Board::parse("16,4/2,0", small.size).unwrap();
    assert!(search(&small).best(board).is_some());
    assert!(begun.elapsed() < Duration::from_secs(50));
}

#[test]
fn a_time_limit_gives_what_a_search_to_the_depth_reached_gives() {
    let mut compared = 0;
    for time in [0, 1, 10] {
        let limit = Limit::Time(Duration::from_millis(time));
        let timed = search(&Settings { limit, ..Settings::default() });
        for board in boards_of_games().iter().copied().step_by(5) {
            let begun = Instant::now();
            let choice = timed.best(board);
            // Far more than the limit: a busy machine is no failure.
            assert!(begun.elapsed() < Duration::from_secs(5));
            assert_eq!(choice.is_none(), board.is_over(Size::FULL));
            let Some(choice @ Choice { depth, cut_off, .. }) = choice else { continue };
            assert!(depth >= 1 && board.slide(choice.direction, Size::FULL).is_some());
            if depth < 6 {
                let limit = Limit::Depth(depth);
                let same = search(&Settings { limit, cut_off, ..Settings::default() });
                assert_eq!(answer(Some(choice)), answer(same.best(board)));
                compared += 1;
            }
        }
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn a_game_that_is_over_gives_no_choice() {
    let over = Board::parse("2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2", Size::FULL).unwrap();
    for limit in [Limit::Depth(3), Limit::Adaptive, Limit::Time(Duration::from_millis(5))] {
        let search = search(&Settings { limit, ..Settings::default() });
        assert_eq!(search.best(over), None);
        assert_eq!(search.best(Board(0)), None);
    }
}
