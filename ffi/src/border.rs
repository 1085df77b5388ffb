//! The border between C and Rust: what comes in is checked, what goes out fits, no panic crosses.
//!
//! Null pointers are refused, and nothing that comes in or goes out has to be aligned but arrays of
//! pointers, which are refused if they are not. What cannot be checked, that a pointer that is not null
//! points to what the header says, is the caller's part of the contract and stands under `# Safety`.

#![expect(unsafe_code, reason = "C passes pointers")]

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::{ptr, slice};

use endtable::games::GameError;
use endtable::job::JobError;
use endtable::table::TableError;

#[cfg(panic = "abort")]
compile_error!("the C library promises that no panic ends the process: build it with panic=unwind");

/// `enum endtable_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i32)]
pub enum Status {
    Ok = 0,
    Absent = 1,
    BadInput = 2,
    Io = 3,
    Internal = 4,
}

/// Why a call failed: its status, and a sentence for people.
#[derive(Clone, Debug)]
pub struct Failure {
    pub status: Status,
    pub message: Cow<'static, str>,
}

impl Failure {
    /// A position that none of the tables has.
    pub const ABSENT: Self = Self {
        status: Status::Absent,
        message: Cow::Borrowed("the position is not in the tables"),
    };

    /// What was handed over makes no sense, and why.
    pub fn input(message: impl Into<String>) -> Self {
        Self { status: Status::BadInput, message: message.into().into() }
    }

    /// A fault in the library.
    pub fn internal(message: &str) -> Self {
        let message = format!("a fault in the library, please report it: {message}");
        Self { status: Status::Internal, message: message.into() }
    }

    fn null(name: &str) -> Self {
        Self::input(format!("{name} is a null pointer"))
    }

    /// The same about something that was given, before its message.
    #[must_use]
    pub fn about(self, what: impl std::fmt::Display) -> Self {
        Self { message: format!("{what}: {}", self.message).into(), ..self }
    }
}

impl From<GameError> for Failure {
    fn from(error: GameError) -> Self {
        let status = match &error {
            GameError::NotFound(_) => Status::Absent,
            GameError::Table(error) | GameError::Job(JobError::Table(error)) => table_status(error),
            GameError::UnknownGame { .. } | GameError::Wrong(_) | GameError::Job(_) => Status::Io,
            GameError::Stopped => Status::Internal,
            _ => Status::BadInput,
        };
        Self { status, message: error.to_string().into() }
    }
}

fn table_status(error: &TableError) -> Status {
    match error {
        TableError::NotAFile { .. }
        | TableError::OtherRecipe { .. }
        | TableError::OtherGame { .. }
        | TableError::Mixed { .. } => Status::BadInput,
        _ => Status::Io,
    }
}

thread_local! {
    /// What went wrong last in this thread.
    static LAST_ERROR: RefCell<Cow<'static, CStr>> = const { RefCell::new(Cow::Borrowed(c"")) };
}

/// What the last failure in this thread had to say.
pub fn last_error() -> *const c_char {
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Keeps the message of a failure and gives its status.
fn failed(failure: &Failure) -> Status {
    // In a thread that is just ending there is nowhere to keep it, and nobody to ask.
    _ = LAST_ERROR.try_with(|last| last.replace(Cow::Owned(c_text(&failure.message))));
    failure.status
}

/// A text for C. Where a text has a NUL, which only names of files could, there is a `?`.
pub fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "?")).unwrap_or_default()
}

/// Does something that may panic, which is a failure then.
///
/// Asserting unwind safety is right: a handle has no state that a panic could leave half changed but
/// caches whose locks see to themselves, and solvers, of which one that panicked is not used again.
pub fn caught<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Failure::internal(text.unwrap_or("no message")))
    })
}

/// The body of a C function: no panic leaves it, and its failure is kept for `endtable_last_error`.
pub fn status_of(body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    let status = match caught(body) {
        Ok(()) => Status::Ok,
        Err(failure) => failed(&failure),
    };
    status as c_int
}

/// A text from C that must not be null. What is not UTF-8 is refused.
///
/// # Safety
/// `text` is null or points to bytes that a NUL ends and that nobody changes during `'a`.
pub unsafe fn text<'a>(text: *const c_char, name: &str) -> Result<&'a str, Failure> {
    // SAFETY: the caller's word.
    let text = unsafe { optional_text(text, name) }?;
    text.ok_or_else(|| Failure::null(name))
}

/// A text from C that may be null.
///
/// # Safety
/// As of [`text`].
pub unsafe fn optional_text<'a>(
    text: *const c_char,
    name: &str,
) -> Result<Option<&'a str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not null, so a NUL ends it, by the caller's word.
    let text = unsafe { CStr::from_ptr(text) }.to_str();
    text.map(Some).map_err(|_| Failure::input(format!("{name} is not UTF-8")))
}

/// A path from C.
///
/// # Safety
/// As of [`text`].
pub unsafe fn path(path: *const c_char) -> Result<PathBuf, Failure> {
    if path.is_null() {
        return Err(Failure::null("a path"));
    }
    // SAFETY: not null, so a NUL ends it, by the caller's word.
    path_of(unsafe { CStr::from_ptr(path) })
}

/// On Unix a path is bytes.
#[cfg(unix)]
fn path_of(text: &CStr) -> Result<PathBuf, Failure> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(text.to_bytes()).into())
}

/// Elsewhere it is UTF-8.
#[cfg(not(unix))]
fn path_of(text: &CStr) -> Result<PathBuf, Failure> {
    text.to_str().map(PathBuf::from).map_err(|_| Failure::input("a path is not UTF-8"))
}

/// An array of texts from C.
///
/// # Safety
/// `first` is null or points to `count` pointers that nobody changes during `'a`.
pub unsafe fn texts<'a>(
    first: *const *const c_char,
    count: usize,
    name: &str,
) -> Result<&'a [*const c_char], Failure> {
    if first.is_null() {
        return Err(Failure::null(name));
    }
    let fits =
        count.checked_mul(size_of::<*const c_char>()).is_some_and(|n| n <= isize::MAX as usize);
    if !fits || !first.is_aligned() {
        return Err(Failure::input(format!("{name} cannot be an array of {count}")));
    }
    // SAFETY: neither null nor misaligned, no longer than memory, and the pointers are there by the
    // caller's word.
    Ok(unsafe { slice::from_raw_parts(first, count) })
}

/// Something that C hands over a pointer to, or none.
///
/// # Safety
/// `pointer` is null or points to a `T` that nobody changes or drops during `'a`.
pub unsafe fn shared<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller's word.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::null(name))
}

/// A place of the caller's for one value.
pub struct Place<T>(*mut T);

impl<T> Place<T> {
    /// Writes the first value there. Null is refused.
    ///
    /// # Safety
    /// `place` is null or may be written to as long as the result is in use.
    pub unsafe fn new(place: *mut T, name: &str, first: T) -> Result<Self, Failure> {
        if place.is_null() {
            return Err(Failure::null(name));
        }
        let place = Self(place);
        place.put(first);
        Ok(place)
    }

    /// Writes a value there.
    pub fn put(&self, value: T) {
        // SAFETY: not null, and it may be written to: the word of whoever called `new`.
        unsafe { self.0.write_unaligned(value) };
    }
}

/// A struct that begins with its size and may grow: `size` is its first member.
///
/// # Safety
/// The type is `repr(C)`, and its first member is a `usize`, which `size` refers to.
pub unsafe trait Grows: Copy {
    /// What the header calls it.
    const NAME: &'static str;

    /// The first member.
    fn size(&mut self) -> &mut usize;
}

/// The caller's array of structs that may grow, each as large as the caller knows it.
pub struct Room<T> {
    first: *mut u8,
    /// The bytes of each.
    size: usize,
    kind: PhantomData<T>,
}

impl<T: Grows> Room<T> {
    /// Sizes that are believed. What is outside was not set by a program that knows of it.
    const SIZES: std::ops::RangeInclusive<usize> = 16..=1 << 16;

    /// Takes an array by its first struct, whose size is set. Null is refused.
    ///
    /// # Safety
    /// `first` is null, or its size can be read, and if it is one of the [`Self::SIZES`], then so many
    /// bytes may be written there, and for all other numbers at which something is put behind it, as
    /// long as the result is in use.
    pub unsafe fn new(first: *mut T, name: &str) -> Result<Self, Failure> {
        if first.is_null() {
            return Err(Failure::null(name));
        }
        // SAFETY: not null; the size is the first member and can be read, by the caller's word.
        let size = unsafe { first.cast::<usize>().read_unaligned() };
        if !Self::SIZES.contains(&size) {
            let kind = T::NAME;
            return Err(Failure::input(format!(
                "{name}: its size is {size}; set it to sizeof({kind}) before the call"
            )));
        }
        Ok(Self { first: first.cast(), size, kind: PhantomData })
    }

    /// Writes a struct, as much of it as the caller knows, and zeros where the caller knows more.
    ///
    /// # Safety
    /// The array has room for the one with this number.
    pub unsafe fn put(&self, number: usize, mut value: T) {
        *value.size() = self.size;
        let known = self.size.min(size_of::<T>());
        // SAFETY: by the caller's word the struct with this number is in the array; `known` bytes are
        // within both, and with the zeros it is the whole of the caller's. Bytes have no alignment.
        unsafe {
            let place = self.first.add(number * self.size);
            ptr::copy_nonoverlapping(ptr::from_ref(&value).cast(), place, known);
            place.add(known).write_bytes(0, self.size - known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> &'static str {
        // SAFETY: never null, and a NUL ends it; no other call of this thread comes before it is used.
        unsafe { CStr::from_ptr(last_error()) }.to_str().unwrap()
    }

    #[test]
    fn no_panic_crosses_the_border() {
        assert_eq!(status_of(|| panic!("number {}", 7)), Status::Internal as c_int);
        assert_eq!(message(), "a fault in the library, please report it: number 7");
        assert_eq!(status_of(|| panic!("words")), Status::Internal as c_int);
        assert_eq!(message(), "a fault in the library, please report it: words");
        assert_eq!(status_of(|| std::panic::panic_any(7)), Status::Internal as c_int);
        assert_eq!(message(), "a fault in the library, please report it: no message");
    }

    #[test]
    fn messages_are_each_threads_own() {
        status_of(|| Err(Failure::input("one\0two")));
        std::thread::spawn(|| assert_eq!(message(), "")).join().unwrap();
        assert_eq!(message(), "one?two");
        status_of(|| Ok(()));
        assert_eq!(message(), "one?two");
    }

    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Grown {
        size: usize,
        old: [u32; 2],
        new: u64,
    }

    // SAFETY: `repr(C)`, and the size comes first.
    unsafe impl Grows for Grown {
        const NAME: &'static str = "grown_t";

        fn size(&mut self) -> &mut usize {
            &mut self.size
        }
    }

    const GROWN: Grown = Grown { size: 0, old: [1, 2], new: 3 };

    /// Two structs of a size in words, and a word behind them that must stay.
    fn put_two(words: usize) -> Vec<u64> {
        let mut array = vec![u64::MAX; 2 * words + 1];
        array[0] = 8 * words as u64;
        // SAFETY: there is room for two of this size.
        unsafe {
            let room = Room::<Grown>::new(array.as_mut_ptr().cast(), "array").unwrap();
            room.put(0, GROWN);
            room.put(1, GROWN);
        }
        array
    }

    #[test]
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    fn a_caller_who_knows_less_or_more_gets_no_more_than_it_has_room_for() {
        let (old, end) = (1 | 2 << 32, u64::MAX);
        assert_eq!(put_two(2), [16, old, 16, old, end]);
        assert_eq!(put_two(3), [24, old, 3, 24, old, 3, end]);
        assert_eq!(put_two(5), [40, old, 3, 0, 0, 40, old, 3, 0, 0, end]);
    }

    #[test]
    fn a_size_that_was_not_set_is_refused() {
        for size in [0, 8, 15, (1 << 16) + 1, usize::MAX] {
            let mut grown = Grown { size, ..GROWN };
            // SAFETY: the size can be read, and nothing is written.
            let refused = unsafe { Room::new(&mut grown, "it") }.err().unwrap();
            let expected =
                format!("it: its size is {size}; set it to sizeof(grown_t) before the call");
            assert_eq!((refused.status, &*refused.message), (Status::BadInput, &*expected));
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        // SAFETY: null, or bytes that a NUL ends.
        unsafe {
            let failure = text(ptr::null(), "it").unwrap_err();
            assert_eq!(failure.message, "it is a null pointer");
            assert_eq!(text(c"\xff".as_ptr(), "it").unwrap_err().message, "it is not UTF-8");
            assert_eq!(text(c"\xc3\xa9".as_ptr(), "it").unwrap(), "\u{e9}");
            assert_eq!(optional_text(ptr::null(), "it").unwrap(), None);
            assert!(texts(ptr::null(), 1, "they").is_err());
            let pointer = ptr::null::<c_char>();
            assert!(texts(&pointer, usize::MAX, "they").is_err());
            assert!(texts(ptr::from_ref(&pointer).wrapping_byte_add(1), 1, "they").is_err());
        }
    }
}
