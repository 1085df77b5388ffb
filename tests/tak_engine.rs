//! Tak's solver as programs and people meet it: answers, proofs as tables, the engine interface, games.

mod harness;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use harness::commands::{PROGRAM, endtable, info, probe, verify};
use harness::process::Process;
use harness::{folder, project};
use serde_json::Value;

const START: &str = "x3/x3/x3 1 1";
/// White wins in 9.
const WON: &str = "x3/1,x2/x,2,x 1 2";
/// The proof that is shipped.
const SHIPPED: &str = "data/tak/tak-3x3.etb";

fn solve(tps: &str) -> Command {
    let mut command = endtable();
    command.words("solve tak").arg(tps);
    command
}

#[test]
fn answers_in_words_and_as_objects() {
    let line = solve(WON).run().printed();
    assert_eq!(line, "00000000003fb400 white win 9 c2\n");
    let object: Value = serde_json::from_str(&solve(WON).arg("--json").run().printed()).unwrap();
    assert_eq!((object["result"].as_str(), object["plies"].as_u64()), (Some("win"), Some(9)));
    assert_eq!(object["best"], serde_json::json!(["c2"]));
    // Within fewer plies nothing is known, and nothing is said.
    let open = solve(WON).words("--plies 8 --json").run().printed();
    let object: Value = serde_json::from_str(&open).unwrap();
    assert_eq!(
        (object["result"].as_str(), object["searched"].as_u64()),
        (Some("unknown"), Some(8))
    );
    let open = solve("x6/x6/x6/x6/x6/x6 1 1").words("--time 0.2").run().printed();
    assert!(open.contains(" white unknown "), "{open}");
    let road = solve("2,x,2S/x2,1/x,21,x 1 4").words("--goal road --plies 3").run().printed();
    assert!(road.ends_with(" white win 3 a1\n"), "{road}");
    for (option, value) in [("--plies", "0"), ("--goal", "flats"), ("--time", "-1")] {
        let message = solve(START).arg(format!("{option}={value}")).run().failed(2);
        assert!(message.contains(option), "{message}");
    }
}

#[test]
fn positions_on_standard_input_get_a_line_each() {
    let input = format!("{WON}\nnonsense\nx,2,2/2,1S,1/2,1,1S 1 7\n");
    let done = endtable().words("solve tak --stdin --plies 9").feed(input.as_bytes());
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].ends_with("win 9 c2") && lines[1] == "?" && lines[2].contains(" loss 2 "));
    assert_eq!(done.code(), Some(2));
}

#[test]
fn the_shipped_proof_is_made_again_to_the_byte() {
    let folder = folder();
    let out = folder.path().join("proof.etb");
    let shipped = project(SHIPPED);
    let told = info(&shipped).run().printed();
    let command = "endtable solve tak \"x3/x3/x3 1 1\" --plies 13";
    assert!(told.contains(&format!("command      {command}\n")), "{told}");
    solve(START).words("--plies 13 --proof").arg(&out).run().printed();
    assert!(fs::read(&out).unwrap() == fs::read(&shipped).unwrap(), "the bytes differ");

    let checked = verify(&shipped).arg("--full").run().printed();
    assert!(checked.contains("prove x3/x3/x3 1 1 within 13 plies"), "{checked}");
    let found = probe(&shipped).arg(START).run().printed();
    assert_eq!(found, "000000000007fc00 white win 13 b2\n");
    verify(project("data/tak")).run().printed();
}

#[test]
fn a_proof_is_not_overwritten_nor_made_where_it_does_not_fit() {
    let folder = folder();
    let out = folder.path().join("proof.etb");
    fs::write(&out, "mine").unwrap();
    solve(WON).arg("--proof").arg(&out).run().failed(2);
    assert_eq!(fs::read(&out).unwrap(), b"mine");

    let other = folder.path().join("other.etb");
    let message = solve("x4/x4/x4/x4 1 1").words("--plies 1 --proof").arg(&other).run().failed(2);
    assert!(message.contains("64 bits"), "{message}");
    // Nothing is proved, so that nothing is written.
    solve(WON).words("--plies 2 --proof").arg(&other).run();
    assert!(!other.exists());
}

#[test]
fn a_proof_of_a_loss_and_one_with_a_hole() {
    let folder = folder();
    let out = folder.path().join("loss.etb");
    solve("x,12S,2S/1S,x,1/x,21,1S 2 6").words("--plies 10 --proof").arg(&out).run().printed();
    let checked = verify(&out).arg("--full").run().printed();
    assert!(checked.contains("within 10 plies"), "{checked}");

    // A proof that is said to take fewer plies than it does is found out.
    let mut bytes = fs::read(project(SHIPPED)).unwrap();
    let text = b"option plies: 13";
    let place = bytes.windows(text.len()).position(|part| part == text).unwrap() + text.len() - 1;
    bytes[place] = b'2';
    let length = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize;
    let sum = xxhash_rust::xxh3::xxh3_64(&bytes[..length - 8]);
    bytes[length - 8..length].copy_from_slice(&sum.to_le_bytes());
    let false_claim = folder.path().join("false.etb");
    fs::write(&false_claim, bytes).unwrap();
    let message = verify(&false_claim).arg("--full").run().failed(3);
    assert!(message.contains("13 plies, expected 12"), "{message}");
}

#[test]
fn the_engine_interface() {
    let talk = "tei\nisready\nsetoption name HalfKomi value 3\nteinewgame 3\nposition startpos moves \
                b1 a2\ngo depth 9\n";
    let said = endtable().arg("tei").feed(talk.as_bytes()).printed();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines.contains(&"teiok") && lines.contains(&"readyok"), "{said}");
    assert!(lines.iter().any(|line| line.starts_with("option name HalfKomi type spin")), "{said}");
    assert!(said.contains("score mate 5 pv ") && said.contains("win in 9 plies, proved"), "{said}");
    assert!(lines.last().unwrap().starts_with("bestmove "), "{said}");

    let other_form = "teinewgame size 6 halfkomi 4\nposition tps x6/x6/x6/x6/x6/x6 1 1 moves a1 f6\n\
                      go movetime 50\n";
    let said = endtable().arg("tei").feed(other_form.as_bytes()).printed();
    assert!(said.contains("string nothing proved within "), "{said}");
    assert!(said.lines().last().unwrap().starts_with("bestmove "), "{said}");

    let wrong = "go depth\nposition here\nteinewgame 9\nsing\nisready\n";
    let said = endtable().arg("tei").feed(wrong.as_bytes()).printed();
    let errors = said.lines().filter(|line| line.starts_with("info string error: ")).count();
    assert!(errors == 4 && said.ends_with("readyok\n"), "{said}");
}

#[test]
fn an_endless_search_ends_with_stop() {
    let mut child = Command::new(PROGRAM)
        .arg("tei")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    writeln!(input, "teinewgame 5\nposition startpos\ngo infinite").unwrap();
    // It reports as it goes, and answers other commands.
    assert!(output.next().unwrap().unwrap().starts_with("info depth 1 "));
    writeln!(input, "isready\nstop\nquit").unwrap();
    let rest: Vec<String> = output.map(Result::unwrap).collect();
    assert!(rest.contains(&"readyok".into()), "{rest:?}");
    assert!(rest.last().unwrap().starts_with("bestmove "), "{rest:?}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_game_against_the_solver() {
    let play = |arguments: &str, tps: &str, input: &str| {
        let mut command = endtable();
        command.words("play tak").words(arguments).arg(tps).feed(input.as_bytes()).printed()
    };
    // A person who places walls, against somebody who has won: the solver finds every move.
    let said =
        play("--side black --time 20", WON, "Sa1 Sc3 Sa3 Sc1 Sb3 Sb1 Sb2 Sa1 Sc3 Sa3 Sc1 Sb3\n");
    assert!(said.contains("white plays c2; wins in 9 plies"), "{said}");
    assert!(said.contains("over: R-0") || said.contains("over: F-0"), "{said}");
    let said = play("--time 0.2", WON, "nonsense\nhint\nc2 undo\nquit\n");
    assert!(said.ends_with(&format!("left at {WON}\n")), "{said}");
    assert!(said.contains("c2; wins in 9 plies"), "{said}");
    // From the tables, where they have the position.
    let mut command = endtable();
    command.words("play tak --side black --tables").arg(project(SHIPPED)).arg(START);
    let said = command.feed(b"quit\n").printed();
    assert!(said.contains("white plays b2; wins in 13 plies, from the tables"), "{said}");
}
