//! The JSON interface answers what the command line prints, for every game and kind of table.
#![cfg(feature = "serve")]

mod harness;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use endtable::games::{self, Position, Use, read_options};
use endtable::random::SplitMix64;
use harness::commands::{
    endtable, generate_2048, generate_complete, generate_pattern, generate_seeds, generate_tak,
};
use harness::http::{Server, encoded};
use harness::lasting_folder;
use harness::process::Process;
use serde_json::Value;

/// Tables of every game and kind, in one folder but for those that need one of their own.
static TABLES: LazyLock<[PathBuf; 6]> = LazyLock::new(|| {
    let folder = lasting_folder("serve-answers");
    let [seeds, small, pattern, proof] =
        ["seeds.etb", "2x3.etb", "44-64.etb", "proof.etb"].map(|name| folder.join(name));
    let [complete, tak] = ["complete", "tak"].map(|name| folder.join(name));
    generate_seeds("0..2", &seeds).run().printed();
    generate_complete(8, &complete).run().printed();
    generate_2048("2x3", "tile:32", &small).run().printed();
    generate_pattern("44", 64, &pattern).run().printed();
    generate_tak(3, 3, &tak).run().printed();
    let mut prove = endtable();
    prove.args(["solve", "tak", "x3/1,x2/x,2,x 1 2", "--proof"]).arg(&proof).run().printed();
    [seeds, complete, small, pattern, tak, proof]
});

const SEEDS: usize = 0;
const COMPLETE: usize = 1;
const SMALL: usize = 2;
const PATTERN: usize = 3;
const TAK: usize = 4;
const PROOF: usize = 5;

/// A server with all of them.
fn server() -> Server {
    let tables: Vec<&str> = TABLES.iter().map(|path| path.to_str().unwrap()).collect();
    Server::start_patient(&tables)
}

/// What is asked: a command with its options, and the parameters that ask the same.
struct Case {
    /// `solve`, or `probe` with the number of the tables.
    tables: Option<usize>,
    game: &'static str,
    options: &'static [(&'static str, &'static str)],
    start: &'static str,
    /// How many positions.
    count: usize,
}

const CASES: &[Case] = &[
    Case { tables: Some(SEEDS), game: "collapsi", options: &[], start: "1", count: 300 },
    Case {
        tables: Some(COMPLETE),
        game: "collapsi",
        options: &[("rules", "wild")],
        start: "2xAAA/2A3o2/..3./.4.3 x",
        count: 300,
    },
    Case {
        tables: Some(COMPLETE),
        game: "collapsi",
        options: &[],
        start: "A332/234Jx/3A42/A2AJo x",
        count: 200,
    },
    Case { tables: Some(SMALL), game: "2048", options: &[], start: "2,0,0/0,2,0", count: 300 },
    Case {
        tables: Some(SMALL),
        game: "2048",
        options: &[("spawns", "")],
        start: "2,0,0/0,2,0",
        count: 200,
    },
    Case {
        tables: Some(PATTERN),
        game: "2048",
        options: &[],
        start: "0,0,0,0/2,4,0,0/128,256,512,128/64,128,1024,2048",
        count: 300,
    },
    Case { tables: Some(TAK), game: "tak", options: &[], start: "x3/x3/x3 1 1", count: 300 },
    Case { tables: Some(PROOF), game: "tak", options: &[], start: "x3/1,x2/x,2,x 1 2", count: 200 },
    Case { tables: None, game: "collapsi", options: &[], start: "2", count: 200 },
    Case { tables: None, game: "collapsi", options: &[("rules", "wild")], start: "3", count: 100 },
    Case {
        tables: None,
        game: "collapsi",
        options: &[("no-distance", "")],
        start: "4",
        count: 100,
    },
    Case {
        tables: None,
        game: "2048",
        options: &[("depth", "1")],
        start: "4,2,0,0/8,4,0,0/16,2,0,0/128,32,4,2",
        count: 200,
    },
    Case {
        tables: None,
        game: "2048",
        options: &[("depth", "2"), ("heuristic", "edges"), ("cut-off", "0")],
        start: "2,4,0/0,2,0/0,0,8",
        count: 200,
    },
    Case {
        tables: None,
        game: "tak",
        options: &[("plies", "3")],
        start: "x4/x4/x4/x4 1 1",
        count: 150,
    },
    Case {
        tables: None,
        game: "tak",
        options: &[("plies", "3"), ("flats", "8"), ("komi", "2"), ("goal", "road")],
        start: "x3/x3/x3 1 1",
        count: 150,
    },
];

/// Different positions of games played at random from a start, and a few lines that are none.
fn positions(case: &Case) -> Vec<String> {
    let game = games::by_name(case.game).unwrap();
    let own = |name: &str| game.options(Use::Position).iter().any(|spec| spec.name == name);
    let options = case.options.iter().filter(|(name, _)| own(name));
    let options = options.map(|&(name, value)| (name, Some(value)));
    let options = read_options(game, &[Use::Position], options).unwrap();
    let mut random = SplitMix64::new(case.count as u64);
    let mut found: BTreeSet<String> = BTreeSet::new();
    for _ in 0..1_000 {
        let mut position: Box<dyn Position> = game.position(case.start, &options).unwrap();
        while found.len() < case.count {
            let chances: Vec<String> = position.chances().into_iter().map(|(mv, _)| mv).collect();
            let moves = if chances.is_empty() {
                found.insert(position.text());
                position.moves()
            } else {
                chances
            };
            if moves.is_empty() {
                break;
            }
            position = position.play(&moves[random.below(moves.len() as u64) as usize]).unwrap();
        }
    }
    assert!(found.len() >= case.count.min(100), "{} of {}", found.len(), case.start);
    let nonsense = ["nonsense", "x3/x3", "1,2,3/4,5,6", "999999999999999999999999"];
    found.into_iter().chain(nonsense.map(str::to_owned)).collect()
}

/// What the command line prints for positions, one line each.
fn printed(case: &Case, positions: &[String], moves: bool) -> Vec<String> {
    let mut command = endtable();
    match case.tables {
        Some(number) => command.arg("probe").arg(&TABLES[number]),
        None => command.args(["solve", case.game]),
    };
    command.args(["--stdin", "--json"]);
    for (name, value) in case.options {
        command.arg(format!("--{name}"));
        if !value.is_empty() {
            command.arg(value);
        }
    }
    if moves {
        command.arg("--moves");
    }
    let done = command.feed((positions.join("\n") + "\n").as_bytes());
    let lines: Vec<String> = done.stdout.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), positions.len(), "{done}");
    lines
}

/// The parameters of a case.
fn query(case: &Case, moves: bool) -> String {
    let table = case.tables.map_or(String::new(), |number| format!("&table={number}"));
    let options = case.options.iter().map(|(name, value)| format!("&{name}={value}"));
    let moves = if moves { "&moves" } else { "" };
    format!("game={}{table}{}{moves}", case.game, options.collect::<String>())
}

fn command_of(case: &Case) -> &'static str {
    if case.tables.is_some() { "probe" } else { "solve" }
}

fn takes_moves(case: &Case) -> bool {
    case.options.iter().all(|(name, _)| *name != "no-distance")
}

/// One by one, the answer is the line that is printed.
#[test]
fn a_position_is_answered_as_on_the_command_line() {
    let server = server();
    for case in CASES {
        let positions = positions(case);
        let moves = takes_moves(case);
        let asked = positions.iter().zip(printed(case, &positions, moves)).rev().step_by(4);
        let mut absent = 0;
        for (position, line) in asked {
            let query = query(case, moves);
            let path =
                format!("/api/v1/{}?{query}&position={}", command_of(case), encoded(position));
            let answer = server.get(&path);
            let line: Value = serde_json::from_str(&line).unwrap();
            match line.get("error") {
                Some(error) => {
                    assert_eq!((answer.status, &answer.json()["error"]), (400, error), "{path}");
                }
                None => {
                    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
                    assert_eq!(answer.text(), line.to_string(), "{path}");
                    absent += u32::from(line["result"] == "absent");
                }
            }
        }
        assert!(case.tables.is_some() || absent == 0);
    }
}

/// Together, the answers are the lines that are printed, those that cannot be read among them.
#[test]
fn a_batch_is_answered_as_on_the_command_line() {
    let server = server();
    for case in CASES {
        let positions = positions(case);
        for moves in [false, true] {
            if moves && !takes_moves(case) {
                continue;
            }
            let mut object = serde_json::Map::new();
            object.insert("game".into(), case.game.into());
            object.insert("positions".into(), positions.clone().into());
            object.insert("moves".into(), moves.into());
            if let Some(number) = case.tables {
                object.insert("table".into(), number.into());
            }
            for (name, value) in case.options {
                let value = if value.is_empty() { true.into() } else { Value::from(*value) };
                object.insert((*name).into(), value);
            }
            let body = Value::Object(object).to_string();
            let answer = server.post(&format!("/api/v1/{}", command_of(case)), body.as_bytes());
            assert_eq!(answer.status, 200, "{}", answer.text());
            let answers = answer.json();
            let answers = answers["answers"].as_array().expect("a list");
            let lines = printed(case, &positions, moves);
            assert_eq!(answers.len(), lines.len());
            for ((answer, line), position) in answers.iter().zip(lines).zip(&positions) {
                assert_eq!(answer.to_string(), line, "{position}");
            }
        }
    }
}

/// Without a number, the tables are found that have the position; without tables, it is searched.
#[test]
fn moves_come_from_whoever_knows() {
    let server = server();
    let ask = |query: &str| server.json(&format!("/api/v1/moves?{query}"));
    let from_tables = [
        ("game=collapsi&position=A332/234Jx/3A42/A2AJo+x", SEEDS),
        ("game=collapsi&position=2x.AA/2A3o2/..../...3+x", COMPLETE),
        ("game=collapsi&position=2x.AA/2A3o2/..../...3+x&rules=wild", COMPLETE),
        ("game=2048&position=2,4,0/0,2,0", SMALL),
        ("game=2048&position=0,0,0,0/2,4,0,0/128,256,512,128/64,128,1024,2048", PATTERN),
        ("game=tak&position=x3/x3/x3+1+1&flats=3", TAK),
    ];
    for (query, number) in from_tables {
        let answer = ask(query);
        assert_eq!(answer["source"], format!("/tables/{number}"), "{query}");
        // The same answer as by the tables' number.
        let probed = server.json(&format!("/api/v1/probe?{query}&table={number}&moves=true"));
        let mut without = answer.as_object().unwrap().clone();
        without.shift_remove("source");
        assert_eq!(Value::Object(without).to_string(), probed.to_string(), "{query}");
    }
    for query in [
        "game=2048&position=2,4,0,0/0,2,0,0/0,0,0,0/0,0,0,0&depth=1",
        "game=tak&position=x3/x3/x3+1+1&plies=2",
        "game=tak&position=x4/x4/x4/x4+1+1&plies=2",
    ] {
        assert_eq!(ask(query)["source"], "search", "{query}");
    }
    let absent = server.json("/api/v1/probe?game=tak&position=x4/x4/x4/x4+1+1");
    assert_eq!(absent["result"], "absent");
}

fn objects(text: &str) -> Vec<Value> {
    let lines = text.lines().filter(|line| line.starts_with("{\"game\""));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn best_play_is_the_line_of_the_command_line() {
    let server = server();
    let lines = [
        (SEEDS, "A332/234Jx/3A42/A2AJo x", "collapsi", "0"),
        (COMPLETE, "2x.AA/2A3o2/..../...3 x", "collapsi", "0"),
        (SMALL, "2,0,0/0,2,0", "2048", "7"),
        (SMALL, "2,4,0/0,2,0", "2048", "12345678901234567890"),
        (TAK, "x3/x3/x3 1 1", "tak", "0"),
        (PROOF, "x3/1,x2/x,2,x 1 2", "tak", "0"),
    ];
    for (number, position, game, chance) in lines {
        let mut command = endtable();
        command.arg("line").arg(&TABLES[number]).args([position, "--json", "--chance", chance]);
        let done = command.run();
        let path = format!(
            "/api/v1/line?game={game}&table={number}&chance={chance}&position={}",
            encoded(position)
        );
        let line = server.json(&path);
        let steps = line["line"].as_array().unwrap();
        let printed = objects(&done.stdout);
        assert!(!printed.is_empty(), "{done}");
        assert_eq!(Value::from(steps.clone()).to_string(), Value::from(printed).to_string());
        let ended = if line["end"] == "absent" { Some(1) } else { Some(0) };
        assert_eq!(done.code(), ended, "{done}");
        assert!(done.stderr.contains(line["last"].as_str().unwrap()), "{done}");
    }
}

#[test]
fn forms_are_those_of_the_command_line() {
    let server = server();
    let one = |command: &mut Command, path: &str| {
        let printed = command.arg("--json").run().printed();
        assert_eq!(server.get(path).text(), printed.trim_end(), "{path}");
    };
    let dump = |game: &str| {
        let mut command = endtable();
        command.args(["dump", game]);
        command
    };
    one(dump("collapsi").args(["--seed", "7"]), "/api/v1/dump?game=collapsi&seed=7");
    for case in CASES.iter().filter(|case| case.options.is_empty()) {
        for position in positions(case).iter().take(10) {
            let path = format!("/api/v1/dump?game={}&position={}", case.game, encoded(position));
            one(dump(case.game).arg(position), &path);
        }
    }
    let mut apply = endtable();
    apply.args(["apply", "2048", "2,4,0/0,2,0/0,0,8", "left", "2@1,3", "up"]);
    let path = "/api/v1/apply?game=2048&position=2,4,0/0,2,0/0,0,8&move=left&move=2@1,3&move=up";
    one(&mut apply, path);
    let refused = server.get("/api/v1/apply?game=collapsi&seed=1&move=00");
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("move 1: 00"), "{}", refused.text());
}

/// What is said of each file is what a manifest says, the checksum among it.
#[test]
fn tables_are_what_a_manifest_says() {
    let server = server();
    let folder = TABLES[SEEDS].parent().unwrap();
    let mut manifests = Vec::new();
    for folder in [folder, &TABLES[COMPLETE], &TABLES[TAK]] {
        endtable().arg("manifest").arg(folder).run().printed();
        let text = fs::read_to_string(folder.join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&text).unwrap();
        manifests.extend(manifest["tables"].as_array().unwrap().clone());
    }
    let listed = loop {
        let tables = server.json("/api/v1/tables");
        let tables = tables["tables"].as_array().unwrap().clone();
        let files = tables.iter().flat_map(|table| table["files"].as_array().unwrap().clone());
        let files: Vec<Value> = files.collect();
        if files.iter().all(|file| file.get("sha256").is_some()) {
            assert_eq!(tables.len(), TABLES.len());
            break files;
        }
        sleep(Duration::from_millis(50));
    };
    assert_eq!(listed.len(), manifests.len());
    for file in listed {
        let mut said = file.as_object().unwrap().clone();
        let address = said.shift_remove("download").unwrap();
        let said = Value::Object(said);
        assert!(manifests.contains(&said), "{said}");
        let bytes = server.get(address.as_str().unwrap()).body;
        let name = said["file"].as_str().unwrap();
        let folders = [folder, Path::new(&TABLES[COMPLETE]), &TABLES[TAK]];
        let path = folders.map(|folder| folder.join(name)).into_iter().find(|path| path.exists());
        assert!(bytes == fs::read(path.unwrap()).unwrap(), "{name} is downloaded as it is");
    }
}
