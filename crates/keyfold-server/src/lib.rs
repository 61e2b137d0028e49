//! The HTTP server: DynamoDB's wire protocol over an engine.
//!
//! The way of a request: [`http`] receives it, `auth` checks the signature if credentials are configured,
//! the wire decodes, the engine answers, the wire encodes, and the answer leaves with request id, checksum
//! and, where it pays, gzip. Engine calls run on the connection's own task: a read is answered without
//! changing threads, a write is awaited while the log syncs. The runtime has more threads than cores, so
//! that a read that meets a slow disk holds up no other.

mod auth;
mod config;
mod http;
mod latency;
mod metrics;
mod request_id;
mod server;
mod tls;

pub use config::{Access, Credential, ServerConfig, ServerError, TlsFiles};
pub use latency::LatencyProfile;
pub use server::Server;
