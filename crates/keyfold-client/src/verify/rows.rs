//! Views: what the items of a source give to rows, folded for each row of a page, and what is compared of
//! a row.

use super::fold::Fold;
use super::pack::Pack;
use super::record::{Head, RecordKind, digest, group, key_bytes};
use keyfold_codec::item::encode_value;
use keyfold_lower::arguments::Values;
use keyfold_lower::sums::{HeldSum, exact_attribute, held_sum};
use keyfold_lower::view;
use keyfold_model::schema::view::{Column, From, View};
use keyfold_model::schema::{AggregateKind, Condition};
use keyfold_model::{Entity, Model, Table, value};
use keyfold_types::{Item, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Whether the rows of an entity are compared with their sources: it is a view whose tables have no
/// periods, as those of views that are kept.
pub(super) fn compared<'m>(model: &'m Model, entity: &'m Entity) -> Option<&'m View> {
    let view = entity.view.as_ref()?;
    let source = model.entities.get(view.source)?;
    let has_period = |entity: &Entity| {
        let table = model.tables.get(entity.table);
        table.is_none_or(|table| table.period.is_some())
    };
    (!has_period(entity) && !has_period(source)).then_some(view)
}

/// Whether the attribute of a column is compared.
pub(super) fn is_compared(column: &Column) -> bool {
    let is_key = matches!(column.from, From::Group { .. });
    !is_key && why_uncompared(column).is_none()
}

/// Why the attribute of a column is not compared; `None` where it is, or is compared as a key.
pub(super) fn why_uncompared(column: &Column) -> Option<&'static str> {
    match column.from {
        From::Group { .. }
        | From::Count
        | From::Sum { .. }
        | From::Min { .. }
        | From::Max { .. }
        | From::Average { .. }
        | From::Copied { .. } => None,
        From::Distinct { .. } => Some(
            "it counts different values, and the scan would have to keep all values of each row",
        ),
        From::Top { .. } => Some(
            "it lists the first items of an order, and the scan would have to keep such a list for each row",
        ),
        From::Joined { .. } => Some(
            "it comes from another entity, whose item the scan reads at another moment than that of the source",
        ),
    }
}

/// The attributes of a row that are compared.
pub(super) fn kept(view: &View) -> Vec<String> {
    let mut names = Vec::new();
    if view.is_grouped {
        names.push(View::hidden("items"));
    }
    for column in view.columns.iter().filter(|column| is_compared(column)) {
        names.push(column.attribute.clone());
        names.extend(sum_attribute(column).map(|name| exact_attribute(&name)));
        if let From::Average { .. } = column.from {
            names.extend([column.hidden("sum"), column.hidden("items")]);
        }
    }
    names
}

/// The attribute with the sum of a column; `None` where it has none.
fn sum_attribute(column: &Column) -> Option<String> {
    match column.from {
        From::Sum { .. } => Some(column.attribute.clone()),
        From::Average { .. } => Some(column.hidden("sum")),
        From::Group { .. }
        | From::Copied { .. }
        | From::Count
        | From::Min { .. }
        | From::Max { .. }
        | From::Distinct { .. }
        | From::Top { .. }
        | From::Joined { .. } => None,
    }
}

/// A view that follows from an entity, and the attributes of its items that it uses.
pub(super) struct Used {
    /// Its position in the model.
    pub(super) view: usize,
    pub(super) names: BTreeSet<String>,
}

/// The views that follow from an entity with a position.
pub(super) fn following(model: &Model, source: usize) -> Vec<Used> {
    let views = model.entities.iter().enumerate();
    let own = views.filter_map(|(at, entity)| {
        let view = compared(model, entity).filter(|view| view.source == source)?;
        let identity = model.entities.get(source).map(Entity::identity);
        let conditions = view.when.iter().flat_map(Condition::attributes);
        let needed = view.columns.iter().flat_map(|column| column.from.needed());
        let names = identity
            .into_iter()
            .flatten()
            .chain(conditions)
            .chain(needed);
        Some(Used {
            view: at,
            names: names.map(str::to_owned).collect(),
        })
    });
    own.collect()
}

/// The slot of the items of a row, behind those of its columns.
pub(super) fn items_slot(view: &View) -> u32 {
    u32::try_from(view.columns.len()).unwrap_or(u32::MAX)
}

/// The rows of a page.
#[derive(Default)]
pub(super) struct Rows {
    /// By the position of the view and the group: the row, and the folds of its slots.
    open: BTreeMap<(usize, Vec<u8>), Row>,
}

struct Row {
    table: String,
    /// Its key, as a stored item; `None` when the group makes none.
    key: Option<Vec<u8>>,
    folds: BTreeMap<u32, Fold>,
}

impl Rows {
    /// Adds what an item gives to the rows of a view with a position. `item` is its encoded key.
    pub(super) fn add(&mut self, (model, at): (&Model, usize), item: &[u8], values: &Values) {
        let entity = model.entities.get(at);
        let Some((entity, view)) = entity.and_then(|one| Some((one, compared(model, one)?))) else {
            return;
        };
        // An item of which it cannot be decided gives nothing, as to those who keep the view.
        let Ok(Some(given)) = view::given(model, (entity, view), values) else {
            return;
        };
        let named = key_bytes(&Item::from(given.group.clone()));
        let row = self.open.entry((at, named));
        let row = row.or_insert_with(|| Row::of(model, (entity, view), &given.group));
        let slots = (0..).zip(view.columns.iter().zip(given.columns));
        for (slot, (column, held)) in slots {
            if let Some(held) = held.filter(|_| is_compared(column)) {
                let mut bytes = item.to_vec();
                bytes.extend(encode_value(&held));
                let digest = digest(&bytes);
                let one = match column.from {
                    From::Min { .. } => Fold::least(held, digest),
                    From::Sum { .. } | From::Average { .. } => {
                        Fold::of(AggregateKind::Sum, held, digest)
                    }
                    From::Max { .. }
                    | From::Copied { .. }
                    | From::Count
                    | From::Group { .. }
                    | From::Distinct { .. }
                    | From::Top { .. }
                    | From::Joined { .. } => Fold::of(AggregateKind::Max, held, digest),
                };
                row.folds.entry(slot).or_default().join(one);
            }
        }
        let one = Fold::of(AggregateKind::Count, Value::Null, digest(item));
        row.folds.entry(items_slot(view)).or_default().join(one);
    }

    /// Adds the records of the page to others.
    pub(super) fn add_to(self, records: &mut Pack) {
        for ((at, _), row) in self.open {
            let Some(key) = row.key else { continue };
            for (slot, fold) in row.folds {
                let head = Head {
                    group: group(&row.table, &key),
                    kind: RecordKind::Share,
                    entity: u32::try_from(at).unwrap_or(0),
                    slot,
                    digest: fold.digest,
                };
                records.push_parts(head, [row.table.as_bytes(), &key, &fold.encoded()]);
            }
        }
    }
}

impl Row {
    fn of(model: &Model, row: (&Entity, &View), group: &Values) -> Row {
        let table = model.tables.get(row.0.table);
        let start = view::start(model, row, group).ok();
        let key = start.zip(table).map(|(start, table)| {
            let columns = table.columns();
            let held = columns.filter_map(|column| {
                let held = start.get(&column.name)?;
                Some((column.name.clone(), held.clone()))
            });
            key_bytes(&held.collect())
        });
        Row {
            table: table.map_or_else(String::new, |table| table.name.clone()),
            key,
            folds: BTreeMap::new(),
        }
    }
}

/// What is wrong with a stored row of a table, by the folds of its slots.
pub(super) fn differences(
    (table, view): (&Table, &View),
    stored: &Item,
    folds: &BTreeMap<u32, Fold>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut compare = |name: &str, expected: Option<Value>, otherwise: Option<Value>| {
        let found = stored.get(name).cloned().or(otherwise);
        if expected != found {
            let show = |one: Option<&Value>| one.map_or("nothing".to_owned(), value::shown);
            let (found, expected) = (show(found.as_ref()), show(expected.as_ref()));
            wrong.push(format!("{name} is {found}, the items make {expected}"));
        }
    };
    let fold = |slot: u32| folds.get(&slot).cloned().unwrap_or_default();
    let items = Value::from(fold(items_slot(view)).count);
    for (slot, column) in (0..).zip(&view.columns) {
        let (name, of) = (column.attribute.as_str(), fold(slot));
        if let Some(name) = sum_attribute(column) {
            let HeldSum { shown, exact, .. } = held_sum(table, &name, &of.sum());
            // A row may have been made before its average had a number.
            let zero = || (name != column.attribute).then(|| Value::from(0_i64));
            compare(&name, shown, zero());
            compare(&exact_attribute(&name), exact, None);
        }
        match column.from {
            From::Count => compare(name, Some(items.clone()), None),
            From::Min { .. } | From::Max { .. } | From::Copied { .. } => {
                compare(name, of.extreme(), None);
            }
            From::Average { .. } => {
                let count = u64::try_from(of.count).unwrap_or_default();
                let mean = of.sum().divided_by(count);
                compare(name, mean.map(Value::N), None);
                let zero = Some(Value::from(0_i64));
                compare(&column.hidden("items"), Some(Value::from(of.count)), zero);
            }
            From::Sum { .. }
            | From::Group { .. }
            | From::Distinct { .. }
            | From::Top { .. }
            | From::Joined { .. } => {}
        }
    }
    if view.is_grouped {
        compare(&View::hidden("items"), Some(items), None);
    }
    wrong
}
