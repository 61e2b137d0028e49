//! The API over HTTP: signed requests and decoded answers.
//!
//! - [`exchange`]: which attempt is repeated, and which error a call ends with.
//! - [`blocking`]: an attempt that blocks its thread; [`awaited`]: one that a task awaits.
//! - [`pool`]: connections of tasks between two requests; [`addresses`]: those of hosts between two
//!   blocking requests.
//! - [`source`]: keys that expire; `chain`: where they come from.

mod addresses;
mod answer;
mod awaited;
mod blocking;
#[cfg(test)]
mod cases;
#[cfg(feature = "aws")]
mod chain;
mod exchange;
mod pool;
mod signed;
mod source;
mod tls;

use crate::amazon::of_streams;
use crate::connection::Keys;
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
use std::time::{Duration, Instant, SystemTime};

/// Timeout of a copy of a data folder: the server answers when the copy is complete.
const COPY_TIMEOUT: Duration = Duration::from_secs(6 * 60 * 60);

/// The path of a Keyfold server's counters, and the type of this answer.
const COUNTERS: &str = "metrics";
const COUNTERS_TYPE: &str = "application/openmetrics-text";

/// When a request began, by both clocks: the one of the process stands still while the machine sleeps,
/// and somebody may set the other one back.
struct Began(Instant, SystemTime);

impl Began {
    fn now() -> Began {
        Began(Instant::now(), SystemTime::now())
    }

    /// The time since then.
    fn age(&self) -> Duration {
        let passed = self.1.elapsed().unwrap_or_default();
        passed.max(self.0.elapsed())
    }
}

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

    /// The same endpoint, with another `User-Agent`.
    ///
    /// # Errors
    /// As [`HttpBackend::new`].
    pub(crate) fn with_agent(&self, agent: &str) -> Result<HttpBackend, ClientError> {
        HttpBackend::new(Endpoint {
            agent: Some(agent.to_owned()),
            ..self.place.endpoint.clone()
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
        let (mut exchange, began) = (self.exchange(request), Began::now());
        loop {
            if let Some(error) = exchange.outlived(began.age()) {
                return (Err(error), exchange.attempts());
            }
            let (attempt, keys) = self.attempt(&exchange, terms);
            if self.may_use_others(&mut exchange, &attempt, keys.as_ref()) {
                continue;
            }
            match exchange.after(attempt, terms.left(), fastrand::u64(CHANCE_MS)) {
                Next::Again(delay) => std::thread::sleep(delay),
                Next::Done(result) => return (result, exchange.attempts()),
            }
        }
    }

    /// Sends a request once. Keys and answer take the time of one attempt together.
    fn attempt(&self, exchange: &Exchange, terms: &Terms) -> (Attempt, Option<Arc<Keys>>) {
        let began = Instant::now();
        let keys = match self
            .rest(terms, began)
            .map(|time| self.place.keys_now(time))
        {
            Ok(Ok(keys)) => keys,
            Ok(Err(why)) => return (Attempt::Barred(why), None),
            Err(why) => return (Attempt::NotSent(why), None),
        };
        let sent = (exchange.target.as_str(), &exchange.body[..]);
        let attempt = match self.rest(terms, began) {
            Ok(time) => self.blocking.attempt(&self.place, &keys, sent, time),
            Err(why) => Attempt::NotSent(why),
        };
        (attempt, Some(keys))
    }

    /// The time that an attempt has left which began at a moment.
    ///
    /// # Errors
    /// A sentence when it has none.
    fn rest(&self, terms: &Terms, began: Instant) -> Result<Duration, String> {
        let most = self.place.endpoint.request_timeout;
        match most.saturating_sub(began.elapsed()) {
            Duration::ZERO => Err(format!("the credentials took all of {most:?}")),
            rest => terms.at_most(rest),
        }
    }

    /// Whether a request was refused for keys that had ended, and there may be others.
    fn may_use_others(
        &self,
        exchange: &mut Exchange,
        attempt: &Attempt,
        keys: Option<&Arc<Keys>>,
    ) -> bool {
        let is_needed = exchange.needs_other_keys(attempt);
        let may_use = is_needed && keys.is_some_and(|keys| self.place.forget(keys));
        if may_use {
            exchange.count_refusal();
        }
        may_use
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
        let (mut exchange, began) = (self.exchange(request), Began::now());
        loop {
            if let Some(error) = exchange.outlived(began.age()) {
                return (Err(error), exchange.attempts());
            }
            let (attempt, keys) = self.awaited_attempt(&exchange, terms).await;
            if self.may_use_others(&mut exchange, &attempt, keys.as_ref()) {
                continue;
            }
            match exchange.after(attempt, terms.left(), fastrand::u64(CHANCE_MS)) {
                Next::Again(delay) => tokio::time::sleep(delay).await,
                Next::Done(result) => return (result, exchange.attempts()),
            }
        }
    }

    /// As [`HttpBackend::attempt`], on a task of tokio.
    async fn awaited_attempt(
        &self,
        exchange: &Exchange,
        terms: &Terms,
    ) -> (Attempt, Option<Arc<Keys>>) {
        let began = Instant::now();
        let keys = match self.rest(terms, began) {
            Ok(time) => match self.place.keys(time).await {
                Ok(keys) => keys,
                Err(why) => return (Attempt::Barred(why), None),
            },
            Err(why) => return (Attempt::NotSent(why), None),
        };
        let attempt = match self.rest(terms, began) {
            Ok(time) => {
                self.awaited
                    .attempt(&self.place, &keys, exchange, time)
                    .await
            }
            Err(why) => Attempt::NotSent(why),
        };
        (attempt, Some(keys))
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
            Attempt::NotSent(why)
            | Attempt::Barred(why)
            | Attempt::Late {
                is_sent: false,
                why,
            } => Err(ClientError::Transport(why)),
            Attempt::Unknown(why) | Attempt::Late { is_sent: true, why } => Err(unknown(why)),
        }
    }

    /// The counters of a Keyfold server; `None` where the endpoint has none.
    pub(crate) fn counters(&self) -> Result<Option<String>, ClientError> {
        let told = self.blocking.told(&self.place, (COUNTERS, COUNTERS_TYPE));
        told.map_err(ClientError::Transport)
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
