//! The HTTP server: DynamoDB's wire protocol over an engine.
//!
//! A request passes `origin` (protection from web pages), `receive` (its body), `auth` (its
//! signature and rights) and `call` (decode, admit, execute, encode), and leaves through `respond`
//! with checksum and, for larger answers, gzip; `http` routes, counts and logs. Engine calls run on
//! the connection's own task: a read is answered without changing threads, a write is awaited while
//! the log syncs. The resources of hostile clients are bounded: headers by size, slow clients by
//! time and pace (`paced`), large bodies by a budget that all clients share (`budget`).

mod addresses;
mod answer_size;
mod auth;
mod budget;
mod call;
mod config;
mod copy;
mod heads;
mod http;
mod latency;
mod metrics;
mod origin;
mod paced;
mod receive;
mod refusal;
mod request_id;
mod respond;
mod server;
mod service;
mod tls;

pub use config::{Access, Credential, ServerConfig, ServerError, TlsFiles};
pub use latency::LatencyProfile;
pub use server::{Counters, Server};
