//! Writes as parts of a transaction: nothing is sent before `transact` takes them.

use super::made::{Kept, Made};
use super::members::{Entity, Members, ToMembers};
use super::value::Given;
use crate::database::Verb;
use crate::transaction::One;
use std::marker::PhantomData;

/// A write as a part of a transaction of the model `M`, which makes `T`.
#[must_use = "a part happens when `transact` carries it out"]
pub struct Part<M, T = ()> {
    write: One,
    kept: Kept,
    of: PhantomData<fn() -> (M, T)>,
}

impl<M, T: Made> Part<M, T> {
    /// A named write with its arguments.
    pub fn named(name: &str, arguments: Members) -> Part<M, T> {
        let given = arguments.into_parts().map(|(given, _)| given);
        Part {
            kept: given.as_ref().map(Kept::of::<T>).unwrap_or_default(),
            write: One::Run(name.to_owned(), given),
            of: PhantomData,
        }
    }

    /// A write of an entity.
    fn of_entity(verb: Verb, entity: &str, members: Members) -> Part<M, T> {
        let (given, removed) = match members.into_parts() {
            Ok((given, removed)) => (Ok(given), removed),
            Err(error) => (Err(error), Vec::new()),
        };
        Part {
            kept: given.as_ref().map(Kept::of::<T>).unwrap_or_default(),
            write: One::OfEntity {
                verb,
                entity: entity.to_owned(),
                given,
                removed,
            },
            of: PhantomData,
        }
    }
}

impl<M, T> Part<M, T> {
    /// The same part, whose report is without what it makes: different writes as one type, for a list
    /// of them.
    pub fn untyped(self) -> Part<M> {
        Part {
            write: self.write,
            kept: Kept::default(),
            of: PhantomData,
        }
    }

    pub(super) fn into_parts(self) -> (One, Kept) {
        (self.write, self.kept)
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
    pub fn part<M, T: Made>(self, name: &str) -> Part<M, T> {
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
    pub fn create(self, new: &E::New) -> Part<E::Model, E::Made> {
        Part::of_entity(Verb::Create, E::NAME, new.to_members())
    }

    /// Writes a whole one, whether it exists or not.
    pub fn put(self, whole: &E::Put) -> Part<E::Model, E::Made> {
        Part::of_entity(Verb::Put, E::NAME, whole.to_members())
    }

    /// Changes one that exists: what the patch does not name stays as it is.
    pub fn update(self, key: &E::Key, patch: &E::Patch) -> Part<E::Model, E::Touched> {
        let mut members = key.to_members();
        patch.give_to(&mut members);
        Part::of_entity(Verb::Change, E::NAME, members)
    }

    /// Deletes one that exists, with everything that follows from it.
    pub fn delete(self, key: &E::Key) -> Part<E::Model> {
        Part::of_entity(Verb::Delete, E::NAME, key.to_members())
    }
}

impl<M, T> Clone for Part<M, T> {
    fn clone(&self) -> Part<M, T> {
        Part {
            write: self.write.clone(),
            kept: self.kept.clone(),
            of: PhantomData,
        }
    }
}

impl<M, T> std::fmt::Debug for Part<M, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.write.fmt(f)
    }
}

impl<E> std::fmt::Debug for Parts<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}
