//! A received signature: its parts, and whether it is right.

use crate::canonical::{Header, Signed, payload_hash, unhex};
use crate::query::Query;
use crate::{ALGORITHM, SERVICE, SignatureError, UNSIGNED_PAYLOAD};
use hmac::Mac;

/// What an `Authorization` header must hold.
const PARTS: [&str; 3] = ["Credential", "Signature", "SignedHeaders"];

/// A received signature. It borrows the text of the header or of the query: reading one costs no
/// memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Authorization<'t> {
    /// Whose key signed.
    pub access_key: &'t str,
    /// The region of the scope.
    pub region: &'t str,
    /// When it was signed, and for how long.
    pub validity: Validity<'t>,
    date: &'t str,
    service: &'t str,
    /// Between semicolons.
    signed_headers: &'t str,
    /// In hexadecimal.
    signature: &'t str,
}

/// When a request was signed, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity<'t> {
    /// At the time of its header `x-amz-date`, to be sent at once.
    Header,
    /// In the query: then, and for so many seconds.
    #[expect(missing_docs, reason = "said above")]
    Presigned { timestamp: &'t str, expires_s: u32 },
}

impl<'t> Authorization<'t> {
    /// Reads the text of an `Authorization` header.
    ///
    /// # Errors
    /// `Malformed` when a part is missing or unreadable.
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
                other => other,
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

    /// Checks the signature of a request. `header` gives the received value of a lower-case name,
    /// `received` are the names of all headers received.
    ///
    /// # Errors
    /// `Service` or `Mismatch`; `Malformed` when `host`, the date or any `x-amz-` header is not
    /// signed: what is not signed could be exchanged by others.
    pub fn verify<'h>(
        &self,
        secret: &str,
        query: &Query,
        header: impl Fn(&str) -> Option<&'h str>,
        mut received: impl Iterator<Item = &'h str>,
        body: &[u8],
    ) -> Result<(), SignatureError> {
        if self.service != SERVICE {
            return Err(SignatureError::Service);
        }
        let signed_headers: Vec<String> = self
            .signed_headers
            .split(';')
            .map(str::to_ascii_lowercase)
            .collect();
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
        let timestamp = match self.validity {
            Validity::Header => header("x-amz-date").unwrap_or_default(),
            Validity::Presigned { timestamp, .. } => timestamp,
        };
        if timestamp.get(..8) != Some(self.date) {
            return Err(SignatureError::Mismatch);
        }
        let claimed = header("x-amz-content-sha256").or_else(|| query.get("x-amz-content-sha256"));
        let payload = match claimed {
            // The signer's choice: the signature covers these words.
            Some(UNSIGNED_PAYLOAD) => UNSIGNED_PAYLOAD.to_owned(),
            _ => payload_hash(body),
        };
        if claimed.is_some_and(|claimed| claimed != payload) {
            return Err(SignatureError::Mismatch);
        }
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
}
