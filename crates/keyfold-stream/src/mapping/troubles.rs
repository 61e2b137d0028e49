//! Why the next records of a shard are not handled, as the state of a mapping shows it.

use crate::lease::Trouble;
use std::collections::BTreeMap;

/// The trouble of the next batch of each lane. It ends with the batch, and begins with its first failure.
#[derive(Debug, Default)]
pub(crate) struct Troubles {
    of: BTreeMap<usize, Trouble>,
    /// Since when the batch at the position failed while the shard was read before; until it is known whether it still
    /// does.
    before: Option<u64>,
    /// Whether a batch was called or given up.
    is_known: bool,
}

impl Troubles {
    /// Those of a shard whose lease has this one.
    pub(crate) fn after(before: Option<&Trouble>) -> Troubles {
        Troubles {
            before: before.map(|trouble| trouble.since_epoch_ms),
            ..Troubles::default()
        }
    }

    /// The batch of a lane has failed.
    pub(crate) fn note(&mut self, lane: usize, why: String, now_ms: i64) {
        self.is_known = true;
        let now_ms = u64::try_from(now_ms).unwrap_or_default();
        let since_epoch_ms = match self.of.get(&lane) {
            Some(trouble) => trouble.since_epoch_ms,
            None => self.before.take().unwrap_or(now_ms),
        };
        let trouble = Trouble {
            why,
            since_epoch_ms,
        };
        self.of.insert(lane, trouble);
    }

    /// The batch of a lane, or the beginning of it, is finished.
    pub(crate) fn end(&mut self, lane: usize) {
        self.is_known = true;
        self.before = None;
        self.of.remove(&lane);
    }

    /// The oldest trouble, or none, where that is not what is stored.
    pub(crate) fn changed(&self, stored: Option<&Trouble>) -> Option<Option<Trouble>> {
        let oldest = self.of.values().min_by_key(|one| one.since_epoch_ms);
        (self.is_known && oldest != stored).then(|| oldest.cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(why: &str, since_epoch_ms: u64) -> Trouble {
        Trouble {
            why: why.to_owned(),
            since_epoch_ms,
        }
    }

    #[test]
    fn a_trouble_begins_with_the_first_failure_and_ends_with_its_batch() {
        let mut troubles = Troubles::default();
        assert_eq!(troubles.changed(None), None);
        troubles.note(0, "one".to_owned(), 1);
        troubles.note(0, "another".to_owned(), 2);
        assert_eq!(troubles.changed(None), Some(Some(of("another", 1))));
        troubles.note(1, "beside".to_owned(), 3);
        assert_eq!(troubles.changed(Some(&of("another", 1))), None);
        troubles.end(0);
        assert_eq!(troubles.changed(None), Some(Some(of("beside", 3))));
        troubles.end(1);
        assert_eq!(troubles.changed(Some(&of("beside", 3))), Some(None));
        troubles.note(0, "new".to_owned(), 4);
        assert_eq!(troubles.changed(None), Some(Some(of("new", 4))));
    }

    #[test]
    fn a_trouble_goes_on_when_the_shard_is_read_anew() {
        let stored = of("one", 1);
        let mut troubles = Troubles::after(Some(&stored));
        assert_eq!(troubles.changed(Some(&stored)), None);
        troubles.note(0, "one".to_owned(), 9);
        assert_eq!(troubles.changed(Some(&stored)), None);
        let mut troubles = Troubles::after(Some(&stored));
        troubles.end(0);
        troubles.note(0, "two".to_owned(), 9);
        assert_eq!(troubles.changed(Some(&stored)), Some(Some(of("two", 9))));
    }
}
