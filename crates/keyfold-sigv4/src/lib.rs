//! AWS Signature Version 4, as far as the DynamoDB API needs it: one POST to `/` with a body.
//!
//! Both directions share the canonical request: a client [`sign`]s, a server [`Authorization::parse`]s and
//! [`Authorization::verify`]s. No clock: the caller says what time it is.
//!
//! Source: "Signature Version 4 signing process".

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// What an `Authorization` header must hold.
const PARTS: [&str; 3] = ["Credential", "Signature", "SignedHeaders"];

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// The service in the scope, for items and streams alike.
pub const SERVICE: &str = "dynamodb";

/// A header as it is signed: lower-case name, value.
pub type Header<'h> = (&'h str, &'h str);

/// What is wrong with a signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The header's form is wrong, or a part is missing; the whole sentence.
    #[error("{0}")]
    Malformed(String),
    /// `Host` is not signed.
    #[error("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.")]
    HostNotSigned,
    /// The scope names another service.
    #[error("Credential should be scoped to correct service: 'dynamodb'. ")]
    Service,
    /// The signature is not the one the key makes.
    #[error(
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details."
    )]
    Mismatch,
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0'));
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    let pair = |at: usize| text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    (0..text.len()).step_by(2).map(pair).collect()
}

fn mac(key: &[u8], message: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(message);
    mac
}

fn chained(key: &[u8], message: &str) -> Vec<u8> {
    mac(key, message.as_bytes()).finalize().into_bytes().to_vec()
}

/// Everything a signature covers besides the key.
struct Signed<'s> {
    date: &'s str,
    region: &'s str,
    service: &'s str,
    timestamp: &'s str,
    /// In ascending order of names.
    headers: &'s [Header<'s>],
    body: &'s [u8],
}

impl Signed<'_> {
    fn scope(&self) -> String {
        format!("{}/{}/{}/aws4_request", self.date, self.region, self.service)
    }

    fn string_to_sign(&self) -> String {
        let mut canonical = "POST\n/\n\n".to_owned();
        for (name, value) in self.headers {
            let collapsed = value.split_whitespace().collect::<Vec<_>>().join(" ");
            canonical.push_str(&format!("{name}:{collapsed}\n"));
        }
        canonical.push_str(&format!("\n{}\n{}", self.names(), hex(&Sha256::digest(self.body))));
        let hashed = hex(&Sha256::digest(canonical.as_bytes()));
        format!("{ALGORITHM}\n{}\n{}\n{hashed}", self.timestamp, self.scope())
    }

    fn names(&self) -> String {
        self.headers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";")
    }

    fn mac(&self, secret: &str) -> Hmac<Sha256> {
        let mut key = chained(format!("AWS4{secret}").as_bytes(), self.date);
        for part in [self.region, self.service, "aws4_request"] {
            key = chained(&key, part);
        }
        mac(&key, self.string_to_sign().as_bytes())
    }
}

/// The `Authorization` header for a POST to `/`. `headers` are all signed, names in lower case, and must
/// include `host` and `x-amz-date` (the same text as `timestamp`, `20260101T000000Z`).
pub fn sign(
    access_key: &str,
    secret: &str,
    region: &str,
    timestamp: &str,
    headers: &[Header<'_>],
    body: &[u8],
) -> String {
    let mut headers = headers.to_vec();
    headers.sort_unstable();
    let date = timestamp.get(..8).unwrap_or_default();
    let signed = Signed { date, region, service: SERVICE, timestamp, headers: &headers, body };
    let signature = hex(&signed.mac(secret).finalize().into_bytes());
    format!(
        "{ALGORITHM} Credential={access_key}/{}, SignedHeaders={}, Signature={signature}",
        signed.scope(),
        signed.names()
    )
}

/// A parsed `Authorization` header. It borrows the header's text: reading one costs no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Authorization<'t> {
    /// Whose key signed.
    pub access_key: &'t str,
    /// The region of the scope.
    pub region: &'t str,
    date: &'t str,
    service: &'t str,
    /// Between semicolons.
    signed_headers: &'t str,
    /// In hexadecimal.
    signature: &'t str,
}

impl<'t> Authorization<'t> {
    /// Reads a header's text.
    ///
    /// # Errors
    /// `Malformed` when a part is missing or unreadable.
    pub fn parse(header: &'t str) -> Result<Authorization<'t>, SignatureError> {
        let malformed = |what: String| SignatureError::Malformed(format!("{what} Authorization={header}"));
        let Some(rest) = header.trim().strip_prefix(ALGORITHM) else {
            return Err(malformed("Unsupported AWS 'algorithm'.".to_owned()));
        };
        let mut found: [Option<&str>; 3] = [None; 3];
        for part in rest.split(',').map(str::trim_ascii).filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some((name, value)) if !name.as_bytes().contains(&b' ') => {
                    let place = PARTS.iter().position(|known| *known == name);
                    if let Some(slot) = place.and_then(|place| found.get_mut(place)) {
                        slot.get_or_insert(value.trim_ascii());
                    }
                }
                _ => {
                    return Err(SignatureError::Malformed(format!(
                        "'{part}' not a valid key=value pair (missing equal-sign) in Authorization header: '{header}'."
                    )));
                }
            }
        }
        let [Some(credential), Some(signature), Some(names)] = found else {
            let missing: Vec<String> = PARTS
                .iter()
                .zip(found)
                .filter(|(_, found)| found.is_none())
                .map(|(name, _)| format!("Authorization header requires '{name}' parameter."))
                .collect();
            return Err(malformed(missing.join(" ")));
        };
        if !signature.len().is_multiple_of(2) || !signature.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(SignatureError::Mismatch);
        }
        let mut scope = credential.split('/');
        let scope: [Option<&str>; 6] = std::array::from_fn(|_| scope.next());
        let [Some(access_key), Some(date), Some(region), Some(service), Some("aws4_request"), None] = scope
        else {
            return Err(malformed(format!(
                "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '{credential}'."
            )));
        };
        Ok(Authorization { access_key, region, date, service, signed_headers: names, signature })
    }

    /// Checks the signature of a request. `header` gives the received value of a lower-case name, `received`
    /// are the names of all headers received.
    ///
    /// # Errors
    /// `Service` or `Mismatch`; `Malformed` when `host`, the date or any `x-amz-` header is not signed: what
    /// is not signed could be exchanged by others.
    pub fn verify<'h>(
        &self,
        secret: &str,
        header: impl Fn(&str) -> Option<&'h str>,
        mut received: impl Iterator<Item = &'h str>,
        body: &[u8],
    ) -> Result<(), SignatureError> {
        if self.service != SERVICE {
            return Err(SignatureError::Service);
        }
        let signed_headers: Vec<String> =
            self.signed_headers.split(';').map(str::to_ascii_lowercase).collect();
        // As the form demands. A name that comes often would copy its value as often.
        if !signed_headers.is_sorted_by(|one, next| one < next) {
            return Err(SignatureError::Malformed(
                "'SignedHeaders' must name each header once, in ascending order.".to_owned(),
            ));
        }
        let signs = |name: &str| signed_headers.iter().any(|signed| signed == name);
        if !signs("host") {
            return Err(SignatureError::HostNotSigned);
        }
        let is_needed = |name: &&str| name.starts_with("x-amz-") && *name != "x-amz-content-sha256";
        if let Some(name) = received.find(|name| is_needed(name) && !signs(name)) {
            return Err(SignatureError::Malformed(format!(
                "'{name}' must be a 'SignedHeader' in the AWS Authorization."
            )));
        }
        if let Some(name) = signed_headers.iter().find(|name| header(name).is_none()) {
            return Err(SignatureError::Malformed(format!(
                "'{name}' is named as a SignedHeader, but it does not exist in the HTTP request."
            )));
        }
        let signature = unhex(self.signature).ok_or(SignatureError::Mismatch)?;
        let timestamp = header("x-amz-date").unwrap_or_default();
        if timestamp.get(..8) != Some(self.date) {
            return Err(SignatureError::Mismatch);
        }
        if let Some(claimed) = header("x-amz-content-sha256")
            && claimed != "UNSIGNED-PAYLOAD"
            && claimed != hex(&Sha256::digest(body))
        {
            return Err(SignatureError::Mismatch);
        }
        let headers: Vec<Header<'_>> =
            signed_headers.iter().map(|name| (name.as_str(), header(name).unwrap_or_default())).collect();
        let signed = Signed {
            date: self.date,
            region: self.region,
            service: self.service,
            timestamp,
            headers: &headers,
            body,
        };
        signed.mac(secret).verify_slice(&signature).map_err(|_| SignatureError::Mismatch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADERS: &[Header<'static>] = &[
        ("host", "localhost:8000"),
        ("x-amz-date", "20260101T000000Z"),
        ("x-amz-target", "DynamoDB_20120810.Get"),
    ];

    fn find(name: &str) -> Option<&'static str> {
        HEADERS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    #[test]
    fn what_is_signed_verifies_and_nothing_else() {
        let header = sign("AK", "secret", "eu-west-1", "20260101T000000Z", HEADERS, b"{}");
        let authorization = Authorization::parse(&header).unwrap();
        assert_eq!((authorization.access_key, authorization.region), ("AK", "eu-west-1"));
        let names = || HEADERS.iter().map(|(name, _)| *name);
        assert_eq!(authorization.verify("secret", find, names(), b"{}"), Ok(()));
        let more = names().chain(["x-amz-security-token"]);
        assert!(matches!(
            authorization.verify("secret", find, more, b"{}"),
            Err(SignatureError::Malformed(_))
        ));
        assert_eq!(authorization.verify("other", find, names(), b"{}"), Err(SignatureError::Mismatch));
        assert_eq!(authorization.verify("secret", find, names(), b"{ }"), Err(SignatureError::Mismatch));
        let moved = |name: &str| if name == "host" { Some("elsewhere") } else { find(name) };
        assert_eq!(authorization.verify("secret", moved, names(), b"{}"), Err(SignatureError::Mismatch));
    }

    #[test]
    fn a_header_is_signed_once() {
        let header = sign("AK", "secret", "eu-west-1", "20260101T000000Z", HEADERS, b"{}");
        for names in ["host;host;x-amz-date;x-amz-target", "x-amz-date;host;x-amz-target"] {
            let other = header.replace("host;x-amz-date;x-amz-target", names);
            let authorization = Authorization::parse(&other).unwrap();
            let received = HEADERS.iter().map(|(name, _)| *name);
            let told = authorization.verify("secret", find, received, b"{}");
            assert!(matches!(told, Err(SignatureError::Malformed(_))), "{names}: {told:?}");
        }
    }

    #[test]
    fn a_key_of_another_day_does_not_sign() {
        let mut headers = HEADERS.to_vec();
        headers.sort_unstable();
        let signed = Signed {
            date: "20260102",
            region: "eu-west-1",
            service: SERVICE,
            timestamp: "20260101T000000Z",
            headers: &headers,
            body: b"{}",
        };
        let signature = hex(&signed.mac("secret").finalize().into_bytes());
        let header = format!(
            "{ALGORITHM} Credential=AK/{}, SignedHeaders={}, Signature={signature}",
            signed.scope(),
            signed.names()
        );
        let authorization = Authorization::parse(&header).unwrap();
        let names = HEADERS.iter().map(|(name, _)| *name);
        assert_eq!(authorization.verify("secret", find, names, b"{}"), Err(SignatureError::Mismatch));
    }

    #[test]
    fn malformed_headers_are_told_apart() {
        for header in ["", "Basic x", "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=00"] {
            assert!(matches!(Authorization::parse(header), Err(SignatureError::Malformed(_))), "{header}");
        }
    }
}
