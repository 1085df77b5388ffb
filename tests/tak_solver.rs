//! Forced wins against a naive search, and against positions that others have solved.

mod twin;

use endtable::games::tak::{Board, Goal, Grid, Komi, Packed, Question, Reserve, Rules, size_of};
use endtable::random::SplitMix64;
use endtable::solve::Limits;
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
    let long_wins = worths.iter().filter(|worth| worth.is_win() && worth.plies().unwrap().0 > 3);
    let draws = worths.iter().filter(|worth| **worth == Worth::Value(Value::Draw)).count();
    assert!(long_wins.count() > 0 && draws > 0);
}

/// What a position by the usual rules is worth to the side to move.
fn ask(tps: &str, goal: Goal, plies: u8) -> Worth {
    fn sized<S: Packed>(tps: &str, question: Question) -> Worth {
        let board: Board<S> = tps.parse().unwrap();
        question.ask(&board, false, Limits::default()).worth
    }
    let question = Question { goal, plies, parallel: false };
    match size_of(tps).unwrap() {
        3 => sized::<Grid<3>>(tps, question),
        4 => sized::<Grid<4>>(tps, question),
        5 => sized::<Grid<5>>(tps, question),
        _ => sized::<Grid<6>>(tps, question),
    }
}

#[test]
fn positions_that_others_solved() {
    let lines: Vec<&str> =
        include_str!("tak/forced_wins.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 131);
    let solved = |line: &&str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, _, pace, known, tps, _] = fields[..] else { panic!("{line}") };
        if pace == "slow" || known == "open" {
            return 0;
        }
        let plies = known.rsplit([' ', '=']).next().and_then(|plies| plies.parse().ok());
        let worth = ask(tps, Goal::Any, plies.unwrap_or(7));
        let right = match known.split_once(' ') {
            // That nobody can win at all is more than was known.
            Some(("none", plies)) => {
                let unknown = format!("unknown after {plies} plies");
                worth == Worth::Value(Value::Draw) || worth.to_string() == unknown
            }
            Some(("win", bound)) if bound.starts_with("<=") => {
                worth.is_win() && worth.plies().unwrap().0 <= bound[2..].parse().unwrap()
            }
            None if known == "no-win" => !worth.is_win(),
            None => worth.is_win(),
            Some(_) => worth.to_string() == known,
        };
        assert!(right, "{name}: found {worth}, known {known}");
        1
    };
    let solved: usize = lines.par_iter().map(solved).sum();
    assert!(solved > 60, "only {solved} are quick");
}

#[test]
fn the_openings_of_3x3() {
    let openings = [("x3/x,2,x/x3 2 1", 12), ("x3/x3/x,2,x 2 1", 12), ("x3/x3/2,x2 2 1", 14)];
    openings.par_iter().for_each(|&(tps, plies)| {
        // White has placed a stone of Black's, and Black is to move: and loses.
        assert_eq!(ask(tps, Goal::Any, 20).to_string(), format!("loss {plies}"), "{tps}");
    });
    assert_eq!(ask("x3/x3/x3 1 1", Goal::Any, 20).to_string(), "win 13");
}

#[test]
fn roads_alone_take_longer_on_3x3() {
    let openings = ["x3/x,2,x/x3 2 1", "x3/x3/x,2,x 2 1"];
    openings.par_iter().for_each(|tps| {
        assert_eq!(ask(tps, Goal::Road, 14).to_string(), "loss 14", "{tps}");
    });
    assert_eq!(ask("x3/x3/2,x2 2 1", Goal::Road, 12).to_string(), "unknown after 12 plies");
}

#[test]
fn wins_of_even_length() {
    // The opponent is left with moves that all complete a road of ours, or end the game for us.
    for (tps, plies) in [
        ("1221S,1,x/21,1S,2S/x,1,21S 1 24", 2),
        ("21S,x2/2S,12,2S/2,122S,1S 2 29", 2),
        ("2S,x,1S/22,22S,2S/1,2S,x 2 19", 4),
    ] {
        assert_eq!(ask(tps, Goal::Any, 6).to_string(), format!("win {plies}"), "{tps}");
        let position = parse(tps);
        assert_eq!(worth(&position, plies, naive::Goal::Any), format!("win {plies}"), "{tps}");
    }
}

/// The twin's position of a text, by the usual rules of 3x3.
fn parse(tps: &str) -> Position {
    use twin::tak::{Kind, Stone};
    let words: Vec<&str> = tps.split(' ').collect();
    let mut position = Position::new(3, 10, 0, 0);
    for (rank, row) in words[0].split('/').rev().enumerate() {
        let mut file = 0;
        for cell in row.split(',') {
            if let Some(gap) = cell.strip_prefix('x') {
                file += gap.parse().unwrap_or(1);
                continue;
            }
            let stack = &mut position.stacks[3 * rank + file];
            for letter in cell.chars() {
                match letter {
                    'S' => stack.last_mut().unwrap().kind = Kind::Wall,
                    digit => {
                        let player = digit as usize - '1' as usize;
                        position.flats[player] -= 1;
                        stack.push(Stone { player, kind: Kind::Flat });
                    }
                }
            }
            file += 1;
        }
    }
    let number: usize = words[2].parse().unwrap();
    position.plies = 2 * (number - 1) + words[1].parse::<usize>().unwrap() - 1;
    assert_eq!(position.tps(), tps);
    position
}

#[test]
fn threads_do_not_show_in_answers() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    for tps in ["x3/1,x2/x,2,x 1 2", "2S,x,1/1,2,1/x2,2 1 5", "x2,2/12S,x2/1,1S,1 2 5"] {
        let board: Board<Grid<3>> = tps.parse().unwrap();
        let ask = |parallel| {
            let question = Question { goal: Goal::Any, plies: 9, parallel };
            let found = question.ask(&board, false, Limits::default());
            (found.worth, found.best)
        };
        let alone = ask(false);
        for _ in 0..3 {
            assert_eq!(pool.install(|| ask(true)), alone, "{tps}");
        }
    }
}
