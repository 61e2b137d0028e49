//! An ordered byte store with atomic batches, consistent snapshots and durability.
//!
//! - [`Store`]: the one handle. Reads go through a [`Snapshot`]; writes are [`Batch`]es handed to a
//!   commit queue, which merges the waiting ones into one synced write (group commit).
//! - [`Ticket`]: a write on its way; waited for, or awaited.
//!
//! ```text
//! writer ── lock(keys) ─ latest(key) ─ stage(batch) ─┐ (unlock)      wait
//! writer ── lock(keys) ─ latest(key) ─ stage(batch) ─┤                 │
//!                                                    ▼                 ▼
//!                                     pending group ──> one batch, one sync ──> tickets done, visible
//! ```
//!
//! A staged write is seen by [`Store::latest`] at once, by snapshots only when it is durable: what
//! a reader has seen survives a crash. No lock is held across a sync. The store is synchronous and
//! knows nothing of tables; which storage engine keeps the bytes is known to `durable` alone.
//! Changes go to a log first (`log`), so that a sync costs one write, and a reopening replays
//! little.

mod batch;
mod checkpoint;
mod commit_queue;
mod durable;
mod error;
mod folder;
mod log;
mod memory;
mod metrics;
mod snapshot;
mod store;
mod ticket;

pub use batch::{Batch, Mark, SEQUENCE_KEY};
pub use error::StoreError;
pub use log::{LogFile, LogFiles, LogFolder};
pub use metrics::StoreCounts;
pub use snapshot::{Direction, Snapshot};
pub use store::{Durability, FolderOptions, KeyLocks, Store, StoreOptions};
pub use ticket::Ticket;
