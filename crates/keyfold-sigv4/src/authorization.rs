//! A received signature: parsing and verification.

use crate::canonical::{Header, Signed, payload_hash, unhex};
use crate::query::Query;
use crate::{ALGORITHM, SERVICE, SignatureError, UNSIGNED_PAYLOAD};
use hmac::Mac;

/// The parts that an `Authorization` header must have.
const PARTS: [&str; 3] = ["Credential", "Signature", "SignedHeaders"];

/// A received signature. It borrows the text of the header or of the query, so that parsing one
/// allocates nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Authorization<'t> {
    /// The access key id of the signer.
    pub access_key: &'t str,
    /// The region of the scope.
    pub region: &'t str,
    /// The time of the signature, and how long it is valid.
    pub validity: Validity<'t>,
    date: &'t str,
    service: &'t str,
    /// The names of the signed headers, separated by semicolons.
    signed_headers: &'t str,
    /// The signature in hexadecimal.
    signature: &'t str,
}

/// The time at which a request was signed, and how long the signature is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity<'t> {
    /// Signed at the time of the header `x-amz-date`, to be sent at once.
    Header,
    /// Signed in the query, to be sent later.
    Presigned {
        /// The time of the signature.
        timestamp: &'t str,
        /// The validity in seconds.
        expires_s: u32,
    },
}

impl<'t> Authorization<'t> {
    /// Parses the text of an `Authorization` header.
    ///
    /// # Errors
    /// `Malformed` when a part is missing or does not parse; `Mismatch` when the signature is not
    /// hexadecimal.
    pub fn parse(header: &'t str) -> Result<Authorization<'t>, SignatureError> {
        let malformed =
            |what: String| SignatureError::Malformed(format!("{what} Authorization={header}"));
        let Some(rest) = header.trim().strip_prefix(ALGORITHM) else {
            return Err(malformed("Unsupported AWS 'algorithm'.".to_owned()));
        };
        let mut found: [Option<&str>; 3] = [None; 3];
        for part in rest
            .split(',')
            .map(str::trim_ascii)
            .filter(|part| !part.is_empty())
        {
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
        Authorization::new(credential, names, signature, Validity::Header).map_err(|error| {
            match error {
                SignatureError::Malformed(what) => malformed(what),
                SignatureError::HostNotSigned
                | SignatureError::Service
                | SignatureError::Mismatch => error,
            }
        })
    }

    pub(crate) fn new(
        credential: &'t str,
        signed_headers: &'t str,
        signature: &'t str,
        validity: Validity<'t>,
    ) -> Result<Authorization<'t>, SignatureError> {
        if !signature.len().is_multiple_of(2)
            || !signature.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            return Err(SignatureError::Mismatch);
        }
        let mut scope = credential.split('/');
        let scope: [Option<&str>; 6] = std::array::from_fn(|_| scope.next());
        let [
            Some(access_key),
            Some(date),
            Some(region),
            Some(service),
            Some("aws4_request"),
            None,
        ] = scope
        else {
            return Err(SignatureError::Malformed(format!(
                "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '{credential}'."
            )));
        };
        Ok(Authorization {
            access_key,
            region,
            validity,
            date,
            service,
            signed_headers,
            signature,
        })
    }

    /// Verifies the signature of a request. `header` returns the received value of a lower-case
    /// name, `received` are the names of all received headers.
    ///
    /// # Errors
    /// `Service` or `Mismatch`; `HostNotSigned` or `Malformed` when `host`, the date or any
    /// `x-amz-` header is not signed: others could replace an unsigned header.
    pub fn verify<'h>(
        &self,
        secret: &str,
        query: &Query,
        header: impl Fn(&str) -> Option<&'h str>,
        received: impl Iterator<Item = &'h str>,
        body: &[u8],
    ) -> Result<(), SignatureError> {
        if self.service != SERVICE {
            return Err(SignatureError::Service);
        }
        let signed_headers = self.signed_headers(&header, received)?;
        let signature = unhex(self.signature).ok_or(SignatureError::Mismatch)?;
        let timestamp = match self.validity {
            Validity::Header => header("x-amz-date").unwrap_or_default(),
            Validity::Presigned { timestamp, .. } => timestamp,
        };
        if timestamp.get(..8) != Some(self.date) {
            return Err(SignatureError::Mismatch);
        }
        let claimed = header("x-amz-content-sha256").or_else(|| query.get("x-amz-content-sha256"));
        let payload = payload(claimed, body)?;
        let headers: Vec<Header<'_>> = signed_headers
            .iter()
            .map(|name| (name.as_str(), header(name).unwrap_or_default()))
            .collect();
        let signed = Signed {
            date: self.date,
            region: self.region,
            service: self.service,
            timestamp,
            query: &query.canonical(),
            headers: &headers,
            payload: &payload,
        };
        signed
            .mac(secret)
            .verify_slice(&signature)
            .map_err(|_| SignatureError::Mismatch)
    }

    /// Returns the names of the signed headers, in ascending order, after checking that all
    /// required headers are signed and all signed headers were received.
    fn signed_headers<'h>(
        &self,
        header: impl Fn(&str) -> Option<&'h str>,
        mut received: impl Iterator<Item = &'h str>,
    ) -> Result<Vec<String>, SignatureError> {
        let names: Vec<String> = self
            .signed_headers
            .split(';')
            .map(str::to_ascii_lowercase)
            .collect();
        // The specification requires ascending order. It also excludes repeated names, each of
        // which would copy its value.
        if !names.is_sorted_by(|one, next| one < next) {
            return Err(SignatureError::Malformed(
                "'SignedHeaders' must name each header once, in ascending order.".to_owned(),
            ));
        }
        let is_signed = |name: &str| names.iter().any(|signed| signed == name);
        if !is_signed("host") {
            return Err(SignatureError::HostNotSigned);
        }
        let is_required =
            |name: &&str| name.starts_with("x-amz-") && *name != "x-amz-content-sha256";
        if let Some(name) = received.find(|name| is_required(name) && !is_signed(name)) {
            return Err(SignatureError::Malformed(format!(
                "'{name}' must be a 'SignedHeader' in the AWS Authorization."
            )));
        }
        if let Some(name) = names.iter().find(|name| header(name).is_none()) {
            return Err(SignatureError::Malformed(format!(
                "'{name}' is named as a SignedHeader, but it does not exist in the HTTP request."
            )));
        }
        Ok(names)
    }
}

/// Returns the payload line of the canonical request: the body's hash, or the claimed words of a
/// signer that leaves the body out.
fn payload(claimed: Option<&str>, body: &[u8]) -> Result<String, SignatureError> {
    if claimed == Some(UNSIGNED_PAYLOAD) {
        return Ok(UNSIGNED_PAYLOAD.to_owned());
    }
    let hash = payload_hash(body);
    match claimed {
        Some(claimed) if claimed != hash => Err(SignatureError::Mismatch),
        Some(_) | None => Ok(hash),
    }
}
