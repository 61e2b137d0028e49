//! Who may call: with configured credentials every request's signature is verified.

use crate::config::Credential;
use hyper::HeaderMap;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use keyfold_api::ApiError;
use keyfold_sigv4::{Authorization, SignatureError};

/// How far a request's date may be from now, in seconds.
const DATE_SKEW_S: i64 = 15 * 60;

/// Verifies a request. Without credentials everyone may call, signed or not.
pub(crate) fn check(
    credentials: &[Credential],
    headers: &HeaderMap,
    body: &[u8],
    now_epoch_s: i64,
) -> Result<(), ApiError> {
    if credentials.is_empty() {
        return Ok(());
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let given = header("authorization").ok_or(ApiError::MissingAuthenticationToken)?;
    let authorization = Authorization::parse(given).map_err(refused)?;
    let credential = credentials
        .iter()
        .find(|credential| credential.access_key == authorization.access_key)
        .ok_or(ApiError::UnrecognizedClient)?;
    let received = headers.keys().map(hyper::header::HeaderName::as_str);
    authorization.verify(&credential.secret, header, received, body).map_err(refused)?;
    let timestamp = header("x-amz-date").unwrap_or_default();
    match epoch_seconds(timestamp) {
        Some(signed) if (signed - now_epoch_s).abs() <= DATE_SKEW_S => Ok(()),
        _ => Err(ApiError::InvalidSignature(format!(
            "Signature expired: {timestamp} is more than 15 minutes from the server's time"
        ))),
    }
}

fn refused(error: SignatureError) -> ApiError {
    let message = error.to_string();
    match error {
        SignatureError::Malformed(_) => ApiError::IncompleteSignature(message),
        SignatureError::Service | SignatureError::Mismatch => ApiError::InvalidSignature(message),
    }
}

/// Seconds since the epoch of `20260101T000000Z`.
fn epoch_seconds(timestamp: &str) -> Option<i64> {
    let time = DateTime::strptime("%Y%m%dT%H%M%SZ", timestamp).ok()?;
    TimeZone::UTC.to_timestamp(time).ok().map(|moment| moment.as_second())
}

#[cfg(test)]
mod tests {
    use super::epoch_seconds;

    #[test]
    fn timestamps_are_seconds_since_the_epoch() {
        assert_eq!(epoch_seconds("19700101T000000Z"), Some(0));
        assert_eq!(epoch_seconds("20240229T123456Z"), Some(1_709_210_096));
        assert_eq!(epoch_seconds("yesterday"), None);
    }
}
