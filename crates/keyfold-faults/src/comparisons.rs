//! The C library's comparison of bytes, which the comparison of two texts or keys of one length calls.
//! A test counts them to see how work grows with its input, without a clock.

#![allow(
    clippy::missing_safety_doc,
    reason = "each is the C library's call of that name, with its contract"
)]

use libc::{c_int, c_void, size_t};
use std::cell::Cell;

thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
}

/// The comparisons of bytes that this thread makes in `work`, and the result of the work.
pub fn comparisons_of<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = MADE.get();
    let result = work();
    (MADE.get() - before, result)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(one: *const c_void, other: *const c_void, count: size_t) -> c_int {
    MADE.set(MADE.get() + 1);
    let (one, other) = (one.cast::<u8>(), other.cast::<u8>());
    for at in 0..count {
        // SAFETY: both places have `count` bytes, as the caller promises.
        let (one, other) = unsafe { (*one.add(at), *other.add(at)) };
        if one != other {
            return c_int::from(one) - c_int::from(other);
        }
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(one: *const c_void, other: *const c_void, count: size_t) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { memcmp(one, other, count) }
}
