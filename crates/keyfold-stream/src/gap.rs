//! Records that are missing, and what a program decides about them.

use crate::lease::ShardKey;
use crate::position::Position;

/// A position that the stream has no more: records behind it were trimmed before they were handled,
/// or may have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The shard.
    pub shard: ShardKey,
    /// Up to where its records were handled.
    pub handled: Position,
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
