//! What heuristics are worth, as their descriptions say.

use endtable::games::twenty48::Size;

use super::Grid;

/// What `edges` is worth.
pub fn edges(grid: &Grid) -> f64 {
    let at_edge = |line: &[u32]| {
        let largest = line.iter().copied().max().filter(|&largest| largest > 0);
        largest.is_some() && (line.first() == largest.as_ref() || line.last() == largest.as_ref())
    };
    let lines = sum_of_lines(grid, |line| if at_edge(line) { 1.0 } else { 0.0 });
    20_000.0 * (grid.empty() as f64 + lines)
}

/// What `sum` is worth with its own weights.
pub fn sum(grid: &Grid) -> f64 {
    f64::from(grid.tiles().sum::<u32>()) + 1_000.0 * grid.empty() as f64
}

/// A file of weights that uses every term of `sum`.
pub const ALL_TERMS: &str = "
    tiles = 0.5
    open = 900
    # Each step takes this off ...
    smoothness = 40
    monotonicity = 70.5   # ... and each in the wrong direction this.
    corner = 1000
";

/// What `sum` is worth with those weights. All lines are worth more by what the worst line lacks, so
/// that none is worth less than 0: one whose steps are large both ways, 2 and 32768 in turn.
pub fn all_terms(size: Size) -> impl Fn(&Grid) -> f64 {
    fn worth(line: &[u32]) -> f64 {
        let open = line.iter().filter(|&&tile| tile == 0).count() as f64;
        let (up, down) = steps(line);
        0.25 * f64::from(line.iter().sum::<u32>()) + 450.0 * open
            - 40.0 * (up + down)
            - 70.5 * up.min(down)
    }
    let worst = |length: u8| -> f64 {
        let line = |number: u32| -> Vec<u32> {
            (0..length).map(|x| (1 << (number >> (4 * x) & 15)) & !1).collect()
        };
        (0..1 << (4 * length)).map(|number| worth(&line(number))).fold(0.0, f64::min)
    };
    let lift = f64::from(size.rows()) * worst(size.columns())
        + f64::from(size.columns()) * worst(size.rows());
    move |grid| {
        let rows: Vec<&[u32]> = grid.rows().collect();
        let (first, last) = (rows[0], rows[rows.len() - 1]);
        let corners = [first.first(), first.last(), last.first(), last.last()];
        let largest = grid.tiles().max();
        let in_corner = corners.iter().any(|corner| corner.copied() == largest);
        sum_of_lines(grid, worth) - lift + if in_corner { 1000.0 } else { 0.0 }
    }
}

/// The sum over rows and columns.
fn sum_of_lines(grid: &Grid, worth: impl Fn(&[u32]) -> f64) -> f64 {
    let rows: f64 = grid.rows().map(&worth).sum();
    let columns: f64 = grid.transposed().rows().map(&worth).sum();
    rows + columns
}

/// The steps up and down between the tiles of a line.
fn steps(line: &[u32]) -> (f64, f64) {
    let (mut up, mut down, mut before) = (0.0, 0.0, None);
    for tile in line.iter().filter(|&&tile| tile > 0) {
        let exponent = f64::from(tile.ilog2());
        let step = exponent - before.replace(exponent).unwrap_or(exponent);
        up += f64::max(step, 0.0);
        down += f64::max(-step, 0.0);
    }
    (up, down)
}
