//! A place in a shard: up to where its records have been handled.

use std::cmp::Ordering;
use std::fmt;

/// Up to where the records of a shard have been handled.
///
/// LATEST is none: it is another place whenever an iterator is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// None; the next record is the oldest that the stream still has.
    Horizon,
    /// Up to the record with this sequence number.
    After(String),
    /// All: the shard has ended.
    End,
}

const HORIZON: &str = "TRIM_HORIZON";
const END: &str = "SHARD_END";

impl Position {
    /// The position of a text that [`fmt::Display`] has written. `None` for any other.
    pub fn of(text: &str) -> Option<Position> {
        match text {
            HORIZON => Some(Position::Horizon),
            END => Some(Position::End),
            number if is_number(number) => Some(Position::After(number.to_owned())),
            _ => None,
        }
    }

    /// Whether a record with this sequence number has been handled.
    pub fn is_behind(&self, number: &str) -> bool {
        match self {
            Position::Horizon => false,
            Position::After(handled) => order(handled, number) != Ordering::Less,
            Position::End => true,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Position::Horizon => HORIZON,
            Position::After(number) => number,
            Position::End => END,
        })
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The order of two sequence numbers, which are whole numbers of any length.
pub(crate) fn order(one: &str, other: &str) -> Ordering {
    let [one, other] = [one, other].map(|number| number.trim_start_matches('0'));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_back() {
        for position in [
            Position::Horizon,
            Position::After("000123".to_owned()),
            Position::End,
        ] {
            assert_eq!(Position::of(&position.to_string()), Some(position));
        }
        for text in ["", "12a", "-1", "trim_horizon", "LATEST"] {
            assert_eq!(Position::of(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_compared_by_their_value() {
        let handled = Position::After("0000000000000000000100".to_owned());
        for (number, is_behind) in [
            ("99", true),
            ("100", true),
            ("101", false),
            ("0000000000000000000099", true),
            ("1000000000000000000000000000", false),
        ] {
            assert_eq!(handled.is_behind(number), is_behind, "{number}");
        }
        assert!(!Position::Horizon.is_behind("0"));
        assert!(Position::End.is_behind("99999"));
    }
}
