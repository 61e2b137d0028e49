//! The steps of the write of one entity: it is read, the given version compared, its items follow.

use super::context::Context;
use super::entity::{self, Replacement};
use super::main_item::Given;
use super::refusal::{key_text, not_found, not_found_text, of_entity};
use super::step::Draft;
use super::stored_entity::{StoredEntity, read};
use crate::arguments::Values;
use crate::derive::identifying_place;
use crate::error::ClientError;
use crate::lookup::Names;
use keyfold_model::{Entity, value};
use keyfold_types::Value;

/// Adds the steps that write a whole entity, whether it exists or not. `values` are those given, with
/// their defaults.
pub(super) async fn put(
    context: &Context<'_>,
    entity: &Entity,
    (given, values): (&Values, &Values),
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let old = read(context, entity, values).await?;
    let checked = match &old {
        Some(old) => check_version(entity, old, given),
        None => check_absent(entity, given),
    };
    checked.map_err(|error| located(context, ("put", entity), values, error))?;
    entity::put_over(context, (entity, values), old.as_ref(), &[], draft)
}

/// Adds the steps that change an entity which exists. `is_part`: other writes may happen together
/// with it.
pub(super) async fn update(
    context: &Context<'_>,
    entity: &Entity,
    (changes, removed, is_part): (&Values, &[String], bool),
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let old = existing(context, ("update", entity), changes).await?;
    let given: Names<'_> = changes.keys().chain(removed).map(String::as_str).collect();
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
        is_part,
    };
    entity::replace(context, &replacement, draft)
}

/// Adds the steps that delete an entity which exists.
pub(super) async fn delete(
    context: &Context<'_>,
    entity: &Entity,
    key: &Values,
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let old = existing(context, ("delete", entity), key).await?;
    let watched: Vec<&str> = entity.version.iter().map(String::as_str).collect();
    entity::delete(context, entity, &old, &watched, draft)
}

/// Reads an entity that must exist, and compares the given version.
async fn existing(
    context: &Context<'_>,
    (verb, entity): (&str, &Entity),
    given: &Values,
) -> Result<StoredEntity, ClientError> {
    let Some(old) = read(context, entity, given).await? else {
        let error = not_found(entity, given);
        return Err(located(context, (verb, entity), given, error));
    };
    check_version(entity, &old, given)
        .map_err(|error| located(context, (verb, entity), given, error))?;
    Ok(old)
}

/// The error with the action and the item.
fn located(
    context: &Context<'_>,
    (verb, entity): (&str, &Entity),
    values: &Values,
    error: ClientError,
) -> ClientError {
    match identifying_place(context.model, entity, values) {
        Ok((table, key)) => error.at_item(&format!("{verb} {}", entity.name), &table, &key),
        Err(_) => error,
    }
}

/// Refuses to remove attributes that the entity does not have, requires, or is given.
pub(super) fn check_removable(
    entity: &Entity,
    changes: &Values,
    removed: &[String],
) -> Result<(), ClientError> {
    for name in removed {
        let message = match entity.attribute(name) {
            None => format!("{} has no `{name}`", entity.name),
            Some(_) if changes.contains_key(name) => format!("`{name}` is both set and removed"),
            Some(attribute) if !attribute.optional || attribute.is_kept => {
                format!("{name} is required and cannot be removed")
            }
            Some(_) => continue,
        };
        let name = name.clone();
        return Err(ClientError::Named { name, message });
    }
    Ok(())
}

/// Refuses a given version that is not the stored one.
fn check_version(entity: &Entity, old: &StoredEntity, given: &Values) -> Result<(), ClientError> {
    let Some(version) = &entity.version else {
        return Ok(());
    };
    match (given.get(version), old.values.get(version)) {
        (Some(given), held) if Some(given) != held => {
            let message = format!(
                "the {} with {} has been changed: its {version} is {}, and {} was expected; read it again",
                entity.name,
                key_text(entity, &old.values),
                held.map_or_else(|| "missing".to_owned(), value::shown),
                value::shown(given)
            );
            Err(ClientError::StaleVersion(of_entity(
                entity,
                &old.values,
                message,
            )))
        }
        (Some(_) | None, _) => Ok(()),
    }
}

/// Refuses a given version, other than 0, of an entity that does not exist.
fn check_absent(entity: &Entity, given: &Values) -> Result<(), ClientError> {
    let version = entity.version.as_ref().and_then(|name| given.get(name));
    match version {
        Some(version) if *version != Value::from(0) => {
            let message = format!(
                "{}, and its version {} was expected: it has been deleted",
                not_found_text(entity, given),
                value::shown(version)
            );
            Err(ClientError::StaleVersion(of_entity(entity, given, message)))
        }
        Some(_) | None => Ok(()),
    }
}
