//! Settings of a database: of a data folder, and of an endpoint.

use crate::error::Error;
use keyfold_client::Connection;
use keyfold_client::connection::Surroundings;
use keyfold_engine::{Durability, EngineOptions, FolderOptions, MEMORY_BUDGET, StoreOptions};
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// The default of `concurrency`.
pub(crate) const CONCURRENCY: usize = 64;

/// Settings with which a data folder is opened.
///
/// ```
/// use keyfold::{Durability, Keyfold, Options};
///
/// # let place = tempfile::tempdir().unwrap();
/// # let folder = place.path().join("data");
/// let options = Options::new().durability(Durability::Buffered).cache_bytes(64 << 20);
/// let db = Keyfold::open_with(&folder, options)?;
/// db.close()?;
/// # Ok::<(), keyfold::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    durability: Durability,
    memory_budget: u64,
    cache_bytes: Option<u64>,
    memtable_bytes: Option<u64>,
    concurrency: usize,
    enforces_capacity: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}

impl Options {
    /// The defaults: a write that has returned is on the device.
    pub fn new() -> Options {
        Options {
            durability: Durability::Synced,
            memory_budget: MEMORY_BUDGET,
            cache_bytes: None,
            memtable_bytes: None,
            concurrency: CONCURRENCY,
            enforces_capacity: false,
        }
    }

    /// When a write returns. With [`Durability::Buffered`] a crash of the machine may lose the last
    /// writes; a crash of the program does not.
    pub fn durability(mut self, durability: Durability) -> Options {
        self.durability = durability;
        self
    }

    /// Bytes of memory that the database may take, 256 MiB by default: half of it holds stored data, a
    /// sixty-fourth new data until it is flushed. `cache_bytes` and `memtable_bytes` set each of them.
    pub fn memory_budget(mut self, bytes: u64) -> Options {
        self.memory_budget = bytes;
        self
    }

    /// Bytes of stored data kept in memory; half of the budget by default.
    pub fn cache_bytes(mut self, bytes: u64) -> Options {
        self.cache_bytes = Some(bytes);
        self
    }

    /// Bytes of new data above which they are flushed to a table file; a sixty-fourth of the budget by default, 1 to
    /// 16 MiB. A reopening
    /// after a crash replays a few times as much from the log.
    pub fn memtable_bytes(mut self, bytes: u64) -> Options {
        self.memtable_bytes = Some(bytes);
        self
    }

    /// The most nonblocking calls that occupy a thread at a time; 64 by default, at least 1. Others
    /// wait for their turn without a thread.
    pub fn concurrency(mut self, calls: usize) -> Options {
        self.concurrency = calls;
        self
    }

    /// Refuses requests beyond the capacity of a table, an index or a partition, as the service does:
    /// with [`Error::Throttled`]. Without it capacity is only counted. For programs that are tested
    /// against throttling.
    pub fn enforce_capacity(mut self) -> Options {
        self.enforces_capacity = true;
        self
    }

    pub(crate) fn calls(&self) -> usize {
        self.concurrency
    }

    /// The options of an engine on a folder; without one, in memory.
    pub(crate) fn engine(self, folder: Option<&Path>) -> EngineOptions {
        let store = match folder {
            None => StoreOptions::Memory,
            Some(folder) => {
                let default = FolderOptions::new(folder).within(self.memory_budget);
                StoreOptions::Folder(FolderOptions {
                    durability: self.durability,
                    cache_bytes: self.cache_bytes.unwrap_or(default.cache_bytes),
                    memtable_bytes: self.memtable_bytes.unwrap_or(default.memtable_bytes),
                    ..default
                })
            }
        };
        EngineOptions {
            enforce_capacity: self.enforces_capacity,
            ..EngineOptions::new(store)
        }
    }
}

/// The keys that sign requests to an endpoint.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    access_key: String,
    secret: String,
    session_token: Option<String>,
}

impl Credentials {
    /// An access key and its secret.
    pub fn new(access_key: impl Into<String>, secret: impl Into<String>) -> Credentials {
        Credentials {
            access_key: access_key.into(),
            secret: secret.into(),
            session_token: None,
        }
    }

    /// The session token of temporary credentials.
    pub fn session_token(mut self, token: impl Into<String>) -> Credentials {
        self.session_token = Some(token.into());
        self
    }

    /// Those of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; none when neither key
    /// nor secret is set.
    ///
    /// # Errors
    /// `Invalid` when one of key and secret is set and the other is not.
    pub fn from_env() -> Result<Option<Credentials>, Error> {
        let keys = Surroundings::of_process().keys()?;
        Ok(keys.map(|keys| Credentials {
            access_key: keys.access_key,
            secret: keys.secret,
            session_token: keys.session_token,
        }))
    }
}

/// Shows neither the secret nor the token.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("access_key", &self.access_key)
            .finish_non_exhaustive()
    }
}

/// An endpoint with Amazon DynamoDB's API, and how it is used.
///
/// ```
/// use keyfold::{Credentials, Endpoint, Keyfold};
/// use std::time::Duration;
///
/// let endpoint = Endpoint::new("http://127.0.0.1:8000")
///     .region("eu-west-1")
///     .credentials(Credentials::new("key", "secret").session_token("token"))
///     .request_timeout(Duration::from_secs(5))
///     .retries(1);
/// let db = Keyfold::connect_with(endpoint)?;
/// # Ok::<(), keyfold::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Endpoint {
    inner: keyfold_client::Endpoint,
    concurrency: usize,
}

impl Endpoint {
    /// An endpoint in us-east-1 with the credentials `local`, which local servers take.
    pub fn new(url: &str) -> Endpoint {
        Endpoint::of(keyfold_client::Endpoint::new(url))
    }

    /// The endpoint of a connection text, `http://127.0.0.1:8000`, `https://…` or
    /// `dynamodb://eu-west-1?profile=NAME`, with region and credentials of the environment and the
    /// shared AWS files: see [`Keyfold::connect`](crate::Keyfold::connect).
    ///
    /// # Errors
    /// `Invalid` when the text names no endpoint, or region or credentials are missing.
    pub fn from_env(text: &str) -> Result<Endpoint, Error> {
        let connection: Connection = text.parse()?;
        match connection.endpoint(&Surroundings::of_process())? {
            Some(inner) => Ok(Endpoint::of(inner)),
            None => Err(Error::invalid(format!(
                "`{text}` is a database in this process, and no endpoint: `Keyfold::connect` opens it"
            ))),
        }
    }

    pub(crate) fn of(inner: keyfold_client::Endpoint) -> Endpoint {
        Endpoint {
            inner,
            concurrency: CONCURRENCY,
        }
    }

    /// The region of signatures.
    pub fn region(mut self, region: impl Into<String>) -> Endpoint {
        self.inner.region = region.into();
        self
    }

    /// The keys that sign requests.
    pub fn credentials(mut self, credentials: Credentials) -> Endpoint {
        let Credentials {
            access_key,
            secret,
            session_token,
        } = credentials;
        self.inner.access_key = access_key;
        self.inner.secret = secret;
        self.inner.session_token = session_token;
        self.inner.elsewhere = None;
        self
    }

    /// The certificate authorities, as PEM, one of which the server's certificate must be of. They take
    /// the place of the public ones. A connection text has `?ca=FILE`, and AWS_CA_BUNDLE names a file
    /// for those that have none. Sources of credentials are asked with the public ones.
    pub fn certificate_authorities(mut self, pem: impl Into<Vec<u8>>) -> Endpoint {
        self.inner.authorities = Some(pem.into());
        self
    }

    /// The most time to connect; 10 seconds by default.
    pub fn connect_timeout(mut self, time: Duration) -> Endpoint {
        self.inner.connect_timeout = time;
        self
    }

    /// The most time of one attempt, from connecting to the end of the answer; 30 seconds by default.
    pub fn request_timeout(mut self, time: Duration) -> Endpoint {
        self.inner.request_timeout = time;
        self
    }

    /// How often a request is sent again at the most; 3 by default. Only a request that was not
    /// carried out, or can be carried out twice without harm, is sent again.
    pub fn retries(mut self, retries: u32) -> Endpoint {
        self.inner.retries = retries;
        self
    }

    /// The most requests of nonblocking calls that are under way at a time, each on a connection of its
    /// own; 64 by default, at least 1. Others wait for their turn without a thread.
    pub fn concurrency(mut self, calls: usize) -> Endpoint {
        self.concurrency = calls;
        self
    }

    pub(crate) fn calls(&self) -> usize {
        self.concurrency
    }

    pub(crate) fn into_client(self) -> keyfold_client::Endpoint {
        self.inner
    }
}
