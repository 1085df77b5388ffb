//! How far a figure that some games gave may be from the true one: 95 % intervals.

use std::f64::consts::FRAC_2_PI;

use serde_json::{Value, json};

/// The mean of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    pub mean: f64,
    /// Half of its 95 % interval, by Student's t; `None` for a single number, which tells nothing
    /// about others.
    pub within: Option<f64>,
}

impl Mean {
    /// The mean of at least one number.
    pub fn of(numbers: &[f64]) -> Self {
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let freedom = numbers.len().saturating_sub(1) as u64;
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        let error = || (squares / freedom as f64 / count).sqrt();
        Self { mean, within: (freedom > 0).then(|| student_quantile(freedom) * error()) }
    }
}

/// The mean, and how far it may be from the true one: two digits of that, where it is small.
impl std::fmt::Display for Mean {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(within) = self.within else { return write!(f, "{:.1}", self.mean) };
        let small = within > 0.0 && within < 1.0;
        let digits = if small { 1 - within.log10().floor() as i32 } else { 1 };
        write!(f, "{:.*} ± {within:.*}", digits as usize, self.mean, digits as usize)
    }
}

/// Ascending numbers as an object: the mean, `within` how far of the true one if that can be told, the
/// median, the least, the most. There is at least one, and they are whole.
pub fn object(ascending: &[f64]) -> Value {
    let Mean { mean, within } = Mean::of(ascending);
    let mut object = json!({ "mean": mean });
    if let Some(within) = within {
        object["within"] = within.into();
    }
    object["median"] = median(ascending).into();
    object["least"] = (ascending[0] as u64).into();
    object["most"] = (ascending[ascending.len() - 1] as u64).into();
    object
}

/// The middle of ascending numbers, of which there is at least one.
pub fn median(ascending: &[f64]) -> f64 {
    ascending[(ascending.len() - 1) / 2].midpoint(ascending[ascending.len() / 2])
}

/// So many of all games as an object, with the ends of the interval of their share; those of no games
/// are unknown.
pub fn share_object(part: usize, all: usize) -> Value {
    let mut object = json!({ "games": part });
    if all > 0 {
        let (low, high) = share_interval(part, all);
        object["low"] = low.into();
        object["high"] = high.into();
    }
    object
}

/// Wilson's 95 % interval of a share: sound for few games, and for none or all of them.
fn share_interval(part: usize, all: usize) -> (f64, f64) {
    const Z: f64 = 1.96;
    let (part, all) = (part as f64, all as f64);
    let share = part / all;
    let middle = share + Z * Z / (2.0 * all);
    let half = Z * (share * (1.0 - share) / all + Z * Z / (4.0 * all * all)).sqrt();
    let scale = 1.0 + Z * Z / all;
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}

/// A share in percent with its interval, as in `12.50 % (6.86 to 21.54)`.
pub fn share_text(part: usize, all: usize) -> String {
    let (low, high) = share_interval(part, all);
    let share = part as f64 / all as f64;
    format!("{:.2} % ({:.2} to {:.2})", 100.0 * share, 100.0 * low, 100.0 * high)
}

/// Beyond so many degrees of freedom, what the expansion of the quantile leaves out is less than
/// what a 64-bit number rounds off.
const MANY: u64 = 1000;

/// What a variable of Student's t distribution stays below in size with a chance of 95 %: the
/// 97.5 % quantile.
fn student_quantile(freedom: u64) -> f64 {
    if freedom > MANY {
        return expanded_quantile(freedom as f64);
    }
    // The chance grows with t, and the quantile is largest for one degree: tan(0.475 pi) < 13.
    let (mut low, mut high) = (0.0, 13.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if chance_within(middle, freedom) < 0.95 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The chance that a variable of Student's t distribution is smaller than `t` in size: the finite
/// sums for whole degrees of freedom, Abramowitz and Stegun 26.7.3 and 26.7.4.
fn chance_within(t: f64, freedom: u64) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = freedom % 2 == 1;
    let mut term = if odd { cosine } else { 1.0 };
    let mut sum = 0.0;
    let first = if odd { 3 } else { 2 };
    for next in (first..=freedom).step_by(2) {
        sum += term;
        term *= cosine * cosine * (next - 1) as f64 / next as f64;
    }
    if odd { FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}

/// The quantile by its expansion around the normal distribution's, Abramowitz and Stegun 26.7.5.
fn expanded_quantile(freedom: f64) -> f64 {
    const Z: f64 = 1.959_963_984_540_054;
    let z = |power| Z.powi(power);
    let corrections = [
        (z(3) + z(1)) / 4.0,
        (5.0 * z(5) + 16.0 * z(3) + 3.0 * z(1)) / 96.0,
        (3.0 * z(7) + 19.0 * z(5) + 17.0 * z(3) - 15.0 * z(1)) / 384.0,
        (79.0 * z(9) + 776.0 * z(7) + 1482.0 * z(5) - 1920.0 * z(3) - 945.0 * z(1)) / 92160.0,
    ];
    corrections.iter().rev().fold(0.0, |sum, correction| (sum + correction) / freedom) + Z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of NIST's Engineering Statistics Handbook, 1.3.6.7.2, three digits; two quantiles
    /// that have a closed form, to all digits.
    #[test]
    fn quantiles_are_the_published_ones() {
        for (freedom, published) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (6, 2.447),
            (7, 2.365),
            (8, 2.306),
            (9, 2.262),
            (10, 2.228),
            (15, 2.131),
            (20, 2.086),
            (30, 2.042),
            (40, 2.021),
            (60, 2.000),
            (99, 1.984),
            (100, 1.984),
            (1_000, 1.962),
            (1_000_000_000, 1.960),
        ] {
            let found = student_quantile(freedom);
            assert!((found - published).abs() <= 0.000_5, "{freedom}: {found}");
        }
        let tangent = (0.475 * std::f64::consts::PI).tan();
        assert!((student_quantile(1) - tangent).abs() < 1e-12);
        assert!(
            (student_quantile(2) - 0.95 * (2.0 / (1.0 - 0.95f64.powi(2))).sqrt()).abs() < 1e-12
        );
    }

    #[test]
    fn both_ways_to_a_quantile_meet() {
        for freedom in [MANY / 2, MANY - 1, MANY] {
            let found = student_quantile(freedom);
            assert!((found - expanded_quantile(freedom as f64)).abs() < 1e-12, "{freedom}");
        }
    }

    #[test]
    fn few_numbers_have_wide_intervals() {
        // By hand: the deviations are -2, -1, 3, the standard error is sqrt(14 / 2 / 3).
        let mean = Mean::of(&[1.0, 2.0, 6.0]);
        assert_eq!(mean.to_string(), "3.0 ± 6.6");
        assert!((mean.within.unwrap() - 4.302_652_73 * (14.0f64 / 6.0).sqrt()).abs() < 1e-8);
        assert_eq!(Mean::of(&[4.0]).to_string(), "4.0");
        let digits = |within| Mean { mean: 9.8125, within: Some(within) }.to_string();
        assert_eq!(digits(0.0193), "9.812 ± 0.019");
        assert_eq!(digits(0.5), "9.81 ± 0.50");
        assert_eq!(digits(0.0), "9.8 ± 0.0");
        assert_eq!(Mean::of(&[5.0, 5.0]).within, Some(0.0));
    }

    #[test]
    fn shares_have_wilsons_intervals() {
        // Newcombe (1998), table I: 81 of 263, and 0 of 20.
        let (low, high) = share_interval(81, 263);
        assert!((low - 0.2553).abs() < 5e-5 && (high - 0.3662).abs() < 5e-5, "{low} {high}");
        let (low, high) = share_interval(0, 20);
        assert!(low == 0.0 && (high - 0.1611).abs() < 5e-5, "{low} {high}");
    }

    #[test]
    fn a_median_is_between_the_middle_ones() {
        assert_eq!((median(&[1.0, 2.0, 9.0]), median(&[1.0, 2.0, 4.0, 9.0])), (2.0, 3.0));
    }
}
