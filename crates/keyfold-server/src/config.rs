//! The configuration of a server.

use crate::latency::LatencyProfile;
use keyfold_api::{ApiError, ErrorKind, Operation};
use keyfold_engine::{Resource, Subject};
use keyfold_types::limits::REQUEST_BODY_BYTES_MAX;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// A credential's right to a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Nothing.
    None,
    /// Read and describe.
    Read,
    /// Everything.
    ReadWrite,
}

/// An access key, its secret, and its rights.
#[derive(Clone)]
pub struct Credential {
    /// The access key id.
    pub access_key: String,
    /// The secret access key.
    pub secret: String,
    /// The token that requests must carry, of a temporary credential.
    pub session_token: Option<String>,
    /// The right to tables that `tables` does not name, and to operations on all tables.
    pub access: Access,
    /// Rights to single tables.
    pub tables: BTreeMap<String, Access>,
    /// Rights to single buckets. Exports need the right to write, imports the right to read. The
    /// right to other buckets is the least of the rights to all tables, since any bucket can hold
    /// an export of any table.
    pub buckets: BTreeMap<String, Access>,
}

impl Credential {
    /// A credential with all rights.
    pub fn new(access_key: impl Into<String>, secret: impl Into<String>) -> Credential {
        Credential {
            access_key: access_key.into(),
            secret: secret.into(),
            session_token: None,
            access: Access::ReadWrite,
            tables: BTreeMap::new(),
            buckets: BTreeMap::new(),
        }
    }

    /// Refuses an operation on resources for which the credential lacks a right.
    ///
    /// # Errors
    /// `AccessDenied`, which names the first such resource.
    pub fn check(&self, operation: Operation, resources: &[Resource]) -> Result<(), ApiError> {
        for resource in resources {
            let needed = if resource.is_write {
                Access::ReadWrite
            } else {
                Access::Read
            };
            if self.access_to(&resource.subject) < needed {
                let name = operation.name();
                return Err(ApiError::Plain(
                    ErrorKind::AccessDenied,
                    format!(
                        "User: arn:aws:iam::000000000000:user/{} is not authorized to perform: dynamodb:{name} on resource: {} because no identity-based policy allows the dynamodb:{name} action",
                        self.access_key, resource.arn
                    ),
                ));
            }
        }
        Ok(())
    }

    /// The credential's right to a table, a bucket or the account.
    pub(crate) fn access_to(&self, subject: &Subject) -> Access {
        match subject {
            Subject::Table(name) => self.tables.get(name).copied().unwrap_or(self.access),
            Subject::Bucket(name) => self
                .buckets
                .get(name)
                .copied()
                .unwrap_or_else(|| self.to_everything()),
            Subject::Account => self.access,
            Subject::Unreadable => self.to_everything(),
        }
    }

    /// The least of the credential's rights to all tables.
    pub(crate) fn to_everything(&self) -> Access {
        self.tables.values().copied().fold(self.access, Access::min)
    }
}

/// A certificate and its key, as PEM files.
#[derive(Clone)]
pub struct TlsFiles {
    /// The certificate chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// The address to listen on and the requests to accept.
#[derive(Clone)]
pub struct ServerConfig {
    /// The address; port 0 takes any free one.
    pub address: SocketAddr,
    /// The credentials that may call. Empty: anyone may call, with any signature.
    pub credentials: Vec<Credential>,
    /// Whether requests without any signature are served, when there are no credentials. The
    /// service refuses them.
    pub allow_unsigned: bool,
    /// Origins whose web pages may call, as browsers write them (`http://localhost:3000`); `*` is
    /// every origin.
    pub allow_origins: Vec<String>,
    /// Registrable names of this server, for servers without credentials. Other registrable names
    /// in `Host` are refused.
    pub allow_hosts: Vec<String>,
    /// The folder for copies of the data folder; none are made without it.
    pub backups: Option<PathBuf>,
    /// Speaks HTTPS with this certificate instead of HTTP.
    pub tls: Option<TlsFiles>,
    /// Delays answers by this profile, with this seed.
    pub latency: Option<(LatencyProfile, u64)>,
    /// The largest request body in bytes, also after decompression.
    pub body_bytes_max: usize,
    /// Time that a client may take to send headers or to begin a body. A large body may take longer
    /// while its bytes keep arriving.
    pub receive_timeout: Duration,
    /// Time that a client may take to read a part of an answer.
    pub send_timeout: Duration,
    /// Bytes of memory for the large request bodies of all clients together, and as many again for
    /// the large answers.
    pub bodies_bytes_max: usize,
    /// Open connections; more wait until one is closed.
    pub connections_max: usize,
    /// Open connections of one address, or of one /64 network of IPv6; more are closed at once.
    pub connections_of_address_max: usize,
    /// Time that open requests may take during a shutdown, and as much again to close the engine.
    pub shutdown_timeout: Duration,
}

impl ServerConfig {
    /// The defaults on an address.
    pub fn new(address: SocketAddr) -> ServerConfig {
        ServerConfig {
            address,
            credentials: Vec::new(),
            allow_unsigned: false,
            allow_origins: Vec::new(),
            allow_hosts: Vec::new(),
            backups: None,
            tls: None,
            latency: None,
            body_bytes_max: REQUEST_BODY_BYTES_MAX,
            receive_timeout: Duration::from_secs(60),
            send_timeout: Duration::from_secs(30),
            bodies_bytes_max: 64 * 1024 * 1024,
            connections_max: 10_000,
            connections_of_address_max: 5_000,
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

/// A server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The certificate or its key cannot be used.
    #[error("cannot use the certificate {}: {reason}", file.display())]
    Certificate {
        /// The file.
        file: PathBuf,
        /// The reason, for people.
        reason: String,
    },
}
