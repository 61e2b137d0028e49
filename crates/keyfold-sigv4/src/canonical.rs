//! The canonical request: the bytes that the client signs and the server verifies.

use crate::query::{encode, ordered};
use crate::{ALGORITHM, SERVICE};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// A header as it is signed: lower-case name, value.
pub type Header<'h> = (&'h str, &'h str);

/// Bytes as hexadecimal text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0'));
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Parses hexadecimal text.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    let pair = |at: usize| {
        text.get(at..at + 2)
            .and_then(|pair| u8::from_str_radix(pair, 16).ok())
    };
    (0..text.len()).step_by(2).map(pair).collect()
}

fn mac(key: &[u8], message: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(message);
    mac
}

/// One step of the derivation of a key.
fn chained(key: &[u8], message: &str) -> Vec<u8> {
    mac(key, message.as_bytes())
        .finalize()
        .into_bytes()
        .to_vec()
}

/// Everything a signature covers besides the key.
pub(crate) struct Signed<'s> {
    pub(crate) date: &'s str,
    pub(crate) region: &'s str,
    pub(crate) service: &'s str,
    pub(crate) timestamp: &'s str,
    /// The query in canonical form, without the signature.
    pub(crate) query: &'s str,
    /// The headers in ascending order of names.
    pub(crate) headers: &'s [Header<'s>],
    /// The body's hash in hexadecimal, or the text that replaces it.
    pub(crate) payload: &'s str,
}

impl Signed<'_> {
    pub(crate) fn scope(&self) -> String {
        format!(
            "{}/{}/{}/aws4_request",
            self.date, self.region, self.service
        )
    }

    fn string_to_sign(&self) -> String {
        let mut canonical = format!("POST\n/\n{}\n", self.query);
        for (name, value) in self.headers {
            let collapsed = value.split_whitespace().collect::<Vec<_>>().join(" ");
            canonical.push_str(&format!("{name}:{collapsed}\n"));
        }
        canonical.push_str(&format!("\n{}\n{}", names(self.headers), self.payload));
        let hashed = hex(&Sha256::digest(canonical.as_bytes()));
        format!(
            "{ALGORITHM}\n{}\n{}\n{hashed}",
            self.timestamp,
            self.scope()
        )
    }

    pub(crate) fn mac(&self, secret: &str) -> Hmac<Sha256> {
        let mut key = chained(format!("AWS4{secret}").as_bytes(), self.date);
        for part in [self.region, self.service, "aws4_request"] {
            key = chained(&key, part);
        }
        mac(&key, self.string_to_sign().as_bytes())
    }
}

/// The names of headers, as a signature lists them.
fn names(headers: &[Header<'_>]) -> String {
    headers
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(";")
}

/// The hash of a body in hexadecimal.
pub(crate) fn payload_hash(body: &[u8]) -> String {
    hex(&Sha256::digest(body))
}

/// An access key and its secret, for requests to a region.
#[derive(Clone, Copy)]
pub struct SigningKey<'k> {
    /// The access key id.
    pub access_key: &'k str,
    /// The secret access key.
    pub secret: &'k str,
    /// The region of the signature's scope.
    pub region: &'k str,
}

/// Returns the `Authorization` header for a POST to `/`. All `headers` are signed; their names are
/// in lower case and include `host` and `x-amz-date`, whose value is `timestamp`
/// (`20260101T000000Z`).
pub fn sign(key: SigningKey<'_>, timestamp: &str, headers: &[Header<'_>], body: &[u8]) -> String {
    let mut headers = headers.to_vec();
    headers.sort_unstable();
    let signed = Signed {
        date: timestamp.get(..8).unwrap_or_default(),
        region: key.region,
        service: SERVICE,
        timestamp,
        query: "",
        headers: &headers,
        payload: &payload_hash(body),
    };
    let signature = hex(&signed.mac(key.secret).finalize().into_bytes());
    format!(
        "{ALGORITHM} Credential={}/{}, SignedHeaders={}, Signature={signature}",
        key.access_key,
        signed.scope(),
        names(&headers)
    )
}

/// Returns the query of a POST to `/` that anyone may send until `expires_s` seconds after
/// `timestamp`, with these headers, which include `host`, and this body. `parameters` are further
/// parameters of the query, such as `X-Amz-Target` and `X-Amz-Security-Token`.
pub fn presign(
    key: SigningKey<'_>,
    timestamp: &str,
    expires_s: u32,
    parameters: &[(&str, &str)],
    headers: &[Header<'_>],
    body: &[u8],
) -> String {
    let mut headers = headers.to_vec();
    headers.sort_unstable();
    let mut signed = Signed {
        date: timestamp.get(..8).unwrap_or_default(),
        region: key.region,
        service: SERVICE,
        timestamp,
        query: "",
        headers: &headers,
        payload: &payload_hash(body),
    };
    let credential = format!("{}/{}", key.access_key, signed.scope());
    let expires = expires_s.to_string();
    let names = names(&headers);
    let own = [
        ("X-Amz-Algorithm", ALGORITHM),
        ("X-Amz-Credential", &credential),
        ("X-Amz-Date", timestamp),
        ("X-Amz-Expires", &expires),
        ("X-Amz-SignedHeaders", &names),
    ];
    let query = ordered(
        own.into_iter()
            .chain(parameters.iter().copied())
            .map(|(name, value)| (encode(name), encode(value))),
    );
    signed.query = &query;
    let signature = hex(&signed.mac(key.secret).finalize().into_bytes());
    format!("{query}&X-Amz-Signature={signature}")
}
