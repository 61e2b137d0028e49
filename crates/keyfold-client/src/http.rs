//! The API over HTTP: signed requests, answers decoded.

use crate::error::ClientError;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use keyfold_api::{Request, Response};
use keyfold_wire::admin::{COPY_TARGET, decode_copied, encode_copy};
use keyfold_wire::client::{decode_error, decode_response, encode_request};
use std::time::Duration;

const CONTENT_TYPE: &str = "application/x-amz-json-1.0";
const TIMEOUT: Duration = Duration::from_secs(30);
/// Tries of a request that met a fault of the network or the service.
const TRIES: u32 = 4;
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// An endpoint.
pub struct HttpBackend {
    agent: ureq::Agent,
    url: String,
    host: String,
    region: String,
    access_key: String,
    secret: String,
}

impl HttpBackend {
    pub(crate) fn new(
        url: &str,
        region: &str,
        access_key: &str,
        secret: &str,
    ) -> Result<HttpBackend, ClientError> {
        let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
        let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
        if host.is_empty() {
            let message = format!("`{url}` is no endpoint; it looks like http://127.0.0.1:8000");
            return Err(ClientError::Transport(message));
        }
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .build()
            .new_agent();
        Ok(HttpBackend {
            agent,
            host: host.to_owned(),
            url: format!("{}/", url.trim_end_matches('/')),
            region: region.to_owned(),
            access_key: access_key.to_owned(),
            secret: secret.to_owned(),
        })
    }

    pub(crate) fn call(&self, request: &Request) -> Result<Response, ClientError> {
        let mut body = Vec::new();
        encode_request(&mut body, request);
        let target = keyfold_wire::target::target(request.operation());
        let mut attempt = 1;
        loop {
            let outcome = self.send(&target, &body);
            let retry = match &outcome {
                Err(_) => true,
                Ok((status, answer)) => {
                    *status >= 500 || (*status == 400 && is_throttled(&decode_error(answer).exception))
                }
            };
            if retry && attempt < TRIES {
                std::thread::sleep(Duration::from_millis(50 << attempt));
                attempt += 1;
                continue;
            }
            let (status, answer) = outcome?;
            if status == 200 {
                return decode_response(request.operation(), &answer).map_err(|_| {
                    ClientError::Transport(format!("the answer of {} is not DynamoDB's JSON", self.url))
                });
            }
            let error = decode_error(&answer);
            return Err(ClientError::Service {
                exception: error.exception,
                message: error.message,
                reasons: error.reasons,
            });
        }
    }

    pub(crate) fn copy_data_folder(&self, to: &str) -> Result<u64, ClientError> {
        let (mut body, mut keys) = (Vec::new(), None);
        encode_copy(&mut body, to);
        let (status, answer) = self.send(COPY_TARGET, &body)?;
        if status == 200 {
            keys = decode_copied(&answer);
        }
        keys.ok_or_else(|| {
            let error = decode_error(&answer);
            ClientError::Service {
                exception: error.exception,
                message: error.message,
                reasons: error.reasons,
            }
        })
    }

    fn send(&self, target: &str, body: &[u8]) -> Result<(u16, Vec<u8>), ClientError> {
        let timestamp = TimeZone::UTC.to_datetime(Timestamp::now()).strftime("%Y%m%dT%H%M%SZ").to_string();
        let headers = [
            ("content-type", CONTENT_TYPE),
            ("host", self.host.as_str()),
            ("x-amz-date", timestamp.as_str()),
            ("x-amz-target", target),
        ];
        let authorization =
            keyfold_sigv4::sign(&self.access_key, &self.secret, &self.region, &timestamp, &headers, body);
        let unreachable =
            |error: ureq::Error| ClientError::Transport(format!("cannot reach {}: {error}", self.url));
        let mut response = self
            .agent
            .post(&self.url)
            .header("content-type", CONTENT_TYPE)
            .header("x-amz-date", &timestamp)
            .header("x-amz-target", target)
            .header("authorization", &authorization)
            .send(body)
            .map_err(unreachable)?;
        let status = response.status().as_u16();
        let answer =
            response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec().map_err(unreachable)?;
        Ok((status, answer))
    }
}

fn is_throttled(exception: &str) -> bool {
    matches!(
        exception,
        "ThrottlingException"
            | "ProvisionedThroughputExceededException"
            | "RequestLimitExceeded"
            | "TransactionInProgressException"
    )
}
