//! The program as its users meet it: what goes in, what comes out, and how it fails.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::thread;

use endtable::games::random::SplitMix64;

const ENDTABLE: &str = env!("CARGO_BIN_EXE_endtable");

/// The deal of seed 1 in every form, and its answer under the rule `one`.
const SEED: &str = "1";
const POSITION: &str = "A332/234Jx/3A42/A2AJo x";
const STATE: &str = "5201,2818,0126,0440,0080,8000,0000,0";
const KEY: &str = "0100000808001830:12d27d06b02589e4";
const LINE: &str = "0100000808001830:12d27d06b02589e4 0173\n";

fn run(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(ENDTABLE)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // From a thread of its own: the program answers while it reads. A program that does not read
    // closes the pipe, which is no fault.
    thread::scope(|scope| {
        scope.spawn(move || _ = stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}

fn stdout(args: &[&str]) -> String {
    stdout_from(args, "")
}

fn stdout_from(args: &[&str], input: &str) -> String {
    let done = run(args, input.as_bytes());
    let stderr = text(&done.stderr);
    assert!(done.status.success() && stderr.is_empty(), "{args:?}: {:?} {stderr}", done.status);
    text(&done.stdout)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("only UTF-8 is printed")
}

/// Exit code 2 and not a byte on stdout; gives what was said on stderr.
fn refused(args: &[&str], input: &[u8]) -> String {
    let done = run(args, input);
    let stderr = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{args:?}: {stderr}");
    assert_eq!(text(&done.stdout), "", "{args:?}");
    assert!(!stderr.is_empty() && !stderr.contains("panicked"), "{args:?}: {stderr}");
    stderr
}

#[test]
fn every_form_gives_the_same_line() {
    for (option, value) in
        [("--seed", SEED), ("--position", POSITION), ("--state", STATE), ("--key", KEY)]
    {
        assert_eq!(stdout(&["solve", option, value]), LINE, "{option}");
        assert_eq!(stdout_from(&["solve", "--stdin"], value), LINE, "{value} without an end");
        assert_eq!(stdout_from(&["solve", "--stdin"], &format!(" {value} \r\n")), LINE, "{value}");
        assert_eq!(stdout(&["dump", option, value]), stdout(&["dump", "--seed", SEED]));
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
        assert_eq!(stdout(&["solve", "--seed", seed]), format!("{one}\n"));
        assert_eq!(stdout(&["solve", "--seed", seed, "--rules", "one"]), format!("{one}\n"));
        assert_eq!(stdout(&["solve", "--seed", seed, "--rules", "wild"]), format!("{wild}\n"));
    }
}

#[test]
fn folded_keys_have_one_half() {
    assert_eq!(stdout(&["solve", "--seed", "1", "--fold64"]), "833f41b3594c92e8 0173\n");
}

#[test]
fn the_state_follows_the_answer() {
    let printed = stdout(&["solve", "--key", KEY, "--dump-state"]);
    assert_eq!(printed, format!("{LINE}state {STATE}\n"));
}

#[test]
fn verbose_adds_distance_moves_nodes_and_time() {
    let printed = stdout(&["solve", "--seed", "1", "--verbose"]);
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
        let exact = stdout_from(&["solve", "--stdin", "--rules", rules], &seeds);
        let quick = stdout_from(&["solve", "--stdin", "--rules", rules, "--no-distance"], &seeds);
        assert_eq!(quick.lines().count(), 40);
        for (exact, quick) in exact.lines().zip(quick.lines()) {
            // The key, a blank, the turn and the win.
            assert_eq!(exact[..36], quick[..36]);
            assert_eq!((exact.len(), quick.len()), (38, 38));
        }
    }
    let both = refused(&["solve", "--seed", "1", "--no-distance", "--verbose"], b"");
    assert!(both.contains("cannot be used with"), "{both}");
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let over = ["solve", "--position", "Ax.../..../..Ao./.... x"];
    let printed = stdout(&over);
    assert!(printed.ends_with(" 00ff\n"), "{printed}");
    assert_eq!(stdout(&[&over[..], &["--no-distance"]].concat()), printed);
    let verbose = stdout(&[&over[..], &["--verbose"]].concat());
    assert!(verbose.contains("\ndistance 0\nnodes "), "{verbose}");
    let picture = stdout(&[&over[..], &["--picture"]].concat());
    assert!(picture.ends_with("x to move loses in 0 plies; it has no move\n"), "{picture}");
}

#[test]
fn dump_shows_all_forms() {
    let printed = stdout(&["dump", "--seed", "1"]);
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
    let again = stdout(&["dump", "--position", position]);
    assert!(again.contains(&format!("key       {key}\n")), "{again}");
    assert!(again.contains(&format!("canonical {canonical}\n")), "{again}");
}

#[test]
fn lines_are_answered_in_order() {
    let seeds: String = (0..300).map(|seed| format!("{seed}\n")).collect();
    let together = stdout_from(&["solve", "--stdin", "--no-distance"], &seeds);
    let lines: Vec<&str> = together.lines().collect();
    assert_eq!(lines.len(), 300);
    for seed in [0, 1, 150, 299] {
        let alone = stdout(&["solve", "--no-distance", "--seed", &seed.to_string()]);
        assert_eq!(format!("{}\n", lines[seed]), alone);
    }
}

#[test]
fn a_bad_line_is_named_and_the_others_answered() {
    let zero = stdout(&["solve", "--seed", "0"]);
    let two = stdout(&["solve", "--seed", "2"]);
    let done = run(&["solve", "--stdin"], b"0\n1\nJxA23/4Jo3K/A2A3/2A43 x\n2\n");
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(text(&done.stdout), format!("{zero}{LINE}{two}"));
    assert_eq!(
        text(&done.stderr),
        "endtable: line 3: row 2, column 4: expected A, 2, 3, 4, J or ., found 'K'\n"
    );
}

#[test]
fn what_is_wrong_is_named() {
    for (option, value, named) in [
        ("--seed", "x", "--seed"),
        ("--seed", "18446744073709551616", "--seed"),
        ("--seed", "", "--seed"),
        ("--position", "", "four rows"),
        ("--position", "JxA23/4Jo32/A2A3/2A43", "side to move"),
        ("--position", "JxA23/4Jo32/A2A3/2A43 y", "side to move is x or o, found \"y\""),
        ("--position", "JxA23/4Jo32/A2A3 x", "expected 4 rows parted by /, found 3"),
        ("--position", "JxA23/4Jo3/A2A3/2A43 x", "row 2 has 3 cells, expected 4"),
        ("--position", "JxA23/4Jo32/A2A?/2A43 x", "row 3, column 4"),
        ("--position", "JxA23/4Jo322/A2A3/2A43 x", "row 2, column 5"),
        ("--position", "xJA23/4Jo32/A2A3/2A43 x", "row 1, column 1: expected a card"),
        ("--position", "JA23/4Jo32/A2A3/2A43 x", "0 pawns x"),
        ("--position", "JxoA23/4J32/A2A3/2A43 x", "both pawns stand on cell 0"),
        ("--position", ".xA23/4Jo32/A2A3/2A43 x", "pawn x stands on cell 0"),
        ("--position", "JxA23/4Jo32/A2A3/2A44 x", "3 cards 4, but the deck has 2"),
        ("--position", "JxJ23/4Jo32/A2A3/2A43 x", "cell 1 has no card"),
        ("--position", "AxA23/4Jo32/A2.3/2.43 x", "1 pawns on jokers"),
        ("--state", "1,2,3", "expected 8 hex numbers A,2,3,4,X,O,collapsed,turn, found 3"),
        ("--state", "5201,2818,0126,0440,0080,8000,g,0", "field collapsed"),
        ("--state", "5201,2818,0126,0440,10080,8000,0,0", "field X"),
        ("--state", "5201,2818,-126,0440,0080,8000,0,0", "field 3"),
        ("--state", "5201,2819,0126,0440,0080,8000,0,0", "cell 0 has two cards"),
        ("--state", "5201,2818,0126,0440,0080,8000,0,2", "turn is 0 for x or 1 for o, found 2"),
        ("--state", "5201,2818,0126,0440,0000,8000,0,0", "0 pawns x"),
        ("--key", "12", "no colon"),
        ("--key", "g:0", "HI of a key is 1 to 16 hex digits, found \"g\""),
        ("--key", "0:00112233445566778", "LO of a key"),
        ("--key", "1:1", "turn is 0 for x or 1 for o"),
        ("--key", "0:0", "0 pawns x"),
    ] {
        for command in ["solve", "dump"] {
            let stderr = refused(&[command, option, value], b"");
            assert!(stderr.contains(named), "{option} {value:?}: {stderr}");
        }
        // A line with nothing but digits is a seed, so a key without its colon may be one.
        if value != "12" {
            let stderr = refused(&["solve", "--stdin"], format!("{value}\n").as_bytes());
            assert!(stderr.starts_with("endtable: line 1: "), "{stderr}");
        }
    }
}

#[test]
fn usage_errors_are_refused() {
    refused(&[], b"");
    refused(&["no-such-command"], b"");
    refused(&["solve"], b"");
    refused(&["solve", "--seed", "1", "--stdin"], b"");
    let rules = refused(&["solve", "--seed", "1", "--rules", "two"], b"");
    assert!(rules.contains("`one` or `wild`"), "{rules}");
    refused(&["keys", "--samples", "18446744073709551615"], b"");
}

#[cfg(unix)]
#[test]
fn arguments_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    for option in ["--seed", "--position", "--state", "--key", "--rules"] {
        let done = Command::new(ENDTABLE)
            .args([OsStr::new("solve"), OsStr::new(option), OsStr::from_bytes(b"\xff/\xfe,:")])
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(2), "{option}");
        assert!(done.stdout.is_empty() && !text(&done.stderr).contains("panicked"));
    }
}

#[test]
fn odd_bytes_are_bad_lines() {
    for input in [&b"\xff\xfe\n"[..], b"\0\n", b"\0/\0/\0/\0 x", b"\xc3,\xc3", b"\n", b"  \t\r\n"] {
        let stderr = refused(&["solve", "--stdin"], input);
        assert!(stderr.starts_with("endtable: line 1: "), "{input:?}: {stderr}");
        assert!(stderr.contains("expected "), "{input:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{input:?}: {stderr}");
    }
    assert_eq!(stdout_from(&["solve", "--stdin"], ""), "");
    assert_eq!(stdout_from(&["dump", "--stdin"], ""), "");
}

#[test]
fn a_long_line_is_one_bad_line() {
    for filler in ["9", "/", ",", ":", " ", "JxA23/", "\u{e4}"] {
        let long = filler.repeat(3_000_000 / filler.len());
        let done = run(&["solve", "--stdin"], format!("{long}1\n1\n{long}").as_bytes());
        assert_eq!(done.status.code(), Some(2));
        assert_eq!(text(&done.stdout), LINE, "after many {filler:?}");
        let stderr = text(&done.stderr);
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
    for command in [&["solve", "--stdin", "--no-distance"][..], &["solve", "--stdin", "--fold64"]] {
        let done = run(command, &input);
        let stderr = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
        let answers = text(&done.stdout).lines().count();
        let complaints = stderr.matches("endtable: line ").count();
        assert_eq!(answers + complaints, lines, "{stderr}");
        assert!(answers > 0, "no damage was harmless");
    }
    let done = run(&["dump", "--stdin"], &input);
    assert_eq!(done.status.code(), Some(2));
}

/// A byte that belongs in some form of a position.
fn pick(random: &mut SplitMix64) -> u8 {
    let usual = b"A234J.xo/,: 0123456789abcdef";
    usual[random.below(usual.len() as u64) as usize]
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let script =
        "{ seq 0 20000 | \"$0\" solve --stdin --no-distance; echo \"exit $?\" >&2; } | head -n 1";
    let done = Command::new("sh").args(["-c", script, ENDTABLE]).output().unwrap();
    assert_eq!(text(&done.stdout).lines().count(), 1);
    assert_eq!(text(&done.stderr), "exit 0\n");
}

/// What cannot be written is an I/O error, exit code 3; a complaint that cannot be written is no
/// reason to fall over.
#[cfg(target_os = "linux")]
#[test]
fn full_disks_are_reported() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let done =
        Command::new(ENDTABLE).args(["solve", "--seed", "1"]).stdout(full()).output().unwrap();
    assert_eq!(done.status.code(), Some(3));
    assert!(text(&done.stderr).starts_with("endtable: "));

    let script = "printf '0\\nbad\\n1\\n' | \"$0\" solve --stdin";
    let done = Command::new("sh").args(["-c", script, ENDTABLE]).stderr(full()).output().unwrap();
    assert_eq!((done.status.code(), text(&done.stdout).lines().count()), (Some(2), 2));
}

#[test]
fn help_shows_an_example_of_each_command() {
    let overview = stdout(&["--help"]);
    let (_, commands) = overview.split_once("Commands:\n").unwrap();
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 3, "{overview}");
    for name in names.into_iter().filter(|&name| name != "help") {
        let help = stdout(&[name, "--help"]);
        assert!(help.contains("Example"), "{help}");
        assert!(help.contains(&format!("\n  endtable {name} ")), "{help}");
    }
}

#[test]
fn the_key_experiment_is_reproducible() {
    let printed = stdout(&["keys", "--samples", "20000"]);
    assert_eq!(printed, stdout(&["keys", "--samples", "20000"]));
    assert!(printed.contains("\n7          2048 bits   128 bits\n"), "{printed}");
    assert!(printed.contains("tree, 128 bits                           0\n"), "{printed}");
    stdout(&["keys", "--samples", "0"]);
}
