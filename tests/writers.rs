//! Whatever happens to those who write, a file is there as a whole or not at all: two writers of one
//! output, links in the way, kills at any moment. A command that writes is a line in [`WRITERS`].

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use endtable::random::SplitMix64;
use harness::commands::{
    export_csv, generate_2048, generate_complete, generate_seeds, merge, play_2048,
};
use harness::process::Process;
use harness::{folder, lasting_folder};

/// Some thousand records each, of other seeds.
static TABLES: LazyLock<[PathBuf; 2]> = LazyLock::new(|| {
    let folder = lasting_folder("writers");
    ["0..1", "1..2"].map(|seeds| {
        let path = folder.join(format!("{seeds}.etb"));
        generate_seeds(seeds, &path).run().printed();
        path
    })
});

fn table(number: usize) -> &'static str {
    TABLES[number].to_str().unwrap()
}

fn words(mut command: Command, words: &str) -> Command {
    command.words(words);
    command
}

/// A command with its name, which writes to a path if it writes.
type Named = (&'static str, fn(&Path) -> Command);

/// What writes a file.
const WRITERS: &[Named] = &[
    ("merge", |out| words(merge(&[table(0)], out), "--force")),
    ("merge both", |out| words(merge(&[table(0), table(1)], out), "--force")),
    ("export", |out| words(export_csv(table(1), out), "--force")),
    ("generate seeds", |out| words(generate_seeds("2..3", out), "--force --positions root")),
    ("generate 2048", |out| words(generate_2048("2x2", "score", out), "--force")),
    ("record", |out| {
        let mut play = words(play_2048(), "--games 20 --depth 0 --heuristic edges --force");
        play.arg("--record").arg(out);
        play
    }),
];

/// What a writer leaves if it is alone.
fn alone(writer: fn(&Path) -> Command) -> Vec<u8> {
    let folder = folder();
    let out = folder.path().join("out");
    writer(&out).run().printed();
    fs::read(out).unwrap()
}

#[test]
fn of_two_writers_the_last_wins_whole_or_is_refused() {
    let expected: Vec<Vec<u8>> = WRITERS.iter().map(|(_, writer)| alone(*writer)).collect();
    for one in 0..WRITERS.len() {
        for other in one..WRITERS.len() {
            let folder = folder();
            let out = folder.path().join("out");
            let both = [one, other].map(|writer| WRITERS[writer].1(&out).start());
            let names = [one, other].map(|writer| WRITERS[writer].0);
            let codes = both.map(|running| running.end().code());
            let found = fs::read(&out).unwrap();
            let whole = [one, other].iter().any(|&writer| expected[writer] == found);
            assert!(whole, "{names:?}: {} bytes that neither has written", found.len());
            assert!(codes.contains(&Some(0)), "{names:?}: {codes:?}");
            let left = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
            let left: Vec<_> = left.filter(|name| name != "out" && name != "out.work").collect();
            assert!(left.is_empty(), "{names:?}: {left:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn links_in_the_way_are_not_followed() {
    use std::os::unix::fs::symlink;
    for (name, writer) in WRITERS {
        let folder = folder();
        let (out, victim) = (folder.path().join("out"), folder.path().join("victim"));
        fs::write(&victim, "precious").unwrap();
        for link in ["out.partial", ".out.1-2-3.partial"] {
            symlink(&victim, folder.path().join(link)).unwrap();
        }
        // Nor is one under the name itself: it is replaced, as a file is.
        symlink(&victim, &out).unwrap();
        writer(&out).run();
        assert_eq!(fs::read(&victim).unwrap(), b"precious", "{name}");
    }
}

/// How many kills each command has to stand: few in every run of the tests, thirty when asked.
fn kills() -> usize {
    std::env::var("ENDTABLE_KILLS").map_or(4, |kills| kills.parse().expect("a number"))
}

/// Kills a command again and again, at moments that are spread over the time that it takes, until it
/// has stood all kills; then lets it finish. What it leaves is what it leaves undisturbed, wherever.
fn stands_kills(name: &str, command: impl Fn(&Path) -> Command, files: &[&str]) {
    let undisturbed = folder();
    let begun = Instant::now();
    command(undisturbed.path()).run().printed();
    let time = begun.elapsed();
    let disturbed = folder();
    let mut random = SplitMix64::new(time.as_nanos() as u64);
    for number in 0..kills() {
        let after = time.mul_f64(random.below(1000) as f64 / 1000.0).max(Duration::from_millis(1));
        command(disturbed.path()).start().kill_after(after);
        for file in files {
            let there = disturbed.path().join(file);
            let whole = !there.exists()
                || fs::read(&there).unwrap() == fs::read(undisturbed.path().join(file)).unwrap();
            assert!(whole, "{name}: {file} is half-written after kill {number}");
        }
        // Once it is finished, it begins anew.
        if files.iter().all(|file| disturbed.path().join(file).exists()) {
            files.iter().for_each(|file| fs::remove_file(disturbed.path().join(file)).unwrap());
        }
    }
    command(disturbed.path()).run().printed();
    for file in files {
        let [found, expected] =
            [&disturbed, &undisturbed].map(|folder| fs::read(folder.path().join(file)).unwrap());
        assert!(found == expected, "{name}: {file}");
    }
    let left = fs::read_dir(disturbed.path()).unwrap().count();
    let expected = fs::read_dir(undisturbed.path()).unwrap().count();
    assert_eq!(left, expected, "{name}: something is left behind");
}

#[test]
fn a_killed_merge_leaves_nothing() {
    stands_kills("merge", |at| merge(&[table(0), table(1)], at.join("out.etb")), &["out.etb"]);
}

#[test]
fn a_killed_export_leaves_nothing() {
    stands_kills("export", |at| export_csv(table(0), at.join("out.csv")), &["out.csv"]);
}

/// Smaller boards and layers where kills are few.
fn of<T>(few: T, many: T) -> T {
    if kills() > 4 { many } else { few }
}

#[test]
fn killed_scores_are_resumed() {
    let score = |at: &Path| generate_2048(of("2x4", "3x3"), "score", at.join("out.etb"));
    stands_kills("score", score, &["out.etb"]);
}

#[test]
fn killed_chances_are_resumed() {
    let tile = |at: &Path| generate_2048(of("3x3", "3x4"), "tile:32", at.join("out.etb"));
    stands_kills("tile:32", tile, &["out.etb"]);
}

#[test]
fn killed_complete_tables_are_resumed() {
    let cards = of(7, 9);
    let files: Vec<String> =
        (2..=cards).map(|cards| format!("out/collapsi-{cards:02}.etd")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    stands_kills("complete", |at| generate_complete(cards, at.join("out")), &files);
}
