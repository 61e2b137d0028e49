//! Listening on this machine, and answering.

use crate::explore::Place;
use crate::files::Files;
use crate::gate::Gate;
use crate::language::MakeFiles;
use crate::learn::{Samples, Stand, Stands};
use crate::pages;
use crate::proof::{Proofs, Prove};
use crate::shared::{Shared, secret};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The time within which a request's headers must have come.
const HEADERS_TIME_MAX: Duration = Duration::from_secs(30);
/// Pause after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// What a workbench is started with.
pub struct Options {
    /// The port; 0 takes any free one.
    pub port: u16,
    /// The models that it shows, and may save.
    pub files: Vec<PathBuf>,
    /// Makes the files that the language server reads beside the open ones.
    pub language_files: MakeFiles,
    /// Proves a model by execution.
    pub prove: Prove,
    /// The place whose data it shows, if any.
    pub place: Option<Place>,
    /// The designs to learn from.
    pub samples: Samples,
}

/// A workbench that listens, but does not answer yet.
pub struct Workbench {
    listener: TcpListener,
    url: String,
    shared: Arc<Shared>,
}

impl Workbench {
    /// Starts listening on this machine.
    ///
    /// # Errors
    /// When the port is taken, or the system gives no chance for the secrets.
    pub async fn bind(options: Options) -> std::io::Result<Workbench> {
        let Options {
            port,
            files,
            language_files,
            prove,
            place,
            samples,
        } = options;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).await?;
        let port = listener.local_addr()?.port();
        let (token, session) = (secret()?, secret()?);
        let url = format!("http://127.0.0.1:{port}/?token={token}");
        let stand = Stand {
            files: Files::new(files),
            place,
        };
        let shared = Shared {
            gate: Gate::new(port, token, session),
            stands: Stands::new(stand, samples),
            language_files,
            proofs: Proofs::new(prove),
        };
        Ok(Workbench {
            listener,
            url,
            shared: Arc::new(shared),
        })
    }

    /// The address to open, with the token. It works once.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Answers until `shutdown` is done; then open pages are left.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let mut connections = JoinSet::new();
        tokio::pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        let shared = Arc::clone(&self.shared);
                        connections.spawn(async move {
                            let answer = service_fn(|request| {
                                let shared = Arc::clone(&shared);
                                async move { Ok::<_, Infallible>(pages::answer(&shared, request).await) }
                            });
                            let connection = http1::Builder::new()
                                .timer(TokioTimer::new())
                                .header_read_timeout(HEADERS_TIME_MAX)
                                .serve_connection(TokioIo::new(stream), answer)
                                .with_upgrades();
                            if let Err(error) = connection.await {
                                tracing::debug!("a connection broke: {error}");
                            }
                        });
                    }
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
            }
        }
        connections.abort_all();
    }
}
