//! Writes through the model on a backend: the steps are those of [`keyfold_lower::write`].

use crate::backend::Backend;
use crate::drive::{drive, origin};
use crate::gathered::drive_gathered;
use keyfold_lower::ClientError;
use keyfold_lower::arguments::Values;
use keyfold_lower::write as lower;
pub use keyfold_lower::write::{
    Made, ManyWritten, OfPart, Part, Transacted, Written, check_entity,
};
use keyfold_model::{Entity, Model, Write};

/// Creates an entity that must not exist. Defaults are filled in.
///
/// # Errors
/// `Refused` when it exists, `Taken` when a unique value belongs to another item, `NotFound` when
/// its parent does not exist.
pub fn create(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    values: &Values,
) -> Result<Written, ClientError> {
    drive(backend, lower::create(origin(), model, entity, values))
}

/// Writes a whole entity, whether it exists or not. Defaults are filled in; attributes that the
/// model keeps stay as they are. A version among the values must be the stored one, and 0 where
/// there is no such entity yet.
///
/// # Errors
/// `Taken` when a unique value belongs to another item, `NotFound` when its parent does not exist,
/// `StaleVersion` when the stored version is another.
pub fn put(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    values: &Values,
) -> Result<Written, ClientError> {
    drive(backend, lower::put(origin(), model, entity, values))
}

/// Changes some attributes of an entity that exists, and removes those in `removed`. A version
/// among the changes must be the stored one.
///
/// # Errors
/// `NotFound` when the entity or its parent does not exist; `Refused` when a key attribute would
/// change; `Taken` when a unique value belongs to another item; `StaleVersion` when the stored
/// version is another.
pub fn update(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    changes: &Values,
    removed: &[String],
) -> Result<Written, ClientError> {
    drive(
        backend,
        lower::update(origin(), model, entity, changes, removed),
    )
}

/// Deletes an entity that exists, with everything that follows from it. A version beside the key
/// must be the stored one.
///
/// # Errors
/// `NotFound` when it does not exist; `StaleVersion` when the stored version is another; `Refused`
/// when it still counts items.
pub fn delete(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    key: &Values,
) -> Result<Written, ClientError> {
    drive(backend, lower::delete(origin(), model, entity, key))
}

/// Runs a named write: its actions together or not at all.
///
/// # Errors
/// `Refused` with the action and the condition that did not hold; `NotFound` when an entity or a
/// parent does not exist; `Taken` when a unique value belongs to another item; `Missing` when an
/// argument is.
pub fn run(
    backend: &Backend,
    model: &Model,
    write: &Write,
    arguments: &Values,
) -> Result<Written, ClientError> {
    drive(backend, lower::run(origin(), model, write, arguments))
}

/// Carries several writes out in one transaction, as if one happened after the other.
///
/// # Errors
/// Those of the single writes, with the number and the name of the write; `Refused` where two of them
/// meet in an item and their order would make a difference.
pub fn transact(
    backend: &Backend,
    model: &Model,
    parts: &[Part<'_>],
) -> Result<Transacted, ClientError> {
    drive(backend, lower::transact(origin(), model, parts))
}

/// As [`transact`], where unique values may change hands in any order, also in a circle. What the writes rest on
/// is read in as few requests as hold it: this is for those who write many entities at once.
///
/// # Errors
/// Those of [`transact`].
pub fn transact_at_once(
    backend: &Backend,
    model: &Model,
    parts: &[Part<'_>],
) -> Result<Transacted, ClientError> {
    drive_gathered(backend, lower::transact_at_once(origin(), model, parts))
}

/// Writes whole entities from which nothing follows, 25 in a request. Each is written as a whole; the
/// batch is not atomic.
///
/// # Errors
/// `Invalid` for an entity from which something follows; `Incomplete` with what was written, what was
/// not, and what is not known.
pub fn put_many(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    items: &[Values],
) -> Result<ManyWritten, ClientError> {
    drive(backend, lower::put_many(origin(), model, entity, items))
}

/// Deletes entities from which nothing follows, whether they exist or not.
///
/// # Errors
/// Those of [`put_many`].
pub fn delete_many(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    keys: &[Values],
) -> Result<ManyWritten, ClientError> {
    drive(backend, lower::delete_many(origin(), model, entity, keys))
}
