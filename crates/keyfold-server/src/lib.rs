//! The HTTP server: DynamoDB's wire protocol over an engine.
//!
//! The way of a request: [`http`] receives it, `auth` checks the signature if credentials are
//! configured, the wire decodes, the engine answers, the wire encodes, and the answer leaves with
//! request id, checksum and, where it pays, gzip. Engine calls run on the connection's own task: a
//! read is answered without changing threads, a write is awaited while the log syncs. What hostile
//! clients may hold is bounded: headers by size, slow ones by time and pace (`paced`), large bodies
//! by a budget that all share (`budget`).

mod addresses;
mod auth;
mod budget;
mod config;
mod copy;
mod heads;
mod http;
mod latency;
mod metrics;
mod origin;
mod paced;
mod request_id;
mod room;
mod server;
mod tls;

pub use config::{Access, Credential, ServerConfig, ServerError, TlsFiles};
pub use latency::LatencyProfile;
pub use server::Server;
