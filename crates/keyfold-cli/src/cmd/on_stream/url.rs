//! A function at a URL: the event is posted, as the Lambda runtime interface emulator takes it.

use super::surroundings::{ANSWER_MAX, Surroundings, TOO_LONG, timed_out};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use keyfold_stream::mapping::{Function, Invocation, Reply};
use serde_json::Value as Json;
use std::error::Error;
use std::io;
use std::net::ToSocketAddrs as _;
use std::time::Duration;
use tokio::net::TcpStream;

/// The most time for a connection, which is not yet a call of the function.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The most time for the connection that only shows whether somebody answers.
const REACH_TIMEOUT: Duration = Duration::from_secs(1);
/// The header of an answer that is an error of the function.
const FUNCTION_ERROR: &str = "x-amz-function-error";

/// A URL without TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    authority: String,
    path: String,
}

impl Url {
    pub(super) fn parse(text: &str) -> Result<Url, String> {
        let uri: hyper::Uri = text
            .parse()
            .map_err(|error| format!("`{text}` is no URL: {error}"))?;
        let authority = uri.authority().filter(|one| !one.host().is_empty());
        match (uri.scheme_str(), authority) {
            (Some("http"), Some(authority)) => {
                check(text, authority)?;
                Ok(Url {
                    authority: authority.to_string(),
                    path: uri.path().to_owned(),
                })
            }
            (_, _) => Err(format!(
                "`{text}` is no URL of a local function: write http://HOST:PORT/PATH"
            )),
        }
    }

    /// Connects once. The reason for which nobody answers.
    pub(super) fn reach(&self) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.authority);
        let addresses = self.address().to_socket_addrs().map_err(failed)?;
        let mut why = format!("{} has no address", self.authority);
        for address in addresses {
            match std::net::TcpStream::connect_timeout(&address, REACH_TIMEOUT) {
                Ok(_) => return Ok(()),
                Err(error) => why = failed(error),
            }
        }
        Err(why)
    }

    /// Host and port, for a connection.
    fn address(&self) -> String {
        let has_port = self
            .authority
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        match has_port {
            true => self.authority.clone(),
            false => format!("{}:80", self.authority),
        }
    }
}

/// Refuses what no connection can be made to, and what would not be sent.
fn check(text: &str, authority: &hyper::http::uri::Authority) -> Result<(), String> {
    if authority.as_str().contains('@') {
        return Err(format!(
            "`{text}` has a user, who is not sent: write http://HOST:PORT/PATH"
        ));
    }
    let behind = authority.as_str().strip_prefix(authority.host());
    match behind.and_then(|behind| behind.strip_prefix(':')) {
        Some(port) if port.parse().is_ok_and(|port: u16| port > 0) => Ok(()),
        Some(port) => Err(format!(
            "`{text}` has no port: `{port}` is no whole number from 1 to 65535"
        )),
        None => Ok(()),
    }
}

/// A function at a URL.
pub(super) struct AtUrl {
    url: Url,
    surroundings: Surroundings,
}

impl AtUrl {
    pub(super) fn new(url: Url, surroundings: Surroundings) -> AtUrl {
        AtUrl { url, surroundings }
    }

    /// Connects. What does not answer within this time is not there: nobody was called.
    async fn connected(&self, most: Duration) -> Result<TcpStream, String> {
        let of = &self.url.authority;
        let stream = tokio::time::timeout(most, TcpStream::connect(self.url.address())).await;
        let seconds = most.as_secs_f64();
        let stream =
            stream.map_err(|_| format!("{of}: nobody answers within {seconds:.2} seconds"))?;
        stream.map_err(|error| format!("{of}: {error}"))
    }

    /// Posts an event on a connection.
    async fn post(&self, stream: TcpStream, event: String) -> Result<Reply, String> {
        let failed = |error: hyper::Error| error.to_string();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(failed)?;
        // The answer's error says the same as that of the connection.
        tokio::spawn(async move { drop(connection.await) });
        let request = Request::post(&self.url.path)
            .header(header::HOST, &self.url.authority)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(event)))
            .map_err(|error| error.to_string())?;
        let answer = match sender.send_request(request).await {
            Ok(answer) => answer,
            // Nothing of it was sent.
            Err(error) if error.is_canceled() => return Err(failed(error)),
            // The function may have the event: it counts as one that it has failed with.
            Err(error) => return Ok(without_answer(&error)),
        };
        let status = answer.status();
        let kind = answer
            .headers()
            .get(FUNCTION_ERROR)
            .map(|kind| kind.as_bytes().to_vec());
        let body = Limited::new(answer.into_body(), ANSWER_MAX);
        let body = match body.collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => {
                return Ok(Reply::Failed("Unhandled", TOO_LONG.to_owned()));
            }
            Err(error) => return Ok(without_answer(&*error)),
        };
        let text = String::from_utf8_lossy(&body).into_owned();
        Ok(match (kind.as_deref(), status) {
            (Some(b"Handled"), _) => Reply::Failed("Handled", text),
            (Some(_), _) => Reply::Failed("Unhandled", text),
            // The function was not called: it has no room for more.
            (None, StatusCode::TOO_MANY_REQUESTS) => {
                Reply::Unreachable(format!("{status}: {text}"))
            }
            (None, StatusCode::OK) => match is_error(&text) {
                true => Reply::Failed("Unhandled", text),
                false => Reply::Returned(text),
            },
            (None, _) => Reply::Failed("Unhandled", format!("{status}: {text}")),
        })
    }
}

/// A function that got the event, or a part of it, and whose answer did not come, or cannot be read.
fn without_answer(error: &(dyn Error + 'static)) -> Reply {
    let why = match is_no_http(error) {
        true => format!("its answer is no valid HTTP: {}", cause(error)),
        false => format!("the function closed the connection before it answered: {error}"),
    };
    Reply::Failed("Unhandled", why)
}

/// Whether bytes have come that are no HTTP, or larger than an answer's headers may be. Of a body, the reader of chunks
/// says so by the kind of its error.
fn is_no_http(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(one) = next {
        if one.downcast_ref().is_some_and(hyper::Error::is_parse) {
            return true;
        }
        if let Some(read) = one.downcast_ref::<io::Error>() {
            let kind = read.kind();
            return kind == io::ErrorKind::InvalidInput || kind == io::ErrorKind::InvalidData;
        }
        next = one.source();
    }
    false
}

/// The last cause of an error: it says most.
fn cause(error: &(dyn Error + 'static)) -> String {
    let mut last = error;
    while let Some(next) = last.source() {
        last = next;
    }
    last.to_string()
}

impl Function for AtUrl {
    fn invoke(&self, invocation: Invocation<'_>) -> Reply {
        let timeout = invocation.timeout;
        let event = invocation.event.to_owned();
        let call = async move {
            let stream = self.connected(timeout.min(CONNECT_TIMEOUT)).await?;
            // The time of the function begins when it is called.
            let posted = tokio::time::timeout(timeout, self.post(stream, event)).await;
            posted.unwrap_or_else(|_| Ok(Reply::Failed("Unhandled", timed_out(timeout))))
        };
        match self.surroundings.carried(call) {
            None => Reply::Unreachable("the server stops".to_owned()),
            Some(Ok(reply)) => reply,
            Some(Err(why)) => Reply::Unreachable(why),
        }
    }

    fn arn(&self) -> String {
        // The runtime interface emulator has the name in its path.
        let mut parts = self.url.path.split('/');
        let name = parts
            .by_ref()
            .find(|part| *part == "functions")
            .and(parts.next());
        self.surroundings.arn(name.unwrap_or("function"))
    }
}

/// Whether an answer is the error of a function, as the runtime interface emulator returns it.
fn is_error(text: &str) -> bool {
    let json: Result<Json, _> = serde_json::from_str(text);
    json.is_ok_and(|json| json.get("errorType").is_some_and(Json::is_string))
}
