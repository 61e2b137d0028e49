//! Plain text: without quotes, backslashes and control characters, so that JSON needs no escapes.
//! An encoded item records whether all its texts are plain, so the wire does not examine them.

use crate::raw::{Entries, RawValue};
use keyfold_types::ValueKind;

/// Whether a text is plain. Examines several bytes at a time, since every written text is
/// examined.
pub fn is_plain(text: &[u8]) -> bool {
    !has_specials(text)
}

/// Whether every name and text of encoded attributes is plain, at any depth.
pub(crate) fn is_plain_body(attributes: &[u8]) -> bool {
    are_plain(Entries { rest: attributes })
}

fn are_plain(entries: Entries<'_>) -> bool {
    entries
        .unchecked()
        .all(|(name, value)| is_plain(name) && is_plain_value(value))
}

fn is_plain_value(value: RawValue<'_>) -> bool {
    match value.kind() {
        ValueKind::S => is_plain(value.scalar_bytes()),
        ValueKind::L => value.elements().all(is_plain_value),
        ValueKind::M => are_plain(value.entries()),
        ValueKind::Ss => value.members().all(is_plain),
        ValueKind::N
        | ValueKind::B
        | ValueKind::Bool
        | ValueKind::Null
        | ValueKind::Ns
        | ValueKind::Bs => true,
    }
}

/// Whether a byte of the text is special: a quote, a backslash or a control character.
fn has_specials(text: &[u8]) -> bool {
    let is_special = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    let (blocks, rest) = text.as_chunks::<32>();
    if blocks.iter().any(|block| {
        block
            .iter()
            .fold(false, |found, byte| found | is_special(*byte))
    }) {
        return true;
    }
    let (words, tail) = rest.as_chunks::<8>();
    words
        .iter()
        .any(|word| has_special(u64::from_le_bytes(*word)))
        || match (
            text.last_chunk::<8>(),
            tail.first_chunk::<4>(),
            tail.last_chunk::<4>(),
        ) {
            _ if tail.is_empty() => false,
            // The last words overlap those before.
            (Some(last), ..) => has_special(u64::from_le_bytes(*last)),
            (None, Some(&[a, b, c, d]), Some(&[e, f, g, h])) => {
                has_special(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
            }
            _ => tail.iter().any(|byte| is_special(*byte)),
        }
}

/// Whether one of eight bytes is special.
fn has_special(word: u64) -> bool {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    // Subtracting from each byte sets the highest bit of a byte that is less than the subtrahend.
    // Bytes above 127 have the bit already and are masked out.
    let has_less = |word: u64, than: u64| word.wrapping_sub(ONES * than) & !word;
    let has = |byte: u8| has_less(word ^ (ONES * u64::from(byte)), 1);
    (has_less(word, 0x20) | has(b'"') | has(b'\\')) & (ONES * 0x80) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_bytes_are_found_at_every_offset() {
        for length in 0..80 {
            let plain = vec![b'a'; length];
            assert!(is_plain(&plain));
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    let mut text = plain.clone();
                    text[at] = byte;
                    let is_special = byte < 0x20 || byte == b'"' || byte == b'\\';
                    assert_eq!(is_plain(&text), !is_special, "{byte} at {at} of {length}");
                }
            }
        }
    }
}
