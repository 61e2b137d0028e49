//! Records that are missing, and what a program decides about them.

use crate::lease::ShardKey;
use crate::position::Position;
use std::fmt;

/// A position that the stream has no more: records behind it were trimmed before they were handled,
/// or may have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The ARN of the stream.
    pub stream: String,
    /// The shard; `None` when the stream was gone before its shards were known.
    pub shard: Option<String>,
    /// Up to where its records were handled.
    pub handled: Position,
}

impl Gap {
    pub(crate) fn of(key: &ShardKey, handled: &Position) -> Gap {
        Gap {
            stream: key.stream.clone(),
            shard: Some(key.shard.clone()),
            handled: handled.clone(),
        }
    }

    /// A stream of which nothing was read.
    pub(crate) fn of_stream(stream: &str) -> Gap {
        Gap {
            stream: stream.to_owned(),
            shard: None,
            handled: Position::Horizon,
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shard {
            Some(shard) => write!(f, "records of {shard} behind {} are missing", self.handled),
            None => write!(
                f,
                "records of {} are missing: it was gone before its shards were known",
                self.stream
            ),
        }
    }
}

/// What happens at a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtGap {
    /// The worker stops with an error. What was missed can be made up for before it starts again.
    Stop,
    /// The worker goes on with the oldest record that the stream still has: the program has decided
    /// that the gap does no harm, or has made up for it.
    GoOn,
}
