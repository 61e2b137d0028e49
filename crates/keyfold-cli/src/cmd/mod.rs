//! One file for each subcommand.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod delete;
pub(crate) mod demo;
pub(crate) mod put;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod update;
mod written;
