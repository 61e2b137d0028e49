//! Plans for patterns that return one kind of item.

use super::by_guard;
use super::candidate::{Candidate, candidates};
use super::fit::{Unfit, fit};
use crate::check::found::Found;
use crate::check::served::{self, IndexName, Miss};
use crate::check::shape::{Owner, Space};
use crate::check::{covered, ordered};
use crate::diagnostic::Diagnostic;
use crate::schema::{
    Column, Entity, Index, IndexKind, Model, Pattern, PatternPlan, Returned, Table,
};
use keyfold_types::KeyKind;

/// The plan by the cheapest key that serves the pattern, or a report of why no key does.
pub(super) fn plan(
    model: &Model,
    pattern: &Pattern,
    returned: &Returned,
) -> Result<Found, Box<Diagnostic>> {
    let entity = model
        .entities
        .get(returned.entity)
        .ok_or_else(|| unresolved(pattern))?;
    let table = model
        .tables
        .get(entity.table)
        .ok_or_else(|| unresolved(pattern))?;
    let (mut misses, mut order_miss) = (Vec::new(), None);
    let strong = by_guard::strong(pattern, returned, entity, table);
    for candidate in candidates(table, entity, returned) {
        if let Some(plan) = strong.as_ref().filter(|_| is_global(table, &candidate)) {
            return Ok(of_table(plan.clone(), returned, entity));
        }
        match fit(pattern, returned, entity, table, &candidate) {
            Ok(plan) => {
                let space = candidate.space;
                return Ok(Found {
                    space,
                    ..of_table(plan, returned, entity)
                });
            }
            Err(Unfit::Reason(reason)) => misses.push(Miss {
                key: candidate.label,
                reason,
                narrow: None,
            }),
            Err(Unfit::Narrow {
                attribute,
                value,
                reason,
            }) => misses.push(Miss {
                key: candidate.label,
                reason,
                narrow: Some((attribute, value)),
            }),
            Err(Unfit::Order(reason)) => {
                order_miss.get_or_insert((candidate, reason));
            }
        }
    }
    match by_guard::plan(pattern, returned, entity, table) {
        Some(Ok(plan)) => return Ok(of_table(plan, returned, entity)),
        Some(Err(reason)) => misses.push(Miss {
            key: format!("the guard of `id` of {}", entity.name),
            reason,
            narrow: None,
        }),
        None => {}
    }
    if let (Some((candidate, reason)), Some(order)) = (order_miss, &pattern.order) {
        let (label, span) = (&candidate.label, candidate.key.span);
        return Err(Box::new(ordered::report(
            pattern, entity, order, label, span, reason,
        )));
    }
    Err(Box::new(served::report(
        pattern,
        &[entity],
        misses,
        &free_index(pattern, table, entity),
    )))
}

/// What is found by the key of the table.
fn of_table(plan: PatternPlan, returned: &Returned, entity: &Entity) -> Found {
    Found {
        plan,
        table: entity.table,
        space: Space::Table,
        members: vec![Owner {
            entity: returned.entity,
            copy: returned.copy,
            is_guard: false,
        }],
    }
}

/// Whether a key is that of a global index, which is read eventually.
fn is_global(table: &Table, candidate: &Candidate) -> bool {
    match candidate.space {
        Space::Table => false,
        Space::Index(at) => {
            let index = table.indexes.get(at);
            index.is_some_and(|index| index.kind == IndexKind::Global)
        }
    }
}

/// The index to propose for a pattern that no key serves: one that the entity is not in yet and can
/// be in, or a new one.
fn free_index(pattern: &Pattern, table: &Table, entity: &Entity) -> IndexName {
    if table.period.is_some() {
        return IndexName::Periods;
    }
    let mut declared = table.indexes.iter();
    let fits = |index: &&Index| {
        index.kind == IndexKind::Global
            && takes_templates(table, entity, index)
            && covered::check(pattern, table, entity, None, index).is_none()
    };
    match declared.find(fits) {
        Some(index) => IndexName::Declared(index.clone()),
        None => IndexName::New(new_index_name(table), Box::new(table.clone())),
    }
}

/// Whether a line of an entity can make the key of an index by two templates: its key attributes
/// are texts of which the entity has none yet, neither as an attribute nor in another key.
fn takes_templates(table: &Table, entity: &Entity, index: &Index) -> bool {
    let others = entity.indexes.iter();
    let others = others.filter_map(|key| table.indexes.get(key.index));
    let made: Vec<&Column> = others
        .flat_map(Index::columns)
        .chain(table.columns())
        .collect();
    let is_free = |column: &Column| {
        column.kind == KeyKind::S
            && entity.attribute(&column.name).is_none()
            && made.iter().all(|other| other.name != column.name)
    };
    let is_one = |columns: &[Column]| matches!(columns, [one] if is_free(one));
    is_one(&index.partition) && is_one(&index.sort)
}

/// The first of GSI1, GSI2, ... that the table does not have, as an index or at the start of its key
/// attributes.
fn new_index_name(table: &Table) -> String {
    let taken = |name: &String| {
        let columns = table.indexes.iter().flat_map(|index| index.columns());
        let mut columns = columns.chain(table.columns());
        columns.any(|column| column.name.starts_with(name.as_str()))
            || table.indexes.iter().any(|index| index.name == *name)
    };
    (1..)
        .map(|number| format!("GSI{number}"))
        .find(|name| !taken(name))
        .unwrap_or_default()
}

/// The report for a missing entity or table. Name resolution refuses such a model before it is
/// planned.
fn unresolved(pattern: &Pattern) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        "KF002",
        pattern.span,
        "the pattern returns nothing",
        "no entity",
    ))
}
