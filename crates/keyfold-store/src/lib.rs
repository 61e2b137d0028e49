//! An ordered byte store with atomic batches, consistent snapshots and durability.
//!
//! - [`Store`]: the one handle. Reads go through a [`Snapshot`]; writes are [`Batch`]es handed to a
//!   commit queue, which merges the waiting ones into one synced write (group commit).
//! - [`Ticket`]: a staged write, to be waited for or awaited.
//!
//! ```text
//! writer ── lock(keys) ─ latest(key) ─ stage(batch) ─┐ (unlock)      wait
//! writer ── lock(keys) ─ latest(key) ─ stage(batch) ─┤                 │
//!                                                    ▼                 ▼
//!                                     pending group ──> one batch, one sync ──> tickets done, visible
//! ```
//!
//! A staged write is visible to [`Store::latest`] at once, and to snapshots when it is durable: what
//! a reader has seen survives a crash. No lock is held across a sync. The store is synchronous and
//! knows nothing of DynamoDB's tables. Only `durable::lsm` knows the storage engine that keeps the
//! bytes. Changes go to a log first (`log`), so that a sync costs one write, and a reopening replays
//! little.

mod batch;
mod checkpoint;
mod commit_queue;
mod durability;
mod durable;
mod error;
mod folder;
mod fsync;
mod log;
mod memory;
mod metrics;
mod options;
mod snapshot;
mod store;
mod ticket;

pub use batch::{Batch, SEQUENCE_KEY, Savepoint};
pub use durability::Durability;
pub use error::StoreError;
pub use log::{LogFile, LogFiles};
pub use metrics::{MaintenanceCounts, StoreCounts, Work};
pub use options::{FolderOptions, MEMORY_BUDGET, StoreOptions};
pub use snapshot::{Direction, Snapshot};
pub use store::{KeyLocks, Store};
pub use ticket::Ticket;
