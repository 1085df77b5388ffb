//! Signals: how long work is asked to stop.

use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::Failure;

/// What asks to stop: Ctrl-C, a polite kill, a terminal that is closed.
const STOPPING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// A flag that a signal sets which asks to stop; a second one does not ask, and exits with 130.
pub fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in STOPPING {
        flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// The same, with which a second signal asks again: for work that stops at once, and has the
/// terminal to restore.
pub fn patient_stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    STOPPING
        .into_iter()
        .try_for_each(|signal| flag::register(signal, Arc::clone(&stop)).map(drop))?;
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

/// Makes a file that may not grow further an error of the write, not the end of the program.
pub fn report_file_limits() -> Result<(), Failure> {
    use signal_hook::consts::SIGXFSZ;
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}
