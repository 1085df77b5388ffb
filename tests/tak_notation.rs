//! TPS and PTN: what is read, what is written, and what is refused with which words.

mod twin;

use endtable::games::tak::{Board, Colour, Grid, Komi, Move, PtnError, Size};
use endtable::games::{GameError, Position, by_name};
use endtable::random::SplitMix64;
use endtable::table::Options;
use proptest::prelude::*;
use twin::tak::random::thrown;

fn read_with(text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
    by_name("tak").expect("there is such a game").position(text, options)
}

fn read(text: &str) -> Result<Box<dyn Position>, GameError> {
    read_with(text, &Options::default())
}

#[test]
fn positions_are_written_as_they_are_read() {
    for text in [
        "x3/x3/x3 1 1",
        "x3/x3/2,x2 2 1",
        "x3/x,1,x/2,x2 1 2",
        "x,2,2,22S,2,111S/21S,22C,112,x,1112S,11S/x,2,112212,2,2S,2/x,2,121122,x,1112,211/\
         21C,x,1,2S,21S,x/2S,x,212,1S,12S,1S 1 33",
        "x6/x6/x6/x3,111222111222111222111222111222111222111222111222111222111222C,x2/x6/x6 2 31",
        "x7/x7/x7/x3,1S,x3/x7/x7/x6,2 1 1000000",
    ] {
        assert_eq!(read(text).unwrap().text(), text);
    }
    // Blanks, and gaps that are written apart, are the same position.
    assert_eq!(read("  x1,x,x/x2,x/2,x2   2  1 ").unwrap().text(), "x3/x3/2,x2 2 1");
}

#[test]
fn squares_are_named_and_numbered_from_a1() {
    let board: Board<Grid<3>> = "12S,x,1/x3/x2,2 1 9".parse().unwrap();
    assert_eq!(board.tops(Colour::White), 1 << 8);
    assert_eq!(board.tops(Colour::Black), 1 << 6 | 1 << 2);
    assert_eq!(board.standing(), 1 << 6);
    assert_eq!((board.heights()[6], board.stacks()[6]), (2, 0));
    assert_eq!((board.stack_text(6).as_str(), board.ply()), ("12S", 16));
    // The stone next to the top is the lowest bit.
    let board: Board<Grid<5>> = "x5/x5/x5/x5/x4,11121S 2 9".parse().unwrap();
    assert_eq!((board.heights()[4], board.stacks()[4]), (5, 1));
    let board: Board<Grid<5>> = "x5/x5/x5/x5/x4,21111C 2 9".parse().unwrap();
    assert_eq!((board.heights()[4], board.stacks()[4]), (5, 8));
}

#[test]
fn bad_positions_are_refused_by_name() {
    for (text, reason) in [
        ("", "expected 3 to 8 ranks parted by /, found 1"),
        ("x3/x3 1 1", "expected 3 to 8 ranks parted by /, found 2"),
        ("x9/x9/x9/x9/x9/x9/x9/x9/x9 1 1", "expected 3 to 8 ranks parted by /, found 9"),
        ("x3/x3/x3", "found 1 parts"),
        ("x3/x3/x3 1", "found 2 parts"),
        ("x3/x3/x3 1 1 1", "found 4 parts"),
        ("x3/x2/x3 1 1", "rank 2: expected 3 squares, found 2"),
        ("x3/x3/x2,x2 1 1", "rank 1: expected 3 squares, found 4"),
        ("x3,1/x3/x3 1 1", "rank 3: expected 3 squares, found 4"),
        ("x3/x3/x4 1 1", "rank 1: expected 3 squares, found 4"),
        ("x3/x,x0,x/x3 1 1", "b2: expected x, or x and a number from 1 to 8, found \"x0\""),
        ("x3/x3/xx,x2 1 1", "a1: expected x, or x and a number from 1 to 8, found \"xx\""),
        ("x3/x,3,x/x3 1 3", "b2: expected x, 1 or 2, found '3'"),
        ("x3/x,,x/x3 1 3", "b2: expected x, 1 or 2, found nothing"),
        ("x3/x,1W,x/x3 1 3", "b2: expected 1, 2, S or C, found 'W'"),
        ("x3/x,S,x/x3 1 3", "b2: expected x, 1 or 2, found 'S'"),
        ("x3/x,1S1,x/x3 1 3", "b2: expected the stack to end behind S or C, found '1'"),
        ("x3/x,1SS,x/x3 1 3", "b2: expected the stack to end behind S or C, found 'S'"),
        ("x3/x,1C,x/2,x2 1 3", "b2: more capstones than white has: 0 in all"),
        ("x5/x,2C,x3/x5/2C,x4/x5 1 9", "a2: more capstones than black has: 1 in all"),
        ("x3/x,111111,x/11111,x2 1 20", "a1: more flats than white has: 10 in all"),
        ("x3/x,22222222222,x/1,x2 1 20", "b2: more flats than black has: 10 in all"),
        ("x3/1,x,2/x3 3 3", "the side to move is 1 (white) or 2 (black), found \"3\""),
        ("x3/1,x,2/x3 w 3", "found \"w\""),
        ("x3/1,x,2/x3 1 0", "the number of the move is 1 to 1000000, found \"0\""),
        ("x3/1,x,2/x3 1 03", "found \"03\""),
        ("x3/1,x,2/x3 1 +3", "found \"+3\""),
        ("x3/1,x,2/x3 1 -3", "found \"-3\""),
        ("x3/1,x,2/x3 1 1000001", "found \"1000001\""),
        ("x3/1,x,2/x3 1 99999999999999999999", "found \"99999999999999999999\""),
        ("x3/1,x,2/x3 1 1", "at the beginning of move 1 the board is empty, found 2 stones"),
        ("x3/x3/x3 2 1", "there is one black flat when black is to move, found 0 stones"),
        ("x3/1,x2/x3 2 1", "there is one black flat when black is to move, found another stone"),
        ("x3/2S,x2/x3 2 1", "found another stone"),
        ("x3/1,x2/x3 1 2", "there are two stones at least, found 1"),
        ("x3/x3/x3 2 7", "there are two stones at least, found 0"),
    ] {
        let error = read(text).err().unwrap_or_else(|| panic!("{text} was read")).to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    // A stack that no integer holds.
    let tall = format!("x3/x,{},x/x3 1 99", "1".repeat(200));
    assert!(read(&tall).is_err());
}

#[test]
fn reserves_are_what_the_options_say() {
    let with = |name, value| Options::default().with(name, value);
    let text = "x3/x,111111,x/11111,x2 1 20";
    let position = read_with(text, &with("flats", "12")).unwrap();
    let forms = position.forms();
    let (_, reserves) = forms.iter().find(|(name, _)| *name == "reserves").unwrap();
    assert_eq!(reserves.to_string(), "white (flats 1, caps 0), black (flats 12, caps 0)");
    assert!(read_with("x3/x,1C,x/2,x2 1 3", &with("caps", "1")).is_ok());
    for (name, value) in [("flats", "0"), ("flats", "33"), ("caps", "30"), ("flats", "200")] {
        assert!(read_with("x3/x3/x3 1 1", &with(name, value)).is_err(), "{name} {value}");
    }
    let eight = "x8/x8/x8/x8/x8/x8/x8/x8 1 1";
    assert!(read_with(eight, &with("flats", "62")).is_ok());
    assert!(read_with(eight, &with("flats", "63")).is_err());
}

#[test]
fn komi_is_read_in_halves() {
    for (text, half_points) in
        [("0", 0), ("2", 4), ("2.5", 5), ("2.0", 4), ("-0.5", -1), ("20.5", 41), ("-20.5", -41)]
    {
        let komi: Komi = text.parse().unwrap();
        assert_eq!(komi.half_points(), half_points, "{text}");
        assert_eq!(komi.to_string().parse(), Ok(komi));
    }
    for text in ["", "-", ".5", "2.", "2.25", "21", "20.6", "+2", "2,5", "x", "--1", "999999"] {
        assert!(text.parse::<Komi>().is_err(), "{text}");
    }
}

/// Every pattern of drops from every square of every size.
#[test]
fn moves_are_written_as_they_are_read() {
    fn check<S: Size>() {
        for bits in 0..=u16::MAX {
            let mv = Move::from_bits(bits);
            let fits = mv.square() < S::SQUARES && mv.carried() as usize <= S::N;
            let kind_fits = mv.is_slide() || bits >> 8 & 3 < 3;
            if fits && kind_fits {
                let text = mv.to_ptn::<S>();
                assert_eq!(Move::from_ptn::<S>(&text), Ok(mv), "{text}");
            }
        }
    }
    check::<Grid<3>>();
    check::<Grid<5>>();
    check::<Grid<8>>();
}

#[test]
fn moves_have_a_short_form_and_marks() {
    let short = |text: &str| Move::from_ptn::<Grid<8>>(text).map(Move::to_ptn::<Grid<8>>);
    for (text, written) in [
        ("c2", "c2"),
        ("Fc2", "c2"),
        ("Sc2", "Sc2"),
        ("Cc2", "Cc2"),
        ("a1>", "a1>"),
        ("1a1>1", "a1>"),
        ("a1>1", "a1>"),
        ("3a1>3", "3a1>"),
        ("3a1>12", "3a1>12"),
        ("8h8-1111112", "8h8-1111112"),
        ("a1'", "a1"),
        ("a1''", "a1"),
        ("Ca1!?", "Ca1"),
        ("3a1>12''!", "3a1>12"),
        ("a1+*", "a1+"),
    ] {
        assert_eq!(short(text).as_deref(), Ok(written), "{text}");
    }
}

#[test]
fn bad_moves_name_the_character() {
    for (text, reason) in [
        (
            "",
            "character 1: expected a square, S or C and a square, or a number of stones, found nothing",
        ),
        ("'", "character 1: expected a square"),
        ("f1", "character 1: expected a file from a to e, found 'f'"),
        ("a6", "character 2: expected a rank from 1 to 5, found '6'"),
        ("a0", "character 2: expected a rank from 1 to 5, found '0'"),
        ("a", "character 2: expected a rank from 1 to 5, found nothing"),
        ("sa1", "character 1: expected a file from a to e, found 's'"),
        (
            "Wa1",
            "character 1: expected a square, S or C and a square, or a number of stones, found 'W'",
        ),
        ("S", "character 2: expected a file from a to e, found nothing"),
        ("S3a1", "character 2: expected a file from a to e, found '3'"),
        ("Sa1>", "character 4: expected the move to end, found '>'"),
        ("3a1", "character 4: expected a direction: +, >, - or <, found nothing"),
        ("6a1>", "character 1: expected a square"),
        ("a1>x", "character 4: expected the move to end, found 'x'"),
        ("a1^", "character 3: expected the move to end, found '^'"),
        ("'a1", "character 1: expected a square"),
        ("2a1>'1", "character 5: expected the move to end, found '\\''"),
        ("3a1>11", "the drops add up to 2, expected 3, as many"),
        ("3a1>22", "the drops add up to 4, expected 3, as many"),
        ("a1>12", "the drops add up to 3, expected 1, as many"),
        ("2a1>11111111111111111111", "the drops add up to 20, expected 2, as many"),
        ("3a1>102", "character 6: expected the move to end, found '0'"),
        ("a1 b2", "character 3: expected the move to end, found ' '"),
        ("ä1", "found 'ä'"),
    ] {
        let error = Move::from_ptn::<Grid<5>>(text).unwrap_err();
        assert!(!matches!(error, PtnError::Illegal(_)), "{text}: {error}");
        assert!(error.to_string().contains(reason), "{text}: {error}");
    }
}

#[test]
fn illegal_moves_say_why() {
    let stack = "x5/x2,2S,1,x/x,2C,21121,x2/2S,x2,1C,x/x5 1 9";
    for (position, mv, reason) in [
        (stack, "c3", "c3 is not empty"),
        (stack, "b1>", "b1 is empty: nothing slides from there"),
        (stack, "a2+", "the stack on a2 is black's, not white's"),
        (stack, "2d2+", "2 stones are carried, but d2 has only 1"),
        (stack, "c3<", "the capstone on b3 cannot be covered"),
        (stack, "c3+", "the standing stone on c4 can only be covered by a capstone"),
        (stack, "5c3>122", "there is no square behind e3"),
        (stack, "Ca1", "white has no capstone in reserve"),
        ("x5/x5/x5/x5/x5 1 1", "Sa1", "the first stone that white places is a flat of black's"),
        ("x5/x5/x5/x5/2,x4 2 1", "Ca2", "the first stone that black places is a flat of white's"),
        ("x5/x5/x5/x5/2,x4 2 1", "a1+", "the first move of black places a flat of white's"),
        ("x3/1,1,1/2,2,x 2 4", "c1", "the game is over: R-0"),
        ("2,1,2/1,2,1/2,1,2 1 6", "a1+", "the game is over: 0-F"),
    ] {
        let error = read(position).unwrap().play(mv).err().expect("it is not legal").to_string();
        assert!(error.contains(reason), "{mv}: {error}");
    }
    let no_flats =
        read_with("x3/1,2,x/x2,1 1 3", &Options::default().with("flats", "2").with("caps", "1"));
    let error = no_flats.unwrap().play("Sa1").err().unwrap().to_string();
    assert!(error.contains("white has no flats in reserve"), "{error}");
}

/// The order in which ends are looked for.
#[test]
fn ends_are_looked_for_in_order() {
    let over = |text: &str| read(text).unwrap().over();
    let roads = "1,1,1/2,2,2/x3";
    // Whoever moved last wins if both have a road.
    assert_eq!(over(&format!("{roads} 2 5")).as_deref(), Some("R-0"));
    assert_eq!(over(&format!("{roads} 1 6")).as_deref(), Some("0-R"));
    // A road of the other one counts, too, and before a full board.
    assert_eq!(over("1,1,1/2,1,2/2,2,1 1 6").as_deref(), Some("R-0"));
    // Walls are part of no road, capstones are, and neither counts at the end.
    assert_eq!(over("1,1S,1/x3/2,2,x 1 4"), None);
    let full = "1,1,2S,1,1/2,2,1,2,2/1,1,2C,1C,1/2,2,1,2,2/1,1,2,1,1";
    assert_eq!(over(&format!("{full} 1 14")).as_deref(), Some("F-0"));
    let komi = |komi| {
        let options = Options::default().with("komi", komi);
        read_with(&format!("{full} 1 14"), &options).unwrap().over()
    };
    // 13 flats against 9.
    assert_eq!(komi("3.5").as_deref(), Some("F-0"));
    assert_eq!(komi("4").as_deref(), Some("1/2-1/2"));
    assert_eq!(komi("4.5").as_deref(), Some("0-F"));
    // The last stone ends a game, and only then.
    let few = Options::default().with("flats", "2");
    let after = read_with("x3/1,2,x/2,x2 1 2", &few);
    assert_eq!(after.unwrap().over().as_deref(), Some("0-F"));
}

proptest! {
    /// Whatever is typed gets an answer.
    #[test]
    fn no_text_makes_it_panic(text in "[x12SC/, 0-9a]{0,60}", mv in "[a-h1-9SCF+<>'!-]{0,8}") {
        _ = read(&text);
        for size in [3, 6, 8] {
            let start = format!("{} 1 1", vec![format!("x{size}"); size].join("/"));
            _ = read(&start).unwrap().play(&mv);
        }
    }

    /// A character more, less or other in a position is refused, or is another position.
    #[test]
    fn a_changed_text_is_never_read_as_the_same(seed: u64, at: usize, new in "[x12SC/, 3]") {
        let mut random = SplitMix64::new(seed);
        let text = thrown(&mut random, 3 + (seed % 6) as usize).tps();
        let options = Options::default().with("flats", "29").with("caps", "3");
        let mut changed = text.clone();
        let at = at % text.len();
        changed.replace_range(at..=at, &new);
        if let (Ok(one), Ok(other)) = (read_with(&text, &options), read_with(&changed, &options)) {
            let same_words = text.split_whitespace().eq(changed.split_whitespace());
            prop_assert_eq!(same_words, one.text() == other.text(), "{} and {}", text, changed);
        }
    }
}
