//! Listening, connections, shutdown.

use crate::addresses::{Addresses, Admitted};
use crate::config::{ServerConfig, ServerError};
use crate::heads::Heads;
use crate::http;
use crate::paced::Paced;
use crate::service::Service;
use crate::tls;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use keyfold_engine::Engine;
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;

/// A server that listens but does not answer yet.
pub struct Server {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    service: Arc<Service>,
}

/// Silence after which an idle client is disconnected during a shutdown.
const SILENCE_MAX: Duration = Duration::from_secs(1);
/// Interval at which silence is checked.
const SILENCE_INTERVAL: Duration = Duration::from_millis(50);

/// The buffer that the system keeps for a connection each way, outside of our budgets: enough for
/// any network that a database is on.
const SOCKET_BYTES: u32 = 256 * 1024;
/// Pause after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);
/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// The limit of a request's headers in bytes: SDKs send less than a tenth.
const HEADERS_BYTES_MAX: usize = 64 * 1024;

/// The counters of a server, which end with it: whoever has them does not keep the engine open.
#[derive(Clone)]
pub struct Counters(Weak<Service>);

impl Counters {
    /// What `/metrics` answers: requests and latencies by operation, in the text form of OpenMetrics. `None` when the
    /// server has ended.
    pub fn text(&self) -> Option<String> {
        self.0.upgrade().map(|service| service.counters())
    }
}

impl Server {
    /// Starts listening; connections wait until [`Server::run`].
    ///
    /// # Errors
    /// `Bind` when the address cannot be listened on, `Certificate` when the certificate or its key
    /// cannot be used.
    pub async fn bind(engine: Arc<Engine>, config: ServerConfig) -> Result<Server, ServerError> {
        let address = config.address;
        let listener = listen(address).map_err(|source| ServerError::Bind { address, source })?;
        let tls = config.tls.as_ref().map(tls::acceptor).transpose()?;
        Ok(Server {
            listener,
            tls,
            service: Arc::new(Service::new(engine, config)),
        })
    }

    /// The address listened on, with the port that was taken.
    pub fn address(&self) -> SocketAddr {
        self.listener
            .local_addr()
            .unwrap_or(self.service.config.address)
    }

    /// The counters of the server, for those who are in its process.
    pub fn counters(&self) -> Counters {
        Counters(Arc::downgrade(&self.service))
    }

    /// Answers until `shutdown` is done, then finishes the requests in flight and closes the engine, if
    /// nobody else holds it. Each of the two gets [`ServerConfig::shutdown_timeout`]: where that was not
    /// enough, the data folder is still in use when this returns.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let (stop, stopped) = watch::channel(());
        let mut connections = JoinSet::new();
        let config = &self.service.config;
        let addresses = Addresses::new(config.connections_of_address_max);
        tokio::pin!(shutdown);
        loop {
            let has_capacity = connections.len() < config.connections_max;
            tokio::select! {
                () = &mut shutdown => break,
                accepted = self.listener.accept(), if has_capacity => match accepted {
                    Ok((stream, from)) => {
                        if let Some(admitted) = self.admit(&addresses, from) {
                            let (service, tls) = (Arc::clone(&self.service), self.tls.clone());
                            let stopped = stopped.clone();
                            connections.spawn(async move {
                                connection(service, tls, stream, stopped).await;
                                drop(admitted);
                            });
                        }
                    }
                    // Out of file descriptors, or the client went away: serve the others.
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
            }
        }
        drop(self.listener);
        drop(stopped);
        stop.send_replace(());
        drain(&self.service, &mut connections).await;
        close(self.service, connections).await;
    }

    /// Counts a connection for its address, or refuses it.
    fn admit(&self, addresses: &Arc<Addresses>, from: SocketAddr) -> Option<Admitted> {
        let admitted = addresses.admit(from.ip());
        if admitted.is_none() {
            self.service.metrics.connection_refused();
            tracing::warn!(%from, "closed at once: the address has reached its limit of connections (--connections-of-address)");
        }
        admitted
    }
}

/// Waits for open connections to finish; aborts them after the shutdown's time limit, or when no
/// request is executing any more.
async fn drain(service: &Service, connections: &mut JoinSet<()>) {
    let all_done = async { while connections.join_next().await.is_some() {} };
    let too_long = async {
        tokio::select! {
            () = tokio::time::sleep(service.config.shutdown_timeout) => {}
            () = silence(service) => {}
        }
    };
    let is_done = tokio::select! {
        () = all_done => true,
        () = too_long => false,
    };
    if !is_done {
        connections.abort_all();
    }
}

/// Gives the service back when the last connection has. Whoever holds an engine last closes it, and
/// that waits for the device: here never one of the threads that answer.
async fn close(service: Arc<Service>, mut connections: JoinSet<()>) {
    let time_limit = service.config.shutdown_timeout;
    let closed = tokio::spawn(async move {
        while connections.join_next().await.is_some() {}
        tokio::task::spawn_blocking(move || drop(service)).await
    });
    // A device that never answers is waited for beside the caller, who may end the process.
    match tokio::time::timeout(time_limit, closed).await {
        Ok(Ok(Ok(()))) => {}
        Ok(_) => {
            tracing::error!("closing the store has panicked; acknowledged writes are on the disk")
        }
        Err(_) => tracing::warn!(
            "the store is still being closed; its data folder stays in use until then"
        ),
    }
}

/// Returns when no request has been executed for a while: the remaining clients send nothing, or do
/// not read their answers.
async fn silence(service: &Service) {
    let mut silent = Duration::ZERO;
    while silent < SILENCE_MAX {
        tokio::time::sleep(SILENCE_INTERVAL).await;
        silent = if service.is_idle() {
            silent + SILENCE_INTERVAL
        } else {
            Duration::ZERO
        };
    }
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    if cfg!(unix) {
        // Lets a restarted server take its port again at once.
        socket.set_reuseaddr(true)?;
    }
    // Accepted connections inherit both sizes.
    socket.set_send_buffer_size(SOCKET_BYTES)?;
    socket.set_recv_buffer_size(SOCKET_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// A connection that counts as open until this is dropped.
struct Counted<'s>(&'s Service);

impl<'s> Counted<'s> {
    fn new(service: &'s Service) -> Counted<'s> {
        service.metrics.connected();
        Counted(service)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.metrics.disconnected();
    }
}

async fn connection(
    service: Arc<Service>,
    tls: Option<TlsAcceptor>,
    stream: TcpStream,
    stopped: watch::Receiver<()>,
) {
    // Answers are written at once: waiting to fill packets would only delay them.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let _counted = Counted::new(&service);
    match tls {
        None => converse(&service, stream, stopped).await,
        Some(tls) => {
            let handshake =
                tokio::time::timeout(service.config.receive_timeout, tls.accept(stream));
            if let Ok(Ok(stream)) = handshake.await {
                converse(&service, stream, stopped).await;
            }
        }
    }
}

/// Answers the requests of a connection one after another.
async fn converse(
    service: &Arc<Service>,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    mut stopped: watch::Receiver<()>,
) {
    let answer = service_fn(|request| {
        let service = Arc::clone(service);
        async move { Ok::<_, Infallible>(http::answer(&service, request).await) }
    });
    // A client that does not read its answer is disconnected. It holds one answer at most, since
    // its next request is read afterwards.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(service.config.send_timeout));
    let stream = Paced::new(Box::pin(stream), service.config.send_timeout);
    let stream = Heads::new(stream);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(service.config.receive_timeout)
        .max_buf_size(HEADERS_BYTES_MAX)
        .max_header_size(HEADERS_BYTES_MAX)
        // A client that closes its sending side is still answered.
        .half_close(true)
        .serve_connection(TokioIo::new(stream), answer);
    tokio::pin!(connection);
    tokio::select! {
        // The client is gone after a broken connection, so there is nobody to report it to.
        _ended = &mut connection => {}
        _changed = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            if connection.await.is_err() {
                // The client is gone here, too.
            }
        }
    }
}
