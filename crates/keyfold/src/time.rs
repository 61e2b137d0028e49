//! Times of the precision that a model keeps.
//!
//! A model's `time` has thousandths of a second, `time(us)` millionths, `time(s)` whole seconds. A
//! finer time is refused when it is written: two times must not become one in a key, and a time must
//! be read as it was written. Clocks are finer, so a program cuts their times first: one time by
//! [`truncate`], the members of a struct by `serialize_with`.
//!
//! ```
//! use keyfold::time::{self, Precision};
//! use keyfold::{Keyfold, values};
//! use serde::Serialize;
//!
//! #[derive(Serialize)]
//! struct Visit {
//!     id: String,
//!     #[serde(serialize_with = "time::millis")]
//!     at: String, // or a `chrono::DateTime<Utc>`, a `jiff::Timestamp`
//! }
//!
//! # let db = Keyfold::memory()?;
//! let visits = db.model(
//!     r#"
//! model visits 1
//! table Visits (PK, SK)
//! entity Visit
//!   id: string, at: time
//!   key  "VISIT#{id}"  "VISIT"
//! "#,
//! )?;
//! let now = "2024-01-15T10:30:00.123456789Z".to_owned();
//! visits.put("Visit", Visit { id: "a".into(), at: now.clone() })?;
//! visits.put("Visit", values! { "id": "b", "at": time::truncate(now, Precision::Millis)? })?;
//! visits.put("Visit", values! { "id": "c", "at": time::now(Precision::Millis) })?;
//! # Ok::<(), keyfold::Error>(())
//! ```

use crate::error::Error;
use crate::serial::fault::Fault;
use crate::serial::write;
use keyfold_client::ClientError;
use keyfold_model::{Type, value};
use keyfold_types::Value;
use serde::ser::{Error as _, Serialize, Serializer};

/// The digits of a second that a time keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Whole seconds: `time(s)`.
    Seconds,
    /// Thousandths of a second: `time`.
    Millis,
    /// Millionths of a second: `time(us)`.
    Micros,
    /// Billionths of a second: `time(ns)`.
    Nanos,
}

impl Precision {
    fn kind(self) -> Type {
        Type::Time(match self {
            Precision::Seconds => keyfold_model::Precision::Seconds,
            Precision::Millis => keyfold_model::Precision::Millis,
            Precision::Micros => keyfold_model::Precision::Micros,
            Precision::Nanos => keyfold_model::Precision::Nanos,
        })
    }
}

/// The present moment of this machine's clock.
pub fn now(precision: Precision) -> String {
    let now = jiff::Timestamp::now().to_string();
    value::at_most(&precision.kind(), &now)
}

/// A time without the digits that a model does not keep: the last time of the precision that is not
/// after it. It takes every type that serde writes as a text with a zone: `chrono::DateTime<Utc>`,
/// `jiff::Timestamp`, `time::OffsetDateTime` with its `rfc3339`, or the text itself.
///
/// # Errors
/// `Invalid` when it is no time.
pub fn truncate(time: impl Serialize, precision: Precision) -> Result<String, Error> {
    let held = write::value(&time).map_err(|fault| Error::of_fault(&fault))?;
    if let Value::S(text) = cut("the time", held, precision)? {
        return Ok(text);
    }
    Err(Error::invalid("`None` is no time".to_owned()))
}

/// A time, or null, cut.
fn cut(name: &str, held: Value, precision: Precision) -> Result<Value, ClientError> {
    let kind = precision.kind();
    if held == Value::Null {
        return Ok(held);
    }
    let held = if let Value::S(text) = &held {
        Value::S(value::at_most(&kind, text))
    } else {
        held
    };
    Ok(value::given(name, &kind, &held)?)
}

fn serialized<T: Serialize + ?Sized, S: Serializer>(
    time: &T,
    serializer: S,
    precision: Precision,
) -> Result<S::Ok, S::Error> {
    let held = write::value(time).map_err(|fault: Fault| S::Error::custom(fault))?;
    let held = cut("the time", held, precision).map_err(S::Error::custom)?;
    if let Value::S(text) = &held {
        return serializer.serialize_str(text);
    }
    serializer.serialize_none()
}

/// Writes a time, or an `Option` of one, in whole seconds, for `#[serde(serialize_with)]`.
///
/// # Errors
/// When it is no time.
pub fn seconds<T: Serialize + ?Sized, S: Serializer>(time: &T, to: S) -> Result<S::Ok, S::Error> {
    serialized(time, to, Precision::Seconds)
}

/// Writes a time, or an `Option` of one, in thousandths of a second, for `#[serde(serialize_with)]`.
///
/// # Errors
/// When it is no time.
pub fn millis<T: Serialize + ?Sized, S: Serializer>(time: &T, to: S) -> Result<S::Ok, S::Error> {
    serialized(time, to, Precision::Millis)
}

/// Writes a time, or an `Option` of one, in millionths of a second, for `#[serde(serialize_with)]`.
///
/// # Errors
/// When it is no time.
pub fn micros<T: Serialize + ?Sized, S: Serializer>(time: &T, to: S) -> Result<S::Ok, S::Error> {
    serialized(time, to, Precision::Micros)
}
