//! Things that are lent to one thread at a time.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// The things that nobody has.
pub(super) type Pool<T> = Mutex<Vec<T>>;

/// A thing on loan: it goes back to its pool in the end.
pub(super) struct Lent<'a, T> {
    pool: &'a Pool<T>,
    thing: Option<T>,
}

impl<'a, T> Lent<'a, T> {
    /// Borrows from a pool, or makes a new one.
    pub fn new(pool: &'a Pool<T>, new: impl FnOnce() -> T) -> Self {
        let thing = pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self { pool, thing: Some(thing.unwrap_or_else(new)) }
    }
}

impl<T> Deref for Lent<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.thing.as_ref().expect("there until dropped")
    }
}

impl<T> DerefMut for Lent<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.thing.as_mut().expect("there until dropped")
    }
}

impl<T> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).extend(self.thing.take());
    }
}
