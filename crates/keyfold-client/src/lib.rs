//! Executes a model on any backend with DynamoDB's API.
//!
//! - [`Backend`]: the target of requests: an embedded engine, or an endpoint over HTTP.
//! - [`tables`]: creates a model's tables, and reports how existing ones differ.
//! - [`read`]: runs patterns, a page at a time, and distinguishes the kinds of items by their keys.
//! - [`mod@write`]: creates, replaces, updates and deletes entities, and runs named writes; keys,
//!   index keys, copies and unique guards follow in the same transaction.
//! - [`arguments`]: parses arguments that are given as text.
//! - [`mod@derive`]: computes the items that are stored for an entity.
//! - [`verify`]: reads whole tables, and finds items that do not follow from the model.

pub mod arguments;
mod backend;
mod bound;
mod capacity;
mod complete;
pub mod derive;
mod drive;
mod endpoint;
mod error;
mod expression;
mod http;
pub mod json;
mod lowering;
pub mod read;
mod retry;
mod settings;
mod stored;
pub mod tables;
pub mod verify;
pub mod write;

pub use backend::Backend;
pub use drive::drive;
pub use endpoint::Endpoint;
pub use error::ClientError;
pub use lowering::{Lowering, Origin, Pause, Step};
pub use read::{Found, FoundItem, Page, PageRequest};
