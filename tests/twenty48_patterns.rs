//! Endgame patterns of 2048: tables against a naive twin, against published counts, and against play;
//! boards of real games looked up in them.

mod harness;
mod twin;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use endtable::games::twenty48::{
    Board, Direction, Pattern, PatternMove, PatternTable, PatternTables, Size, Symmetry,
};
use endtable::games::{Detail, Tables};
use endtable::random::SplitMix64;
use endtable::table::{Options, Record, Table, Writer};
use harness::commands::{generate_pattern, info, merge, patterns, play_2048, probe, stats, verify};
use harness::process::Process;
use harness::{folder, lasting_folder};
use serde_json::{Value, json};
use twin::twenty48::Grid;
use twin::twenty48::patterns::{Endgame, images, sum};

/// A pattern that is not shipped: a large tile goes from side to side.
const OWN: &str = "own ..../FFF./FFFF/FFFF ..../.FFF/FFFF/FFFF 2,0,0,0/F,F,F,0/F,F,F,F/F,F,F,F";

/// One that cannot be numbered: a large tile goes anywhere.
const LOOSE: &str = "loose ..../..../FFFF/FFFF 2,0,0,0/F,0,0,0/F,F,F,F/F,F,F,F";

/// One that has no afterstates of some sums, but of larger ones.
const SPARSE: &str = "sparse ..../.FF./FFFF/FFFF 2,0,0,0/F,F,F,0/F,F,F,F/F,F,F,F";

/// The free cells of a board of 44 that its seed does not lead to.
const UNREACHED: &str = "64,2,64,0/2,64,2,64";

/// Tables for 16 of 44 and L3, of 44 for 128 and of a pattern that is not shipped.
static SHARED: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = lasting_folder("patterns");
    for (pattern, target) in [("44", 16), ("L3", 16), ("44", 128), (OWN, 16)] {
        let name = pattern.split(' ').next().unwrap();
        let out = folder.join(format!("{name}-{target}.etb"));
        generate_pattern(pattern, target, out).run().printed();
    }
    folder
});

fn shared(name: &str) -> PathBuf {
    SHARED.join(name)
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Compares every record of a table with the twin's.
fn compare(path: &Path, pattern: &Pattern, target: u32) {
    let table = PatternTable::open(path).unwrap();
    let endgame = Endgame::new(pattern, target);
    let layers = endgame.solve();
    let step = 1.0 / f64::from((1 << 24) - 1);
    let mut canonical = HashSet::new();
    for (board, chance) in layers.values().flatten() {
        let found = table.afterstate(*board).unwrap();
        let found = found.unwrap_or_else(|| panic!("{path:?}: {board} is missing"));
        let is_close = (found - chance).abs() <= step;
        assert!(is_close, "{path:?}: {board} has {found}, the twin {chance}");
        assert_eq!(found == 0.0, *chance == 0.0, "{path:?}: {board}");
        canonical.insert(endgame.canonical(*board));
    }
    assert_eq!(table.table().len(), canonical.len() as u64, "{path:?}");
}

#[test]
fn every_record_is_as_a_naive_twin_has_it() {
    let folder = folder();
    for pattern in Pattern::shipped() {
        let out = folder.path().join(format!("{}.etb", pattern.name()));
        // Many free cells, and large tiles that may go anywhere, make many boards.
        let few = pattern.free_cells() <= 10 && !pattern.masks().is_empty();
        let target = if few { 16 } else { 8 };
        generate_pattern(pattern.name(), target, &out).run().printed();
        compare(&out, pattern, target);
    }
    compare(&shared("44-128.etb"), &Pattern::named("44").unwrap(), 128);
    for text in [OWN, LOOSE, SPARSE] {
        let out = folder.path().join("own.etb");
        generate_pattern(text, 32, &out).arg("--force").run().printed();
        compare(&out, &text.parse().unwrap(), 32);
        verify(&out).arg("--full").run().printed();
    }
}

/// The peer counts up to a horizon: so many layers behind the seed as half the target and 48.
#[test]
fn counts_are_the_published_ones() {
    let folder = folder();
    let l3 = folder.path().join("L3-64.etb");
    let printed = generate_pattern("L3", 64, &l3).run().printed();
    assert!(printed.contains(": 8125251 positions, "), "{printed}");
    let bytes = fs::metadata(&l3).unwrap().len();
    assert!(bytes < 4 * 8_125_251, "{bytes} bytes");
    let of_l3 = objects(&stats(&l3).arg("--json").run().printed()).remove(0);
    let sums = of_l3["sums"].as_array().unwrap();
    let within = |last: u64| {
        let sums = sums.iter().filter(|layer| layer["sum"].as_u64().unwrap() <= last);
        sums.map(|layer| layer["afterstates"].as_u64().unwrap()).sum::<u64>()
    };
    let first = sums[0]["sum"].as_u64().unwrap();
    assert_eq!((first, within(u64::MAX)), (8, 8_125_251));
    assert_eq!(within(first + 2 * (64 / 2 + 48)), 8_076_507);

    let endgame = Endgame::new(&Pattern::named("44").unwrap(), 256);
    let layers = endgame.solve();
    let count = |last: u32| layers.range(..=last).map(|(_, layer)| layer.len()).sum::<usize>();
    assert_eq!((count(u32::MAX), count(2 + 2 * (256 / 2 + 48))), (767_784, 763_642));
    let of_44 = folder.path().join("44-256.etb");
    generate_pattern("44", 256, &of_44).run().printed();
    assert_eq!(Table::open(&of_44).unwrap().len(), 767_784);
}

/// The same cells as a board of their own are worth over 0.99.
#[test]
fn moves_that_the_pattern_forbids_matter() {
    let table = PatternTable::open(&shared("44-128.etb")).unwrap();
    let seed = table.rules().pattern().seeds()[0];
    let chance = table.afterstate(seed).unwrap().unwrap();
    assert!((chance - 0.794_168_89).abs() < 1e-7, "{chance}");
}

/// Boards of the pattern as real games have them: other large tiles, another orientation.
fn disguised(board: Board, random: &mut SplitMix64, least: u8) -> Board {
    let mut real = 0;
    for cell in 0..16 {
        let exponent = board.0 >> (4 * cell) & 15;
        let room = u64::from(16 - least);
        let exponent =
            if exponent == 15 { u64::from(least) + random.below(room) } else { exponent };
        real |= exponent << (4 * cell);
    }
    images(&Grid::new(Board(real), Size::FULL))[random.below(8) as usize].board()
}

#[test]
fn boards_of_real_games_are_answered_as_the_records_have_it() {
    let path = shared("44-128.etb");
    let tables = PatternTables::open(&[&path]).unwrap();
    let table = &tables.tables()[0];
    let endgame = Endgame::new(table.rules().pattern(), 128);
    let layers = endgame.solve();
    let mut random = SplitMix64::new(7);
    let all: Vec<Board> = layers.values().flatten().map(|(board, _)| *board).collect();
    let mut best_moves = HashSet::new();
    for _ in 0..3000 {
        let after = all[random.below(all.len() as u64) as usize];
        let spawns: Vec<_> = after.spawns(Size::FULL).collect();
        let (board, _) = spawns[random.below(spawns.len() as u64) as usize];
        let real = disguised(board, &mut random, 7);
        let found = tables.probe(real).unwrap().unwrap();
        assert!(!found.won);
        // The chance of the twin, and the largest of the moves'.
        let slides = table.rules().pattern().slides(board);
        let chances =
            slides.iter().flatten().map(|&after| table.afterstate(after).unwrap().unwrap());
        assert_eq!(found.chance, chances.fold(0.0, f64::max), "{real}");
        let moves = found.moves.iter().filter_map(|mv| match mv {
            PatternMove::Afterstate(chance) => *chance,
            _ => None,
        });
        let moves: Vec<f64> = moves.collect();
        assert_eq!(moves.len(), slides.iter().flatten().count());
        assert_eq!(moves.into_iter().fold(0.0, f64::max), found.chance);
        best_moves.extend(found.best().map(Direction::name));
    }
    assert_eq!(best_moves.len(), 4, "{best_moves:?}");
}

#[test]
fn four_answers_are_told_apart() {
    let l3 = shared("L3-16.etb");
    let real = "2,0,0,0/4,0,0,0/8,64,128,256/2,512,1024,2048";
    let printed = probe(&l3).words(real).arg("--moves").run().printed();
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("ba91876300020001 0101 1.0"), "{printed}");
    assert_eq!(lines[1], format!("table {} pattern L3 target 16", l3.display()));
    assert!(lines[2].starts_with("move right 1.0"), "{printed}");
    assert_eq!(lines[3], "move up excluded: takes a large tile out of its place");
    // Won: the tile is there. Lost: no way to make it. Both are answers.
    let won = "16,0,0,0/4,0,0,0/8,64,128,256/2,512,1024,2048";
    let lost = "2,4,2,4/4,2,4,2/2,64,128,256/4,512,1024,2048";
    let printed = probe(&l3).words(won).words(lost).run().printed();
    assert_eq!(printed, "ba91876300020004 01ff 1.00000000\nba92876112122121 00ff 0.00000000\n");
    // Of no pattern here.
    let other = "2,0,0,0/4,0,0,0/8,64,128,256/2,512,8,2048";
    let said = probe(&l3).words(other).run().failed(2);
    assert!(
        said.contains("of no pattern here: L3 has 6 tiles of 16 and more, this board 5"),
        "{said}"
    );
    let elsewhere = "2,64,0,0/4,0,0,0/8,4,128,256/2,512,1024,2048";
    let said = probe(&l3).words(elsewhere).run().failed(2);
    assert!(said.contains("the 6 largest tiles are not where L3 has them"), "{said}");
    // Each line of input gets its own kind of answer; absent is of the pattern, but never reached.
    let table = shared("44-128.etb");
    let large = "256,512,128,2048/1024,4096,256,8192";
    let input = ["0,0,0,0/2,4,0,0", "128,0,0,0/2,4,0,0", "2,4,2,4/4,2,4,2", UNREACHED]
        .map(|free| format!("{free}/{large}\n"));
    let done = probe(&table).words("--stdin --json").feed((input.concat() + other).as_bytes());
    assert_eq!(done.code(), Some(2), "{done}");
    let all = objects(&done.stdout);
    assert_eq!((&all[0]["pattern"], &all[0]["target"]), (&json!("44"), &json!(128)));
    assert_eq!(all[0]["table"], table.display().to_string());
    assert_eq!((&all[1]["value"], &all[1]["best"]), (&json!(1.0), &json!([])));
    assert_eq!((&all[2]["value"], &all[2]["best"]), (&json!(0.0), &json!([])));
    assert_eq!((&all[3]["result"], all[3].get("value")), (&json!("absent"), None));
    assert!(all[4]["error"].as_str().unwrap().contains("of no pattern here"), "{}", all[4]);
    let said = probe(&table).words(input[3].trim()).run().failed(1);
    assert!(said.contains("not in the table"), "{said}");
}

#[test]
fn the_plain_form_and_every_orientation_get_one_answer() {
    let tables = PatternTables::open(&[shared("L3-16.etb")]).unwrap();
    let real = Board::parse("2,0,0,0/4,0,0,0/8,64,128,256/2,512,1024,2048", Size::FULL).unwrap();
    let plain = Board(0xfff1_fff3_0002_0001);
    let chance = tables.probe(plain).unwrap().unwrap().chance;
    for symmetry in Symmetry::all(Size::FULL) {
        let found = tables.probe(symmetry.board(real, Size::FULL)).unwrap().unwrap();
        assert_eq!(
            (found.chance, found.best()),
            (chance, Some(symmetry.direction(Direction::Right)))
        );
    }
    // An answer by the trait is consistent, too.
    let options = Options::default();
    let position = Tables::position(&tables, "ba91876300020001", &options).unwrap();
    let answer = Tables::probe(&tables, &*position, Detail::Chances).unwrap().unwrap();
    assert_eq!(answer.moves[0].worth, Some(answer.worth));
    assert_eq!(answer.moves[0].chances.len(), 2 * 6);
    assert!(answer.moves[0].chances.iter().all(|(_, worth)| worth.is_some()));
}

#[test]
fn of_several_tables_the_largest_target_answers_first() {
    let folder = folder();
    for name in ["44-16.etb", "44-128.etb", "L3-16.etb"] {
        fs::copy(shared(name), folder.path().join(name)).unwrap();
    }
    let asked = |board: &str| {
        let done = probe(folder.path()).words(board).arg("--json").run();
        let object = objects(&done.stdout).remove(0);
        (object["pattern"].clone(), object["target"].clone(), done.stderr)
    };
    let (pattern, target, said) = asked("0,0,0,0/2,4,0,0/256,512,128,2048/1024,4096,256,8192");
    assert_eq!((pattern, target, said), (json!("44"), json!(128), String::new()));
    // Tiles that are too small for the one are large enough for the other.
    let (pattern, target, _) = asked("0,0,0,0/2,4,0,0/256,512,64,2048/1024,4096,256,8192");
    assert_eq!((pattern, target), (json!("44"), json!(16)));
    let (pattern, target, said) = asked("0,0,0,0/2,4,0,0/2,512,512,2048/4,4096,256,8192");
    assert_eq!((pattern, target), (json!("L3"), json!(16)));
    assert!(said.contains("two large tiles of 512 could merge"), "{said}");
    let printed = verify(folder.path()).arg("--full").run().printed();
    assert_eq!(
        printed.matches("which are all there, and so are the seeds").count(),
        3,
        "{printed}"
    );
}

/// A table with some records changed by hand is not believed.
#[test]
fn verify_finds_what_is_wrong_and_what_is_missing() {
    let table = Table::open(shared("44-16.etb")).unwrap();
    let records: Vec<Record> = table.records().map(Result::unwrap).collect();
    let folder = folder();
    let written = |records: &[Record]| {
        let out = folder.path().join("table.etb");
        _ = fs::remove_file(&out);
        let mut writer = Writer::create(&out, table.header().description.clone()).unwrap();
        records.iter().for_each(|&record| writer.push(record).unwrap());
        writer.finish().unwrap();
        out
    };
    assert!(verify(written(&records)).arg("--full").run().status.success());
    let middle = records.len() / 2;
    let with = |change: &dyn Fn(&mut Record)| {
        let mut records = records.clone();
        change(&mut records[middle]);
        verify(written(&records)).arg("--full").run().failed(1)
    };
    let said = with(&|record| record.value = (record.value + 1000) & 0xff_ffff);
    assert!(said.contains("but one step of backup gives"), "{said}");
    let lost = records.iter().position(|record| record.value == 0).unwrap();
    let mut small = records.clone();
    small[lost].value = 1;
    let said = verify(written(&small)).arg("--full").run().failed(1);
    assert!(said.contains("but one step of backup gives 0"), "{said}");
    let mut short = records.clone();
    short.remove(middle);
    let said = verify(written(&short)).arg("--full").run().failed(1);
    assert!(said.contains(" not there"), "{said}");
    // A number between two boards is no code.
    let gap = records.windows(2).find_map(|two| {
        let between = two[0].code + 1..two[1].code;
        between.into_iter().next()
    });
    assert!(gap.is_some());
}

#[test]
fn play_agrees_with_the_table() {
    let printed = play_2048()
        .arg("--tables")
        .arg(shared("44-128.etb"))
        .words("--games 4000 --seed 1 --json")
        .run()
        .printed();
    let objects = objects(&printed);
    let summary = objects.last().unwrap();
    assert_eq!((&summary["pattern"], &summary["target"]), (&json!("44"), &json!(128)));
    let expected = summary["expected"].as_f64().unwrap();
    assert!((expected - 0.794_168_89).abs() < 1e-7, "{summary}");
    let (low, high) =
        (summary["won"]["low"].as_f64().unwrap(), summary["won"]["high"].as_f64().unwrap());
    assert!(low < expected && expected < high, "{summary}");
    let won = objects.iter().filter(|object| object["won"] == json!(true)).count();
    assert_eq!(summary["won"]["games"], won);
    // The text says the same, and a person cannot play it.
    let text = play_2048().arg("--tables").arg(shared("44-16.etb")).run().printed();
    assert!(text.starts_with("pattern      44\ngames        1\ntile 16 "), "{text}");
    let said = play_2048().arg("--tables").arg(shared("44-16.etb")).arg("--human").run().failed(2);
    assert!(said.contains("--human: not with the table of one pattern"), "{said}");
}

#[test]
fn whole_games_take_moves_from_tables_and_results_merge() {
    let folder = folder();
    let results = |name: &str, seeds: &str| {
        let path = folder.path().join(name);
        let mut play = play_2048();
        play.words("--heuristic edges --depth 1 --json").words(seeds).arg("--tables").arg(&*SHARED);
        fs::write(&path, play.run().printed()).unwrap();
        path
    };
    let (whole, first, rest) = (
        results("whole", "--seed 3 --games 5"),
        results("first", "--seed 3 --games 2"),
        results("rest", "--seed 5 --games 3"),
    );
    let merge = |paths: &[&Path]| {
        let mut play = play_2048();
        play.arg("--json").arg("--merge").args(paths);
        play
    };
    let summary = |paths: &[&Path]| {
        let mut summary = objects(&merge(paths).run().printed()).remove(0);
        for timed in ["seconds", "moves_per_second"] {
            summary[timed] = Value::Null;
        }
        summary
    };
    let all = summary(&[&whole]);
    assert_eq!(summary(&[&rest, &first]), all);
    assert_eq!((&all["games"], &all["seed"]), (&json!(5), &json!(3)));
    let games = objects(&fs::read_to_string(&whole).unwrap());
    let moves =
        |name: &str| games[..5].iter().map(|game| game[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(
        (&all["moves"], &all["table_moves"]),
        (&json!(moves("moves")), &json!(moves("table_moves")))
    );
    assert!(moves("table_moves") > 0 && moves("table_moves") < moves("moves"), "{all}");
    // Twice the same game, a run that was cut off, and what is no result.
    let said = merge(&[&whole, &first]).run().failed(2);
    assert!(said.contains("line 1: seed 3 is there already"), "{said}");
    let text = fs::read_to_string(&first).unwrap();
    fs::write(&first, text.lines().next().unwrap()).unwrap();
    let said = merge(&[&first]).run().failed(2);
    assert!(
        said.contains("1 games, and the object that tells of all of them is missing"),
        "{said}"
    );
    fs::write(&first, "{}").unwrap();
    let said = merge(&[&first]).run().failed(2);
    assert!(said.contains("line 1: no result of a game"), "{said}");
    merge(&[&folder.path().join("missing")]).run().failed(3);
    // Numbers that no game has.
    let game = |change: (&str, Value)| {
        let mut game = games[0].clone();
        game[change.0] = change.1;
        let total = json!({"game": "2048", "board": "4x4", "games": 1, "seconds": 1.0});
        fs::write(&first, format!("{game}\n{total}\n")).unwrap();
        merge(&[&first]).run()
    };
    game(("seed", json!(1))).printed();
    for change in [
        ("moves", json!(u64::MAX)),
        ("table_moves", json!(u64::MAX)),
        ("highest", json!(0)),
        ("highest", json!(3)),
        ("highest", json!(1u64 << 63)),
        ("score", json!(-1)),
    ] {
        let said = game(change.clone()).failed(2);
        assert!(said.contains("as games have them"), "{change:?}: {said}");
    }
    // One file, two runs.
    let both = [&rest, &whole].map(|path| fs::read_to_string(path).unwrap()).concat();
    fs::write(&first, both.replace("\"seed\":5", "\"seed\":50")).unwrap();
    merge(&[&first]).run().failed(2);
}

#[test]
fn recorded_positions_are_added_to_the_seeds() {
    let folder = folder();
    let out = folder.path().join("more.etb");
    // Upside down, as it may stand in a game.
    let free: Vec<&str> = UNREACHED.split('/').rev().collect();
    let start = format!("128,256,128,256/256,128,256,128/{}", free.join("/"));
    let board = Board::parse(&start, Size::FULL).unwrap();
    let seeds = shared("44-128.etb");
    assert!(PatternTables::open(&[&seeds]).unwrap().probe(board).unwrap().is_none());
    let starts = format!("{start} 0,0,0,0/2,2,0,0/128,256,128,256/256,128,256,128");
    generate_pattern("44", 128, &out).args(["--start", &starts]).run().printed();
    assert!(PatternTables::open(&[&out]).unwrap().probe(board).unwrap().is_some());
    verify(&out).arg("--full").run().printed();
    let printed = info(&out).run().printed();
    let command = "command      endtable generate 2048 --pattern 44 --objective tile:128 --start \
                   \"ffffffff00110000 ffffffff61610616\" --value chance24";
    assert!(printed.contains(command), "{printed}");
    // Together with the table of the seeds alone it is itself.
    let both = folder.path().join("both.etb");
    let [seeds, more] = [&seeds, &out].map(|path| path.to_str().unwrap());
    merge(&[seeds, more], &both).run().printed();
    let len = |path: &Path| Table::open(path).unwrap().len();
    assert!(len(&both) == len(&out) && len(&out) > len(seeds.as_ref()));
    let refused = |start: &str| {
        generate_pattern("44", 16, folder.path().join("no.etb"))
            .args(["--start", start])
            .run()
            .failed(2)
    };
    assert!(
        refused("2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,2")
            .contains("44 has 8 tiles of 16 and more, this board 0")
    );
    assert!(refused("2,4/2,4").contains("2 rows of 2 tiles"));
}

#[test]
fn what_cannot_be_made_is_refused_and_why() {
    let folder = folder();
    let out = folder.path().join("no.etb");
    let refused = |pattern: &str, words: &str| {
        let mut command = harness::commands::endtable();
        command.words("generate 2048 --pattern").arg(pattern).words(words).arg("--out").arg(&out);
        command.run().failed(2)
    };
    for (pattern, words, reason) in [
        ("L4", "--objective tile:16", "no pattern is shipped under this name (44, L3,"),
        ("44", "", "a pattern is played for a tile, tile:8 to tile:16384"),
        ("44", "--objective score", "a pattern is played for a tile"),
        ("44", "--objective tile:4", "expected score, or tile:"),
        ("44", "--objective tile:12", "expected score, or tile:"),
        ("LL", "--objective tile:32768", "tile:8 to tile:16384"),
        ("44", "--objective tile:1024", "which leave 8 cells: 512 is the largest that can be"),
        ("44", "--objective tile:16 --value f32", "chance16, chance24 or chance32"),
        ("44", "--objective tile:16 --board 4x4", "cannot be used with"),
        ("44", "--objective tile:16 --seeds 0..2 --depth 1", "cannot be used with"),
        (
            "bad ..../..../..../...F 2,0,0,0/0,0,0,0/0,0,0,0/0,0,F,0",
            "--objective tile:16",
            "fill none of the masks",
        ),
        (
            "bad ..../..../..../...F 16,0,0,0/0,0,0,0/0,0,0,0/0,0,0,F",
            "--objective tile:16",
            "seed 1, 16,0,0,0/",
        ),
    ] {
        let said = refused(pattern, words);
        assert!(said.contains(reason), "{pattern} {words}: {said}");
    }
    // A file says where it is wrong.
    let file = folder.path().join("mine.toml");
    fs::write(&file, "name = \"mine\"\nmasks = [\"..../..../..../...X\"]\nseeds = []\n").unwrap();
    let said = refused(file.to_str().unwrap(), "--objective tile:16");
    assert!(said.contains("mine.toml: mask 1: 'X' in row 4; expected F or ."), "{said}");
    let boards = harness::commands::generate_2048("2x2", "tile:16", &out)
        .words("--value chance24")
        .run()
        .failed(2);
    assert!(boards.contains("for tables of patterns"), "{boards}");
}

#[test]
fn a_file_of_ones_own_is_a_pattern_as_the_shipped_ones_are() {
    let folder = folder();
    let file = folder.path().join("own.toml");
    let drawn = "name = \"own\"\nsentence = \"For a test.\"\n\
                 masks = [\"..../FFF./FFFF/FFFF\", \"....\\n.FFF\\nFFFF\\nFFFF\"]\n\
                 seeds = [\"2 . . .\\nF F F .\\nF F F F\\nF F F F\"]\n";
    fs::write(&file, drawn).unwrap();
    let out = folder.path().join("own.etb");
    generate_pattern(file.to_str().unwrap(), 16, &out).run().printed();
    assert!(fs::read(&out).unwrap() == fs::read(shared("own-16.etb")).unwrap(), "another table");
    let printed = info(&out).run().printed();
    assert!(
        printed.contains("rules        4x4 tile:16 own ..../FFF./FFFF/FFFF ..../.FFF/"),
        "{printed}"
    );
    let listed = patterns().arg(&file).run().printed();
    assert!(listed.starts_with("own  For a test.\n    ....   ....\n    FFF.   .FFF\n"), "{listed}");
}

#[test]
fn patterns_are_listed_with_what_they_take() {
    let printed = patterns().run().printed();
    for pattern in Pattern::shipped() {
        assert!(
            printed.contains(&format!("{}  {}", pattern.name(), pattern.sentence())),
            "{printed}"
        );
    }
    let of_44 = objects(&patterns().words("44 --json").run().printed()).remove(0);
    assert_eq!(
        (&of_44["pattern"], &of_44["free"], &of_44["symmetries"]),
        (&json!("44"), &json!(8), &json!(1))
    );
    assert_eq!(of_44["masks"], json!(["..../..../FFFF/FFFF"]));
    let targets: Vec<u64> = of_44["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["target"].as_u64().unwrap())
        .collect();
    assert_eq!(targets, [8, 16, 32, 64, 128, 256, 512]);
    let said = patterns().arg("L4").run().failed(2);
    assert!(said.contains("no pattern is shipped under this name"), "{said}");
}

#[test]
fn chances_of_sixteen_and_of_thirty_two_bits_are_the_same_chances() {
    let folder = folder();
    let exact = PatternTable::open(&shared("44-16.etb")).unwrap();
    for (kind, within) in [("chance16", 2e-5), ("chance32", 2e-7)] {
        let out = folder.path().join(format!("{kind}.etb"));
        generate_pattern("44", 16, &out).args(["--value", kind]).run().printed();
        let table = PatternTable::open(&out).unwrap();
        for (one, other) in table.table().records().zip(exact.table().records()) {
            let (one, other) = (one.unwrap(), other.unwrap());
            let [a, b] = [(&table, one), (&exact, other)].map(|(table, record)| {
                table.table().header().description.value.decode(record.value)
            });
            assert!(one.code == other.code && (a - b).abs() < within, "{a} {b}");
            assert_eq!((a == 0.0, a == 1.0), (b == 0.0, b == 1.0));
        }
        verify(&out).arg("--full").run().printed();
    }
}

/// The sum of the small tiles is what layers are made of.
#[test]
fn statistics_count_every_record_by_its_sum() {
    let object = objects(&stats(shared("44-16.etb")).arg("--json").run().printed()).remove(0);
    let layers = Endgame::new(&Pattern::named("44").unwrap(), 16).solve();
    for layer in object["sums"].as_array().unwrap() {
        let boards = &layers[&(layer["sum"].as_u64().unwrap() as u32)];
        assert_eq!(layer["afterstates"], boards.len());
        let lost = boards.values().filter(|chance| **chance == 0.0).count();
        assert_eq!(layer["lost"], lost);
        assert!(
            boards.keys().all(|&board| sum(&Grid::new(board, Size::FULL))
                == layer["sum"].as_u64().unwrap() as u32)
        );
    }
    let seed = object["seed 1"].as_f64().unwrap();
    let twin = layers.values().next().unwrap().values().next().unwrap();
    assert!((seed - twin).abs() < 1e-7, "{object}");
}
