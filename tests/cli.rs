//! The program as its users meet it: what goes in, what comes out, and how it fails.

mod harness;

use std::fs::{self, File};
use std::process::Command;

use endtable::games;
use endtable::random::SplitMix64;
use harness::commands::{
    Form, PROGRAM, Position, dump_collapsi, endtable, export_csv, generate_2048, generate_seeds,
    keys, merge, play_2048, probe, solve_2048, solve_collapsi, stats,
};
use harness::process::{Done, Process, shell};
use harness::{folder, project};
use tempfile::TempDir;

/// The deal of seed 1 in every form, and its answer under the rule `one`.
const SEED: &str = "1";
const POSITION: &str = "A332/234Jx/3A42/A2AJo x";
const STATE: &str = "5201,2818,0126,0440,0080,8000,0000,0";
const KEY: &str = "0100000808001830:12d27d06b02589e4";
const LINE: &str = "0100000808001830:12d27d06b02589e4 0173\n";

/// What a command prints that succeeds without a word on stderr.
#[track_caller]
fn stdout(command: &mut Command) -> String {
    stdout_from(command, "")
}

#[track_caller]
fn stdout_from(command: &mut Command, input: &str) -> String {
    let done = command.feed(input.as_bytes());
    assert_eq!(done.stderr, "", "{done}");
    done.printed()
}

/// Solves the deal of a seed.
fn solve_seed(seed: &str, options: &str) -> String {
    stdout(solve_collapsi().seed(seed).words(options))
}

/// Solves lines from stdin.
fn solve_lines(options: &str) -> Command {
    let mut command = solve_collapsi();
    command.stdin_lines().words(options);
    command
}

/// Exit code 2 and not a byte on stdout; gives what was said on stderr.
#[track_caller]
fn refused(command: &mut Command, input: &[u8]) -> String {
    let done = command.feed(input);
    assert!(done.stdout.is_empty() && !done.stderr.is_empty(), "{done}");
    done.failed(2)
}

/// A line of input that is no position: `?` for it, and exit code 2; gives what was said on stderr.
fn unreadable(line: &[u8]) -> String {
    let done = solve_lines("").feed(line);
    assert_eq!(done.stdout, "?\n");
    done.failed(2)
}

#[test]
fn every_form_gives_the_same_line() {
    let dumped = stdout(dump_collapsi().seed(SEED));
    for (form, text) in
        [(Form::Seed, SEED), (Form::Text, POSITION), (Form::Hex, STATE), (Form::Key, KEY)]
    {
        assert_eq!(stdout(solve_collapsi().position(form, text)), LINE, "{form:?}");
        assert_eq!(stdout_from(&mut solve_lines(""), text), LINE, "{text} without an end");
        assert_eq!(stdout_from(&mut solve_lines(""), &format!(" {text} \r\n")), LINE, "{text}");
        assert_eq!(stdout(dump_collapsi().position(form, text)), dumped, "{form:?}");
    }
}

/// Found by tools/collapsi.py, which shares no code with the program.
#[test]
fn golden_answers() {
    for (seed, one, wild) in [
        ("0", "0100410fd34b655a:ba621cf0e8eab2de 00e2", "0100410fd34b655a:ba621cf0e8eab2de 00e1"),
        ("1", "0100000808001830:12d27d06b02589e4 0173", "0100000808001830:12d27d06b02589e4 0178"),
        ("2", "01040b1c76002e42:799dcc8e60e55a0c 01c8", "01040b1c76002e42:799dcc8e60e55a0c 00c1"),
        ("42", "0292a08ddd5d79c8:62f0e477f69498e8 01d1", "0292a08ddd5d79c8:62f0e477f69498e8 00d0"),
        (
            "18446744073709551615",
            "01000802200c51a4:8d3e68fc53160d48 01fb",
            "01000802200c51a4:8d3e68fc53160d48 00f0",
        ),
    ] {
        assert_eq!(solve_seed(seed, ""), format!("{one}\n"));
        assert_eq!(solve_seed(seed, "--rules one"), format!("{one}\n"));
        assert_eq!(solve_seed(seed, "--rules wild"), format!("{wild}\n"));
    }
}

#[test]
fn folded_keys_have_one_half() {
    assert_eq!(solve_seed("1", "--fold64"), "833f41b3594c92e8 0173\n");
}

#[test]
fn verbose_adds_distance_moves_nodes_and_time() {
    let printed = solve_seed("1", "--verbose");
    let facts = printed.strip_prefix(LINE).unwrap();
    let moves = "distance 13\nmove 73 win 13\nmove 74 win 13\nmove 76 win 13\nmove 7b loss 12\n";
    let work: Vec<&str> = facts.strip_prefix(moves).unwrap().lines().collect();
    let [nodes, time] = work[..] else { panic!("{work:?}") };
    let nodes: u32 = nodes.strip_prefix("nodes ").unwrap().parse().unwrap();
    assert!(nodes > 0);
    let time = time.strip_prefix("time ").and_then(|time| time.strip_suffix(" us"));
    time.unwrap().parse::<u64>().unwrap();
}

/// The result only: the quick solver's move wins, but not always in the fewest plies.
#[test]
fn without_distance_the_result_is_the_same() {
    let seeds: String = (0..40).map(|seed| format!("{seed}\n")).collect();
    for rules in ["one", "wild"] {
        let exact = stdout_from(solve_lines("--rules").arg(rules), &seeds);
        let quick = stdout_from(solve_lines("--no-distance --rules").arg(rules), &seeds);
        assert_eq!(quick.lines().count(), 40);
        for (exact, quick) in exact.lines().zip(quick.lines()) {
            // The key, a blank, the turn and the win.
            assert_eq!(exact[..36], quick[..36]);
            assert_eq!((exact.len(), quick.len()), (38, 38));
        }
    }
    let both = refused(solve_collapsi().seed("1").words("--no-distance --verbose"), b"");
    assert!(both.contains("cannot be used with"), "{both}");
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let solve = |options: &str| {
        let over = "Ax.../..../..Ao./.... x";
        stdout(solve_collapsi().position(Form::Text, over).words(options))
    };
    let printed = solve("");
    assert!(printed.ends_with(" 00ff\n"), "{printed}");
    assert_eq!(solve("--no-distance"), printed);
    let verbose = solve("--verbose");
    assert!(verbose.contains("\ndistance 0\nnodes "), "{verbose}");
    let picture = solve("--picture");
    assert!(picture.ends_with("x to move loses in 0 plies; it has no move\n"), "{picture}");
}

#[test]
fn dump_shows_all_forms() {
    let printed = stdout(dump_collapsi().seed("1"));
    for line in [
        format!("position  {POSITION}"),
        format!("state     {STATE}"),
        format!("key       {KEY}"),
        "folded    833f41b3594c92e8".into(),
        "turn 0".into(),
        "|  2  |  3  |  4  | Jx  |".into(),
    ] {
        assert!(printed.lines().any(|found| found == line), "{line} in\n{printed}");
    }
    // Its forms are inputs again: the canonical key is that of the canonical position.
    let canonical = printed.lines().find_map(|line| line.strip_prefix("canonical ")).unwrap();
    let (key, position) = canonical.split_once(' ').unwrap();
    let again = stdout(dump_collapsi().position(Form::Text, position));
    assert!(again.contains(&format!("key       {key}\n")), "{again}");
    assert!(again.contains(&format!("canonical {canonical}\n")), "{again}");
}

#[test]
fn lines_are_answered_in_order() {
    let seeds: String = (0..300).map(|seed| format!("{seed}\n")).collect();
    let together = stdout_from(&mut solve_lines("--no-distance"), &seeds);
    let lines: Vec<&str> = together.lines().collect();
    assert_eq!(lines.len(), 300);
    for seed in [0, 1, 150, 299] {
        let alone = solve_seed(&seed.to_string(), "--no-distance");
        assert_eq!(format!("{}\n", lines[seed]), alone);
    }
}

#[test]
fn a_bad_line_is_named_and_the_others_answered() {
    let (zero, two) = (solve_seed("0", ""), solve_seed("2", ""));
    let done = solve_lines("").feed(b"0\n1\nJxA23/4Jo3K/A2A3/2A43 x\n2\n");
    assert_eq!(done.stdout, format!("{zero}{LINE}?\n{two}"));
    assert_eq!(
        done.failed(2),
        "endtable: line 3: row 2, column 4: expected A, 2, 3, 4, J or ., found 'K'\n"
    );
}

#[test]
fn what_is_wrong_is_named() {
    for (form, text, named) in [
        (Form::Seed, "x", "--seed"),
        (Form::Seed, "18446744073709551616", "--seed"),
        (Form::Seed, "", "--seed"),
        (Form::Text, "", "expected a position"),
        (Form::Text, "JxA23/4Jo32/A2A3/2A43", "side to move"),
        (Form::Text, "JxA23/4Jo32/A2A3/2A43 y", "side to move is x or o, found \"y\""),
        (Form::Text, "JxA23/4Jo32/A2A3 x", "expected 4 rows parted by /, found 3"),
        (Form::Text, "JxA23/4Jo3/A2A3/2A43 x", "row 2 has 3 cells, expected 4"),
        (Form::Text, "JxA23/4Jo32/A2A?/2A43 x", "row 3, column 4"),
        (Form::Text, "JxA23/4Jo322/A2A3/2A43 x", "row 2, column 5"),
        (Form::Text, "xJA23/4Jo32/A2A3/2A43 x", "row 1, column 1: expected a card"),
        (Form::Text, "JA23/4Jo32/A2A3/2A43 x", "0 pawns x"),
        (Form::Text, "JxoA23/4J32/A2A3/2A43 x", "both pawns stand on cell 0"),
        (Form::Text, ".xA23/4Jo32/A2A3/2A43 x", "pawn x stands on cell 0"),
        (Form::Text, "JxA23/4Jo32/A2A3/2A44 x", "3 cards 4, but the deck has 2"),
        (Form::Text, "JxJ23/4Jo32/A2A3/2A43 x", "cell 1 has no card"),
        (Form::Text, "AxA23/4Jo32/A2.3/2.43 x", "1 pawns on jokers"),
        (Form::Hex, "1,2,3", "expected 8 hex numbers A,2,3,4,X,O,collapsed,turn, found 3"),
        (Form::Hex, "5201,2818,0126,0440,0080,8000,g,0", "field collapsed"),
        (Form::Hex, "5201,2818,0126,0440,10080,8000,0,0", "field X"),
        (Form::Hex, "5201,2818,-126,0440,0080,8000,0,0", "field 3"),
        (Form::Hex, "5201,2819,0126,0440,0080,8000,0,0", "cell 0 has two cards"),
        (Form::Hex, "5201,2818,0126,0440,0080,8000,0,2", "turn is 0 for x or 1 for o, found 2"),
        (Form::Hex, "5201,2818,0126,0440,0000,8000,0,0", "0 pawns x"),
        (Form::Key, "g:0", "HI of a key is 1 to 16 hex digits, found \"g\""),
        (Form::Key, "0:00112233445566778", "LO of a key"),
        (Form::Key, "1:1", "turn is 0 for x or 1 for o"),
        (Form::Key, "0:0", "0 pawns x"),
    ] {
        for mut command in [solve_collapsi(), dump_collapsi()] {
            let stderr = refused(command.position(form, text), b"");
            assert!(stderr.contains(named), "{form:?} {text:?}: {stderr}");
        }
        let stderr = unreadable(format!("{text}\n").as_bytes());
        assert!(stderr.starts_with("endtable: line 1: "), "{stderr}");
    }
}

#[test]
fn usage_errors_are_refused() {
    refused(&mut endtable(), b"");
    refused(endtable().arg("no-such-command"), b"");
    refused(&mut solve_collapsi(), b"");
    refused(solve_collapsi().seed("1").stdin_lines(), b"");
    let rules = refused(solve_collapsi().seed("1").words("--rules two"), b"");
    assert!(rules.contains("`one` or `wild`"), "{rules}");
    refused(keys().words("--samples 18446744073709551615"), b"");
}

#[cfg(unix)]
#[test]
fn arguments_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let bytes = OsStr::from_bytes(b"\xff/\xfe,:");
    for form in [Form::Seed, Form::Text, Form::Hex, Form::Key] {
        refused(solve_collapsi().position(form, bytes), b"");
    }
    refused(solve_collapsi().seed("1").arg("--rules").arg(bytes), b"");
}

#[test]
fn odd_bytes_are_bad_lines() {
    for input in [&b"\xff\xfe\n"[..], b"\0\n", b"\0/\0/\0/\0 x", b"\xc3,\xc3", b"\n", b"  \t\r\n"] {
        let stderr = unreadable(input);
        assert!(stderr.starts_with("endtable: line 1: "), "{input:?}: {stderr}");
        assert!(stderr.contains("expected "), "{input:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{input:?}: {stderr}");
    }
    assert_eq!(stdout(&mut solve_lines("")), "");
    assert_eq!(stdout(dump_collapsi().stdin_lines().arg("--json")), "");
}

#[test]
fn a_long_line_is_one_bad_line() {
    for filler in ["9", "/", ",", ":", " ", "JxA23/", "\u{e4}"] {
        let long = filler.repeat(3_000_000 / filler.len());
        let done = solve_lines("").feed(format!("{long}1\n1\n{long}").as_bytes());
        assert_eq!(done.stdout, format!("?\n{LINE}?\n"), "after many {filler:?}");
        let stderr = done.failed(2);
        let complaint = |line| format!("endtable: line {line}: expected a position, found more");
        let lines: Vec<&str> = stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{filler:?}");
        assert!(lines[0].starts_with(&complaint(1)) && lines[1].starts_with(&complaint(3)));
    }
}

/// Good lines with damage, and bytes from nowhere: each line is answered or complained about.
#[test]
fn random_lines_never_panic() {
    let mut random = SplitMix64::new(3);
    let mut input = Vec::new();
    let lines = 600;
    for number in 0..lines {
        let mut line = match number % 5 {
            0 => (0..random.below(60)).map(|_| random.below(256) as u8).collect(),
            1 => POSITION.as_bytes().to_vec(),
            2 => STATE.as_bytes().to_vec(),
            3 => KEY.as_bytes().to_vec(),
            _ => (0..random.below(30)).map(|_| pick(&mut random)).collect(),
        };
        for _ in 0..random.below(4).min(line.len() as u64) {
            let place = random.below(line.len() as u64) as usize;
            line[place] = pick(&mut random);
        }
        line.retain(|&byte| byte != b'\n');
        input.extend(line);
        input.push(b'\n');
    }
    for options in ["--no-distance", "--fold64"] {
        let done = solve_lines(options).feed(&input);
        // One line for each, in order, readable or not.
        let answers: Vec<String> = done.stdout.lines().map(str::to_owned).collect();
        let stderr = done.failed(2);
        let complaints = stderr.matches("endtable: line ").count();
        assert_eq!(answers.len(), lines, "{stderr}");
        assert_eq!(answers.iter().filter(|answer| *answer == "?").count(), complaints);
        assert!(complaints < lines, "no damage was harmless");
    }
    let done = dump_collapsi().stdin_lines().arg("--json").feed(&input);
    assert_eq!(done.stdout.lines().filter(|line| line.starts_with('{')).count(), lines);
    done.failed(2);
}

/// A byte that belongs in some form of a position.
fn pick(random: &mut SplitMix64) -> u8 {
    let usual = b"A234J.xo/,: 0123456789abcdef";
    usual[random.below(usual.len() as u64) as usize]
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let script = "{ seq 0 20000 | \"$0\" \"$@\"; echo \"exit $?\" >&2; } | head -n 1";
    let done = shell(script, &solve_lines("--no-distance")).run();
    assert_eq!(done.stdout.lines().count(), 1);
    assert_eq!(done.stderr, "exit 0\n");
}

/// What cannot be written is an I/O error, exit code 3; a complaint that cannot be written is no
/// reason to fall over.
#[cfg(target_os = "linux")]
#[test]
fn full_disks_are_reported() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let stderr = solve_collapsi().seed("1").stdout(full()).run().failed(3);
    assert!(stderr.starts_with("endtable: "), "{stderr}");

    let script = "printf '0\\nbad\\n1\\n' | \"$0\" \"$@\"";
    let done = shell(script, &solve_lines("")).stderr(full()).run();
    assert_eq!((done.code(), done.stdout.lines().count()), (Some(2), 3));
}

#[test]
fn help_shows_an_example_of_each_command() {
    let overview = stdout(endtable().arg("--help"));
    let (_, commands) = overview.split_once("Commands:\n").unwrap();
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 3, "{overview}");
    for name in names.into_iter().filter(|&name| name != "help") {
        let help = stdout(endtable().args([name, "--help"]));
        assert!(help.contains("Example"), "{help}");
        assert!(help.contains(&format!("\n  endtable {name} ")), "{help}");
    }
}

#[test]
fn the_key_experiment_is_reproducible() {
    let printed = stdout(keys().words("--samples 20000"));
    assert_eq!(printed, stdout(keys().words("--samples 20000")));
    assert!(printed.contains("\n7          2048 bits   128 bits\n"), "{printed}");
    assert!(printed.contains("tree, 128 bits                           0\n"), "{printed}");
    stdout(keys().words("--samples 0"));
}

/// Runs a command in a folder.
fn run_in(folder: &TempDir, command: &mut Command) -> Done {
    command.current_dir(folder).run()
}

#[test]
fn a_file_is_not_replaced_unasked() {
    let folder = folder();
    run_in(&folder, &mut generate_2048("2x2", "score", "table.etb")).printed();
    let read = |file| fs::read_to_string(folder.path().join(file)).unwrap();
    let play = || {
        let mut command = play_2048();
        command.words("--board 2x2 --depth 1 --record games.txt");
        command
    };
    let stats = || {
        let mut command = stats("table.etb");
        command.words("--svg table.svg");
        command
    };
    let export = || export_csv("table.etb", "table.csv");
    let commands: [(&dyn Fn() -> Command, &str); 3] =
        [(&play, "games.txt"), (&export, "table.csv"), (&stats, "table.svg")];
    for (command, file) in commands {
        run_in(&folder, &mut command()).printed();
        fs::write(folder.path().join(file), "mine").unwrap();
        let said = run_in(&folder, &mut command()).failed(2);
        assert!(said.contains("--force replaces it"), "{said}");
        assert_eq!(read(file), "mine");
        run_in(&folder, command().arg("--force")).printed();
        assert_ne!(read(file), "mine");
    }
}

/// With the option each command is refused, without it it succeeds.
#[test]
fn options_of_the_other_game_are_refused() {
    let folder = folder();
    run_in(&folder, &mut generate_2048("2x2", "score", "table.etb")).printed();
    let mut collapsi = generate_seeds("0..1", "collapsi.etb");
    run_in(&folder, collapsi.words("--positions root")).printed();
    let board = "2,2/0,0";
    for (command, option, reason) in [
        (probe("table.etb").arg(board), "--rules wild", "--rules: not an option of 2048"),
        (probe("table.etb").arg(board), "--fold64", "--fold64: not an option of 2048"),
        (probe("collapsi.etb").seed("0"), "--spawns", "--spawns: not an option of collapsi"),
        (&mut solve_2048(board), "--rules wild", "'--rules'"),
        (&mut solve_2048(board), "--fold64", "'--fold64'"),
        (solve_collapsi().seed("0"), "--heuristic edges", "'--heuristic'"),
        (solve_collapsi().seed("0"), "--cut-off 0.1", "'--cut-off'"),
        (&mut generate_2048("2x2", "score", "other.etb"), "--heuristic edges", "--seeds"),
    ] {
        let mut with = Command::new(command.get_program());
        with.args(command.get_args()).words(option);
        let said = run_in(&folder, &mut with).failed(2);
        assert!(said.contains(reason), "{option}: {said}");
        run_in(&folder, command).printed();
    }
}

#[test]
fn tables_of_different_rules_are_not_merged() {
    let folder = folder();
    for size in ["2x2", "2x3"] {
        run_in(&folder, &mut generate_2048(size, "score", size)).printed();
    }
    let said = run_in(&folder, &mut merge(&["2x2", "2x3"], "both.etb")).failed(2);
    assert!(said.contains("differ in rules: 2x2 score and 2x3 score"), "{said}");
}

/// Serves what an example names, on a port of its own, asks for the tables and stops.
#[cfg(feature = "serve")]
fn served(folder: &TempDir, arguments: &str) {
    let mut command = endtable();
    command.arg("serve").words(arguments).args(["--listen", "127.0.0.1:0"]).current_dir(folder);
    let server = harness::http::Server::run(&mut command);
    let tables = server.json("/api/v1/tables");
    assert_eq!(tables["tables"].as_array().unwrap().len(), arguments.split(' ').count());
    assert_eq!(server.signal("-INT").0, Some(1));
}

#[cfg(not(feature = "serve"))]
fn served(_: &TempDir, _: &str) {}

/// The examples of the help texts work, one after the other in one folder.
#[test]
fn the_examples_of_the_games_work() {
    let folder = folder();
    let examples = games::ALL.iter().flat_map(|game| game.examples());
    let mut commands = 0;
    for (name, arguments) in examples {
        if *name == "serve" {
            served(&folder, arguments);
            continue;
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("\"$0\" {name} {arguments}")]).arg(PROGRAM);
        run_in(&folder, &mut shell).printed();
        commands += 1;
    }
    assert!(commands > 20, "{commands}");
}

#[test]
fn objects_have_the_promised_fields() {
    assert_eq!(
        solve_seed("1", "--json"),
        "{\"game\":\"collapsi\",\"rules\":\"one\",\"position\":\"A332/234Jx/3A42/A2AJo x\",\
         \"key\":\"0100000808001830:12d27d06b02589e4\",\"turn\":\"x\",\"result\":\"win\",\
         \"plies\":13,\"best\":[\"73\",\"74\",\"76\"]}\n"
    );
    let folder = folder();
    run_in(&folder, &mut generate_2048("2x2", "tile:16", "table.etb")).printed();
    let lines = b"8,4/2,2\n8,8/8,2\nnonsense\n";
    let done =
        probe("table.etb").args(["--stdin", "--json", "--moves"]).current_dir(&folder).feed(lines);
    let objects: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(
        objects,
        [
            "{\"game\":\"2048\",\"board\":\"2x2\",\"position\":\"0000000000110023\",\
             \"key\":\"0000000000110023\",\"rows\":\"8,4/2,2\",\"value\":1.0,\"unit\":\"chance\",\"best\":[\"right\"],\
             \"moves\":[{\"move\":\"right\",\"value\":1.0},{\"move\":\"left\",\"value\":0.1}]}",
            "{\"game\":\"2048\",\"position\":\"0000000000130033\",\"result\":\"absent\"}",
            objects[2],
        ]
    );
    assert!(objects[2].starts_with("{\"input\":\"nonsense\",\"error\":\""), "{}", objects[2]);
    done.failed(2);
}

/// Sixteen digits may be a folded key or a seed.
#[test]
fn a_seed_of_sixteen_digits_is_found_in_a_folded_table() {
    let folder = folder();
    let (seed, seeds) = ("1000000000000000", "1000000000000000..1000000000000001");
    let mut generate = generate_seeds(seeds, "folded.etb");
    run_in(&folder, generate.words("--positions root --fold64")).printed();
    let line = run_in(&folder, probe("folded.etb").seed(seed)).printed();
    assert_eq!(line, solve_seed(seed, ""));
}

#[test]
fn a_damaged_block_spoils_only_the_lines_that_are_in_it() {
    let folder = folder();
    let table = folder.path().join("damaged.etb");
    let mut bytes = fs::read(project("data").join("collapsi-one-seeds-0-2.etb")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&table, bytes).unwrap();
    let listed =
        stdout(endtable().arg("dump").arg(project("data").join("collapsi-one-seeds-0-2.etb")));
    let keys: Vec<&str> = listed.lines().map(|line| &line[..33]).collect();
    let input = keys.join("\n");
    let sound = probe(project("data")).arg("--stdin").feed(input.as_bytes()).printed();
    let done = probe(&table).arg("--stdin").feed(input.as_bytes());
    assert_eq!(done.stdout.lines().count(), keys.len());
    let spoiled = done.stdout.lines().zip(sound.lines()).filter(|(line, sound)| {
        assert!(line == sound || *line == "?", "{line}");
        line != sound
    });
    let spoiled = spoiled.count();
    assert!((1..keys.len() / 2).contains(&spoiled), "{spoiled}");
    assert_eq!(done.failed(3).lines().count(), spoiled);
}

#[test]
fn errors_are_objects_where_objects_are_asked_for() {
    let error = |command: &mut Command, code| -> serde_json::Value {
        serde_json::from_str(&command.arg("--json").run().failed(code)).unwrap()
    };
    let usage = error(endtable().args(["solve", "collapsi", "--sed", "1"]), 2);
    assert!(usage["error"].as_str().unwrap().starts_with("unexpected argument '--sed'"), "{usage}");
    assert_eq!(usage["exit"], 2);
    assert_eq!(error(&mut probe("missing.etb"), 3)["exit"], 3);
    let done = solve_collapsi().args(["--stdin", "--json"]).feed(b"1\nx\n2\n");
    assert_eq!(done.stdout.lines().count(), 3);
    let of_line: serde_json::Value = serde_json::from_str(&done.failed(2)).unwrap();
    assert_eq!(of_line["line"], 2);
    // Behind --, it is no option.
    let message = solve_collapsi().args(["--", "--json"]).run().failed(2);
    assert!(message.starts_with("endtable: --json: expected a position"), "{message}");
}
