//! The part that all generated clients share, with calls that block.

use super::cursor::Cursors;
use super::members::{Answer, Entity, Members, ToMembers, Together, answer};
use super::query::Query;
use super::question::Question;
use super::value::Given;
use crate::asked::{Asked, Extent, Named, first};
use crate::database::{Database, Verb};
use crate::error::Error;
use crate::open::Keyfold;
use crate::written::Written;
use keyfold_model::Sources;
use std::marker::PhantomData;
use std::time::Duration;

/// A model on a database: the inside of a generated client. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Client {
    database: Database,
    cursors: Cursors,
}

impl Client {
    /// Compiles the texts of a model and makes its tables, or finds that they are as it says. `hash`
    /// is that of the model's plan document, to which cursors belong.
    ///
    /// # Errors
    /// As [`Keyfold::model_of`].
    pub fn new(
        keyfold: &Keyfold,
        texts: &[(&str, &str)],
        hash: &'static str,
    ) -> Result<Client, Error> {
        Ok(Client {
            database: keyfold.model_of(&Sources::of_texts(texts))?,
            cursors: Cursors::new(hash),
        })
    }

    /// The model on its tables, for calls by name.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The same client, whose cursors end with a seal of the secret.
    pub fn with_cursor_secret(&self, secret: &[u8]) -> Client {
        Client {
            cursors: self.cursors.clone().sealed(secret),
            ..self.clone()
        }
    }

    /// The same client, each of whose calls takes at most a time: see [`Database::within`].
    pub fn within(&self, time: Duration) -> Client {
        Client {
            database: self.database.within(time),
            ..self.clone()
        }
    }

    /// The writes of an entity.
    pub fn writer<E: Entity>(&self) -> Writer<E> {
        Writer {
            database: self.database.clone(),
            of: PhantomData,
        }
    }
}

/// A call under construction.
#[derive(Debug)]
#[must_use = "a call is carried out by its last method"]
pub struct Call<'c> {
    client: &'c Client,
    name: &'static str,
    members: Members,
}

impl<'c> Call<'c> {
    /// A call of a pattern or a named write.
    pub fn new(client: &'c Client, name: &'static str) -> Call<'c> {
        Call {
            client,
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

    fn question(self) -> (&'c Client, Question) {
        let given = self.members.into_parts().map(|(given, _)| given);
        let asked = Asked::with(self.name, given);
        (
            self.client,
            Question::new(asked, self.client.cursors.clone()),
        )
    }

    /// The answer of a pattern of any number of items.
    pub fn query<T: Answer, O>(self) -> Query<'c, T, O> {
        let (client, question) = self.question();
        Query::new(client.database.bound(), question)
    }

    /// The item of a pattern, if there is one.
    ///
    /// # Errors
    /// `Invalid` when an argument is wrong; `Service`.
    pub fn one<T: Answer>(self) -> Result<Option<T>, Error> {
        let (client, question) = self.question();
        let found = first(question.asked, client.database.bound())?;
        found.map(answer).transpose()
    }

    /// The item of a pattern that promises one.
    ///
    /// # Errors
    /// As [`Call::one`]; `NotFound`.
    pub fn required<T: Answer>(self) -> Result<T, Error> {
        let (client, question) = self.question();
        let found = first(question.asked.clone(), client.database.bound())?;
        question.required(found)
    }

    /// The items of a pattern that names each of them.
    ///
    /// # Errors
    /// As [`Call::one`]; `NotFound` when one that must be there is not.
    pub fn together<T: Together>(self) -> Result<T, Error> {
        let (client, question) = self.question();
        let page = question.asked.read(client.database.bound(), Extent::Page)?;
        T::of_named(Question::named(page))
    }

    /// Carries out the named write.
    ///
    /// # Errors
    /// `Refused` with the action and the condition that did not hold; `Taken`; `NotFound`; `Invalid`.
    pub fn send(self) -> Result<Written, Error> {
        let given = self.members.into_parts().map(|(given, _)| given);
        Named::with(self.name, given).write(self.client.database.bound())
    }
}

/// Writes an entity with all that follows from it.
pub struct Writer<E> {
    database: Database,
    of: PhantomData<fn() -> E>,
}

impl<E: Entity> Writer<E> {
    /// Creates one that must not exist. Defaults are filled in.
    ///
    /// # Errors
    /// As [`Database::create`].
    pub fn create(&self, new: &E::New) -> Result<Written, Error> {
        self.write(Verb::Create, new.to_members())
    }

    /// Writes a whole one, whether it exists or not.
    ///
    /// # Errors
    /// As [`Database::put`].
    pub fn put(&self, whole: &E::Put) -> Result<Written, Error> {
        self.write(Verb::Put, whole.to_members())
    }

    /// Changes one that exists: what the patch does not name stays as it is.
    ///
    /// # Errors
    /// As [`Database::update`].
    pub fn update(&self, key: &E::Key, patch: &E::Patch) -> Result<Written, Error> {
        let mut members = key.to_members();
        patch.give_to(&mut members);
        self.write(Verb::Change, members)
    }

    /// Deletes one that exists, with everything that follows from it.
    ///
    /// # Errors
    /// As [`Database::delete`].
    pub fn delete(&self, key: &E::Key) -> Result<Written, Error> {
        self.write(Verb::Delete, key.to_members())
    }

    fn write(&self, verb: Verb, members: Members) -> Result<Written, Error> {
        let (given, removed) = members.into_parts()?;
        self.database.write(verb, E::NAME, given, &removed)
    }
}

impl<E> Clone for Writer<E> {
    fn clone(&self) -> Writer<E> {
        Writer {
            database: self.database.clone(),
            of: PhantomData,
        }
    }
}

impl<E> std::fmt::Debug for Writer<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}
