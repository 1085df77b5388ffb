//! A person plays 2048: at a terminal, and line by line; and games by the thousand as objects.

mod harness;

use std::fs;

use endtable::games::twenty48::{Direction, PlayedGame, Size};
use harness::commands::{endtable, generate_2048, play_2048, probe, solve_2048};
use harness::folder;
use harness::process::Process;
use serde_json::Value;

/// A game of these moves, as the library plays it.
fn played(seed: u64, size: Size, moves: &[Direction]) -> PlayedGame {
    let mut game = PlayedGame::new(seed, size);
    assert!(moves.iter().all(|&mv| game.play(mv)));
    game
}

/// Some legal moves from the start.
fn some_moves(seed: u64, size: Size, count: usize) -> Vec<Direction> {
    let mut game = PlayedGame::new(seed, size);
    for number in 0..count {
        let next = (0..4).map(|turn| Direction::ALL[(number + turn) % 4]);
        assert!({ next }.any(|mv| game.play(mv)), "the game is over too soon");
    }
    game.record().moves.clone()
}

#[test]
fn moves_are_words_and_the_tiles_are_the_seeds() {
    for board in ["2x2", "3x4", "4x4"] {
        let size: Size = board.parse().unwrap();
        let moves = some_moves(5, size, 6);
        let keys = |mv: Direction| ["w", "d", "s", "a"][mv as usize];
        let names: Vec<&str> = moves.iter().map(|mv| mv.name()).collect();
        let keys: Vec<&str> = moves.iter().map(|&mv| keys(mv)).collect();
        let game = played(5, size, &moves);
        for input in [names.join("\n"), names.join(" "), keys.join(" ") + "\nquit\nup\n"] {
            let folder = folder();
            let mut play = play_2048();
            play.words("--human --seed 5 --record game.txt --board").arg(board);
            let printed = play.current_dir(&folder).feed(input.as_bytes()).printed();
            let picture = game.board().picture(size, None).to_string();
            assert!(printed.contains(&picture), "{printed}");
            assert!(printed.contains(&format!("6 moves, score {}, ", game.score())), "{printed}");
            let record = fs::read_to_string(folder.path().join("game.txt")).unwrap();
            assert_eq!(record, format!("{}\n", game.record()));
        }
    }
}

#[test]
fn a_move_that_is_taken_back_brings_the_same_tile_again() {
    let size: Size = "3x3".parse().unwrap();
    let moves = some_moves(9, size, 3);
    let [one, two, three] = moves[..] else { panic!("three moves") };
    let words = [one, two, three].map(Direction::name);
    let input =
        format!("{} {} undo undo {} {} {}", words[0], words[1], words[0], words[1], words[2]);
    let mut play = play_2048();
    let printed = play.words("--human --seed 9 --board 3x3").feed(input.as_bytes()).printed();
    let picture = played(9, size, &moves).board().picture(size, None).to_string();
    assert!(printed.contains(&picture), "{printed}");
    let said = play.feed(b"undo\n").failed(2);
    assert!(said.contains("no move has been made"), "{said}");
}

#[test]
fn what_cannot_be_done_is_said_and_the_game_goes_on() {
    let size: Size = "2x2".parse().unwrap();
    let legal = some_moves(1, size, 1)[0];
    let start = PlayedGame::new(1, size);
    let stuck = Direction::ALL.into_iter().find(|&mv| !start.clone().play(mv)).unwrap();
    let input = format!("jump {} {}\n", stuck.name(), legal.name());
    let done = play_2048().words("--human --seed 1 --board 2x2").feed(input.as_bytes());
    assert!(done.stdout.contains("1 moves, score"), "{done}");
    let said = done.failed(2);
    assert!(said.contains("jump: expected up, left, down, right"), "{said}");
    assert!(said.contains(&format!("{}: moves nothing", stuck.name())), "{said}");
}

/// Hints are what `solve` and `probe` print.
#[test]
fn hints_are_the_values_of_search_and_tables() {
    let folder = folder();
    generate_2048("2x3", "score", "table.etb").current_dir(&folder).run().printed();
    let size: Size = "2x3".parse().unwrap();
    let board = PlayedGame::new(4, size).board().text(size);
    let lines = |printed: &str| -> Vec<String> {
        printed.lines().filter(|line| line.starts_with("move ")).map(str::to_owned).collect()
    };
    let hint = |options: &str| {
        let mut play = play_2048();
        play.words("--human --seed 4 --board 2x3").words(options);
        lines(&play.current_dir(&folder).feed(b"hint\n").printed())
    };
    let probed = probe("table.etb").arg(&board).arg("--moves").current_dir(&folder).run().printed();
    assert!(lines(&probed).len() > 1, "{probed}");
    assert_eq!(hint("--tables table.etb"), lines(&probed));
    let options = "--depth 3 --heuristic sum";
    let solved = solve_2048(&board).words(options).arg("--moves").run().printed();
    assert_eq!(hint(options), lines(&solved));
    assert_ne!(lines(&solved), lines(&probed));
    // Hints say so where the tables do not have a board.
    let mut generate = generate_2048("2x3", "score", "few.etb");
    generate.words("--start 2,4,0/0,0,2").current_dir(&folder).run().printed();
    let mut play = play_2048();
    play.words("--human --seed 4 --board 2x3 --tables few.etb --depth 1").current_dir(&folder);
    let printed = play.feed(b"hint\n").printed();
    assert!(printed.contains("is not in the table: searched with"), "{printed}");
}

/// The last seed has a game; there is none behind it.
#[test]
fn seeds_end_with_the_largest() {
    let last = format!("--board 2x2 --depth 0 --seed {}", u64::MAX);
    let played = play_2048().words(&last).words("--games 1 --json").run().printed();
    assert!(played.contains(&format!("\"seed\":{}", u64::MAX)), "{played}");
    let refused = play_2048().words(&last).words("--games 2").run().failed(2);
    assert!(refused.contains("beyond the last seed"), "{refused}");
    let mut plan = endtable();
    plan.words("plan play 2048 --shards 2 --dir plan --games 2").words(&last);
    let folder = folder();
    let refused = plan.current_dir(&folder).run().failed(2);
    assert!(refused.contains("beyond the last seed"), "{refused}");
}

#[test]
fn games_are_objects_and_a_last_one_for_all() {
    let folder = folder();
    generate_2048("2x3", "score", "table.etb").current_dir(&folder).run().printed();
    let mut play = play_2048();
    play.words("--board 2x3 --tables table.etb --games 30 --seed 3 --json --record games.txt");
    let printed = play.current_dir(&folder).run().printed();
    let objects: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (summary, games) = objects.split_last().unwrap();
    let records = fs::read_to_string(folder.path().join("games.txt")).unwrap();
    assert_eq!((games.len(), records.lines().count()), (30, 30));
    let mut scores = Vec::new();
    for (number, (game, record)) in (3u64..).zip(games.iter().zip(records.lines())) {
        let text = format!("2x3 {} {}", game["seed"], game["played"].as_str().unwrap());
        assert_eq!((text.as_str(), game["seed"].as_u64()), (record, Some(number)));
        let again = record.parse::<endtable::games::twenty48::Record>().unwrap().replay().unwrap();
        assert_eq!(game["score"].as_u64(), Some(again.score().into()));
        assert_eq!(game["highest"].as_u64(), Some(1 << again.board().highest()));
        assert_eq!(game["end"], again.board().to_string());
        scores.push(f64::from(again.score()));
    }
    let mean = scores.iter().sum::<f64>() / 30.0;
    let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
    // The published quantile of 29 degrees of freedom is 2.045.
    let within = 2.045 * (squares / 29.0 / 30.0).sqrt();
    let score = &summary["scores"];
    assert!((score["mean"].as_f64().unwrap() - mean).abs() < 1e-9, "{summary}");
    assert!((score["within"].as_f64().unwrap() / within - 1.0).abs() < 3e-4, "{summary}");
    assert_eq!((summary["games"].as_u64(), summary["seed"].as_u64()), (Some(30), Some(3)));
    assert_eq!(summary["objective"], "score");
    assert!((summary["expected"].as_f64().unwrap() - 480.2583).abs() < 1e-3, "{summary}");
    for tile in summary["tiles"].as_array().unwrap() {
        let reached = games.iter().filter(|game| game["highest"].as_u64() >= tile["tile"].as_u64());
        assert_eq!(tile["games"].as_u64(), Some(reached.count() as u64));
    }
}

#[test]
fn a_person_plays_one_game() {
    for other in ["--games 2", "--watch", "--json", "--replay games.txt"] {
        let said = play_2048().arg("--human").words(other).run().failed(2);
        assert!(said.contains("cannot be used with"), "{other}: {said}");
    }
}

#[cfg(unix)]
mod at_a_terminal {
    use super::*;
    use harness::pty::OnTerminal;

    fn start(options: &str) -> OnTerminal {
        let mut play = play_2048();
        let terminal = OnTerminal::start(play.words("--human --seed 5 --board 3x3").words(options));
        terminal.wait_for("score 0   move 0");
        terminal.wait_for("q: quit");
        terminal
    }

    #[test]
    fn arrows_slide_and_letters_ask() {
        let size: Size = "3x3".parse().unwrap();
        let moves = some_moves(5, size, 3);
        let game = played(5, size, &moves);
        let mut terminal = start("--depth 2");
        for (number, mv) in (1..).zip(&moves) {
            terminal.press(["\u{1b}[A", "\u{1b}[C", "\u{1b}[B", "\u{1b}[D"][*mv as usize]);
            terminal.wait_for(&format!("move {number}"));
        }
        terminal.press("h");
        terminal.wait_for("best: ");
        terminal.press("u");
        terminal.wait_for("move 2");
        terminal.press(["w", "d", "s", "a"][moves[2] as usize]);
        terminal.wait_for("move 3");
        terminal.press("q");
        // The screen is left before the last line.
        terminal.wait_for("\u{1b}[?1049l");
        terminal.wait_for(&format!("3 moves, score {}, ", game.score()));
        assert_eq!(terminal.end(), Some(0));
    }

    #[test]
    fn whatever_stops_it_leaves_the_terminal_as_it_was() {
        for stop in ["-INT", "-TERM", "-HUP", "ctrl-c"] {
            let folder = folder();
            let record = folder.path().join("game.txt");
            let mut terminal = start(&format!("--record {}", record.display()));
            let first = some_moves(5, "3x3".parse().unwrap(), 1)[0];
            terminal.press(["w", "d", "s", "a"][first as usize]);
            terminal.wait_for("move 1");
            if stop == "ctrl-c" {
                terminal.press("\u{3}");
            } else {
                terminal.signal(stop);
            }
            terminal.wait_for("\u{1b}[?1049l");
            terminal.wait_for("endtable: stopped after 1 moves");
            assert_eq!(terminal.end(), Some(1), "{stop}");
            let kept = fs::read_to_string(record).unwrap();
            assert_eq!(kept, format!("3x3 5 {}\n", &first.name()[..1]));
        }
    }

    /// A search of an hour does not keep anybody waiting.
    #[test]
    fn a_long_search_is_left() {
        let mut terminal = start("--ms 3600000");
        terminal.press("h");
        terminal.press("\u{3}");
        terminal.wait_for("endtable: stopped after 0 moves");
        assert_eq!(terminal.end(), Some(1));
        let mut watch = play_2048();
        let mut terminal = OnTerminal::start(watch.words("--watch --ms 3600000 --heuristic sum"));
        terminal.wait_for("q: quit");
        terminal.press("\u{3}");
        terminal.wait_for("endtable: stopped after 0 moves");
        assert_eq!(terminal.end(), Some(1));
        let running = play_2048().words("--games 2 --ms 3600000 --heuristic sum").start();
        std::thread::sleep(std::time::Duration::from_millis(500));
        let said = running.interrupt().failed(1);
        assert_eq!(said, "endtable: stopped after 0 of 2 games\n");
    }
}
