//! The complete tables, up to nine cards, through the program and the library: answers against
//! AO*, symmetric images, sparse and unfinished sets, damage, resumption, deals as records.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use endtable::games::collapsi::{
    Board, Cell, Index, Layer, Mask, Move, Rules, Solver, Symmetry, deal_from_seed, value_of_plies,
};
use endtable::games::random::SplitMix64;
use endtable::generate::deals::deal_record;
use endtable::probe::CollapsiComplete;
use endtable::table::{DenseTable, DenseWriter, Meta, Record, Table, merge};
use rayon::prelude::*;
use tempfile::TempDir;

const ENDTABLE: &str = env!("CARGO_BIN_EXE_endtable");

/// Tables up to nine cards, made once for all tests that only read them.
static NINE: LazyLock<TempDir> = LazyLock::new(|| generated(&["--cards", "9"]));
static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

fn generated(options: &[&str]) -> TempDir {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let done = generate(folder.path(), options);
    assert!(done.status.success(), "{}", said(&done));
    folder
}

fn generate(folder: &Path, options: &[&str]) -> Output {
    generate_command(folder, options).output().unwrap()
}

fn generate_command(folder: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(ENDTABLE);
    command.args(["generate", "collapsi", "--complete", "--out"]).arg(folder).args(options);
    command
}

fn run(args: &[&str], folder: &Path) -> Output {
    Command::new(ENDTABLE).arg(args[0]).arg(folder).args(&args[1..]).output().unwrap()
}

fn said(done: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
}

/// A random board of a layer, turned by a random symmetry.
fn random_board(random: &mut SplitMix64, cards: u8) -> Board {
    let board = INDEX.unrank(cards, random.below(INDEX.len(cards))).unwrap();
    board.image(Symmetry::all().nth(random.below(384) as usize).unwrap())
}

fn open(folder: &Path, rules: Rules) -> CollapsiComplete {
    CollapsiComplete::open(folder, rules).unwrap()
}

fn agrees_with_search(tables: &CollapsiComplete, boards: &[Board]) {
    let rules = tables.rules();
    boards.par_iter().for_each_init(Solver::new, |solver, board| {
        let moves = solver.move_values(board, rules);
        assert_eq!(tables.moves(board).unwrap(), moves, "{board} {rules}");
        let answer = solver.solve(board, rules);
        let found = tables.probe(board).unwrap();
        assert_eq!((found.value, found.best), (answer.value, answer.best), "{board} {rules}");
        assert_eq!(tables.value(board).unwrap(), answer.value, "{board} {rules}");
    });
}

/// Layers up to nine are read, those above are searched down to them.
#[test]
fn answers_agree_with_ao_star() {
    for (rules, seed) in Rules::ALL.into_iter().zip(1..) {
        let tables = open(NINE.path(), rules);
        let mut random = SplitMix64::new(seed);
        for (cards, count) in
            (2..=9).map(|cards| (cards, 1200)).chain([(10, 500), (11, 150), (12, 60), (13, 15)])
        {
            let boards: Vec<Board> = (0..count).map(|_| random_board(&mut random, cards)).collect();
            agrees_with_search(&tables, &boards);
        }
    }
    let deals: Vec<Board> = (0..3).map(deal_from_seed).collect();
    agrees_with_search(&open(NINE.path(), Rules::One), &deals);
}

#[test]
fn images_get_the_same_answer() {
    let tables = open(NINE.path(), Rules::One);
    let mut random = SplitMix64::new(5);
    for cards in 2..=10 {
        for _ in 0..20 {
            let board = random_board(&mut random, cards);
            let value = tables.value(&board).unwrap();
            for symmetry in Symmetry::all() {
                assert_eq!(tables.value(&board.image(symmetry)).unwrap(), value, "{board}");
            }
        }
    }
}

#[test]
fn sparse_tables_give_the_same_answers() {
    let sparse = generated(&["--cards", "9", "--sparse"]);
    assert!(!sparse.path().join("collapsi-08.etd").exists());
    assert!(sparse.path().join("collapsi-09.etd").exists());
    let (few, all) = (open(sparse.path(), Rules::One), open(NINE.path(), Rules::One));
    let mut random = SplitMix64::new(6);
    for cards in 2..=10 {
        for _ in 0..300 {
            let board = random_board(&mut random, cards);
            assert_eq!(few.moves(&board).unwrap(), all.moves(&board).unwrap(), "{board}");
            assert_eq!(few.value(&board).unwrap(), all.value(&board).unwrap(), "{board}");
        }
    }
    let done = run(&["verify", "--full"], sparse.path());
    assert!(done.status.success(), "{}", said(&done));
}

/// The program prints the same lines from tables as from search.
#[test]
fn probe_prints_what_solve_prints() {
    let folder = NINE.path().to_str().unwrap();
    let mut random = SplitMix64::new(7);
    for rules in ["one", "wild"] {
        for cards in [2, 5, 8, 9, 10] {
            let text = random_board(&mut random, cards).to_string();
            let ask = |args: &[&str]| {
                let done = Command::new(ENDTABLE)
                    .args(args)
                    .args(["--position", &text, "--rules", rules])
                    .output()
                    .unwrap();
                assert!(done.status.success(), "{}", said(&done));
                String::from_utf8(done.stdout).unwrap()
            };
            let solved = ask(&["solve"]);
            assert_eq!(ask(&["probe", folder]), solved);
            assert_eq!(ask(&["solve", "--tables", folder]), solved);
            let verbose = ask(&["solve", "--verbose"]);
            let moves = ask(&["probe", folder, "--moves"]);
            assert!(verbose.starts_with(&moves), "{verbose}\n{moves}");
        }
    }
}

#[test]
fn statistics_count_what_is_there() {
    let done = run(&["stats"], NINE.path());
    let printed = said(&done);
    assert!(done.status.success(), "{printed}");
    for cards in 2..=9 {
        let line = printed.lines().find(|line| line.starts_with(&format!("{cards} "))).unwrap();
        let positions: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert_eq!(positions, INDEX.len(cards));
    }
    // A chart for each layer, and in each the bars of its shares.
    let svg = NINE.path().with_extension("svg");
    let done = run(&["stats", "--svg", svg.to_str().unwrap()], NINE.path());
    assert!(done.status.success(), "{}", said(&done));
    let drawn = fs::read_to_string(&svg).unwrap();
    fs::remove_file(svg).unwrap();
    assert_eq!(drawn.matches("by plies to the end").count(), 8);
    for cards in 2..=9 {
        assert!(drawn.contains(&format!("{} positions, layer {cards}, by", INDEX.len(cards))));
    }
    // No deals in tables of nine cards.
    let done = run(&["longest"], NINE.path());
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
}

fn file(cards: u8) -> String {
    format!("collapsi-{cards:02}.etd")
}

fn small_copy() -> TempDir {
    static SMALL: LazyLock<TempDir> = LazyLock::new(|| generated(&["--cards", "6"]));
    let copy = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for cards in 2..=6 {
        fs::copy(SMALL.path().join(file(cards)), copy.path().join(file(cards))).unwrap();
    }
    copy
}

/// The program fails and names the file, wherever the folder is used.
fn reported(folder: &Path, name: &str, commands: &[&[&str]]) {
    for command in commands {
        let done = run(command, folder);
        let said = said(&done);
        assert!(!done.status.success(), "{command:?}: {said}");
        assert!(said.contains(name) && !said.contains("panicked"), "{command:?}: {said}");
    }
}

#[test]
fn every_flipped_byte_is_reported_by_name() {
    let folder = small_copy();
    let path = folder.path().join(file(5));
    let good = fs::read(&path).unwrap();
    let mut random = SplitMix64::new(8);
    let edges = (0..150).chain(good.len() - 60..good.len());
    let others: Vec<usize> = (0..150).map(|_| random.below(good.len() as u64) as usize).collect();
    for at in edges.chain(others) {
        let mut bad = good.clone();
        bad[at] ^= 1 << random.below(8);
        fs::write(&path, &bad).unwrap();
        let checked = DenseTable::open(&path).and_then(|table| table.check_blocks());
        // The only bytes under no checksum are the zeros before the index.
        let padding = bad[at] != good[at] && good[at] == 0 && checked.is_ok();
        match checked {
            Ok(()) => assert!(padding && is_padding(&good, at), "byte {at}"),
            Err(error) => assert!(error.to_string().contains(&file(5)), "{error}"),
        }
    }
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 16;
    fs::write(&path, &bad).unwrap();
    reported(folder.path(), &file(5), &[&["verify"], &["stats"]]);
    for cut in [0, 1, 79, 80, good.len() / 2, good.len() - 1] {
        fs::write(&path, &good[..cut]).unwrap();
        reported(folder.path(), &file(5), &[&["verify"], &["stats"], &["probe", "--seed", "1"]]);
    }
}

/// Whether a byte stands between the last block and the index.
fn is_padding(file: &[u8], at: usize) -> bool {
    let index = u64::from_le_bytes(file[56..64].try_into().unwrap()) as usize;
    (index - 7..index).contains(&at)
}

#[test]
fn missing_and_mixed_up_tables_are_reported_by_name() {
    let folder = small_copy();
    let path = |cards| folder.path().join(file(cards));
    let all: &[&[&str]] = &[&["verify"], &["stats"], &["probe", "--seed", "1"]];
    let five = fs::read(path(5)).unwrap();
    fs::remove_file(path(5)).unwrap();
    reported(folder.path(), &file(5), all);
    fs::copy(path(4), path(5)).unwrap();
    reported(folder.path(), &file(5), all);
    // A table of another set.
    fs::copy(NINE.path().join(file(5)), path(5)).unwrap();
    reported(folder.path(), &file(5), all);
    fs::write(path(5), five).unwrap();
    assert!(run(&["verify"], folder.path()).status.success());
    // The two kinds of tables are not taken for each other.
    let error = Table::open(path(5)).unwrap_err().to_string();
    assert!(error.contains("dense") && error.contains(&file(5)), "{error}");
}

/// A table with a wrong entry and right checksums is found out by solving anew.
#[test]
fn wrong_entries_are_found_by_full_verification() {
    let folder = small_copy();
    let done = run(&["verify", "--full"], folder.path());
    assert!(done.status.success(), "{}", said(&done));
    let path = folder.path().join(file(4));
    let table = DenseTable::open(&path).unwrap();
    let mut entries = table.block(0).unwrap();
    for block in 1..table.blocks() {
        entries.extend(table.block(block).unwrap());
    }
    entries[1000] ^= 1;
    let description = table.header().description.clone();
    let mut room = vec![0; entries.len()];
    let mut writer = DenseWriter::begin(&path, &description, 4, &mut room, |plies| plies).unwrap();
    writer.write(&entries, |plies| plies).unwrap();
    writer.finish().unwrap();
    assert!(run(&["verify"], folder.path()).status.success());
    // The wrong layer, and the one that is right but was made from better.
    reported(folder.path(), &file(4), &[&["verify", "--full"]]);
}

#[test]
fn other_settings_are_refused() {
    let folder = small_copy();
    for options in [&["--cards", "7"][..], &["--cards", "6", "--sparse"]] {
        let done = generate(folder.path(), options);
        assert_eq!(done.status.code(), Some(2), "{}", said(&done));
        assert!(said(&done).contains("--cards 6"), "{}", said(&done));
    }
}

fn bytes_of(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().into(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

/// How long the journal of the layer with nine cards is, and so what of it is on the disk. `None`
/// when it is not in work.
fn journal(folder: &Path) -> Option<u64> {
    fs::metadata(folder.join(file(9) + ".journal")).ok().map(|file| file.len())
}

/// More than a journal has before its first chunk, and less than a chunk adds.
const SOME_CHUNK: u64 = 20_000;

/// Begins or goes on, and waits until another chunk of the layer with nine cards is on the disk.
fn begin(folder: &Path) -> Child {
    let mut command = generate_command(folder, &["--cards", "9", "--threads", "1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let before = journal(folder).unwrap_or(0);
    while journal(folder).is_none_or(|length| length < before + SOME_CHUNK) {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "it came to its end before it could be stopped: {ended:?}");
        sleep(Duration::from_millis(1));
    }
    child
}

fn interrupt(child: Child) -> Output {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}

/// Finishes what was begun; answers how many positions of the layer with nine cards were there.
fn finish(folder: &Path) -> u64 {
    let done = generate(folder, &["--cards", "9", "--threads", "3"]);
    let said = said(&done);
    assert!(done.status.success(), "{said}");
    assert!(bytes_of(folder) == bytes_of(NINE.path()), "the files differ");
    let line = said.lines().find(|line| line.starts_with("9 ")).unwrap();
    let there = line.strip_suffix(" were there").and_then(|line| line.split(' ').next_back());
    there.map_or(0, |there| there.parse().unwrap())
}

/// Kills land anywhere: while the layer is solved, compressed, written, or taken in again.
#[test]
fn killed_inside_a_layer_it_goes_on_there() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut random = SplitMix64::new(9);
    let mut lengths = Vec::new();
    while lengths.len() < 3 {
        let mut child = begin(folder.path());
        sleep(Duration::from_millis(random.below(40)));
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "it was too quick to be killed");
        lengths.push(journal(folder.path()).expect("the layer is in work"));
        // Once more, before it has come so far.
        let mut child = generate_command(folder.path(), &["--cards", "9", "--threads", "1"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(random.below(150)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(journal(folder.path()) >= lengths.last().copied(), "what is done stays");
    }
    assert!(lengths.is_sorted_by(|one, other| one < other), "{lengths:?}");
    assert!(finish(folder.path()) > INDEX.len(9) / 3);
}

#[test]
fn a_damaged_chunk_is_made_again() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for _ in 0..2 {
        let mut child = begin(folder.path());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // The first chunk stays, the second is damaged.
    let path = folder.path().join(file(9) + ".partial");
    let mut bytes = fs::read(&path).unwrap();
    let place = bytes.len() - 1000;
    bytes[place] ^= 1;
    fs::write(&path, bytes).unwrap();
    let there = finish(folder.path());
    assert!((1..INDEX.len(9) / 2).contains(&there), "{there}");
    // So is a layer that was finished and damaged since.
    let path = folder.path().join(file(7));
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    finish(folder.path());
}

#[test]
fn ctrl_c_says_how_to_go_on() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let done = interrupt(begin(folder.path()));
    let said = said(&done);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("stopped with 7 of 8 layers done"), "{said}");
    assert!(said.contains("the same command goes on from there"), "{said}");
    // Nor does another command touch what is done.
    let length = journal(folder.path());
    let done = generate(folder.path(), &["--cards", "10"]);
    assert_eq!(done.status.code(), Some(2), "{}", self::said(&done));
    assert!(journal(folder.path()) == length && length.is_some());
    assert!(finish(folder.path()) > 0);
}

/// How many ways there are to lay the deck so that a symmetry does not change it: each of its cycles
/// lies on equal cards.
fn deals_kept_by(symmetry: Symmetry) -> u64 {
    let mut left: HashMap<[u8; 6], u64> = HashMap::from([([1, 1, 4, 4, 4, 2], 1)]);
    let mut seen = Mask(0);
    for cell in Cell::all() {
        let mut cycle = Mask(0);
        let mut at = cell.mask();
        while seen.0 & at.0 == 0 {
            (seen, cycle) = (Mask(seen.0 | at.0), Mask(cycle.0 | at.0));
            at = symmetry.mask(at);
        }
        if cycle.0 == 0 {
            continue;
        }
        let mut next = HashMap::new();
        for (cards, ways) in left {
            for kind in 0..cards.len() {
                let mut cards = cards;
                if let Some(fewer) = cards[kind].checked_sub(cycle.len() as u8) {
                    cards[kind] = fewer;
                    *next.entry(cards).or_default() += ways;
                }
            }
        }
        left = next;
    }
    left.get(&[0; 6]).copied().unwrap_or(0)
}

/// The deals up to symmetry, counted by the lemma that is not Burnside's, are those of the index.
#[test]
fn the_index_has_every_deal_up_to_symmetry() {
    let kept: u64 = Symmetry::all().map(deals_kept_by).sum();
    let mut codes: Vec<u64> = (0..INDEX.len(16))
        .into_par_iter()
        .map(|number| INDEX.unrank(16, number).unwrap().canonical().board.code())
        .collect();
    codes.par_sort_unstable();
    codes.dedup();
    assert_eq!((codes.len() as u64, kept % 384), (kept / 384, 0));
    assert_eq!(codes.len(), 1_982_769);
}

/// A record of a deal says what AO* finds.
fn record_is_right(record: Record, rules: Rules) {
    let board = Board::from_code(record.code).unwrap();
    let answer = Solver::new().solve(&board, rules);
    let best = answer.best.map_or(Meta::NO_MOVE, Move::byte);
    assert_eq!(record.meta, Meta::new(0, answer.value, best), "{board} {rules}");
    assert_eq!(board, board.canonical().board);
}

#[test]
fn records_of_deals_agree_with_ao_star() {
    for (rules, count) in [(Rules::One, 40), (Rules::Wild, 6)] {
        let tables = open(NINE.path(), rules);
        let mut random = SplitMix64::new(11);
        let numbers: Vec<u64> = (0..count).map(|_| random.below(INDEX.len(16))).collect();
        numbers.into_par_iter().for_each(|number| {
            record_is_right(deal_record(&tables, number).unwrap(), rules);
        });
    }
}

/// All deals take too long with tables of nine cards; the first do not.
#[test]
fn deals_are_generated_and_gone_on_with() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (out, work) = (folder.path().join("deals.etb"), folder.path().join("deals.etb.work"));
    for _ in 0..2 {
        let mut command = Command::new(ENDTABLE);
        command.args(["generate", "collapsi", "--deals", "--threads", "1", "--tables"]);
        command.arg(NINE.path()).arg("--out").arg(&out);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The lock is there when it listens and has begun.
        while !work.join("lock").exists() {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(100));
        let done = interrupt(child);
        fs::remove_file(work.join("lock")).unwrap();
        let said = said(&done);
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(said.contains("of 38588 done; the same command goes on from there"), "{said}");
    }
    assert!(!out.exists());
    let runs = bytes_of(&work).into_iter().map(|(name, _)| work.join(name));
    let runs = runs.filter(|path| path.extension().is_some_and(|ending| ending == "etb"));
    let runs: Vec<Table> = runs.map(|path| Table::open(path).unwrap()).collect();
    assert_eq!(runs.len(), 2, "the second goes on behind the first");
    let records: Vec<Record> = merge(&runs).map(Result::unwrap).collect();
    assert!(records.len() > 150, "{} records", records.len());
    records.into_iter().for_each(|record| record_is_right(record, Rules::One));
}

#[test]
fn layers_know_their_neighbours() {
    assert_eq!(Layer::all().count(), 17);
    for layer in Layer::all() {
        assert_eq!(layer.below().map(Layer::cards), Some(layer.cards() - 1).filter(|&n| n > 1));
    }
    assert!(value_of_plies(7).is_win() && !value_of_plies(8).is_win());
}
