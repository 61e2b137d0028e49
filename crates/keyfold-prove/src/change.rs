//! Random writes: creations, changes of existing rows, named writes, and expiries.

use crate::generate::Generator;
use crate::named;
use crate::op::Op;
use crate::rows::{Rows, identity};
use crate::views;
use keyfold_client::arguments::Values;
use keyfold_model::Entity;

/// The creation of a random row; sometimes of one whose key exists.
pub(crate) fn create<'m>(rows: &Rows<'m>, entity: &'m Entity, generator: &mut Generator<'m>) -> Op {
    let at = rows.place(entity);
    let mut values = generator.row(entity, rows);
    if generator.rng.u8(..24) == 0
        && let Some(old) = picked(rows, at, generator)
    {
        values.extend(key_of(entity, &old));
    }
    Op::Create { entity: at, values }
}

/// A random named write, or change of a row; `None` where there is no row to change.
pub(crate) fn any<'m>(rows: &Rows<'m>, generator: &mut Generator<'m>) -> Option<Op> {
    let model = rows.model;
    if generator.rng.u8(..4) == 0 && !model.writes.is_empty() {
        let at = generator.rng.usize(..model.writes.len());
        return of_write(rows, at, generator);
    }
    let at = generator.rng.usize(..views::written(model));
    of_entity(rows, model.entities.get(at)?, generator)
}

/// A named write with random arguments, by its place in the model.
pub(crate) fn of_write<'m>(
    rows: &Rows<'m>,
    at: usize,
    generator: &mut Generator<'m>,
) -> Option<Op> {
    Some(Op::Named {
        write: at,
        arguments: named::arguments(rows, rows.model.writes.get(at)?, generator),
    })
}

/// A random change of one of an entity's rows.
fn of_entity<'m>(rows: &Rows<'m>, entity: &'m Entity, generator: &mut Generator<'m>) -> Option<Op> {
    let at = rows.place(entity);
    let old = picked(rows, at, generator)?;
    Some(of_row(rows, entity, &old, generator))
}

/// A random change of a row: an update, a replacement, a deletion, an expiry.
pub(crate) fn of_row<'m>(
    rows: &Rows<'m>,
    entity: &'m Entity,
    old: &Values,
    generator: &mut Generator<'m>,
) -> Op {
    let at = rows.place(entity);
    let key = key_of(entity, old);
    match generator.rng.u8(..8) {
        0 if entity.ttl.is_some() => Op::Expire {
            entity: at,
            key: old.clone(),
        },
        0 | 1 => Op::Delete { entity: at, key },
        2 => {
            let mut values = generator.row(entity, rows);
            values.extend(key);
            Op::Put { entity: at, values }
        }
        3 if generator.rng.u8(..4) == 0 => Op::Create {
            entity: at,
            values: without_kept(entity, old),
        },
        _ => update(rows, entity, key, generator),
    }
}

/// An update of a row that sets and removes random attributes.
fn update<'m>(
    rows: &Rows<'m>,
    entity: &'m Entity,
    key: Values,
    generator: &mut Generator<'m>,
) -> Op {
    let fresh = generator.row(entity, rows);
    let (mut changes, mut removed) = (key.clone(), Vec::new());
    let free = entity
        .attributes
        .iter()
        .filter(|a| !a.is_kept && !key.contains_key(&a.name));
    for attribute in free {
        match (generator.rng.u8(..3), fresh.get(&attribute.name)) {
            // The client would read its own clock.
            (_, Some(value)) if attribute.is_touched() => {
                changes.insert(attribute.name.clone(), value.clone());
            }
            (0, Some(value)) => {
                changes.insert(attribute.name.clone(), value.clone());
            }
            (0, None) if attribute.optional => removed.push(attribute.name.clone()),
            _ => {}
        }
    }
    Op::Update {
        entity: rows.place(entity),
        changes,
        removed,
    }
}

fn without_kept(entity: &Entity, old: &Values) -> Values {
    let is_given = |name: &String| {
        entity
            .attribute(name)
            .is_some_and(|attribute| !attribute.is_kept)
    };
    old.iter()
        .filter(|(name, _)| is_given(name))
        .map(|(name, held)| (name.clone(), held.clone()))
        .collect()
}

/// The values of a random row of an entity.
fn picked<'m>(rows: &Rows<'m>, at: usize, generator: &mut Generator<'m>) -> Option<Values> {
    let row = rows.pick_row(at, &mut generator.rng)?;
    rows.get(at, row).cloned()
}

/// The attributes that identify a row.
fn key_of(entity: &Entity, values: &Values) -> Values {
    identity(entity)
        .into_iter()
        .filter_map(|field| Some((field.to_owned(), values.get(field)?.clone())))
        .collect()
}
