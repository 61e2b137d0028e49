//! The API over HTTP: signed requests and decoded answers.

use crate::endpoint::{Endpoint, address};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use keyfold_api::{ErrorKind, Idempotency, ReasonCode, Request, Response};
use keyfold_lower::ClientError;
use keyfold_sigv4::SigningKey;
use keyfold_wire::admin::{COPY_TARGET, decode_copied, encode_copy};
use keyfold_wire::client::{ServiceError, decode_error, decode_response, encode_request};
use std::time::Duration;

const CONTENT_TYPE: &str = "application/x-amz-json-1.0";
/// The header of temporary credentials.
const SESSION_TOKEN: &str = "x-amz-security-token";
/// Timeout of a copy of a data folder: the server answers when the copy is complete.
const COPY_TIMEOUT: Duration = Duration::from_secs(6 * 60 * 60);
/// The most time that an unused connection is kept. It is shorter than that of servers: a request on
/// a connection that the server closes at the same moment has an unknown outcome.
const IDLE_MAX: Duration = Duration::from_secs(10);
/// The retry from which on delays do not grow any more.
const DELAYS_GROW: u32 = 8;
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// An endpoint.
pub struct HttpBackend {
    agent: ureq::Agent,
    host: String,
    endpoint: Endpoint,
}

impl HttpBackend {
    pub(crate) fn new(endpoint: Endpoint) -> Result<HttpBackend, ClientError> {
        let (host, url) = address(&endpoint.url)?;
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(endpoint.connect_timeout))
            .max_idle_age(IDLE_MAX)
            // A redirect would send a signed request to another host.
            .max_redirects(0)
            .build()
            .new_agent();
        Ok(HttpBackend {
            agent,
            host,
            endpoint: Endpoint { url, ..endpoint },
        })
    }

    /// Carries out a request at most once. The request is sent again after a retryable refusal, which
    /// says that nothing was done, and after a lost answer if it is idempotent.
    pub(crate) fn call(&self, mut request: Request) -> Result<Response, ClientError> {
        if let Some(token) = request.token_mut() {
            // All attempts have the same token.
            token.get_or_insert_with(new_token);
        }
        let (operation, idempotency) = (request.operation(), request.idempotency());
        let target = keyfold_wire::target::target(operation);
        let mut body = Vec::new();
        encode_request(&mut body, &request);
        // The reason why the outcome of an attempt is unknown.
        let mut unknown = None;
        for attempt in 1.. {
            let (may_repeat, error) =
                match self.attempt(&target, &body, self.endpoint.request_timeout) {
                    Attempt::Answered(answer) => match decode_response(operation, &answer) {
                        Ok(response) => return Ok(response),
                        Err(_) => {
                            unknown = Some(format!(
                                "the answer of {} is not DynamoDB's JSON",
                                self.endpoint.url
                            ));
                            (false, None)
                        }
                    },
                    Attempt::Refused(error) => (error.is_passing(), Some(error)),
                    Attempt::NotSent(why) => (true, Some(ClientError::Transport(why))),
                    Attempt::Unknown(why) => {
                        unknown = Some(why);
                        (idempotency != Idempotency::None, None)
                    }
                };
            if may_repeat && attempt <= self.endpoint.retries {
                // The delay is random, so that many clients do not retry at the same moment.
                std::thread::sleep(Duration::from_millis(
                    fastrand::u64(25..50) << attempt.min(DELAYS_GROW),
                ));
                continue;
            }
            return Err(match (unknown, error) {
                (None, Some(error)) => error,
                // The service compares tokens: a refusal says that no earlier attempt succeeded.
                (Some(_), Some(error)) if idempotency == Idempotency::ByToken && !may_repeat => {
                    error
                }
                (Some(_), Some(error)) if idempotency == Idempotency::ReadOnly => error,
                (Some(why), _) if idempotency == Idempotency::ReadOnly => {
                    ClientError::Transport(why)
                }
                (why, _) => ClientError::OutcomeUnknown {
                    why: why.unwrap_or_default(),
                    check: format!("what the {} was to change", operation.name()),
                },
            });
        }
        Err(ClientError::Transport(format!(
            "{} was not asked",
            self.endpoint.url
        )))
    }

    /// Asks the server to copy its data folder. Returns the number of copied keys.
    pub(crate) fn copy_data_folder(&self, to: &str) -> Result<u64, ClientError> {
        let mut body = Vec::new();
        encode_copy(&mut body, to);
        let unknown = |why: String| ClientError::OutcomeUnknown {
            why,
            check: format!("the copy {to} with `keyfold doctor`"),
        };
        match self.attempt(COPY_TARGET, &body, COPY_TIMEOUT) {
            Attempt::Answered(answer) => decode_copied(&answer)
                .ok_or_else(|| unknown("the answer is not understood".to_owned())),
            Attempt::Refused(error) => Err(error),
            Attempt::NotSent(why) => Err(ClientError::Transport(why)),
            Attempt::Unknown(why) => Err(unknown(why)),
        }
    }

    /// Sends a request once and classifies the outcome.
    fn attempt(&self, target: &str, body: &[u8], timeout: Duration) -> Attempt {
        let why = |error: &ureq::Error| format!("cannot reach {}: {error}", self.endpoint.url);
        match self.send(target, body, timeout) {
            Err(error) if was_never_sent(&error) => Attempt::NotSent(why(&error)),
            Err(error) => Attempt::Unknown(why(&error)),
            Ok((200, answer)) => Attempt::Answered(answer),
            Ok((400..=499, answer)) => Attempt::Refused(of_answer(decode_error(&answer))),
            Ok((status, answer)) => {
                let error = decode_error(&answer);
                Attempt::Unknown(format!(
                    "{} failed with {status}: {} {}",
                    self.endpoint.url, error.exception, error.message
                ))
            }
        }
    }

    /// Sends a signed request. Returns the status and the body of the answer.
    fn send(
        &self,
        target: &str,
        body: &[u8],
        timeout: Duration,
    ) -> Result<(u16, Vec<u8>), ureq::Error> {
        let timestamp = TimeZone::UTC
            .to_datetime(Timestamp::now())
            .strftime("%Y%m%dT%H%M%SZ")
            .to_string();
        let mut headers = vec![
            ("content-type", CONTENT_TYPE),
            ("host", self.host.as_str()),
            ("x-amz-date", timestamp.as_str()),
            ("x-amz-target", target),
        ];
        if let Some(token) = &self.endpoint.session_token {
            headers.push((SESSION_TOKEN, token));
        }
        let key = SigningKey {
            access_key: &self.endpoint.access_key,
            secret: &self.endpoint.secret,
            region: &self.endpoint.region,
        };
        let authorization = keyfold_sigv4::sign(key, &timestamp, &headers, body);
        let mut request = self
            .agent
            .post(&self.endpoint.url)
            .config()
            .timeout_global(Some(timeout))
            .build()
            .header("content-type", CONTENT_TYPE)
            .header("x-amz-date", &timestamp)
            .header("x-amz-target", target)
            .header("authorization", &authorization);
        if let Some(token) = &self.endpoint.session_token {
            request = request.header(SESSION_TOKEN, token);
        }
        let mut response = request.send(body)?;
        let status = response.status().as_u16();
        let answer = response
            .body_mut()
            .with_config()
            .limit(ANSWER_BYTES_MAX)
            .read_to_vec()?;
        Ok((status, answer))
    }
}

/// The result of sending a request once.
enum Attempt {
    /// The request was carried out.
    Answered(Vec<u8>),
    /// The request was not carried out, and the answer has the reason.
    Refused(ClientError),
    /// The request was not sent.
    NotSent(String),
    /// The request may have been carried out, or may still be.
    Unknown(String),
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

/// The error of a service's answer.
fn of_answer(error: ServiceError) -> ClientError {
    ClientError::Service {
        kind: ErrorKind::of_exception(&error.exception),
        exception: error.exception,
        message: error.message,
        reasons: error
            .reasons
            .into_iter()
            .map(|(code, message)| (ReasonCode::of(&code), message))
            .collect(),
    }
}

/// A random token: 32 hexadecimal digits.
fn new_token() -> String {
    format!("{:032x}", fastrand::u128(..))
}
