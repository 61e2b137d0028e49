//! Writes through the model: keys, index keys, copies, guards, parts and aggregates follow, in one
//! transaction where more than one item changes.
//!
//! A change of an existing entity is optimistic. It reads the entity, compares the items that
//! follow from its old and its new attributes, and requires in the transaction that the attributes
//! it rests on are still the same. When another writer was faster, the change starts over.
//!
//! - `stored_entity` reads an entity, `entity` and `main_item` make the steps of its change, `moved`
//!   those of an item that moves.
//! - `named` makes the steps of a named write, `inputs` the values that its actions take,
//!   `assignment` the new values of attributes, `conditions` judges or adds its conditions. `upsert`
//!   makes the steps of an entity that may not exist, `blind` the step that writes over one that is
//!   not read.
//! - `aggregate`, `maximum` and `contribution` make the steps of the aggregates that follow.
//! - `execute` sends the steps; a write starts over when they are stale.

mod aggregate;
mod assignment;
mod blind;
mod conditions;
mod context;
mod contribution;
mod entity;
mod execute;
mod inputs;
mod lacking;
mod main_item;
mod maximum;
mod moved;
mod named;
mod refusal;
mod step;
mod stored_entity;
mod upsert;
mod written;

use crate::arguments::Values;
use crate::complete::{complete, touch};
use crate::error::ClientError;
use crate::lowering::{Io, Lowering, Origin};
use crate::retry::TRIES;
use context::Context;
pub use contribution::Contribution;
use entity::Replacement;
use execute::sent;
use keyfold_model::{Entity, Model, value};
use keyfold_types::Value;
use main_item::Given;
pub use named::run;
use refusal::{Refusal, key_text, not_found, not_found_text};
use step::Draft;
use stored_entity::{StoredEntity, read};
pub use written::{Made, Written};

/// Creates an entity that must not exist. Defaults are filled in.
///
/// # Errors
/// The result has: `Refused` when it exists, `Taken` when a unique value belongs to another item, `NotFound` when
/// its parent does not exist.
pub fn create<'l>(
    origin: Origin,
    model: &'l Model,
    entity: &'l Entity,
    values: &'l Values,
) -> Lowering<'l, Written> {
    Lowering::new(origin, move |io| async move {
        create_entity(&io, model, entity, values).await
    })
}

async fn create_entity(
    io: &Io,
    model: &Model,
    entity: &Entity,
    values: &Values,
) -> Result<Written, ClientError> {
    let context = Context { io, model };
    let mut made = Vec::new();
    let values = complete(io, entity, values, &mut made);
    for tried in 0..TRIES {
        let mut draft = Draft::default();
        let exists = Refusal::exists(entity, &values);
        entity::create(&context, entity, &values, exists, &mut draft)?;
        if let Some(written) = sent(&context, draft, tried).await? {
            return Ok(written.with(made));
        }
    }
    Err(overtaken(entity))
}

/// Writes a whole entity, whether it exists or not. Defaults are filled in; attributes that the
/// model keeps stay as they are. A version among the values must be the stored one, and 0 where
/// there is no such entity yet.
///
/// # Errors
/// The result has: `Taken` when a unique value belongs to another item, `NotFound` when its parent does not exist,
/// `StaleVersion` when the stored version is another.
pub fn put<'l>(
    origin: Origin,
    model: &'l Model,
    entity: &'l Entity,
    values: &'l Values,
) -> Lowering<'l, Written> {
    Lowering::new(origin, move |io| async move {
        put_entity(&io, model, entity, values).await
    })
}

async fn put_entity(
    io: &Io,
    model: &Model,
    entity: &Entity,
    values: &Values,
) -> Result<Written, ClientError> {
    let context = Context { io, model };
    let mut made = Vec::new();
    let given = values;
    let values = complete(io, entity, given, &mut made);
    for tried in 0..TRIES {
        let mut draft = Draft::default();
        let old = read(&context, entity, &values).await?;
        match &old {
            Some(old) => check_version(entity, old, given)?,
            None => check_absent(entity, given)?,
        }
        entity::put_over(&context, (entity, &values), old.as_ref(), &[], &mut draft)?;
        if let Some(written) = sent(&context, draft, tried).await? {
            return Ok(written.with(made));
        }
    }
    Err(overtaken(entity))
}

/// Changes some attributes of an entity that exists, and removes those in `removed`. A version
/// among the changes must be the stored one.
///
/// # Errors
/// The result has: `NotFound` when the entity or its parent does not exist; `Invalid` when the key
/// of an entity without `id` would change; `Taken` when a unique value belongs to another item;
/// `StaleVersion` when the stored
/// version is another.
pub fn update<'l>(
    origin: Origin,
    model: &'l Model,
    entity: &'l Entity,
    changes: &'l Values,
    removed: &'l [String],
) -> Lowering<'l, Written> {
    Lowering::new(origin, move |io| async move {
        update_entity(&io, model, entity, changes, removed).await
    })
}

async fn update_entity(
    io: &Io,
    model: &Model,
    entity: &Entity,
    changes: &Values,
    removed: &[String],
) -> Result<Written, ClientError> {
    check_removable(entity, changes, removed)?;
    let context = Context { io, model };
    let mut made = Vec::new();
    let changes = &touch(io, entity, changes, &mut made);
    let given: Vec<&str> = changes.keys().chain(removed).map(String::as_str).collect();
    for tried in 0..TRIES {
        let mut draft = Draft::default();
        let Some(old) = read(&context, entity, changes).await? else {
            return Err(not_found(entity, changes));
        };
        check_version(entity, &old, changes)?;
        let mut new = old.values.clone();
        new.extend(changes.clone());
        for name in removed {
            new.remove(name);
        }
        let replacement = Replacement {
            entity,
            old: &old,
            new: &new,
            given: Given::Only(&given),
            watched: &[],
            is_part: false,
        };
        entity::replace(&context, &replacement, &mut draft)?;
        if let Some(written) = sent(&context, draft, tried).await? {
            return Ok(written.with(made));
        }
    }
    Err(overtaken(entity))
}

/// Deletes an entity that exists, with everything that follows from it. A version beside the key
/// must be the stored one.
///
/// # Errors
/// The result has: `NotFound` when it does not exist; `StaleVersion` when the stored version is another; `Refused`
/// when it still counts items.
pub fn delete<'l>(
    origin: Origin,
    model: &'l Model,
    entity: &'l Entity,
    key: &'l Values,
) -> Lowering<'l, Written> {
    Lowering::new(origin, move |io| async move {
        delete_entity(&io, model, entity, key).await
    })
}

async fn delete_entity(
    io: &Io,
    model: &Model,
    entity: &Entity,
    key: &Values,
) -> Result<Written, ClientError> {
    let context = Context { io, model };
    for tried in 0..TRIES {
        let mut draft = Draft::default();
        let Some(old) = read(&context, entity, key).await? else {
            return Err(not_found(entity, key));
        };
        check_version(entity, &old, key)?;
        let watched: Vec<&str> = entity.version.iter().map(String::as_str).collect();
        entity::delete(&context, entity, &old, &watched, &mut draft)?;
        if let Some(written) = sent(&context, draft, tried).await? {
            return Ok(written);
        }
    }
    Err(overtaken(entity))
}

/// Refuses to remove attributes that the entity does not have, requires, or is given.
fn check_removable(
    entity: &Entity,
    changes: &Values,
    removed: &[String],
) -> Result<(), ClientError> {
    for name in removed {
        match entity.attribute(name) {
            None => {
                return Err(ClientError::Unknown(format!(
                    "{} has no `{name}`",
                    entity.name
                )));
            }
            Some(_) if changes.contains_key(name) => {
                return Err(ClientError::Unknown(format!(
                    "`{name}` is both set and removed"
                )));
            }
            Some(attribute) if !attribute.optional || attribute.is_kept => {
                return Err(ClientError::Invalid(format!(
                    "{name} is required and cannot be removed"
                )));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Refuses a given version that is not the stored one.
fn check_version(entity: &Entity, old: &StoredEntity, given: &Values) -> Result<(), ClientError> {
    let Some(version) = &entity.version else {
        return Ok(());
    };
    match (given.get(version), old.values.get(version)) {
        (Some(given), held) if Some(given) != held => Err(ClientError::StaleVersion(format!(
            "the {} with {} has been changed: its {version} is {}, and {} was expected; read it again",
            entity.name,
            key_text(entity, &old.values),
            held.map_or_else(|| "missing".to_owned(), value::shown),
            value::shown(given)
        ))),
        (Some(_) | None, _) => Ok(()),
    }
}

/// Refuses a given version, other than 0, of an entity that does not exist.
fn check_absent(entity: &Entity, given: &Values) -> Result<(), ClientError> {
    let version = entity.version.as_ref().and_then(|name| given.get(name));
    match version {
        Some(version) if *version != Value::from(0) => Err(ClientError::StaleVersion(format!(
            "{}, and its version {} was expected: it has been deleted",
            not_found_text(entity, given),
            value::shown(version)
        ))),
        Some(_) | None => Ok(()),
    }
}

fn overtaken(entity: &Entity) -> ClientError {
    ClientError::Refused(format!(
        "{} was changed by others {TRIES} times in a row; try again",
        entity.name
    ))
}
