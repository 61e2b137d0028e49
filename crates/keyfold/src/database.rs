//! A model on a database: entities are written, named writes run, patterns asked.

use crate::asked::{Asked, Extent, Named};
use crate::error::Error;
use crate::given::{self, unknown};
use crate::query::{Page, Query};
use keyfold_client::{Backend, arguments, write};
use keyfold_model::{Entity, Model};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A model and the tables that it is used on.
///
/// Everything that follows from a write (index keys, copies, guards of unique values, aggregates)
/// is part of it: one item changes by one operation, several in one transaction. Cloning shares it.
#[derive(Clone)]
pub struct Database {
    backend: Arc<Backend>,
    model: Arc<Model>,
}

/// What a write did.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Written {
    /// The operation: PutItem, UpdateItem, DeleteItem, TransactWriteItems; GetItem when nothing had
    /// to be written.
    pub operation: String,
    /// What happened to each item, for people: `put Order`, `delete the guard of email`.
    pub changes: Vec<String>,
    /// Capacity units.
    pub units: f64,
    /// Values that were not given, by attribute: identifiers of `= new`, times of `= now`.
    pub made: BTreeMap<String, String>,
}

impl Written {
    fn of(written: write::Written) -> Written {
        let made = written.made.iter().map(|one| {
            (
                one.attribute.clone(),
                keyfold_model::value::display(&one.value),
            )
        });
        Written {
            operation: written.operation.to_owned(),
            made: made.collect(),
            units: written.capacity.units(),
            changes: written.changes,
        }
    }
}

impl Database {
    pub(crate) fn new(backend: Arc<Backend>, model: Model) -> Database {
        Database {
            backend,
            model: Arc::new(model),
        }
    }

    /// The names of the model's patterns.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.model
            .patterns
            .iter()
            .map(|pattern| pattern.name.as_str())
    }

    /// Writes a whole entity, whether it exists or not. Defaults are filled in.
    ///
    /// # Errors
    /// `Invalid` when an attribute is wrong, missing or unknown; `Taken` when a unique value is
    /// another item's; `NotFound` when what counts it does not exist.
    pub fn put(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        let entity = self.entity(entity)?;
        let values = arguments::of_entity(entity, &given::object(values)?)?;
        Ok(Written::of(write::put(
            &self.backend,
            &self.model,
            entity,
            &values,
        )?))
    }

    /// Writes a whole entity that must not exist.
    ///
    /// # Errors
    /// As [`Database::put`]; `Refused` when it exists.
    pub fn create(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        let entity = self.entity(entity)?;
        let values = arguments::of_entity(entity, &given::object(values)?)?;
        Ok(Written::of(write::create(
            &self.backend,
            &self.model,
            entity,
            &values,
        )?))
    }

    /// Changes some attributes of an entity that exists: those given beside its key. A version that
    /// is given must be the item's.
    ///
    /// # Errors
    /// `NotFound` when it does not exist; `StaleVersion` when its version is another; `Taken`;
    /// `Invalid`.
    pub fn update(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        self.change(entity, values, &[])
    }

    /// The same; these optional attributes are taken away.
    ///
    /// # Errors
    /// As [`Database::update`].
    pub fn change(
        &self,
        entity: &str,
        values: impl Serialize,
        removed: &[&str],
    ) -> Result<Written, Error> {
        let entity = self.entity(entity)?;
        let values = arguments::some_of_entity(entity, &given::object(values)?)?;
        let removed: Vec<String> = removed.iter().map(|name| (*name).to_owned()).collect();
        Ok(Written::of(write::update(
            &self.backend,
            &self.model,
            entity,
            &values,
            &removed,
        )?))
    }

    /// Deletes an entity that exists, with everything that follows from it. A version that is given
    /// must be the item's.
    ///
    /// # Errors
    /// `NotFound` when it does not exist; `StaleVersion` when its version is another; `Refused`
    /// when items are counted in it.
    pub fn delete(&self, entity: &str, key: impl Serialize) -> Result<Written, Error> {
        let entity = self.entity(entity)?;
        let key = arguments::some_of_entity(entity, &given::object(key)?)?;
        Ok(Written::of(write::delete(
            &self.backend,
            &self.model,
            entity,
            &key,
        )?))
    }

    /// A pattern, to be given its arguments.
    pub fn query(&self, pattern: &str) -> Query<'_> {
        Query::new(self, pattern)
    }

    /// A named write, to be given its arguments: its actions happen together or not at all.
    pub fn run(&self, name: &str) -> Run<'_> {
        Run {
            database: self,
            named: Named::new(name),
        }
    }

    /// Reads an answer.
    pub(crate) fn ask(&self, asked: Asked, extent: Extent) -> Result<Page, Error> {
        asked.read(&self.backend, &self.model, extent)
    }

    /// Carries out a named write.
    pub(crate) fn carry_out(&self, named: Named) -> Result<Written, Error> {
        Ok(Written::of(named.write(&self.backend, &self.model)?))
    }

    fn entity(&self, name: &str) -> Result<&Entity, Error> {
        let known = self
            .model
            .entities
            .iter()
            .map(|entity| entity.name.as_str());
        self.model
            .entity(name)
            .ok_or_else(|| unknown(&self.model.name, "entity", name, known))
    }
}

/// A named write and the arguments given so far.
#[must_use = "a write happens when it is sent"]
pub struct Run<'d> {
    database: &'d Database,
    named: Named,
}

impl Run<'_> {
    /// Gives an argument.
    pub fn arg(mut self, name: &str, held: impl Serialize) -> Self {
        self.named = self.named.arg(name, held);
        self
    }

    /// Gives several.
    pub fn args(mut self, values: impl Serialize) -> Self {
        self.named = self.named.args(values);
        self
    }

    /// Carries the write out.
    ///
    /// # Errors
    /// `Refused` with the action and condition that did not hold; `Taken`; `NotFound`; `Invalid`.
    pub fn send(self) -> Result<Written, Error> {
        self.database.carry_out(self.named)
    }
}
