//! Places of the binary log: a file, a position in it, and the last transaction of each domain before it. The
//! transactions show whether a server has the log that the place is of.

use crate::source::SourceError;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The last transaction of each domain, by the server and the number that it has: MariaDB's GTIDs.
pub(super) type Transactions = BTreeMap<u32, (u32, u64)>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) position: u64,
    pub(super) before: Transactions,
}

/// Transactions as MariaDB writes them: `0-1-10,2-1-7`.
pub(super) fn transactions(text: &str) -> Option<Transactions> {
    let parts = text.split(',').map(str::trim).filter(|one| !one.is_empty());
    let one = |part: &str| {
        let mut numbers = part.split('-');
        let domain = numbers.next()?.parse().ok()?;
        let server = numbers.next()?.parse().ok()?;
        let number = numbers.next()?.parse().ok()?;
        numbers
            .next()
            .is_none()
            .then_some((domain, (server, number)))
    };
    parts.map(one).collect()
}

impl Place {
    /// The place as it is kept.
    pub(super) fn kept(&self) -> String {
        let before = self.before.iter();
        let before = before.map(|(domain, (server, number))| format!("{domain}-{server}-{number}"));
        let before: Vec<String> = before.collect();
        format!("{}:{} {}", self.file, self.position, before.join(","))
    }

    /// The place that [`Place::kept`] wrote.
    pub(super) fn of(text: &str) -> Result<Place, SourceError> {
        let read = || {
            let (place, before) = text.split_once(' ')?;
            let (file, position) = place.rsplit_once(':')?;
            Some(Place {
                file: file.to_owned(),
                position: position.parse().ok()?,
                before: transactions(before)?,
            })
        };
        read().ok_or_else(|| {
            SourceError::lasting(format!("`{text}` is no place of a log of MariaDB"))
        })
    }

    /// The number of the file, which grows.
    fn number(&self) -> u64 {
        let digits = self.file.rsplit('.').next().unwrap_or_default();
        digits.parse().unwrap_or(0)
    }

    /// Which place comes first.
    pub(super) fn order(&self, other: &Place) -> Ordering {
        (self.number(), self.position).cmp(&(other.number(), other.position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_kept_and_found_again() {
        let text = "my:log.000009:336 0-1-10,2-7-18446744073709551615";
        let place = Place::of(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(place.kept(), text);
        assert_eq!(place.file, "my:log.000009");
        let later = Place {
            file: "my:log.000010".to_owned(),
            position: 4,
            before: Transactions::new(),
        };
        assert_eq!(place.order(&later), Ordering::Less);
        assert_eq!(
            Place::of(&later.kept()).map(|one| one.kept()).ok(),
            Some(later.kept())
        );
        for wrong in ["", "x", "x:y ", "x:1", "x:1 0-1"] {
            assert!(Place::of(wrong).is_err(), "{wrong}");
        }
    }
}
