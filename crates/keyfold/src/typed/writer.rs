//! Writes of one entity, whether they block or are awaited.

use super::base::Base;
use super::made::{Kept, Made};
use super::members::{Answer, Entity, Members, Seen, ToMembers};
use super::part::Parts;
use crate::database::Verb;
use crate::error::Error;
use crate::given::Given;
use crate::written::{BatchWritten, Written};
use std::marker::PhantomData;

/// Writes an entity with all that follows from it.
pub struct Writer<E, D> {
    database: D,
    is_strong: bool,
    of: PhantomData<fn() -> E>,
}

impl<E, D> Writer<E, D> {
    pub(super) fn new(database: D, is_strong: bool) -> Writer<E, D> {
        Writer {
            database,
            is_strong,
            of: PhantomData,
        }
    }
}

impl<E: Entity, D: Base> Writer<E, D> {
    pub(super) async fn created(&self, new: &E::New) -> Result<Written<E::Made>, Error> {
        self.written(Verb::Create, new.to_members()).await
    }

    pub(super) async fn replaced(&self, whole: &E::Put) -> Result<Written<E::Made>, Error> {
        self.written(Verb::Put, whole.to_members()).await
    }

    pub(super) async fn updated(
        &self,
        key: &E::Key,
        patch: &E::Patch,
    ) -> Result<Written<E::Touched>, Error> {
        let mut members = key.to_members();
        patch.give_to(&mut members);
        self.written(Verb::Change, members).await
    }

    pub(super) async fn deleted(&self, key: &E::Key) -> Result<Written<()>, Error> {
        self.written(Verb::Delete, key.to_members()).await
    }

    /// The same writes as parts of a transaction: nothing is sent before `transact` takes them.
    pub fn part(&self) -> Parts<E> {
        Parts::new()
    }

    pub(super) async fn found<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k E::Key>,
    ) -> Result<Vec<Option<E>>, Error>
    where
        E: Answer,
        E::Key: 'k,
    {
        let keys = given(E::NAME, keys)?;
        let database = self.database.inner();
        let found = database.found_all(E::NAME, keys, self.is_strong).await?;
        let bound = database.bound();
        let seen = Seen::new(&bound.model, bound.on_unknown);
        let typed = found.into_iter().map(|item| match item {
            Some(item) => seen.answer(item),
            None => Ok(None),
        });
        typed.collect()
    }

    pub(super) async fn put_all<'k>(
        &self,
        items: impl IntoIterator<Item = &'k E::Put>,
    ) -> Result<BatchWritten<E::Made>, Error>
    where
        E::Put: 'k,
    {
        let items = given(E::NAME, items)?;
        let kept: Vec<Kept> = items.iter().map(Kept::of::<E::Made>).collect();
        let mut done = self.database.inner().put_each(E::NAME, items).await?;
        let each = kept.into_iter().zip(std::mem::take(&mut done.made));
        let made = each.map(|(kept, made)| kept.made(made));
        Ok(BatchWritten::typed(
            &done,
            made.collect::<Result<_, Error>>()?,
        ))
    }

    pub(super) async fn deleted_all<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k E::Key>,
    ) -> Result<BatchWritten<()>, Error>
    where
        E::Key: 'k,
    {
        let keys = given(E::NAME, keys)?;
        let made = vec![(); keys.len()];
        let done = self.database.inner().delete_each(E::NAME, keys).await?;
        Ok(BatchWritten::typed(&done, made))
    }

    async fn written<M: Made>(&self, verb: Verb, members: Members) -> Result<Written<M>, Error> {
        let parts = members.into_parts();
        let (given, removed) = parts.map_err(|error| error.owned(E::NAME))?;
        let kept = Kept::of::<M>(&given);
        let database = self.database.inner();
        kept.written(database.write(verb, E::NAME, given, &removed).await?)
    }
}

/// The values of each struct.
fn given<'k, T: ToMembers + 'k>(
    entity: &str,
    all: impl IntoIterator<Item = &'k T>,
) -> Result<Vec<Given>, Error> {
    let each = all.into_iter().enumerate();
    let given = each.map(|(at, one)| match one.to_members().into_parts() {
        Ok((given, _)) => Ok(given),
        Err(error) => Err(error.owned(entity).of_item(at)),
    });
    given.collect()
}

impl<E, D: Clone> Clone for Writer<E, D> {
    fn clone(&self) -> Writer<E, D> {
        Writer::new(self.database.clone(), self.is_strong)
    }
}

impl<E, D> std::fmt::Debug for Writer<E, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}
