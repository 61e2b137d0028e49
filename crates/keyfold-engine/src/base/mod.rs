//! The lowest layer of the engine: options, time and randomness, the layout of the key space,
//! errors, pending answers.

pub(crate) mod answer_size;
pub(crate) mod bill;
pub(crate) mod caller;
pub(crate) mod conflicts;
pub(crate) mod environment;
pub(crate) mod error;
pub(crate) mod fingerprint;
pub(crate) mod layout;
pub(crate) mod open_error;
pub(crate) mod options;
pub(crate) mod pending;
pub(crate) mod signal;
pub(crate) mod time;
