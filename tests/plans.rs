//! Work that is cut into shards comes to the same as work in one go, in whatever order, however often and by
//! however many programs the shards are worked on, and whatever is damaged in between.

mod harness;

use std::fs;
use std::path::{Path, PathBuf};

use endtable::random::SplitMix64;
use harness::commands::{endtable, generate_seeds, play_2048};
use harness::folder;
use harness::process::{Done, Process};
use serde_json::Value;

/// Runs the program in a folder.
fn run(folder: &Path, words: &str) -> Done {
    endtable().words(words).current_dir(folder).run()
}

/// The shards that are not done.
fn left(folder: &Path, plan: &str) -> Vec<String> {
    run(folder, &format!("shard {plan}")).printed().lines().map(str::to_owned).collect()
}

/// The files of unfinished work.
fn intermediate(work: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(work).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some());
    files.sort_unstable();
    files
}

const SEEDS: &str = "generate collapsi --seeds 0..12 --shards 5 --dir plan";

#[test]
fn shards_of_seeds_in_any_order_give_the_same_table() {
    let folder = folder();
    let at = folder.path();
    generate_seeds("0..12", at.join("whole.etb")).run().printed();
    let expected = fs::read(at.join("whole.etb")).unwrap();
    let table = || fs::read(at.join("plan/table.etb")).unwrap() == expected;

    let printed = run(at, &format!("plan {SEEDS}")).printed();
    assert!(printed.contains("plan.json: 6 shards"), "{printed}");
    let all: Vec<String> =
        (0..5).map(|number| format!("solved.{number}.5")).chain(["table.0.1".into()]).collect();
    assert_eq!(left(at, "plan"), all);
    // The last one needs the others, and says so.
    let said = run(at, "shard plan table.0.1").failed(3);
    assert!(said.contains("seeds 0 to 12 are not there; run what is left of the plan"), "{said}");

    let mut order: Vec<&String> = all[..5].iter().chain(&all[..5]).collect();
    let mut random = SplitMix64::new(5);
    (1..order.len())
        .rev()
        .for_each(|last| order.swap(last, random.below(last as u64 + 1) as usize));
    // Two at a time.
    for pair in order.chunks(2) {
        let start =
            |id: &&String| endtable().words(&format!("shard plan {id}")).current_dir(at).start();
        let running: Vec<_> = pair.iter().map(start).collect();
        running.into_iter().for_each(|it| _ = it.end().printed());
    }
    assert_eq!(left(at, "plan"), all[5..]);
    // What is damaged or gone is left to do once more.
    let files = intermediate(&at.join("plan/table.etb.work"));
    let mut bytes = fs::read(&files[1]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(&files[1], bytes).unwrap();
    fs::remove_file(&files[3]).unwrap();
    run(at, "shard plan table.0.1").failed(3);
    assert_eq!(left(at, "plan").len(), 3);
    run(at, "run plan --threads 2").printed();
    assert!(table() && left(at, "plan").is_empty() && !at.join("plan/table.etb.work").exists());
    // Who comes late finds nothing to do.
    run(at, "shard plan solved.1.5 table.0.1").printed();
    assert!(table() && !at.join("plan/table.etb.work").exists());
    // A damaged table is made anew.
    let mut bytes = expected.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(at.join("plan/table.etb"), bytes).unwrap();
    assert_eq!(left(at, "plan"), all);
    run(at, "run plan").printed();
    assert!(table());
}

#[test]
fn a_plan_is_kept_and_says_what_it_takes() {
    let folder = folder();
    let at = folder.path();
    run(at, &format!("plan {SEEDS} --hq --name seeds.etb")).printed();
    let text = fs::read_to_string(at.join("plan/plan.json")).unwrap();
    let plan: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(plan["work"], "generate");
    assert_eq!(plan["options"]["seeds"], "0..12");
    assert_eq!(plan["out"], "seeds.etb");
    let stages = plan["stages"].as_array().unwrap();
    assert_eq!(stages[1]["needs"], serde_json::json!(["solved"]));
    let shard = &stages[0]["shards"][2];
    assert_eq!(shard["id"], "solved.2.5");
    assert_eq!(shard["command"][1], "shard");
    assert!(plan["core_seconds"].as_f64().unwrap() > 0.0);
    let job = fs::read_to_string(at.join("plan/plan.toml")).unwrap();
    assert_eq!(job.matches("[[task]]").count(), 6);
    // The same plan may be made again, another one not.
    run(at, &format!("plan {SEEDS} --name seeds.etb")).printed();
    assert_eq!(fs::read_to_string(at.join("plan/plan.json")).unwrap(), text);
    let other = SEEDS.replace("0..12", "0..13");
    let said = run(at, &format!("plan {other}")).failed(2);
    assert!(said.contains("holds another plan"), "{said}");
    run(at, &format!("plan {other} --force")).printed();

    let simulated = run(at, &format!("plan {SEEDS} --simulate 8 --json")).printed();
    let simulated: Value = serde_json::from_str(&simulated).unwrap();
    assert!(simulated["seconds"].as_f64().unwrap() <= simulated["core_seconds"].as_f64().unwrap());
}

#[test]
fn another_cut_goes_on_with_what_is_there() {
    let folder = folder();
    let at = folder.path();
    generate_seeds("0..12", at.join("whole.etb")).run().printed();
    // Files of seeds 0 to 4, and of 0 to 3 and so on.
    run(at, "plan generate collapsi --seeds 0..12 --shards 3 --dir plan").printed();
    run(at, "shard plan solved.0.3").printed();
    run(at, "plan generate collapsi --seeds 0..12 --shards 4 --dir plan").failed(2);
    run(at, "plan generate collapsi --seeds 0..12 --shards 4 --dir plan --force").printed();
    run(at, "run plan").printed();
    assert!(
        fs::read(at.join("plan/table.etb")).unwrap() == fs::read(at.join("whole.etb")).unwrap()
    );
}

#[test]
fn a_plan_takes_no_other_results_and_replaces_no_other_file() {
    let folder = folder();
    let at = folder.path();
    let games = |seed: u32, more: &str| {
        format!(
            "plan play 2048 --board 2x3 --games 4 --seed {seed} --depth 0 --shards 2 --dir {more}"
        )
    };
    run(at, &games(0, "games")).printed();
    run(at, "run games").printed();
    run(at, &games(100, "games --force")).printed();
    run(at, "run games").printed();
    run(at, &games(100, "fresh")).printed();
    run(at, "run fresh").printed();
    let scores = |folder: &str| {
        let text = fs::read_to_string(at.join(folder).join("games.json")).unwrap();
        let summary: Value = serde_json::from_str(&text).unwrap();
        (summary["seed"].clone(), summary["scores"].clone())
    };
    assert_eq!(scores("games"), scores("fresh"));

    // A check that is planned again is made again.
    fs::create_dir(at.join("tables")).unwrap();
    generate_seeds("0..1", at.join("tables/one.etb")).run().printed();
    run(at, "plan verify tables --shards 1 --dir checks").printed();
    run(at, "run checks").printed();
    let mut bytes = fs::read(at.join("tables/one.etb")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(at.join("tables/one.etb"), bytes).unwrap();
    run(at, "plan verify tables --shards 1 --dir checks").printed();
    run(at, "run checks").failed(1);

    // A file of somebody else's.
    fs::create_dir(at.join("plan")).unwrap();
    fs::write(at.join("plan/table.etb"), "precious").unwrap();
    let said = run(at, &format!("plan {SEEDS}")).failed(2);
    assert!(said.contains("another file under the name of the table"), "{said}");
    assert_eq!(fs::read(at.join("plan/table.etb")).unwrap(), b"precious");
    for name in ["plan.json", "plan.toml", "a/b"] {
        run(at, &format!("plan {SEEDS} --name {name}")).failed(2);
    }
}

#[test]
fn a_plan_needs_no_other_file() {
    let folder = folder();
    let at = folder.path();
    let pattern = "name = \"mine\"\nsentence = \"Mine.\"\n\
                   masks = [\"\"\"\n. . . .\n. . . .\nF F F F\nF F F F\"\"\"]\n\
                   seeds = [\"\"\"\n. . . .\n2 . . .\nF F F F\nF F F F\"\"\"]\n";
    fs::write(at.join("mine.toml"), pattern).unwrap();
    let job = "generate 2048 --pattern mine.toml --objective tile:16";
    run(at, &format!("{job} --out whole.etb")).printed();
    run(at, &format!("plan {job} --shards 2 --dir plan")).printed();
    // Shards run anywhere, and the file may be gone.
    fs::remove_file(at.join("mine.toml")).unwrap();
    fs::create_dir(at.join("elsewhere")).unwrap();
    run(&at.join("elsewhere"), "run ../plan").printed();
    assert!(
        fs::read(at.join("plan/table.etb")).unwrap() == fs::read(at.join("whole.etb")).unwrap()
    );
}

#[test]
fn what_is_no_plan_or_shard_is_refused() {
    let folder = folder();
    let at = folder.path();
    run(at, &format!("plan {SEEDS}")).printed();
    for id in ["solved.5.5", "solved", "", "solved.0.4", "other.0.1"] {
        let mut command = endtable();
        let said = command.args(["shard", "plan", id]).current_dir(at).run().failed(2);
        assert!(said.contains("shard") || said.contains("plan"), "{id}: {said}");
    }
    run(at, "shard nowhere").failed(3);
    let plan = fs::read_to_string(at.join("plan/plan.json")).unwrap();
    for (what, instead) in [
        ("\"work\": \"generate\"", "\"work\": \"guess\""),
        ("\"out\": \"table.etb\"", "\"out\": \"../table.etb\""),
        ("0..12", "12..0"),
        ("collapsi", "checkers"),
        ("\"cores\": 1", "\"cores\": 0"),
        ("{", ""),
    ] {
        assert!(plan.contains(what), "{what}");
        fs::write(at.join("other.json"), plan.replacen(what, instead, 1)).unwrap();
        run(at, "shard other.json").failed(2);
    }
    assert!(!at.join("table.etb").exists());
}

#[test]
fn games_in_shards_come_to_the_same() {
    let folder = folder();
    let at = folder.path();
    let how = "--board 2x3 --games 25 --seed 7 --depth 1";
    run(at, &format!("plan play 2048 {how} --shards 4 --dir plan")).printed();
    run(at, "shard plan games.1.4 games.3.4").printed();
    let files = intermediate(&at.join("plan/games.json.work"));
    assert_eq!(files.len(), 2);
    let text = fs::read_to_string(&files[1]).unwrap();
    fs::write(&files[1], text.replacen("\"score\":", "\"score\":1", 1)).unwrap();
    assert_eq!(left(at, "plan"), ["games.0.4", "games.2.4", "games.3.4", "summary.0.1"]);
    run(at, "run plan --threads 2").printed();
    let object = |text: &str| {
        let mut object: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        for varying in ["seconds", "moves_per_second"] {
            object.as_object_mut().unwrap().remove(varying);
        }
        object
    };
    let found = object(&fs::read_to_string(at.join("plan/games.json")).unwrap());
    let whole = play_2048().words(&format!("{how} --json")).run().printed();
    assert_eq!(found, object(&whole));
}

#[test]
fn a_full_check_in_shards_finds_what_is_wrong() {
    let folder = folder();
    let at = folder.path();
    run(at, "generate collapsi --complete --cards 6 --out complete").printed();
    generate_seeds("0..2", at.join("complete/seeds.etb")).run().printed();
    run(at, "plan verify complete --shards 3 --dir good").printed();
    run(at, "run good --threads 2").printed();
    let report = fs::read_to_string(at.join("good/report.json")).unwrap();
    assert!(report.contains("solved anew, agrees"), "{report}");
    assert!(report.contains("each follows from those after its moves"), "{report}");

    run(at, "plan verify complete --shards 3 --dir bad").printed();
    let path = at.join("complete/collapsi-05.etd");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let said = run(at, "run bad").failed(1);
    assert!(said.contains("not sound"), "{said}");
    let report = fs::read_to_string(at.join("bad/report.json")).unwrap();
    assert!(report.contains("\"sound\":false") && report.contains("collapsi-05.etd"), "{report}");
    run(at, "run bad").failed(1);
}
