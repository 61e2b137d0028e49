//! The background: sweeps, backfills, expiry, trimming, and long work that a request has begun:
//! backups, restores, exports, imports.
//!
//! Each is a [`job::Job`], which works in bounded pieces. The background does a piece of each job
//! in turn, so that other jobs, and the deletion of expired items, wait no longer than a piece
//! takes. Unfinished jobs are known from their records in the store, and resumed at the next start.
//! A job that can never succeed ends as failed, with its reason in the record; so does an export or
//! import whose failure lasts.

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
mod retries;
mod running;
mod shards;
mod sweep;
mod trim;
mod turn;
pub(crate) mod worker;
