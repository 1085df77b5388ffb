//! What games give to pages as data: drawings, parts and starts, compared with the notation.

use endtable::games::{
    ALL, Arrow, Game, Ground, Position, Shape, Tone, Use, by_name, read_options,
};
use endtable::random::SplitMix64;
use endtable::table::Options;

fn read(game: &str, text: &str) -> Box<dyn Position> {
    by_name(game).unwrap().position(text, &Options::default()).unwrap()
}

/// The positions of a random game, from a start on.
fn random_game(game: &dyn Game, start: &str, seed: u64) -> Vec<Box<dyn Position>> {
    let mut random = SplitMix64::new(seed);
    let mut positions = vec![game.position(start, &Options::default()).unwrap()];
    for _ in 0..40 {
        let moves = positions.last().unwrap().moves();
        if moves.is_empty() {
            break;
        }
        let mv = &moves[random.below(moves.len() as u64) as usize];
        positions.push(positions.last().unwrap().play(mv).unwrap());
    }
    positions
}

#[test]
fn a_position_is_put_together_again_from_its_parts() {
    for game in ALL {
        for start in game.starts() {
            for position in random_game(game, &start.text, 7) {
                let parts = position.parts();
                let settings = parts
                    .settings
                    .iter()
                    .fold(Options::default(), |all, it| all.with(it.name, &it.value));
                let text = game.assemble(&parts.cells, &settings);
                let options = parts.settings.iter().filter(|setting| {
                    game.options(Use::Position).iter().any(|spec| spec.name == setting.name)
                });
                let options =
                    options.fold(Options::default(), |all, it| all.with(it.name, &it.value));
                let again = game.position(&text, &options).unwrap();
                assert_eq!(again.text(), position.text());
                assert_eq!(again.options(), position.options(), "{text}");
                // A select must have what is there.
                for cell in parts.cells.iter().flatten() {
                    let listed = parts.contents.iter().any(|choice| choice.value == *cell);
                    assert!(listed || !parts.others.is_empty(), "{text}: {cell}");
                }
                for setting in parts.settings {
                    let listed = setting.choices.iter().any(|it| it.value == setting.value);
                    assert!(listed || setting.choices.is_empty(), "{}", setting.name);
                }
            }
        }
    }
}

#[test]
fn a_text_and_its_options_are_the_position_again() {
    for (game, text, given, shown) in [
        ("collapsi", "A332/234Jx/3A42/A2AJo x", &[][..], ""),
        ("collapsi", "A332/234Jx/3A42/A2AJo x", &[("rules", "wild")], "--rules wild"),
        ("2048", "2,4,0/0,2,0", &[], "--board 2x3"),
        ("2048", "1257001400230012", &[], ""),
        ("tak", "x3/x3/x3 1 1", &[("flats", "10"), ("komi", "0")], ""),
        (
            "tak",
            "x3/x3/x3 1 1",
            &[("flats", "8"), ("caps", "1"), ("komi", "2.5")],
            "--flats 8 --caps 1 --komi 2.5",
        ),
    ] {
        let game = by_name(game).unwrap();
        let given = given.iter().map(|&(name, value)| (name, Some(value)));
        let options = read_options(game, &[Use::Position], given).unwrap();
        let position = game.position(text, &options).unwrap();
        assert_eq!(position.options().to_string(), shown);
        let again = game.position(&position.text(), &position.options()).unwrap();
        assert_eq!((again.fields(), again.options()), (position.fields(), position.options()));
    }
}

#[test]
fn whose_turn_it_is_is_what_the_fields_say() {
    for game in ALL {
        for start in game.starts() {
            for position in random_game(game, &start.text, 3) {
                let fields = position.fields();
                let turn = fields.iter().find(|(name, _)| *name == "turn");
                let turn = turn.map(|(_, turn)| turn.to_string());
                assert_eq!(position.turn(), turn.as_deref(), "{}", position.text());
            }
        }
    }
}

/// Moves are found without being written out: no other text is one.
#[test]
fn a_move_is_read_only_as_it_is_written() {
    let position = read("collapsi", "A332/234Jx/3A42/A2AJo x");
    assert_eq!(position.moves(), ["73", "74", "76", "7b"]);
    for other in ["7B", "+7", "7", "07b", "77", "70", "7b ", "", "\u{e9}"] {
        assert!(position.play(other).is_err(), "{other:?}");
    }
}

#[test]
fn every_move_that_a_place_stands_for_is_legal() {
    for game in ALL {
        for start in game.starts() {
            for position in random_game(game, &start.text, 11) {
                let (drawing, moves) = (position.drawing(None), position.moves());
                let columns = drawing.columns();
                assert!(columns > 1 && drawing.rows.iter().all(|row| row.len() == columns));
                let pointed: Vec<&String> =
                    drawing.rows.iter().flatten().flat_map(|place| &place.moves).collect();
                assert!(pointed.iter().all(|mv| moves.contains(mv)), "{}", position.text());
                // Chance places tiles, and every one of them has its place.
                if !position.chances().is_empty() {
                    assert_eq!(pointed.len(), moves.len());
                }
            }
        }
    }
}

#[test]
fn cards_and_pawns_are_drawn_where_they_are() {
    let drawing = read("collapsi", "A3../.3../3Ao../Ax... x").drawing(Some("c0"));
    let place = |row: usize, column: usize| &drawing.rows[row][column];
    assert_eq!((place(0, 1).ground, place(0, 1).text.as_str()), (Ground::Card, "3"));
    assert_eq!((place(0, 2).ground, place(0, 2).words.as_str()), (Ground::Gap, "collapsed"));
    assert_eq!(place(2, 1).words, "ace with pawn o");
    assert_eq!(place(3, 0).pieces.len(), 1);
    assert_eq!(
        (place(3, 0).pieces[0].shape, place(3, 0).pieces[0].tone),
        (Shape::Pawn, Tone::First)
    );
    assert!(place(3, 0).marked && place(0, 0).marked && !place(0, 1).marked);
    assert_eq!(place(0, 0).moves, ["c0"]);
    assert_eq!(drawing.arrow, Some(Arrow::Step { from: (3, 0), to: (0, 0) }));
}

#[test]
fn tiles_have_steps_and_new_ones_have_places() {
    let start = read("2048", "2,4,0/0,2,0");
    let drawing = start.drawing(Some("left"));
    assert_eq!(drawing.rows[0][1].ground, Ground::Tile(2));
    assert_eq!(drawing.rows[1][2].ground, Ground::Tile(0));
    assert_eq!(drawing.arrow, Some(Arrow::Slide { down: 0, right: -1 }));
    let after = start.play("left").unwrap().drawing(None);
    assert_eq!(after.rows[0][2].moves, ["2@1,3", "4@1,3"]);
    assert!(after.rows[0][0].moves.is_empty());
}

#[test]
fn stacks_are_drawn_from_the_bottom() {
    let position = read("tak", "x5/x2,2S,x2/x2,121C,x2/x5/x5 1 4");
    let drawing = position.drawing(Some("2c3>"));
    let stack = &drawing.rows[2][2];
    let tones: Vec<Tone> = stack.pieces.iter().map(|piece| piece.tone).collect();
    assert_eq!(tones, [Tone::First, Tone::Second, Tone::First]);
    assert_eq!(stack.pieces[2].shape, Shape::Capstone);
    assert_eq!(stack.words, "white capstone on black on white");
    assert_eq!(drawing.rows[1][2].pieces[0].shape, Shape::Wall);
    assert_eq!(drawing.rows[4][0].moves, ["a1", "Sa1"]);
    assert_eq!(drawing.arrow, Some(Arrow::Step { from: (2, 2), to: (2, 3) }));
    assert!(drawing.rows[2][3].marked && !drawing.rows[2][1].marked);
    assert_eq!((drawing.row_names[0].as_str(), drawing.column_names[4].as_str()), ("5", "e"));
    assert_eq!(drawing.caption, "In hand: White 20 flats, Black 19 flats and a capstone");
}
