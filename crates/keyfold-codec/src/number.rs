//! A Number as 2 to 22 bytes whose byte order is the order of the values.
//!
//! ```text
//! zero      80 00
//! positive  [8001 + e, big-endian]  [pair + 1] ...  00
//! negative  [7fff - e, big-endian]  [fe - pair] ...  ff
//! ```
//!
//! `e` counts the digits before the decimal point of `0.d1d2d3… × 10^e`, shifted to be positive; a
//! pair is two digits from the left, the last one padded with a zero. Only canonical numbers are
//! encoded, so a shorter number is a prefix of a longer one, and its terminator sorts it first.

use keyfold_types::Number;

/// Added to the decimal point's place (-129..=126) to make it positive.
const POINT_BIAS: i32 = 200;
const ZERO: u16 = 0x8000;
/// The largest count of a number's digits.
const DIGITS_MAX: usize = 38;

/// Appends the encoding of `number`.
pub fn encode(out: &mut Vec<u8>, number: &Number) {
    if number.is_zero() {
        out.extend_from_slice(&ZERO.to_be_bytes());
        return;
    }
    let digits = number.digits();
    let point = (number.exponent() + digits as i32 + POINT_BIAS) as u16;
    let flip = if number.is_negative() { 0xff } else { 0x00 };
    let head = if number.is_negative() {
        ZERO - 1 - point
    } else {
        ZERO + 1 + point
    };
    out.extend_from_slice(&head.to_be_bytes());
    // Left-align to an even count of digits, then peel pairs from the left.
    let mut rest = number.coefficient() * if digits % 2 == 1 { 10 } else { 1 };
    let mut scale = 100u128.pow(digits.div_ceil(2) - 1);
    while scale > 0 {
        let pair = (rest / scale) as u8;
        rest %= scale;
        scale /= 100;
        out.push((pair + 1) ^ flip);
    }
    out.push(flip);
}

/// Bytes of a number's encoding.
pub(crate) fn length(number: &Number) -> usize {
    if number.is_zero() {
        2
    } else {
        3 + number.digits().div_ceil(2) as usize
    }
}

/// The length of the encoded number at the front of `bytes`; `None` when there is none.
#[cfg(test)]
fn encoded_len(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [0x80, 0x00, ..] => Some(2),
        [head, _, tail @ ..] => {
            let end = if head & 0x80 != 0 { 0x00 } else { 0xff };
            tail.iter().position(|&byte| byte == end).map(|at| at + 3)
        }
        _ => None,
    }
}

/// The parts of the encoding of a number other than zero.
struct Parts<'a> {
    negative: bool,
    /// The mask of the pairs: `ff` in a negative number.
    flip: u8,
    /// The number of digits before the decimal point; if negative, of zeros behind it.
    point: i32,
    /// Two digits each, from the left; 1 to 19.
    pairs: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(bytes: &'a [u8]) -> Option<Parts<'a>> {
        let [a, b, pairs @ .., terminator] = bytes else {
            return None;
        };
        let head = u16::from_be_bytes([*a, *b]);
        let negative = head < ZERO;
        let flip = if negative { 0xff } else { 0x00 };
        if pairs.is_empty() || pairs.len() > DIGITS_MAX / 2 || *terminator != flip {
            return None;
        }
        let point = if negative {
            (ZERO - 1).checked_sub(head)?
        } else {
            head.checked_sub(ZERO + 1)?
        };
        Some(Parts {
            negative,
            flip,
            point: i32::from(point) - POINT_BIAS,
            pairs,
        })
    }

    /// The pairs, from the left; `None` for a byte that is none.
    fn pairs(&self) -> impl Iterator<Item = Option<u8>> {
        self.pairs
            .iter()
            .map(|byte| (byte ^ self.flip).checked_sub(1).filter(|pair| *pair < 100))
    }
}

/// Appends the text of an encoded number as DynamoDB writes it: digits, perhaps with a sign and a
/// point. Returns false, and appends nothing, when `bytes` are no encoding.
pub fn append_text(out: &mut Vec<u8>, bytes: &[u8]) -> bool {
    if bytes == ZERO.to_be_bytes() {
        out.push(b'0');
        return true;
    }
    let Some(parts) = Parts::of(bytes) else {
        return false;
    };
    let mut digits = [b'0'; DIGITS_MAX];
    for (slot, pair) in digits.as_chunks_mut::<2>().0.iter_mut().zip(parts.pairs()) {
        let Some(pair) = pair else { return false };
        *slot = [b'0' + pair / 10, b'0' + pair % 10];
    }
    // The last digit of an odd count is padding.
    let count = 2 * parts.pairs.len();
    let count = if digits.get(count - 1) == Some(&b'0') {
        count - 1
    } else {
        count
    };
    let digits = digits.get(..count).unwrap_or_default();
    if parts.negative {
        out.push(b'-');
    }
    let zeros =
        |out: &mut Vec<u8>, count: i32| out.resize(out.len() + count.unsigned_abs() as usize, b'0');
    match usize::try_from(parts.point).ok().filter(|point| *point > 0) {
        None => {
            out.extend_from_slice(b"0.");
            zeros(out, parts.point);
            out.extend_from_slice(digits);
        }
        Some(point) => match digits.split_at_checked(point) {
            Some((whole, [])) => out.extend_from_slice(whole),
            Some((whole, fraction)) => {
                out.extend_from_slice(whole);
                out.push(b'.');
                out.extend_from_slice(fraction);
            }
            None => {
                out.extend_from_slice(digits);
                zeros(out, parts.point - digits.len() as i32);
            }
        },
    }
    true
}

/// An upper bound of the length of [`append_text`]'s text.
pub(crate) fn text_bytes(bytes: &[u8]) -> usize {
    let Some(parts) = Parts::of(bytes) else {
        return 1;
    };
    let digits = 2 * parts.pairs.len();
    // A sign, and a point.
    2 + match usize::try_from(parts.point) {
        Ok(point @ 1..) => digits.max(point),
        _ => 1 + parts.point.unsigned_abs() as usize + digits,
    }
}

/// The number of an encoding; `None` when `bytes` are none.
pub fn decode(bytes: &[u8]) -> Option<Number> {
    if bytes == ZERO.to_be_bytes() {
        return Some(Number::ZERO);
    }
    let parts = Parts::of(bytes)?;
    let mut coefficient = 0u128;
    for pair in parts.pairs() {
        coefficient = coefficient
            .checked_mul(100)?
            .checked_add(u128::from(pair?))?;
    }
    let pairs = parts.pairs;
    let exponent = parts.point - 2 * pairs.len() as i32;
    let number = Number::new(parts.negative, coefficient, exponent).ok()?;
    // Only canonical encodings: no leading zero digit and no trailing zero pair.
    (coefficient >= 10u128.pow(2 * pairs.len() as u32 - 1)
        && pairs.last().is_some_and(|last| (last ^ parts.flip) != 1))
    .then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(number: &Number) -> Vec<u8> {
        let mut out = Vec::new();
        encode(&mut out, number);
        out
    }

    fn any_number() -> impl Strategy<Value = Number> {
        prop_oneof![
            (any::<bool>(), 0u128..10u128.pow(38), -167i32..=125),
            (any::<bool>(), 0u128..1000, -4i32..=4),
        ]
        .prop_filter_map("in range", |(negative, coefficient, exponent)| {
            Number::new(negative, coefficient, exponent).ok()
        })
    }

    #[test]
    fn extremes_round_trip() {
        for text in [
            "0",
            "1E-130",
            "-1E-130",
            "1E125",
            "-1E125",
            "99999999999999999999999999999999999999E88",
        ] {
            let number: Number = text.parse().unwrap();
            assert_eq!(decode(&bytes(&number)), Some(number), "{text}");
            let mut written = Vec::new();
            assert!(append_text(&mut written, &bytes(&number)));
            assert_eq!(String::from_utf8(written).unwrap(), number.to_string());
        }
    }

    proptest! {
        #[test]
        fn the_bound_of_a_texts_length_holds_and_is_close(number in any_number()) {
            let (encoded, mut text) = (bytes(&number), Vec::new());
            assert!(append_text(&mut text, &encoded));
            assert!((text.len()..text.len() + 5).contains(&text_bytes(&encoded)));
        }

        #[test]
        fn order_of_bytes_is_order_of_values(a in any_number(), b in any_number()) {
            prop_assert_eq!(bytes(&a).cmp(&bytes(&b)), a.cmp(&b));
        }

        #[test]
        fn decode_after_encode_is_identity(number in any_number()) {
            let encoded = bytes(&number);
            prop_assert_eq!(encoded_len(&encoded), Some(encoded.len()));
            prop_assert_eq!(decode(&encoded), Some(number));
            let mut text = b"before".to_vec();
            prop_assert!(append_text(&mut text, &encoded));
            prop_assert_eq!(String::from_utf8(text).unwrap(), format!("before{number}"));
        }

        #[test]
        fn decode_accepts_only_what_encode_makes(noise in proptest::collection::vec(any::<u8>(), 0..24)) {
            let mut text = Vec::new();
            let is_written = append_text(&mut text, &noise);
            prop_assert_eq!(is_written, !text.is_empty());
            if let Some(number) = decode(&noise) {
                prop_assert!(is_written);
                prop_assert_eq!(bytes(&number), noise);
            }
        }
    }
}
