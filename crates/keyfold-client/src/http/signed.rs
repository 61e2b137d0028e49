//! Signed requests to an endpoint, and the limits that both transports keep.

use super::source::Source;
use super::tls::Authorities;
use crate::connection::{Keys, Names};
use crate::endpoint::{Address, Elsewhere, Endpoint, address};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use keyfold_lower::ClientError;
use keyfold_sigv4::SigningKey;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

pub(super) const CONTENT_TYPE: &str = "application/x-amz-json-1.0";
/// The header of an answer with the checksum of its body.
pub(super) const CHECKSUM: &str = "x-amz-crc32";
/// The header of temporary credentials.
pub(super) const SESSION_TOKEN: &str = "x-amz-security-token";
pub(super) const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// An endpoint, and who signs requests to it.
pub(super) struct Place {
    pub(super) address: Address,
    pub(super) endpoint: Endpoint,
    pub(super) authorities: Authorities,
    signer: Signer,
}

/// The parts of the keys that an endpoint is given.
const OF_ENDPOINT: Names<'static> = Names {
    access_key: "the access key",
    secret: "the secret of the access key",
    session_token: "the session token",
};

/// Where the keys of a request come from.
enum Signer {
    Fixed(Arc<Keys>),
    Source(Source),
}

/// The headers that say who sends a request, and when.
pub(super) struct Signature {
    pub(super) timestamp: String,
    pub(super) authorization: String,
}

impl Place {
    /// # Errors
    /// `Invalid` when the endpoint's text is no address, its keys need a feature or have characters
    /// that none have, or its authorities are no certificates.
    pub(super) fn new(endpoint: Endpoint) -> Result<Place, ClientError> {
        let signer = match &endpoint.elsewhere {
            Some(elsewhere) => Signer::Source(source(elsewhere, &endpoint.region)?),
            None => {
                let keys = Keys {
                    access_key: endpoint.access_key.clone(),
                    secret: endpoint.secret.clone(),
                    session_token: endpoint.session_token.clone(),
                };
                let checked = keys.checked(&OF_ENDPOINT).map_err(ClientError::Invalid)?;
                Signer::Fixed(Arc::new(checked))
            }
        };
        Ok(Place {
            address: address(&endpoint.url)?,
            authorities: Authorities::of_pem(endpoint.authorities.as_deref())?,
            endpoint,
            signer,
        })
    }

    /// The keys that sign an attempt, on a task of tokio that waits for them at most `time`.
    ///
    /// # Errors
    /// A sentence.
    pub(super) async fn keys(&self, time: Duration) -> Result<Arc<Keys>, String> {
        match &self.signer {
            Signer::Fixed(keys) => Ok(Arc::clone(keys)),
            Signer::Source(source) => match timeout(time, source.keys()).await {
                Ok(keys) => keys.map_err(|why| no_keys(&why)),
                Err(_) => Err(no_keys(&format!("they did not come within {time:?}"))),
            },
        }
    }

    /// As [`Place::keys`], on a thread.
    ///
    /// # Errors
    /// A sentence.
    pub(super) fn keys_now(&self, time: Duration) -> Result<Arc<Keys>, String> {
        match &self.signer {
            Signer::Fixed(keys) => Ok(Arc::clone(keys)),
            Signer::Source(source) => source.keys_now(time).map_err(|why| no_keys(&why)),
        }
    }

    /// Lets keys go that were refused as ended. Returns whether the request may succeed with others.
    pub(super) fn forget(&self, keys: &Arc<Keys>) -> bool {
        match &self.signer {
            Signer::Fixed(_) => false,
            Signer::Source(source) => source.forget(keys),
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

fn no_keys(why: &str) -> String {
    format!("there are no credentials: {why}")
}

#[cfg(feature = "aws")]
fn source(elsewhere: &Elsewhere, region: &str) -> Result<Source, ClientError> {
    Ok(Source::new(super::chain::fetch(elsewhere, region)))
}

#[cfg(not(feature = "aws"))]
fn source(_: &Elsewhere, _: &str) -> Result<Source, ClientError> {
    Err(ClientError::Invalid(no_keys(
        "their sources are asked by the feature `aws`, and this program was built without it",
    )))
}
