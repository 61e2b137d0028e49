//! Listening, connections, shutdown.

use crate::config::{ServerConfig, ServerError};
use crate::http;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use keyfold_engine::Engine;
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// A server that listens but does not answer yet.
pub struct Server {
    listener: TcpListener,
    engine: Arc<Engine>,
    config: Arc<ServerConfig>,
}

impl Server {
    /// Starts listening; connections wait until [`Server::run`].
    ///
    /// # Errors
    /// `Bind` when the address is taken or not ours.
    pub async fn bind(engine: Arc<Engine>, config: ServerConfig) -> Result<Server, ServerError> {
        let address = config.address;
        let listener =
            TcpListener::bind(address).await.map_err(|source| ServerError::Bind { address, source })?;
        Ok(Server { listener, engine, config: Arc::new(config) })
    }

    /// The address listened on, with the port that was taken.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap_or(self.config.address)
    }

    /// Answers until `shutdown` is done, then finishes the requests under way.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let (stop, stopped) = watch::channel(());
        let mut connections = JoinSet::new();
        tokio::pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        let (engine, config) = (Arc::clone(&self.engine), Arc::clone(&self.config));
                        connections.spawn(connection(engine, config, stream, stopped.clone()));
                    }
                    // Out of file descriptors, or a client that went away: others are served on.
                    Err(_) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
                },
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
            }
        }
        drop(self.listener);
        drop(stopped);
        stop.send_replace(());
        let all_done = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(self.config.shutdown_timeout, all_done).await.is_err() {
            connections.abort_all();
        }
    }
}

async fn connection(
    engine: Arc<Engine>,
    config: Arc<ServerConfig>,
    stream: TcpStream,
    mut stopped: watch::Receiver<()>,
) {
    // Answers are small and whole: waiting to fill packets only costs.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let service = service_fn(|request| {
        let (engine, config) = (Arc::clone(&engine), Arc::clone(&config));
        async move { Ok::<_, Infallible>(http::answer(&engine, &config, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(config.receive_timeout)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        // A broken connection is the client's affair.
        _ended = &mut connection => {}
        _changed = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            if connection.await.is_err() {
                // Likewise.
            }
        }
    }
}
