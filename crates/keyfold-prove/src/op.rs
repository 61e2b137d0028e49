//! One write as a value: what it does to the rows, and through the model. So it can be made again,
//! by another thread, or on fewer rows.

use crate::ProveError;
use crate::expect;
use crate::leftover::has_children;
use crate::named;
use crate::rows::Rows;
use keyfold_api::DeleteItemInput;
use keyfold_client::arguments::Values;
use keyfold_client::{Backend, ClientError, write};
use keyfold_model::{Entity, Model, value};
use keyfold_types::{Item, Value};

/// A write. Entities and named writes are told by their places in the model.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Create {
        entity: usize,
        values: Values,
    },
    Put {
        entity: usize,
        values: Values,
    },
    Update {
        entity: usize,
        changes: Values,
        removed: Vec<String>,
    },
    Delete {
        entity: usize,
        key: Values,
    },
    Named {
        write: usize,
        arguments: Values,
    },
    /// The item expires: the engine deletes it, and nothing else.
    Expire {
        entity: usize,
        key: Values,
    },
}

impl Op {
    /// The write in a line, as it could be typed.
    pub(crate) fn show(&self, model: &Model) -> String {
        let shown = |values: &Values| -> String {
            values
                .iter()
                .map(|(name, held)| format!(" {name}={}", value::display(held)))
                .collect()
        };
        let name = |at: &usize| {
            model
                .entities
                .get(*at)
                .map_or("", |entity| entity.name.as_str())
        };
        match self {
            Op::Create { entity, values } => format!("create {}{}", name(entity), shown(values)),
            Op::Put { entity, values } => format!("put {}{}", name(entity), shown(values)),
            Op::Update {
                entity,
                changes,
                removed,
            } => {
                let without: String = removed
                    .iter()
                    .map(|name| format!(" --remove {name}"))
                    .collect();
                format!("update {}{}{without}", name(entity), shown(changes))
            }
            Op::Delete { entity, key } => format!("delete {}{}", name(entity), shown(key)),
            Op::Named { write, arguments } => {
                let name = model
                    .writes
                    .get(*write)
                    .map_or("", |write| write.name.as_str());
                format!("{name}{}", shown(arguments))
            }
            Op::Expire { entity, key } => format!("expire {}{}", name(entity), shown(key)),
        }
    }

    /// Makes the write in the rows; false when SQL or the declarations say that it is not possible.
    /// What was done by then is undone by the caller.
    pub(crate) fn in_rows(&self, rows: &mut Rows<'_>) -> Result<bool, ProveError> {
        let model = rows.model;
        let of = |at: &usize| model.entities.get(*at);
        match self {
            Op::Create { entity, values } => {
                let Some(entity) = of(entity) else {
                    return Ok(false);
                };
                let first = first(entity, values.clone());
                Ok(has_parents(rows, entity, &first, None) && rows.insert(entity, first)?)
            }
            Op::Put { entity, values } => {
                let Some(entity) = of(entity) else {
                    return Ok(false);
                };
                put(rows, entity, values.clone())
            }
            Op::Update {
                entity,
                changes,
                removed,
            } => {
                let Some(entity) = of(entity) else {
                    return Ok(false);
                };
                let Some((row, old)) = rows.found(entity, changes) else {
                    return Ok(false);
                };
                let mut new = old.clone();
                new.extend(changes.clone());
                removed.iter().for_each(|name| {
                    new.remove(name);
                });
                let new = next(entity, &old, new, false);
                Ok(
                    has_parents(rows, entity, &new, Some(&old))
                        && rows.replace(entity, row, new)?,
                )
            }
            Op::Delete { entity, key } => {
                let Some(entity) = of(entity) else {
                    return Ok(false);
                };
                delete(rows, entity, key)
            }
            Op::Named { write, arguments } => {
                let Some(write) = model.writes.get(*write) else {
                    return Ok(false);
                };
                named::carry_out(rows, write, arguments)
            }
            Op::Expire { entity, key } => {
                let Some(entity) = of(entity) else {
                    return Ok(false);
                };
                let Some((row, _)) = rows.found(entity, key) else {
                    return Ok(false);
                };
                rows.delete(entity, row)?;
                Ok(true)
            }
        }
    }

    /// Makes the write through the model.
    pub(crate) fn in_model(&self, model: &Model, backend: &Backend) -> Result<(), ClientError> {
        let of = |at: &usize| {
            let found = model.entities.get(*at);
            found.ok_or_else(|| {
                ClientError::Unknown("an entity that the model does not have".to_owned())
            })
        };
        match self {
            Op::Create { entity, values } => {
                write::create(backend, model, of(entity)?, values).map(drop)
            }
            Op::Put { entity, values } => write::put(backend, model, of(entity)?, values).map(drop),
            Op::Update {
                entity,
                changes,
                removed,
            } => write::update(backend, model, of(entity)?, changes, removed).map(drop),
            Op::Delete { entity, key } => write::delete(backend, model, of(entity)?, key).map(drop),
            Op::Named { write, arguments } => match model.writes.get(*write) {
                Some(named) => write::run(backend, model, named, arguments).map(drop),
                None => Err(ClientError::Unknown(
                    "a write that the model does not have".to_owned(),
                )),
            },
            Op::Expire { entity, key } => expire(backend, model, of(entity)?, key),
        }
    }
}

/// Deletes the one item of a row, as the engine does when its time has come.
fn expire(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    row: &Values,
) -> Result<(), ClientError> {
    let items =
        expect::items(model, entity, row).map_err(|error| ClientError::NotFound(error.0))?;
    for one in items {
        let key: Item = one.key.into_iter().collect();
        let input = DeleteItemInput {
            table_name: Some(one.table),
            key: Some(Ok(key)),
            ..Default::default()
        };
        backend.call(input.into())?;
    }
    Ok(())
}

/// Writes a whole row, whether it is there or not.
pub(crate) fn put(
    rows: &mut Rows<'_>,
    entity: &Entity,
    values: Values,
) -> Result<bool, ProveError> {
    match rows.found(entity, &values) {
        Some((row, old)) => {
            let new = next(entity, &old, values, true);
            Ok(has_parents(rows, entity, &new, Some(&old)) && rows.replace(entity, row, new)?)
        }
        None => {
            let first = first(entity, values);
            Ok(has_parents(rows, entity, &first, None) && rows.insert(entity, first)?)
        }
    }
}

/// Deletes a row that nothing is counted in.
pub(crate) fn delete(
    rows: &mut Rows<'_>,
    entity: &Entity,
    key: &Values,
) -> Result<bool, ProveError> {
    let Some((row, old)) = rows.found(entity, key) else {
        return Ok(false);
    };
    if has_children(rows, entity, &old) {
        return Ok(false);
    }
    rows.delete(entity, row)?;
    Ok(true)
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
        parent
            .aggregates
            .iter()
            .filter(|aggregate| aggregate.entity == at)
            .all(|aggregate| {
                let counts = |values: &Values| {
                    aggregate.condition.as_ref().is_none_or(|(name, text)| {
                        values.get(name).map(value::display).as_ref() == Some(text)
                    }) && aggregate
                        .of
                        .as_ref()
                        .is_none_or(|of| values.contains_key(of))
                };
                let amount = |values: &Values| match &aggregate.of {
                    None => Some(Value::from(1)),
                    Some(of) => values.get(of).cloned(),
                };
                let key = |values: &Values| -> Values {
                    let of =
                        |(field, name): (String, String)| Some((field, values.get(&name)?.clone()));
                    rows.link(parent, entity, aggregate)
                        .into_iter()
                        .filter_map(of)
                        .collect()
                };
                // What changes nothing needs nobody.
                let unchanged = before.is_some_and(|before| {
                    counts(before) && key(before) == key(values) && amount(before) == amount(values)
                });
                // One that is counted in itself is there with itself.
                let itself = parent.name == entity.name
                    && parent
                        .key
                        .fields()
                        .all(|field| key(values).get(field) == values.get(field));
                !counts(values) || unchanged || itself || rows.find(parent, &key(values)).is_some()
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
        new.insert(
            version.clone(),
            old.get(version).cloned().unwrap_or(Value::from(1)),
        );
        if (always || new != *old)
            && let Some(Value::N(number)) = old.get(version)
            && let Some(number) = number.to_i64()
        {
            new.insert(version.clone(), Value::from(number + 1));
        }
    }
    new
}
