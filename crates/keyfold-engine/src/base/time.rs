//! Lengths of time, and moments as text.

use jiff::Timestamp;

/// Milliseconds of a day.
pub(crate) const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// A moment in UTC, in a form of `strftime`.
pub(crate) fn utc_text(epoch_ms: u64, form: &str) -> String {
    let moment = i64::try_from(epoch_ms)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok());
    moment.unwrap_or_default().strftime(form).to_string()
}
