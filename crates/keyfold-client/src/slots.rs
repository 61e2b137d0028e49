//! Attributes of an item by name, read in place from its stored bytes.

use keyfold_codec::{RawItem, RawValue};
use keyfold_model::Table;
use keyfold_model::value::Attributes;
use keyfold_types::{Item, Value, ValueKind};
use std::borrow::Cow;

/// The attributes that take no memory of their own.
const FEW: usize = 16;

/// Some attributes of an item.
pub(crate) struct Slots<'i> {
    /// Their names, in order.
    names: &'i [String],
    first: [Option<RawValue<'i>>; FEW],
    /// Those behind the first ones.
    rest: Vec<Option<RawValue<'i>>>,
}

impl<'i> Slots<'i> {
    /// The attributes with these names, which are in order.
    pub(crate) fn of(names: &'i [String], item: &'i RawItem) -> Slots<'i> {
        let mut slots = Slots {
            names,
            first: [None; FEW],
            rest: vec![None; names.len().saturating_sub(FEW)],
        };
        let mut at = 0;
        for (name, value) in item.attributes().unchecked() {
            while names.get(at).is_some_and(|one| one.as_bytes() < name) {
                at += 1;
            }
            match names.get(at) {
                None => break,
                Some(one) if one.as_bytes() == name => slots.set(at, value),
                Some(_) => {}
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
        // There are few, and most differ in their lengths.
        let at = self.names.iter().position(|one| one == name);
        self.at(at?)
    }

    /// The key of the item.
    pub(crate) fn key(&self, table: &Table) -> Item {
        let columns = table.columns().map(|column| column.name.as_str());
        self.item(columns)
    }

    /// An item of some of the attributes.
    pub(crate) fn item<'n>(&self, names: impl Iterator<Item = &'n str>) -> Item {
        names
            .filter_map(|name| Some((name, self.get(name)?.to_value())))
            .collect()
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
