//! The write-ahead log: acknowledged changes that are in no table file yet.
//!
//! A log is a sequence of segments with ascending ids. Changes are appended to the newest one. When
//! the storage engine begins a memtable, the log begins a segment; once the memtable is flushed,
//! the segments before are retired. So a reopening replays little, however much is stored.
//!
//! The log is our own because the storage engine's trees come without one. The one made for them
//! keeps up to 64 MB, which takes too long to replay, allocates without writing ahead, and refuses
//! to open when its tail is torn.

mod files;
mod record;
mod recovery;
mod writer;

pub(crate) use files::LogFolder;
pub use files::{LogFile, LogFiles};
pub(crate) use record::Change;
pub(crate) use recovery::Recovered;
pub(crate) use writer::Log;

#[cfg(test)]
mod tests;
