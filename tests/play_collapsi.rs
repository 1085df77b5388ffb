//! A person, and simple players by the thousand, against perfect play of Collapsi.

mod harness;
mod twin;

use std::process::Command;

use endtable::games::collapsi::{Board, Cell, Move, Rules, Side, deal_from_seed};
use endtable::random::SplitMix64;
use endtable::value::Value as GameValue;
use harness::commands::{generate_complete, generate_seeds, play_collapsi};
use harness::folder;
use harness::process::Process;
use serde_json::Value;
use twin::collapsi::Game;
use twin::collapsi::search::{DepthFirst, Exhaustive};

/// What the naive twin finds of every move.
fn values(board: &Board, rules: Rules) -> Vec<(Move, GameValue)> {
    let game = Game::new(board, rules);
    Exhaustive::new(&game).move_values()
}

/// The move of perfect play: the best, and of equally good ones the one with the lowest destination.
fn best(values: &[(Move, GameValue)]) -> Option<(Move, GameValue)> {
    let most = values.iter().map(|(_, value)| *value).max()?;
    values.iter().find(|(_, value)| *value == most).copied()
}

/// A game of someone who moves at random against perfect play, as the twin sees it.
struct Expected {
    /// The person's moves.
    input: Vec<Move>,
    /// The line of each move.
    lines: Vec<String>,
    /// What the moves lost, each as the end of a line.
    lost: Vec<String>,
    winner: Side,
}

fn expected(start: Board, rules: Rules, side: Side, random: &mut SplitMix64) -> Expected {
    let mut game =
        Expected { input: Vec::new(), lines: Vec::new(), lost: Vec::new(), winner: Side::X };
    let mut board = start;
    loop {
        let values = values(&board, rules);
        let Some((best, most)) = best(&values) else { break };
        let mv = if board.turn() == side {
            let (mv, value) = values[random.below(values.len() as u64) as usize];
            game.input.push(mv);
            if value != most {
                let number = game.lines.len() + 1;
                let lost = match (value.is_win(), most.is_win()) {
                    (false, true) => "the game".into(),
                    _ => format!("{} plies", value.plies().0.abs_diff(most.plies().0)),
                };
                let side = board.turn();
                game.lost.push(format!(
                    "ply {number}: {side} {mv} lost {lost}: {value}, not {most} by {best}"
                ));
            }
            mv
        } else {
            best
        };
        game.lines.push(format!("{} {mv}, from {} to {}", board.turn(), at(mv.from), at(mv.to)));
        board = board.play(mv, rules).unwrap();
    }
    game.winner = board.turn().other();
    game
}

/// Row and column from 1.
fn at(cell: Cell) -> String {
    format!("{},{}", cell.row() + 1, cell.column() + 1)
}

/// Plays what was expected, and checks all that is printed but the pictures.
fn check(command: &mut Command, game: &Expected, side: Side, words: &str) {
    let printed = command.feed(words.as_bytes()).printed();
    let said: Vec<&str> = printed.lines().filter(|line| !line.starts_with(['+', '|'])).collect();
    let (made, rest) = said[1..].split_at(game.lines.len());
    assert_eq!(made, game.lines, "{printed}");
    let whose = if game.winner == side { "you win" } else { "you lose" };
    let plies = game.lines.len();
    assert_eq!(rest[0], format!("over after {plies} plies: {} wins, {whose}", game.winner));
    if game.lost.is_empty() {
        assert_eq!(rest[1..], ["no move lost anything"]);
    }
    assert!(rest.len() == 1 + game.lost.len().max(1), "{printed}");
    for (line, expected) in rest[1..].iter().zip(&game.lost) {
        assert!(line.starts_with(expected.as_str()), "{line}: {expected}");
    }
}

#[test]
fn perfect_play_is_the_twins_and_so_is_what_was_lost() {
    let mut random = SplitMix64::new(14);
    let mut lost = String::new();
    for (seed, rules, side) in [
        (1, Rules::One, Side::X),
        (2, Rules::One, Side::O),
        (3, Rules::Wild, Side::X),
        (4, Rules::Wild, Side::O),
        (5, Rules::One, Side::X),
    ] {
        let game = expected(deal_from_seed(seed), rules, side, &mut random);
        lost += &game.lost.join("\n");
        let options = format!("--seed {seed} --rules {rules} --side {side}");
        let moves: Vec<String> = game.input.iter().map(Move::to_string).collect();
        let places: Vec<String> = game.input.iter().map(|mv| at(mv.to)).collect();
        let cells: Vec<String> = game.input.iter().map(|mv| mv.to.to_string()).collect();
        for words in [moves.join("\n"), places.join("\n"), cells.join(" ")] {
            check(play_collapsi().words(&options), &game, side, &words);
        }
    }
    assert!(lost.contains("lost the game") && lost.contains(" plies: "), "{lost}");
}

#[test]
fn tables_of_every_kind_play_as_the_search_does() {
    let folder = folder();
    generate_complete(6, folder.path().join("complete")).run().printed();
    generate_seeds("1..2", folder.path().join("seed.etb")).run().printed();
    generate_seeds("1..9", folder.path().join("deals.etb"))
        .words("--positions root")
        .run()
        .printed();
    let mut random = SplitMix64::new(3);
    let game = expected(deal_from_seed(1), Rules::One, Side::X, &mut random);
    let words: Vec<String> = game.input.iter().map(Move::to_string).collect();
    for tables in ["complete", "seed.etb", "deals.etb"] {
        let mut play = play_collapsi();
        play.words("--seed 1 --tables").arg(tables).current_dir(&folder);
        check(&mut play, &game, Side::X, &words.join(" "));
    }
    // The rule is the tables' where none is given, and must be theirs where one is.
    let mut play = play_collapsi();
    play.words("--seed 1 --tables seed.etb --rules wild").current_dir(&folder);
    let said = play.run().failed(2);
    assert!(said.contains("the tables are of the rule one"), "{said}");
}

#[test]
fn a_game_begins_anywhere() {
    let text = "2x.AA/2A3o2/..../...3 o";
    let game = expected(text.parse().unwrap(), Rules::Wild, Side::O, &mut SplitMix64::new(1));
    let words: Vec<String> = game.input.iter().map(Move::to_string).collect();
    let mut play = play_collapsi();
    play.args([text, "--rules", "wild"]);
    check(&mut play, &game, Side::O, &words.join(" "));
    let said = play.words("--seed 1").run().failed(2);
    assert!(said.contains("not both"), "{said}");
    let said = play_collapsi().arg("nonsense").run().failed(2);
    assert!(said.contains("nonsense: expected a position"), "{said}");
}

/// The lines without pictures.
fn lines(words: &str, options: &str) -> Vec<String> {
    let printed = play_collapsi().words(options).feed(words.as_bytes()).printed();
    let lines = printed.lines().filter(|line| !line.starts_with(['+', '|']));
    lines.map(str::to_owned).collect()
}

#[test]
fn hints_undo_and_sides() {
    // The values are those of `golden_answers` in tests/cli.rs and of its verbose test.
    let said = lines("hint", "--seed 1");
    let hints =
        ["1,4 73 win 13, best", "2,1 74 win 13, best", "2,3 76 win 13, best", "3,4 7b loss 12"];
    assert_eq!(said[1..5], hints, "{said:?}");
    // The person's move and the reply are taken back together.
    let once = lines("73", "--seed 1");
    let again = lines("7b\nundo 73", "--seed 1");
    assert_eq!(once[1..3], again[3..5]);
    assert_eq!(once[3..], again[5..]);
    // Who changes sides has the program move for the other.
    let changed = lines("sides", "--seed 1");
    assert!(changed[1].starts_with("x 73, "), "{changed:?}");
    assert_eq!(changed[2], "not finished after 1 plies, o to move");
    assert_eq!(changed[1..], lines("", "--seed 1 --side o")[1..]);
}

#[test]
fn what_cannot_be_done_is_said_and_the_game_goes_on() {
    let done = play_collapsi().words("--seed 1").feed(b"undo 5 9,9 jump a7 \xff 73\n");
    assert!(done.stdout.contains("\nx 73, from 2,4 to 1,4\n"), "{done}");
    let said = done.failed(2);
    for reason in [
        "undo: you have made no move",
        "2,2 cannot be reached; the cells that can: 1,4 2,1 2,3 3,4",
        "9,9: expected a cell",
        "jump: expected a cell",
        "2,4 cannot be reached",
        "\u{fffd}: expected a cell",
    ] {
        assert!(said.contains(reason), "{reason} in {said}");
    }
    let over = play_collapsi().arg("Ax.../..../..Ao./.... x").feed(b"hint 1,2\n");
    assert!(over.stdout.contains("over after 0 plies: o wins, you lose"), "{over}");
    assert!(over.failed(2).contains("the game is over"));
}

fn objects(options: &str) -> (Vec<Value>, Value) {
    let printed = play_collapsi().words("--json").words(options).run().printed();
    let mut objects: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = objects.pop().unwrap();
    (objects, summary)
}

#[test]
fn games_by_the_thousand_are_played_by_the_rules_and_never_thrown_away() {
    for (options, rules) in [
        ("--games 60 --seed 7", Rules::One),
        ("--games 60 --seed 7 --opponent one-ply --rules wild", Rules::Wild),
    ] {
        let (games, summary) = objects(options);
        assert_eq!(games.len(), 60);
        let (mut won, mut could) = (0, 0);
        for (seed, game) in (7u64..).zip(&games) {
            let start = deal_from_seed(seed);
            assert_eq!(game["start"], start.to_string());
            assert_eq!(game["side"], if seed % 2 == 1 { "x" } else { "o" });
            assert_eq!(game["opponent"], summary["opponent"]);
            let mut board = start;
            for mv in game["played"].as_array().unwrap() {
                let mv = board.moves(rules).find(|it| *mv == it.to_string());
                board = board.play(mv.expect("a legal move"), rules).unwrap();
            }
            assert!(board.destinations(rules).is_empty(), "the game is not over: {game}");
            assert_eq!(game["end"], board.to_string());
            assert_eq!(game["winner"], board.turn().other().to_string());
            let twin = Game::new(&start, rules);
            let x_wins = DepthFirst::new(&twin).wins(twin.root);
            let could_win = x_wins == (game["side"] == "x");
            let did_win = game["winner"] == game["side"];
            could += u64::from(could_win);
            won += u64::from(did_win);
            assert!(could_win || !did_win, "thrown away: {game}");
        }
        assert_eq!(summary["opponent_won"]["games"].as_u64(), Some(won), "{summary}");
        assert_eq!(summary["perfect_won"]["games"].as_u64(), Some(60 - won), "{summary}");
        assert_eq!(summary["opponent_could_win"]["games"].as_u64(), Some(could), "{summary}");
        assert!(0 < could && could < 60, "{summary}");
    }
}

#[test]
fn a_seed_gives_the_same_games_on_any_number_of_threads() {
    let games = |options: &str| objects(&format!("--games 40 --seed 3 {options}")).0;
    let one = games("--threads 1");
    assert_eq!(one, games("--threads 3"));
    assert_ne!(one, games("--threads 3 --side x"));
    let folder = folder();
    generate_complete(6, folder.path()).run().printed();
    assert_eq!(one, games(&format!("--tables {}", folder.path().display())));
}

#[test]
fn what_needs_games_is_refused_without() {
    for options in ["--json", "--opponent random", "--threads 2"] {
        let said = play_collapsi().words("--seed 1").words(options).run().failed(2);
        assert!(said.contains("--games"), "{options}: {said}");
    }
}

#[cfg(unix)]
mod at_a_terminal {
    use std::process::Stdio;

    use super::*;
    use harness::pty::OnTerminal;

    fn start(options: &str) -> OnTerminal {
        let mut play = play_collapsi();
        let terminal = OnTerminal::start(play.words("--seed 1").words(options));
        terminal.wait_for("you are x");
        terminal.wait_for("q: quit");
        terminal
    }

    #[test]
    fn the_cursor_goes_around_the_edges_and_enter_moves() {
        let mut terminal = start("");
        terminal.press("h");
        terminal.wait_for("win 13");
        terminal.wait_for("loss 12");
        // From 2,4 to the right is 2,1, a legal move.
        terminal.press("\u{1b}[C\r");
        let reply = values(&deal_from_seed(1).play(mv("74"), Rules::One).unwrap(), Rules::One);
        let reply = best(&reply).unwrap().0;
        terminal.wait_for(&format!("last move: o {reply}"));
        terminal.press("u");
        terminal.wait_for("you are x");
        // The cell of a digit; and one that cannot be reached.
        terminal.press("5\r");
        terminal.wait_for("2,2 cannot be reached");
        terminal.press("b ");
        terminal.wait_for("last move: o ");
        terminal.press("q");
        terminal.wait_for("\u{1b}[?1049l");
        terminal.wait_for("not finished after 2 plies, x to move");
        terminal.wait_for("ply 1: x 7b lost the game: loss 12, not win 13 by 73 74 76");
        assert_eq!(terminal.end(), Some(0));
    }

    fn mv(text: &str) -> Move {
        Move::from_byte(u8::from_str_radix(text, 16).unwrap()).unwrap()
    }

    #[test]
    fn whatever_stops_it_leaves_the_terminal_as_it_was() {
        for stop in ["-INT", "-TERM", "-HUP", "ctrl-c"] {
            let mut terminal = start("");
            if stop == "ctrl-c" {
                terminal.press("\u{3}");
            } else {
                terminal.signal(stop);
            }
            terminal.wait_for("\u{1b}[?1049l");
            terminal.wait_for("endtable: stopped after 0 plies");
            assert_eq!(terminal.end(), Some(1), "{stop}");
        }
    }

    #[test]
    fn a_signal_ends_the_wait_for_a_line() {
        let mut play = play_collapsi();
        play.words("--seed 1").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for signal in ["-INT", "-TERM", "-HUP"] {
            let mut child = play.spawn().unwrap();
            let _open = child.stdin.take();
            // It listens to signals before it prints.
            let mut first = [0];
            std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
            let id = child.id().to_string();
            assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{signal}");
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(said, "endtable: stopped after 0 plies\n", "{signal}");
        }
    }

    /// Without colours and cursors, a terminal is read line by line.
    #[test]
    fn a_dumb_terminal_is_asked_line_by_line() {
        let mut play = play_collapsi();
        let mut terminal = OnTerminal::start(play.words("--seed 1").env("TERM", "dumb"));
        terminal.wait_for("you are x");
        terminal.press("nonsense\n73\nquit\n");
        terminal.wait_for("nonsense: expected a cell");
        terminal.wait_for("x 73, from 2,4 to 1,4");
        terminal.wait_for("not finished after 2 plies");
        assert!(!terminal.shown().contains('\u{1b}'));
        // A person may mistype.
        assert_eq!(terminal.end(), Some(0));
    }
}
