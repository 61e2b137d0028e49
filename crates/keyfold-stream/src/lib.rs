//! Consumers of streams: each change of a table is handled once, by workers that may stop, sleep, be
//! killed, and come in any number.
//!
//! A table's stream is divided into shards. Each shard has a [`Lease`] in a table of leases, with the
//! position up to which its records are handled. A worker takes leases, renews them, and reads their
//! shards, parents before their children. What a program does with records is its [`Handler`]: it
//! returns [`Effects`], which happen in one transaction with the move of the position. A worker that
//! lost its lease, or sends a transaction twice, changes nothing: **exactly once** into tables of the
//! endpoint whose stream is read, at least once elsewhere.
//!
//! - [`world`]: what a worker needs of its surroundings; [`threads`] is how it runs in a program.
//! - `assign`: which leases a worker takes; `streams`: those of a table, one behind another; `coordinator`: it looks for shards, renews, takes.
//! - `latest`: where a consumer begins that wants no record of before.
//! - `counted`: how many records lie behind a position.
//! - `reader`: reads a shard; `handle`: tries, divides, sets aside; `commit`: effects and position, also
//!   beside the write of a call (`joined`).
//! - `failures`: the records that were set aside.
//! - [`mapping`]: batches of records as events for a function, as AWS Lambda has them.
//! - [`views`]: the views of a model, which are consumers. Only they know of models.

mod assign;
mod commit;
mod coordinator;
mod counted;
mod crew;
mod failures;
mod gap;
mod handle;
mod handler;
mod joined;
mod latest;
mod lease;
mod lease_table;
pub mod mapping;
mod options;
mod pages;
mod position;
mod reader;
mod records;
mod report;
mod start;
mod streams;
mod tables;
mod tasks;
pub mod threads;
mod topology;
pub mod views;
pub mod world;

pub use failures::SetAside;
pub use gap::{AtGap, Gap};
pub use handler::{ACTIONS_MAX, Call, Effects, Failure, Handler, Record};
pub use lease::{Lease, ShardKey, Trouble};
pub use options::{Filter, OnGap, OnReport, Options};
pub use position::Position;
pub use records::{iterator, newest, records};
pub use report::Report;
pub use start::Start;
pub use streams::table_of;
pub use tables::{check_transactions, described, ensure, ensure_for_transactions, identity, names};
pub use tasks::Tasks;
pub use threads::{Sends, Worker, replay, sends, set_aside};
pub use topology::{Shard, shards};
