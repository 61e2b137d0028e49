//! Signed requests to an endpoint, and the limits that both transports keep.

use crate::connection::Keys;
use crate::endpoint::{Address, Endpoint, address};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use keyfold_lower::ClientError;
use keyfold_sigv4::SigningKey;
use std::time::Duration;

pub(super) const CONTENT_TYPE: &str = "application/x-amz-json-1.0";
/// The header of temporary credentials.
pub(super) const SESSION_TOKEN: &str = "x-amz-security-token";
/// The most time that an unused connection is kept. It is shorter than that of servers: a request on
/// a connection that the server closes at the same moment has an unknown outcome.
pub(super) const IDLE_MAX: Duration = Duration::from_secs(10);
pub(super) const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// An endpoint, and who signs requests to it.
pub(super) struct Place {
    pub(super) address: Address,
    pub(super) endpoint: Endpoint,
}

/// The headers that say who sends a request, and when.
pub(super) struct Signature {
    pub(super) timestamp: String,
    pub(super) authorization: String,
}

impl Place {
    /// # Errors
    /// `Invalid` when the endpoint's text is no address.
    pub(super) fn new(endpoint: Endpoint) -> Result<Place, ClientError> {
        Ok(Place {
            address: address(&endpoint.url)?,
            endpoint,
        })
    }

    /// The keys that sign the next attempt.
    pub(super) fn keys(&self) -> Keys {
        Keys {
            access_key: self.endpoint.access_key.clone(),
            secret: self.endpoint.secret.clone(),
            session_token: self.endpoint.session_token.clone(),
        }
    }

    /// Signs a request that is sent now.
    pub(super) fn signature(&self, keys: &Keys, target: &str, body: &[u8]) -> Signature {
        let timestamp = TimeZone::UTC
            .to_datetime(Timestamp::now())
            .strftime("%Y%m%dT%H%M%SZ")
            .to_string();
        let mut headers = vec![
            ("content-type", CONTENT_TYPE),
            ("host", self.address.authority.as_str()),
            ("x-amz-date", timestamp.as_str()),
            ("x-amz-target", target),
        ];
        if let Some(token) = &keys.session_token {
            headers.push((SESSION_TOKEN, token));
        }
        let key = SigningKey {
            access_key: &keys.access_key,
            secret: &keys.secret,
            region: &self.endpoint.region,
        };
        let authorization = keyfold_sigv4::sign(key, &timestamp, &headers, body);
        Signature {
            timestamp,
            authorization,
        }
    }
}
