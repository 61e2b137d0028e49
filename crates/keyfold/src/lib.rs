//! Single-table design as a library.
//!
//! A *model* declares entities, the templates of their keys, and access patterns. Its compiler
//! proves that each pattern is served by the requests promised. This crate runs a model: on an
//! engine inside the program ([`Keyfold::open`], [`Keyfold::memory`]), or on any endpoint with
//! Amazon DynamoDB's API ([`Keyfold::connect`]). [`Keyfold::model`] makes the tables that are absent,
//! on Amazon too, and refuses a table that is not as the model says; `connect` alone sends nothing.
//!
//! ```
//! use keyfold::{Keyfold, values};
//!
//! let db = Keyfold::memory()?;
//! let notes = db.model(
//!     r#"
//! model notes 1
//! table Notes (PK, SK)
//! entity Note
//!   author: string, id: ulid = new, text: string
//!   key  "AUTHOR#{author}"  "NOTE#{id}"
//! pattern notes_of(author)  -> Note[]  newest page 20
//! "#,
//! )?;
//! notes.put("Note", values! { "author": "ada", "text": "on analytical engines" })?;
//! let found = notes.query("notes_of").arg("author", "ada").page()?;
//! assert_eq!(found.items[0].text("text"), Some("on analytical engines"));
//! # Ok::<(), keyfold::Error>(())
//! ```
//!
//! # Where to go on
//!
//! - [`Keyfold`]: the database; [`Keyfold::send`] carries out any operation of the API, typed;
//!   [`Keyfold::close`] waits for calls under way and frees the folder.
//! - [`Options`], [`Endpoint`]: settings of a data folder, and of an endpoint with its credentials.
//! - [`Database`]: a model on it: [`Database::put`], [`Database::update`], [`Database::delete`],
//!   [`Database::run`] for named writes.
//! - [`Transaction`]: several writes that happen together, by [`Database::transact`];
//!   [`Database::get_many`], [`Database::put_many`] and [`Database::delete_many`]: batches.
//! - [`Events`]: stream records as changes of entities.
//! - [`stream`]: consumers of streams, whose effects happen exactly once; [`views`]: the rows of a
//!   model's views, kept from them.
//! - [`Query`]: a pattern with its arguments: one item, one page, all pages.
//! - [`typed`]: clients that `keyfold generate rust` and `keyfold-build` make of a model, with a type
//!   for each entity and a method for each pattern.
//! - [`time`]: cuts a clock's time to the precision of the model; a finer one is refused.
//! - [`Error`]: what went wrong, in kinds that a program can match; [`Database::on_unknown`]: whether
//!   items that the model does not know are errors.
//!
//! # Values
//!
//! Attributes are given as anything that serde makes a map of: [`values!`], or a struct that derives
//! `Serialize`. Items are read by name, or as a struct that derives `Deserialize` ([`Item::to`]).
//!
//! | Rust | model |
//! |---|---|
//! | integers, floats | `int`, `number`: all digits are kept; of a float, the shortest decimal that is this float |
//! | text with digits, as decimals of other crates are serialized | `int`, `number` |
//! | text, `char`, identifiers, times with their zone | `string`, `ulid`, `uuid`, `time`, `date` |
//! | bytes (`serde_bytes`), `Vec<u8>`, base64 text | `binary` |
//! | sequences and tuples; maps; structs | `list`, `set`; `map`; records |
//! | enums without content | words |
//! | `None` | not given: a put removes what is stored, an update leaves it; [`Database::remove`] removes it |
//!
//! A number that is not finite, or has more than 38 digits, is refused with the path to it.
//!
//! # Time, logs and traces
//!
//! [`Database::within`] and [`Query::within`] bound the time of a call, with its retries.
//! [`Database::on_request`] calls a function after each request: its operation, tables, attempts, time
//! and units. With the feature `tracing` each request is a span of that crate, `keyfold: request`, with
//! the attributes of OpenTelemetry's conventions (`db.system.name`, `aws.dynamodb.table_names`,
//! `error.type`, …), which `tracing-opentelemetry` exports.
//!
//! # Threads
//!
//! Calls block until the answer is there. A write to a data folder that has returned is on the
//! device, unless [`Options`] say otherwise. Everything can be shared between threads.
//! Programs on an asynchronous runtime use [`nonblocking`], which has the same calls, awaited.

mod asked;
mod awaited;
mod database;
mod error;
mod events;
mod given;
mod handle;
mod item;
pub mod nonblocking;
mod open;
mod options;
mod page;
mod query;
mod sent;
mod serial;
pub mod stream;
pub mod time;
mod transaction;
pub mod typed;
mod values;
pub mod views;
mod written;

pub use database::{Database, Run};
pub use error::{Error, Finding, Reason};
pub use events::{Event, Events};
pub use item::Item;
/// Times and dates: the types of generated clients.
pub use jiff;
/// Types of the API, for [`Keyfold::send`].
pub use keyfold_api as api;
/// When a write of an embedded database returns, in [`Options::durability`].
pub use keyfold_engine::Durability;
/// The reason for which a data folder cannot be opened, in [`Error::Open`].
pub use keyfold_engine::OpenError;
/// What became of the items of a batch, in [`Error::Incomplete`].
pub use keyfold_lower::Incomplete;
/// Whether an item that the model does not know is an error, in [`Query::on_unknown`].
pub use keyfold_lower::OnUnknown;
/// Why a write is refused, in [`Error::Refused`].
pub use keyfold_lower::Refused;
/// An item that the model does not know, in [`Error::UnknownItem`].
pub use keyfold_lower::UnknownItem;
/// The texts of a model, for [`Keyfold::model_of`].
pub use keyfold_model::Sources;
/// Values, numbers and items as DynamoDB has them: in [`Item::get`] and the types of [`api`].
pub use keyfold_types as types;
pub use open::Keyfold;
pub use options::{Credentials, Endpoint, Options};
pub use page::Page;
pub use query::{Pages, Query};
pub use sent::Sent;
pub use transaction::Transaction;
pub use values::Values;
pub use written::{BatchWritten, OneOfSeveral, Transacted, Written};

/// Includes the client that `keyfold-build` has generated of a model, by the model's name.
///
/// ```ignore
/// /// The shop.
/// pub mod shop {
///     keyfold::include_client!("shop");
/// }
/// ```
#[macro_export]
macro_rules! include_client {
    ($model:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $model, ".rs"));
    };
}

/// What the macros of this crate use.
#[doc(hidden)]
pub mod __private {
    pub use crate::values::Part;
    pub use std::vec::Vec;
}

/// The programs of the guide compile.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/streams.md")]
struct Streams;
