//! An attempt that blocks its thread.

use super::addresses::Addresses;
use super::exchange::{Attempt, Head, checksum};
use super::pool::IDLE_MAX;
use super::signed::{ANSWER_BYTES_MAX, CHECKSUM, CONTENT_TYPE, Place, SESSION_TOKEN};
use crate::connection::Keys;
use std::time::Duration;
use ureq::unversioned::transport::DefaultConnector;

/// Sends requests, each on the thread that waits for its answer.
pub(super) struct Blocking {
    agent: ureq::Agent,
    addresses: Addresses,
}

impl Blocking {
    pub(super) fn new(place: &Place) -> Blocking {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(place.endpoint.connect_timeout))
            .tls_config(place.authorities.blocking())
            .max_idle_age(IDLE_MAX)
            // A redirect would send a signed request to another host.
            .max_redirects(0)
            .build();
        let addresses = Addresses::default();
        let connector = DefaultConnector::default();
        let agent = ureq::Agent::with_parts(config, connector, addresses.clone());
        Blocking { agent, addresses }
    }

    /// Sends a request once, with the header that names its operation, and classifies the outcome.
    pub(super) fn attempt(
        &self,
        place: &Place,
        keys: &Keys,
        (target, body): (&str, &[u8]),
        timeout: Duration,
    ) -> Attempt {
        let url = &place.address.url;
        let why = |error: &ureq::Error| place.address.unreached(error, is_refused(error));
        match self.send(place, keys, (target, body), timeout) {
            Err(error) => {
                let is_sent = !was_never_sent(&error);
                if !is_sent {
                    self.addresses.forget();
                }
                let why = why(&error);
                if matches!(error, ureq::Error::Timeout(_)) {
                    Attempt::Late { is_sent, why }
                } else if is_sent {
                    Attempt::Unknown(why)
                } else {
                    Attempt::NotSent(why)
                }
            }
            Ok((head, answer)) => Attempt::of_answer(url, head, answer),
        }
    }

    /// Sends a signed request. Returns the head and the body of the answer.
    fn send(
        &self,
        place: &Place,
        keys: &Keys,
        (target, body): (&str, &[u8]),
        timeout: Duration,
    ) -> Result<(Head, Vec<u8>), ureq::Error> {
        let signature = place.signature(keys, target, body);
        let mut request = self
            .agent
            .post(&place.address.url)
            .config()
            .timeout_global(Some(timeout))
            .build()
            .header("content-type", CONTENT_TYPE)
            .header("x-amz-date", &signature.timestamp)
            .header("x-amz-target", target)
            .header("authorization", &signature.authorization);
        if let Some(token) = &keys.session_token {
            request = request.header(SESSION_TOKEN, token);
        }
        if let Some(agent) = &place.endpoint.agent {
            request = request.header("user-agent", agent);
        }
        let mut response = request.send(body)?;
        let status = response.status().as_u16();
        let header = response.headers().get(CHECKSUM);
        let checksum = checksum(header.map(|header| header.as_bytes()));
        let answer = response
            .body_mut()
            .with_config()
            .limit(ANSWER_BYTES_MAX)
            .read_to_vec()?;
        Ok((Head { status, checksum }, answer))
    }

    /// What an endpoint answers to GET at a path, without a signature: its body, if the answer is of a type.
    pub(super) fn told(
        &self,
        place: &Place,
        (path, kind): (&str, &str),
    ) -> Result<Option<String>, String> {
        let why = |error: ureq::Error| place.address.unreached(&error, is_refused(&error));
        let mut answer = self
            .agent
            .get(format!("{}{path}", place.address.url))
            .config()
            .timeout_global(Some(place.endpoint.request_timeout))
            .build()
            .call()
            .map_err(why)?;
        let given = answer.headers().get("content-type");
        let is_of_kind = given
            .and_then(|given| given.to_str().ok())
            .is_some_and(|given| given.starts_with(kind));
        if answer.status() != 200 || !is_of_kind {
            return Ok(None);
        }
        let body = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX);
        body.read_to_string().map(Some).map_err(why)
    }

    /// Whether requests go through a proxy of the environment.
    pub(super) fn is_behind_proxy(&self, place: &Place) -> bool {
        let Some(proxy) = self.agent.config().proxy() else {
            return false;
        };
        let uri = place.address.url.parse();
        uri.is_ok_and(|uri| !proxy.is_no_proxy(&uri))
    }
}

/// Whether nothing listens at the address.
fn is_refused(error: &ureq::Error) -> bool {
    matches!(error, ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused)
}

/// Whether a request failed before any of it was sent.
fn was_never_sent(error: &ureq::Error) -> bool {
    use std::io::ErrorKind as Io;
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a foreign enum that grows; every other error may come after the request was sent"
    )]
    match error {
        ureq::Error::HostNotFound
        | ureq::Error::BadUri(_)
        | ureq::Error::Http(_)
        | ureq::Error::InvalidProxyUrl
        | ureq::Error::ConnectionFailed
        | ureq::Error::Timeout(ureq::Timeout::Resolve | ureq::Timeout::Connect) => true,
        ureq::Error::Io(error) => matches!(
            error.kind(),
            Io::ConnectionRefused
                | Io::AddrNotAvailable
                | Io::HostUnreachable
                | Io::NetworkUnreachable
        ),
        _ => false,
    }
}
