//! Long work that a request has begun: backups, restores, exports, imports.
//!
//! Each is a [`job::Job`], which is done in bounded pieces: the background does a piece of each in
//! turn, so that none keeps the others, or the deletion of expired items, waiting for longer than a
//! piece takes. What is unfinished is known from the records in the store, and taken up again at
//! the next start. A job that can never succeed ends as failed, with its reason in the record.

pub(crate) mod backfill;
pub(crate) mod backup;
pub(crate) mod expiry;
mod export;
mod fill;
mod filling;
mod forget;
mod import;
mod job;
pub(crate) mod progress;
mod restore;
pub(crate) mod resume;
mod running;
mod sweep;
mod trim;
mod turn;
pub(crate) mod worker;
