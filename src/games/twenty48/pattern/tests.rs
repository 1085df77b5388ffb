use super::*;

const OWN: &str = "corner ..../..../..../...F 2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,F";

#[test]
fn shipped_patterns_are_those_of_their_files() {
    let expected = [
        ("44", 1, 8, 1),
        ("L3", 1, 10, 1),
        ("442", 1, 10, 1),
        ("t", 3, 10, 1),
        ("4421", 1, 11, 1),
        ("LL", 1, 12, 2),
        ("free8", 0, 8, 8),
    ];
    let shipped = Pattern::shipped()
        .iter()
        .map(|it| (it.name(), it.masks().len(), it.free_cells(), it.symmetries().len()));
    assert_eq!(shipped.collect::<Vec<_>>(), expected);
    for pattern in Pattern::shipped() {
        assert!(!pattern.sentence().is_empty());
        assert_eq!(pattern.to_string(), pattern.name());
        assert_eq!(&Pattern::named(pattern.name()).unwrap(), pattern);
    }
    let l3 = Pattern::named("L3").unwrap();
    assert_eq!(l3.masks(), [0xee00]);
    let seeds: Vec<String> = l3.seeds().iter().map(|&it| Pattern::board_text(it)).collect();
    assert_eq!(seeds, ["2,0,0,0/0,0,0,0/2,F,F,F/4,F,F,F", "0,0,0,0/0,0,0,2/4,F,F,F/2,F,F,F"]);
    assert_eq!(l3.picture(), "....\n....\n.FFF\n.FFF\n");
    assert_eq!(Pattern::named("t").unwrap().picture().lines().next(), Some("....   ....   F..."));
}

#[test]
fn a_pattern_reads_back_as_it_is_written() {
    let own: Pattern = OWN.parse().unwrap();
    assert_eq!(own.to_string(), OWN);
    let t = Pattern::named("t").unwrap();
    let renamed = Pattern::new("mine", "", t.masks().to_vec(), t.seeds().to_vec()).unwrap();
    assert_eq!(renamed.to_string().parse::<Pattern>().unwrap(), renamed);
    assert!(renamed.to_string().starts_with("mine ..../..../F.FF/F.FF ..../F.../F.FF/..FF "));
}

#[test]
fn files_are_read_as_they_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("corner.toml");
    let text = "name = \"corner\"\nmasks = [\"\"\"\n. . . .\n. . . .\n. . . .\n. . . F\"\"\"]\n\
                seeds = [\"2 . . .\\n. . . .\\n. . . .\\n. . . F\"]\n";
    std::fs::write(&path, text).unwrap();
    let named = |path: &std::path::Path| Pattern::named(path.to_str().unwrap());
    assert_eq!(named(&path).unwrap(), OWN.parse().unwrap());
    std::fs::write(&path, text.replace("corner", "L3")).unwrap();
    let error = named(&path).unwrap_err().to_string();
    assert!(
        error.ends_with("L3: another pattern is shipped under this name; give this one its own")
    );
    std::fs::write(&path, "#".repeat(70_000)).unwrap();
    assert!(named(&path).unwrap_err().to_string().contains("too long for a pattern"));
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    assert!(named(&path).unwrap_err().to_string().contains("not a text in UTF-8"));
    assert!(named(folder.path()).is_err());
}

#[test]
fn what_is_no_pattern_is_refused_and_why() {
    let file =
        |masks: &str, seeds: &str| format!("name = \"x\"\nmasks = [{masks}]\nseeds = [{seeds}]");
    let mask = "\"..../..../..../..FF\"";
    let seed = "\"2,0,0,0/0,0,0,0/0,0,0,0/0,0,F,F\"";
    for (text, reason) in [
        (file(mask, ""), "at least one seed"),
        (
            file(mask, "\"2,0,0,0/0,0,0,0/0,0,0,0/0,F,F,0\""),
            "seed 1, 2,0,0,0/0,0,0,0/0,0,0,0/0,F,F,0: its",
        ),
        (
            file(mask, "\"2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,F\""),
            "mask 1 has 2 cells, but the seeds only 1",
        ),
        (file(mask, &format!("{seed}, \"2,F,0,0/0,0,0,0/0,0,0,0/0,0,F,F\"")), "seed 2 has 3 large"),
        (file(mask, "\"2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0\""), "no large tile"),
        (file(mask, "\"2,2,2,2/2,2,2,2/2,2,2,2/2,2,F,F\""), "seed 1 has no empty cell"),
        (file("\"..../..../..../....\"", seed), "mask 1 has no F"),
        (file(&format!("{mask}, {mask}"), seed), "mask 2 is mask 1 again"),
        (file("\"..../..../...F\"", seed), "mask 1: 3 rows"),
        (file("\"..../..../..../..F\"", seed), "mask 1: row 4 has 3 cells"),
        (file("\"..../..../..../..FG\"", seed), "'G' in row 4"),
        (file(mask, "\"3,0,0,0/0,0,0,0/0,0,0,0/0,0,F,F\""), "seed 1: \"3\" in row 1"),
        (file(mask, "\"32768,0,0,0/0,0,0,0/0,0,0,0/0,0,F,F\""), "a tile from 2 to 16384"),
        (file("7", seed), "masks: expected a list of drawings"),
        (format!("{}\nlayers = 4", file(mask, seed)), "\"layers\": a pattern has no such key"),
        (format!("{}\nsymmetry = 4", file(mask, seed)), "symmetry: expected a text in quotes"),
        (format!("{}\nsymmetry = \"some\"", file(mask, seed)), "symmetry: expected all or none"),
        (file(mask, seed).replace("name = \"x\"", ""), "name: expected a name"),
        (file(mask, seed).replace("\"x\"", "7"), "name: expected a text in quotes"),
        (file(mask, seed).replace("\"x\"", "\"a b\""), "not a name"),
        (file(mask, &vec![seed; 257].join(",")), "257 seeds"),
        ("masks = [".into(), "TOML"),
    ] {
        let said = Pattern::from_toml(&text).unwrap_err().to_string();
        assert!(said.contains(reason), "{text}: {said}");
    }
    let unknown = Pattern::named("L4").unwrap_err().to_string();
    assert!(unknown.contains("44, L3, 442, t, 4421, LL, free8"), "{unknown}");
    assert!(OWN.replace("corner", "44").parse::<Pattern>().is_err());
}

#[test]
fn moves_that_take_a_large_tile_out_of_every_mask_are_illegal() {
    let legal = |name: &str, rows: &str| {
        let board = drawing::read_board(rows, 1).unwrap();
        Pattern::named(name).unwrap().slides(board).map(|it| it.map(Pattern::board_text))
    };
    // The 2s would merge upwards as well, but the large tiles would go along.
    let [up, right, down, left] = legal("L3", "0,0,0,0/0,0,0,0/2,F,F,F/2,F,F,F");
    assert_eq!(up, None, "the large tiles would go up");
    assert_eq!((right, left), (None, None), "nothing moves");
    assert_eq!(down.as_deref(), Some("0,0,0,0/0,0,0,0/0,F,F,F/4,F,F,F"));
    let [_, _, _, left] = legal("L3", "0,0,0,2/0,0,0,0/0,F,F,F/4,F,F,F");
    assert_eq!(left, None);
    // Equal large tiles do not merge, and one may leave its cell while another mask is filled.
    let [up, ..] = legal("t", "0,0,0,2/0,2,0,0/F,2,F,F/F,4,F,F");
    assert_eq!(up.as_deref(), None, "the square would go up");
    let [up, ..] = legal("t", "0,0,2,2/2,2,4,4/F,2,F,F/F,4,F,F");
    assert_eq!(up.as_deref(), Some("2,4,2,2/F,4,4,4/F,0,F,F/0,0,F,F"));
    let free = legal("free8", "0,0,0,0/2,0,0,0/F,F,F,F/F,F,F,F");
    assert_eq!(free.iter().flatten().count(), 2);
}
