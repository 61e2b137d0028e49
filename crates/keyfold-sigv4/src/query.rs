//! A request's query: where the signature of a presigned request is.

use crate::authorization::{Authorization, Validity};
use crate::{ALGORITHM, EXPIRES_S_MAX, SignatureError};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What is written as `%XX` in a canonical query.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
const SIGNATURE: &str = "X-Amz-Signature";
/// What a presigned request must have.
const PARAMETERS: [&str; 6] = [
    "X-Amz-Algorithm",
    "X-Amz-Credential",
    SIGNATURE,
    "X-Amz-SignedHeaders",
    "X-Amz-Date",
    "X-Amz-Expires",
];

pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// The canonical form of encoded parameters.
pub(crate) fn ordered(parameters: impl Iterator<Item = (String, String)>) -> String {
    let mut parameters: Vec<(String, String)> = parameters.collect();
    parameters.sort_unstable();
    parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect::<Vec<_>>()
        .join("&")
}

/// The parameters of a query, decoded, in the order in which they came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads what is behind the `?`.
    ///
    /// # Errors
    /// `Malformed` when it is not UTF-8 once it is decoded, or names a parameter of a signature
    /// twice: whoever reads the request may take the one, and whoever checks it the other.
    pub fn parse(text: &str) -> Result<Query, SignatureError> {
        let decode = |text: &str| {
            let decoded = percent_decode_str(text)
                .decode_utf8()
                .map(std::borrow::Cow::into_owned);
            decoded.map_err(|_| {
                SignatureError::Malformed(format!("'{text}' of the query is not UTF-8."))
            })
        };
        let mut query = Query::default();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            query.0.push((decode(name)?, decode(value)?));
        }
        let mut known: Vec<String> = query
            .0
            .iter()
            .map(|(name, _)| name.to_ascii_lowercase())
            .collect();
        known.retain(|name| name.starts_with("x-amz-"));
        known.sort_unstable();
        match known
            .iter()
            .zip(known.iter().skip(1))
            .find(|(one, next)| one == next)
        {
            Some((name, _)) => Err(SignatureError::Malformed(format!(
                "'{name}' is in the query more than once."
            ))),
            None => Ok(query),
        }
    }

    /// The value of a parameter; the case of its name has no meaning.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// What a signature covers of it.
    pub(crate) fn canonical(&self) -> String {
        let covered = self
            .0
            .iter()
            .filter(|(name, _)| !name.eq_ignore_ascii_case(SIGNATURE));
        ordered(covered.map(|(name, value)| (encode(name), encode(value))))
    }

    /// The signature in it; none when there is no part of one.
    ///
    /// # Errors
    /// `Malformed` when a part is missing or unreadable.
    pub fn authorization(&self) -> Result<Option<Authorization<'_>>, SignatureError> {
        let [
            algorithm,
            credential,
            signature,
            signed_headers,
            date,
            expires,
        ] = PARAMETERS.map(|name| self.get(name));
        if [algorithm, credential, signature]
            .iter()
            .all(Option::is_none)
        {
            return Ok(None);
        }
        let (
            Some(algorithm),
            Some(credential),
            Some(signature),
            Some(names),
            Some(date),
            Some(expires),
        ) = (
            algorithm,
            credential,
            signature,
            signed_headers,
            date,
            expires,
        )
        else {
            let missing = PARAMETERS.iter().filter(|name| self.get(name).is_none());
            let missing: Vec<String> = missing
                .map(|name| format!("AWS query-string parameters must include '{name}'."))
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
        let number = expires
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| expires.parse().ok())
            .flatten();
        let Some(expires_s) = number.filter(|seconds| (1..=EXPIRES_S_MAX).contains(seconds)) else {
            return Err(SignatureError::Malformed(format!(
                "X-Amz-Expires must be a number of seconds from 1 to {EXPIRES_S_MAX}, got '{expires}'."
            )));
        };
        let validity = Validity::Presigned {
            timestamp: date,
            expires_s,
        };
        Authorization::new(credential, names, signature, validity).map(Some)
    }
}
