//! Who may call: with configured credentials every request's signature is verified.

use crate::config::Credential;
use hyper::HeaderMap;
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
    let number = |from: usize, to: usize| timestamp.get(from..to)?.parse::<i64>().ok();
    if timestamp.len() != 16 || !timestamp.ends_with('Z') {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(4, 6)?, number(6, 8)?);
    let (hour, minute, second) = (number(9, 11)?, number(11, 13)?, number(13, 15)?);
    // Days from civil: years start in March, so that the leap day is the last.
    let (years, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = years.div_euclid(400);
    let year_of_era = years.rem_euclid(400);
    let day_of_year = (153 * months + 2) / 5 + day - 1;
    let days =
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
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
