//! The C library: every game and every kind of table for every language that can call C.
//! `include/endtable.h` is the header, written by hand; what is promised to callers stands there.
//!
//! - [`border`]: pointers and panics;
//! - [`raw`]: the structs of the header;
//! - [`options`]: options from a text;
//! - [`handle`]: what a handle answers from, in safe Rust.
//!
//! Nothing here names a game: all go through the traits of [`endtable::games`].

#![expect(unsafe_code, reason = "C passes pointers")]

mod border;
mod handle;
mod options;
mod raw;

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::PathBuf;
use std::ptr;
use std::sync::LazyLock;

use endtable::games::{self, Answer, Detail, Position};

use border::{
    Failure, Place, Room, c_text, caught, last_error, optional_text, path, shared, status_of, text,
    texts,
};
use handle::Handle;
use raw::{RawAnswer, RawInfo, RawMove, RawPosition};

/// Opens tables.
///
/// # Safety
/// `paths` is null or points to `count` pointers, each null or to a text that a NUL ends, as does
/// `options`; `out` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_open(
    paths: *const *const c_char,
    count: usize,
    options: *const c_char,
    out: *mut *mut Handle,
) -> c_int {
    status_of(|| {
        // SAFETY: the caller's word.
        let out = unsafe { Place::new(out, "out", ptr::null_mut()) }?;
        // SAFETY: the caller's word for both.
        let (paths, options) =
            unsafe { (texts(paths, count, "paths")?, optional_text(options, "options")?) };
        // SAFETY: the caller's word for each path.
        let paths = paths.iter().map(|&text| unsafe { path(text) });
        let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
        out.put(Box::into_raw(Box::new(Handle::open(&paths, options.unwrap_or_default())?)));
        Ok(())
    })
}

/// Makes a solver of a game.
///
/// # Safety
/// `game` and `options` are null or point to texts that a NUL ends; `out` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_open_solver(
    game: *const c_char,
    options: *const c_char,
    out: *mut *mut Handle,
) -> c_int {
    status_of(|| {
        // SAFETY: the caller's word.
        let out = unsafe { Place::new(out, "out", ptr::null_mut()) }?;
        // SAFETY: the caller's word for both.
        let (game, options) = unsafe { (text(game, "game")?, optional_text(options, "options")?) };
        out.put(Box::into_raw(Box::new(Handle::solver(game, options.unwrap_or_default())?)));
        Ok(())
    })
}

/// Closes a handle; null is none.
///
/// # Safety
/// `handle` is null or open, nobody is using it, and nobody does afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_close(handle: *mut Handle) {
    status_of(|| {
        if !handle.is_null() {
            // SAFETY: it comes from `Box::into_raw`, and the caller gives it up.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    });
}

/// Says what a handle answers from.
///
/// # Safety
/// `handle` is null or open; `info` is null or has its size set and may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_info(handle: *const Handle, info: *mut RawInfo) -> c_int {
    status_of(|| {
        // SAFETY: the caller's word for both.
        let (handle, info) = unsafe { (shared(handle, "handle")?, Room::new(info, "info")?) };
        let contents = handle.contents();
        let raw = RawInfo {
            size: 0,
            files: contents.as_ref().map_or(0, |contents| contents.files),
            records: contents.as_ref().map_or(0, |contents| contents.records),
            game: handle.name.as_ptr(),
            rules: handle.rules.as_ptr(),
        };
        // SAFETY: there is room for one, by the caller's word.
        unsafe { info.put(0, raw) };
        Ok(())
    })
}

/// Says what the answers of tables look like together.
///
/// # Safety
/// `handle` is null or open; `text` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_statistics(
    handle: *const Handle,
    text: *mut *const c_char,
) -> c_int {
    status_of(|| {
        // SAFETY: the caller's word for both.
        let (text, handle) =
            unsafe { (Place::new(text, "text", ptr::null())?, shared(handle, "handle")?) };
        text.put(handle.statistics()?.as_ptr());
        Ok(())
    })
}

/// Answers a position.
///
/// # Safety
/// `handle` is null or open; `position` is null or points to a text that a NUL ends; `answer` is null
/// or has its size set and may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_probe(
    handle: *const Handle,
    position: *const c_char,
    answer: *mut RawAnswer,
) -> c_int {
    status_of(|| {
        // SAFETY: the caller's word.
        let room = unsafe { Room::new(answer, "answer") }?;
        // SAFETY: the caller's word for both.
        let asked = caught(|| unsafe { ask(shared(handle, "handle")?, position, Detail::Best) });
        let (raw, failure) = raw_answer(asked.map(|asked| asked.0));
        // SAFETY: there is room for one, by the caller's word.
        unsafe { room.put(0, raw) };
        failure.map_or(Ok(()), Err)
    })
}

/// Answers a position and all its moves.
///
/// # Safety
/// As of [`endtable_probe`]; `moves` is null or, unless `capacity` is 0, its first size is set and
/// `capacity` of such a size may be written there; `count` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_probe_moves(
    handle: *const Handle,
    position: *const c_char,
    answer: *mut RawAnswer,
    moves: *mut RawMove,
    capacity: usize,
    count: *mut usize,
) -> c_int {
    status_of(|| {
        // SAFETY: the caller's word.
        let room = unsafe { Room::new(answer, "answer") }?;
        let asked = caught(|| {
            // SAFETY: the caller's word.
            let count = unsafe { Place::new(count, "count", 0) }?;
            let place = match capacity {
                0 => None,
                // SAFETY: the caller's word.
                _ => Some(unsafe { Room::new(moves, "moves") }?),
            };
            // SAFETY: the caller's word for both.
            let (raw, answer) = unsafe { ask(shared(handle, "handle")?, position, Detail::Moves) }?;
            let raws = answer.moves.iter().map(|mv| RawMove::new(mv, &answer));
            let raws = raws.collect::<Result<Vec<_>, _>>()?;
            count.put(raws.len());
            if let Some(place) = place {
                for (number, raw) in raws.into_iter().enumerate().take(capacity) {
                    // SAFETY: there is room for `capacity`, by the caller's word.
                    unsafe { place.put(number, raw) };
                }
            }
            Ok(raw)
        });
        let (raw, failure) = raw_answer(asked);
        // SAFETY: there is room for one, by the caller's word.
        unsafe { room.put(0, raw) };
        failure.map_or(Ok(()), Err)
    })
}

/// Answers many positions.
///
/// # Safety
/// `handle` is null or open; `positions` is null or points to `count` pointers, each null or to a text
/// that a NUL ends; `answers` is null, or its first size is set and `count` of such a size may be
/// written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_probe_batch(
    handle: *const Handle,
    positions: *const *const c_char,
    count: usize,
    answers: *mut RawAnswer,
) -> c_int {
    status_of(|| {
        // SAFETY: the caller's word.
        let handle = unsafe { shared(handle, "handle") }?;
        if count == 0 {
            return Ok(());
        }
        // SAFETY: the caller's word for both.
        let (positions, answers) =
            unsafe { (texts(positions, count, "positions")?, Room::new(answers, "answers")?) };
        // SAFETY: the caller's word.
        let read =
            |&position: &*const c_char| handle.position(unsafe { text(position, "position") }?);
        let parsed: Vec<Result<Box<dyn Position>, Failure>> =
            positions.iter().map(|position| caught(|| read(position))).collect();
        let asked: Vec<&dyn Position> = parsed.iter().flatten().map(|it| &**it).collect();
        let mut found = caught(|| Ok(handle.answer_many(&asked, Detail::Best)))?.into_iter();
        let mut worst: Option<Failure> = None;
        for (number, position) in parsed.into_iter().enumerate() {
            let answer = position.and_then(|position| match found.next() {
                Some(answer) => RawAnswer::new(&*position, &answer?),
                None => Err(Failure::input("no answer")),
            });
            let (raw, failure) = raw_answer(answer);
            // SAFETY: there is room for `count`, by the caller's word.
            unsafe { answers.put(number, raw) };
            let worse = |worst: &Failure, failure: &Failure| worst.status < failure.status;
            if let Some(failure) = failure
                && worst.as_ref().is_none_or(|worst| worse(worst, &failure))
            {
                worst = Some(failure.about(format_args!("position {number}")));
            }
        }
        worst.map_or(Ok(()), Err)
    })
}

/// The answer to a position, as C has it and as Rust has it.
///
/// # Safety
/// `position` is null or points to a text that a NUL ends.
unsafe fn ask(
    handle: &Handle,
    position: *const c_char,
    detail: Detail,
) -> Result<(RawAnswer, Answer), Failure> {
    // SAFETY: the caller's word.
    let position = handle.position(unsafe { text(position, "position") }?)?;
    let answer = handle.answer(&*position, detail)?;
    Ok((RawAnswer::new(&*position, &answer)?, answer))
}

/// What is written for an answer, or for a failure, which is given back.
fn raw_answer(asked: Result<RawAnswer, Failure>) -> (RawAnswer, Option<Failure>) {
    match asked {
        Ok(answer) => (answer, None),
        Err(failure) => (RawAnswer::without(failure.status), Some(failure)),
    }
}

/// Says what a position is.
///
/// # Safety
/// `handle` is null or open; `position` is null or points to a text that a NUL ends; `out` is null or
/// has its size set and may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn endtable_position(
    handle: *const Handle,
    position: *const c_char,
    out: *mut RawPosition,
) -> c_int {
    status_of(|| {
        // SAFETY: the caller's word for all three.
        let (handle, position, out) = unsafe {
            (shared(handle, "handle")?, text(position, "position")?, Room::new(out, "out")?)
        };
        let raw = RawPosition::new(&*handle.position(position)?)?;
        // SAFETY: there is room for one, by the caller's word.
        unsafe { out.put(0, raw) };
        Ok(())
    })
}

/// The name of a game, by number; null behind the last one.
#[unsafe(no_mangle)]
pub extern "C" fn endtable_game(number: usize) -> *const c_char {
    static NAMES: LazyLock<Vec<CString>> =
        LazyLock::new(|| games::ALL.iter().map(|game| c_text(game.name())).collect());
    NAMES.get(number).map_or(ptr::null(), |name| name.as_ptr())
}

/// What the last call of this thread that failed had to say.
#[unsafe(no_mangle)]
pub extern "C" fn endtable_last_error() -> *const c_char {
    last_error()
}

/// The library's version.
#[unsafe(no_mangle)]
pub extern "C" fn endtable_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version has no NUL"),
        };
    VERSION.as_ptr()
}

/// The version of the interface, which is the header's.
#[unsafe(no_mangle)]
pub extern "C" fn endtable_abi() -> c_int {
    const ABI: c_int = match c_int::from_str_radix(env!("ENDTABLE_ABI"), 10) {
        Ok(abi) => abi,
        Err(_) => panic!("the header's number is one"),
    };
    ABI
}
