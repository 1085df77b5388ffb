//! Forced wins against a naive search, and against positions that others have solved.

mod twin;

use endtable::games::tak::{Board, Goal, Grid, Komi, Packed, Question, Reserve, Rules, size_of};
use endtable::random::SplitMix64;
use endtable::solve::bounded::Limits;
use endtable::value::{Value, Worth};
use rayon::prelude::*;
use twin::tak::random::some_move;
use twin::tak::search::{self as naive, worth};
use twin::tak::{Move, Position};

fn text(worth: &Worth) -> String {
    match worth {
        Worth::Unknown { .. } => "unknown".into(),
        other => other.to_string(),
    }
}

/// A position of a random game with few stones, so that roads and flats are both near.
fn random_position(random: &mut SplitMix64, size: usize) -> Position {
    loop {
        let (flats, caps) = (3 + random.below(7) as usize, random.below(2) as usize);
        let mut position = Position::new(size, flats, caps, random.below(5) as i32 - 2);
        for _ in 0..random.below(40) {
            if position.end().is_some() {
                break;
            }
            let moves = position.moves();
            position.play(some_move(random, &moves));
        }
        if position.end().is_none() {
            return position;
        }
    }
}

fn board_of<S: Packed>(position: &Position) -> Board<S> {
    let caps = |player: usize| {
        let tops = position.stacks.iter().filter_map(|stack| stack.last());
        let is_cap =
            |top: &&twin::tak::Stone| top.player == player && top.kind == twin::tak::Kind::Cap;
        position.caps[player] + tops.filter(is_cap).count()
    };
    let stones = position.stacks.iter().flatten().filter(|stone| stone.player == 1).count();
    let caps = caps(1);
    let flats = position.flats[1] + position.caps[1] + stones - caps;
    let reserve = Reserve { flats: flats as u8, caps: caps as u8 };
    let komi = Komi::from_half_points(position.half_komi as i8).unwrap();
    Board::from_tps(&position.tps(), Rules { reserve, komi }).unwrap()
}

/// Compares what a position and all its moves are worth, and gives the value.
fn compare<S: Packed>(position: &Position, plies: u8, goal: Goal) -> Worth {
    let board = board_of::<S>(position);
    let naive_goal = if goal == Goal::Road { naive::Goal::Road } else { naive::Goal::Any };
    let question = Question { goal, plies, parallel: false };
    let found = question.ask(&board, true, Limits::default());
    let tps = position.tps();
    let expected = worth(position, plies.into(), naive_goal);
    assert_eq!(text(&found.worth), expected, "{tps} within {plies} plies, {goal:?}");
    // Moves are searched as deep as it took to know the value.
    let searched = match expected.split_once(' ') {
        Some((_, plies)) => plies.parse().unwrap(),
        None => u32::from(plies),
    };
    let seen_before = |after: &str| match after.split_once(' ') {
        Some(("win", plies)) => format!("loss {}", plies.parse::<u32>().unwrap() + 1),
        Some((_, plies)) => format!("win {}", plies.parse::<u32>().unwrap() + 1),
        None => after.into(),
    };
    let values: Vec<(String, String)> = position
        .moves()
        .iter()
        .map(|mv: &Move| {
            let mut next = position.clone();
            next.play(mv);
            (position.ptn(mv), seen_before(&worth(&next, searched - 1, naive_goal)))
        })
        .collect();
    let mut moves: Vec<(String, String)> =
        found.moves.iter().map(|(mv, worth)| (mv.to_ptn::<S>(), text(worth))).collect();
    let mut expected_moves = values.clone();
    if !expected.starts_with("unknown") && expected != "draw" {
        let best = values.iter().filter(|(_, value)| *value == expected).map(|(mv, _)| mv.clone());
        let (mut best, mut listed): (Vec<String>, Vec<String>) =
            (best.collect(), found.best.iter().map(|mv| mv.to_ptn::<S>()).collect());
        best.sort();
        listed.sort();
        assert_eq!(listed, best, "the best moves of {tps}");
        // One move is enough where no more is asked for, and it is one of them.
        let one = question.ask(&board, false, Limits::default()).best[0].to_ptn::<S>();
        assert!(best.contains(&one), "{one} of {tps}");
    }
    if expected == "draw" {
        // It may have been found before all plies were searched, and other moves are open then.
        let open: Vec<String> =
            moves.extract_if(.., |(_, value)| value == "unknown").map(|(mv, _)| mv).collect();
        expected_moves.retain(|(mv, _)| !open.contains(mv));
    }
    moves.sort();
    expected_moves.sort();
    assert_eq!(moves, expected_moves, "the moves of {tps} within {plies} plies");
    found.worth
}

#[test]
fn values_and_moves_are_those_of_a_naive_search() {
    let compare_some = |number: u64| {
        let mut random = SplitMix64::new(number);
        let goal = if random.below(3) == 0 { Goal::Road } else { Goal::Any };
        let size = 3 + (random.below(4) == 0) as usize;
        let position = random_position(&mut random, size);
        let plies = match position.moves().len() {
            ..=4 => 6,
            5..=9 => 5,
            10..=14 => 4,
            15..=36 => 3,
            _ => 2,
        };
        match size {
            3 => compare::<Grid<3>>(&position, plies, goal),
            _ => compare::<Grid<4>>(&position, plies, goal),
        }
    };
    let worths: Vec<Worth> = (0..1500).into_par_iter().map(compare_some).collect();
    let even = |worth: &Worth| worth.plies().is_some_and(|plies| plies.0.is_multiple_of(2));
    // A player can be made to complete the other's road, or to end the game when that has more flats.
    let even_wins = worths.iter().filter(|worth| worth.is_win() && even(worth)).count();
    let long_wins = worths.iter().filter(|worth| worth.is_win() && worth.plies().unwrap().0 > 3);
    let draws = worths.iter().filter(|worth| **worth == Worth::Value(Value::Draw)).count();
    println!("{even_wins} {} {draws}", long_wins.clone().count());
    assert!(even_wins > 0 && long_wins.count() > 0 && draws > 0);
}
