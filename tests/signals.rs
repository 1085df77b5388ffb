//! Signals: every command that runs long stops when it is asked to, says so, exits with 1 and leaves
//! nothing behind. A command that learns to stop is a line in [`COMMANDS`].

mod harness;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Write, pipe};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use harness::commands::{
    endtable, export_csv, generate_2048, generate_complete, generate_seeds, keys, merge, play_2048,
    stats, verify,
};
use harness::process::{Process, shell};
use harness::{folder, lasting_folder};

/// A million records: enough to be at work for a while.
static TABLE: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = lasting_folder("signals").join("seeds.etb");
    generate_seeds("0..20", &path).run().printed();
    path
});

/// The same table under many names: enough to add up for a while.
static TABLES: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = lasting_folder("signals-many");
    for number in 0..200 {
        fs::hard_link(&*TABLE, folder.join(format!("{number}.etb"))).unwrap();
    }
    folder
});

/// A command with its name, which writes to a path if it writes.
type Named = (&'static str, fn(&Path) -> Command);

/// What runs long, writing to a folder of its own if it writes.
const COMMANDS: &[Named] = &[
    ("merge", |folder| merge(&[TABLE.to_str().unwrap()], folder.join("out.etb"))),
    ("export", |folder| export_csv(&*TABLE, folder.join("out.csv"))),
    ("verify", |_| verify(&*TABLE)),
    ("verify --full", |_| with(verify(&*TABLE), "--full")),
    ("verify --resolve", |_| with(verify(&*TABLE), "--resolve 1000000")),
    ("stats", |_| stats(&*TABLES)),
    ("manifest", |_| {
        let mut command = endtable();
        command.arg("manifest").arg(&*TABLES);
        command
    }),
    ("keys", |_| with(keys(), "--samples 20000000")),
    ("solve", |_| {
        let mut command = endtable();
        command.args(["solve", "tak", "x6/x6/x6/x6/x6/x6 1 1", "--plies", "250"]);
        command
    }),
    ("solve --depth", |_| {
        let board = "solve 2048 2,4,8,16/0,0,0,0/0,0,0,0/0,0,0,0 --depth 60 --cut-off 0";
        with(endtable(), board)
    }),
    #[cfg(feature = "serve")]
    ("serve", |_| with(endtable(), "serve --listen 127.0.0.1:0")),
    ("play", |_| with(play_2048(), "--games 100000 --depth 1 --heuristic edges")),
    ("generate seeds", |folder| generate_seeds("0..2000", folder.join("out.etb"))),
    ("generate complete", |folder| generate_complete(10, folder.join("out"))),
    ("generate 2048", |folder| generate_2048("3x3", "score", folder.join("out.etb"))),
];

/// What is there afterwards: the work that is resumed.
const WORK: [&str; 2] = ["out", "out.etb.work"];

fn with(mut command: Command, words: &str) -> Command {
    command.words(words);
    command
}

/// A process with its signals.
struct Signalled(Child);

impl Signalled {
    /// Starts a command and waits until it listens to a signal.
    fn start(command: &mut Command, signal: &str) -> Self {
        let command = command.stdin(Stdio::null()).stderr(Stdio::piped());
        let started = Self(command.spawn().expect("it can be started"));
        while !started.listens_to(signal) {
            sleep(Duration::from_millis(1));
        }
        started
    }

    fn listens_to(&self, signal: &str) -> bool {
        let number = match signal {
            "HUP" => 1,
            "INT" => 2,
            _ => 15,
        };
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        // One that has ended listens no more, and is not waited for.
        let caught =
            caught.map_or(u64::MAX, |caught| u64::from_str_radix(caught.trim(), 16).unwrap());
        caught >> (number - 1) & 1 == 1
    }

    fn send(&self, signal: &str) {
        let kill = Command::new("kill").args(["-s", signal, &self.0.id().to_string()]).status();
        assert!(kill.expect("there is a kill").success());
    }

    /// The exit code, `None` after a signal, and what was said.
    fn end(self) -> (Option<i32>, String) {
        let output = self.0.wait_with_output().expect("it can be waited for");
        (output.status.code(), String::from_utf8(output.stderr).expect("only UTF-8 is printed"))
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn every_command_stops_when_it_is_asked_to() {
    LazyLock::force(&TABLES);
    for (number, (name, command)) in COMMANDS.iter().enumerate() {
        let signals = ["INT", "TERM", "HUP"];
        // All three for the first, and each for a third of the others.
        let signals = if number == 0 { &signals[..] } else { &signals[number % 3..=number % 3] };
        for signal in signals {
            let folder = folder();
            let mut command = command(folder.path());
            let started = Signalled::start(command.stdout(Stdio::null()), signal);
            started.send(signal);
            let (code, said) = started.end();
            assert_eq!(code, Some(1), "{name}, {signal}: {said}");
            assert!(said.contains("stopped"), "{name}, {signal}: {said}");
            let left = names(folder.path());
            assert!(left.iter().all(|name| WORK.contains(&name.as_str())), "{name}: {left:?}");
        }
    }
}

/// A command that cannot stop, because nobody takes what it writes, is ended by a second Ctrl-C.
#[test]
fn a_second_ctrl_c_does_not_ask() {
    let (_reader, mut writer) = pipe().unwrap();
    writer.write_all(&[b'\n'; 1 << 16]).unwrap();
    let mut command = with(keys(), "--samples 1000");
    let started = Signalled::start(command.stdout(writer), "INT");
    started.send("INT");
    sleep(Duration::from_millis(50));
    started.send("INT");
    assert_eq!(started.end().0, Some(130));
}

#[test]
fn what_nohup_started_outlives_its_terminal() {
    let folder = folder();
    let command = merge(&[TABLE.to_str().unwrap()], folder.path().join("out.etb"));
    let mut command = shell("trap '' HUP; exec \"$0\" \"$@\"", &command);
    let started = Signalled::start(command.stdout(Stdio::null()), "TERM");
    started.send("HUP");
    let (code, said) = started.end();
    assert_eq!(code, Some(0), "{said}");
    verify(folder.path().join("out.etb")).run().printed();
}
