//! The structs of the header, and how answers become such.

#![expect(unsafe_code, reason = "the layout of structs is promised")]

use std::ffi::c_char;

use endtable::games::{Answer, MoveAnswer, Position};
use endtable::value::{GameResult, Unit, Worth};

use super::border::{Failure, Grows, Status};

const MOVE_SIZE: usize = 32;
const TURN_SIZE: usize = 16;
const KEY_SIZE: usize = 64;
const POSITION_SIZE: usize = 512;
const OVER_SIZE: usize = 64;

/// `enum endtable_result`.
#[derive(Clone, Copy)]
#[repr(i32)]
enum RawResult {
    None = 0,
    Win = 1,
    Draw = 2,
    Loss = 3,
    Unknown = 4,
}

/// `enum endtable_unit`.
#[derive(Clone, Copy)]
#[repr(i32)]
enum RawUnit {
    None = 0,
    Score = 1,
    Chance = 2,
    Estimate = 3,
}

/// `endtable_answer_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RawAnswer {
    size: usize,
    status: i32,
    result: i32,
    value: f64,
    unit: i32,
    plies: i32,
    searched: i32,
    best_count: u32,
    best: [c_char; MOVE_SIZE],
    turn: [c_char; TURN_SIZE],
    key: [c_char; KEY_SIZE],
}

/// `endtable_move_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RawMove {
    size: usize,
    value: f64,
    result: i32,
    unit: i32,
    plies: i32,
    searched: i32,
    is_best: i32,
    reserved: i32,
    name: [c_char; MOVE_SIZE],
}

/// `endtable_position_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RawPosition {
    size: usize,
    move_count: u32,
    reserved: u32,
    turn: [c_char; TURN_SIZE],
    key: [c_char; KEY_SIZE],
    over: [c_char; OVER_SIZE],
    text: [c_char; POSITION_SIZE],
}

/// `endtable_info_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RawInfo {
    pub size: usize,
    pub files: u64,
    pub records: u64,
    pub game: *const c_char,
    pub rules: *const c_char,
}

/// Implements [`Grows`] for structs whose first member is `size`.
macro_rules! grows {
    ($($raw:ty = $name:literal),*) => {$(
        // SAFETY: `repr(C)`, and the size comes first.
        unsafe impl Grows for $raw {
            const NAME: &'static str = $name;

            fn size(&mut self) -> &mut usize {
                &mut self.size
            }
        }
    )*};
}

grows!(
    RawAnswer = "endtable_answer_t",
    RawMove = "endtable_move_t",
    RawPosition = "endtable_position_t",
    RawInfo = "endtable_info_t"
);

// No padding, where a pointer has 64 bits: callers may compare them byte by byte.
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<RawAnswer>() == 40 + MOVE_SIZE + TURN_SIZE + KEY_SIZE);
    assert!(size_of::<RawMove>() == 40 + MOVE_SIZE);
    assert!(size_of::<RawPosition>() == 16 + TURN_SIZE + KEY_SIZE + OVER_SIZE + POSITION_SIZE);
    assert!(size_of::<RawInfo>() == 40);
};

/// What something is worth, in the members that positions and moves share.
struct RawWorth {
    result: i32,
    value: f64,
    unit: i32,
    plies: i32,
    searched: i32,
}

impl RawWorth {
    fn new(worth: Option<&Worth>) -> Self {
        let plies = worth.and_then(Worth::plies).map_or(-1, |plies| plies.0.into());
        let result = match worth {
            Some(Worth::Expected(_)) => RawResult::None,
            _ => match worth.and_then(Worth::result) {
                Some(GameResult::Win) => RawResult::Win,
                Some(GameResult::Draw) => RawResult::Draw,
                Some(GameResult::Loss) => RawResult::Loss,
                None => RawResult::Unknown,
            },
        };
        let none = Self {
            result: result as i32,
            value: f64::NAN,
            unit: RawUnit::None as i32,
            plies,
            searched: -1,
        };
        match worth {
            Some(Worth::Expected(expected)) => {
                Self { value: expected.value, unit: unit(expected.unit) as i32, ..none }
            }
            Some(Worth::Unknown { searched }) => Self { searched: searched.0.into(), ..none },
            _ => none,
        }
    }
}

fn unit(unit: Unit) -> RawUnit {
    match unit {
        Unit::Score => RawUnit::Score,
        Unit::Chance => RawUnit::Chance,
        Unit::Estimate => RawUnit::Estimate,
        _ => RawUnit::None,
    }
}

impl RawAnswer {
    /// An answer that says nothing but why.
    pub const fn without(status: Status) -> Self {
        Self {
            size: 0,
            status: status as i32,
            result: RawResult::None as i32,
            value: f64::NAN,
            unit: RawUnit::None as i32,
            plies: -1,
            searched: -1,
            best_count: 0,
            best: [0; MOVE_SIZE],
            turn: [0; TURN_SIZE],
            key: [0; KEY_SIZE],
        }
    }

    /// What is known of a position.
    pub fn new(position: &dyn Position, answer: &Answer) -> Result<Self, Failure> {
        let RawWorth { result, value, unit, plies, searched } = RawWorth::new(Some(&answer.worth));
        Ok(Self {
            size: 0,
            status: Status::Ok as i32,
            result,
            value,
            unit,
            plies,
            searched,
            best_count: answer.best.len().try_into().unwrap_or(u32::MAX),
            best: fixed(answer.best().unwrap_or_default())?,
            turn: fixed(&turn(position))?,
            key: fixed(&position.key().to_string())?,
        })
    }
}

impl RawMove {
    /// What is known of a move of a position.
    pub fn new(mv: &MoveAnswer, answer: &Answer) -> Result<Self, Failure> {
        let RawWorth { result, value, unit, plies, searched } = RawWorth::new(mv.worth.as_ref());
        Ok(Self {
            size: 0,
            value,
            result,
            unit,
            plies,
            searched,
            is_best: answer.best.contains(&mv.name).into(),
            reserved: 0,
            name: fixed(&mv.name)?,
        })
    }
}

impl RawPosition {
    /// A position in its own words.
    pub fn new(position: &dyn Position) -> Result<Self, Failure> {
        Ok(Self {
            size: 0,
            move_count: position.moves().len().try_into().unwrap_or(u32::MAX),
            reserved: 0,
            turn: fixed(&turn(position))?,
            key: fixed(&position.key().to_string())?,
            over: fixed(&position.over().unwrap_or_default())?,
            text: fixed(&position.text())?,
        })
    }
}

/// The side to move, as the game calls it.
fn turn(position: &dyn Position) -> String {
    let turn = position.fields().into_iter().find(|(name, _)| *name == "turn");
    turn.map_or(String::new(), |(_, turn)| turn.to_string())
}

/// A text with NULs behind it. One that the header has no room for is a fault: cut short, it would be
/// another text.
fn fixed<const N: usize>(text: &str) -> Result<[c_char; N], Failure> {
    let mut bytes = [0; N];
    if text.len() >= N || text.contains('\0') {
        return Err(Failure::internal(&format!("{text:?} has no room in {N} bytes")));
    }
    for (place, byte) in bytes.iter_mut().zip(text.bytes()) {
        *place = byte as c_char;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use endtable::value::{Expected, Plies, Precision, Value};

    fn raw(worth: Worth) -> (i32, f64, i32, i32, i32) {
        let RawWorth { result, value, unit, plies, searched } = RawWorth::new(Some(&worth));
        (result, if value.is_nan() { -1.0 } else { value }, unit, plies, searched)
    }

    #[test]
    fn every_worth_has_its_numbers() {
        assert_eq!(raw(Worth::Value(Value::Win(Plies(3)))), (1, -1.0, 0, 3, -1));
        assert_eq!(raw(Worth::Value(Value::Draw)), (2, -1.0, 0, -1, -1));
        assert_eq!(raw(Worth::Value(Value::Loss(Plies(0)))), (3, -1.0, 0, 0, -1));
        assert_eq!(raw(Worth::Result(GameResult::Win)), (1, -1.0, 0, -1, -1));
        assert_eq!(raw(Worth::Unknown { searched: Plies(9) }), (4, -1.0, 0, -1, 9));
        for (unit, number) in [(Unit::Score, 1), (Unit::Chance, 2), (Unit::Estimate, 3)] {
            let precision = Precision::Single;
            let expected = Expected { value: 0.5, unit, precision, gain: true };
            assert_eq!(raw(Worth::Expected(expected)), (0, 0.5, number, -1, -1));
        }
        assert_eq!(RawWorth::new(None).result, RawResult::Unknown as i32);
    }

    #[test]
    fn a_text_is_whole_or_refused() {
        assert_eq!(fixed::<4>("abc").unwrap(), [b'a', b'b', b'c', 0].map(|byte| byte as c_char));
        assert_eq!(fixed::<4>("abcd").unwrap_err().status, Status::Internal);
        assert_eq!(fixed::<4>("a\0").unwrap_err().status, Status::Internal);
    }
}
