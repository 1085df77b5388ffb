//! Signals: how long work is asked to stop.

use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use super::Failure;

/// The exit code after a second Ctrl-C, which does not ask.
pub const INTERRUPTED: i32 = 130;

/// A flag that Ctrl-C, a polite kill and a closed terminal set. Any of them once more exits at once,
/// with [`INTERRUPTED`]. Those that were ignored from the beginning stay so: what `nohup` started
/// outlives its terminal.
pub fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let ignored = ignored();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored >> (signal - 1) & 1 == 0 {
            flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&stop))?;
            flag::register(signal, Arc::clone(&stop))?;
        }
    }
    Ok(stop)
}

/// The signals that are ignored, number n in bit n - 1; where the system does not tell, only SIGHUP,
/// which is the one that programs are made to ignore.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.unwrap_or(1 << (SIGHUP - 1))
}

/// Makes a file that may not grow further an error of the write, not the end of the program.
pub fn report_file_limits() -> Result<(), Failure> {
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

/// A flag as [`stop_flag`] gives it, which the same signals once more only set again: for what stops at
/// once by itself, and has the terminal to restore.
pub fn patient_stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let ignored = ignored();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored >> (signal - 1) & 1 == 0 {
            flag::register(signal, Arc::clone(&stop))?;
        }
    }
    Ok(stop)
}

/// How long a signal waits until somebody looks.
pub const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Does something that may take long and may not look at the flag in time. Once that is set, it is
/// given some time to end by itself, and is then left to itself: the program is about to end.
pub fn unless_stopped<T: Send + 'static>(
    stop: &AtomicBool,
    grace: Duration,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (sender, done) = channel();
    let worker = thread::spawn(move || _ = sender.send(work()));
    let mut asked: Option<Instant> = None;
    loop {
        match done.recv_timeout(LOOK_EVERY) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) if !stop.load(Ordering::Relaxed) => {}
            Err(RecvTimeoutError::Timeout) => {
                if asked.get_or_insert_with(Instant::now).elapsed() >= grace {
                    return Err(Failure::Stopped("stopped".into()));
                }
            }
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panicked) => panic::resume_unwind(panicked),
                Ok(()) => return Err(Failure::Check("the work ended without a result".into())),
            },
        }
    }
}
