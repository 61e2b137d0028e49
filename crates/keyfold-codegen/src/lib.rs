//! Output made from a checked model, and models proposed from other sources.
//!
//! - [`chart`]: the design at a glance: patterns with their requests, keys with samples, indexes
//!   with the entities and patterns that share them.
//! - [`document`]: the chart as Markdown and as one HTML page with diagrams.
//! - [`map`]: tables and indexes drawn as their item collections.
//! - [`diff`]: the changes between two models, and the migration of data that each asks for.
//! - [`generate`]: typed clients in other languages.
//! - [`plan`]: the plan document, which runtimes in other languages carry out.
//! - [`tables`]: CloudFormation and Terraform.
//! - [`workbench`]: models of NoSQL Workbench, read and written.
//! - [`infer`]: a model proposed from a table's definition and a sample of its items.
//!
//! The crate makes texts and values; it reads and writes no tables.

pub mod chart;
pub mod diff;
pub mod document;
mod fulfil;
pub mod generate;
pub mod infer;
pub mod map;
mod markup;
pub mod plan;
mod present;
mod projection;
mod sample;
mod scaling;
mod settings;
pub mod tables;
mod terraform;
mod texts;
mod view;
mod words;
pub mod workbench;
