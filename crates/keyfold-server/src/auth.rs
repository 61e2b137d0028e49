//! Authentication and authorization. The form of every signature is checked; with configured
//! credentials, so are the signature itself and the rights.

use crate::config::{Credential, ServerConfig};
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderName};
use hyper::http::request::Parts;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use keyfold_api::{ApiError, Operation};
use keyfold_engine::Resource;
use keyfold_sigv4::{Authorization, Query, SignatureError, Validity};

const DATE: HeaderName = HeaderName::from_static("x-amz-date");

/// Largest difference between a request's date and now, in seconds.
const DATE_SKEW_S: i64 = 15 * 60;

/// The caller of a request.
#[derive(Clone, Default)]
pub(crate) struct Caller<'c> {
    /// The credential that signed; none on servers without credentials.
    pub(crate) credential: Option<&'c Credential>,
    /// The region of the signature's scope.
    pub(crate) region: Option<&'c str>,
}

/// Parses the query of a request.
pub(crate) fn query(parts: &Parts) -> Result<Query, ApiError> {
    Query::parse(parts.uri.query().unwrap_or_default()).map_err(refused)
}

/// Checks a request's signature, in its header or its query. Without credentials only its form is
/// checked.
pub(crate) fn check<'c>(
    config: &'c ServerConfig,
    headers: &'c HeaderMap,
    query: &'c Query,
    body: &[u8],
    now: Timestamp,
) -> Result<Caller<'c>, ApiError> {
    check_headers(headers)?;
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    // A header that is not text counts as present and malformed.
    let given = headers
        .get(AUTHORIZATION)
        .map(|value| value.to_str().unwrap_or_default());
    let authorization = match (given, query.authorization().map_err(refused)?) {
        (Some(_), Some(_)) => {
            return Err(ApiError::IncompleteSignature(
                "The request is signed twice, in its Authorization header and in its query."
                    .to_owned(),
            ));
        }
        (Some(given), None) => Authorization::parse(given).map_err(refused)?,
        (None, Some(authorization)) => authorization,
        (None, None) if config.credentials.is_empty() && config.allow_unsigned => {
            return Ok(Caller::default());
        }
        (None, None) => return Err(ApiError::MissingAuthenticationToken),
    };
    match authorization.validity {
        Validity::Presigned {
            timestamp,
            expires_s,
        } => {
            check_date(timestamp, now, i64::from(expires_s))?;
        }
        Validity::Header => {
            let Some(timestamp) = header(DATE.as_str()) else {
                return Err(ApiError::IncompleteSignature(format!(
                    "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization={}",
                    given.unwrap_or_default()
                )));
            };
            check_date(timestamp, now, DATE_SKEW_S)?;
        }
    }
    let region = is_region(authorization.region).then_some(authorization.region);
    if config.credentials.is_empty() {
        return Ok(Caller {
            credential: None,
            region,
        });
    }
    let token = header("x-amz-security-token").or_else(|| query.get("x-amz-security-token"));
    let credential = config
        .credentials
        .iter()
        .find(|credential| {
            // One key may have several sessions.
            credential.access_key == authorization.access_key
                && credential.session_token.as_deref() == token
        })
        .ok_or(ApiError::UnrecognizedClient)?;
    let received = headers.keys().map(hyper::header::HeaderName::as_str);
    authorization
        .verify(&credential.secret, query, header, received, body)
        .map_err(refused)?;
    Ok(Caller {
        credential: Some(credential),
        region,
    })
}

/// Refuses a repeated header of the API: one reader may take the first, and another the last.
fn check_headers(headers: &HeaderMap) -> Result<(), ApiError> {
    let is_ours = |name: &HeaderName| *name == AUTHORIZATION || name.as_str().starts_with("x-amz-");
    match headers
        .keys()
        .find(|name| is_ours(name) && headers.get_all(*name).iter().nth(1).is_some())
    {
        Some(name) => Err(ApiError::IncompleteSignature(format!(
            "The header '{name}' is there more than once."
        ))),
        None => Ok(()),
    }
}

fn is_region(text: &str) -> bool {
    (1..=32).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Checks that a request was signed at most `valid_s` seconds ago, and not in the future.
fn check_date(given: &str, now: Timestamp, valid_s: i64) -> Result<(), ApiError> {
    let wrong = |message: String| Err(ApiError::InvalidSignature(message));
    let Some(signed) = parse_timestamp(given) else {
        return wrong(format!(
            "Date must be in ISO-8601 'basic format'. Got '{given}'."
        ));
    };
    let text = |time: Timestamp| time.strftime("%Y%m%dT%H%M%SZ").to_string();
    let edge = |seconds: i64| now.checked_add(seconds.seconds()).unwrap_or(now);
    let span = |seconds: i64| {
        if seconds % 60 == 0 {
            format!("{} min.", seconds / 60)
        } else {
            format!("{seconds} s.")
        }
    };
    let (low, high) = (edge(-valid_s), edge(DATE_SKEW_S));
    if signed < low {
        return wrong(format!(
            "Signature expired: {given} is now earlier than {} ({} - {})",
            text(low),
            text(now),
            span(valid_s)
        ));
    }
    if signed > high {
        return wrong(format!(
            "Signature not yet current: {given} is still later than {} ({} + {})",
            text(high),
            text(now),
            span(DATE_SKEW_S)
        ));
    }
    Ok(())
}

fn refused(error: SignatureError) -> ApiError {
    let message = error.to_string();
    match error {
        SignatureError::Malformed(_) => ApiError::IncompleteSignature(message),
        SignatureError::Service | SignatureError::Mismatch | SignatureError::HostNotSigned => {
            ApiError::InvalidSignature(message)
        }
    }
}

/// Refuses an operation for which the caller's credential lacks a right.
pub(crate) fn check_rights(
    caller: &Caller<'_>,
    operation: Operation,
    resources: &[Resource],
) -> Result<(), ApiError> {
    let Some(credential) = caller.credential else {
        return Ok(());
    };
    credential.check(operation, resources)
}

/// Parses a timestamp such as `20260101T000000Z`.
fn parse_timestamp(timestamp: &str) -> Option<Timestamp> {
    let time = DateTime::strptime("%Y%m%dT%H%M%SZ", timestamp).ok()?;
    TimeZone::UTC.to_timestamp(time).ok()
}

#[cfg(test)]
mod tests {
    use super::parse_timestamp;

    #[test]
    fn timestamps_are_seconds_since_the_epoch() {
        let seconds = |text: &str| parse_timestamp(text).map(|time| time.as_second());
        assert_eq!(seconds("19700101T000000Z"), Some(0));
        assert_eq!(seconds("20240229T123456Z"), Some(1_709_210_096));
        assert_eq!(seconds("yesterday"), None);
    }
}
