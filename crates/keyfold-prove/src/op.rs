//! One write as a value. It can be executed on the rows and through the model, by another thread, or
//! again on fewer rows.

use crate::ProveError;
use crate::expect;
use crate::named;
use crate::row_write;
use crate::rows::Rows;
use crate::subject::Client;
use keyfold_api::DeleteItemInput;
use keyfold_client::arguments::Values;
use keyfold_client::{Backend, ClientError};
use keyfold_model::{Entity, Model, value};
use keyfold_types::Item;

/// A write. Entities and named writes are indexes into the model.
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
    /// The entity expires: the engine deletes its items.
    Expire {
        entity: usize,
        key: Values,
    },
}

impl Op {
    /// The write as a line of the command.
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

    /// Executes the write on the rows. Returns whether SQL and the declarations allow it; if not, the
    /// caller undoes the changes made so far.
    pub(crate) fn in_rows(&self, rows: &mut Rows<'_>) -> Result<bool, ProveError> {
        let model = rows.model;
        let of = |at: &usize| model.entities.get(*at);
        match self {
            Op::Create { entity, values } => {
                let Some(entity) = of(entity) else {
                    return Ok(false);
                };
                row_write::create(rows, entity, values.clone())
            }
            Op::Put { entity, values } => {
                let Some(entity) = of(entity) else {
                    return Ok(false);
                };
                row_write::put(rows, entity, values.clone())
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
                row_write::change(rows, entity, (row, &old), new)
            }
            Op::Delete { entity, key } => {
                let Some(entity) = of(entity) else {
                    return Ok(false);
                };
                row_write::delete(rows, entity, key)
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
                // Whatever is gone already needs no deletion.
                if let Some((row, _)) = rows.found(entity, key) {
                    rows.delete(entity, row)?;
                }
                Ok(true)
            }
        }
    }

    /// Executes the write through the model.
    pub(crate) fn in_model(&self, client: Client<'_>) -> Result<(), ClientError> {
        let model = client.model;
        let of = |at: &usize| {
            let found = model.entities.get(*at);
            found.ok_or_else(|| {
                ClientError::Unknown("an entity that the model does not have".to_owned())
            })
        };
        match self {
            Op::Create { entity, values } => client.create(of(entity)?, values).map(drop),
            Op::Put { entity, values } => client.put(of(entity)?, values).map(drop),
            Op::Update {
                entity,
                changes,
                removed,
            } => client.update(of(entity)?, changes, removed).map(drop),
            Op::Delete { entity, key } => client.delete(of(entity)?, key).map(drop),
            Op::Named { write, arguments } => match model.writes.get(*write) {
                Some(named) => client.write(named, arguments).map(drop),
                None => Err(ClientError::Unknown(
                    "a write that the model does not have".to_owned(),
                )),
            },
            Op::Expire { entity, key } => expire(client.backend, model, of(entity)?, key),
        }
    }
}

/// Deletes the items of a row that has expired, as the engine does.
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
