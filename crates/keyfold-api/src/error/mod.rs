//! Errors by the API's names.
//!
//! - [`ApiError`] (`exception.rs`): one variant for each exception, with its payload.
//! - [`ErrorKind`] (`kind.rs`): the one table of names, statuses and retry classes.
//! - [`Throttling`] (`throttling.rs`): the payload of exceptions for exhausted capacity.
//! - [`Validation`] (`message.rs`): the reasons of a ValidationException; the only place with their
//!   words.

mod exception;
mod kind;
mod message;
mod reason;
mod throttling;

pub use exception::{ApiError, CancellationReason};
pub use kind::ErrorKind;
pub use message::{Breached, Constraint, ConstraintBreach, Validation};
pub use reason::ReasonCode;
pub use throttling::{Throttling, ThrottlingReason};
