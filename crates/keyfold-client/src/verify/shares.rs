//! The aggregates that count an item, folded for each entity that keeps one: items of one parent
//! mostly lie side by side, so that a page makes few records of them.

use super::fold::Fold;
use super::record::{Record, RecordKind, digest, group, key_bytes};
use keyfold_lower::arguments::Values;
use keyfold_lower::derive::Place;
use keyfold_lower::write::Contribution;
use keyfold_model::Model;
use keyfold_model::value::Attributes;
use keyfold_types::Value;

/// The fold of an aggregate of the parent that was counted in last.
struct Open {
    /// The positions of the parent's entity and of the aggregate in it.
    of: (usize, usize),
    /// The key attributes of the parent.
    parent: Values,
    record: Record,
    fold: Fold,
}

impl Open {
    /// Whether a key attribute of the parent has the value of an attribute of an item.
    fn is_of(&self, field: &str, (name, values): (&str, &impl Attributes)) -> bool {
        match self.parent.get(field) {
            Some(Value::S(held)) => values.text(name) == Some(held),
            held => held == values.value(name).as_deref(),
        }
    }
}

/// The folds of a page.
#[derive(Default)]
pub(super) struct Shares {
    open: Vec<Open>,
    records: Vec<Record>,
}

impl Shares {
    /// Adds an item to the aggregates that count it: the positions of the entities that keep them,
    /// and their positions there. `item` is its encoded key. What a broken attribute decides is not
    /// known.
    pub(super) fn add(
        &mut self,
        (model, counted): (&Model, &[(usize, usize)]),
        mut item: Vec<u8>,
        (values, is_broken): (&impl Attributes, &dyn Fn(&str) -> bool),
    ) {
        let key_length = item.len();
        for of in counted {
            let parent = model.entities.get(of.0);
            let aggregate = parent.and_then(|parent| parent.aggregates.get(of.1));
            let (Some(parent), Some(aggregate)) = (parent, aggregate) else {
                continue;
            };
            let mut deciding = aggregate.condition.iter().map(|(name, _)| name);
            item.truncate(key_length);
            let one = if deciding.any(|name| is_broken(name))
                || aggregate.of.as_deref().is_some_and(is_broken)
            {
                Fold::unknown(digest(&item))
            } else if let Some(value) = Contribution::value(aggregate, values) {
                keyfold_codec::raw::encode(&mut item, &value);
                Fold::of(aggregate.kind, value, digest(&item))
            } else {
                continue;
            };
            let is_parent = |open: &&mut Open| {
                let mut link = aggregate.link.iter();
                open.of == *of && link.all(|(field, name)| open.is_of(field, (name, values)))
            };
            if let Some(open) = self.open.iter_mut().find(is_parent) {
                open.fold.join(one);
                continue;
            }
            let Some(link) = Contribution::parent(aggregate, values) else {
                continue;
            };
            let mut others = self.open.iter();
            let same = others.find(|open| open.of.0 == of.0 && open.parent == link);
            let record = match same {
                Some(open) => open.record.clone(),
                None => match Place::of(model, parent, &link) {
                    Ok(place) => of_parent(of.0, place),
                    Err(_) => continue,
                },
            };
            let record = Record {
                slot: u32::try_from(of.1).unwrap_or(0),
                ..record
            };
            self.begin(Open {
                of: *of,
                parent: link,
                record,
                fold: one,
            });
        }
    }

    /// Begins another fold of an aggregate.
    fn begin(&mut self, next: Open) {
        match self.open.iter_mut().find(|open| open.of == next.of) {
            Some(open) => {
                let done = std::mem::replace(open, next);
                self.records.push(closed(done));
            }
            None => self.open.push(next),
        }
    }

    /// The records of the page.
    pub(super) fn into_records(self) -> impl Iterator<Item = Record> {
        self.records
            .into_iter()
            .chain(self.open.into_iter().map(closed))
    }
}

/// A record about a parent.
fn of_parent(entity: usize, place: Place<'_>) -> Record {
    let key = key_bytes(&place.key);
    Record {
        group: group(&place.table_name, &key),
        kind: RecordKind::Share,
        entity: u32::try_from(entity).unwrap_or(0),
        slot: 0,
        digest: 0,
        table: place.table_name,
        key,
        more: Vec::new(),
    }
}

fn closed(open: Open) -> Record {
    Record {
        digest: open.fold.digest,
        more: open.fold.encoded(),
        ..open.record
    }
}
