//! The attributes that the model keeps in rows: counts, sums and maxima of other rows, by decimal
//! arithmetic.

use crate::order::order;
use crate::rows::Rows;
use crate::sql_value::is_of_text;
use crate::{ProveError, expect};
use keyfold_client::arguments::Values;
use keyfold_model::Entity;
use keyfold_model::schema::{Aggregate, AggregateKind};
use keyfold_types::{Number, Value};
use std::collections::BTreeMap;

/// Writes the kept attributes into the columns, so that SQL can compare and order by them.
pub(crate) fn fill(rows: &mut Rows<'_>) -> Result<(), ProveError> {
    let complete = (0..rows.model.entities.len()).map(|at| {
        let all = complete_all(rows, at);
        all.into_iter()
            .map(|(row, one)| (row, one.values))
            .collect()
    });
    let complete = complete.collect();
    rows.store_complete(complete)
}

/// A row with its kept attributes.
pub(crate) struct CompleteRow {
    pub(crate) values: Values,
    /// The number of rows in each aggregate.
    pub(crate) counts: Vec<i64>,
}

/// The values of a row with its kept attributes.
pub(crate) fn complete(rows: &Rows<'_>, entity: &Entity, row: i64) -> Option<Values> {
    let values = rows.get(rows.place(entity), row)?.clone();
    Some(with_kept(rows, entity, values))
}

/// The values of a row that is written, with the kept attributes that it has then.
pub(crate) fn with_kept(rows: &Rows<'_>, entity: &Entity, mut values: Values) -> Values {
    for aggregate in &entity.aggregates {
        let children: Vec<&Values> = children(rows, entity, aggregate, &values).collect();
        let kept = aggregated(aggregate, &children);
        set(&mut values, aggregate, kept);
    }
    values
}

/// Whether all rows fit their items that keep an aggregate of this row: its values make them longer.
pub(crate) fn fit_parents(rows: &Rows<'_>, child: &Entity, values: &Values) -> bool {
    let at = rows.place(child);
    let of_child = |parent: &&Entity| {
        let mut aggregates = parent.aggregates.iter();
        aggregates.any(|one| one.entity == at && is_in_index(rows, parent, &one.attribute))
    };
    rows.model.entities.iter().filter(of_child).all(|parent| {
        let mut aggregates = parent.aggregates.iter().filter(|one| one.entity == at);
        aggregates.all(|aggregate| {
            let link = rows.link(parent, child, aggregate);
            let key = link.into_iter();
            let key = key.filter_map(|(field, name)| Some((field, values.get(&name)?.clone())));
            let row = rows.find(parent, &key.collect());
            let whole = row.and_then(|row| complete(rows, parent, row));
            whole.is_none_or(|whole| expect::items(rows.model, parent, &whole).is_ok())
        })
    })
}

/// Whether an index of an entity's table has an attribute in its key.
fn is_in_index(rows: &Rows<'_>, entity: &Entity, name: &str) -> bool {
    let mut templates = entity.indexes.iter().flat_map(|index| index.key.fields());
    let table = rows.model.tables.get(entity.table);
    let indexes = table.into_iter().flat_map(|table| &table.indexes);
    let mut columns = indexes.flat_map(|index| index.columns());
    templates.any(|field| field == name) || columns.any(|column| column.name == name)
}

/// All rows of an entity with their kept attributes, by row number.
pub(crate) fn complete_all(rows: &Rows<'_>, at: usize) -> BTreeMap<i64, CompleteRow> {
    let Some(entity) = rows.model.entities.get(at) else {
        return BTreeMap::new();
    };
    let without = |values: &Values| CompleteRow {
        values: values.clone(),
        counts: Vec::new(),
    };
    let mut all: BTreeMap<i64, CompleteRow> = rows
        .of(at)
        .map(|(row, values)| (row, without(values)))
        .collect();
    for aggregate in &entity.aggregates {
        let by_parent = by_parent(rows, entity, aggregate);
        for (row, values) in rows.of(at) {
            let own: Vec<Option<&Value>> =
                entity.key.fields().map(|field| values.get(field)).collect();
            let children = by_parent
                .get(&format!("{own:?}"))
                .map_or(&[][..], Vec::as_slice);
            if let Some(one) = all.get_mut(&row) {
                set(&mut one.values, aggregate, aggregated(aggregate, children));
                one.counts
                    .push(i64::try_from(children.len()).unwrap_or(i64::MAX));
            }
        }
    }
    all
}

/// Sets or removes the attribute of an aggregate.
fn set(values: &mut Values, aggregate: &Aggregate, kept: Option<Value>) {
    match kept {
        Some(value) => values.insert(aggregate.attribute.clone(), value),
        None => values.remove(&aggregate.attribute),
    };
}

/// Whether a row's aggregates count other rows.
pub(crate) fn has_children(rows: &Rows<'_>, entity: &Entity, values: &Values) -> bool {
    entity.aggregates.iter().any(|aggregate| {
        // A row that counts itself does not prevent its own deletion.
        let is_own = rows
            .model
            .entities
            .get(aggregate.entity)
            .is_some_and(|child| child.name == entity.name);
        let other = |child: &&Values| {
            !is_own
                || entity
                    .key
                    .fields()
                    .any(|field| child.get(field) != values.get(field))
        };
        let stays = |child: &Values| !rows.is_going(aggregate.entity, child);
        children(rows, entity, aggregate, values).any(|child| other(&child) && stays(child))
    })
}

/// Whether an aggregate of the parent counts a row.
pub(crate) fn is_counted(aggregate: &Aggregate, child: &Values) -> bool {
    let has = |(name, text): &(String, String)| {
        child.get(name).is_some_and(|held| is_of_text(held, text))
    };
    aggregate.condition.as_ref().is_none_or(has)
        && aggregate
            .of
            .as_ref()
            .is_none_or(|of| child.contains_key(of))
}

/// The rows that an aggregate of this row counts.
fn children<'r>(
    rows: &'r Rows<'_>,
    entity: &Entity,
    aggregate: &'r Aggregate,
    parent: &'r Values,
) -> impl Iterator<Item = &'r Values> {
    let child = rows.model.entities.get(aggregate.entity);
    let link = child
        .map(|child| rows.link(entity, child, aggregate))
        .unwrap_or_default();
    let belongs = move |child: &&Values| {
        link.iter()
            .all(|(field, name)| parent.get(field) == child.get(name))
            && is_counted(aggregate, child)
    };
    rows.of(aggregate.entity)
        .map(|(_, values)| values)
        .filter(belongs)
}

/// The rows that an aggregate counts, by the key of their parent.
fn by_parent<'r>(
    rows: &'r Rows<'_>,
    entity: &Entity,
    aggregate: &Aggregate,
) -> BTreeMap<String, Vec<&'r Values>> {
    let Some(child) = rows.model.entities.get(aggregate.entity) else {
        return BTreeMap::new();
    };
    let link = rows.link(entity, child, aggregate);
    let mut all: BTreeMap<String, Vec<&Values>> = BTreeMap::new();
    for (_, values) in rows
        .of(aggregate.entity)
        .filter(|(_, values)| is_counted(aggregate, values))
    {
        let parent: Vec<Option<&Value>> = link.iter().map(|(_, name)| values.get(name)).collect();
        all.entry(format!("{parent:?}")).or_default().push(values);
    }
    all
}

/// The exact value of an aggregate; `None` for the maximum of no rows.
fn aggregated(aggregate: &Aggregate, children: &[&Values]) -> Option<Value> {
    let of = aggregate.of.as_deref().unwrap_or_default();
    let held = children.iter().filter_map(|child| child.get(of));
    match aggregate.kind {
        AggregateKind::Count => Some(Value::from(
            i64::try_from(children.len()).unwrap_or(i64::MAX),
        )),
        AggregateKind::Sum => {
            let numbers = held.filter_map(|value| {
                if let Value::N(number) = value {
                    Some(*number)
                } else {
                    None
                }
            });
            let zero = Number::from(0_i64);
            Some(Value::N(
                numbers.fold(zero, |sum, one| sum.checked_add(&one).unwrap_or(sum)),
            ))
        }
        AggregateKind::Max => held.max_by(|one, two| order(one, two)).cloned(),
    }
}
