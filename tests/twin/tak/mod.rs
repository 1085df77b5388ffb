//! The naive twin of Tak: the rules once more, on plain lists of stones, as a person would play them on
//! a table. It shares nothing with the crate but the notation, which it writes itself.

pub mod random;
pub mod search;

/// A stone: whose it is (0 white, 1 black) and how it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stone {
    pub player: usize,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Flat,
    Wall,
    Cap,
}

/// A table with stones on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub size: usize,
    /// The stacks, from the bottom; square (file, rank) is number `size * rank + file`.
    pub stacks: Vec<Vec<Stone>>,
    /// Flats and capstones that each player still has.
    pub flats: [usize; 2],
    pub caps: [usize; 2],
    /// How many moves were made.
    pub plies: usize,
    pub half_komi: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Move {
    /// A stone placed: the square, and 0 for a flat, 1 for a wall, 2 for a capstone.
    Place(usize, usize),
    /// A slide: the square, the direction (0 up, 1 right, 2 down, 3 left), and what is dropped on each
    /// square.
    Slide(usize, usize, Vec<usize>),
}

const STEPS: [(isize, isize); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const SIGNS: [char; 4] = ['+', '>', '-', '<'];

impl Position {
    pub fn new(size: usize, flats: usize, caps: usize, half_komi: i32) -> Self {
        let stacks = vec![Vec::new(); size * size];
        Self { size, stacks, flats: [flats; 2], caps: [caps; 2], plies: 0, half_komi }
    }

    pub fn turn(&self) -> usize {
        self.plies % 2
    }

    fn square(&self, file: isize, rank: isize) -> Option<usize> {
        let side = 0..self.size as isize;
        let inside = side.contains(&file) && side.contains(&rank);
        inside.then(|| (self.size as isize * rank + file) as usize)
    }

    /// The next square in a direction, if there is one.
    fn next(&self, square: usize, direction: usize) -> Option<usize> {
        let (file, rank) = ((square % self.size) as isize, (square / self.size) as isize);
        let (right, up) = STEPS[direction];
        self.square(file + right, rank + up)
    }

    pub fn name(&self, square: usize) -> String {
        let file = char::from(b'a' + (square % self.size) as u8);
        format!("{file}{}", square / self.size + 1)
    }

    /// The legal moves, as if the game was not over.
    pub fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let turn = self.turn();
        for (square, stack) in self.stacks.iter().enumerate() {
            let Some(top) = stack.last() else {
                if self.plies < 2 {
                    moves.push(Move::Place(square, 0));
                    continue;
                }
                if self.flats[turn] > 0 {
                    moves.extend([Move::Place(square, 0), Move::Place(square, 1)]);
                }
                if self.caps[turn] > 0 {
                    moves.push(Move::Place(square, 2));
                }
                continue;
            };
            if self.plies < 2 || top.player != turn {
                continue;
            }
            for direction in 0..4 {
                for carried in 1..=stack.len().min(self.size) {
                    let hand = &stack[stack.len() - carried..];
                    self.drop_on(square, direction, hand, &mut Vec::new(), &mut |drops| {
                        moves.push(Move::Slide(square, direction, drops.to_vec()));
                    });
                }
            }
        }
        moves
    }

    /// Finds every way to drop what is left in the hand on the squares that follow.
    fn drop_on(
        &self,
        from: usize,
        direction: usize,
        hand: &[Stone],
        drops: &mut Vec<usize>,
        found: &mut impl FnMut(&[usize]),
    ) {
        if hand.is_empty() {
            return found(drops);
        }
        let Some(square) = self.next(from, direction) else { return };
        for count in 1..=hand.len() {
            let free = match self.stacks[square].last().map(|top| top.kind) {
                None | Some(Kind::Flat) => true,
                Some(Kind::Wall) => hand.len() == 1 && hand[0].kind == Kind::Cap,
                Some(Kind::Cap) => false,
            };
            if free {
                drops.push(count);
                self.drop_on(square, direction, &hand[count..], drops, found);
                drops.pop();
            }
        }
    }

    pub fn play(&mut self, mv: &Move) {
        let turn = self.turn();
        match mv {
            Move::Place(square, kind) => {
                let player = if self.plies < 2 { 1 - turn } else { turn };
                let kind = [Kind::Flat, Kind::Wall, Kind::Cap][*kind];
                let reserve = if kind == Kind::Cap { &mut self.caps } else { &mut self.flats };
                reserve[player] -= 1;
                self.stacks[*square].push(Stone { player, kind });
            }
            Move::Slide(square, direction, drops) => {
                let stack = &mut self.stacks[*square];
                let mut hand = stack.split_off(stack.len() - drops.iter().sum::<usize>());
                let mut square = *square;
                for &count in drops {
                    square = self.next(square, *direction).unwrap();
                    if let Some(top) = self.stacks[square].last_mut() {
                        top.kind = Kind::Flat;
                    }
                    self.stacks[square].extend(hand.drain(..count));
                }
            }
        }
        self.plies += 1;
    }

    /// How the game has ended, as PTN writes it.
    pub fn end(&self) -> Option<&'static str> {
        let mover = 1 - self.turn();
        for player in [mover, 1 - mover] {
            if self.has_road(player) {
                return Some(["R-0", "0-R"][player]);
            }
        }
        let full = self.stacks.iter().all(|stack| !stack.is_empty());
        let out = (0..2).any(|player| self.flats[player] + self.caps[player] == 0);
        if !full && !out {
            return None;
        }
        let [white, black] = self.flat_counts().map(|count| 2 * count as i32);
        Some(match white - black - self.half_komi {
            1.. => "F-0",
            0 => "1/2-1/2",
            _ => "0-F",
        })
    }

    /// How many flats each player has on top.
    pub fn flat_counts(&self) -> [usize; 2] {
        [0, 1].map(|player| {
            let tops = self.stacks.iter().filter_map(|stack| stack.last());
            tops.filter(|top| **top == Stone { player, kind: Kind::Flat }).count()
        })
    }

    fn is_road_stone(&self, square: usize, player: usize) -> bool {
        let top = self.stacks[square].last();
        top.is_some_and(|top| top.player == player && top.kind != Kind::Wall)
    }

    fn has_road(&self, player: usize) -> bool {
        let n = self.size;
        let bottom: Vec<usize> = (0..n).collect();
        let left: Vec<usize> = (0..n).map(|rank| n * rank).collect();
        self.reaches(player, bottom, |square| square / n == n - 1)
            || self.reaches(player, left, |square| square % n == n - 1)
    }

    /// Whether stones of a player lead from one of some squares to one of others.
    fn reaches(&self, player: usize, from: Vec<usize>, goal: impl Fn(usize) -> bool) -> bool {
        let mut seen = vec![false; self.stacks.len()];
        let mut open = from;
        while let Some(square) = open.pop() {
            if seen[square] || !self.is_road_stone(square, player) {
                continue;
            }
            if goal(square) {
                return true;
            }
            seen[square] = true;
            open.extend((0..4).filter_map(|direction| self.next(square, direction)));
        }
        false
    }

    /// The position as TPS.
    pub fn tps(&self) -> String {
        let mut ranks = Vec::new();
        for rank in (0..self.size).rev() {
            let mut words: Vec<String> = Vec::new();
            let mut gap = 0;
            for file in 0..self.size {
                let stack = &self.stacks[self.size * rank + file];
                if stack.is_empty() {
                    gap += 1;
                    continue;
                }
                words.extend(gap_word(gap));
                gap = 0;
                words.push(stack.iter().map(stone_text).collect());
            }
            words.extend(gap_word(gap));
            ranks.push(words.join(","));
        }
        format!("{} {} {}", ranks.join("/"), self.turn() + 1, self.plies / 2 + 1)
    }

    /// A move as PTN.
    pub fn ptn(&self, mv: &Move) -> String {
        match mv {
            Move::Place(square, kind) => format!("{}{}", ["", "S", "C"][*kind], self.name(*square)),
            Move::Slide(square, direction, drops) => {
                let carried: usize = drops.iter().sum();
                let carried = if carried == 1 { String::new() } else { carried.to_string() };
                let each: String = drops.iter().map(usize::to_string).collect();
                let each = if drops.len() == 1 { "" } else { &each };
                format!("{carried}{}{}{each}", self.name(*square), SIGNS[*direction])
            }
        }
    }

    /// How many positions there are after so many plies. Games that ended before lead to nothing.
    pub fn perft(&self, plies: u32) -> u64 {
        if plies == 0 {
            return 1;
        }
        if self.end().is_some() {
            return 0;
        }
        let after = |mv: &Move| {
            let mut next = self.clone();
            next.play(mv);
            next.perft(plies - 1)
        };
        self.moves().iter().map(after).sum()
    }
}

fn gap_word(gap: usize) -> Option<String> {
    match gap {
        0 => None,
        1 => Some("x".into()),
        _ => Some(format!("x{gap}")),
    }
}

fn stone_text(stone: &Stone) -> String {
    let player = ["1", "2"][stone.player];
    let kind = match stone.kind {
        Kind::Flat => "",
        Kind::Wall => "S",
        Kind::Cap => "C",
    };
    format!("{player}{kind}")
}
