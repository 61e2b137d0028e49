//! Attributes of an item by name, read in place from its stored bytes.

use keyfold_codec::{RawItem, RawValue};
use keyfold_model::value::Attributes;
use keyfold_types::{Value, ValueKind};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The attributes that take no memory of their own.
const FEW: usize = 16;
/// The bytes of a name that are compared first.
const HEAD_BYTES: usize = 8;

/// Names in order, each with its first bytes: they decide most comparisons of two names.
#[derive(Default)]
pub(crate) struct Names(Vec<(u64, String)>);

/// The first bytes of a name as a number, in the order of names.
fn head(name: &[u8]) -> u64 {
    let first = name.iter().take(HEAD_BYTES);
    let shift = 8 * HEAD_BYTES.saturating_sub(name.len());
    let head = first.fold(0, |head, byte| head << 8 | u64::from(*byte));
    head.checked_shl(u32::try_from(shift).unwrap_or(u32::MAX))
        .unwrap_or(0)
}

/// Compares two names with the same first bytes.
fn behind_head(one: &[u8], other: &[u8]) -> Ordering {
    match (one.get(HEAD_BYTES..), other.get(HEAD_BYTES..)) {
        (Some(one), Some(other)) => one.cmp(other),
        // What a shorter name lacks counts as zeros in its first bytes.
        (_, _) => one.len().cmp(&other.len()),
    }
}

impl Names {
    pub(crate) fn of(names: impl IntoIterator<Item = String>) -> Names {
        let mut names: Vec<(u64, String)> = names
            .into_iter()
            .map(|name| (head(name.as_bytes()), name))
            .collect();
        names.sort_unstable();
        names.dedup();
        Names(names)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The position of a name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let head = head(name.as_bytes());
        let is_it = |one: &(u64, String)| {
            one.0 == head && behind_head(one.1.as_bytes(), name.as_bytes()).is_eq()
        };
        self.0.iter().position(is_it)
    }

    /// Compares the name at a position with another one.
    fn compare(&self, at: usize, (head, name): (u64, &[u8])) -> Option<Ordering> {
        let one = self.0.get(at)?;
        let heads = one.0.cmp(&head);
        Some(heads.then_with(|| behind_head(one.1.as_bytes(), name)))
    }
}

/// Some attributes of an item.
pub(crate) struct Slots<'i> {
    /// Their names, in order.
    names: &'i Names,
    first: [Option<RawValue<'i>>; FEW],
    /// Those behind the first ones.
    rest: Vec<Option<RawValue<'i>>>,
}

impl<'i> Slots<'i> {
    /// The attributes with these names.
    pub(crate) fn of(names: &'i Names, item: &'i RawItem) -> Slots<'i> {
        let mut slots = Slots {
            names,
            first: [None; FEW],
            rest: vec![None; names.len().saturating_sub(FEW)],
        };
        let mut at = 0;
        for (name, value) in item.attributes().unchecked() {
            let found = (head(name), name);
            let mut order = names.compare(at, found);
            while order == Some(Ordering::Less) {
                at += 1;
                order = names.compare(at, found);
            }
            match order {
                None => break,
                Some(Ordering::Equal) => slots.set(at, value),
                Some(Ordering::Less | Ordering::Greater) => {}
            }
        }
        slots
    }

    fn set(&mut self, at: usize, value: RawValue<'i>) {
        let slot = match at.checked_sub(FEW) {
            None => self.first.get_mut(at),
            Some(behind) => self.rest.get_mut(behind),
        };
        if let Some(slot) = slot {
            *slot = Some(value);
        }
    }

    /// With encoded values of attributes that the item does not hold.
    pub(crate) fn with(mut self, others: &'i [(usize, Vec<u8>)]) -> Slots<'i> {
        for (at, bytes) in others {
            self.set(*at, RawValue::new(bytes));
        }
        self
    }

    /// The value at a position among the names.
    pub(crate) fn at(&self, at: usize) -> Option<RawValue<'i>> {
        let slot = match at.checked_sub(FEW) {
            None => self.first.get(at),
            Some(behind) => self.rest.get(behind),
        };
        slot.copied().flatten()
    }

    pub(crate) fn get(&self, name: &str) -> Option<RawValue<'i>> {
        self.at(self.names.position(name)?)
    }
}

/// The text of a value that is one.
pub(crate) fn text(value: RawValue<'_>) -> Option<&str> {
    (value.kind() == ValueKind::S).then(|| value.as_str())
}

impl Attributes for Slots<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.get(name).map(|value| Cow::Owned(value.to_value()))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(text)
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names around the length that is compared first, with bytes of zero.
    #[test]
    fn names_have_the_order_of_their_bytes() {
        let bytes = ["", "\0", "a", "a\0", "ab", "é"];
        let long = bytes.iter().flat_map(|one| {
            ["1234567", "12345678", "123456789"].map(|start| format!("{start}{one}"))
        });
        let mut all: Vec<String> = bytes
            .iter()
            .map(|one| (*one).to_owned())
            .chain(long)
            .collect();
        all.sort_unstable();
        all.dedup();
        let mut shuffled = all.clone();
        fastrand::Rng::with_seed(5).shuffle(&mut shuffled);
        let names = Names::of(shuffled);
        for (at, one) in all.iter().enumerate() {
            assert_eq!(names.position(one), Some(at));
            assert_eq!(names.position(&format!("{one}x")), None);
            for other in &all {
                let found = (head(other.as_bytes()), other.as_bytes());
                assert_eq!(
                    names.compare(at, found),
                    Some(one.cmp(other)),
                    "{one:?} {other:?}"
                );
            }
        }
    }
}
