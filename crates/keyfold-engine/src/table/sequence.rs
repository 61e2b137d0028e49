//! Sequence numbers of stream records, as the API writes them.

/// The difference between a sequence number of the API, which has 21 digits, and the store's.
const BASE: u128 = 100_000_000_000_000_000_001;
/// Characters of a sequence number in a request.
pub(crate) const CHARS: (usize, usize) = (21, 40);

/// A sequence number of the API.
pub(crate) fn text(sequence: u64) -> String {
    (BASE + u128::from(sequence)).to_string()
}

/// The sequence number of the API before one.
pub(crate) fn text_before(sequence: u64) -> String {
    (BASE + u128::from(sequence) - 1).to_string()
}

/// The store's number of an API's sequence number; none when no record can have it.
pub(crate) fn of(text: &str) -> Option<u64> {
    let (min, max) = CHARS;
    let digits =
        (min..=max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u128 = digits.then(|| text.parse().ok()).flatten()?;
    u64::try_from(number.checked_sub(BASE)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_have_the_services_form() {
        assert_eq!(text(7), "100000000000000000008");
        assert_eq!(of("100000000000000000008"), Some(7));
        for wrong in [
            "7",
            "99999999999999999999",
            "10000000000000000000x",
            "000000000000000000001",
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
