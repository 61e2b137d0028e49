//! An attempt that a task awaits.

use super::exchange::{Attempt, Exchange, Head, checksum};
use super::pool::{Connection, Pool};
use super::signed::{ANSWER_BYTES_MAX, CHECKSUM, CONTENT_TYPE, Place, SESSION_TOKEN};
use crate::connection::Keys;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as _, Incoming};
use hyper::{Method, Response as Answer, header};
use std::fmt::Display;
use std::io;
use std::time::Duration;
use tokio::time::timeout;

/// The most bytes of an answer for which room is made before it arrives.
const RESERVED_BYTES_MAX: u64 = 1024 * 1024;

/// Sends requests from tasks of tokio.
#[derive(Default)]
pub(super) struct Awaited {
    pool: Pool,
}

impl Awaited {
    /// Sends a request once and classifies the outcome.
    pub(super) async fn attempt(
        &self,
        place: &Place,
        keys: &Keys,
        exchange: &Exchange,
        time: Duration,
    ) -> Attempt {
        let url = &place.address.url;
        let late = || format!("cannot reach {url}: no answer within {time:?}");
        let mut is_sent = false;
        match timeout(time, self.sent(place, keys, exchange, &mut is_sent)).await {
            Ok(attempt) => attempt,
            Err(_) => Attempt::Late {
                is_sent,
                why: late(),
            },
        }
    }

    /// Sends a request. `is_sent` is set before the first byte may leave.
    async fn sent(
        &self,
        place: &Place,
        keys: &Keys,
        exchange: &Exchange,
        is_sent: &mut bool,
    ) -> Attempt {
        let why = |error: &dyn Display| place.address.unreached(error, false);
        let mut connection = match self.connection(place).await {
            Ok(connection) => connection,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                return Attempt::Late {
                    is_sent: false,
                    why: why(&error),
                };
            }
            Err(error) => {
                let is_refused = error.kind() == io::ErrorKind::ConnectionRefused;
                return Attempt::NotSent(place.address.unreached(&error, is_refused));
            }
        };
        let request = match signed(place, keys, exchange) {
            Ok(request) => request,
            Err(error) => return Attempt::NotSent(why(&error)),
        };
        *is_sent = true;
        let answer = connection.sender().try_send_request(request);
        let answer = match connection.during(answer).await {
            Ok(answer) => answer,
            // The request comes back: the connection was closed before it took it.
            Err(error) if error.message().is_some() => {
                return Attempt::NotSent(why(error.error()));
            }
            Err(error) => return Attempt::Unknown(why(error.error())),
        };
        let status = answer.status().as_u16();
        let header = answer.headers().get(CHECKSUM);
        let checksum = checksum(header.map(|header| header.as_bytes()));
        match body(&mut connection, answer).await {
            Err(error) => Attempt::Unknown(why(&error)),
            Ok(bytes) => {
                self.pool.keep(connection).await;
                Attempt::of_answer(&place.address.url, Head { status, checksum }, bytes)
            }
        }
    }

    /// An unused connection, or a new one.
    async fn connection(&self, place: &Place) -> io::Result<Connection> {
        if let Some(connection) = self.pool.take().await {
            return Ok(connection);
        }
        let time = place.endpoint.connect_timeout;
        match timeout(time, Connection::open(&place.address, &place.authorities)).await {
            Ok(connection) => connection,
            Err(_) => {
                let why = format!("no connection within {time:?}");
                Err(io::Error::new(io::ErrorKind::TimedOut, why))
            }
        }
    }
}

/// A signed request.
///
/// # Errors
/// When the keys have characters that no header has.
fn signed(
    place: &Place,
    keys: &Keys,
    exchange: &Exchange,
) -> Result<hyper::Request<Full<Bytes>>, hyper::http::Error> {
    let signature = place.signature(keys, &exchange.target, &exchange.body);
    let mut request = hyper::Request::builder()
        .method(Method::POST)
        .uri("/")
        .header(header::HOST, &place.address.authority)
        .header(header::CONTENT_TYPE, CONTENT_TYPE)
        .header("x-amz-date", signature.timestamp)
        .header("x-amz-target", &exchange.target)
        .header(header::AUTHORIZATION, signature.authorization);
    if let Some(token) = &keys.session_token {
        request = request.header(SESSION_TOKEN, token);
    }
    if let Some(agent) = &place.endpoint.agent {
        request = request.header(header::USER_AGENT, agent);
    }
    request.body(Full::new(exchange.body.clone()))
}

/// Reads the body of an answer.
///
/// # Errors
/// When it is cut off, or longer than answers of the API are.
async fn body(connection: &mut Connection, answer: Answer<Incoming>) -> Result<Vec<u8>, String> {
    let mut body = answer.into_body();
    let expected = body.size_hint().lower().min(RESERVED_BYTES_MAX);
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    while let Some(frame) = connection.during(body.frame()).await {
        let frame = frame.map_err(|error| error.to_string())?;
        if let Ok(data) = frame.into_data() {
            bytes.extend_from_slice(&data);
        }
        if bytes.len() as u64 > ANSWER_BYTES_MAX {
            return Err(format!(
                "the answer is longer than {ANSWER_BYTES_MAX} bytes"
            ));
        }
    }
    Ok(bytes)
}
