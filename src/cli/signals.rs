//! Signals: how long work is asked to stop.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Failure;

/// A flag that Ctrl-C and a polite kill set; a second Ctrl-C does not ask, and exits with
/// 130.
pub fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// Makes a file that may not grow further an error of the write, not the end of the program.
pub fn report_file_limits() -> Result<(), Failure> {
    use signal_hook::consts::SIGXFSZ;
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}
