//! Move generation against counts that other programs have published.

use endtable::games::tak::{Board, Ended, Grid, Rules, Size};

fn from_start<S: Size>(counts: &[u64]) {
    let board = Board::<S>::new(Rules::usual::<S>());
    for (plies, &count) in (1..).zip(counts) {
        assert_eq!(board.perft(plies, Ended::Zero), count, "{plies} plies on {}x{}", S::N, S::N);
    }
}

#[test]
fn perft_from_the_start() {
    from_start::<Grid<3>>(&[9, 72, 1200, 17_792, 271_812, 3_712_952, 52_364_896]);
    from_start::<Grid<4>>(&[16, 240, 7440, 216_464, 6_468_872, 181_954_216]);
    from_start::<Grid<5>>(&[25, 600, 43_320, 2_999_784, 187_855_252]);
    from_start::<Grid<6>>(&[36, 1260, 132_720, 13_586_048]);
    from_start::<Grid<7>>(&[49, 2352, 339_696, 48_051_008]);
    from_start::<Grid<8>>(&[64, 4032, 764_064, 142_512_336]);
}
