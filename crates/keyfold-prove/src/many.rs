//! Entities in batches: on the rows, and the comparison of what is read by many keys.

use crate::ProveError;
use crate::expect;
use crate::generate::Generator;
use crate::report::{Failure, Report};
use crate::row_write;
use crate::rows::{Rows, identity};
use crate::show;
use crate::subject::Client;
use crate::views;
use keyfold_client::arguments::Values;
use keyfold_client::{ClientError, FoundItem};
use keyfold_model::Entity;

/// Sizes of a list of keys, among them more than one request takes.
const KEYS: [usize; 6] = [0, 1, 3, 7, 12, 103];

/// The most draws for each key of a list. Where no key fits a value, the list stays shorter.
const DRAWS_MAX: usize = 8;

/// Whether nothing follows from an entity: no second item changes with it, and nothing is compared.
pub(crate) fn is_alone(rows: &Rows<'_>, entity: &Entity) -> bool {
    let at = rows.place(entity);
    let is_counted = |parent: &Entity| parent.aggregates.iter().any(|one| one.entity == at);
    entity.view.is_none()
        && entity.copies.is_empty()
        && entity.uniques.is_empty()
        && entity.id.is_empty()
        && entity.aggregates.is_empty()
        && entity.version.is_none()
        && entity.split.is_none()
        && !rows.model.entities.iter().any(is_counted)
}

/// Writes whole rows, whether they exist or not. Returns whether that is possible.
pub(crate) fn put(
    rows: &mut Rows<'_>,
    entity: &Entity,
    items: &[Values],
) -> Result<bool, ProveError> {
    if !is_alone(rows, entity) {
        return Ok(false);
    }
    let key = |row: &Values| -> Vec<_> {
        let fields = identity(entity).into_iter();
        fields.map(|field| row.get(field).cloned()).collect()
    };
    for (at, one) in items.iter().enumerate() {
        let mut before = items.iter().take(at);
        if before.any(|other| key(other) == key(one)) || !row_write::put(rows, entity, one.clone())?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Deletes rows, whether they exist or not. Returns whether that is possible.
pub(crate) fn delete(
    rows: &mut Rows<'_>,
    entity: &Entity,
    keys: &[Values],
) -> Result<bool, ProveError> {
    if !is_alone(rows, entity) {
        return Ok(false);
    }
    for key in keys {
        if let Some((row, _)) = rows.found(entity, key) {
            rows.delete(entity, row)?;
        }
    }
    Ok(true)
}

/// Random keys of an entity: mostly of rows, some of none, some given twice. They are fewer than
/// `size` where most rows cannot be stored.
pub(crate) fn keys<'m>(
    rows: &Rows<'m>,
    entity: &'m Entity,
    size: usize,
    generator: &mut Generator<'m>,
) -> Vec<Values> {
    let mut keys: Vec<Values> = Vec::new();
    for _ in 0..size * DRAWS_MAX {
        if keys.len() == size {
            break;
        }
        let again = keys.get(generator.rng.usize(..keys.len().max(1))).cloned();
        let again = again.filter(|_| generator.rng.u8(..8) == 0);
        let stored = stored_key(rows, entity, generator).filter(|_| generator.rng.u8(..5) != 0);
        let fresh = generator.row(entity, rows);
        let can_be_stored = expect::items(rows.model, entity, &fresh).is_ok();
        let fresh = can_be_stored.then(|| key_of(entity, &fresh));
        let fresh = fresh.map(|key| views::in_row(rows, entity, key));
        keys.extend(again.or(stored).or(fresh));
    }
    keys
}

/// The key of a random row.
pub(crate) fn stored_key<'m>(
    rows: &Rows<'m>,
    entity: &'m Entity,
    generator: &mut Generator<'m>,
) -> Option<Values> {
    let at = rows.place(entity);
    let row = rows.pick_row(at, &mut generator.rng)?;
    Some(key_of(entity, rows.get(at, row)?))
}

fn key_of(entity: &Entity, row: &Values) -> Values {
    let fields = identity(entity).into_iter();
    let held = fields.filter_map(|field| Some((field.to_owned(), row.get(field)?.clone())));
    held.collect()
}

/// Reads each entity by many keys, and compares the answer with the rows.
pub(crate) fn read<'m>(
    client: Client<'_>,
    rows: &Rows<'m>,
    generator: &mut Generator<'m>,
    report: &mut Report,
) {
    for (at, entity) in rows.model.entities.iter().enumerate() {
        let size = KEYS.get(generator.rng.usize(..KEYS.len()));
        let keys = keys(rows, entity, size.copied().unwrap_or(1), generator);
        let expected: Vec<Option<FoundItem>> = keys
            .iter()
            .map(|key| item(rows, (at, entity), key))
            .collect();
        report.batches += 1;
        let found = client.many(entity, &keys, generator.rng.bool());
        let shown = |error: &ClientError| error.to_string();
        let difference = match &found {
            Ok(found) if entity.split.is_none() && found.items == expected => None,
            Ok(found) => Some(show::items(&found.items)),
            Err(ClientError::Invalid(_)) if entity.split.is_some() => None,
            // A key that cannot be made belongs to no row.
            Err(ClientError::Value(_)) if expected.contains(&None) => None,
            Err(error) => Some(shown(error)),
        };
        if let Some(found) = difference {
            let keys: String = keys
                .iter()
                .map(|key| format!(" [{}]", show::values(key)))
                .collect();
            report.failures.push(Failure {
                what: format!("get many {}{keys}", entity.name),
                expected: show::items(&expected),
                found,
            });
        }
    }
}

/// The row of a view with this key, which may hold only the period of a time that the row has whole.
fn of_view(rows: &Rows<'_>, (at, entity): (usize, &Entity), key: &Values) -> Option<i64> {
    entity.view.as_ref()?;
    let made = |values: &Values| expect::main_key(rows.model, entity, values);
    let wanted = made(key)?;
    let mut all = rows.of(at);
    all.find(|(_, values)| made(values).as_ref() == Some(&wanted))
        .map(|(row, _)| row)
}

/// The item of a row.
fn item(rows: &Rows<'_>, (at, entity): (usize, &Entity), key: &Values) -> Option<FoundItem> {
    let row = rows
        .find(entity, key)
        .or_else(|| of_view(rows, (at, entity), key));
    let values = rows.get_complete(at, row?)?;
    let attributes = entity.attributes.iter().filter_map(|attribute| {
        let name = &attribute.name;
        Some((name.clone(), values.get(name)?.clone()))
    });
    Some(FoundItem {
        kind: entity.name.clone(),
        attributes: attributes.collect(),
    })
}
