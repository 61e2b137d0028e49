//! A Number as 2 to 22 bytes whose byte order is the order of the values.
//!
//! ```text
//! zero      80 00
//! positive  [8001 + e, big-endian]  [pair + 1] ...  00
//! negative  [7fff - e, big-endian]  [fe - pair] ...  ff
//! ```
//!
//! `e` counts the digits before the decimal point of `0.d1d2d3… × 10^e`, shifted to be positive; a pair is
//! two digits from the left, the last one padded with a zero. Only canonical numbers are encoded, so a
//! shorter number is a prefix of a longer one and the terminator sorts it first.

use keyfold_types::Number;

/// Added to the decimal point's place (-129..=126) to make it positive.
const POINT_BIAS: i32 = 200;
const ZERO: u16 = 0x8000;

/// Appends the encoding of `number`.
pub fn encode(out: &mut Vec<u8>, number: &Number) {
    if number.is_zero() {
        out.extend_from_slice(&ZERO.to_be_bytes());
        return;
    }
    let digits = number.digits();
    let point = (number.exponent() + digits as i32 + POINT_BIAS) as u16;
    let flip = if number.is_negative() { 0xff } else { 0x00 };
    let head = if number.is_negative() { ZERO - 1 - point } else { ZERO + 1 + point };
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

/// How many bytes at the front of `bytes` are one encoded number.
pub fn encoded_len(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [0x80, 0x00, ..] => Some(2),
        [head, _, tail @ ..] => {
            let end = if head & 0x80 != 0 { 0x00 } else { 0xff };
            tail.iter().position(|&byte| byte == end).map(|at| at + 3)
        }
        _ => None,
    }
}

/// The number that `bytes` are the encoding of; `None` when they are none.
pub fn decode(bytes: &[u8]) -> Option<Number> {
    let (head, pairs) = match bytes {
        [0x80, 0x00] => return Some(Number::ZERO),
        [a, b, pairs @ .., _terminator] if !pairs.is_empty() && pairs.len() <= 19 => {
            (u16::from_be_bytes([*a, *b]), pairs)
        }
        _ => return None,
    };
    let negative = head < ZERO;
    let flip = if negative { 0xff } else { 0x00 };
    if bytes.last() != Some(&flip) {
        return None;
    }
    let point = if negative { (ZERO - 1).checked_sub(head)? } else { head.checked_sub(ZERO + 1)? };
    let mut coefficient = 0u128;
    for byte in pairs {
        let pair = (byte ^ flip).checked_sub(1).filter(|pair| *pair < 100)?;
        coefficient = coefficient.checked_mul(100)?.checked_add(u128::from(pair))?;
    }
    let exponent = i32::from(point) - POINT_BIAS - 2 * pairs.len() as i32;
    let number = Number::new(negative, coefficient, exponent).ok()?;
    // Canonical: a leading zero digit or a trailing zero pair would not come back the same.
    (coefficient >= 10u128.pow(2 * pairs.len() as u32 - 1)
        && pairs.last().is_some_and(|last| (last ^ flip) != 1))
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
        for text in ["0", "1E-130", "-1E-130", "1E125", "-1E125", "99999999999999999999999999999999999999E88"]
        {
            let number: Number = text.parse().unwrap();
            assert_eq!(decode(&bytes(&number)), Some(number), "{text}");
        }
    }

    proptest! {
        #[test]
        fn order_of_bytes_is_order_of_values(a in any_number(), b in any_number()) {
            prop_assert_eq!(bytes(&a).cmp(&bytes(&b)), a.cmp(&b));
        }

        #[test]
        fn decode_after_encode_is_identity(number in any_number()) {
            let encoded = bytes(&number);
            prop_assert_eq!(encoded_len(&encoded), Some(encoded.len()));
            prop_assert_eq!(decode(&encoded), Some(number));
        }

        #[test]
        fn decode_accepts_only_what_encode_makes(noise in proptest::collection::vec(any::<u8>(), 0..24)) {
            if let Some(number) = decode(&noise) {
                prop_assert_eq!(bytes(&number), noise);
            }
        }
    }
}
