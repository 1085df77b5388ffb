//! The network `strong` against its description: patterns on all images of a board, two networks,
//! and boards without large tiles.

mod harness;
mod twin;

use endtable::games::twenty48::{
    Board, Heuristic, HeuristicError, Search, Size, Symmetry, TallBoard,
};
use endtable::random::SplitMix64;
use harness::search::{
    STRONG_WEIGHTS, assert_found, boards_of_games, close, exact, heuristic, search, settings,
};
use twin::twenty48::Grid;
use twin::twenty48::network::{Network, familiar, late, split};
use twin::twenty48::random::{full_board, is_full};
use twin::twenty48::search::Expectimax;

/// The board with the three largest tiles made a 4096, an 8192 and a 16384.
fn with_large_tiles(Board(mut board): Board) -> Board {
    let mut cells: Vec<u32> = (0..16).collect();
    cells.sort_by_key(|cell| board >> (4 * cell) & 15);
    for (exponent, cell) in (12..15).zip(&cells[13..]) {
        board = board & !(15 << (4 * cell)) | exponent << (4 * cell);
    }
    Board(board)
}

#[test]
fn strong_looks_at_boards_without_large_tiles() {
    let mut random = SplitMix64::new(9);
    let (mut halved, strong, edges) = (0, heuristic("strong"), heuristic("edges"));
    // Two 32768s side by side: halved, they merge as they do in the game.
    let pair = Board::parse("32768,32768,2,4/8,16,8,16/2,4,2,4/8,16,8,0", Size::FULL).unwrap();
    let boards = (0..10_000).map(|_| full_board(&mut random, Size::FULL, 16));
    for board in boards.chain([pair]) {
        let seen = strong.familiar(board);
        assert_eq!(Grid::new(seen, Size::FULL), familiar(Grid::new(board, Size::FULL)), "{board}");
        let legal = |board: Board| {
            let slides = TallBoard::from(board).slides(Size::FULL);
            slides.map(|(direction, ..)| direction).collect::<Vec<_>>()
        };
        assert_eq!(legal(seen), legal(board), "{board}");
        halved += u32::from(seen != board);
        assert_eq!(edges.familiar(board), board);
    }
    assert!(halved > 100, "{halved}");
}

#[test]
fn strong_is_what_its_description_says() {
    let strong = heuristic("strong");
    let content = zstd::decode_all(STRONG_WEIGHTS).unwrap();
    let naive = <[&[u8]; 2]>::from(split(&content)).map(|content| {
        let network = Network::new(content);
        Expectimax::new(move |grid| network.value(grid), true)
    });
    let played = boards_of_games().iter().flat_map(|&board| [board, with_large_tiles(board)]);
    let played: Vec<Board> = played.collect();
    for (depth, boards, most_empty) in [(0, 300, 16), (1, 200, 10), (2, 200, 4), (3, 200, 2)] {
        let search = search(&exact(&strong, Size::FULL, depth));
        let mut random = SplitMix64::new(depth.into());
        let random = (0..boards).map(|_| full_board(&mut random, Size::FULL, most_empty));
        // The networks have learned from few of the random boards.
        let played = played.iter().copied().filter(|&it| is_full(it, Size::FULL, most_empty));
        let mut some = [0; 2];
        for board in random.chain(played.take(2 * boards)) {
            let grid = Grid::new(board, Size::FULL);
            let (network, seen) = late(grid).map_or((0, familiar(grid)), |late| (1, late));
            assert_eq!(strong.late(board).is_some(), network == 1);
            let expected = naive[network].moves(&seen, depth);
            assert_found(search.best(board), expected, &format!("{depth} {board}"));
            some[network] += expected.iter().flatten().filter(|&&value| value > 1000.0).count();
        }
        assert!(some.iter().all(|&some| some > 20), "{some:?} values at depth {depth}");
    }
}

#[test]
fn without_a_second_network_the_first_one_values_late_boards() {
    let content = zstd::decode_all(STRONG_WEIGHTS).unwrap();
    let (first, _) = split(&content);
    let file = zstd::encode_all(first, 1).unwrap();
    let strong = heuristic("strong").with_weights(file).unwrap();
    let search = search(&settings(&strong, Size::FULL, 0));
    let network = Network::new(first);
    let naive = Expectimax::new(move |grid| network.value(grid), true);
    for board in boards_of_games().iter().copied().map(with_large_tiles) {
        let expected = naive.moves(&familiar(Grid::new(board, Size::FULL)), 0);
        assert_found(search.best(board), expected, &board.to_string());
    }
}

#[test]
fn strong_values_all_images_of_a_board_the_same() {
    for depth in 0..3 {
        let search = search(&settings(&heuristic("strong"), Size::FULL, depth));
        for &board in boards_of_games() {
            let value = search.best(board).map(|choice| choice.value);
            for symmetry in Symmetry::all(Size::FULL) {
                let image = search.best(symmetry.board(board, Size::FULL));
                let image = image.map(|choice| choice.value);
                let same = value.zip(image).is_none_or(|(a, b)| close(a, b));
                assert!(value.is_some() == image.is_some() && same, "{value:?} {image:?}");
            }
        }
    }
}

#[test]
fn strong_is_for_full_boards() {
    for size in Size::all().filter(|&size| size != Size::FULL) {
        let wrong = Search::new(&settings(&heuristic("strong"), size, 1)).err();
        assert_eq!(wrong, Some(HeuristicError::Size { size }));
        assert!(Search::new(&settings(&Heuristic::for_size(size), size, 1)).is_ok());
    }
    assert_eq!(Heuristic::default().name(), "strong");
}
