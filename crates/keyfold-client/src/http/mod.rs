//! The API over HTTP: signed requests and decoded answers.
//!
//! - [`exchange`]: which attempt is repeated, and which error a call ends with.
//! - [`blocking`]: an attempt that blocks its thread; [`awaited`]: one that a task awaits.
//! - [`pool`]: connections of tasks between two requests; [`addresses`]: those of hosts between two
//!   blocking requests.
//! - [`source`]: keys that expire; `chain`: where they come from.

mod addresses;
mod awaited;
mod blocking;
#[cfg(feature = "aws")]
mod chain;
mod exchange;
mod pool;
mod signed;
mod source;
mod tls;

use crate::endpoint::{Address, Endpoint};
use crate::runtime::on_tokio;
use crate::terms::Terms;
use awaited::Awaited;
use blocking::Blocking;
use exchange::{Attempt, CHANCE_MS, Exchange, Next};
use keyfold_api::{Request, Response};
use keyfold_lower::ClientError;
use keyfold_wire::admin::{COPY_TARGET, decode_copied, encode_copy};
use signed::Place;
use std::sync::Arc;
use std::time::Duration;

/// Timeout of a copy of a data folder: the server answers when the copy is complete.
const COPY_TIMEOUT: Duration = Duration::from_secs(6 * 60 * 60);

/// The result of a request, and how often it was sent.
pub(crate) type Outcome = (Result<Response, ClientError>, u32);

/// An endpoint.
pub struct HttpBackend {
    place: Place,
    /// The endpoint of the operations on streams, where it is another.
    streams: Option<Arc<HttpBackend>>,
    blocking: Blocking,
    awaited: Awaited,
}

impl HttpBackend {
    pub(crate) fn new(endpoint: Endpoint) -> Result<HttpBackend, ClientError> {
        let place = Place::new(endpoint)?;
        let streams = match of_streams(&place.address) {
            Some(url) => {
                let endpoint = place.endpoint.clone();
                Some(Arc::new(HttpBackend::new(Endpoint { url, ..endpoint })?))
            }
            None => None,
        };
        Ok(HttpBackend {
            streams,
            blocking: Blocking::new(&place),
            awaited: Awaited::default(),
            place,
        })
    }

    /// The host and the port.
    pub(crate) fn address(&self) -> (&str, u16) {
        let Address { host, port, .. } = &self.place.address;
        (host, *port)
    }

    /// Carries out a request at most once, and blocks the thread.
    pub(crate) fn call(&self, request: Request, terms: &Terms) -> Outcome {
        if let Some(streams) = self.streams_for(&request) {
            return streams.call(request, terms);
        }
        let mut exchange = self.exchange(request);
        loop {
            let attempt = match terms.at_most(self.place.endpoint.request_timeout) {
                Ok(time) => match self.place.keys_now(time) {
                    Ok(keys) => {
                        let sent = (exchange.target.as_str(), &exchange.body[..]);
                        self.blocking.attempt(&self.place, &keys, sent, time)
                    }
                    Err(why) => Attempt::NotSent(why),
                },
                Err(why) => Attempt::NotSent(why),
            };
            match exchange.after(attempt, terms.left(), fastrand::u64(CHANCE_MS)) {
                Next::Again(delay) => std::thread::sleep(delay),
                Next::Done(result) => return (result, exchange.attempts()),
            }
        }
    }

    /// Carries out a request at most once, on a task of any runtime.
    pub(crate) async fn start(self: Arc<Self>, request: Request, terms: Terms) -> Outcome {
        let carried = on_tokio(async move {
            if !self.blocking.is_behind_proxy(&self.place) {
                return self.carried(request, &terms).await;
            }
            // Only the blocking transport knows proxies.
            match tokio::task::spawn_blocking(move || self.call(request, &terms)).await {
                Ok(outcome) => outcome,
                Err(error) => (Err(ClientError::Transport(error.to_string())), 0),
            }
        });
        match carried.await {
            Ok(outcome) => outcome,
            Err(why) => (Err(ClientError::Transport(why)), 0),
        }
    }

    async fn carried(&self, request: Request, terms: &Terms) -> Outcome {
        if let Some(streams) = self.streams_for(&request) {
            return Box::pin(streams.carried(request, terms)).await;
        }
        let mut exchange = self.exchange(request);
        loop {
            let attempt = match terms.at_most(self.place.endpoint.request_timeout) {
                Ok(time) => match self.place.keys(time).await {
                    Ok(keys) => {
                        let attempt = self.awaited.attempt(&self.place, &keys, &exchange, time);
                        attempt.await
                    }
                    Err(why) => Attempt::NotSent(why),
                },
                Err(why) => Attempt::NotSent(why),
            };
            match exchange.after(attempt, terms.left(), fastrand::u64(CHANCE_MS)) {
                Next::Again(delay) => tokio::time::sleep(delay).await,
                Next::Done(result) => return (result, exchange.attempts()),
            }
        }
    }

    /// Asks the server to copy its data folder. Returns the number of copied keys.
    pub(crate) fn copy_data_folder(&self, to: &str) -> Result<u64, ClientError> {
        let mut body = Vec::new();
        encode_copy(&mut body, to);
        let unknown = |why: String| ClientError::OutcomeUnknown {
            why,
            check: format!("the copy {to} with `keyfold doctor`"),
        };
        let keys = self.place.keys_now(self.place.endpoint.request_timeout);
        let (sent, keys) = (
            (COPY_TARGET, &body[..]),
            keys.map_err(ClientError::Transport)?,
        );
        match self
            .blocking
            .attempt(&self.place, &keys, sent, COPY_TIMEOUT)
        {
            Attempt::Answered(answer) => decode_copied(&answer)
                .ok_or_else(|| unknown("the answer is not understood".to_owned())),
            Attempt::Refused(error) => Err(error),
            Attempt::NotSent(why) => Err(ClientError::Transport(why)),
            Attempt::Unknown(why) => Err(unknown(why)),
        }
    }

    /// The endpoint of a request, where it is not this one.
    fn streams_for(&self, request: &Request) -> Option<&Arc<HttpBackend>> {
        let is_of_streams = request.operation().is_of_streams();
        self.streams.as_ref().filter(|_| is_of_streams)
    }

    /// A request before its first attempt.
    fn exchange(&self, request: Request) -> Exchange {
        let token = format!("{:032x}", fastrand::u128(..));
        let (url, retries) = (&self.place.address.url, self.place.endpoint.retries);
        Exchange::new(request, token, url, retries)
    }
}

/// The address of the operations on streams, for Amazon's endpoints, which have one of their own.
/// Source: "DynamoDB Streams endpoints" of Amazon's developer guide.
fn of_streams(address: &Address) -> Option<String> {
    let rest = address.host.strip_prefix("dynamodb.")?;
    let is_amazons = rest.ends_with(".amazonaws.com") || rest.ends_with(".amazonaws.com.cn");
    is_amazons.then(|| format!("https://streams.{}", address.authority))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::address;

    #[test]
    fn only_amazon_has_another_endpoint_for_streams() {
        for (url, streams) in [
            (
                "https://dynamodb.eu-west-1.amazonaws.com",
                Some("https://streams.dynamodb.eu-west-1.amazonaws.com"),
            ),
            (
                "https://dynamodb.cn-north-1.amazonaws.com.cn",
                Some("https://streams.dynamodb.cn-north-1.amazonaws.com.cn"),
            ),
            ("https://dynamodb.example.com", None),
            ("http://127.0.0.1:8000", None),
        ] {
            assert_eq!(
                of_streams(&address(url).unwrap()).as_deref(),
                streams,
                "{url}"
            );
        }
    }
}
