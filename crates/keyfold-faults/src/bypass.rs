//! Calls of this crate itself, which are not intercepted.

use std::cell::Cell;

thread_local! {
    /// Whether this thread's calls are this crate's own.
    static IS_BYPASSED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, whose calls are neither counted nor failed.
pub(crate) fn bypass<T>(work: impl FnOnce() -> T) -> T {
    let before = IS_BYPASSED.replace(true);
    let done = work();
    IS_BYPASSED.set(before);
    done
}

/// Whether this thread's calls are neither counted nor failed.
pub(crate) fn is_bypassed() -> bool {
    IS_BYPASSED.get()
}
