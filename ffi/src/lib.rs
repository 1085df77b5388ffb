//! The C interface: tables for every language that can call C. `include/endtable.h` is the header,
//! written by hand; what is promised to callers stands there.
//!
//! Every function here takes what comes from the other side with suspicion: null and misaligned
//! pointers are refused, panics are caught at the border and become [`Status::Io`]. What cannot be
//! checked, that a pointer that is not null points to what the header says, is the caller's part
//! of the contract and stands under `# Safety`.
//!
//! An open set of tables is never changed after it is opened, but for caches behind locks; so any
//! number of threads may probe it. The last error's message is each thread's own.

#![expect(unsafe_code, reason = "C passes pointers")]

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::slice;

use crate::games::collapsi::{Board, IllegalBoard};
use crate::games::key::{Key64, Key128};
use crate::probe::{Answer, CollapsiTables};
use crate::table::{TableError, TableSet};

/// What a function returns: the numbers are the program's exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// The position is in none of the tables.
    NotFound = 1,
    /// The arguments make no sense.
    BadInput = 2,
    /// A file cannot be read, is no table, or is damaged; or the library itself is at fault.
    Io = 3,
}

/// `endtable_t`: open tables, searched as one. C sees only pointers to it.
#[derive(Debug)]
pub struct OpenTables(CollapsiTables);

/// `endtable_answer_t`: eight bytes, as the header lays them out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct RawAnswer {
    /// A [`Status`].
    pub status: u8,
    /// Whether the side to move wins: 0 or 1.
    pub win: u8,
    /// Whose turn it is: 0 for X, 1 for O.
    pub turn: u8,
    /// The cell the best move starts from, [`NO_CELL`] if there is no move.
    pub from: u8,
    /// The cell it goes to, or [`NO_CELL`].
    pub to: u8,
    /// How many plies the game lasts.
    pub plies: u8,
    /// Zero.
    pub padding: [u8; 2],
}

/// `ENDTABLE_NO_CELL`: stands for a cell where there is no move.
pub const NO_CELL: u8 = 0xff;

// The header promises it, and arrays of answers depend on it.
const _: () = assert!(size_of::<RawAnswer>() == 8 && align_of::<RawAnswer>() == 1);

impl RawAnswer {
    /// An answer that says nothing but why.
    const fn without(status: Status) -> Self {
        Self {
            status: status as u8,
            win: 0,
            turn: 0,
            from: NO_CELL,
            to: NO_CELL,
            plies: 0,
            padding: [0; 2],
        }
    }

    fn new(answer: Answer, turn: u16) -> Self {
        let [from, to] =
            answer.best.map_or([NO_CELL; 2], |mv| [mv.from, mv.to].map(|c| c.number()));
        Self {
            win: answer.value.is_win().into(),
            turn: turn as u8,
            from,
            to,
            plies: answer.value.plies().0,
            ..Self::without(Status::Ok)
        }
    }
}

/// Why a call failed: its status, and a message for people.
#[derive(Debug)]
struct Failure {
    status: Status,
    message: Cow<'static, CStr>,
}

impl Failure {
    /// Without a heap allocation: tables are often asked for what they do not have.
    const NOT_FOUND: Self = Self {
        status: Status::NotFound,
        message: Cow::Borrowed(c"the position is not in the table"),
    };

    fn new(status: Status, message: impl Into<String>) -> Self {
        // A path from C has no zero byte, but one that a folder's listing gives might.
        let message = CString::new(message.into().replace('\0', "?")).unwrap_or_default();
        Self { status, message: Cow::Owned(message) }
    }

    fn input(message: impl Into<String>) -> Self {
        Self::new(Status::BadInput, message)
    }

    fn null(argument: &str) -> Self {
        Self::input(format!("{argument} is a null pointer"))
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        let status = match error {
            TableError::Mixed { .. } => Status::BadInput,
            _ => Status::Io,
        };
        Self::new(status, error.to_string())
    }
}

impl From<IllegalBoard> for Failure {
    fn from(error: IllegalBoard) -> Self {
        Self::input(error.to_string())
    }
}

thread_local! {
    /// What went wrong last in this thread.
    static LAST_ERROR: RefCell<Cow<'static, CStr>> = const { RefCell::new(Cow::Borrowed(c"")) };
}

/// Keeps the message of a failure and gives its status.
fn failed(failure: Failure) -> Status {
    // In a thread that is just ending there is nowhere to keep it, and nobody to ask.
    _ = LAST_ERROR.try_with(|last| last.replace(failure.message));
    failure.status
}

/// Runs the body of a C function: no panic leaves it, and its failure is kept for
/// `endtable_last_error`.
///
/// Asserting unwind safety is right: an open set has no state that a panic could leave half
/// changed but its caches, whose locks see to themselves.
fn at_the_border<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Status> {
    let done = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(Failure::new(Status::Io, format!("a fault in the library, please report it: {text}")))
    });
    done.map_err(failed)
}

/// Answers one question: the answer goes to `out`, whatever it is, and its status to the caller.
///
/// # Safety
/// `out` is null or may be written to.
unsafe fn answer_into(
    out: *mut RawAnswer,
    body: impl FnOnce() -> Result<RawAnswer, Failure>,
) -> c_int {
    let checked = || if out.is_null() { Err(Failure::null("out")) } else { body() };
    let (answer, status) = match at_the_border(checked) {
        Ok(answer) => (answer, Status::Ok),
        Err(status) => (RawAnswer::without(status), status),
    };
    if !out.is_null() {
        // SAFETY: not null, and the caller says that it may be written to; an answer has no
        // alignment to keep.
        unsafe { out.write(answer) };
    }
    status as c_int
}

/// The tables behind a pointer from C.
///
/// # Safety
/// `tables` is null or comes from `endtable_open` and stays open while the result is in use.
unsafe fn opened<'a>(tables: *const OpenTables) -> Result<&'a CollapsiTables, Failure> {
    // SAFETY: the caller says that it is null or points to open tables, which nobody changes.
    let tables = unsafe { tables.as_ref() };
    tables.map(|tables| &tables.0).ok_or_else(|| Failure::null("the table"))
}

fn probe(tables: &CollapsiTables, board: &Board) -> Result<RawAnswer, Failure> {
    let answer = tables.probe(board)?.ok_or(Failure::NOT_FOUND)?;
    Ok(RawAnswer::new(answer, board.turn().bit()))
}

fn board_of_key(hi: u64, lo: u64) -> Result<Board, IllegalBoard> {
    Board::unkey(Key128(u128::from(hi) << 64 | u128::from(lo)))
}

/// Opens tables: files, or folders that stand for all `*.etb` in them, searched as one.
///
/// # Safety
/// `paths` is null or points to `count` pointers, each null or to a string that a zero byte ends;
/// `out` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_open(
    paths: *const *const c_char,
    count: usize,
    out: *mut *mut OpenTables,
) -> c_int {
    if !out.is_null() {
        // SAFETY: not null, and the caller says that it may be written to.
        unsafe { out.write_unaligned(std::ptr::null_mut()) };
    }
    let opened = at_the_border(|| {
        if out.is_null() {
            return Err(Failure::null("out"));
        }
        if count == 0 {
            return Err(Failure::input("no path to a table"));
        }
        // SAFETY: the caller says that there are so many pointers to strings.
        let paths = unsafe { array(paths, count, "paths") }?;
        let paths = paths.iter().map(|&path| {
            if path.is_null() {
                return Err(Failure::null("a path"));
            }
            // SAFETY: not null, so the caller says that a zero byte ends it.
            path_from(unsafe { CStr::from_ptr(path) })
        });
        let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
        Ok(Box::new(OpenTables(CollapsiTables::new(TableSet::open(&paths)?)?)))
    });
    match opened {
        Ok(tables) => {
            // SAFETY: null would have been an error, and the caller says that it may be written to.
            unsafe { out.write_unaligned(Box::into_raw(tables)) };
            Status::Ok as c_int
        }
        Err(status) => status as c_int,
    }
}

/// An array from C.
///
/// # Safety
/// `first` is null or points to `count` values that nobody changes while the result is in use.
unsafe fn array<'a, T>(first: *const T, count: usize, name: &str) -> Result<&'a [T], Failure> {
    if first.is_null() {
        return Err(Failure::null(name));
    }
    if !first.is_aligned()
        || count.checked_mul(size_of::<T>()).is_none_or(|n| n > isize::MAX as usize)
    {
        return Err(Failure::input(format!("{name} cannot be an array of {count}")));
    }
    // SAFETY: neither null nor misaligned, not longer than memory, and the caller says that the
    // values are there.
    Ok(unsafe { slice::from_raw_parts(first, count) })
}

/// On Unix a path is bytes.
#[cfg(unix)]
fn path_from(text: &CStr) -> Result<PathBuf, Failure> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(text.to_bytes()).into())
}

/// Elsewhere it must be UTF-8.
#[cfg(not(unix))]
fn path_from(text: &CStr) -> Result<PathBuf, Failure> {
    text.to_str().map(PathBuf::from).map_err(|_| Failure::input("a path is not UTF-8"))
}

/// Probes a position given as seven boards and the turn.
///
/// # Safety
/// `tables` is null or open; `boards` is null or points to seven numbers; `out` is null or may be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_probe(
    tables: *const OpenTables,
    boards: *const u16,
    turn: u16,
    out: *mut RawAnswer,
) -> c_int {
    let body = || {
        // SAFETY: the caller's word for both.
        let (tables, boards) = unsafe { (opened(tables)?, array(boards, 7, "boards")?) };
        let boards = <[u16; 7]>::try_from(boards).expect("an array of seven");
        probe(tables, &Board::from_raw(boards, turn)?)
    };
    // SAFETY: the caller's word for `out`.
    unsafe { answer_into(out, body) }
}

/// Probes a position given as its 128-bit key.
///
/// # Safety
/// `tables` is null or open; `out` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_probe_key(
    tables: *const OpenTables,
    hi: u64,
    lo: u64,
    out: *mut RawAnswer,
) -> c_int {
    let body = || {
        // SAFETY: the caller's word.
        let tables = unsafe { opened(tables) }?;
        probe(tables, &board_of_key(hi, lo)?)
    };
    // SAFETY: the caller's word for `out`.
    unsafe { answer_into(out, body) }
}

/// Looks a 64-bit folded key up as it stands in a table of folded keys.
///
/// # Safety
/// `tables` is null or open; `out` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_probe_folded(
    tables: *const OpenTables,
    key: u64,
    out: *mut RawAnswer,
) -> c_int {
    let body = || {
        // SAFETY: the caller's word.
        let tables = unsafe { opened(tables) }?;
        if !tables.codec().is_folded() {
            return Err(Failure::input("this table has 128-bit keys, not folded ones"));
        }
        let (answer, turn) = tables.probe_folded(Key64(key))?.ok_or(Failure::NOT_FOUND)?;
        Ok(RawAnswer::new(answer, turn))
    };
    // SAFETY: the caller's word for `out`.
    unsafe { answer_into(out, body) }
}

/// Probes many positions given as 128-bit keys, two numbers each; every block is read once.
///
/// # Safety
/// `tables` is null or open; `keys` is null or points to `2 * count` numbers; `answers` is null or
/// has room for `count` answers, and does not overlap the keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_probe_batch(
    tables: *const OpenTables,
    keys: *const u64,
    count: usize,
    answers: *mut RawAnswer,
) -> c_int {
    let done = at_the_border(|| {
        // SAFETY: the caller's word.
        let tables = unsafe { opened(tables) }?;
        if count == 0 {
            return Ok(Status::Ok);
        }
        // SAFETY: two numbers a key.
        let keys = unsafe { array(keys.cast::<[u64; 2]>(), count, "keys") }?;
        if answers.is_null() {
            return Err(Failure::null("answers"));
        }
        let found = probe_batch(tables, keys);
        // SAFETY: not null, bytes without alignment, room for `count` by the caller's word, and
        // as many were found as there were keys.
        unsafe { answers.copy_from_nonoverlapping(found.answers.as_ptr(), count) };
        found.worst.map_or(Ok(Status::Ok), Err)
    });
    match done {
        Ok(status) | Err(status) => status as c_int,
    }
}

/// What came of many questions.
struct Batch {
    answers: Vec<RawAnswer>,
    /// The first failure of the worst kind.
    worst: Option<Failure>,
}

impl Batch {
    fn fail(&mut self, number: usize, failure: Failure) {
        self.answers[number] = RawAnswer::without(failure.status);
        if self.worst.as_ref().is_none_or(|worst| worst.status < failure.status) {
            self.worst = Some(failure);
        }
    }
}

fn probe_batch(tables: &CollapsiTables, keys: &[[u64; 2]]) -> Batch {
    let mut batch =
        Batch { answers: vec![RawAnswer::without(Status::NotFound); keys.len()], worst: None };
    let mut numbers = Vec::with_capacity(keys.len());
    let mut boards = Vec::with_capacity(keys.len());
    for (number, &[hi, lo]) in keys.iter().enumerate() {
        match board_of_key(hi, lo) {
            Ok(board) => {
                numbers.push(number);
                boards.push(board);
            }
            Err(error) => batch.fail(number, error.into()),
        }
    }
    // A damaged block must not cost the answers of the others: then it is one by one.
    let found = tables.probe_many(&boards);
    for (at, (&number, board)) in numbers.iter().zip(&boards).enumerate() {
        let answer = match &found {
            Ok(answers) => Ok(answers[at]),
            Err(_) => tables.probe(board),
        };
        match answer {
            Ok(Some(answer)) => {
                batch.answers[number] = RawAnswer::new(answer, board.turn().bit());
            }
            Ok(None) => batch.fail(number, Failure::NOT_FOUND),
            Err(error) => batch.fail(number, error.into()),
        }
    }
    batch
}

/// How many records the tables have, all together; 0 for a null pointer.
///
/// # Safety
/// `tables` is null or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_records(tables: *const OpenTables) -> u64 {
    let records = at_the_border(|| {
        // SAFETY: the caller's word.
        let tables = unsafe { opened(tables) }?;
        Ok(tables.set().tables().iter().map(|table| table.len()).sum())
    });
    records.unwrap_or(0)
}

/// The joker rule of the tables: 0 one, 1 wild; -1 for a null pointer.
///
/// # Safety
/// `tables` is null or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_rules(tables: *const OpenTables) -> c_int {
    // SAFETY: the caller's word.
    let rules = at_the_border(|| Ok(unsafe { opened(tables) }?.rules()));
    rules.map_or(-1, |rules| rules as c_int)
}

/// Closes tables. A null pointer is none, and nothing is done.
///
/// # Safety
/// `tables` is null or open, nobody is using it, and nobody does afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_close(tables: *mut OpenTables) {
    _ = at_the_border(|| {
        if !tables.is_null() {
            // SAFETY: it comes from `Box::into_raw` in `endtable_open`, and is given up here.
            drop(unsafe { Box::from_raw(tables) });
        }
        Ok(())
    });
}

/// What the last call of this thread that failed had to say: never null, empty if none has. Valid
/// until the next call in this thread that fails.
#[unsafe(no_mangle)]
pub extern "C" fn endtable_last_error() -> *const c_char {
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// The library's version.
#[unsafe(no_mangle)]
pub extern "C" fn endtable_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version has no zero byte"),
        };
    VERSION.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_error() -> &'static str {
        // SAFETY: never null, and a zero byte ends it.
        unsafe { CStr::from_ptr(endtable_last_error()) }.to_str().unwrap()
    }

    #[test]
    fn no_panic_crosses_the_border() {
        let mut out = RawAnswer::without(Status::Ok);
        // SAFETY: `out` may be written to.
        let status = unsafe { answer_into(&mut out, || panic!("number {}", 7)) };
        assert_eq!((status, out), (3, RawAnswer::without(Status::Io)));
        assert_eq!(last_error(), "a fault in the library, please report it: number 7");
    }

    #[test]
    fn null_pointers_are_refused() {
        let mut tables = std::ptr::null_mut();
        let mut out = RawAnswer::without(Status::Ok);
        let (none, path) = (std::ptr::null::<OpenTables>(), std::ptr::null::<c_char>());
        // SAFETY: null is allowed everywhere.
        unsafe {
            assert_eq!(endtable_open(std::ptr::null(), 1, &mut tables), 2);
            assert_eq!(last_error(), "paths is a null pointer");
            assert_eq!(endtable_open(&path, 1, &mut tables), 2);
            assert_eq!(last_error(), "a path is a null pointer");
            assert_eq!(endtable_open(&path, usize::MAX, &mut tables), 2);
            assert_eq!(endtable_open(&path, 0, &mut tables), 2);
            assert_eq!(endtable_open(&path, 1, std::ptr::null_mut()), 2);
            assert_eq!(endtable_probe_key(none, 0, 0, &mut out), 2);
            assert_eq!(out, RawAnswer::without(Status::BadInput));
            assert_eq!(endtable_probe_key(none, 0, 0, std::ptr::null_mut()), 2);
            assert_eq!(last_error(), "out is a null pointer");
            assert_eq!(endtable_probe_folded(none, 0, &mut out), 2);
            assert_eq!(endtable_probe(none, std::ptr::null(), 0, &mut out), 2);
            assert_eq!(endtable_probe_batch(none, std::ptr::null(), 1, &mut out), 2);
            assert_eq!((endtable_records(none), endtable_rules(none)), (0, -1));
            endtable_close(std::ptr::null_mut());
        }
        assert!(tables.is_null());
    }
}
