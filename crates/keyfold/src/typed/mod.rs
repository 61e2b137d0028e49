//! What generated clients are made of.
//!
//! `keyfold generate rust` and the crate `keyfold-build` write one file of a model: a type for each
//! entity, a method for each pattern and named write. It uses this module, and programs use the file:
//!
//! ```ignore
//! let shop = ShopClient::new(&Keyfold::connect("http://localhost:8000")?)?;
//! let user: Option<User> = shop.user(&UserId::from("u1"))?;
//! for order in shop.orders_by_status(OrderStatus::Paid) {
//!     println!("{}", order?.total);
//! }
//! shop.order.update(
//!     &OrderKey { order_id: "o1".into() },
//!     &OrderPatch { status: Some(OrderStatus::Shipped), ..OrderPatch::default() },
//! )?;
//! ```
//!
//! | model | Rust |
//! |---|---|
//! | `int` | `i64`; with `--exact-numbers` `i128`, which has all 38 digits |
//! | `number` | [`Number`], with all digits |
//! | `time`, `date` | [`Timestamp`], [`Date`]; [`now`] and [`truncated`] have the digits that a model keeps |
//! | `string`, `ulid`, `uuid`, periods | `String`, or a type of its own for an identifier |
//! | words | an enum |
//! | `binary`, `list`, `set`, `map` | `Vec<u8>`, `Vec`, [`Set`], [`Map`] |
//! | an attribute that may be absent | `Option`; in changes [`Patch`] |
//!
//! - `transact` carries out several [`Part`]s of one model, as a tuple or a list: those of
//!   `client.part()` are its named writes, those of `client.order.part()` the writes of an entity.
//! - `made` of [`Written`] is a struct of the identifiers and moments that the write made, or was given.
//! - `events` reads stream records as an enum of [`Change`]s.
//! - `fakes` makes new entities for tests: random by a seed, and valid for the model.
//! - `strong` is the same client, whose reads are strongly consistent. It is without the patterns of
//!   global indexes, whose [`Query`] has no `strong`, either.
//! - [`Query`]: an answer of any number of items: a page, all pages, all items, the first; of several
//!   kinds, of which one has single items, the whole ([`Collected`]).
//! - [`Writer`]: creates, puts, updates and deletes an entity; reads many of them, and writes those
//!   from which nothing follows in batches.
//! - [`nonblocking`]: the same, awaited.
//!
//! A cursor (`next` of a page) is opaque, and belongs to its pattern and arguments. After
//! `with_cursor_secret` it also ends with a seal, so that one that a browser changed is refused.
//! Without a seal, such a one reads from another place of the same partition, or the service refuses it.

mod awaited;
mod base;
mod blocking;
mod client;
mod collected;
mod consistency;
mod cursor;
mod event;
mod fakes;
mod macros;
mod made;
mod members;
mod order;
mod part;
mod parted;
mod patch;
mod query;
mod question;
mod value;
mod writer;

pub use crate::error::Error;
pub use crate::nonblocking::Keyfold as AsyncKeyfold;
pub use crate::open::Keyfold;
pub use crate::page::Page;
pub use crate::time::Precision;
pub use crate::written::{BatchWritten, OneOfSeveral, Transacted, Written};
#[doc(hidden)]
pub use crate::{
    __typed_choice as choice, __typed_collected as collected, __typed_entity as entity,
    __typed_events as events, __typed_fresh as fresh, __typed_given as given, __typed_id as id,
    __typed_made as made, __typed_patch as patch, __typed_record as record,
    __typed_stored as stored, __typed_together as together, __typed_union as union,
    __typed_words as words,
};
pub use blocking::{Call, Client, Items, Pages, Query, Writer};
pub use collected::{Absent, Collected};
pub use consistency::{Consistency, Eventual, OfIndex, OfTable, Strong};
pub use event::{Change, Events, OfEvent};
pub use fakes::Fakes;
pub use jiff::Timestamp;
pub use jiff::civil::Date;
pub use keyfold_lower::OnUnknown;
pub use keyfold_types::{Number, Value};
pub use made::{Made, Report};
pub use members::{
    Alone, Answer, Entity, Held, Members, Named, OfMembers, ToMembers, Together, unknown_kind,
};
pub use order::{Ordered, Unordered};
pub use part::{Arguments, Part, Parts};
pub use parted::Parted;
#[doc(hidden)]
pub use parted::{Reports, Writes};
pub use patch::{Changed, Patch};
pub use value::{Attribute, Fault, Given};

/// A map of attributes by name.
pub type Map<T> = std::collections::BTreeMap<String, T>;

/// A set of values in their order.
pub type Set<T> = std::collections::BTreeSet<T>;

/// The same calls for programs on an asynchronous runtime.
pub mod nonblocking {
    pub use super::awaited::{Call, Client, Items, Pages, Query, Writer};
}

/// The present moment of this machine's clock, with the digits of a precision.
pub fn now(precision: Precision) -> Timestamp {
    truncated(Timestamp::now(), precision)
}

/// A time without the digits that a model does not keep: the last time of the precision that is not
/// after it. A finer time is refused when it is written.
pub fn truncated(time: Timestamp, precision: Precision) -> Timestamp {
    let unit = match precision {
        Precision::Seconds => 1_000_000_000,
        Precision::Millis => 1_000_000,
        Precision::Micros => 1_000,
        Precision::Nanos => 1,
    };
    let cut = time.as_nanosecond().div_euclid(unit) * unit;
    Timestamp::from_nanosecond(cut).unwrap_or(time)
}
