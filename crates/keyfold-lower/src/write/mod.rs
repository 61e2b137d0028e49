//! Writes through the model: keys, index keys, copies, guards, parts and aggregates follow, in one
//! transaction where more than one item changes.
//!
//! A change of an existing entity is optimistic. It reads the entity, compares the items that
//! follow from its old and its new attributes, and requires in the transaction that the attributes
//! it rests on are still the same. When another writer was faster, the change starts over.
//!
//! - `single` makes the steps of the write of one entity, `transact` those of several writes at once;
//!   `meeting` combines two steps of one item, or refuses. `many` writes batches.
//! - `stored_entity` reads an entity, `entity` and `main_item` make the steps of its change, `moved`
//!   those of an item that moves, `left_behind` finds the index keys that go with it.
//! - `named` makes the steps of a named write, `inputs` the values that its actions take,
//!   `assignment` the new values of attributes, `conditions` judges or adds its conditions. `upsert`
//!   makes the steps of an entity that may not exist, `blind` the step that writes over one that is
//!   not read.
//! - `aggregate`, `maximum` and `contribution` make the steps of the aggregates that follow.
//! - `execute` sends the steps; a write starts over when they are stale. `invalid` says which change the
//!   service finds invalid.

mod aggregate;
mod assignment;
mod blind;
mod conditions;
mod context;
mod contribution;
mod entity;
mod execute;
mod inputs;
mod invalid;
mod lacking;
mod left_behind;
mod main_item;
mod many;
mod maximum;
mod meeting;
mod moved;
mod named;
mod refusal;
mod single;
mod step;
mod stored_entity;
mod transact;
mod upsert;
mod written;

use crate::arguments::Values;
use crate::complete::{complete, touch};
use crate::error::ClientError;
use crate::lowering::{Io, Lowering, Origin};
use crate::retry::TRIES;
use context::Context;
pub use contribution::Contribution;
use execute::sent;
use keyfold_model::{Entity, Model};
pub use many::{ManyWritten, delete_many, put_many};
pub use named::run;
use refusal::Refusal;
pub use refusal::check_entity;
use step::Draft;
pub use transact::{Part, transact, transact_at_once};
pub use written::{Made, OfPart, Transacted, Written};

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
    check_entity(model, entity)?;
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
    check_entity(model, entity)?;
    let context = Context { io, model };
    let mut made = Vec::new();
    let given = values;
    let values = complete(io, entity, given, &mut made);
    for tried in 0..TRIES {
        let mut draft = Draft::default();
        single::put(&context, entity, (given, &values), &mut draft).await?;
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
    check_entity(model, entity)?;
    single::check_removable(entity, changes, removed)?;
    let context = Context { io, model };
    let mut made = Vec::new();
    let changes = &touch(io, entity, changes, &mut made);
    for tried in 0..TRIES {
        let mut draft = Draft::default();
        single::update(&context, entity, (changes, removed, false), &mut draft).await?;
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
    check_entity(model, entity)?;
    let context = Context { io, model };
    for tried in 0..TRIES {
        let mut draft = Draft::default();
        single::delete(&context, entity, key, &mut draft).await?;
        if let Some(written) = sent(&context, draft, tried).await? {
            return Ok(written);
        }
    }
    Err(overtaken(entity))
}

fn overtaken(entity: &Entity) -> ClientError {
    ClientError::Overtaken(format!(
        "{} was changed by others {TRIES} times in a row; try again",
        entity.name
    ))
}
