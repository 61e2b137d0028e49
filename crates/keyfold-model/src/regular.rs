//! Key templates as regular expressions, for runtimes in other languages.
//!
//! The expressions use only what JavaScript (with the flag `u`) and Python understand alike: literal
//! characters, character classes, alternatives, counts and `+`. They have no anchors: the whole text
//! must match.

use crate::language::CharSet;
use crate::period::{Precision, Unit};
use crate::template::{BREAK, CHUNK_DIGITS, Format, HASH_DIGITS, Part, shard_digits};
use crate::types::Type;

/// Characters that have a meaning outside of a class.
const SYNTAX: &str = r"\^$.|?*+()[]{}/";
/// Characters that have a meaning inside of a class.
const CLASS_SYNTAX: &str = r"\^]-[";

/// The regular expression of the texts that parts make: a text matches as a whole exactly if
/// [`crate::KeyTemplate::matches`] holds.
pub fn expression(parts: &[Part]) -> String {
    parts.iter().map(of_part).collect()
}

fn of_part(part: &Part) -> String {
    match part {
        Part::Text(text) => literal(text),
        Part::Break => BREAK.to_string(),
        Part::Chunk => digits(CHUNK_DIGITS),
        Part::Shard { count, .. } => digits(shard_digits(*count)),
        Part::Field {
            kind,
            format,
            excluded,
            ..
        } => of_field(kind, *format, excluded),
    }
}

fn of_field(kind: &Type, format: Format, excluded: &[char]) -> String {
    match format {
        Format::Padded {
            whole,
            decimals,
            signed,
            reversed: _,
        } => {
            let sign = if signed { "[-0]" } else { "" };
            let behind = match decimals {
                0 => String::new(),
                _ => format!("\\.{}", digits(decimals)),
            };
            format!("{sign}{}{behind}", digits(whole))
        }
        Format::Truncated(unit) => period(unit),
        Format::Hash => format!("[0-9a-f]{{{HASH_DIGITS}}}"),
        Format::Plain | Format::Bare | Format::Reversed | Format::Lower | Format::Escaped => {
            of_value(kind, format, excluded)
        }
    }
}

/// The texts of a value in a format that keeps its length.
fn of_value(kind: &Type, format: Format, excluded: &[char]) -> String {
    let set = || class(&Part::charset(kind, format, excluded));
    match kind {
        Type::Period(unit) => period(*unit),
        Type::Date => period(Unit::Day),
        Type::Time(precision) => time(*precision),
        Type::Ulid => format!("{}{{26}}", set()),
        Type::Uuid => [8, 4, 4, 4, 12]
            .map(|width| format!("[0-9a-f]{{{width}}}"))
            .join("-"),
        Type::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| literal(word)).collect();
            format!("(?:{})", words.join("|"))
        }
        Type::Bool => "(?:true|false)".to_owned(),
        Type::String
        | Type::Int
        | Type::Number
        | Type::Binary
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => format!("{}+", set()),
    }
}

fn digits(count: usize) -> String {
    format!("[0-9]{{{count}}}")
}

fn period(unit: Unit) -> String {
    let count = match unit {
        Unit::Year => 1,
        Unit::Month => 2,
        Unit::Day => 3,
        Unit::Hour => 4,
    };
    let pieces = ["[0-9]{4}", "-[0-9]{2}", "-[0-9]{2}", "T[0-9]{2}"];
    pieces.into_iter().take(count).collect()
}

fn time(precision: Precision) -> String {
    let fraction = match precision.digits() {
        0 => String::new(),
        count => format!("\\.{}", digits(count)),
    };
    format!("{}:[0-9]{{2}}:[0-9]{{2}}{fraction}Z", period(Unit::Hour))
}

/// A text that matches itself.
fn literal(text: &str) -> String {
    escaped(text.chars(), SYNTAX)
}

fn escaped(text: impl Iterator<Item = char>, syntax: &str) -> String {
    let mut out = String::new();
    for character in text {
        if syntax.contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// A class of characters; of a set that lacks only some, the class of all others.
fn class(set: &CharSet) -> String {
    let gaps = set.gaps();
    let (sign, ranges) = match gaps {
        Some(gaps) if gaps.is_empty() => return "[\\s\\S]".to_owned(),
        Some(gaps) => ("^", gaps),
        None => ("", set.ranges()),
    };
    let one = |(low, high): (char, char)| {
        let end = |end: char| escaped(std::iter::once(end), CLASS_SYNTAX);
        if low == high {
            end(low)
        } else {
            format!("{}-{}", end(low), end(high))
        }
    };
    let ranges: String = ranges.into_iter().map(one).collect();
    format!("[{sign}{ranges}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(kind: Type, format: Format, excluded: &str) -> Part {
        Part::Field {
            name: "a".to_owned(),
            kind,
            format,
            excluded: excluded.chars().collect(),
        }
    }

    #[test]
    fn expressions_use_what_javascript_and_python_share() {
        let padded = Format::Padded {
            whole: 4,
            decimals: 2,
            reversed: false,
            signed: true,
        };
        for (part, wanted) in [
            (Part::Text("A.B#(1)".to_owned()), "A\\.B#\\(1\\)"),
            (field(Type::String, Format::Plain, "#-]"), "[^\0#\\-\\]]+"),
            (field(Type::Int, padded, ""), "[-0][0-9]{4}\\.[0-9]{2}"),
            (field(Type::Int, Format::Plain, ""), "[\\-0-9]+"),
            (
                field(
                    Type::Words(vec!["a+b".to_owned(), "c".to_owned()]),
                    Format::Plain,
                    "",
                ),
                "(?:a\\+b|c)",
            ),
            (
                field(Type::Time(Precision::Millis), Format::Reversed, ""),
                "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z",
            ),
        ] {
            assert_eq!(expression(&[part]), wanted);
        }
    }
}
