//! Heuristics by name, and files of weights: which are read, and why others are refused.

mod harness;
mod twin;

use endtable::games::twenty48::{Heuristic, HeuristicError};
use harness::search::{STRONG_WEIGHTS, heuristic};
use twin::twenty48::network::split;

#[test]
fn bad_names_and_weights_are_refused() {
    assert_eq!(
        "best".parse::<Heuristic>().unwrap_err().to_string(),
        "\"best\": no heuristic; there are edges, sum, score, strong"
    );
    let sum = heuristic("sum");
    let error = |text: &str| sum.clone().with_weights(text).unwrap_err();
    for (line, text) in [(1, "open"), (2, "\nopen = many"), (1, "open = inf"), (3, "open=1\n\n= ")]
    {
        assert!(
            matches!(error(text), HeuristicError::Line { line: found, .. } if found == line),
            "{text}"
        );
    }
    assert_eq!(
        error("edge = 1").to_string(),
        "line 1: sum has no weight \"edge\"; it has tiles, open, smoothness, monotonicity, corner"
    );
    let changed = sum.with_weights("open = 5 # five\n\n# nothing\ncorner=-1e3").unwrap();
    assert_eq!(
        changed.to_string(),
        "sum (tiles 1, open 5, smoothness 0, monotonicity 0, corner -1000)"
    );
}

#[test]
fn bad_networks_are_refused() {
    let strong = heuristic("strong");
    let error = |file: &[u8]| match strong.clone().with_weights(file).unwrap_err() {
        HeuristicError::Network(what) => what,
        other => panic!("{other}"),
    };
    error(b"");
    error(b"open = 5");
    for cut in [1, 100, STRONG_WEIGHTS.len() / 2, STRONG_WEIGHTS.len() - 1] {
        error(&STRONG_WEIGHTS[..cut]);
    }
    for at in (0..STRONG_WEIGHTS.len()).step_by(STRONG_WEIGHTS.len() / 20) {
        let mut damaged = STRONG_WEIGHTS.to_vec();
        damaged[at] ^= 0x40;
        error(&damaged);
    }
    let packed = |content: &[u8]| zstd::encode_all(content, 1).unwrap();
    assert_eq!(error(&packed(b"something else")), "it begins otherwise");
    // Both networks in one frame, and a third one.
    let content = zstd::decode_all(STRONG_WEIGHTS).unwrap();
    assert_eq!(error(&packed(&content)), "it is too long");
    let first = packed(split(&content).0);
    assert_eq!(error(&[&first[..], &first, &first].concat()), "it is too long");
    for scale in [0.0, -2.0, 3.0, f32::NAN, f32::INFINITY] {
        let file = packed(&[&content[..8], &scale.to_le_bytes(), &content[12..]].concat());
        assert_eq!(error(&file), format!("a scale of {scale}"));
    }
    assert_eq!(heuristic("sum").with_weights([0xff]), Err(HeuristicError::Text));
}

/// Two files with the same weights are two heuristics: a table names the file that it was made with.
#[test]
fn a_network_from_a_file_is_named_by_its_bytes() {
    let with = |file: &[u8]| heuristic("strong").with_weights(file).unwrap();
    let content = zstd::decode_all(STRONG_WEIGHTS).unwrap();
    let packed = <[&[u8]; 2]>::from(split(&content)).map(|it| zstd::encode_all(it, 1).unwrap());
    let (shipped, again) = (with(STRONG_WEIGHTS), with(&packed.concat()));
    assert_eq!(with(STRONG_WEIGHTS), shipped);
    assert_ne!(again, shipped);
    assert_ne!(again.to_string(), shipped.to_string());
    assert_eq!(heuristic("strong").to_string(), "strong");
    assert!(shipped.to_string().starts_with("strong ("), "{shipped}");
}
