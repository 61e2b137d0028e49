//! Writes through the model: keys, index keys, copies, guards, parts and aggregates follow, in one
//! transaction where more than one item changes.
//!
//! A change of an existing item is optimistic: the item is read, what follows from its old and its
//! new attributes is compared, and the transaction requires that the attributes it rests on are
//! still the same. If another writer was faster, it is tried again.

mod aggregate;
mod entity;
mod execute;
mod named;
mod step;

use crate::arguments::Values;
use crate::backend::Backend;
pub use crate::complete::Made;
use crate::complete::complete;
use crate::error::ClientError;
use crate::retry::{TRIES, back_off};
use entity::{Given, Stored};
use execute::{Outcome, execute};
use keyfold_api::{ReturnConsumedCapacity, Returns};
use keyfold_model::{Entity, Model, value};
use keyfold_types::CapacityHalves;
pub use named::run;
use step::{Draft, Refusal};

/// The report of a write.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The operation: PutItem, UpdateItem, DeleteItem or TransactWriteItems.
    pub operation: &'static str,
    /// The change of each item: `put Order`, `delete the guard of email`.
    pub changes: Vec<String>,
    /// The capacity consumed.
    pub capacity: CapacityHalves,
    /// Attributes that were not given and have the moment or a new identifier.
    pub made: Vec<Made>,
}

impl Written {
    /// Nothing had to be written.
    fn nothing() -> Written {
        Written {
            operation: "GetItem",
            changes: Vec::new(),
            capacity: CapacityHalves::ZERO,
            made: Vec::new(),
        }
    }

    fn with(self, made: Vec<Made>) -> Written {
        Written { made, ..self }
    }
}

/// The backend and model of a write.
struct Context<'c> {
    backend: &'c Backend,
    model: &'c Model,
}

fn returns() -> Returns {
    Returns {
        consumed_capacity: Some(ReturnConsumedCapacity::Total.into()),
        item_collection_metrics: None,
    }
}

/// Creates an entity that must not exist. Defaults are filled in.
///
/// # Errors
/// `Refused` when it exists, a unique value is taken, or what it belongs to does not exist.
pub fn create(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    values: &Values,
) -> Result<Written, ClientError> {
    let context = Context { backend, model };
    let mut made = Vec::new();
    let values = complete(entity, values, &mut made);
    let written = retried(&context, entity, |draft| {
        entity::create(
            &context,
            entity,
            &values,
            entity::exists(entity, &values),
            draft,
        )
    })?;
    Ok(written.with(made))
}

/// Writes a whole entity, whether it exists or not. Defaults are filled in; what the model keeps
/// stays.
///
/// # Errors
/// `Refused` when a unique value is taken, or what it belongs to does not exist.
pub fn put(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    values: &Values,
) -> Result<Written, ClientError> {
    let context = Context { backend, model };
    let mut made = Vec::new();
    let values = complete(entity, values, &mut made);
    let written = retried(&context, entity, |draft| {
        match entity::read(&context, entity, &values)? {
            None => entity::create(&context, entity, &values, Refusal::Stale, draft),
            Some(old) => {
                let new = keep_kept(entity, &old, values.clone());
                entity::replace(&context, entity, &old, &new, Given::Whole, &[], draft)
            }
        }
    })?;
    Ok(written.with(made))
}

/// Kept attributes stay as they are stored.
fn keep_kept(entity: &Entity, old: &Stored, mut new: Values) -> Values {
    for attribute in entity
        .attributes
        .iter()
        .filter(|attribute| attribute.is_kept)
    {
        match old.values.get(&attribute.name) {
            Some(value) => new.insert(attribute.name.clone(), value.clone()),
            None => new.remove(&attribute.name),
        };
    }
    new
}

/// Changes some attributes of an entity that exists; `removed` are taken away. A given version must
/// be the item's.
///
/// # Errors
/// `NotFound` when it does not exist; `Refused` when a unique value is taken, a key attribute would
/// change, or its version is another.
pub fn update(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    changes: &Values,
    removed: &[String],
) -> Result<Written, ClientError> {
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
                return Err(ClientError::Refused(format!(
                    "{name} is required and cannot be removed"
                )));
            }
            Some(_) => {}
        }
    }
    let context = Context { backend, model };
    let given: Vec<&str> = changes.keys().chain(removed).map(String::as_str).collect();
    retried(&context, entity, |draft| {
        let Some(old) = entity::read(&context, entity, changes)? else {
            return Err(not_found(entity, changes));
        };
        check_version(entity, &old, changes)?;
        let mut new = old.values.clone();
        new.extend(changes.clone());
        for name in removed {
            new.remove(name);
        }
        entity::replace(
            &context,
            entity,
            &old,
            &new,
            Given::Some(&given),
            &[],
            draft,
        )
    })
}

/// Deletes an entity that exists, with everything that follows from it. A given version must be the
/// item's.
///
/// # Errors
/// `NotFound` when it does not exist; `Refused` when its version is another.
pub fn delete(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    key: &Values,
) -> Result<Written, ClientError> {
    let context = Context { backend, model };
    retried(&context, entity, |draft| {
        let Some(old) = entity::read(&context, entity, key)? else {
            return Err(not_found(entity, key));
        };
        check_version(entity, &old, key)?;
        let watched: Vec<&str> = entity.version.iter().map(String::as_str).collect();
        entity::delete(&context, entity, &old, &watched, draft)
    })
}

fn check_version(entity: &Entity, old: &Stored, given: &Values) -> Result<(), ClientError> {
    let Some(version) = &entity.version else {
        return Ok(());
    };
    match (given.get(version), old.values.get(version)) {
        (Some(given), held) if Some(given) != held => Err(ClientError::StaleVersion(format!(
            "the {} with {} has been changed: its {version} is {}, and {} was expected; read it again",
            entity.name,
            key_text(entity, &old.values),
            held.map_or_else(|| "missing".to_owned(), value::display),
            value::display(given)
        ))),
        _ => Ok(()),
    }
}

/// An entity's key for people.
fn key_text(entity: &Entity, values: &Values) -> String {
    let show = |field: &str| {
        values
            .get(field)
            .map(|held| format!("{field} = {}", value::display(held)))
    };
    let mut fields: Vec<&str> = Vec::new();
    for field in entity.key.fields() {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
        .into_iter()
        .filter_map(show)
        .collect::<Vec<_>>()
        .join(", ")
}

fn not_found(entity: &Entity, values: &Values) -> ClientError {
    ClientError::NotFound(format!(
        "there is no {} with {}",
        entity.name,
        key_text(entity, values)
    ))
}

fn retried(
    context: &Context<'_>,
    entity: &Entity,
    mut attempt: impl FnMut(&mut Draft) -> Result<(), ClientError>,
) -> Result<Written, ClientError> {
    for tried in 0..TRIES {
        let mut draft = Draft::default();
        attempt(&mut draft)?;
        let steps = aggregate::followed(context, draft)?;
        if steps.is_empty() {
            return Ok(Written::nothing());
        }
        match execute(context, steps)? {
            Outcome::Done(written) => return Ok(written),
            Outcome::Stale => back_off(tried),
        }
    }
    Err(ClientError::Refused(format!(
        "{} was changed by others {TRIES} times in a row; try again",
        entity.name
    )))
}
