//! The threads that work on what is large. A process that was forked has none of its parent's threads,
//! and would wait for them for ever: it gets a pool of its own.

use std::process;
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::failure::Failure;

/// The pool, with the process that it belongs to. Pools are few and live as long as their process.
static POOL: Mutex<Option<(u32, &'static ThreadPool)>> = Mutex::new(None);

/// Does something in the pool.
pub fn install<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    pool()?.install(work)
}

fn pool() -> Result<&'static ThreadPool, Failure> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((owner, pool)) = *pool
        && owner == process::id()
    {
        return Ok(pool);
    }
    let made = ThreadPoolBuilder::new().thread_name(|number| format!("endtable {number}")).build();
    let made = made.map_err(|error| Failure::internal(&error.to_string()))?;
    let made: &'static ThreadPool = Box::leak(Box::new(made));
    *pool = Some((process::id(), made));
    Ok(made)
}
