//! 2048 on small boards: counts and values against published ones, against games played out, and
//! against themselves; kills, memory and threads leave no trace in the file.

mod harness;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use endtable::games::random::SplitMix64;
use endtable::games::twenty48::{Board, Direction, Limit, Rules, Search, Settings, Size, Symmetry};
use endtable::generate::twenty48::{Exact, expect};
use endtable::generate::{Options, Outcome};
use endtable::probe::Twenty48Tables;
use endtable::progress::{Progress, Quiet};
use endtable::table::{Meta, Record, Table, ValueKind, Writer};
use harness::commands::{generate_2048, probe, stats, verify};
use harness::process::Process;
use harness::tables::{exact_2048, open_2048, options};
use harness::{folder, tables};
use tempfile::TempDir;

/// A table made by the program, in a folder of its own.
struct Made {
    folder: TempDir,
    tables: Twenty48Tables,
}

impl Made {
    fn new(size: &str, objective: &str, more: &str) -> Self {
        let folder = folder();
        let out = folder.path().join("table.etb");
        generate_2048(size, objective, &out).words(more).run().printed();
        assert!(!folder.path().join("table.etb.work").exists());
        Self { tables: open_2048(&out), folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("table.etb")
    }

    fn table(&self) -> &Table {
        &self.tables.set().tables()[0]
    }

    fn size(&self) -> Size {
        self.tables.rules().size
    }

    fn boards(&self) -> Vec<Board> {
        let records = self.table().records();
        records.map(|record| self.tables.board(&record.unwrap()).unwrap()).collect()
    }

    fn start(&self) -> f64 {
        self.tables.start().unwrap().unwrap()
    }
}

/// States, terminal states and highest tile.
fn counts(made: &Made) -> (usize, usize, u32) {
    let boards = made.boards();
    let over = boards.iter().filter(|board| board.is_over(made.size())).count();
    let highest = boards.iter().map(|board| 1 << board.highest()).max().unwrap();
    (boards.len(), over, highest)
}

fn close(found: f64, published: f64, within: f64) {
    assert!((found - published).abs() <= within, "{found}, published {published}");
}

#[test]
fn published_counts_and_scores() {
    let two_two = Made::new("2x2", "score", "--value f64");
    assert_eq!(counts(&two_two), (110, 36, 32));
    close(two_two.start(), 66.96414946, 5e-9);
    let two_three = Made::new("2x3", "score", "");
    assert_eq!(counts(&two_three), (21_752, 4_484, 128));
    close(two_three.start(), 480.2583, 5e-5);
    // The other way up it is the same game.
    let three_two = Made::new("3x2", "score", "");
    assert_eq!(counts(&three_two), (21_752, 4_484, 128));
    assert!((three_two.start() - two_three.start()).abs() < 1e-9);
}

#[test]
fn published_counts_and_score_of_two_by_four() {
    let made = Made::new("2x4", "score", "");
    assert_eq!(counts(&made), (4_980_767, 892_648, 512));
    close(made.start(), 2641.873, 5e-4);
    // Every record is one step of backup from the records after it.
    verify(made.path()).arg("--full").run().printed();
}

#[test]
fn published_chances() {
    let chance = |size, objective| {
        let made = Made::new(size, objective, "--value f64");
        let unfinished = made.boards();
        let going = unfinished.iter().filter(|board| !board.is_over(made.size())).count();
        (made.start(), going)
    };
    let (sixteen, _) = chance("2x2", "tile:16");
    close(sixteen, 770_009_003.0 / 800_000_000.0, 1e-15);
    let (thirty_two, going) = chance("2x2", "tile:32");
    close(thirty_two, 0.0829, 5e-5);
    assert_eq!(going, 57, "jdleesmiller/twenty48 counts the states of the game to 32");
    close(chance("2x3", "tile:128").0, 0.0570, 5e-5);
    close(chance("2x4", "tile:256").0, 0.8698, 5e-5);
    close(chance("2x4", "tile:512").0, 0.0246, 5e-5);
}

#[test]
fn what_it_will_take_is_guessed_within_a_factor_of_two() {
    for (size, states) in
        [("2x2", 110.0), ("2x3", 21_752.0), ("2x4", 4_980_767.0), ("3x3", 48_713_519.0)]
    {
        let expected = expect(&exact_2048(size, "score"), ValueKind::F32);
        let factor = expected.states / states;
        assert!((0.5..=2.0).contains(&factor), "{size}: {expected:?}, true {states}");
        assert_eq!(expected.exact, expected.states == states, "{size}");
    }
    for (size, objective, states) in [
        ("2x3", "tile:64", 6_930.0),
        ("2x4", "tile:256", 1_484_919.0),
        ("2x4", "tile:512", 2_980_688.0),
        ("3x3", "tile:512", 14_314_189.0),
        ("3x3", "tile:1024", 29_063_397.0),
    ] {
        let factor = expect(&exact_2048(size, objective), ValueKind::Chance32).states / states;
        assert!((0.5..=2.0).contains(&factor), "{size} {objective}: {factor}");
    }
    // What was expected of the file is true, too.
    let made = Made::new("2x4", "tile:256", "");
    let expected = expect(&exact_2048("2x4", "tile:256"), ValueKind::Chance32);
    let (bytes, states) = (made.table().header().file_length as f64, made.table().len() as f64);
    let factor = (expected.table / expected.states) / (bytes / states);
    assert!((0.5..=2.0).contains(&factor), "{expected:?}, true {bytes} for {states}");
}

/// What a board is worth, by trying everything to the end: no layers, no symmetry, no table.
fn play_out(board: Board, rules: Rules, known: &mut HashMap<Board, f64>) -> f64 {
    if rules.is_finished(board) {
        return 1.0;
    }
    if let Some(&value) = known.get(&board) {
        return value;
    }
    let mut best = 0.0;
    for direction in Direction::ALL {
        let Some((after, score)) = board.slide(direction, rules.size) else { continue };
        let mut value = rules.gain(score);
        for (next, spawn) in after.spawns(rules.size) {
            value += spawn.chance * play_out(next, rules, known);
        }
        best = f64::max(best, value);
    }
    known.insert(board, best);
    best
}

#[test]
fn every_value_is_that_of_the_game_played_out() {
    for (size, objective) in
        [("2x2", "score"), ("2x2", "tile:16"), ("2x3", "score"), ("2x3", "tile:64")]
    {
        let made = Made::new(size, objective, "--value f64");
        let rules = made.tables.rules();
        let mut known = HashMap::new();
        for board in made.boards() {
            let value = play_out(board, rules, &mut known);
            let found = made.tables.probe(board).unwrap().unwrap();
            assert!(
                (found.value - value).abs() <= 1e-12 * value.max(1.0),
                "{board} {found:?} {value}"
            );
            assert_eq!(found.win, value > 0.0, "{board}");
            let moves = made.tables.moves(board).unwrap();
            assert_eq!(found.best.is_none(), board.is_over(rules.size), "{board}");
            if let Some(best) = found.best {
                let best = moves[best as usize].unwrap().value.unwrap();
                assert!((best - value).abs() <= 1e-12 * value.max(1.0), "{board}");
            }
        }
    }
}

#[test]
fn search_beyond_the_end_of_the_game_gives_the_value_of_the_table() {
    for (size, least_sum) in [("2x2", 0), ("2x3", 190)] {
        let made = Made::new(size, "score", "--value f64");
        let search = Search::new(&Settings {
            size: made.size(),
            heuristic: "score".parse().unwrap(),
            limit: Limit::Depth(60),
            cut_off: 0.0,
            ..Settings::default()
        })
        .unwrap();
        let late = made.boards().into_iter().filter(|board| board.sum() >= least_sum);
        let late: Vec<Board> = late.filter(|board| !board.is_over(made.size())).collect();
        assert!(late.len() > 70, "{size}: {}", late.len());
        for board in late {
            let value = made.tables.probe(board).unwrap().unwrap().value;
            let found = search.best(board).unwrap().value;
            assert!((found - value).abs() <= 1e-5 * value.max(1.0), "{board}: {found}, {value}");
        }
    }
}

#[test]
fn any_orientation_gets_the_same_answer() {
    let made = Made::new("2x3", "score", "");
    let mut random = SplitMix64::new(1);
    let boards = made.boards();
    for _ in 0..2_000 {
        let board = boards[random.below(boards.len() as u64) as usize];
        let found = made.tables.probe(board).unwrap().unwrap();
        for symmetry in Symmetry::all(made.size()) {
            let image = symmetry.board(board, made.size());
            let there = made.tables.probe(image).unwrap().unwrap();
            assert_eq!((there.win, there.value), (found.win, found.value));
            // The best move is legal in this orientation, and worth as much.
            if let Some(best) = there.best {
                let value =
                    made.tables.moves(image).unwrap()[best as usize].unwrap().value.unwrap();
                assert!((value - found.value).abs() <= 1e-5 * found.value.max(1.0), "{image}");
            }
        }
    }
}

/// The bytes of a table made within so much memory, saved every so often.
fn generated(source: &Exact, memory: u64, save_every: Duration) -> Vec<u8> {
    let folder = folder();
    let out = folder.path().join("table.etb");
    let stop = AtomicBool::new(false);
    let options = Options { memory, save_every, ..options(&out, &stop) };
    match tables::generate_2048(source, &options, &Quiet) {
        Outcome::Finished(_) => {
            assert!(!folder.path().join("table.etb.work").exists());
            fs::read(&out).unwrap()
        }
        stopped => panic!("{stopped:?}"),
    }
}

/// What is needed besides the layers.
const FIXED: u64 = 32 << 20;

#[test]
fn memory_and_saving_leave_no_trace() {
    for objective in ["score", "tile:32"] {
        let source = exact_2048("2x3", objective);
        let whole = generated(&source, 1 << 30, Options::SAVE_EVERY);
        // Layers have up to 302 positions; so much memory is for some, for one, and for none.
        for memory in [FIXED + 20_000, FIXED + 4000, 0] {
            assert!(generated(&source, memory, Options::SAVE_EVERY) == whole, "{memory}");
        }
        assert!(generated(&source, 1 << 30, Duration::ZERO) == whole);
        assert!(generated(&source, FIXED + 20_000, Duration::ZERO) == whole);
    }
}

#[test]
fn layers_larger_than_memory_give_the_same_file() {
    // Of boards too large to be numbered.
    let source = exact_2048("3x4", "tile:8");
    let whole = generated(&source, 1 << 30, Options::SAVE_EVERY);
    for positions in [100, 1000] {
        let memory = FIXED + 2 * 200 * positions;
        assert!(generated(&source, memory, Options::SAVE_EVERY) == whole, "{positions}");
    }
    assert!(generated(&source, 1 << 30, Duration::ZERO) == whole);
}

/// Asks to stop after some layers.
struct StopAfter<'a> {
    layers: AtomicU64,
    stop: &'a AtomicBool,
}

impl Progress for StopAfter<'_> {
    fn begin(&self, stage: &str, _total: u64, _done: u64) {
        if stage == "merging" {
            self.layers.store(u64::MAX, Ordering::Relaxed);
        }
    }
    fn advance(&self, _steps: u64, _items: u64) {
        if self.layers.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
    fn end(&self) {}
}

#[test]
fn what_was_stopped_goes_on() {
    for source in [exact_2048("2x3", "score"), exact_2048("3x4", "tile:8")] {
        let whole = generated(&source, 1 << 30, Options::SAVE_EVERY);
        for layers in [1, 2, 3, 30] {
            let folder = folder();
            let out = folder.path().join("table.etb");
            let mut stops = 0;
            loop {
                let stop = AtomicBool::new(false);
                let progress = StopAfter { layers: AtomicU64::new(layers), stop: &stop };
                match tables::generate_2048(&source, &options(&out, &stop), &progress) {
                    Outcome::Finished(_) => break,
                    Outcome::Stopped { .. } => stops += 1,
                }
            }
            assert!(stops >= 1);
            assert!(fs::read(&out).unwrap() == whole, "after {stops} stops");
        }
    }
}

/// Set for a process that a test starts and kills: the board, the objective, the memory and the
/// file of a table that is to be made.
const TO_GENERATE: &str = "ENDTABLE_TEST_TO_GENERATE";

/// Generates what the environment asks for, saving at every layer: no command of the program saves
/// as often. Answers whether anything was asked for.
fn generates_for_another_process() -> bool {
    let Ok(named) = std::env::var(TO_GENERATE) else { return false };
    let [size, objective, memory, out] = named.splitn(4, ' ').collect::<Vec<_>>()[..] else {
        panic!("{named}")
    };
    let stop = AtomicBool::new(false);
    let options = Options {
        memory: memory.parse().unwrap(),
        // A process that was not killed in time has made the table already.
        force: true,
        save_every: Duration::ZERO,
        ..options(Path::new(out), &stop)
    };
    tables::generate_2048(&exact_2048(size, objective), &options, &Quiet);
    true
}

/// Kills a generation at some runs of either direction, each time further on, and damages what it
/// has saved last. Then lets it finish.
fn killed_and_damaged(
    size: &str,
    objective: &str,
    memory: u64,
    kills: &[(&str, usize)],
) -> Vec<u8> {
    let folder = folder();
    let out = folder.path().join("table.etb");
    let command = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "kills_and_damage_leave_no_trace"]);
        command.env(TO_GENERATE, format!("{size} {objective} {memory} {}", out.display()));
        command
    };
    let runs = |kind: &str| -> Vec<PathBuf> {
        let folder = folder.path().join("table.etb.work").join(kind);
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
        let mut runs: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|ending| ending == "etb")).collect();
        // Looked up once: files are written meanwhile.
        runs.sort_by_cached_key(|path| fs::metadata(path).and_then(|file| file.modified()).ok());
        runs
    };
    let mut killed = 0;
    for &(kind, count) in kills {
        let mut running = command().start();
        running.wait_for(|| runs(kind).len() >= count);
        killed += usize::from(running.kill().is_none());
        // A run that is cut short or changed is found out.
        if let [.., damaged] = runs(kind).as_slice() {
            let mut bytes = fs::read(damaged).unwrap();
            if count % 2 == 1 {
                bytes.truncate(bytes.len() / 2);
            } else {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
            }
            fs::write(damaged, bytes).unwrap();
        }
    }
    assert!(killed + 1 >= kills.len(), "it was too quick to be killed: {killed}");
    command().run().printed();
    assert!(!folder.path().join("table.etb.work").exists());
    fs::read(&out).unwrap()
}

#[test]
fn kills_and_damage_leave_no_trace() {
    if generates_for_another_process() {
        return;
    }
    let whole = generated(&exact_2048("2x4", "tile:128"), 1 << 30, Options::SAVE_EVERY);
    let kills = [("states", 5), ("states", 60), ("values", 3), ("values", 40), ("values", 80)];
    assert!(killed_and_damaged("2x4", "tile:128", 1 << 30, &kills) == whole);
    let kills = [("states", 10), ("values", 5), ("values", 20)];
    assert!(killed_and_damaged("2x4", "tile:128", FIXED, &kills) == whole);
    let whole = generated(&exact_2048("3x4", "tile:8"), 1 << 30, Options::SAVE_EVERY);
    let kills = [("states", 5), ("values", 4), ("values", 7)];
    assert!(killed_and_damaged("3x4", "tile:8", 1 << 30, &kills) == whole);
}

#[test]
fn threads_leave_no_trace() {
    for (size, objective) in [("2x4", "tile:128"), ("3x4", "tile:8")] {
        let bytes = |threads| {
            let made = Made::new(size, objective, &format!("--threads {threads}"));
            fs::read(made.path()).unwrap()
        };
        let one = bytes("1");
        assert!(bytes("2") == one && bytes("5") == one, "{size} {objective}");
    }
}

#[test]
fn one_start_gives_what_follows_from_it() {
    let start = "64,32,16/2,2,0";
    let made = Made::new("2x3", "score", &format!("--start {start} --value f64"));
    let all = Made::new("2x3", "score", "--value f64");
    let boards = made.boards();
    assert!(boards.len() > 50 && boards.len() < 21_752 / 2, "{}", boards.len());
    for &board in &boards {
        assert_eq!(made.tables.probe(board).unwrap(), all.tables.probe(board).unwrap());
    }
    let start = Board::parse(start, made.size()).unwrap();
    assert!(made.tables.probe(start).unwrap().is_some());
    assert_eq!(made.tables.start().unwrap(), None, "the starts of a game are not there");
}

#[test]
fn full_verification_finds_a_wrong_record() {
    let made = Made::new("2x3", "score", "");
    let folder = folder();
    let records: Vec<Record> = made.table().records().map(Result::unwrap).collect();
    let with = |name: &str, number: usize, change: &dyn Fn(&mut Record)| {
        let path = folder.path().join(name);
        let mut writer = Writer::create(&path, made.table().header().description.clone()).unwrap();
        for (there, record) in records.iter().enumerate() {
            let mut record = *record;
            if there == number {
                change(&mut record);
            }
            writer.push(record).unwrap();
        }
        writer.finish().unwrap();
        let done = verify(path).arg("--full").run();
        (done.code(), done.stderr)
    };
    assert_eq!(with("right", usize::MAX, &|_| ()).0, Some(0));
    let valued =
        records.iter().position(|record| f32::from_bits(record.value as u32) > 100.0).unwrap();
    let (code, said) = with("value", valued, &|record| {
        let value = f32::from_bits(record.value as u32) * 1.001;
        record.value = value.to_bits().into();
    });
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("one step of backup gives"), "{said}");
    let (code, _) = with("win", valued, &|record| record.meta = Meta(record.meta.0 ^ 2));
    assert_eq!(code, Some(1));
    let (code, _) = with("none", valued, &|record| record.meta = Meta(record.meta.0 | 0xff << 2));
    assert_eq!(code, Some(1));
}

#[test]
fn three_different_answers() {
    let made = Made::new("2x2", "tile:16", "");
    let probe = |board: &str| {
        let done = probe(made.path()).arg(board).run();
        (done.code(), done.stdout, done.stderr)
    };
    let (code, said, _) = probe("8,4/2,4");
    assert_eq!((code, said.split_whitespace().nth(1)), (Some(0), Some("0100")), "{said}");
    assert_eq!(probe("8,4/2,2").1.split_whitespace().nth(1), Some("0101"));
    let (code, lost, _) = probe("8,2/4,8");
    assert_eq!((code, lost.as_str()), (Some(0), "0000000000320013 00ff 0.0000000000\n"));
    let (code, finished, _) = probe("16,2/0,0");
    assert_eq!((code, finished.as_str()), (Some(0), "0000000000000014 01ff 1.0000000000\n"));
    let (code, _, absent) = probe("8,8/8,2");
    assert_eq!(code, Some(1));
    assert!(absent.contains("not in the table"), "{absent}");
}

#[test]
fn bad_boards_and_objectives_are_refused_with_a_reason() {
    let made = Made::new("2x3", "score", "");
    let probe = |words: &str| {
        let mut command = probe(made.path());
        command.words(words);
        command
    };
    let generate = |size: &str, objective: &str, words: &str| {
        let mut command = generate_2048(size, objective, "x");
        command.words(words);
        command
    };
    let mut missing = stats(made.path());
    missing.arg("missing.etb");
    for (mut command, reason) in [
        (probe("1000"), "outside of the 2x3 board"),
        (probe("8,8,8/8,8,8"), "the tile that came last"),
        (probe("0,0,0/0,0,2"), "two tiles"),
        (probe("128,128,2/0,0,0"), "has room for 1 tiles of 128"),
        (probe("2,4/0,2"), "where the board is 2x3"),
        (probe("--seed 1"), "name Collapsi positions"),
        (probe(""), "name a board"),
        (generate("5x5", "score", ""), "not a board size"),
        (generate("3x3", "tile:3", ""), "not an objective"),
        (generate("2x2", "tile:64", ""), "never seen on a 2x2 board"),
        (generate("3x4", "score", ""), "--force begins all the same"),
        (generate("2x2", "score", "--start 32,32/2,2"), "no game leads to it"),
        (generate("2x2", "score", "--value chance32"), "a score is no chance"),
        (missing, "missing.etb"),
    ] {
        let folder = folder();
        let done = command.current_dir(&folder).run();
        assert!(matches!(done.code(), Some(2 | 3)), "{done}");
        assert!(done.stderr.contains(reason), "{done}");
        assert!(fs::read_dir(&folder).unwrap().next().is_none(), "something is left: {done}");
    }
}

#[test]
fn statistics_and_their_picture() {
    let made = Made::new("2x2", "score", "");
    let svg = made.folder.path().join("stats.svg");
    let said = stats(made.path()).arg("--svg").arg(&svg).run().printed();
    for line in [
        "positions             110",
        "over                   36",
        "highest 32             35",
        "sum 4",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert!(said.contains("start        66.9641"), "{said}");
    assert!(fs::read_to_string(svg).unwrap().ends_with("</svg>\n"));
}
