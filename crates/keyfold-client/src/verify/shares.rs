//! The aggregates that count an item, folded for each entity that keeps one: items of one parent
//! mostly lie side by side, so that a page makes few records of them.

use super::fold::Fold;
use super::record::{Record, RecordKind, digest, group, json};
use crate::kinds::Kinds;
use keyfold_lower::arguments::Values;
use keyfold_lower::derive::Place;
use keyfold_lower::write::Contribution;
use keyfold_model::Model;
use keyfold_types::Item;

/// The fold of an aggregate of the parent that was counted in last.
struct Open {
    /// The positions of the parent's entity and of the aggregate in it.
    of: (usize, usize),
    /// The key attributes of the parent.
    parent: Values,
    record: Record,
    fold: Fold,
}

/// The folds of a page.
#[derive(Default)]
pub(super) struct Shares {
    open: Vec<Open>,
    records: Vec<Record>,
}

impl Shares {
    /// Adds the item of an entity with this key.
    pub(super) fn add(
        &mut self,
        (model, kinds): (&Model, &Kinds<'_>),
        entity: usize,
        key: &Item,
        values: &Values,
    ) {
        let mut of_item = json(key);
        let key_length = of_item.len();
        for of in kinds.counted(entity) {
            let parent = model.entities.get(of.0);
            let aggregate = parent.and_then(|parent| parent.aggregates.get(of.1));
            let (Some(parent), Some(aggregate)) = (parent, aggregate) else {
                continue;
            };
            let Some(value) = Contribution::value(aggregate, values) else {
                continue;
            };
            of_item.truncate(key_length);
            keyfold_wire::encode::encode_value(&mut of_item, &value);
            let one = Fold::of(aggregate.kind, value, digest(&of_item));
            let is_parent = |open: &&mut Open| {
                let mut link = aggregate.link.iter();
                open.of == *of
                    && link.all(|(field, name)| open.parent.get(field) == values.get(name))
            };
            if let Some(open) = self.open.iter_mut().find(is_parent) {
                open.fold.join(one);
                continue;
            }
            let Some(share) = Contribution::of(aggregate, values) else {
                continue;
            };
            let Ok(place) = Place::of(model, parent, &share.parent) else {
                continue;
            };
            let key = json(&place.key);
            let record = Record {
                group: group(&place.table_name, &key),
                kind: RecordKind::Share,
                entity: u32::try_from(of.0).unwrap_or(0),
                slot: u32::try_from(of.1).unwrap_or(0),
                digest: 0,
                table: place.table_name,
                key,
                more: Vec::new(),
            };
            self.begin(Open {
                of: *of,
                parent: share.parent,
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

fn closed(open: Open) -> Record {
    Record {
        digest: open.fold.digest,
        more: open.fold.encoded(),
        ..open.record
    }
}
