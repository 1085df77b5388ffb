//! The complete tables, up to nine cards, through the program and the library: answers against
//! AO*, symmetric images, sparse and unfinished sets, damage, resumption, deals as records.

mod harness;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use endtable::games::collapsi::{
    Board, Cell, CompleteTables, Index, Layer, Mask, Rules, Solver, Symmetry, Tables,
    deal_from_seed, value_of_plies,
};
use endtable::random::SplitMix64;
use endtable::table::{DenseTable, DenseWriter, Meta, Record, Table, merge};
use endtable::value::Plies;
use harness::commands::{
    Form, Position, generate_complete, generate_deals, longest, probe, solve_collapsi, stats,
    verify,
};
use harness::process::{Process, Running};
use harness::{folder, lasting_folder};
use rayon::prelude::*;
use tempfile::TempDir;

/// Tables up to nine cards, made once for all tests that only read them.
static NINE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = lasting_folder("complete-9");
    generate_complete(9, &folder).run().printed();
    folder
});
static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

/// A random board of a layer, turned by a random symmetry.
fn random_board(random: &mut SplitMix64, cards: u8) -> Board {
    let board = INDEX.unrank(cards, random.below(INDEX.len(cards))).unwrap();
    board.image(Symmetry::all().nth(random.below(384) as usize).unwrap())
}

fn open(folder: &Path, rules: Rules) -> CompleteTables {
    CompleteTables::open(folder, rules).unwrap()
}

fn agrees_with_search(tables: &CompleteTables, boards: &[Board]) {
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

/// Layers that are there and layers that are searched, in no order, both rules.
#[test]
fn many_at_once_are_answered_as_one_by_one() {
    let mut random = SplitMix64::new(11);
    for rules in Rules::ALL {
        let tables = Tables::open(&[&*NINE], Some(rules)).unwrap();
        let boards: Vec<Board> = (0..3_000)
            .map(|number| random_board(&mut random, [2, 5, 8, 9, 9, 10, 11][number % 7]))
            .collect();
        let answers = tables.probe_many(&boards.iter().collect::<Vec<_>>());
        assert_eq!(answers.len(), boards.len());
        for (board, answer) in boards.iter().zip(answers) {
            assert_eq!(answer.unwrap(), tables.probe(board).unwrap(), "{board} {rules}");
        }
    }
}

/// Layers up to nine are read, those above are searched.
#[test]
fn answers_agree_with_ao_star() {
    for (rules, seed) in Rules::ALL.into_iter().zip(1..) {
        let tables = open(&NINE, rules);
        let mut random = SplitMix64::new(seed);
        for (cards, count) in
            (2..=9).map(|cards| (cards, 1200)).chain([(10, 500), (11, 150), (12, 60), (13, 15)])
        {
            let boards: Vec<Board> = (0..count).map(|_| random_board(&mut random, cards)).collect();
            agrees_with_search(&tables, &boards);
        }
    }
    let deals: Vec<Board> = (0..3).map(deal_from_seed).collect();
    agrees_with_search(&open(&NINE, Rules::One), &deals);
}

#[test]
fn images_get_the_same_answer() {
    let tables = open(&NINE, Rules::One);
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
    let sparse = folder();
    generate_complete(9, &sparse).arg("--sparse").run().printed();
    assert!(!sparse.path().join("collapsi-08.etd").exists());
    assert!(sparse.path().join("collapsi-09.etd").exists());
    let (few, all) = (open(sparse.path(), Rules::One), open(&NINE, Rules::One));
    let mut random = SplitMix64::new(6);
    for cards in 2..=10 {
        for _ in 0..300 {
            let board = random_board(&mut random, cards);
            assert_eq!(few.moves(&board).unwrap(), all.moves(&board).unwrap(), "{board}");
            assert_eq!(few.value(&board).unwrap(), all.value(&board).unwrap(), "{board}");
        }
    }
    verify(&sparse).arg("--full").run().printed();
}

/// The program prints the same lines from tables as from search.
#[test]
fn probe_prints_what_solve_prints() {
    let mut random = SplitMix64::new(7);
    for rules in ["one", "wild"] {
        for cards in [2, 5, 8, 9, 10] {
            let board = random_board(&mut random, cards).to_string();
            let ask = |mut command: Command| {
                command.position(Form::Text, &board).args(["--rules", rules]).run().printed()
            };
            let with = |mut command: Command, option: &str| {
                command.arg(option);
                command
            };
            let solved = ask(solve_collapsi());
            assert_eq!(ask(probe(&*NINE)), solved);
            let mut from_tables = solve_collapsi();
            from_tables.arg("--tables").arg(&*NINE);
            assert_eq!(ask(from_tables), solved);
            let verbose = ask(with(solve_collapsi(), "--verbose"));
            let moves = ask(with(probe(&*NINE), "--moves"));
            assert!(verbose.starts_with(&moves), "{verbose}\n{moves}");
        }
    }
}

#[test]
fn statistics_count_what_is_there() {
    let printed = stats(&*NINE).run().printed();
    for cards in 2..=9 {
        let line = printed.lines().find(|line| line.starts_with(&format!("{cards} "))).unwrap();
        let positions: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert_eq!(positions, INDEX.len(cards));
    }
    // A row for each layer in the heat map.
    let svg = NINE.with_extension("svg");
    stats(&*NINE).arg("--svg").arg(&svg).run().printed();
    let drawn = fs::read_to_string(&svg).unwrap();
    fs::remove_file(svg).unwrap();
    for cards in 2..=9 {
        assert!(drawn.contains(&format!(">{}<", grouped(INDEX.len(cards)))), "{cards} cards");
    }
    // No deals in tables of nine cards.
    longest(&*NINE).run().failed(1);
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    match number / 1000 {
        0 => number.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), number % 1000),
    }
}

fn file(cards: u8) -> String {
    format!("collapsi-{cards:02}.etd")
}

fn small_copy() -> TempDir {
    static SMALL: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = lasting_folder("complete-6");
        generate_complete(6, &folder).run().printed();
        folder
    });
    let copy = folder();
    for cards in 2..=6 {
        fs::copy(SMALL.join(file(cards)), copy.path().join(file(cards))).unwrap();
    }
    copy
}

/// Each command fails and names the file.
fn reported(name: &str, commands: impl IntoIterator<Item = Command>) {
    for mut command in commands {
        let done = command.run();
        assert!(!done.status.success() && done.stderr.contains(name), "{done}");
    }
}

/// Whatever looks at every table of a folder.
fn readers(folder: &TempDir) -> [Command; 3] {
    let mut probe = probe(folder);
    probe.seed("1");
    [verify(folder), stats(folder), probe]
}

/// tests/corruption.rs flips every byte of a dense table; here the program reads some of them.
#[test]
fn a_damaged_table_is_reported_by_name() {
    let folder = small_copy();
    let path = folder.path().join(file(5));
    let good = fs::read(&path).unwrap();
    let (header, block, index, footer) = (20, good.len() / 2, good.len() - 40, good.len() - 20);
    for (at, readers) in [(header, 3), (block, 2), (index, 3), (footer, 3)] {
        let mut bad = good.clone();
        bad[at] ^= 16;
        fs::write(&path, &bad).unwrap();
        // A probe reads only the blocks that it needs.
        reported(&file(5), self::readers(&folder).into_iter().take(readers));
    }
    for cut in [0, 1, 79, 80, good.len() / 2, good.len() - 1] {
        fs::write(&path, &good[..cut]).unwrap();
        reported(&file(5), readers(&folder));
    }
}

#[test]
fn missing_and_mixed_up_tables_are_reported_by_name() {
    let folder = small_copy();
    let path = |cards| folder.path().join(file(cards));
    let five = fs::read(path(5)).unwrap();
    fs::remove_file(path(5)).unwrap();
    reported(&file(5), readers(&folder));
    fs::copy(path(4), path(5)).unwrap();
    reported(&file(5), readers(&folder));
    // A table of another set.
    fs::copy(NINE.join(file(5)), path(5)).unwrap();
    reported(&file(5), readers(&folder));
    fs::write(path(5), five).unwrap();
    verify(&folder).run().printed();
    // A dense table is not mistaken for one with codes.
    let error = Table::open(path(5)).unwrap_err().to_string();
    assert!(error.contains("dense") && error.contains(&file(5)), "{error}");
}

/// A table with a wrong entry and right checksums is detected by solving it again.
#[test]
fn wrong_entries_are_found_by_full_verification() {
    let folder = small_copy();
    verify(&folder).arg("--full").run().printed();
    let path = folder.path().join(file(4));
    let table = DenseTable::open(&path).unwrap();
    let mut entries = table.block(0).unwrap();
    for block in 1..table.blocks() {
        entries.extend(table.block(block).unwrap());
    }
    entries[1000] ^= 1;
    let description = table.header().description.clone();
    let mut writer = DenseWriter::create(&path, description, 4).unwrap();
    writer.write(&entries, |plies| plies).unwrap();
    writer.finish().unwrap();
    verify(&folder).run().printed();
    let said = verify(&folder).arg("--full").run().failed(1);
    assert!(said.contains(&format!("{}: 1 positions differ, the first is number 1000", file(4))));
    // The next layer is right, and does not follow from the wrong one.
    assert!(said.contains(&format!("{}: 8 positions differ", file(5))), "{said}");
}

#[test]
fn other_settings_are_refused() {
    let folder = small_copy();
    for (cards, options) in [(7, ""), (6, "--sparse")] {
        let said = generate_complete(cards, &folder).words(options).run().failed(2);
        assert!(said.contains("--cards 6"), "{said}");
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

/// How many parts of the layer with nine cards are on the disk.
fn parts(folder: &Path) -> usize {
    let work = fs::read_dir(folder.join(file(9) + ".work"));
    let names = work.into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with("entries-")).count()
}

/// The command that makes the same tables as [`NINE`], one thing at a time.
fn slow(folder: &TempDir) -> Command {
    let mut command = generate_complete(9, folder);
    command.args(["--threads", "1"]);
    command
}

/// Starts or resumes, and waits until another part of the layer with nine cards is on the disk.
fn start(folder: &TempDir) -> Running {
    let before = parts(folder.path());
    let mut running = slow(folder).start();
    let written = || parts(folder.path()) > before;
    assert!(running.wait_for(written), "it finished before it could be stopped");
    running
}

/// Finishes what was begun; returns how many positions of the layer with nine cards were there.
fn finish(folder: &TempDir) -> u64 {
    let said = generate_complete(9, folder).args(["--threads", "3"]).run().printed();
    assert!(bytes_of(folder.path()) == bytes_of(&NINE), "the files differ");
    let line = said.lines().find(|line| line.starts_with("9 ")).unwrap();
    let there = line.strip_suffix(" were there").and_then(|line| line.split(' ').next_back());
    there.map_or(0, |there| there.parse().unwrap())
}

/// Kills land anywhere: while the layer is solved, compressed, written, or read again.
#[test]
fn killed_inside_a_layer_it_is_resumed_there() {
    let folder = folder();
    let mut random = SplitMix64::new(9);
    let mut counts = Vec::new();
    while counts.len() < 3 {
        let mut time = |below| Duration::from_millis(random.below(below));
        let ended = start(&folder).kill_after(time(40));
        assert_eq!(ended, None, "it was too quick to be killed");
        counts.push(parts(folder.path()));
        // Once more, before it has come so far.
        slow(&folder).start().kill_after(time(150));
        assert!(parts(folder.path()) >= counts[counts.len() - 1], "what is done stays");
    }
    assert!(counts.is_sorted_by(|one, other| one < other), "{counts:?}");
    // Every part that was there is resumed; all but the last have as many positions.
    let there = parts(folder.path()) as u64;
    assert!(finish(&folder) > (there - 1) << 23);
}

#[test]
fn a_damaged_part_is_made_again() {
    let folder = folder();
    for _ in 0..2 {
        start(&folder).kill();
    }
    // One of the parts is damaged, the others stay.
    let work = folder.path().join(file(9) + ".work");
    let files = fs::read_dir(work).unwrap().map(|entry| entry.unwrap().path());
    let path = files.filter(|path| path.extension().is_some_and(|it| it == "etd")).max().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let place = bytes.len() - 1000;
    bytes[place] ^= 1;
    fs::write(&path, bytes).unwrap();
    let there = finish(&folder);
    assert!((1..INDEX.len(9) / 2).contains(&there), "{there}");
    // So is a layer that was finished and damaged since.
    let path = folder.path().join(file(7));
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    finish(&folder);
}

#[test]
fn ctrl_c_says_how_to_resume() {
    let folder = folder();
    let said = start(&folder).interrupt().failed(1);
    assert!(said.contains("stopped with 7 of 8 layers done"), "{said}");
    assert!(said.contains("the same command resumes from there"), "{said}");
    // Nor does another command touch what is done.
    let count = parts(folder.path());
    generate_complete(10, &folder).run().failed(2);
    assert!(parts(folder.path()) == count && count > 0);
    assert!(finish(&folder) > 0);
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
    let best = answer.best.map(|mv| mv.byte().into());
    assert_eq!(record.meta, Meta::new(0, answer.value, best), "{board} {rules}");
    assert_eq!(board, board.canonical().board);
}

#[test]
fn records_of_deals_agree_with_ao_star() {
    for (rules, count) in [(Rules::One, 40), (Rules::Wild, 6)] {
        let tables = open(&NINE, rules);
        let mut random = SplitMix64::new(11);
        let numbers: Vec<u64> = (0..count).map(|_| random.below(INDEX.len(16))).collect();
        numbers.into_par_iter().for_each(|number| {
            record_is_right(tables.deal_record(number).unwrap().unwrap(), rules);
        });
    }
}

/// All deals take too long with tables of nine cards; the first do not.
#[test]
fn deals_are_generated_and_resumed() {
    let folder = folder();
    let (out, work) = (folder.path().join("deals.etb"), folder.path().join("deals.etb.work"));
    for _ in 0..2 {
        let mut running = generate_deals(&NINE, &out).args(["--threads", "1"]).start();
        // The lock is there when it listens and has begun.
        assert!(running.wait_for(|| work.join("lock").exists()));
        sleep(Duration::from_millis(100));
        let said = running.interrupt().failed(1);
        fs::remove_file(work.join("lock")).unwrap();
        assert!(said.contains("of 38588 groups of deals done; what is done is kept"), "{said}");
    }
    assert!(!out.exists());
    let runs = bytes_of(&work).into_iter().map(|(name, _)| work.join(name));
    let runs = runs.filter(|path| path.extension().is_some_and(|ending| ending == "etb"));
    let runs: Vec<Table> = runs.map(|path| Table::open(path).unwrap()).collect();
    assert_eq!(runs.len(), 2, "the second begins behind the first");
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
}

#[test]
fn the_side_that_makes_the_last_move_wins() {
    for plies in 0..=14 {
        let value = value_of_plies(plies);
        assert_eq!((value.is_win(), value.plies()), (plies % 2 == 1, Plies(plies.into())));
    }
}
