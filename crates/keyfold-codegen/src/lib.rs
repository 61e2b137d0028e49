//! Output made from a checked model, and models proposed from other sources.
//!
//! - [`chart`]: the design at a glance: patterns with their requests, keys with samples, what
//!   shares an index.
//! - [`document`]: the chart as Markdown and as one HTML page with diagrams.
//! - [`diff`]: what changed between two models, and which data it moves.
//! - [`tables`]: CloudFormation and Terraform.
//! - [`workbench`]: models of NoSQL Workbench, read and written.
//! - [`infer`]: a model proposed from a table's definition and a sample of its items.
//!
//! Nothing here reads or writes tables: it makes texts and values.

pub mod chart;
pub mod diff;
pub mod document;
pub mod infer;
mod sample;
pub mod tables;
pub mod workbench;
