//! Carries out a model on any backend with DynamoDB's API.
//!
//! - [`backend`]: where requests go: an embedded engine, or an endpoint over HTTP. Chosen by a
//!   connection string, never by code.
//! - [`tables`]: makes a model's tables, or tells how an existing one differs.
//! - [`read`]: runs patterns, a page at a time, and tells the items apart by their keys.
//! - [`mod@write`]: creates, replaces, updates and deletes entities, and runs named writes; keys,
//!   index keys, copies and unique guards follow in the same transaction.

pub mod arguments;
pub mod backend;
mod complete;
pub mod derive;
pub mod error;
mod expression;
mod http;
pub mod json;
pub mod read;
mod retry;
mod stored;
pub mod tables;
pub mod write;

pub use backend::Backend;
pub use error::ClientError;
pub use read::{Found, FoundItem, Page, PageRequest};
