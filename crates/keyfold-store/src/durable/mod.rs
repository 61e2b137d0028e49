//! The durable store: our log in front of the storage engine's log-structured merge tree.
//!
//! The commit queue hands over one merged batch at a time. It is appended to the log and synced,
//! put into the tree's memtable, and then made visible under its sequence number. Readers hold a
//! read point: they see the batches below it. Behind the writers, sealed memtables are flushed to
//! table files and table files are compacted.
//!
//! | file | holds |
//! |---|---|
//! | `lsm`, `view` | the storage engine, behind our own names, and what it holds at a moment |
//! | `manifest`, `scratch_copy`, `free_space` | its files: examined, repaired, copied, measured |
//! | `read_points`, `snapshot` | what readers see |
//! | `writer` | the state of the one writer |
//! | `shared`, `backoff` | the state of the threads behind the writers |
//! | `flush`, `compaction`, `major_compaction` | what these threads do |
//! | `maintenance` | their start, their end, and the writers that wait for them |
//! | `store` | opening, reading, writing |

mod backoff;
mod compaction;
mod failures;
mod flush;
mod free_space;
mod lsm;
mod maintenance;
mod major_compaction;
mod manifest;
mod read_points;
mod scratch_copy;
mod shared;
mod snapshot;
mod store;
mod view;
mod writer;

pub(crate) use snapshot::DurableSnapshot;
pub(crate) use store::DurableStore;
pub(crate) use view::Entry;
