//! The signature in the query of a presigned request.

use crate::authorization::{Authorization, Validity};
use crate::query::{Query, SIGNATURE};
use crate::{ALGORITHM, EXPIRES_S_MAX, SignatureError};

/// The parameters that a presigned request must have.
const PARAMETERS: [&str; 6] = [
    "X-Amz-Algorithm",
    "X-Amz-Credential",
    SIGNATURE,
    "X-Amz-SignedHeaders",
    "X-Amz-Date",
    "X-Amz-Expires",
];

impl Query {
    /// Returns the signature in the query; `None` if the query has no part of one.
    ///
    /// # Errors
    /// `Malformed` when a part is missing or does not parse.
    pub fn authorization(&self) -> Result<Option<Authorization<'_>>, SignatureError> {
        let found = PARAMETERS.map(|name| self.get(name));
        if found.iter().take(3).all(Option::is_none) {
            return Ok(None);
        }
        let [
            Some(algorithm),
            Some(credential),
            Some(signature),
            Some(signed_headers),
            Some(timestamp),
            Some(expires),
        ] = found
        else {
            let missing: Vec<String> = PARAMETERS
                .iter()
                .zip(found)
                .filter(|(_, found)| found.is_none())
                .map(|(name, _)| format!("AWS query-string parameters must include '{name}'."))
                .collect();
            return Err(SignatureError::Malformed(format!(
                "{} Re-examine the query-string parameters.",
                missing.join(" ")
            )));
        };
        if algorithm != ALGORITHM {
            return Err(SignatureError::Malformed(format!(
                "Unsupported AWS 'algorithm': '{algorithm}'."
            )));
        }
        let validity = Validity::Presigned {
            timestamp,
            expires_s: parse_expires(expires)?,
        };
        Authorization::new(credential, signed_headers, signature, validity).map(Some)
    }
}

/// Parses the number of seconds for which a presigned request is valid.
fn parse_expires(text: &str) -> Result<u32, SignatureError> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = text.parse().ok().filter(|_| is_number);
    seconds
        .filter(|seconds| (1..=EXPIRES_S_MAX).contains(seconds))
        .ok_or_else(|| {
            SignatureError::Malformed(format!(
                "X-Amz-Expires must be a number of seconds from 1 to {EXPIRES_S_MAX}, got '{text}'."
            ))
        })
}
