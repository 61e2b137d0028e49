//! Patterns and writes of a model as steps: arguments become requests, answers become results.
//!
//! Every function that needs a database returns a [`Lowering`], which says what it needs next: the
//! answers of requests, or a pause. This crate sends nothing, reads no clock, takes no random number,
//! starts no thread and knows no engine; `clippy.toml` bans the calls. `keyfold-client` carries the
//! steps out and blocks, `keyfold` awaits them, and a test can play the database.
//!
//! - [`Lowering`]: a call under way; [`Step`], [`Origin`] and [`Pause`]: what it takes and returns.
//! - [`read`]: runs patterns, a page at a time, and distinguishes the kinds of items by their keys.
//! - [`mod@write`]: creates, replaces, updates and deletes entities, and runs named writes; keys,
//!   index keys, copies and unique guards follow in the same transaction.
//! - [`tables`]: creates a model's tables, and reports how existing ones differ.
//! - [`arguments`]: parses arguments that are given as text.
//! - [`mod@derive`]: computes the items that are stored for an entity; [`stored`] reads them.
//! - [`view`]: says what an item of a view's source gives to which row.
//!
//! # Example: a pattern without a database
//!
//! ```
//! use keyfold_api::{GetItemOutput, Request, Response};
//! use keyfold_lower::{ClientError, Origin, Step, arguments, read};
//! use std::collections::BTreeMap;
//!
//! let source = r#"
//! model m 1
//! table Users (PK, SK)
//! entity User
//!   id: string
//!   key "USER#{id}" "PROFILE"
//! pattern user(id) -> User?
//! "#;
//! let model = keyfold_model::compile(source).model.expect("it compiles");
//! let pattern = model.pattern("user").expect("the model has it");
//! let given = BTreeMap::from([("id".to_owned(), "ada".to_owned())]);
//! let arguments = arguments::of_pattern(pattern, &given)?;
//! let origin = Origin { now_epoch_ms: 0, seed: 0 };
//! let start = Default::default();
//! let mut call = read::page(origin, &model, pattern, &arguments, &start);
//! let Step::Ask(requests) = call.next(vec![]) else { panic!("it asks") };
//! assert!(matches!(requests.as_slice(), [Request::GetItem(_)]));
//! let nothing = Response::GetItem(GetItemOutput::default());
//! let Step::Done(page) = call.next(vec![Ok(nothing)]) else { panic!("it is done") };
//! assert!(page?.items.is_empty());
//! # Ok::<(), ClientError>(())
//! ```

mod adapt;
pub mod arguments;
mod bound;
pub mod capacity;
mod complete;
pub mod derive;
mod described;
pub mod difference;
mod error;
mod expression;
pub mod kind_name;
pub mod lengths;
mod lookup;
mod lowering;
mod printed;
pub mod read;
mod refused;
pub mod retry;
mod settings;
pub mod stored;
pub mod sums;
pub mod tables;
mod unknown;
pub mod view;
pub mod write;

pub use bound::order;
pub use complete::default_of;
pub use error::{ClientError, Incomplete, unexpected};
pub use lowering::{Lowering, Origin, Pause, Step, Together, together};
pub use read::{Found, FoundItem, Page, PageRequest};
pub use refused::Refused;
pub use unknown::{OnUnknown, UnknownItem, key_of, shown_item, shown_key, unwritten};
