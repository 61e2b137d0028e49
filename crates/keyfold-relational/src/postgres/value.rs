//! The texts in which PostgreSQL writes values, as cells.

use crate::cell::Cell;

/// Types by their numbers, which are the same in every database.
const BOOL: u32 = 16;
const BYTEA: u32 = 17;
const INT8: u32 = 20;
const INT2: u32 = 21;
const INT4: u32 = 23;
const FLOAT4: u32 = 700;
const FLOAT8: u32 = 701;
const BPCHAR: u32 = 1042;
const TIMESTAMPTZ: u32 = 1184;

/// A value of a type. A text that is none of its type stays a text: the type was changed a moment ago.
pub(super) fn cell(kind: u32, text: Option<&str>) -> Cell {
    let Some(text) = text else {
        return Cell::Null;
    };
    let other = || Cell::Text(text.to_owned());
    match kind {
        INT2 | INT4 | INT8 => text.parse().map_or_else(|_| other(), Cell::Integer),
        FLOAT4 | FLOAT8 => text.parse().map_or_else(|_| other(), Cell::Real),
        BYTEA => bytes(text).map_or_else(other, Cell::Bytes),
        BOOL => match text {
            "t" => Cell::Text("true".to_owned()),
            "f" => Cell::Text("false".to_owned()),
            _ => other(),
        },
        // Blanks at the end are no part of the value.
        BPCHAR => Cell::Text(text.trim_end_matches(' ').to_owned()),
        TIMESTAMPTZ => match text.strip_suffix("+00") {
            Some(time) => Cell::Text(format!("{time}Z")),
            None => other(),
        },
        _ => other(),
    }
}

/// The bytes of a text such as `\x00ff`.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("\\x")?.as_bytes();
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok();
    pairs.iter().map(byte).collect()
}

/// Bytes as PostgreSQL writes them.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::from("\\x");
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(u32::from(digit), 16));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_what_their_types_say() {
        let text = |text: &str| Cell::Text(text.to_owned());
        assert_eq!(
            cell(INT8, Some("-9223372036854775808")),
            Cell::Integer(i64::MIN)
        );
        assert_eq!(cell(INT4, Some("x")), text("x"));
        assert_eq!(cell(FLOAT4, Some("0.1")), Cell::Real(0.1));
        assert_eq!(cell(FLOAT8, Some("1e+300")), Cell::Real(1e300));
        assert_eq!(cell(BOOL, Some("t")), text("true"));
        assert_eq!(cell(BPCHAR, Some("ab  ")), text("ab"));
        assert_eq!(
            cell(TIMESTAMPTZ, Some("2026-07-20 12:00:00.5+00")),
            text("2026-07-20 12:00:00.5Z")
        );
        assert_eq!(cell(TIMESTAMPTZ, Some("infinity")), text("infinity"));
        assert_eq!(cell(25, None), Cell::Null);
        assert_eq!(cell(BYTEA, Some("\\x00fF")), Cell::Bytes(vec![0, 255]));
        assert_eq!(hex(&[0, 255]), "\\x00ff");
        assert_eq!(bytes("\\x0"), None);
        assert_eq!(bytes("\\x0g"), None);
    }
}
