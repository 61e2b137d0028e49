//! How a table is moved.

use std::time::Duration;

/// How a table is moved.
#[derive(Debug, Clone)]
pub struct Options {
    /// The table.
    pub table: String,
    /// The table of the target that keeps the rows of moves.
    pub rows: String,
    /// How many segments of the table are copied at once, when the move begins; it stays so.
    pub segments: u32,
    /// The most items of a page; without it, a page is a megabyte.
    pub page: Option<u32>,
    /// The most read units of the source a second, and the most write units of the target.
    pub rate: Option<u32>,
    /// Whether the run ends when the target is even with the source, as it was when the last segment was
    /// copied, or when the run began.
    pub until_even: bool,
    /// The longest that a write of the source takes until it is in the stream, and that a reader needs
    /// to pass a part of a shard without records. A shard whose pages were empty for so long has no
    /// record that is older.
    pub settle_time: Duration,
    /// The time between two looks whether the run has the move still. Without it a run does not look, and does
    /// not note what it has consumed.
    pub look_time: Option<Duration>,
    /// The time between two looks at a stream without records.
    pub poll_time: Duration,
    /// The time between two looks of a run at its tasks.
    pub step_time: Duration,
    /// Whether the run ends when few records of the stream are left.
    pub until_near: bool,
    /// Whether the run belongs to a switch, or comes before one: it does not look whether the other side refuses
    /// writes.
    pub is_turning: bool,
    /// The owner of the switch under way that the run belongs to: it takes that move, and no other.
    pub owner: Option<u64>,
}

impl Options {
    /// A move of a table in four segments.
    pub fn new(table: &str) -> Options {
        Options {
            table: table.to_owned(),
            rows: crate::rows::LEDGER.to_owned(),
            segments: 4,
            page: None,
            rate: None,
            until_even: false,
            settle_time: Duration::from_secs(10),
            look_time: Some(Duration::from_secs(1)),
            poll_time: Duration::from_millis(250),
            step_time: Duration::from_millis(100),
            until_near: false,
            is_turning: false,
            owner: None,
        }
    }
}
