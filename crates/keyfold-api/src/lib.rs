//! The API as plain data: the input, output and errors of every operation.
//!
//! This is the border between what stores items and what uses them: the engine answers a
//! [`Request`] with a [`Response`], the wire writes both as JSON, a client sends one and gets the
//! other from any backend. No JSON and no I/O here, and no rule: an input may be wrong in any way,
//! the engine's `check` judges it.
//!
//! Member names and meanings are those of the service's API model (2012-08-10).

pub mod backup;
pub mod error;
pub mod input;
pub mod named;
pub mod operation;
pub mod output;
pub mod settings;
pub mod shape;
pub mod stream;
pub mod table;
pub mod transfer;
pub mod twice;

pub use backup::*;
pub use error::{
    ApiError, Breached, CancellationReason, Constraint, ConstraintBreach, ErrorKind, ReasonCode,
    Throttling, ThrottlingReason, Validation,
};
pub use input::*;
pub use keyfold_codec::RawItem;
pub use named::{Named, WireName, known};
pub use operation::{Input, Operation, Request, Response};
pub use output::*;
pub use settings::*;
pub use shape::{AttributeValue, Moment, Present, Shape, ShapeReader, ShapeWriter};
pub use stream::*;
pub use table::*;
pub use transfer::*;
pub use twice::{Twice, is_select};
