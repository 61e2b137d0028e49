//! Ends of key ranges: the least or the greatest key of the values that a parameter allows.
//!
//! A range of DynamoDB includes its ends. An end that lies outside of the range (`a > low`) becomes
//! the next key inside of it, or a text beside which no key lies:
//!
//! ```text
//! n > 42           "0043"                     the next padded number
//! t > 2024-01-15   "2024-01-15" U+10FFFF      above every key that goes on behind the value
//! t < 2024-01-15   "2024-01-15"               below them: such a key goes on
//! s > ab           "ab" U+0000                no text lies between
//! s < ab           "aa" U+10FFFF              above every text that is less
//! ```

use super::error::ValueError;
use super::key::{column, directed, text, written};
use crate::schema::Limit;
use crate::template::{BREAK, Format, Part};
use crate::types::Type;
use keyfold_types::{Number, Value};
use std::collections::BTreeMap;

/// An end of a range of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The range ends at this key, which it includes.
    At(Value),
    /// The range ends before this key.
    Before(Value),
    /// The range has no end on this side.
    Open,
    /// The range is empty.
    Nothing,
}

/// The end of a range that parts make of values. `limit_of` returns the limit that a parameter puts
/// on its attribute. A value outside the attribute's range is no error here: `n >= -1` of a padded
/// number starts with 0, `n <= 12345` of four digits ends with 9999, a text may contain delimiters.
///
/// # Errors
/// As [`super::key()`], of the parts before the limited one.
pub fn end(
    parts: &[Part],
    values: &BTreeMap<String, Value>,
    limit_of: impl Fn(&str) -> Option<Limit>,
) -> Result<End, ValueError> {
    let limited = parts.iter().enumerate().find_map(|(at, part)| match part {
        Part::Field {
            name, kind, format, ..
        } => limit_of(name).map(|limit| (at, part, limit, (name, kind, *format))),
        Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => None,
    });
    let Some((at, part, limit, (name, kind, format))) = limited else {
        return column(parts, values).map(End::At);
    };
    let held = values
        .get(name)
        .ok_or_else(|| ValueError::Missing(name.clone()))?;
    if format == Format::Bare {
        return Ok(bare(held, kind, limit));
    }
    let start = text(parts.get(..at).unwrap_or_default(), values)?;
    let rest = text(parts.get(at + 1..).unwrap_or_default(), values)?;
    let made = match (held, format) {
        (
            Value::N(number),
            Format::Padded {
                whole,
                decimals,
                reversed,
                signed,
            },
        ) => {
            let found = if signed {
                signed_end(&number.to_string(), whole, decimals, limit)
            } else {
                padded_end(&number.to_string(), whole, decimals, limit).map(|size| (size, false))
            };
            let Some((size, is_negative)) = found else {
                return Ok(End::Nothing);
            };
            format!(
                "{start}{}{rest}",
                directed(&size, is_negative, reversed, signed)
            )
        }
        (Value::S(value), Format::Plain) if *kind == Type::String => {
            match beside(&start, value, &rest, (part, limit)) {
                Some(made) => made,
                None => return Ok(End::Nothing),
            }
        }
        _ => match beside(&start, &written(part, held)?, &rest, (part, limit)) {
            Some(made) => made,
            None => return Ok(End::Nothing),
        },
    };
    Ok(match made.is_empty() {
        false => End::At(Value::S(made)),
        // A key is never empty.
        true if limit.is_lower() => End::Open,
        true => End::Nothing,
    })
}

/// The end of a range of an attribute that is the key itself.
fn bare(held: &Value, kind: &Type, limit: Limit) -> End {
    let is_empty = matches!(held, Value::S(text) if text.is_empty());
    match (held, limit.strict_sign()) {
        (Value::S(_), _) if is_empty && limit.is_lower() => End::Open,
        (Value::S(_), _) if is_empty => End::Nothing,
        (_, None) => End::At(held.clone()),
        (Value::N(number), Some(_)) => {
            let next = if limit.is_lower() {
                next_number(number, kind)
            } else {
                next_number(&number.negated(), kind).map(|next| next.negated())
            };
            next.map_or(End::Nothing, |next| End::At(Value::N(next)))
        }
        (Value::S(text), Some(_)) if limit.is_lower() => End::At(Value::S(format!("{text}\0"))),
        (Value::B(bytes), Some(_)) if limit.is_lower() => {
            End::At(Value::B(bytes.iter().copied().chain([0]).collect()))
        }
        (_, Some(_)) => End::Before(held.clone()),
    }
}

/// The least number of a type that is greater; `None` above the greatest.
fn next_number(number: &Number, kind: &Type) -> Option<Number> {
    let whole = number.checked_add(&Number::from(1_i64)).ok();
    match whole.filter(|_| *kind == Type::Int) {
        Some(next) => Some(next),
        None => number.next_up(),
    }
}

/// The text at which a range of keys ends: `start`, the text of the limited value, and the texts
/// behind it, which only an upper end has. `None` where no key lies in the range.
fn beside(start: &str, value: &str, rest: &str, (part, limit): (&Part, Limit)) -> Option<String> {
    let is_reversed = matches!(part, Part::Field { format, .. } if format.is_reversed());
    let is_first = limit.is_lower() != is_reversed;
    match (limit.strict_sign(), is_first) {
        (None, _) => Some(format!("{start}{value}{rest}")),
        // No value begins with another of its width.
        (Some(_), true) if part.is_fixed_width() => Some(format!("{start}{value}{}", char::MAX)),
        (Some(_), true) => Some(format!("{start}{value}\0")),
        // Every key of the value goes on behind it.
        (Some(_), false) if !rest.is_empty() => Some(format!("{start}{value}")),
        (Some(_), false) => before(value).map(|less| format!("{start}{less}")),
    }
}

/// A text above all texts that are less, of those without U+10FFFF; `None` if there are none. No
/// key holds U+10FFFF.
fn before(text: &str) -> Option<String> {
    let mut kept = text.to_owned();
    let last = kept.pop()?;
    if last == BREAK {
        return Some(kept);
    }
    let less = (0..u32::from(last)).rev().find_map(char::from_u32)?;
    kept.extend([less, char::MAX]);
    Some(kept)
}

/// The first padded number inside of a limit: the least that is not below a number, or the greatest
/// that is not above it, and not the number itself where the limit excludes it. `None` if there is
/// none.
fn padded_end(number: &str, whole: usize, decimals: usize, limit: Limit) -> Option<String> {
    let (is_low, is_strict) = (limit.is_lower(), limit.strict_sign().is_some());
    let join = |digits: &str| {
        let (before, behind) = digits.split_at_checked(whole)?;
        Some(match decimals {
            0 => before.to_owned(),
            _ => format!("{before}.{behind}"),
        })
    };
    let all = |digit: &str| digit.repeat(whole + decimals);
    if number.starts_with('-') {
        return if is_low { join(&all("0")) } else { None };
    }
    let (before, behind) = number.split_once('.').unwrap_or((number, ""));
    let before = before.trim_start_matches('0');
    if before.len() > whole {
        return if is_low { None } else { join(&all("9")) };
    }
    let kept = behind.get(..decimals).unwrap_or(behind);
    let is_cut = behind
        .get(decimals..)
        .is_some_and(|rest| rest.bytes().any(|digit| digit != b'0'));
    // The digits without the point: the greatest padded number that is not above.
    let digits = format!("{before:0>whole$}{kept:0<decimals$}");
    match (is_low, is_strict) {
        (true, true) => join(&changed(&digits, 1)?),
        (true, false) if is_cut => join(&changed(&digits, 1)?),
        (false, true) if !is_cut => join(&changed(&digits, -1)?),
        (true | false, _) => join(&digits),
    }
}

/// As [`padded_end`], where negative numbers fit, too: the digits, and whether the number is negative.
fn signed_end(number: &str, whole: usize, decimals: usize, limit: Limit) -> Option<(String, bool)> {
    let opposite = |limit: Limit| match limit {
        Limit::AtLeast => Limit::AtMost,
        Limit::Above => Limit::Below,
        Limit::AtMost => Limit::AtLeast,
        Limit::Below => Limit::Above,
        Limit::Equal | Limit::Starts | Limit::In(_) | Limit::Among | Limit::Free => limit,
    };
    if let Some(size) = number.strip_prefix('-') {
        return padded_end(size, whole, decimals, opposite(limit)).map(|size| (size, true));
    }
    match padded_end(number, whole, decimals, limit) {
        Some(size) => Some((size, false)),
        // Only zero has no lesser number without a sign.
        None if limit == Limit::Below => {
            padded_end("0", whole, decimals, Limit::Above).map(|size| (size, true))
        }
        None => None,
    }
}

/// The digits of the number that is one more or one less; `None` beyond the last and the first.
fn changed(digits: &str, by: i8) -> Option<String> {
    let (full, empty) = if by > 0 { ('9', "0") } else { ('0', "9") };
    let kept = digits.trim_end_matches(full);
    let (last, start) = (kept.chars().last()?, kept.get(..kept.len() - 1)?);
    let digit = last.to_digit(10)?.checked_add_signed(i32::from(by))?;
    let next = char::from_digit(digit, 10)?;
    Some(format!(
        "{start}{next}{}",
        empty.repeat(digits.len() - kept.len())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_a_range_are_those_of_the_numbers_that_fit() {
        for (number, whole, decimals, low, high) in [
            ("-1", 4, 0, Some("0000"), None),
            ("0", 4, 0, Some("0000"), Some("0000")),
            ("42", 4, 0, Some("0042"), Some("0042")),
            ("9999", 4, 0, Some("9999"), Some("9999")),
            ("10000", 4, 0, None, Some("9999")),
            ("41.5", 4, 0, Some("0042"), Some("0041")),
            ("9999.5", 4, 0, None, Some("9999")),
            ("1.255", 3, 2, Some("001.26"), Some("001.25")),
            ("1.2", 3, 2, Some("001.20"), Some("001.20")),
            ("9.999", 3, 2, Some("010.00"), Some("009.99")),
            ("-0.001", 3, 2, Some("000.00"), None),
            ("1000", 3, 2, None, Some("999.99")),
        ] {
            assert_eq!(
                padded_end(number, whole, decimals, Limit::AtLeast).as_deref(),
                low,
                "at least {number}"
            );
            assert_eq!(
                padded_end(number, whole, decimals, Limit::AtMost).as_deref(),
                high,
                "at most {number}"
            );
        }
    }

    #[test]
    fn ends_outside_of_a_range_are_the_next_numbers_inside() {
        for (number, whole, decimals, above, below) in [
            ("-1", 4, 0, Some("0000"), None),
            ("0", 4, 0, Some("0001"), None),
            ("42", 4, 0, Some("0043"), Some("0041")),
            ("99", 4, 0, Some("0100"), Some("0098")),
            ("100", 4, 0, Some("0101"), Some("0099")),
            ("9999", 4, 0, None, Some("9998")),
            ("10000", 4, 0, None, Some("9999")),
            ("41.5", 4, 0, Some("0042"), Some("0041")),
            ("9999.5", 4, 0, None, Some("9999")),
            ("1.255", 3, 2, Some("001.26"), Some("001.25")),
            ("1.2", 3, 2, Some("001.21"), Some("001.19")),
            ("0.001", 3, 2, Some("000.01"), Some("000.00")),
            ("999.99", 3, 2, None, Some("999.98")),
        ] {
            assert_eq!(
                padded_end(number, whole, decimals, Limit::Above).as_deref(),
                above,
                "above {number}"
            );
            assert_eq!(
                padded_end(number, whole, decimals, Limit::Below).as_deref(),
                below,
                "below {number}"
            );
        }
    }

    #[test]
    fn signed_ends_are_those_of_all_numbers_that_fit() {
        let shown = |number: &str, limit| {
            let end = signed_end(number, 3, 1, limit);
            end.map(|(size, is_negative)| format!("{}{size}", if is_negative { "-" } else { "" }))
        };
        for (number, least, most, above, below) in [
            ("-1000", Some("-999.9"), None, Some("-999.9"), None),
            (
                "-999.9",
                Some("-999.9"),
                Some("-999.9"),
                Some("-999.8"),
                None,
            ),
            (
                "-1.25",
                Some("-001.2"),
                Some("-001.3"),
                Some("-001.2"),
                Some("-001.3"),
            ),
            (
                "-0.1",
                Some("-000.1"),
                Some("-000.1"),
                Some("-000.0"),
                Some("-000.2"),
            ),
            (
                "0",
                Some("000.0"),
                Some("000.0"),
                Some("000.1"),
                Some("-000.1"),
            ),
            (
                "0.05",
                Some("000.1"),
                Some("000.0"),
                Some("000.1"),
                Some("000.0"),
            ),
            ("999.9", Some("999.9"), Some("999.9"), None, Some("999.8")),
            ("1000", None, Some("999.9"), None, Some("999.9")),
        ] {
            assert_eq!(
                shown(number, Limit::AtLeast).as_deref(),
                least,
                ">= {number}"
            );
            assert_eq!(shown(number, Limit::AtMost).as_deref(), most, "<= {number}");
            assert_eq!(shown(number, Limit::Above).as_deref(), above, "> {number}");
            assert_eq!(shown(number, Limit::Below).as_deref(), below, "< {number}");
        }
    }

    #[test]
    fn every_lesser_text_is_at_most_the_text_before() {
        let texts = [
            "",
            "a",
            "a\0",
            "a\u{1}",
            "aa",
            "ab",
            "a\u{10fffe}",
            "b",
            "\u{1}",
            "\0",
            "\u{d7ff}",
            "\u{e000}",
            "é",
        ];
        for end in texts {
            let bound = before(end);
            for text in texts {
                let is_in = bound.as_deref().is_some_and(|bound| text <= bound);
                assert_eq!(is_in, text < end, "{text:?} < {end:?}");
            }
        }
    }

    #[test]
    fn the_key_itself_moves_to_the_next_number() {
        let end = |held: Value, kind: &Type, limit| bare(&held, kind, limit);
        let number = |text: &str| Value::N(text.parse().unwrap());
        assert_eq!(
            end(number("5"), &Type::Int, Limit::Above),
            End::At(number("6"))
        );
        assert_eq!(
            end(number("5"), &Type::Int, Limit::Below),
            End::At(number("4"))
        );
        let above = end(number("5"), &Type::Number, Limit::Above);
        let next = format!("5.{}1", "0".repeat(36));
        assert_eq!(above, End::At(number(&next)));
        assert_eq!(
            end(Value::from("a"), &Type::String, Limit::Above),
            End::At(Value::from("a\0"))
        );
        assert_eq!(
            end(Value::from("a"), &Type::String, Limit::Below),
            End::Before(Value::from("a"))
        );
    }
}
