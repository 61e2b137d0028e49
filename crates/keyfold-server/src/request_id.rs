//! Request ids in the service's form: 52 upper-case letters and digits, unique.

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";

/// A fresh id.
pub(crate) fn new() -> String {
    let bits = [fastrand::u128(..), fastrand::u128(..), fastrand::u128(..)];
    let letter = |at: usize| {
        let word = bits.get(at / 25).copied().unwrap_or(0);
        let index = (word >> (5 * (at % 25)) & 31) as usize;
        char::from(ALPHABET.get(index).copied().unwrap_or(b'A'))
    };
    (0..52).map(letter).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn ids_have_the_services_form() {
        let id = super::new();
        assert_eq!(id.len(), 52);
        assert!(id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()));
        assert_ne!(id, super::new());
    }
}
