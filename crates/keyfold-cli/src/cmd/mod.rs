//! One file for each subcommand.

pub(crate) mod backup;
mod bounds;
pub(crate) mod check;
pub(crate) mod completions;
mod definition;
pub(crate) mod delete;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod docs;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod fmt;
pub(crate) mod import;
pub(crate) mod infer;
pub(crate) mod init;
mod listen;
pub(crate) mod plan;
mod proof_cost;
pub(crate) mod prove;
pub(crate) mod put;
mod realism;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod update;
pub(crate) mod verify;
mod written;
