//! One write as a value. It can be executed on the rows and through the model, by another thread, or
//! again on fewer rows.

use crate::ProveError;
use crate::expect;
use crate::many;
use crate::named;
use crate::row_write;
use crate::rows::Rows;
use crate::show;
use crate::subject::Client;
use keyfold_api::DeleteItemInput;
use keyfold_client::arguments::Values;
use keyfold_client::write::Part;
use keyfold_client::{Backend, ClientError};
use keyfold_model::{Entity, Model, Verb};
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
    /// Several writes in one transaction.
    Transact {
        parts: Vec<Op>,
    },
    /// Whole entities in batches.
    PutMany {
        entity: usize,
        items: Vec<Values>,
    },
    /// Deletions in batches.
    DeleteMany {
        entity: usize,
        keys: Vec<Values>,
    },
    /// The entity expires: the engine deletes its items.
    Expire {
        entity: usize,
        key: Values,
    },
}

impl Op {
    /// The write as a line of the command, whose long values are cut.
    pub(crate) fn show(&self, model: &Model) -> String {
        let shown = show::values;
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
            Op::Transact { parts } => {
                let parts: Vec<String> = parts.iter().map(|part| part.show(model)).collect();
                format!("transact [{}]", parts.join(" | "))
            }
            Op::PutMany { entity, items } => {
                let items: String = items
                    .iter()
                    .map(|one| format!(" [{}]", shown(one)))
                    .collect();
                format!("put many {}{items}", name(entity))
            }
            Op::DeleteMany { entity, keys } => {
                let keys: String = keys
                    .iter()
                    .map(|one| format!(" [{}]", shown(one)))
                    .collect();
                format!("delete many {}{keys}", name(entity))
            }
            Op::Expire { entity, key } => format!("expire {}{}", name(entity), shown(key)),
        }
    }

    /// Whether the write has an upsert.
    pub(crate) fn upserts(&self, model: &Model) -> bool {
        self.has_verb(model, Verb::Upsert)
    }

    /// Whether the write reads rows that it does not change: it checks them, or takes their attributes.
    pub(crate) fn reads_others(&self, model: &Model) -> bool {
        self.has_verb(model, Verb::Check)
    }

    fn has_verb(&self, model: &Model, verb: Verb) -> bool {
        match self {
            Op::Named { write, .. } => {
                let actions = model.writes.get(*write).map(|write| &write.actions);
                actions.is_some_and(|all| all.iter().any(|action| action.verb == verb))
            }
            Op::Transact { parts } => parts.iter().any(|part| part.has_verb(model, verb)),
            Op::Create { .. }
            | Op::Put { .. }
            | Op::Update { .. }
            | Op::Delete { .. }
            | Op::PutMany { .. }
            | Op::DeleteMany { .. }
            | Op::Expire { .. } => false,
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
                row_write::update(rows, entity, changes, removed)
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
            Op::Transact { parts } => {
                for part in parts {
                    if !part.in_rows(rows)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Op::PutMany { entity, items } => match of(entity) {
                Some(entity) => many::put(rows, entity, items),
                None => Ok(false),
            },
            Op::DeleteMany { entity, keys } => match of(entity) {
                Some(entity) => many::delete(rows, entity, keys),
                None => Ok(false),
            },
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
            Op::Transact { parts } => {
                let parts: Option<Vec<Part<'_>>> =
                    parts.iter().map(|part| part.as_part(model)).collect();
                let parts = parts.ok_or_else(|| {
                    ClientError::Unknown("a write that no transaction takes".to_owned())
                })?;
                client.transact(&parts).map(drop)
            }
            Op::PutMany { entity, items } => client.put_many(of(entity)?, items).map(drop),
            Op::DeleteMany { entity, keys } => client.delete_many(of(entity)?, keys).map(drop),
            Op::Expire { entity, key } => expire(client.backend, model, of(entity)?, key),
        }
    }
}

impl Op {
    /// The write as one of a transaction; `None` where that takes no such write.
    fn as_part<'p>(&'p self, model: &'p Model) -> Option<Part<'p>> {
        let of = |at: &usize| model.entities.get(*at);
        Some(match self {
            Op::Create { entity, values } => Part::Create {
                entity: of(entity)?,
                values,
            },
            Op::Put { entity, values } => Part::Put {
                entity: of(entity)?,
                values,
            },
            Op::Update {
                entity,
                changes,
                removed,
            } => Part::Update {
                entity: of(entity)?,
                changes,
                removed,
            },
            Op::Delete { entity, key } => Part::Delete {
                entity: of(entity)?,
                key,
            },
            Op::Named { write, arguments } => Part::Run {
                write: model.writes.get(*write)?,
                arguments,
            },
            Op::Transact { .. }
            | Op::PutMany { .. }
            | Op::DeleteMany { .. }
            | Op::Expire { .. } => return None,
        })
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
        expect::items(model, entity, row).map_err(|error| ClientError::not_found(error.0))?;
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
