//! The part that all generated clients share. Each call is written once, as a future; `blocking` and
//! `awaited` end it.

use super::base::Base;
use super::consistency::{Consistency, Eventual, Strong};
use super::cursor::Cursors;
use super::event::Events;
use super::fakes::Fakes;
use super::made::{Kept, Made};
use super::members::{Answer, Members, ToMembers, Together};
use super::parted::{Parted, Reports, Writes};
use super::query::first_of;
use super::question::Question;
use super::value::Given;
use super::writer::Writer;
use crate::asked::{Asked, Bound, Extent, Named};
use crate::error::Error;
use crate::stream::Effects;
use crate::written::{Transacted, Written};
use keyfold_lower::OnUnknown;
use std::marker::PhantomData;
use std::time::Duration;

/// A model on a database: the inside of a generated client. Cloning shares it. `S` says how it reads.
#[derive(Clone, Debug)]
pub struct Client<D, S = Eventual> {
    database: D,
    cursors: Cursors,
    reads: PhantomData<fn() -> S>,
}

impl<D: Base> Client<D> {
    /// A model on its tables. `hash` is that of the model's plan document, to which cursors belong.
    pub(super) fn on(database: D, hash: &'static str) -> Client<D> {
        Client {
            database,
            cursors: Cursors::new(hash),
            reads: PhantomData,
        }
    }

    /// The same client, whose reads are strongly consistent, at twice the units: every write that was
    /// answered before is seen.
    pub fn strong(&self) -> Client<D, Strong> {
        Client {
            database: self.database.clone(),
            cursors: self.cursors.clone(),
            reads: PhantomData,
        }
    }
}

impl<D: Base, S: Consistency> Client<D, S> {
    /// The model on its tables, for calls by name.
    pub fn database(&self) -> &D {
        &self.database
    }

    /// The same client, whose cursors end with a seal of the secret.
    pub fn with_cursor_secret(&self, secret: &[u8]) -> Client<D, S> {
        Client {
            cursors: self.cursors.clone().sealed(secret),
            ..self.clone()
        }
    }

    /// The same client, each of whose calls takes at most a time: see [`crate::Database::within`].
    pub fn within(&self, time: Duration) -> Client<D, S> {
        Client {
            database: self.database.within(time),
            ..self.clone()
        }
    }

    /// The same client, whose reads and events treat an item that the model does not know so: see
    /// [`crate::Database::on_unknown`].
    pub fn on_unknown(&self, on_unknown: OnUnknown) -> Client<D, S> {
        Client {
            database: self.database.on_unknown(on_unknown),
            ..self.clone()
        }
    }

    /// Reads stream records as changes of the model's entities. `E` is the generated enum.
    pub fn events<E>(&self) -> Events<'_, E> {
        Events::new(self.database.inner().events())
    }

    /// The same with the changes of copies, which `E` has, too.
    pub fn events_with_copies<E>(&self) -> Events<'_, E> {
        Events::new(self.database.inner().events().with_copies())
    }

    /// Makes new entities for tests: the same seed makes the same ones.
    pub fn fakes(&self, seed: u64) -> Fakes {
        Fakes::new(self.database.inner().model(), seed)
    }

    /// Writes as the effects of stream records: they happen in one transaction with the position of the
    /// consumer. See [`crate::stream`].
    pub fn effects<M, P: Parted<M>>(&self, parts: P) -> Effects {
        let (transaction, _) = Writes::of(parts).into_transaction();
        self.database.inner().effects(transaction)
    }

    /// Carries several writes out in one transaction.
    pub(super) async fn transacted<M, P: Parted<M>>(
        &self,
        parts: P,
    ) -> Result<Transacted<P::Done>, Error> {
        let (transaction, kept) = Writes::of(parts).into_transaction();
        let done = self.database.inner().transacted(transaction).await?;
        Reports::of::<M, P>(done, kept)
    }

    /// The writes of an entity.
    pub fn writer<E>(&self) -> Writer<E, D> {
        Writer::new(self.database.clone(), S::IS_STRONG)
    }
}

/// A call under construction.
#[derive(Debug)]
#[must_use = "a call is carried out by its last method"]
pub struct Call<'c, D> {
    database: &'c D,
    cursors: &'c Cursors,
    is_strong: bool,
    name: &'static str,
    members: Members,
}

impl<'c, D: Base> Call<'c, D> {
    /// A call of a pattern or a named write.
    pub fn new<S: Consistency>(client: &'c Client<D, S>, name: &'static str) -> Call<'c, D> {
        Call {
            database: &client.database,
            cursors: &client.cursors,
            is_strong: S::IS_STRONG,
            name,
            members: Members::default(),
        }
    }

    /// Gives an argument.
    pub fn give<T: Given + ?Sized>(&mut self, name: &str, held: &T) {
        self.members.give(name, held);
    }

    /// Gives all arguments of a struct.
    pub fn give_all(&mut self, arguments: &impl ToMembers) {
        arguments.give_to(&mut self.members);
    }

    /// The tables, and the pattern with its arguments.
    pub(super) fn question(self) -> (&'c D, Question) {
        let given = self.members.into_parts().map(|(given, _)| given);
        let mut asked = Asked::with(self.name, given);
        if self.is_strong {
            asked = asked.strong();
        }
        let bound = self.database.inner().bound();
        let question = Question::new(asked, self.cursors.clone(), bound);
        (self.database, question)
    }

    fn bound(&self) -> &'c Bound {
        self.database.inner().bound()
    }

    pub(super) async fn found<T: Answer>(self) -> Result<Option<T>, Error> {
        let bound = self.bound();
        let (_, question) = self.question();
        first_of(question, bound).await
    }

    pub(super) async fn promised<T: Answer>(self) -> Result<T, Error> {
        let bound = self.bound();
        let (_, question) = self.question();
        let found = first_of(question.clone(), bound).await?;
        question.required(found)
    }

    pub(super) async fn named<T: Together>(self) -> Result<T, Error> {
        let bound = self.bound();
        let (_, question) = self.question();
        let page = question.asked.clone().read(bound, Extent::Page).await?;
        T::of_named(question.named(page))
    }

    pub(super) async fn written<M: Made>(self) -> Result<Written<M>, Error> {
        let bound = self.bound();
        let (given, _) = self.members.into_parts()?;
        let kept = Kept::of::<M>(&given);
        kept.written(Named::with(self.name, Ok(given)).write(bound).await?)
    }
}
