//! Connections that tasks use, one request at a time, and keep between two requests.
//!
//! A connection is driven by the task whose request it carries, and by no task of its own. A request
//! that nobody awaits any more closes its connection: a half-used one never comes back.
//!
//! A connection belongs to the runtime in which it was made, whose thread watches its socket.

use super::tls::Authorities;
use crate::endpoint::Address;
use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::{Handle, Id};

/// The most time that an unused connection is kept. It is shorter than that of servers: a request on
/// a connection that the server closes at the same moment has an unknown outcome.
pub(super) const IDLE_MAX: Duration = Duration::from_secs(10);
/// The most unused connections that are kept.
const IDLE_COUNT_MAX: usize = 64;

type Body = Full<Bytes>;

/// A socket, with or without TLS.
trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Socket for S {}

/// Unused connections.
#[derive(Default)]
pub(super) struct Pool {
    idle: Mutex<Vec<Idle>>,
}

/// An unused connection.
struct Idle {
    connection: Connection,
    runtime: Id,
    since: Instant,
}

impl Pool {
    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection of this runtime that was used last, if it is still open.
    pub(super) async fn take(&self) -> Option<Connection> {
        loop {
            let mut connection = self.newest()?;
            if std::future::poll_fn(|context| Poll::Ready(connection.is_free(context))).await {
                return Some(connection);
            }
        }
    }

    fn newest(&self) -> Option<Connection> {
        let runtime = Handle::current().id();
        let mut idle = self.idle();
        idle.retain(|one| one.since.elapsed() < IDLE_MAX);
        let at = idle.iter().rposition(|one| one.runtime == runtime)?;
        Some(idle.remove(at).connection)
    }

    /// Keeps a connection whose answer has been read whole.
    pub(super) async fn keep(&self, mut connection: Connection) {
        if !std::future::poll_fn(|context| Poll::Ready(connection.is_free(context))).await {
            return;
        }
        let mut idle = self.idle();
        idle.retain(|one| one.since.elapsed() < IDLE_MAX);
        if idle.len() == IDLE_COUNT_MAX {
            idle.remove(0);
        }
        idle.push(Idle {
            connection,
            runtime: Handle::current().id(),
            since: Instant::now(),
        });
    }
}

/// A connection: what sends a request, and what moves its bytes.
pub(super) struct Connection {
    sender: http1::SendRequest<Body>,
    /// None when the connection is closed.
    bytes: Option<http1::Connection<TokioIo<Box<dyn Socket>>, Body>>,
}

impl Connection {
    /// Connects to an endpoint.
    ///
    /// # Errors
    /// When it cannot be reached, or its certificate is not its own.
    pub(super) async fn open(
        address: &Address,
        authorities: &Authorities,
    ) -> io::Result<Connection> {
        let stream = TcpStream::connect((address.host.as_str(), address.port)).await?;
        stream.set_nodelay(true)?;
        let socket: Box<dyn Socket> = if address.is_encrypted {
            Box::new(authorities.encrypted(&address.host, stream).await?)
        } else {
            Box::new(stream)
        };
        let (sender, bytes) = http1::handshake(TokioIo::new(socket))
            .await
            .map_err(io::Error::other)?;
        Ok(Connection {
            sender,
            bytes: Some(bytes),
        })
    }

    /// What sends a request. Its answer is awaited by [`Connection::during`].
    pub(super) fn sender(&mut self) -> &mut http1::SendRequest<Body> {
        &mut self.sender
    }

    /// Awaits something that the connection's bytes lead to.
    pub(super) async fn during<F: Future>(&mut self, future: F) -> F::Output {
        let mut future = pin!(future);
        std::future::poll_fn(|context| {
            self.advance(context);
            future.as_mut().poll(context)
        })
        .await
    }

    /// Moves the bytes that can be moved.
    fn advance(&mut self, context: &mut Context<'_>) {
        let Some(bytes) = &mut self.bytes else {
            return;
        };
        // A failure arrives at the answer's reader, too, which reports it.
        if Pin::new(bytes).poll(context).is_ready() {
            self.bytes = None;
        }
    }

    /// Whether the connection can take a request now.
    fn is_free(&mut self, context: &mut Context<'_>) -> bool {
        self.advance(context);
        let ready = self.sender.poll_ready(context);
        self.bytes.is_some() && matches!(ready, Poll::Ready(Ok(())))
    }
}
