//! Ends of ranges that are longer than a key can be. DynamoDB refuses them, though no key is longer:
//! such an end becomes one of a key's length that no key distinguishes from it.
//!
//! ```text
//! s <= a…aé   (1,023 a)   the greatest key below it: a…a U+007F
//! s >= a…ab   (1,024 a)   the least key above it: a…ab, of 1,023 a
//! ```

use keyfold_model::value::End;
use keyfold_types::Value;
use keyfold_types::key::key_value_bytes;
use keyfold_types::limits::SORT_KEY_BYTES_MAX;

/// A side of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Low,
    High,
}

/// An end of a range of sort keys that is no longer than a key can be.
pub(super) fn fitted(end: End, side: Side) -> End {
    fitted_in(end, side, SORT_KEY_BYTES_MAX)
}

/// Whether a beginning of sort keys is longer than they can be, so that none has it.
pub(super) fn is_longer_than_keys(beginning: &str) -> bool {
    beginning.len() > SORT_KEY_BYTES_MAX
}

fn fitted_in(end: End, side: Side, most: usize) -> End {
    let held = match &end {
        End::At(held) | End::Before(held) if key_value_bytes(held) > most => held,
        End::At(_) | End::Before(_) | End::Open | End::Nothing => return end,
    };
    // No key is as long as the end, so none equals it.
    let fitting = match (held, side) {
        (Value::S(text), Side::High) => Some(Value::S(text_below(text, most))),
        (Value::S(text), Side::Low) => text_above(text, most).map(Value::S),
        (Value::B(bytes), Side::High) => bytes.get(..most).map(|kept| Value::B(kept.to_vec())),
        (Value::B(bytes), Side::Low) => bytes_above(bytes, most).map(Value::B),
        (
            Value::N(_)
            | Value::Bool(_)
            | Value::Null
            | Value::L(_)
            | Value::M(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_),
            _,
        ) => return end,
    };
    fitting.map_or(End::Nothing, End::At)
}

/// The greatest text of at most so many bytes below a longer one.
fn text_below(text: &str, most: usize) -> String {
    let mut kept = beginning(text, most).to_owned();
    // The character that is cut is longer than the bytes that are left, so all that fit are less.
    kept.extend(match most - kept.len() {
        0 => None,
        1 => Some('\u{7f}'),
        2 => Some('\u{7ff}'),
        _ => Some('\u{ffff}'),
    });
    kept
}

/// The least text of at most so many bytes above a longer one; `None` if there is none.
fn text_above(text: &str, most: usize) -> Option<String> {
    let mut kept = beginning(text, most).to_owned();
    while let Some(last) = kept.pop() {
        let mut above = (u32::from(last) + 1..=u32::from(char::MAX)).filter_map(char::from_u32);
        // A character after the last one that fits is longer.
        if let Some(next) = above.next().filter(|c| kept.len() + c.len_utf8() <= most) {
            kept.push(next);
            return Some(kept);
        }
    }
    None
}

/// The longest beginning of whole characters with at most so many bytes.
fn beginning(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// The least bytes of at most this length above longer ones; `None` if there are none.
fn bytes_above(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let kept = bytes.get(..most)?;
    let at = kept.iter().rposition(|byte| *byte < u8::MAX)?;
    let (last, before) = kept.get(..=at)?.split_last()?;
    Some(before.iter().copied().chain([last + 1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First and last characters of each length, and some between.
    const CHARS: [char; 12] = [
        '\0',
        'a',
        'b',
        '\u{7f}',
        '\u{80}',
        'é',
        '\u{7ff}',
        '\u{800}',
        '\u{d7ff}',
        '\u{e000}',
        '\u{ffff}',
        '\u{10000}',
    ];

    /// The texts of at most so many bytes.
    fn texts(most: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        while from < all.len() {
            let longer = CHARS.map(|c| format!("{}{c}", all[from]));
            all.extend(longer.into_iter().filter(|text| text.len() <= most));
            from += 1;
        }
        all
    }

    fn shown(text: &str) -> String {
        let points = text.chars().map(|c| format!("{:x}", u32::from(c)));
        points.collect::<Vec<_>>().join(",")
    }

    fn is_in(key: &Value, end: &End, side: Side) -> bool {
        let order = |held: &Value| crate::bound::order(key, held).unwrap();
        match (end, side) {
            (End::At(held), Side::Low) => order(held).is_ge(),
            (End::At(held), Side::High) => order(held).is_le(),
            (End::Before(held), _) => order(held).is_lt(),
            (End::Open, _) => true,
            (End::Nothing, _) => false,
        }
    }

    /// The clients in other languages have the cases in their tests.
    #[test]
    fn no_key_distinguishes_a_fitted_end_from_the_long_one() {
        const MOST: usize = 4;
        let keys: Vec<Value> = texts(MOST).into_iter().map(Value::S).collect();
        let mut lines = Vec::new();
        let starts = texts(MOST).into_iter();
        for start in starts.chain(["\u{10ffff}".to_owned()]) {
            for c in CHARS.into_iter().chain(['\u{10ffff}']) {
                let long = format!("{start}{c}");
                if long.len() <= MOST {
                    continue;
                }
                for (side, word) in [(Side::Low, "low"), (Side::High, "high")] {
                    let end = End::At(Value::S(long.clone()));
                    let fitting = fitted_in(end.clone(), side, MOST);
                    for key in &keys {
                        let is_same = is_in(key, &end, side) == is_in(key, &fitting, side);
                        assert!(is_same, "{key:?} {side:?} {end:?} {fitting:?}");
                    }
                    let text = match &fitting {
                        End::At(Value::S(text)) => {
                            assert!(text.len() <= MOST);
                            shown(text)
                        }
                        End::Nothing => "-".to_owned(),
                        End::At(_) | End::Before(_) | End::Open => panic!("{fitting:?}"),
                    };
                    lines.push(format!("{word} {} {text}", shown(&long)));
                    let before = End::Before(Value::S(long.clone()));
                    if side == Side::High {
                        assert_eq!(fitted_in(before, side, MOST), fitting);
                    }
                }
            }
        }
        let cases = include_str!("../../../../clients/cases/ends.txt").lines();
        let cases: Vec<&str> = cases.filter(|line| !line.starts_with('#')).collect();
        let lines = lines.iter().map(String::as_str).enumerate();
        let some = lines.filter(|(at, line)| at % 97 == 0 || line.ends_with('-'));
        let some: Vec<&str> = some.map(|(_, line)| line).collect();
        assert!(cases == some, "{}", some.join("\n"));
    }

    #[test]
    fn ends_of_bytes_are_those_of_keys() {
        let end = |bytes: &[u8], side| fitted_in(End::At(Value::B(bytes.to_vec())), side, 2);
        let at = |bytes: &[u8]| End::At(Value::B(bytes.to_vec()));
        assert_eq!(end(&[1, 2, 3], Side::High), at(&[1, 2]));
        assert_eq!(end(&[1, 2, 3], Side::Low), at(&[1, 3]));
        assert_eq!(end(&[1, 255, 0], Side::Low), at(&[2]));
        assert_eq!(end(&[255, 255, 0], Side::Low), End::Nothing);
        assert_eq!(end(&[255, 255], Side::Low), at(&[255, 255]));
    }
}
