//! Request ids in the service's form: 52 upper-case letters and digits, unique.

use hyper::header::HeaderValue;
use std::fmt::{Display, Formatter};

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";

const LENGTH: usize = 52;

/// A request's id.
pub(crate) struct RequestId([u8; LENGTH]);

impl RequestId {
    /// A random id.
    pub(crate) fn new() -> RequestId {
        let mut letters = [b'A'; LENGTH];
        // Twelve letters of five bits from each number.
        for chunk in letters.chunks_mut(12) {
            let mut bits = fastrand::u64(..);
            for letter in chunk {
                *letter = ALPHABET.get((bits & 31) as usize).copied().unwrap_or(b'A');
                bits >>= 5;
            }
        }
        RequestId(letters)
    }

    /// The id as a header's value.
    pub(crate) fn header(&self) -> HeaderValue {
        HeaderValue::from_bytes(&self.0).unwrap_or(HeaderValue::from_static(""))
    }
}

impl Display for RequestId {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(std::str::from_utf8(&self.0).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn ids_have_the_services_form() {
        let id = super::RequestId::new().to_string();
        assert_eq!(id.len(), 52);
        assert!(
            id.bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        );
        assert_ne!(id, super::RequestId::new().to_string());
    }
}
