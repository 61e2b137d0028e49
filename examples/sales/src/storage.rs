//! Where tables A and B lie. A database in this program is served to its workers: they are processes of
//! their own, and reach it by its address.

use keyfold::{Credentials, Endpoint, Error, Keyfold};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions, StreamShards};
use keyfold_server::{Credential, Server, ServerConfig};
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};

/// The shards of the streams of a database in this program: each worker has one of each view.
const SHARDS: u32 = 2;
/// The access key of the workers.
const ACCESS_KEY: &str = "sales";
const SECRET_BYTES: usize = 24;

/// A database, and how a process of this machine reaches it.
#[derive(Debug)]
pub struct Storage {
    database: Keyfold,
    connection: String,
    secret: Option<String>,
    served: Option<Served>,
}

struct Served {
    engine: Arc<Engine>,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl std::fmt::Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Served").finish_non_exhaustive()
    }
}

impl Storage {
    /// Opens what a connection names. `memory:` and `keyfold:FOLDER` are opened by this program, which
    /// serves them at a free port of this machine to those who have its secret.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn open(connection: &str) -> Result<Storage, Error> {
        let folder = connection.strip_prefix("keyfold:").map(PathBuf::from);
        let store = match &folder {
            Some(folder) => StoreOptions::folder(folder, Durability::Synced),
            None if connection == "memory:" => StoreOptions::Memory,
            None => {
                let text = connection.to_owned();
                let database = in_pool(move || Keyfold::connect(&text)).await?;
                return Ok(Storage {
                    database,
                    connection: connection.to_owned(),
                    secret: None,
                    served: None,
                });
            }
        };
        Storage::serve(store, folder).await
    }

    async fn serve(store: StoreOptions, folder: Option<PathBuf>) -> Result<Storage, Error> {
        let shards = StreamShards {
            open_min: SHARDS,
            open_max: SHARDS,
            ..StreamShards::default()
        };
        let options = EngineOptions {
            shards,
            report: Some(Arc::new(|work, why| {
                // Where there is no log, nobody reads it.
                writeln!(std::io::stderr(), "{work}: {why}").unwrap_or_default();
            })),
            ..EngineOptions::new(store)
        };
        let opened = move || Engine::open(options).map_err(|error| Error::Open { folder, error });
        let engine = in_pool(opened).await?;
        let engine = Arc::new(engine);
        let secret = secret()?;
        let mut config = ServerConfig::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        config.credentials = vec![Credential::new(ACCESS_KEY, &secret)];
        let server = Server::bind(Arc::clone(&engine), config).await;
        let server = server.map_err(|error| Error::Unavailable(error.to_string()))?;
        let connection = format!("http://{}", server.address());
        let credentials = Credentials::new(ACCESS_KEY, &secret);
        let endpoint = Endpoint::new(&connection).credentials(credentials);
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(server.run(async {
            // A sender that is gone is a stop, too.
            stopped.await.unwrap_or_default();
        }));
        Ok(Storage {
            database: Keyfold::connect_with(endpoint)?,
            connection,
            secret: Some(secret),
            served: Some(Served {
                engine,
                stop,
                serving,
            }),
        })
    }

    /// The database.
    pub fn database(&self) -> &Keyfold {
        &self.database
    }

    /// The connection text for a process of this machine.
    pub fn connection(&self) -> &str {
        &self.connection
    }

    /// What such a process needs in its environment.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let secret = self.secret.iter().cloned();
        let variables = |secret| {
            [
                ("AWS_ACCESS_KEY_ID", ACCESS_KEY.to_owned()),
                ("AWS_SECRET_ACCESS_KEY", secret),
            ]
        };
        secret.flat_map(variables).collect()
    }

    /// Closes the database: its requests are answered first, and its folder can be opened again.
    ///
    /// # Errors
    /// Those of the last sync.
    pub async fn close(self) -> Result<(), Error> {
        let database = self.database;
        in_pool(move || database.close()).await?;
        let Some(served) = self.served else {
            return Ok(());
        };
        // A server that has ended hears nothing.
        served.stop.send(()).unwrap_or_default();
        let ended = served.serving.await;
        ended.map_err(|error| Error::Unavailable(format!("the server failed: {error}")))?;
        let engine = served.engine;
        let synced = in_pool(move || {
            let synced = engine.sync();
            drop(engine);
            synced.map_err(|error| Error::Unavailable(error.to_string()))
        });
        synced.await
    }
}

async fn in_pool<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = spawn_blocking(work).await;
    done.unwrap_or_else(|why| Err(Error::Unavailable(why.to_string())))
}

/// A secret that only this program and its workers have.
fn secret() -> Result<String, Error> {
    let mut bytes = [0; SECRET_BYTES];
    let drawn = getrandom::fill(&mut bytes);
    drawn.map_err(|error| Error::Unavailable(format!("no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
