//! A request's query, as it is parsed and as it is signed.

use crate::SignatureError;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The characters that a canonical query writes as `%XX`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// The parameter that a signature does not cover: itself.
pub(crate) const SIGNATURE: &str = "X-Amz-Signature";

/// Encodes a name or value for a canonical query.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Joins encoded parameters in canonical order.
pub(crate) fn ordered(parameters: impl Iterator<Item = (String, String)>) -> String {
    let mut parameters: Vec<(String, String)> = parameters.collect();
    parameters.sort_unstable();
    parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect::<Vec<_>>()
        .join("&")
}

/// The decoded parameters of a query, in the order received.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses the text after the `?`.
    ///
    /// # Errors
    /// `Malformed` when the decoded text is not UTF-8, or a parameter of a signature is repeated:
    /// the signature's checker may take one value, and a reader of the request the other.
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
        let mut names: Vec<String> = query
            .0
            .iter()
            .map(|(name, _)| name.to_ascii_lowercase())
            .collect();
        names.retain(|name| name.starts_with("x-amz-"));
        names.sort_unstable();
        match names
            .iter()
            .zip(names.iter().skip(1))
            .find(|(one, next)| one == next)
        {
            Some((name, _)) => Err(SignatureError::Malformed(format!(
                "'{name}' is in the query more than once."
            ))),
            None => Ok(query),
        }
    }

    /// The value of a parameter, by its name in any case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The part that a signature covers, in canonical form.
    pub(crate) fn canonical(&self) -> String {
        let covered = self
            .0
            .iter()
            .filter(|(name, _)| !name.eq_ignore_ascii_case(SIGNATURE));
        ordered(covered.map(|(name, value)| (encode(name), encode(value))))
    }
}
