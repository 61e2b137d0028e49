//! How a server is set up.

use keyfold_types::limits::REQUEST_BODY_BYTES_MAX;
use std::net::SocketAddr;
use std::time::Duration;

/// An access key and its secret.
#[derive(Clone)]
pub struct Credential {
    /// The access key id.
    pub access_key: String,
    /// The secret access key.
    pub secret: String,
}

/// Where to listen and what to accept.
#[derive(Clone)]
pub struct ServerConfig {
    /// The address; port 0 takes any free one.
    pub address: SocketAddr,
    /// Who may call. Empty: anyone, whatever the signature.
    pub credentials: Vec<Credential>,
    /// Bytes of a request body at the most, also after decompression.
    pub body_bytes_max: usize,
    /// How long a client may take to send headers or a body.
    pub receive_timeout: Duration,
    /// How long open requests may take during a shutdown.
    pub shutdown_timeout: Duration,
}

impl ServerConfig {
    /// The defaults on an address.
    pub fn new(address: SocketAddr) -> ServerConfig {
        ServerConfig {
            address,
            credentials: Vec::new(),
            body_bytes_max: REQUEST_BODY_BYTES_MAX,
            receive_timeout: Duration::from_secs(60),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

/// Why a server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
}
