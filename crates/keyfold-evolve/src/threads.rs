//! Parts of a task, each on a thread of its own.

use crate::hands::Stop;
use std::sync::{Mutex, PoisonError};

/// Carries out each of so many parts; a single one on this thread.
pub(crate) fn each(parts: u32, carry: impl Fn(u32) -> Result<(), Stop> + Sync) -> Result<(), Stop> {
    if parts <= 1 {
        return carry(0);
    }
    let first: Mutex<Option<Stop>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for part in 0..parts {
            let (first, carry) = (&first, &carry);
            scope.spawn(move || {
                if let Err(stop) = carry(part) {
                    let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                    first.get_or_insert(stop);
                }
            });
        }
    });
    match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        None => Ok(()),
        Some(stop) => Err(stop),
    }
}
