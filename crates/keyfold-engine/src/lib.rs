//! Tables, items, indexes and transactions over an ordered byte store: DynamoDB's semantics.
//!
//! One put, from the top (`ops/put_item.rs`):
//!
//! 1. `check(PutItemInput) -> PutItem`: constraints, parameter rules, values, expressions. No table needed.
//! 2. `plan`: the table is looked up; the item's key attributes are checked and encoded.
//! 3. The item's key is locked and its newest version read, writes still on their way to disk included.
//! 4. `evaluate`: the condition is judged, the new version made and checked.
//! 5. [`write::apply`]: base item, every index entry and the counters go into one batch.
//! 6. The batch is staged and the lock released; the answer waits for the shared sync ([`Pending`]).
//!
//! One query (`ops/query.rs`): check; plan a [`page::ReadPlan`] (index, key range, direction, limits), which
//! prints itself; read one page from a snapshot, filtering and projecting encoded items; tell where to go
//! on.
//!
//! The engine reads no clock, no random source and no environment: it is handed an [`Environment`].

mod access;
mod answer_size;
mod arn;
mod backfill;
mod background;
mod backup;
mod catalog;
mod check;
mod conflicts;
mod core;
mod dispatch;
mod doctor;
mod engine;
mod environment;
mod expiry;
mod expressions;
mod fingerprint;
mod history;
mod jobs;
mod key_check;
mod lag;
mod layout;
mod legacy;
mod ops;
pub mod page;
mod pending;
mod stream;
mod table;
mod throttle;
mod transfers;
mod write;

pub use access::{Resource, Subject};
pub use doctor::{Examination, Problem};
pub use engine::{Engine, EngineOptions, Report};
pub use environment::{Clock, Environment, Random};
pub use keyfold_store::{
    Durability, FolderOptions, LogFile, LogFiles, LogFolder, StoreCounts, StoreError, StoreOptions,
};
pub use lag::IndexLag;
pub use pending::Pending;
pub use table::{Index, IndexKind, IndexProjection, Settings, Table};
