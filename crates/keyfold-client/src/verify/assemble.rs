//! The items of a scan as units: an entity with the parts of its list, a copy, a guard.
//!
//! A scan returns the items of a partition in the order of their sort keys, so that the parts of a
//! list follow their main item. At most one entity is open at a time.

use crate::kinds::{Kind, Kinds, Role};
use keyfold_types::{Item, Value};

/// What is judged at once.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Unit {
    /// The main item of an entity, by its position in the model, with the parts that follow it.
    Entity(usize, Vec<Item>),
    /// A copy: positions of the entity and of the copy.
    Copy(usize, usize, Item),
    /// A guard: positions of the entity and of the unique attributes.
    Guard(usize, usize, Item),
    /// A part whose main item did not come before it.
    Part(usize, Item),
    /// An item of no kind.
    Unknown(Item),
}

impl Unit {
    /// Its first item: the one that it was read by.
    pub(super) fn into_first(self) -> Option<Item> {
        match self {
            Unit::Unknown(item)
            | Unit::Copy(_, _, item)
            | Unit::Guard(_, _, item)
            | Unit::Part(_, item) => Some(item),
            Unit::Entity(_, items) => items.into_iter().next(),
        }
    }
}

/// An entity whose parts may follow.
struct Open {
    at: usize,
    partition: Option<Value>,
    start: String,
    items: Vec<Item>,
}

/// Makes units of items that come in the order of a scan.
#[derive(Default)]
pub(super) struct Assembler {
    open: Option<Open>,
}

impl Assembler {
    /// Takes the next item; `ready` gets the units that are complete.
    pub(super) fn push(&mut self, kinds: &Kinds<'_>, item: Item, mut ready: impl FnMut(Unit)) {
        let partition = item.get(&kinds.table.partition.name);
        let open = self.open.as_ref();
        if open.is_some_and(|open| open.partition.as_ref() != partition) {
            self.finish(&mut ready);
        }
        let Some(kind) = kinds.kind_of(&item) else {
            return ready(Unit::Unknown(item));
        };
        let part = kind.part_of(kinds.table, &item);
        match (kind.role, part) {
            (Role::Copy(copy), _) => ready(Unit::Copy(kind.at, copy, item)),
            (Role::Guard(unique), _) => ready(Unit::Guard(kind.at, unique, item)),
            (Role::Main, None) => ready(Unit::Entity(kind.at, vec![item])),
            (Role::Main, Some((start, number))) => {
                let (start, partition) = (start.to_owned(), partition.cloned());
                self.push_part(kind, partition, (start, number), item, ready);
            }
        }
    }

    fn push_part(
        &mut self,
        kind: &Kind,
        partition: Option<Value>,
        (start, number): (String, usize),
        item: Item,
        mut ready: impl FnMut(Unit),
    ) {
        if number == 0 {
            self.finish(&mut ready);
            self.open = Some(Open {
                at: kind.at,
                partition,
                start,
                items: vec![item],
            });
            return;
        }
        match &mut self.open {
            Some(open) if open.at == kind.at && open.start == start => open.items.push(item),
            Some(_) | None => ready(Unit::Part(kind.at, item)),
        }
    }

    /// The items of the entity whose parts may follow.
    pub(super) fn open(&self) -> &[Item] {
        self.open.as_ref().map_or(&[], |open| &open.items)
    }

    /// The end of the items.
    pub(super) fn finish(&mut self, mut ready: impl FnMut(Unit)) {
        if let Some(open) = self.open.take() {
            ready(Unit::Entity(open.at, open.items));
        }
    }
}
