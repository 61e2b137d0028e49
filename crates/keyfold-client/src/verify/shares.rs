//! The aggregates that count an item, folded for each entity that keeps one: items of one parent
//! mostly lie side by side, so that a page makes few records of them.

use super::fold::Fold;
use super::pack::Pack;
use super::record::{Head, RecordKind, digest, group, key_bytes};
use super::rows::Rows;
use keyfold_lower::arguments::Values;
use keyfold_lower::derive::Place;
use keyfold_lower::write::Contribution;
use keyfold_model::Model;
use keyfold_model::schema::Aggregate;
use keyfold_model::value::Attributes;
use keyfold_types::Value;
use std::rc::Rc;

/// The fold of an aggregate of the parent that was counted in last.
struct Open {
    /// The positions of the parent's entity and of the aggregate in it.
    of: (usize, usize),
    parent: Rc<Parent>,
    fold: Fold,
}

/// An item that keeps aggregates.
struct Parent {
    /// Its key attributes.
    link: Values,
    /// The position of its entity.
    entity: u32,
    table: String,
    /// The key, as a stored item.
    key: Vec<u8>,
    group: u128,
}

impl Open {
    /// Whether a key attribute of the parent has the value of an attribute of an item.
    fn is_of(&self, field: &str, (name, values): (&str, &impl Attributes)) -> bool {
        match self.parent.link.get(field) {
            Some(Value::S(held)) => values.text(name) == Some(held),
            held => held == values.value(name).as_deref(),
        }
    }
}

impl Open {
    /// Adds the record of the items so far.
    fn close(self, records: &mut Pack) {
        let head = Head {
            group: self.parent.group,
            kind: RecordKind::Share,
            entity: self.parent.entity,
            slot: u32::try_from(self.of.1).unwrap_or(0),
            digest: self.fold.digest,
        };
        let parent = &self.parent;
        let texts = [parent.table.as_bytes(), &parent.key, &self.fold.encoded()];
        records.push_parts(head, texts);
    }
}

impl Parent {
    fn of(entity: usize, place: Place<'_>, link: Values) -> Parent {
        let key = key_bytes(&place.key);
        Parent {
            link,
            entity: u32::try_from(entity).unwrap_or(0),
            group: group(&place.table_name, &key),
            table: place.table_name,
            key,
        }
    }
}

/// The folds of a page.
#[derive(Default)]
pub(super) struct Shares {
    open: Vec<Open>,
    records: Pack,
    /// What items give to the rows of views.
    pub(super) rows: Rows,
}

impl Shares {
    /// Adds an item to the aggregates that count it: the positions of the entities that keep them,
    /// and their positions there. `item` is its encoded key. Of some aggregates it may not be known whether
    /// the item counts, or what it gives.
    pub(super) fn add(
        &mut self,
        (model, counted): (&Model, &[(usize, usize)]),
        mut item: Vec<u8>,
        (values, is_unknown): (&impl Attributes, &dyn Fn(&Aggregate) -> bool),
    ) {
        let key_length = item.len();
        for of in counted {
            let parent = model.entities.get(of.0);
            let aggregate = parent.and_then(|parent| parent.aggregates.get(of.1));
            let (Some(parent), Some(aggregate)) = (parent, aggregate) else {
                continue;
            };
            item.truncate(key_length);
            let one = if is_unknown(aggregate) {
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
            let same = others.find(|open| open.of.0 == of.0 && open.parent.link == link);
            let parent = match same {
                Some(open) => Rc::clone(&open.parent),
                None => match Place::of(model, parent, &link) {
                    Ok(place) => Rc::new(Parent::of(of.0, place, link)),
                    Err(_) => continue,
                },
            };
            self.begin(Open {
                of: *of,
                parent,
                fold: one,
            });
        }
    }

    /// Begins another fold of an aggregate.
    fn begin(&mut self, next: Open) {
        match self.open.iter_mut().find(|open| open.of == next.of) {
            Some(open) => {
                std::mem::replace(open, next).close(&mut self.records);
            }
            None => self.open.push(next),
        }
    }

    /// Adds the records of the page to others.
    pub(super) fn add_to(self, records: &mut Pack) {
        records.append(&self.records);
        for open in self.open {
            open.close(records);
        }
        self.rows.add_to(records);
    }
}
