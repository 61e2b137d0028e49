//! Writes of one entity, whether they block or are awaited.

use super::base::Base;
use super::members::{Entity, Members, ToMembers};
use crate::database::Verb;
use crate::error::Error;
use crate::written::Written;
use std::marker::PhantomData;

/// Writes an entity with all that follows from it.
pub struct Writer<E, D> {
    database: D,
    of: PhantomData<fn() -> E>,
}

impl<E, D> Writer<E, D> {
    pub(super) fn new(database: D) -> Writer<E, D> {
        Writer {
            database,
            of: PhantomData,
        }
    }
}

impl<E: Entity, D: Base> Writer<E, D> {
    pub(super) async fn created(&self, new: &E::New) -> Result<Written, Error> {
        self.written(Verb::Create, new.to_members()).await
    }

    pub(super) async fn replaced(&self, whole: &E::Put) -> Result<Written, Error> {
        self.written(Verb::Put, whole.to_members()).await
    }

    pub(super) async fn updated(&self, key: &E::Key, patch: &E::Patch) -> Result<Written, Error> {
        let mut members = key.to_members();
        patch.give_to(&mut members);
        self.written(Verb::Change, members).await
    }

    pub(super) async fn deleted(&self, key: &E::Key) -> Result<Written, Error> {
        self.written(Verb::Delete, key.to_members()).await
    }

    async fn written(&self, verb: Verb, members: Members) -> Result<Written, Error> {
        let (given, removed) = members.into_parts()?;
        let database = self.database.inner();
        database.write(verb, E::NAME, given, &removed).await
    }
}

impl<E, D: Clone> Clone for Writer<E, D> {
    fn clone(&self) -> Writer<E, D> {
        Writer::new(self.database.clone())
    }
}

impl<E, D> std::fmt::Debug for Writer<E, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}
