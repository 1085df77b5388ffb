//! The canonical form against brute force over symmetries made another way.

mod twin;

use std::collections::HashSet;

use endtable::games::collapsi::{Board, Cell, Move, Rules, SYMMETRIES, Symmetry};
use endtable::random::SplitMix64;
use rayon::prelude::*;
use twin::collapsi::search::Exhaustive;
use twin::collapsi::{Game, random};

/// Where each cell goes.
type Images = [usize; 16];

/// The symmetries of the 4-dimensional cube: permute the four coordinates, then flip some. The
/// torus is that cube when rows and columns are numbered by the Gray code.
fn cube_symmetries() -> Vec<Images> {
    let gray = |n: usize| n ^ n >> 1;
    let corner: Images = std::array::from_fn(|cell| gray(cell / 4) << 2 | gray(cell % 4));
    let cell_at = |wanted| corner.iter().position(|&c| c == wanted).expect("16 corners");
    let mut all = Vec::new();
    for code in 0..256 {
        let axes = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6];
        if HashSet::from(axes).len() < 4 {
            continue;
        }
        for flips in 0..16 {
            let image = |at: usize| (0..4).fold(flips, |to, n| to ^ (at >> n & 1) << axes[n]);
            all.push(corner.map(|at| cell_at(image(at))));
        }
    }
    all
}

/// Small, of every card count, some with the collapsed cards kept.
fn boards(seed: u64, count: usize) -> impl ParallelIterator<Item = Board> {
    (0..count)
        .into_par_iter()
        .map(move |n| random::state(2 + n % 15, &mut SplitMix64::new(seed + n as u64)))
}

/// Collapsed cards forgotten, the side to move called X: cards, pawns, collapsed.
fn normalised(board: &Board) -> [u16; 7] {
    let ([a, two, three, four, x, o, collapsed], turn) = board.to_raw();
    let (x, o) = if turn == 0 { (x, o) } else { (o, x) };
    let [a, two, three, four] = [a, two, three, four].map(|set| set & !collapsed);
    [a, two, three, four, x, o, collapsed]
}

fn image_of(set: u16, images: &Images) -> u16 {
    (0..16).filter(|cell| set >> cell & 1 == 1).fold(0, |all, cell| all | 1 << images[cell])
}

#[test]
fn the_symmetries_are_those_of_the_cube() {
    let of_the_cube: HashSet<Images> = cube_symmetries().into_iter().collect();
    let ours: HashSet<Images> = Symmetry::all()
        .map(|symmetry| {
            let mut cells = Cell::all();
            std::array::from_fn(|_| symmetry.cell(cells.next().expect("16 cells")).index())
        })
        .collect();
    assert_eq!(ours.len(), usize::from(SYMMETRIES));
    assert_eq!(ours, of_the_cube);
}

#[test]
fn canonical_is_the_smallest_image() {
    let cube = cube_symmetries();
    boards(1, 6_000).for_each(|board| {
        let boards = normalised(&board);
        // One pawn's set is smaller than another's when its cell is, so sets will do for cells.
        let order = |[a, two, three, four, x, o, collapsed]: [u16; 7]| {
            [x, o, collapsed, a, two, three, four]
        };
        let images = cube.iter().map(|to| boards.map(|set| image_of(set, to)));
        let smallest = images.min_by_key(|&image| order(image)).expect("384 images");
        assert_eq!(board.canonical().board.to_raw(), (smallest, 0), "{board}");
    });
}

#[test]
fn boards_that_play_alike_share_one_canonical_form() {
    boards(2, 1_500).for_each(|board| {
        let canonical = board.canonical().board;
        for symmetry in Symmetry::all() {
            assert_eq!(board.image(symmetry).canonical().board, canonical, "{board}");
        }
        let ([a, two, three, four, x, o, collapsed], turn) = board.to_raw();
        let exchanged = Board::from_raw([a, two, three, four, o, x, collapsed], 1 - turn);
        assert_eq!(exchanged.expect("as legal").canonical().board, canonical, "{board}");
        let forgotten = Board::from_raw(normalised(&board), 0).expect("as legal");
        assert_eq!(forgotten.canonical().board, canonical, "{board}");
        assert_eq!(canonical.canonical().board, canonical, "{board}");
    });
}

#[test]
fn the_symmetry_leads_to_the_canonical_board() {
    boards(3, 6_000).for_each(|board| {
        let canonical = board.canonical();
        let normalised = Board::from_raw(normalised(&board), 0).expect("as legal");
        assert_eq!(normalised.image(canonical.symmetry), canonical.board, "{board}");
    });
}

#[test]
fn canonical_moves_map_back_with_their_values() {
    boards(4, 3_000).filter(|board| board.alive().len() <= 11).for_each(|board| {
        let canonical = board.canonical();
        for rules in Rules::ALL {
            let there = Game::new(&canonical.board, rules);
            let mut back: Vec<_> = Exhaustive::new(&there)
                .move_values()
                .into_iter()
                .map(|(mv, value)| (canonical.symmetry.unmove(mv), value))
                .collect();
            back.sort_by_key(|&(mv, _): &(Move, _)| mv);
            let here = Game::new(&board, rules);
            assert_eq!(back, Exhaustive::new(&here).move_values(), "{board} {rules}");
        }
    });
}
