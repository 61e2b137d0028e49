//! The API as plain data: the input, output and errors of every operation.
//!
//! These types separate the store of items from its users: the engine answers a [`Request`] with a
//! [`Response`], the wire encodes both as JSON, and a client sends requests to any backend. The
//! crate has no JSON, no I/O and no rules: an input may be wrong in any way; the engine's `check`
//! validates it.
//!
//! Member names and meanings are those of the service's API model (2012-08-10).

mod backup;
mod error;
mod idempotency;
mod input;
mod named;
mod observed;
mod operation;
mod output;
mod settings;
mod shape;
mod stream;
mod table;
mod transfer;
mod value;

pub use backup::*;
pub use error::{
    ApiError, Breached, CancellationReason, Constraint, ConstraintBreach, ErrorKind, ReasonCode,
    Throttling, ThrottlingReason, Validation,
};
pub use idempotency::{Idempotency, is_select};
pub use input::*;
pub use keyfold_codec::RawItem;
pub use named::{Named, WireName, known};
pub use operation::{Input, Operation, Request, Response};
pub use output::*;
pub use settings::*;
pub use shape::{Member, Moment, Present, Shape, ShapeReader, ShapeWriter};
pub use stream::*;
pub use table::*;
pub use transfer::*;
pub use value::{AttributeValue, Attributes, ValueError};
