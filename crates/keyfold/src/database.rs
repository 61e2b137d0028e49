//! A model on a database: entities are written, named writes run, patterns asked.

use crate::asked::{Bound, Named};
use crate::error::Error;
use crate::given::{self, unknown};
use crate::query::Query;
use crate::written::Written;
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
    bound: Bound,
}

impl Database {
    pub(crate) fn new(backend: Arc<Backend>, model: Model) -> Database {
        let model = Arc::new(model);
        Database {
            bound: Bound { backend, model },
        }
    }

    pub(crate) fn bound(&self) -> &Bound {
        &self.bound
    }

    /// The names of the model's patterns.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.bound
            .model
            .patterns
            .iter()
            .map(|pattern| pattern.name.as_str())
    }

    /// Writes a whole entity, whether it exists or not. Defaults are filled in.
    ///
    /// # Errors
    /// `Invalid` when an attribute is wrong, missing or unknown; `Taken` when a unique value is
    /// another item's; `NotFound` when the parent that counts it does not exist.
    pub fn put(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        let entity = self.entity(entity)?;
        let values = arguments::of_entity(entity, &of_entity(entity, values)?)?;
        Ok(Written::of(write::put(
            &self.bound.backend,
            &self.bound.model,
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
        let values = arguments::of_entity(entity, &of_entity(entity, values)?)?;
        Ok(Written::of(write::create(
            &self.bound.backend,
            &self.bound.model,
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

    /// As [`Database::update`], and removes these optional attributes.
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
        let values = arguments::some_of_entity(entity, &of_entity(entity, values)?)?;
        let removed: Vec<String> = removed.iter().map(|name| (*name).to_owned()).collect();
        Ok(Written::of(write::update(
            &self.bound.backend,
            &self.bound.model,
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
        let key = arguments::some_of_entity(entity, &of_entity(entity, key)?)?;
        Ok(Written::of(write::delete(
            &self.bound.backend,
            &self.bound.model,
            entity,
            &key,
        )?))
    }

    /// A pattern, to be given its arguments.
    pub fn query(&self, pattern: &str) -> Query<'_> {
        Query::new(&self.bound, pattern)
    }

    /// A named write, to be given its arguments: its actions happen together or not at all.
    pub fn run(&self, name: &str) -> Run<'_> {
        Run {
            bound: &self.bound,
            named: Named::new(name),
        }
    }

    fn entity(&self, name: &str) -> Result<&Entity, Error> {
        let known = self
            .bound
            .model
            .entities
            .iter()
            .map(|entity| entity.name.as_str());
        self.bound
            .model
            .entity(name)
            .ok_or_else(|| unknown(&self.bound.model.name, "entity", name, known))
    }
}

/// The attributes of an entity as the client reads them.
fn of_entity(entity: &Entity, values: impl Serialize) -> Result<BTreeMap<String, String>, Error> {
    given::texts(given::object(values)?, |name| {
        entity.attribute(name).map(|attribute| &attribute.kind)
    })
}

/// A named write and the arguments given so far.
#[must_use = "a write happens when it is sent"]
pub struct Run<'d> {
    bound: &'d Bound,
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
        self.named.write(self.bound)
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").finish_non_exhaustive()
    }
}
