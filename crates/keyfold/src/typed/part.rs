//! Writes as parts of a transaction: nothing is sent before `transact` takes them.

use super::members::{Entity, Members, ToMembers};
use super::value::Given;
use crate::database::Verb;
use crate::transaction::One;
use std::marker::PhantomData;

/// A write as a part of a transaction of the model `M`.
#[must_use = "a part happens when `transact` carries it out"]
pub struct Part<M> {
    write: One,
    of: PhantomData<fn() -> M>,
}

impl<M> Part<M> {
    fn new(write: One) -> Part<M> {
        Part {
            write,
            of: PhantomData,
        }
    }

    /// A named write with its arguments.
    pub fn named(name: &str, arguments: Members) -> Part<M> {
        let given = arguments.into_parts().map(|(given, _)| given);
        Part::new(One::Run(name.to_owned(), given))
    }

    pub(super) fn into_write(self) -> One {
        self.write
    }
}

/// Makes the arguments of a named write.
#[derive(Debug, Default)]
pub struct Arguments {
    members: Members,
}

impl Arguments {
    /// No argument yet.
    pub fn new() -> Arguments {
        Arguments::default()
    }

    /// Gives an argument.
    pub fn give<T: Given + ?Sized>(&mut self, name: &str, held: &T) {
        self.members.give(name, held);
    }

    /// Gives all arguments of a struct.
    pub fn give_all(&mut self, arguments: &impl ToMembers) {
        arguments.give_to(&mut self.members);
    }

    /// The write of a name with these arguments.
    pub fn part<M>(self, name: &str) -> Part<M> {
        Part::named(name, self.members)
    }
}

/// The writes of an entity as parts of a transaction.
pub struct Parts<E> {
    of: PhantomData<fn() -> E>,
}

impl<E: Entity> Parts<E> {
    pub(super) fn new() -> Parts<E> {
        Parts { of: PhantomData }
    }

    /// Creates one that must not exist. Defaults are filled in.
    pub fn create(self, new: &E::New) -> Part<E::Model> {
        of_entity::<E>(Verb::Create, new.to_members())
    }

    /// Writes a whole one, whether it exists or not.
    pub fn put(self, whole: &E::Put) -> Part<E::Model> {
        of_entity::<E>(Verb::Put, whole.to_members())
    }

    /// Changes one that exists: what the patch does not name stays as it is.
    pub fn update(self, key: &E::Key, patch: &E::Patch) -> Part<E::Model> {
        let mut members = key.to_members();
        patch.give_to(&mut members);
        of_entity::<E>(Verb::Change, members)
    }

    /// Deletes one that exists, with everything that follows from it.
    pub fn delete(self, key: &E::Key) -> Part<E::Model> {
        of_entity::<E>(Verb::Delete, key.to_members())
    }
}

fn of_entity<E: Entity>(verb: Verb, members: Members) -> Part<E::Model> {
    let (given, removed) = match members.into_parts() {
        Ok((given, removed)) => (Ok(given), removed),
        Err(error) => (Err(error), Vec::new()),
    };
    Part::new(One::OfEntity {
        verb,
        entity: E::NAME.to_owned(),
        given,
        removed,
    })
}

impl<M> Clone for Part<M> {
    fn clone(&self) -> Part<M> {
        Part::new(self.write.clone())
    }
}

impl<M> std::fmt::Debug for Part<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.write.fmt(f)
    }
}

impl<E> std::fmt::Debug for Parts<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}
