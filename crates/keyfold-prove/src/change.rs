//! Random writes: made in the rows first, where SQL says whether they are possible, and then through the
//! model, which must agree.

use crate::ProveError;
use crate::generate::Generator;
use crate::report::{Failure, Report};
use crate::rows::Rows;
use keyfold_client::arguments::Values;
use keyfold_client::{Backend, ClientError, write};
use keyfold_model::{Entity, value};
use keyfold_types::Value;

/// What a write came to.
pub(crate) enum Verdict {
    Possible,
    Impossible,
}

/// Makes a write in the rows and through the model, and notes where they differ. What the rows refuse is
/// undone there, and so is what the model wrongly refuses.
pub(crate) fn both<'m>(
    rows: &mut Rows<'m>,
    report: &mut Report,
    what: impl Fn() -> String,
    in_rows: impl FnOnce(&mut Rows<'m>) -> Result<Verdict, ProveError>,
    in_model: impl FnOnce() -> Result<write::Written, ClientError>,
) -> Result<(), ProveError> {
    rows.begin()?;
    let verdict = in_rows(rows)?;
    report.writes += 1;
    match (verdict, in_model()) {
        (Verdict::Possible, Ok(_)) => rows.keep()?,
        (Verdict::Possible, Err(error)) => {
            rows.undo()?;
            report.failures.push(Failure {
                what: what(),
                expected: "done".to_owned(),
                found: error.to_string(),
            });
        }
        // A value that no key takes is refused too: no parent can have it.
        (
            Verdict::Impossible,
            Err(ClientError::Refused(_) | ClientError::NotFound(_) | ClientError::Value(_)),
        ) => {
            rows.undo()?;
            report.refused += 1;
        }
        (Verdict::Impossible, Err(error)) => {
            rows.undo()?;
            report.failures.push(Failure {
                what: what(),
                expected: "refused".to_owned(),
                found: error.to_string(),
            });
        }
        (Verdict::Impossible, Ok(written)) => {
            rows.undo()?;
            report.failures.push(Failure {
                what: what(),
                expected: "refused, as by SQL".to_owned(),
                found: written.changes.join(", "),
            });
        }
    }
    Ok(())
}

pub(crate) fn show(verb: &str, entity: &Entity, values: &Values) -> String {
    let all: Vec<String> =
        values.iter().map(|(name, held)| format!("{name}={}", value::display(held))).collect();
    format!("{verb} {} {}", entity.name, all.join(" "))
}

/// Whether everything exists that an entity's items are counted in.
pub(crate) fn has_parents(
    rows: &Rows<'_>,
    entity: &Entity,
    values: &Values,
    before: Option<&Values>,
) -> bool {
    let at = rows.place(entity);
    rows.model.entities.iter().all(|parent| {
        parent.aggregates.iter().filter(|aggregate| aggregate.entity == at).all(|aggregate| {
            let counts =
                |values: &Values| {
                    aggregate.condition.as_ref().is_none_or(|(name, text)| {
                        values.get(name).map(value::display).as_ref() == Some(text)
                    }) && aggregate.of.as_ref().is_none_or(|of| values.contains_key(of))
                };
            let amount = |values: &Values| match &aggregate.of {
                None => Some(Value::from(1)),
                Some(of) => values.get(of).cloned(),
            };
            let key = |values: &Values| -> Values {
                let of = |(field, name): &(String, String)| Some((field.clone(), values.get(name)?.clone()));
                aggregate.link.iter().filter_map(of).collect()
            };
            // What changes nothing needs nobody.
            let unchanged = before.is_some_and(|before| {
                counts(before) && key(before) == key(values) && amount(before) == amount(values)
            });
            !counts(values) || unchanged || rows.find(parent, &key(values)).is_some()
        })
    })
}

/// The row as it is after a first write: what the model keeps starts from its beginning.
pub(crate) fn first(entity: &Entity, mut values: Values) -> Values {
    if let Some(version) = &entity.version {
        values.insert(version.clone(), Value::from(1));
    }
    values
}

/// The row after a change: its version goes up, unless nothing changed.
pub(crate) fn next(entity: &Entity, old: &Values, mut new: Values, always: bool) -> Values {
    if let Some(version) = &entity.version {
        new.insert(version.clone(), old.get(version).cloned().unwrap_or(Value::from(1)));
        if (always || new != *old)
            && let Some(Value::N(number)) = old.get(version)
            && let Some(number) = number.to_i64()
        {
            new.insert(version.clone(), Value::from(number + 1));
        }
    }
    new
}

/// Creates a new row.
pub(crate) fn create<'m>(
    backend: &Backend,
    rows: &mut Rows<'m>,
    entity: &'m Entity,
    generator: &mut Generator<'m>,
    report: &mut Report,
) -> Result<(), ProveError> {
    let values = generator.row(entity, rows);
    let model = rows.model;
    both(
        rows,
        report,
        || show("create", entity, &values),
        |rows| {
            let possible = has_parents(rows, entity, &values, None)
                && rows.insert(entity, first(entity, values.clone()))?;
            Ok(if possible { Verdict::Possible } else { Verdict::Impossible })
        },
        || write::create(backend, model, entity, &values),
    )
}

/// Changes, replaces or deletes a row.
pub(crate) fn change<'m>(
    backend: &Backend,
    rows: &mut Rows<'m>,
    entity: &'m Entity,
    generator: &mut Generator<'m>,
    report: &mut Report,
) -> Result<(), ProveError> {
    let at = rows.place(entity);
    let picked = rows.pick_row(at, &mut generator.rng);
    let Some((row, old)) = picked.and_then(|row| Some((row, rows.get(at, row)?.clone()))) else {
        return Ok(());
    };
    match generator.rng.u8(..8) {
        0 | 1 => delete(backend, rows, entity, row, &old, report),
        2 => put(backend, rows, entity, (row, &old), generator, report),
        _ => update(backend, rows, entity, (row, &old), generator, report),
    }
}

fn key_of(entity: &Entity, values: &Values) -> Values {
    entity.key.fields().filter_map(|field| Some((field.to_owned(), values.get(field)?.clone()))).collect()
}

fn delete<'m>(
    backend: &Backend,
    rows: &mut Rows<'m>,
    entity: &'m Entity,
    row: i64,
    old: &Values,
    report: &mut Report,
) -> Result<(), ProveError> {
    let (model, key) = (rows.model, key_of(entity, old));
    both(
        rows,
        report,
        || show("delete", entity, &key),
        |rows| {
            if crate::leftover::has_children(rows, entity, old) {
                return Ok(Verdict::Impossible);
            }
            rows.delete(entity, row)?;
            Ok(Verdict::Possible)
        },
        || write::delete(backend, model, entity, &key),
    )
}

fn put<'m>(
    backend: &Backend,
    rows: &mut Rows<'m>,
    entity: &'m Entity,
    (row, old): (i64, &Values),
    generator: &mut Generator<'m>,
    report: &mut Report,
) -> Result<(), ProveError> {
    let model = rows.model;
    let mut values = generator.row(entity, rows);
    values.extend(key_of(entity, old));
    both(
        rows,
        report,
        || show("put", entity, &values),
        |rows| {
            let new = next(entity, old, values.clone(), true);
            let possible = has_parents(rows, entity, &new, Some(old)) && rows.replace(entity, row, new)?;
            Ok(if possible { Verdict::Possible } else { Verdict::Impossible })
        },
        || write::put(backend, model, entity, &values),
    )
}

fn update<'m>(
    backend: &Backend,
    rows: &mut Rows<'m>,
    entity: &'m Entity,
    (row, old): (i64, &Values),
    generator: &mut Generator<'m>,
    report: &mut Report,
) -> Result<(), ProveError> {
    let model = rows.model;
    let fresh = generator.row(entity, rows);
    let key = key_of(entity, old);
    let (mut changes, mut removed) = (key.clone(), Vec::new());
    let free = entity.attributes.iter().filter(|a| !a.is_kept && !key.contains_key(&a.name));
    for attribute in free {
        match (generator.rng.u8(..3), fresh.get(&attribute.name)) {
            (0, Some(value)) => {
                changes.insert(attribute.name.clone(), value.clone());
            }
            (0, None) if attribute.optional => removed.push(attribute.name.clone()),
            _ => {}
        }
    }
    both(
        rows,
        report,
        || format!("{} without {}", show("update", entity, &changes), removed.join(", ")),
        |rows| {
            let mut new = old.clone();
            new.extend(changes.clone());
            removed.iter().for_each(|name| {
                new.remove(name);
            });
            let new = next(entity, old, new, false);
            let possible = has_parents(rows, entity, &new, Some(old)) && rows.replace(entity, row, new)?;
            Ok(if possible { Verdict::Possible } else { Verdict::Impossible })
        },
        || write::update(backend, model, entity, &changes, &removed),
    )
}
