//! The search of 2048 boards against a naive expectimax on grids: no table, no cut-off, no tricks.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use endtable::games::random::{SplitMix64, mix};
use endtable::games::twenty48::{
    Board, Choice, Direction, Game, Heuristic, HeuristicError, Limit, Oracle, Record, RecordError,
    Search, Settings, Size, Symmetry,
};
use rustc_hash::FxHashMap;

/// Up to four things. The naive search makes millions of grids: they must not come from the heap.
#[derive(Clone, Copy, Default, PartialEq)]
struct UpToFour<T> {
    all: [T; 4],
    len: usize,
}

impl<T> Deref for UpToFour<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.all[..self.len]
    }
}

impl<T> DerefMut for UpToFour<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.all[..self.len]
    }
}

impl<T: Default + Copy> FromIterator<T> for UpToFour<T> {
    fn from_iter<I: IntoIterator<Item = T>>(things: I) -> Self {
        let mut some = Self::default();
        for thing in things {
            some.all[some.len] = thing;
            some.len += 1;
        }
        some
    }
}

type Line = UpToFour<u32>;
type Grid = UpToFour<Line>;

/// Tiles as numbers, 0 for an empty cell.
fn grid(board: Board, size: Size) -> Grid {
    let tile = |x, y| match board.exponent(x, y) {
        0 => 0,
        exponent => 1 << exponent,
    };
    (0..size.rows()).map(|y| (0..size.columns()).map(|x| tile(x, y)).collect()).collect()
}

fn columns(grid: &Grid) -> Grid {
    (0..grid[0].len()).map(|x| grid.iter().map(|row| row[x]).collect()).collect()
}

fn reversed(grid: &Grid) -> Grid {
    grid.iter().map(|row| row.iter().rev().copied().collect()).collect()
}

fn slide(grid: &Grid, direction: Direction) -> (Grid, u32) {
    match direction {
        Direction::Left => {
            let mut score = 0;
            let row = |row: &Line| {
                let mut tiles: Line = row.iter().copied().filter(|&tile| tile > 0).collect();
                for at in 0..4 {
                    if at + 1 < tiles.len && tiles[at] == tiles[at + 1] && tiles[at] < 32768 {
                        tiles[at] *= 2;
                        tiles[at + 1..].rotate_left(1);
                        tiles.len -= 1;
                        score += tiles[at];
                    }
                }
                let empty = std::iter::repeat_n(0, row.len - tiles.len);
                tiles.iter().copied().chain(empty).collect()
            };
            (grid.iter().map(row).collect(), score)
        }
        Direction::Right => {
            let (after, score) = slide(&reversed(grid), Direction::Left);
            (reversed(&after), score)
        }
        Direction::Up => {
            let (after, score) = slide(&columns(grid), Direction::Left);
            (columns(&after), score)
        }
        Direction::Down => {
            let (after, score) = slide(&columns(grid), Direction::Right);
            (columns(&after), score)
        }
    }
}

/// A heuristic as its description says, and whether scores count.
struct Naive {
    value: Box<dyn Fn(&Grid) -> f64>,
    scores: bool,
}

impl Naive {
    fn moves(&self, grid: &Grid, depth: u32) -> [Option<f64>; 4] {
        Direction::ALL.map(|direction| {
            let (after, score) = slide(grid, direction);
            let reward = if self.scores { f64::from(score) } else { 0.0 };
            (after != *grid).then(|| reward + self.after(&after, depth))
        })
    }

    fn after(&self, grid: &Grid, depth: u32) -> f64 {
        if depth == 0 {
            return (self.value)(grid);
        }
        let mut sum = 0.0;
        let mut cells = 0;
        for y in 0..grid.len() {
            for x in 0..grid[0].len() {
                if grid[y][x] > 0 {
                    continue;
                }
                cells += 1;
                for (tile, chance) in [(2, 0.9), (4, 0.1)] {
                    let mut next = *grid;
                    next[y][x] = tile;
                    let moves = self.moves(&next, depth - 1);
                    sum += chance * moves.into_iter().flatten().fold(0.0, f64::max);
                }
            }
        }
        sum / f64::from(cells)
    }
}

fn lines(grid: &Grid) -> [Grid; 2] {
    [*grid, columns(grid)]
}

fn tiles(grid: &Grid) -> impl Iterator<Item = u32> {
    grid.iter().flat_map(|line| line.iter().copied())
}

fn empty(grid: &Grid) -> f64 {
    tiles(grid).filter(|&tile| tile == 0).count() as f64
}

fn edges(grid: &Grid) -> f64 {
    let at_edge = |line: &&Line| {
        let largest = *line.iter().max().unwrap();
        largest > 0 && (line[0] == largest || line[line.len() - 1] == largest)
    };
    let lines = lines(grid);
    let lines = lines.iter().flat_map(|lines| lines.iter()).filter(at_edge).count() as f64;
    20_000.0 * (empty(grid) + lines)
}

fn sum(grid: &Grid) -> f64 {
    f64::from(tiles(grid).sum::<u32>()) + 1_000.0 * empty(grid)
}

/// The steps up and down between the tiles of a line.
fn steps(line: &[u32]) -> (f64, f64) {
    let tiles: UpToFour<f64> =
        line.iter().filter(|&&it| it > 0).map(|&it| f64::from(it.ilog2())).collect();
    let steps = || tiles.windows(2).map(|pair| pair[1] - pair[0]);
    (steps().filter(|&it| it > 0.0).sum(), -steps().filter(|&it| it < 0.0).sum::<f64>())
}

const ALL_TERMS: &str = "
    tiles = 0.5
    open = 900
    # Each step takes this off ...
    smoothness = 40
    monotonicity = 70.5   # ... and each in the wrong direction this.
    corner = 1000
";

/// What all lines are worth more, so that none is worth less than 0: the worst line is one whose
/// steps are large both ways, 2 and 32768 in turn.
fn all_terms(size: Size) -> impl Fn(&Grid) -> f64 {
    let worst = |length: u8| -> f64 {
        let line = |number: u32| -> Vec<u32> {
            (0..length).map(|x| (1 << (number >> (4 * x) & 15)) & !1).collect()
        };
        (0..1 << (4 * length)).map(|number| worth(&line(number))).fold(0.0, f64::min)
    };
    fn worth(line: &[u32]) -> f64 {
        let open = line.iter().filter(|&&it| it == 0).count() as f64;
        let (up, down) = steps(line);
        0.25 * f64::from(line.iter().sum::<u32>()) + 450.0 * open
            - 40.0 * (up + down)
            - 70.5 * up.min(down)
    }
    let lift = f64::from(size.rows()) * worst(size.columns())
        + f64::from(size.columns()) * worst(size.rows());
    move |grid| {
        let largest = tiles(grid).max();
        let (first, last) = (&grid[0], &grid[grid.len() - 1]);
        let corners = [first.first(), first.last(), last.first(), last.last()];
        let in_corner = corners.iter().any(|corner| corner.copied() == largest);
        let corner = if in_corner { 1000.0 } else { 0.0 };
        let lines = lines(grid);
        let lines = lines.iter().flat_map(|lines| lines.iter());
        lines.map(|line| worth(line)).sum::<f64>() - lift + corner
    }
}

fn twins(size: Size) -> Vec<(Heuristic, Naive)> {
    let named = |name: &str| name.parse::<Heuristic>().unwrap();
    vec![
        (named("edges"), Naive { value: Box::new(edges), scores: false }),
        (named("sum"), Naive { value: Box::new(sum), scores: false }),
        (
            named("sum").with_weights(ALL_TERMS).unwrap(),
            Naive { value: Box::new(all_terms(size)), scores: false },
        ),
        (named("score"), Naive { value: Box::new(|_| 0.0), scores: true }),
    ]
}

const WEIGHTS: &[u8] = include_bytes!("../src/games/twenty48/heuristic/strong.weights");

/// The network as its description says: which cells each pattern has, by row and column, laid on
/// the board in all eight ways. The cells are in the order of the nybbles of an entry.
const PATTERNS: [&[(usize, usize)]; 10] = [
    &[(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)],
    &[(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)],
    &[(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)],
    &[(1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1)],
    &[(0, 0), (0, 1), (0, 2), (0, 3)],
    &[(1, 0), (1, 1), (1, 2), (1, 3)],
    &[(0, 0), (0, 1), (1, 0), (1, 1)],
    &[(1, 0), (1, 1), (2, 0), (2, 1)],
    &[(0, 1), (0, 2), (1, 1), (1, 2)],
    &[(1, 1), (1, 2), (2, 1), (2, 2)],
];

/// The scale of a network, and its weights by table and entry.
type Weights = (f64, FxHashMap<(usize, usize), f64>);

/// Both networks in a file.
fn networks(file: &[u8]) -> [Weights; 2] {
    let content = zstd::decode_all(file).unwrap();
    let (first, rest) = network(&content);
    let (second, rest) = network(rest);
    assert!(rest.is_empty());
    [first, second]
}

/// The first network, and what follows it.
fn network(content: &[u8]) -> (Weights, &[u8]) {
    let scale = f32::from_le_bytes(content[8..12].try_into().unwrap()).into();
    let (small, rest) = content[12..].split_at(2 * (6 << 16));
    let (maps, rest) = rest.split_at(4 << 21);
    let count: u32 = maps.iter().map(|map| map.count_ones()).sum();
    let (large, rest) = rest.split_at(2 * count as usize);
    let weight = |bytes: &[u8], at: usize| {
        f64::from(i16::from_le_bytes([bytes[at], bytes[bytes.len() / 2 + at]]))
    };
    let met = (0..4 << 24).filter(|at| maps[at / 8] >> (at % 8) & 1 == 1);
    let met = met.enumerate().map(|(at, it)| ((it >> 24, it % (1 << 24)), weight(large, at)));
    let all = (0..6 << 16).map(|it| ((4 + (it >> 16), it % (1 << 16)), weight(small, it)));
    ((scale, met.chain(all).collect()), rest)
}

fn strong(grid: &Grid, (scale, weights): &Weights) -> f64 {
    let mut sum = 0.0;
    let mut seen = *grid;
    for _ in 0..4 {
        // A mirror image, then a quarter turn.
        for seen in [&seen, &reversed(&seen)] {
            for (table, pattern) in PATTERNS.iter().enumerate() {
                let nybble = |(at, &(y, x)): (usize, &(usize, usize))| {
                    let tile: u32 = seen[y][x];
                    (tile.max(1).ilog2() as usize) << (4 * at)
                };
                let entry = pattern.iter().enumerate().map(nybble).sum();
                sum += weights.get(&(table, entry)).unwrap_or(&0.0);
            }
        }
        seen = reversed(&columns(&seen));
    }
    (scale * sum).max(0.0)
}

/// The board that `strong` looks at: no 16384, tiles halved above the largest missing one. Two 32768s,
/// which do not merge, are not halved, because then they would.
fn familiar(mut grid: Grid) -> Grid {
    let has = |grid: &Grid, tile| grid.iter().any(|row| row.contains(&tile));
    if grid.iter().flat_map(|row| row.iter()).filter(|&&tile| tile == 32768).count() > 1 {
        return grid;
    }
    while has(&grid, 16384) || has(&grid, 32768) {
        let tiles = [8192, 4096, 2048, 1024, 512, 256, 128, 64];
        let Some(gap) = tiles.into_iter().find(|&tile| !has(&grid, tile)) else { break };
        let tiles = grid.iter_mut().flat_map(|row| row.iter_mut());
        let large = tiles.filter(|tile| **tile > gap);
        large.for_each(|tile| *tile /= 2);
    }
    grid
}

/// Whether the second network values a board, as it is.
fn is_late(grid: &Grid) -> bool {
    let has = |tile| grid.iter().any(|row| row.contains(&tile));
    [4096, 8192, 16384].into_iter().all(has) && !has(32768)
}

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
    let (mut halved, strong) = (0, "strong".parse::<Heuristic>().unwrap());
    // Two 32768s side by side: halved, they would merge.
    let pair = Board::parse("32768,32768,2,4/8,16,8,16/2,4,2,4/8,16,8,0", Size::FULL).unwrap();
    let boards: Vec<Board> =
        (0..10_000).map(|_| random_board(&mut random, Size::FULL, 16)).chain([pair]).collect();
    for board in boards {
        let seen = strong.familiar(board);
        assert!(grid(seen, Size::FULL) == familiar(grid(board, Size::FULL)), "{board} {seen}");
        let legal = |board: Board| board.slides(Size::FULL).map(|after| after.is_some());
        assert_eq!(legal(seen), legal(board), "{board}");
        halved += u32::from(seen != board);
        assert_eq!("edges".parse::<Heuristic>().unwrap().familiar(board), board);
    }
    assert!(halved > 100, "{halved}");
}

#[test]
fn strong_is_what_its_description_says() {
    let heuristic: Heuristic = "strong".parse().unwrap();
    let naive = networks(WEIGHTS).map(|network| {
        let value = move |grid: &Grid| strong(grid, &network);
        Naive { value: Box::new(value), scores: true }
    });
    let played = boards_of_games();
    let played = played.into_iter().flat_map(|board| [board, with_large_tiles(board)]);
    let played: Vec<Board> = played.collect();
    for (depth, boards, most_empty) in [(0, 300, 16), (1, 200, 10), (2, 200, 4), (3, 200, 2)] {
        let settings = Settings { cut_off: 0.0, ..settings(&heuristic, Size::FULL, depth) };
        let search = Search::new(&settings).unwrap();
        let mut random = SplitMix64::new(depth.into());
        let random = (0..boards).map(|_| random_board(&mut random, Size::FULL, most_empty));
        // Few of the random boards were ever met while the networks learned.
        let played = played.iter().copied().filter(|&it| is_full(it, Size::FULL, most_empty));
        let mut some = [0; 2];
        for board in random.chain(played.take(2 * boards)) {
            let grid = grid(board, Size::FULL);
            let (network, seen) = if is_late(&grid) { (1, grid) } else { (0, familiar(grid)) };
            assert_eq!(heuristic.is_late(board), network == 1);
            let expected = naive[network].moves(&seen, depth.into());
            compare(search.best(board), expected, &format!("{depth} {board}"));
            some[network] += expected.iter().flatten().filter(|&&value| value > 1000.0).count();
        }
        assert!(some.iter().all(|&some| some > 20), "{some:?} values at depth {depth}");
    }
}

#[test]
fn without_a_second_network_the_first_one_values_late_boards() {
    let content = zstd::decode_all(WEIGHTS).unwrap();
    let (first, rest) = network(&content);
    let file = zstd::encode_all(&content[..content.len() - rest.len()], 1).unwrap();
    let heuristic = "strong".parse::<Heuristic>().unwrap().with_weights(file).unwrap();
    let search = Search::new(&settings(&heuristic, Size::FULL, 0)).unwrap();
    let naive = Naive { value: Box::new(move |grid| strong(grid, &first)), scores: true };
    for board in boards_of_games().into_iter().map(with_large_tiles) {
        let expected = naive.moves(&familiar(grid(board, Size::FULL)), 0);
        compare(search.best(board), expected, &board.to_string());
    }
}

#[test]
fn strong_values_all_images_of_a_board_the_same() {
    for depth in 0..3 {
        let settings = settings(&"strong".parse().unwrap(), Size::FULL, depth);
        let search = Search::new(&settings).unwrap();
        for board in boards_of_games() {
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
fn weights_of_strong_that_are_none() {
    let strong = || "strong".parse::<Heuristic>().unwrap();
    let error = |file: &[u8]| match strong().with_weights(file).unwrap_err() {
        HeuristicError::Network(what) => what,
        other => panic!("{other}"),
    };
    error(b"");
    error(b"open = 5");
    for cut in [1, 100, WEIGHTS.len() / 2, WEIGHTS.len() - 1] {
        error(&WEIGHTS[..cut]);
    }
    for at in (0..WEIGHTS.len()).step_by(WEIGHTS.len() / 20) {
        let mut damaged = WEIGHTS.to_vec();
        damaged[at] ^= 0x40;
        error(&damaged);
    }
    let packed = |content: &[u8]| zstd::encode_all(content, 1).unwrap();
    assert_eq!(error(&packed(b"something else")), "it begins otherwise");
    // Both networks in one frame, and a third one.
    let content = zstd::decode_all(WEIGHTS).unwrap();
    assert_eq!(error(&packed(&content)), "it is too long");
    let first = packed(&content[..content.len() - network(&content).1.len()]);
    assert_eq!(error(&[&first[..], &first, &first].concat()), "it is too long");
    for scale in [0.0, -2.0, 3.0, f32::NAN, f32::INFINITY] {
        let file = packed(&[&content[..8], &scale.to_le_bytes(), &content[12..]].concat());
        assert_eq!(error(&file), format!("a scale of {scale}"));
    }
    // The same weights by another file are other weights, and their name says so.
    assert_eq!(strong().with_weights(WEIGHTS).unwrap(), strong().with_weights(WEIGHTS).unwrap());
    let second = packed(network(&content).1);
    let again = strong().with_weights([first, second].concat()).unwrap();
    assert_ne!(again, strong().with_weights(WEIGHTS).unwrap());
    assert_eq!(strong().to_string(), "strong");
    assert!(strong().with_weights(WEIGHTS).unwrap().to_string().starts_with("strong ("));
    assert_eq!("sum".parse::<Heuristic>().unwrap().with_weights([0xff]), Err(HeuristicError::Text));
}

#[test]
fn strong_is_for_full_boards() {
    for size in Size::all().filter(|&size| size != Size::FULL) {
        let wrong = Search::new(&settings(&"strong".parse().unwrap(), size, 1)).err();
        assert_eq!(wrong, Some(HeuristicError::Size { size }));
        assert!(Search::new(&settings(&Heuristic::for_size(size), size, 1)).is_ok());
    }
    assert_eq!(Heuristic::default().name(), "strong");
}

/// Whether not too many cells are empty, and hardly more after a move: the naive search has to end.
fn is_full(board: Board, size: Size, most_empty: u32) -> bool {
    let mut after = board.slides(size).into_iter().flatten();
    board.empty(size) <= most_empty && after.all(|(it, _)| it.empty(size) <= most_empty + 1)
}

/// A random board with not too many empty cells.
fn random_board(random: &mut SplitMix64, size: Size, most_empty: u32) -> Board {
    loop {
        let spread = 2 + random.below(size.highest().into());
        let mut board = 0;
        for y in 0..size.rows() {
            for x in 0..size.columns() {
                board |= random.below(spread) << (16 * y + 4 * x);
            }
        }
        if is_full(Board(board), size, most_empty) {
            return Board(board);
        }
    }
}

fn settings(heuristic: &Heuristic, size: Size, depth: u8) -> Settings {
    Settings {
        size,
        heuristic: heuristic.clone(),
        limit: Limit::Depth(depth),
        table_bits: 14,
        ..Settings::default()
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
}

/// The same values; and the same best move, unless another is as good but for rounding.
fn compare(choice: Option<Choice>, expected: [Option<f64>; 4], what: &str) {
    let Some(best) = expected.into_iter().flatten().reduce(f64::max) else {
        assert_eq!(choice, None, "{what}");
        return;
    };
    let choice = choice.unwrap_or_else(|| panic!("{what}: no choice"));
    for (found, expected) in choice.moves.into_iter().zip(expected) {
        assert_eq!(found.is_some(), expected.is_some(), "{what}");
        let same = found.zip(expected).is_none_or(|(found, expected)| close(found, expected));
        assert!(same, "{what}: {:?}, not {expected:?}", choice.moves);
    }
    assert!(close(choice.value, best), "{what}: {} is not the best of {expected:?}", choice.value);
    assert!(close(expected[choice.direction as usize].unwrap(), best), "{what}");
}

#[test]
fn values_are_those_of_the_naive_search() {
    for (depth, boards, most_empty) in [(0, 300, 16), (1, 300, 12), (2, 200, 5), (3, 200, 3)] {
        for (heuristic, naive) in twins(Size::FULL) {
            let settings = Settings { cut_off: 0.0, ..settings(&heuristic, Size::FULL, depth) };
            let search = Search::new(&settings).unwrap();
            let mut random = SplitMix64::new(depth.into());
            for _ in 0..boards {
                let board = random_board(&mut random, Size::FULL, most_empty);
                let expected = naive.moves(&grid(board, Size::FULL), depth.into());
                compare(search.best(board), expected, &format!("{heuristic} {depth} {board}"));
            }
        }
    }
}

#[test]
fn values_on_smaller_boards_too() {
    for size in Size::all() {
        for (heuristic, naive) in twins(size) {
            for depth in 0..3 {
                let settings = Settings { cut_off: 0.0, ..settings(&heuristic, size, depth) };
                let search = Search::new(&settings).unwrap();
                let mut random = SplitMix64::new(depth.into());
                for _ in 0..20 {
                    let board = random_board(&mut random, size, 5);
                    let expected = naive.moves(&grid(board, size), depth.into());
                    let what = format!("{heuristic} {depth} {board} {size}");
                    compare(search.best(board), expected, &what);
                }
            }
        }
    }
}

/// What the cut-off changes at depth 3, on boards of a game, relative to the value. Below 0.0001 is
/// only what comes after several 4s, or on a board that is nearly empty. A score within four moves
/// is a small number, so that little is much of it.
#[test]
fn the_cut_off_changes_little() {
    for (heuristic, bound) in [("edges", 0.001), ("sum", 0.002), ("score", 0.03), ("strong", 0.02)]
    {
        let heuristic: Heuristic = heuristic.parse().unwrap();
        let cut = Search::new(&settings(&heuristic, Size::FULL, 3)).unwrap();
        let exact =
            Search::new(&Settings { cut_off: 0.0, ..settings(&heuristic, Size::FULL, 3) }).unwrap();
        let (mut most, mut same, mut all) = (0.0f64, 0, 0);
        let mut game = Game::new(5, Size::FULL);
        while let Some(choice) = cut.best(game.board()).filter(|_| all < 300) {
            let expected = exact.best(game.board()).unwrap();
            for (found, expected) in choice.moves.into_iter().zip(expected.moves) {
                let (found, expected) = (found.unwrap_or(0.0), expected.unwrap_or(0.0));
                most = most.max((found - expected).abs() / expected.max(1.0));
            }
            same += i32::from(choice.direction == expected.direction);
            all += 1;
            game.play(choice.direction);
        }
        println!(
            "{heuristic}: values differ by at most {most:.2e}; best move the same in {same} of {all}"
        );
        assert!(most < bound, "{heuristic}: {most}");
    }
}

/// Boards as games meet them, at all stages of a few games.
fn boards_of_games() -> Vec<Board> {
    let search = Search::new(&settings(&"edges".parse().unwrap(), Size::FULL, 1)).unwrap();
    let mut boards = Vec::new();
    for seed in 0..4 {
        let mut game = Game::new(seed, Size::FULL);
        while let Some(choice) = search.best(game.board()) {
            game.play(choice.direction);
            if game.record().moves.len().is_multiple_of(40) {
                boards.push(game.board());
            }
        }
        boards.push(game.board());
    }
    boards
}

/// But for how many positions were met: that depends on what the table held.
fn answer(choice: Option<Choice>) -> Option<Choice> {
    choice.map(|choice| Choice { evaluated: 0, ..choice })
}

#[test]
fn answers_do_not_depend_on_threads_or_on_the_table() {
    let boards = boards_of_games();
    assert!(boards.len() > 40);
    for name in ["edges", "sum", "score", "strong"] {
        let serial = settings(&name.parse().unwrap(), Size::FULL, 4);
        let shared =
            Search::new(&Settings { parallel: true, table_bits: 18, ..serial.clone() }).unwrap();
        let used = Search::new(&serial).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(7).build().unwrap();
        // The last first, so that the table holds something else each time.
        let backwards: Vec<_> = boards.iter().rev().map(|&board| used.best(board)).collect();
        for (&board, before) in boards.iter().zip(backwards.into_iter().rev()) {
            let fresh = answer(
                Search::new(&Settings { table_bits: 1, ..serial.clone() }).unwrap().best(board),
            );
            assert_eq!(answer(before), fresh, "{name} {board}");
            assert_eq!(answer(used.best(board)), fresh, "{name} {board}");
            assert_eq!(answer(pool.install(|| shared.best(board))), fresh, "{name} {board}");
        }
    }
}

#[test]
fn a_seed_tells_a_game() {
    let hash = |game: &Game| {
        game.record().moves.iter().fold(game.score().into(), |hash, &it| mix(hash ^ it as u64))
    };
    let mut found = Vec::new();
    for (name, size) in [("edges", "4x4"), ("sum", "4x4"), ("score", "3x4"), ("strong", "4x4")] {
        let size: Size = size.parse().unwrap();
        let search = Search::new(&settings(&name.parse().unwrap(), size, 2)).unwrap();
        let mut game = Game::new(2048, size);
        while let Some(choice) = search.best(game.board()) {
            assert!(game.play(choice.direction));
        }
        assert!(game.board().is_over(size));
        let text = game.record().to_string();
        let again = text.parse::<Record>().unwrap().replay().unwrap();
        assert_eq!((again.board(), again.score()), (game.board(), game.score()));
        assert_eq!(again.record(), game.record());
        found.push((game.score(), game.record().moves.len(), hash(&game)));
    }
    let expected = [
        (35_328, 1_799, 2_302_868_587_153_848_220),
        (14_408, 833, 18_264_765_559_910_576_869),
        (3_076, 247, 14_364_809_525_319_670_727),
        // Other weights, another game.
        (386_488, 14_823, 14_362_539_447_343_839_989),
    ];
    assert_eq!(found, expected);
}

#[test]
fn records_that_are_none() {
    for text in ["", "4x4", "4x4 x uu", "4x4 1 uxu", "4x4 1 u u"] {
        assert_eq!(text.parse::<Record>(), Err(RecordError::Text(text.into())));
    }
    assert!(matches!("5x5 1 u".parse::<Record>(), Err(RecordError::Size(_))));
    // A board that has just slid up, and got one tile, cannot slide up forever.
    let stuck = format!("2x2 1 {}", "u".repeat(100)).parse::<Record>().unwrap().replay();
    assert!(matches!(stuck, Err(RecordError::Stuck { direction: Direction::Up, .. })), "{stuck:?}");
}

#[test]
fn weights_that_are_none() {
    assert_eq!(
        "best".parse::<Heuristic>().unwrap_err().to_string(),
        "\"best\": no heuristic; there are edges, sum, score, strong"
    );
    let sum: Heuristic = "sum".parse().unwrap();
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
fn no_move_no_choice() {
    let over = Board::parse("2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2", Size::FULL).unwrap();
    for limit in [Limit::Depth(3), Limit::Adaptive, Limit::Time(Duration::from_millis(5))] {
        let search = Search::new(&Settings { limit, ..Settings::default() }).unwrap();
        assert_eq!(search.best(over), None);
        assert_eq!(search.best(Board(0)), None);
    }
}

/// The mean score still to come with the best moves, from every way on to the end.
fn expected_score(grid: &Grid) -> f64 {
    let naive = Naive { value: Box::new(|_| unreachable!("a game ends sooner")), scores: true };
    naive.moves(grid, 100).into_iter().flatten().fold(0.0, f64::max)
}

#[test]
fn a_search_to_the_end_is_exact() {
    let size: Size = "2x2".parse().unwrap();
    let search =
        Search::new(&Settings { cut_off: 0.0, ..settings(&"score".parse().unwrap(), size, 63) })
            .unwrap();
    // A published figure: the mean over all starts.
    let mut mean = 0.0;
    for (board, first) in Board(0).spawns(size) {
        for (board, second) in board.spawns(size) {
            mean += first.chance * second.chance * search.best(board).map_or(0.0, |it| it.value);
        }
    }
    assert!(close(mean, 66.964_149_46), "{mean}");
    for text in ["16,8/4,2", "8,8/4,2", "16,4/2,0", "2,16/4,8"] {
        let board = Board::parse(text, size).unwrap();
        let value = search.best(board).map_or(0.0, |it| it.value);
        assert!(close(value, expected_score(&grid(board, size))), "{text}");
    }
}

/// Knows every position whose sum eight divides.
struct Eighth;

impl Oracle for Eighth {
    fn value(&self, board: Board) -> Option<f64> {
        board.sum().is_multiple_of(8).then(|| f64::from(board.sum()))
    }
}

#[test]
fn what_is_known_is_not_searched() {
    let heuristic: Heuristic = "score".parse().unwrap();
    let oracle = Some(Arc::new(Eighth) as Arc<dyn Oracle>);
    let search = |depth| {
        Search::new(&Settings {
            cut_off: 0.0,
            oracle: oracle.clone(),
            ..settings(&heuristic, Size::FULL, depth)
        })
        .unwrap()
    };
    fn expected(board: Board, depth: u32) -> [Option<f64>; 4] {
        Direction::ALL.map(|direction| {
            let (after, score) = board.slide(direction, Size::FULL)?;
            let outcome = |board: Board| match Eighth.value(board) {
                Some(value) => value,
                None => expected(board, depth - 1).into_iter().flatten().fold(0.0, f64::max),
            };
            let spawns = after.spawns(Size::FULL);
            let ahead: f64 = if depth == 0 {
                0.0
            } else {
                spawns.map(|(board, it)| it.chance * outcome(board)).sum()
            };
            Some(f64::from(score) + ahead)
        })
    }
    let mut random = SplitMix64::new(8);
    for depth in 0..3u8 {
        let search = search(depth);
        for _ in 0..30 {
            let board = random_board(&mut random, Size::FULL, 5);
            compare(search.best(board), expected(board, depth.into()), &format!("{board} {depth}"));
        }
    }
}

/// Once the cut-off ends every way, to go deeper is to do the same again: the time goes into ways that
/// are less likely.
#[test]
fn time_that_is_left_lowers_the_cut_off() {
    let settings = |limit| Settings { limit, cut_off: 0.2, ..Settings::default() };
    let board = Board::parse("5869022210000000", Size::FULL).unwrap();
    let timed = Search::new(&settings(Limit::Time(Duration::from_millis(200)))).unwrap();
    let found = timed.best(board).unwrap();
    assert!(found.cut_off < 0.1, "{found:?}");
    let deep = Search::new(&settings(Limit::Depth(40))).unwrap().best(board).unwrap();
    assert!((deep.cut_off - 0.2).abs() < 0.01 && deep.evaluated < found.evaluated, "{deep:?}");
    // A game that can be searched to its end is not searched again and again.
    let limit = Limit::Time(Duration::from_secs(100));
    let small = Settings {
        size: "2x2".parse().unwrap(),
        heuristic: "score".parse().unwrap(),
        limit,
        cut_off: 0.0,
        ..Settings::default()
    };
    let begun = Instant::now();
    let board = Board::parse("16,4/2,0", small.size).unwrap();
    assert!(Search::new(&small).unwrap().best(board).is_some());
    assert!(begun.elapsed() < Duration::from_secs(50));
}

#[test]
fn a_time_limit_gives_a_legal_move() {
    for time in [0, 1, 10] {
        let limit = Limit::Time(Duration::from_millis(time));
        let search = Search::new(&Settings { limit, ..Settings::default() }).unwrap();
        for board in boards_of_games().into_iter().step_by(5) {
            let begun = Instant::now();
            let choice = search.best(board);
            // Far more than the limit: a busy machine is no failure.
            assert!(begun.elapsed() < Duration::from_secs(5));
            assert_eq!(choice.is_none(), board.is_over(Size::FULL));
            if let Some(choice) = choice {
                assert!(board.slide(choice.direction, Size::FULL).is_some());
                assert!(choice.depth >= 1);
                let Choice { depth, cut_off, .. } = choice;
                if depth < 6 {
                    let limit = Limit::Depth(depth);
                    let same =
                        Search::new(&Settings { limit, cut_off, ..Settings::default() }).unwrap();
                    assert_eq!(answer(Some(choice)), answer(same.best(board)));
                }
            }
        }
    }
}
