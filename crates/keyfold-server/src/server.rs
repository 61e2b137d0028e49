//! Listening, connections, shutdown.

use crate::addresses::Addresses;
use crate::budget::Budget;
use crate::config::{ServerConfig, ServerError};
use crate::heads::Heads;
use crate::http;
use crate::latency::Latency;
use crate::metrics::Metrics;
use crate::paced::Paced;
use crate::tls;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use keyfold_engine::Engine;
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// The state that every request needs.
pub(crate) struct Service {
    pub(crate) engine: Arc<Engine>,
    pub(crate) config: ServerConfig,
    pub(crate) metrics: Metrics,
    pub(crate) latency: Option<Latency>,
    /// Memory for requests' bodies.
    pub(crate) received: Budget,
    /// Memory for answers.
    pub(crate) sent: Budget,
    /// Requests that have been received whole and are not answered yet.
    pub(crate) executing: AtomicUsize,
}

/// One of the requests that are carried out, until this is dropped.
pub(crate) struct Executing<'s>(&'s Service);

impl Service {
    pub(crate) fn executing(&self) -> Executing<'_> {
        self.executing.fetch_add(1, Ordering::Relaxed);
        Executing(self)
    }
}

impl Drop for Executing<'_> {
    fn drop(&mut self) {
        self.0.executing.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Silence after which an idle client is disconnected during a shutdown.
const SILENCE_MAX: Duration = Duration::from_secs(1);
/// Interval at which that is checked.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Bytes that the system may hold of a connection each way, which are nobody's budget: enough for
/// any network that a database is on.
const SOCKET_BYTES: u32 = 256 * 1024;
/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// Bytes of a request's headers at the most: SDKs send less than a tenth.
const HEADERS_BYTES_MAX: usize = 64 * 1024;

impl Server {
    /// Starts listening; connections wait until [`Server::run`].
    ///
    /// # Errors
    /// `Bind` when the address is taken or not ours, `Certificate` when that cannot be used.
    pub async fn bind(engine: Arc<Engine>, config: ServerConfig) -> Result<Server, ServerError> {
        let address = config.address;
        let listener = listen(address).map_err(|source| ServerError::Bind { address, source })?;
        let tls = config.tls.as_ref().map(tls::acceptor).transpose()?;
        let latency = config
            .latency
            .map(|(profile, seed)| Latency::new(profile, seed));
        let (received, sent) = (
            Budget::new(config.bodies_bytes_max),
            Budget::new(config.bodies_bytes_max),
        );
        let service = Service {
            engine,
            config,
            metrics: Metrics::new(),
            latency,
            received,
            sent,
            executing: AtomicUsize::new(0),
        };
        Ok(Server {
            listener,
            tls,
            service: Arc::new(service),
        })
    }

    /// The address listened on, with the port that was taken.
    pub fn address(&self) -> SocketAddr {
        self.listener
            .local_addr()
            .unwrap_or(self.service.config.address)
    }

    /// Answers until `shutdown` is done, then finishes the requests under way.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let (stop, stopped) = watch::channel(());
        let mut connections = JoinSet::new();
        let addresses = Addresses::new(self.service.config.connections_of_address_max);
        tokio::pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                accepted = self.listener.accept(), if connections.len() < self.service.config.connections_max => match accepted {
                    Ok((stream, from)) => {
                        let Some(place) = addresses.admit(from.ip()) else {
                            self.service.metrics.turned_away();
                            tracing::warn!(%from, "closed at once: the address has as many connections as it may (--connections-of-address)");
                            continue;
                        };
                        let (service, tls, stopped) = (Arc::clone(&self.service), self.tls.clone(), stopped.clone());
                        connections.spawn(async move {
                            connection(service, tls, stream, stopped).await;
                            drop(place);
                        });
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
        let too_long = async {
            tokio::select! {
                () = tokio::time::sleep(self.service.config.shutdown_timeout) => {}
                () = silence(&self.service) => {}
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
}

/// Ends when nothing has been carried out for a while: who is connected still says nothing, or does
/// not read its answer.
async fn silence(service: &Service) {
    let mut silent = Duration::ZERO;
    while silent < SILENCE_MAX {
        tokio::time::sleep(LOOK_EVERY).await;
        silent = if service.executing.load(Ordering::Relaxed) == 0 {
            silent + LOOK_EVERY
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
        // A restarted server takes its port again at once.
        socket.set_reuseaddr(true)?;
    }
    // Connections inherit both.
    socket.set_send_buffer_size(SOCKET_BYTES)?;
    socket.set_recv_buffer_size(SOCKET_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// A connection that is counted until this is dropped, however it ends.
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
    // Answers are small and whole: waiting to fill packets only costs.
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

/// Answers one request after another.
async fn converse(
    service: &Arc<Service>,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    mut stopped: watch::Receiver<()>,
) {
    let answer = service_fn(|request| {
        let service = Arc::clone(service);
        async move { Ok::<_, Infallible>(http::answer(&service, request).await) }
    });
    // A client that does not read answers is disconnected; each holds one at the most, since its
    // next request waits.
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
        // A broken connection is the client's affair.
        _ended = &mut connection => {}
        _changed = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            if connection.await.is_err() {
                // The client is gone: nobody is left to report it to.
            }
        }
    }
}
