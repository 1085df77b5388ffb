//! Move generation against counts that other programs have computed and published.

use endtable::games::by_name;
use endtable::games::tak::{Board, Ended, Grid, Rules, Size, size_of};
use endtable::table::Options;

/// Counts above are left to the benchmarks.
const MOST: u64 = 60_000_000;

/// A position of the file: its lines, each a word and what it stands for.
struct Block<'a> {
    name: &'a str,
    lines: Vec<(&'a str, &'a str)>,
}

impl<'a> Block<'a> {
    fn get(&self, word: &str) -> Option<&'a str> {
        self.lines.iter().find(|(name, _)| *name == word).map(|(_, text)| *text)
    }

    fn tps(&self) -> &'a str {
        self.get("tps").unwrap()
    }

    /// How many positions there are after 1, 2 and so on plies, counted in some way.
    fn counts(&self, way: &str) -> Vec<u64> {
        self.get(way).unwrap_or_default().split_whitespace().map(|n| n.parse().unwrap()).collect()
    }
}

fn blocks() -> Vec<Block<'static>> {
    let text = include_str!("tak/perft.txt");
    let blocks = text.split("\n\n").filter(|block| !block.starts_with('#'));
    let blocks = blocks.map(|block| {
        let (name, lines) = block.trim().split_once('\n').unwrap();
        Block { name, lines: lines.lines().map(|line| line.split_once(' ').unwrap()).collect() }
    });
    blocks.collect()
}

fn check<S: Size>(block: &Block) -> usize {
    let board = Board::<S>::from_tps(block.tps(), Rules::usual::<S>()).unwrap();
    let mut checked = 0;
    for (way, ended) in [("zero", Ended::Zero), ("one", Ended::One), ("on", Ended::On)] {
        for (plies, count) in (1..).zip(block.counts(way)).filter(|(_, count)| *count <= MOST) {
            let name = block.name;
            assert_eq!(board.perft(plies, ended), count, "{name}, {way}, {plies} plies");
            checked += 1;
        }
    }
    checked
}

#[test]
fn every_position_and_every_way_to_count() {
    let blocks = blocks();
    assert_eq!(blocks.len(), 19);
    let checked = blocks.iter().map(|block| match size_of(block.tps()).unwrap() {
        3 => check::<Grid<3>>(block),
        4 => check::<Grid<4>>(block),
        5 => check::<Grid<5>>(block),
        6 => check::<Grid<6>>(block),
        7 => check::<Grid<7>>(block),
        _ => check::<Grid<8>>(block),
    });
    assert_eq!(checked.sum::<usize>(), 171);
}

/// The positions that came with the moves of a game are reached by them, and by nothing else.
#[test]
fn the_games_lead_where_they_should() {
    let tak = by_name("tak").unwrap();
    let mut games = 0;
    for block in blocks() {
        let Some(moves) = block.get("moves") else { continue };
        let size = size_of(block.tps()).unwrap();
        let start = format!("{} 1 1", vec![format!("x{size}"); size].join("/"));
        let mut position = tak.position(&start, &Options::default()).unwrap();
        for mv in moves.split(' ') {
            position = position.play(mv).unwrap_or_else(|error| panic!("{}: {error}", block.name));
        }
        assert_eq!(position.text(), block.tps(), "{}", block.name);
        games += 1;
    }
    assert!(games >= 3, "{games}");
}

/// Counting the moves of the last ply is no other thing than making them.
#[test]
fn the_trait_counts_as_plain_play_does() {
    let tak = by_name("tak").unwrap();
    fn count(position: &dyn endtable::games::Position, plies: u32) -> u64 {
        if plies == 0 {
            return 1;
        }
        let each = |mv: &String| count(&*position.play(mv).unwrap(), plies - 1);
        position.moves().iter().map(each).sum()
    }
    for text in ["2,x,1/12,1,1/x,2,21S 2 8", "x3/x3/x3 1 1", "x4/x,12C,1S,x/2,2,x2/x4 1 5"] {
        let options = Options::default().with("flats", "9").with("caps", "1");
        let position = tak.position(text, &options).unwrap();
        let plain: Vec<u64> = (1..=3).map(|plies| count(&*position, plies)).collect();
        assert_eq!(position.perft(3), plain, "{text}");
    }
}
