//! What a worker does, for logs and figures.

use crate::gap::Gap;
use crate::lease::ShardKey;
use std::fmt;
use std::time::Duration;

/// Something that a worker has done or met.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Report {
    /// It handles a shard from now on.
    Taken(ShardKey),
    /// Another worker has taken a shard from it. What it was about to write of it is refused.
    Lost(ShardKey),
    /// It has given a shard back, because it stops.
    Released(ShardKey),
    /// All records of a shard are handled.
    Ended(ShardKey),
    /// Records were handled.
    Handled {
        /// The shard.
        shard: ShardKey,
        /// The number of records.
        records: usize,
        /// The time since the last of them was written, by the clocks of both machines.
        lag: Duration,
    },
    /// Records failed, and are tried again.
    Failed {
        /// The shard.
        shard: ShardKey,
        /// The number of records.
        records: usize,
        /// The cause.
        why: String,
    },
    /// A record failed each time, and was stored in the table of failures.
    SetAside {
        /// The shard.
        shard: ShardKey,
        /// The record's sequence number.
        number: String,
        /// The cause.
        why: String,
    },
    /// Records are missing.
    Gap(Gap),
    /// A request failed, and is tried again.
    Trouble(String),
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Report::Taken(key) => write!(f, "took {}", key.shard),
            Report::Lost(key) => write!(f, "lost {} to another worker", key.shard),
            Report::Released(key) => write!(f, "gave {} back", key.shard),
            Report::Ended(key) => write!(f, "{} has ended", key.shard),
            Report::Handled {
                shard,
                records,
                lag,
            } => {
                let shard = &shard.shard;
                write!(f, "handled {records} records of {shard}, {lag:?} behind")
            }
            Report::Failed {
                shard,
                records,
                why,
            } => {
                let shard = &shard.shard;
                write!(f, "{records} records of {shard} are tried again: {why}")
            }
            Report::SetAside { shard, number, why } => {
                let shard = &shard.shard;
                write!(f, "set record {number} of {shard} aside: {why}")
            }
            Report::Gap(gap) => write!(f, "{gap}"),
            Report::Trouble(why) => f.write_str(why),
        }
    }
}
