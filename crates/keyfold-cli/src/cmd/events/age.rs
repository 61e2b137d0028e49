//! Ages in words.

/// An age in words: the largest unit of which there are two.
pub(super) fn aged(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3_600),
    }
}
