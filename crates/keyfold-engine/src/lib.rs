//! Tables, items, indexes and transactions over an ordered byte store: DynamoDB's semantics.
//!
//! One put, from the top (`ops/put_item.rs`):
//!
//! 1. `check(PutItemInput) -> PutItem`: constraints, parameter rules, values, expressions. No table
//!    needed.
//! 2. `plan`: the table is looked up; the item's key attributes are checked and encoded.
//! 3. The item's key is locked and its newest version is read, also of a write that is not durable
//!    yet.
//! 4. `evaluate`: the condition is evaluated; the new version is made and checked.
//! 5. [`item::apply`]: base item, every index entry and the counters go into one batch.
//! 6. The batch is staged and the lock released; the answer waits for the shared sync
//!    ([`Pending`]).
//!
//! One query (`ops/query.rs`): check; plan a [`read::page::ReadPlan`] (index, key range, direction,
//! limits), which implements `Display`; read one page from a snapshot, filtering and projecting
//! encoded items; return the cursor of the next page.
//!
//! The engine reads no clock, no random source and no environment: its caller passes an [`Environment`].

mod access;
mod base;
mod catalog;
mod check;
mod core;
mod dispatch;
mod doctor;
mod engine;
mod item;
mod jobs;
mod ops;
mod read;
mod state_at;
mod table;
mod window;

pub use access::{Resource, Subject};
pub use base::caller::Caller;
pub use base::environment::{Clock, Environment, Random};
pub use base::open_error::OpenError;
pub use base::options::{EngineOptions, IndexLag, Report, StreamShards};
pub use base::pending::Pending;
pub use doctor::{Examination, Problem};
pub use engine::Engine;
pub use keyfold_store::{
    Durability, FolderOptions, LogFile, LogFiles, MEMORY_BUDGET, MaintenanceCounts, StoreCounts,
    StoreError, StoreOptions,
};
