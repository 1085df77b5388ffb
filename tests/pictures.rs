//! Pictures: for every game and command, in colour on a terminal and nowhere else.

mod harness;

use std::process::Command;

use harness::commands::{endtable, generate_2048};
use harness::folder;
use harness::process::Process;

/// A command, and the lines of its picture.
const PICTURES: [(&str, &str); 7] = [
    ("solve collapsi 1 --picture", "|  2  |  3  |  4  |>Jx< |\n"),
    ("dump collapsi 1 --picture", "|  2  |  3  |  4  | Jx  |\n"),
    ("apply collapsi 1 73 --picture", "|  2  |  3  |  4  |  .  |\n"),
    ("solve 2048 2,2,0/0,0,8 --depth 1 --picture", "2 2 . >\n. . 8 >\n"),
    ("dump 2048 2,2,0/0,0,8 --picture", "2 2 .\n. . 8\n"),
    ("apply 2048 2,2,0/0,0,8 left 2@1,3 --picture", "4 . 2\n8 . .\n"),
    ("probe table.etb 8,4/2,2 --picture", "8 4 >\n2 2 >\n"),
];

fn in_folder(words: &str, test: impl Fn(&mut Command)) {
    let folder = folder();
    generate_2048("2x2", "tile:16", "table.etb").current_dir(&folder).run().printed();
    let mut command = endtable();
    test(command.words(words).current_dir(&folder).env_remove("NO_COLOR").env_remove("COLORTERM"));
}

/// A text without its escape sequences.
fn plain(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |plain, piece| plain + piece.split_once('m').expect("a colour").1)
}

#[test]
fn every_command_draws_every_game() {
    for (words, picture) in PICTURES {
        in_folder(words, |command| {
            let printed = command.run().printed();
            assert!(printed.contains(picture), "{words}: {printed}");
            assert!(!printed.contains('\u{1b}'), "{words}: {printed}");
            let forced = command.env("CLICOLOR_FORCE", "1").run().printed();
            assert!(forced.contains("\u{1b}["), "{words}: {forced}");
            assert_eq!(plain(&forced), printed, "{words}");
            let refused = command.env("NO_COLOR", "1").run().printed();
            assert_eq!(refused, printed, "{words}");
        });
    }
}

#[test]
fn a_picture_alone_is_no_table_and_no_object() {
    for (words, reason) in [
        ("dump table.etb --picture", "--picture: for positions"),
        ("dump 2048 2,2/4,2 --picture --json", "cannot be used with"),
        ("apply 2048 2,2/4,2 --picture --json", "cannot be used with"),
    ] {
        in_folder(words, |command| {
            let said = command.run().failed(2);
            assert!(said.contains(reason), "{words}: {said}");
        });
    }
}

#[cfg(unix)]
#[test]
fn a_terminal_has_colours_unless_somebody_objects() {
    use harness::pty::OnTerminal;
    for (name, value, colours) in [
        ("TERM", "xterm-256color", true),
        ("TERM", "dumb", false),
        ("NO_COLOR", "1", false),
        ("COLORTERM", "truecolor", true),
    ] {
        in_folder("solve collapsi 1 --picture", |command| {
            let terminal = OnTerminal::start(command.env(name, value));
            terminal.wait_for("0173");
            terminal.wait_for(match (value, colours) {
                ("truecolor", _) => "\u{1b}[38;2;255;255;255m\u{1b}[48;2;38;96;164m>Jx<",
                (_, true) => "\u{1b}[38;5;231m\u{1b}[48;5;25m>Jx<",
                (_, false) => "|  2  |  3  |  4  |>Jx< |",
            });
            if !colours {
                assert!(!terminal.shown().contains('\u{1b}'), "{name}={value}");
            }
            terminal.wait_for("best: from row 2 column 4");
            assert_eq!(terminal.end(), Some(0));
        });
    }
}

/// `--moves` values every move, by search and from tables alike.
#[test]
fn every_move_of_2048_is_valued() {
    for words in [
        "solve 2048 2,2/4,2 --moves --depth 3 --heuristic score --cut-off 0",
        "solve 2048 2,2/4,2 --moves --tables table.etb",
        "probe table.etb 2,2/4,2 --moves",
    ] {
        in_folder(words, |command| {
            let printed = command.run().printed();
            let moves: Vec<&str> = printed.lines().skip(1).collect();
            assert_eq!(moves.len(), 4, "{words}: {printed}");
            for (line, name) in moves.iter().zip(["up", "right", "down", "left"]) {
                let value = line.strip_prefix(&format!("move {name} ")).expect(words);
                assert!(value.parse::<f64>().unwrap() > 0.0, "{words}: {line}");
            }
        });
    }
}
