//! The layers of a pattern, as tables of afterstates need them.
//!
//! A layer here is the set of its afterstates; its positions are found, and valued, when afterstates before it
//! need them, so that they take no room.

use std::mem;

use super::behind::{Behind, Positions};
use super::bits::{Bits, Gathered};
use super::numbering::{Numbering, Numbers};
use super::shape::Shape;
use super::steps::Steps;
use super::sweep::Sweep;
use super::values::Values;
use crate::games::twenty48::rules::Goal;
use crate::games::twenty48::{Board, Pattern, Target};
use crate::job::hands::Hand;
use crate::table::TableError;

/// The codes of a pattern's afterstates: their numbers, those of the layer with the largest sum first.
/// So the last layers, which are solved first, come first in a table.
pub struct AfterstateCodes {
    numbering: Numbering,
    /// By half a sum, the code of its layer's first number.
    offsets: Vec<u64>,
}

impl AfterstateCodes {
    /// Those of afterstates without a tile of the target; `None` if they cannot be numbered.
    #[must_use]
    pub fn new(pattern: &Pattern, target: Target) -> Option<Self> {
        Some(Self::of(Numbering::new(Shape::pattern(pattern)?, target.exponent())?))
    }

    fn of(numbering: Numbering) -> Self {
        let mut next = 0;
        let mut offsets: Vec<u64> = numbering
            .lengths()
            .iter()
            .rev()
            .map(|length| {
                let offset = next;
                next += length;
                offset
            })
            .collect();
        offsets.reverse();
        Self { numbering, offsets }
    }

    /// The code of a board, whose large tiles are nybbles of 15; `None` if it has none.
    #[must_use]
    pub fn code(&self, board: Board) -> Option<u64> {
        let (sum, number) = self.numbering.sum_and_number(board)?;
        Some(self.offsets[sum as usize / 2] + number)
    }

    /// The board of a code, in one of its orientations; `None` if it is no board's.
    #[must_use]
    pub fn board(&self, code: u64) -> Option<Board> {
        let half = self.half(code);
        let board = self.numbering.board_of(2 * half, code - self.offsets[half as usize])?;
        // A board that has several numbers has one code.
        (self.code(board) == Some(code)).then_some(board)
    }

    /// The sum of the small tiles of the board with a code.
    #[must_use]
    pub fn sum(&self, code: u64) -> u32 {
        2 * self.half(code)
    }

    fn half(&self, code: u64) -> u32 {
        // Offsets fall as sums rise; layers without numbers share theirs with the next.
        let mut half = self.offsets.partition_point(|&offset| offset > code);
        while half + 1 < self.offsets.len() && self.numbering.lengths()[half] == 0 {
            half += 1;
        }
        half as u32
    }

    /// The code of the first number of a layer.
    #[must_use]
    pub fn offset(&self, sum: u32) -> u64 {
        self.offsets.get(sum as usize / 2).copied().unwrap_or(0)
    }

    /// How many boards have a number in a layer.
    #[must_use]
    pub fn len(&self, sum: u32) -> u64 {
        self.numbering.lengths().get(sum as usize / 2).copied().unwrap_or(0)
    }
}

/// Finds and solves the layers of a pattern.
pub struct AfterstateLayers {
    sweep: Sweep,
}

impl AfterstateLayers {
    /// Of a pattern and a target; `None` if its boards cannot be numbered.
    #[must_use]
    pub fn new(pattern: &Pattern, target: Target) -> Option<Self> {
        let sweep = Sweep::new(Shape::pattern(pattern)?, target.exponent(), Goal::RoundedChance)?;
        Some(Self { sweep })
    }

    /// Bytes of memory that finding or solving takes at the most, on the threads that there are now.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes_on(rayon::current_num_threads())
    }

    /// The same on so many threads.
    #[must_use]
    pub fn bytes_on(&self, threads: usize) -> u64 {
        // Afterstates of three layers and positions of two, with a quarter to spare.
        let values = 5 * size_of::<f64>() * 5 / 4;
        // Of each thread, what it finds of two layers; of the layers, their positions and afterstates.
        let sets = 3 * threads + 6;
        let layer = self.sweep.numbering.most() * (8 * values + sets) as u64 / 8;
        self.sweep.bytes(3) + layer
    }

    /// The afterstates of a layer, from their numbers, which are below its [`len`](AfterstateCodes::len).
    #[must_use]
    pub fn set(&self, sum: u32, numbers: &[u64]) -> Bits {
        let mut set = Bits::default();
        set.reset(self.length(sum));
        numbers.iter().for_each(|&number| set.insert(number as u32));
        set
    }

    fn length(&self, sum: u32) -> usize {
        self.sweep.numbering.lengths().get(sum as usize / 2).map_or(0, |&length| length as usize)
    }

    fn numbers_of(&self, sum: u32) -> Numbers {
        let mut numbers = Numbers::default();
        self.sweep.numbering.number_layer(sum, &mut numbers);
        numbers
    }

    /// Adds boards of a layer to a set.
    fn insert(&self, numbers: &Numbers, boards: &[Board], set: &mut Bits) {
        for &board in boards {
            if let Some(number) = self.sweep.numbering.number_of(numbers, board) {
                set.insert(number);
            }
        }
    }
}

/// Goes forward through the layers, and finds their afterstates.
pub struct Forward<'a> {
    layers: &'a AfterstateLayers,
    /// Afterstates of any sums that layers have besides what follows from the layers before.
    starts: &'a [Board],
    /// The layer at work.
    sum: u32,
    /// Of the layer at work and of the two behind it.
    numbers: [Numbers; 3],
    /// What was found of the positions of the layer at work and of the one behind it.
    next: [Bits; 2],
    slid: Gathered,
    spawned: [Gathered; 2],
}

impl<'a> Forward<'a> {
    /// Goes to a layer, of which nothing is known.
    #[must_use]
    pub fn new(layers: &'a AfterstateLayers, starts: &'a [Board], sum: u32) -> Self {
        let numbers = [sum, sum + 2, sum + 4].map(|sum| layers.numbers_of(sum));
        let mut next = [Bits::default(), Bits::default()];
        for (next, numbers) in next.iter_mut().zip(&numbers) {
            next.reset(numbers.len());
        }
        let spawned = [Gathered::new(), Gathered::new()];
        Self { layers, starts, sum, numbers, next, slid: Gathered::new(), spawned }
    }

    /// The afterstates of the layer at work.
    ///
    /// # Errors
    /// When what hands share cannot be read or written, or they are stopped.
    pub fn find(&mut self, hand: &Hand<'_>) -> Result<Bits, TableError> {
        let Self { layers, starts, numbers: [now, ..], next: [states, _], slid, .. } = self;
        let sweep = &layers.sweep;
        sweep.numbering.reduce(now, states);
        let mut afterstates = Steps::new(hand, self.sum).slide(sweep, now, states, slid)?;
        sweep.numbering.reduce(now, &mut afterstates);
        layers.insert(now, starts, &mut afterstates);
        Ok(afterstates)
    }

    /// Goes to the next layer, once the afterstates of this one are known.
    pub fn follow(&mut self, afterstates: &Bits) {
        let Self { layers, numbers: [now, two, four], next: [next_two, next_four], .. } = self;
        let (numbers, all) = ([&*now, two, four], afterstates.all());
        let [with_two, with_four] =
            layers.sweep.positions_behind(numbers, afterstates, all, &mut self.spawned);
        *next_two = mem::replace(next_four, with_four);
        next_two.join(&with_two);
        self.sum += 2;
        self.numbers.rotate_left(1);
        layers.sweep.numbering.number_layer(self.sum + 4, &mut self.numbers[2]);
    }
}

/// Goes backward through the layers, and values their afterstates.
pub struct Backward<'a> {
    layers: &'a AfterstateLayers,
    /// The layer that was solved last, or the one behind the first to be solved.
    sum: u32,
    /// Of that layer and of the two behind it.
    numbers: [Numbers; 3],
    /// The values of their afterstates, by number.
    values: [Values; 3],
    /// The positions of the two behind it.
    positions: [Positions; 2],
    found: [Gathered; 2],
}

impl<'a> Backward<'a> {
    /// Goes behind a layer that is to be solved first; there are no afterstates behind it.
    #[must_use]
    pub fn new(layers: &'a AfterstateLayers, sum: u32) -> Self {
        let numbers = [sum + 2, sum + 4, sum + 6].map(|sum| layers.numbers_of(sum));
        let mut positions = [Positions::default(), Positions::default()];
        for (positions, numbers) in positions.iter_mut().zip(&numbers[1..]) {
            positions.reset(numbers.len(), layers.sweep.numbering.most());
        }
        let found = [Gathered::new(), Gathered::new()];
        Self { layers, sum: sum + 2, numbers, values: Default::default(), positions, found }
    }

    /// Goes to the layer before.
    fn go_back(&mut self) {
        self.sum -= 2;
        self.numbers.rotate_right(1);
        self.layers.sweep.numbering.number_layer(self.sum, &mut self.numbers[0]);
        self.values.rotate_right(1);
        let most = self.layers.sweep.numbering.most();
        for (values, numbers) in self.values.iter_mut().zip(&self.numbers) {
            values.grow(numbers.len(), most, 0.0);
        }
        self.positions.rotate_right(1);
        self.positions[0].reset(self.numbers[1].len(), most);
    }

    /// The two layers behind the one at work, and the values of that one.
    fn behind(&mut self) -> (Behind<'_>, &mut [f64]) {
        let Self { layers, numbers: [now, two, four], positions, found, .. } = self;
        let [values, with_two, with_four] = &mut self.values;
        let (numbers, afterstates) = ([&*now, two, four], [&**with_two, with_four]);
        (Behind { sweep: &layers.sweep, numbers, afterstates, positions, found }, values)
    }

    /// Solves the layer before, given its afterstates. Answers their values, by number.
    ///
    /// # Errors
    /// When what hands share cannot be read or written, or they are stopped.
    pub fn solve(&mut self, afterstates: &Bits, hand: &Hand<'_>) -> Result<&[f64], TableError> {
        self.go_back();
        let steps = Steps::new(hand, self.sum);
        let (mut behind, values) = self.behind();
        let Behind { sweep, numbers: [now, ..], .. } = behind;
        steps.value_afterstates(sweep, now, afterstates, values, |range, values| {
            let unknown = behind.unknown(afterstates, range.clone());
            behind.value_afterstates(afterstates, range, &unknown, values);
        })?;
        Ok(&self.values[0])
    }

    /// The same for afterstates that somebody else named, given those of the two layers behind, too: `None`
    /// if one is missing there that follows.
    pub fn solve_anew(&mut self, afterstates: &Bits, named: [&Bits; 2]) -> Option<&[f64]> {
        self.go_back();
        let (mut behind, values) = self.behind();
        let Behind { sweep, numbers, .. } = behind;
        let unknown = behind.unknown(afterstates, afterstates.all());
        let mut slid = Gathered::new();
        for ((unknown, named), numbers) in unknown.iter().zip(named).zip(&numbers[1..]) {
            slid.reset(numbers.len());
            sweep.slide(numbers, unknown, unknown.all(), &slid);
            let mut slid = slid.join();
            sweep.numbering.reduce(numbers, &mut slid);
            if !slid.is_subset(named) {
                return None;
            }
        }
        behind.value_afterstates(afterstates, afterstates.all(), &unknown, values);
        sweep.numbering.spread(numbers[0], afterstates, values);
        Some(&self.values[0])
    }

    /// Takes the values of the afterstates of the layer before as they are, in the order of their numbers.
    pub fn recall(&mut self, afterstates: &Bits, known: impl IntoIterator<Item = f64>) {
        self.go_back();
        let Self { layers, numbers: [now, ..], values: [values, ..], .. } = self;
        let mut known = known.into_iter();
        afterstates.each_of(0..now.len() as u32, |number| {
            values[number as usize] = known.next().unwrap_or(0.0);
        });
        layers.sweep.numbering.spread(now, afterstates, values);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::games::twenty48::PatternRules;
    use crate::job::ShardId;
    use crate::job::hands::tests::description;

    /// All layers, each with its sum.
    fn find(layers: &AfterstateLayers, starts: &[Board], hand: &Hand<'_>) -> Vec<(u32, Bits)> {
        let sums = starts.iter().map(|&board| PatternRules::sum(board));
        let sum = sums.min().unwrap();
        let mut forward = Forward::new(layers, starts, sum);
        let sums = (sum..).step_by(2).take_while(|&sum| layers.length(sum) > 0);
        let layer = |sum| {
            let found = forward.find(hand).unwrap();
            forward.follow(&found);
            (sum, found)
        };
        sums.map(layer).collect()
    }

    /// The values of all afterstates, the last layer first.
    fn solve(layers: &AfterstateLayers, found: &[(u32, Bits)], hand: &Hand<'_>) -> Vec<Vec<f64>> {
        let mut backward = Backward::new(layers, found.last().unwrap().0);
        let solved = found.iter().rev();
        solved.map(|(_, set)| set.select(backward.solve(set, hand).unwrap())).collect()
    }

    /// The pieces in a folder, without claims.
    fn pieces(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let steps = entries.filter(|path| !path.ends_with("hands"));
        let files = steps.flat_map(|step| fs::read_dir(step).unwrap());
        let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_none());
        files.sort();
        files
    }

    #[test]
    fn hands_find_and_value_the_same_afterstates() {
        let rules: PatternRules = "4x4 tile:16 L3".parse().unwrap();
        let layers = AfterstateLayers::new(rules.pattern(), rules.target()).unwrap();
        let starts = rules.pattern().seeds();
        let stop = AtomicBool::new(false);
        let alone = Hand::alone(&stop);
        let found = find(&layers, starts, &alone);
        let values = solve(&layers, &found, &alone);
        let folder = tempfile::tempdir().unwrap();
        let description = description();
        let hand = |number| {
            let shard = ShardId { stage: "all".into(), number, of: 3 };
            Hand::of(&shard, folder.path(), &description, &stop)
        };
        let check = |hand: Hand<'_>| {
            assert!(find(&layers, starts, &hand) == found);
            assert!(solve(&layers, &found, &hand) == values);
        };
        // One of three is missing.
        let hands = [hand(0), hand(2)];
        std::thread::scope(|scope| {
            hands.into_iter().for_each(|hand| drop(scope.spawn(|| check(hand))))
        });
        // What is damaged or gone is made again.
        let all = pieces(&folder.path().join("all.pieces"));
        assert!(all.len() > 20, "{}", all.len());
        for (place, path) in all.iter().enumerate() {
            let mut bytes = fs::read(path).unwrap();
            match place % 5 {
                0 => *bytes.last_mut().unwrap() ^= 4,
                1 => bytes.truncate(place % 24),
                _ => continue,
            }
            fs::write(path, bytes).unwrap();
        }
        let _other = hand(0);
        check(hand(1));
    }
}
