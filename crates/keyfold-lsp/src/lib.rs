//! The language server of models: what an editor shows of a `.keyfold` file while it is typed.
//!
//! [`Server::handle`] takes a message of the Language Server Protocol and returns those that answer
//! it. It does no I/O and reads no clock: a driver carries messages, and hands in the [`Files`] that
//! are not open. [`drive()`] is the loop of a driver over any [`Queue`]: `keyfold lsp` gives it
//! standard input, tests a list.
//!
//! ```text
//! editor -> didChange, didChange, hover -> handle, handle, handle -> the answer of hover
//!           (the queue is empty)        -> settle                 -> publishDiagnostics
//! ```
//!
//! A change marks its model as stale. The model is compiled when an answer needs it, or when the
//! driver finds the queue empty and calls [`Server::settle`]: a burst of changes is compiled once.

mod answers;
mod capabilities;
mod context;
mod diagnostics;
mod drive;
mod files;
mod legend;
mod model;
mod server;
mod text;
mod uri;
mod workspace;

pub use drive::{Next, Queue, Wait, drive};
pub use files::{Files, InMemory};
pub use server::{Exit, Server};
pub use text::{Encoding, Text};
pub use uri::{path_of, uri_of};
