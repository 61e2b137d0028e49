//! Executes a model on any backend with DynamoDB's API.
//!
//! `keyfold-lower` makes the requests; this crate sends them, sleeps, and reads the clock.
//!
//! - [`Backend`]: the target of requests: an embedded engine, or an endpoint over HTTP.
//! - [`connection`]: texts that say where tables are, with the region and credentials around.
//! - [`drive()`]: carries out the steps of a call, and blocks while it waits; [`Backend::start`] is
//!   for drivers that await.
//! - [`Terms`]: how long a call may take, and who observes its requests.
//! - [`event`]: reads stream records.
//! - [`tables`]: creates a model's tables, and reports how existing ones differ.
//! - [`read`]: runs patterns, a page at a time, and distinguishes the kinds of items by their keys.
//! - [`mod@write`]: creates, replaces, updates and deletes entities, and runs named writes; keys,
//!   index keys, copies and unique guards follow in the same transaction.
//! - [`model_file`]: reads the files of a model.
//! - [`arguments`]: parses arguments that are given as text.
//! - [`mod@derive`]: computes the items that are stored for an entity.
//! - [`kinds`]: distinguishes the kinds of items by their keys.
//! - [`verify`]: reads whole tables, and finds items that do not follow from the model.

mod amazon;
mod backend;
pub mod connection;
mod drive;
mod endpoint;
pub mod event;
mod gathered;
mod http;
pub mod json;
pub mod kinds;
mod observer;
pub mod read;
mod runtime;
mod slots;
mod span;
pub mod tables;
mod terms;
pub mod verify;
mod watch;
pub mod write;

pub use backend::{Backend, Guarded, Rights};
pub use connection::Connection;
pub use drive::{TOGETHER_MAX, blocked, drive, drive_on, origin, time_of, unasked, wait};
pub use endpoint::{Elsewhere, Endpoint};
pub use keyfold_lower::{ClientError, Incomplete, OnUnknown, arguments, derive};
pub use keyfold_model::files as model_file;
pub use observer::{Observer, Sent};
pub use read::{Found, FoundItem, Page, PageRequest};
pub use terms::Terms;
