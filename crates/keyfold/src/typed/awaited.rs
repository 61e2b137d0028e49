//! The same for programs on an asynchronous runtime: calls with the names and answers of their
//! blocking siblings, awaited.

use super::cursor::Cursors;
use super::members::{Answer, Entity, Members, ToMembers, Together, answer};
use super::order::{Ordered, Unordered};
use super::question::Question;
use super::value::Given;
use crate::asked::{Asked, Extent, Named, first_awaited};
use crate::database::Verb;
use crate::error::Error;
use crate::nonblocking::{self, Database, Keyfold};
use crate::page::Page;
use crate::written::Written;
use futures_core::Stream;
use keyfold_model::Sources;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// A model on a database: the inside of a generated client that awaits. Cloning shares it.
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
    pub async fn new(
        keyfold: &Keyfold,
        texts: &[(&str, &str)],
        hash: &'static str,
    ) -> Result<Client, Error> {
        Ok(Client {
            database: keyfold.model_of(&Sources::of_texts(texts)).await?,
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
    pub fn query<T: Answer, O>(self) -> Query<T, O> {
        let (client, question) = self.question();
        Query {
            database: client.database.clone(),
            question,
            of: PhantomData,
        }
    }

    /// The item of a pattern, if there is one.
    ///
    /// # Errors
    /// `Invalid` when an argument is wrong; `Service`.
    pub async fn one<T: Answer>(self) -> Result<Option<T>, Error> {
        let (client, question) = self.question();
        let found = first_awaited(question.asked, client.database.inner().bound()).await?;
        found.map(answer).transpose()
    }

    /// The item of a pattern that promises one.
    ///
    /// # Errors
    /// As [`Call::one`]; `NotFound`.
    pub async fn required<T: Answer>(self) -> Result<T, Error> {
        let (client, question) = self.question();
        let found = first_awaited(question.asked.clone(), client.database.inner().bound()).await?;
        question.required(found)
    }

    /// The items of a pattern that names each of them.
    ///
    /// # Errors
    /// As [`Call::one`]; `NotFound` when one that must be there is not.
    pub async fn together<T: Together>(self) -> Result<T, Error> {
        let (client, question) = self.question();
        let page = question
            .asked
            .read_awaited(client.database.inner().bound(), Extent::Page)
            .await?;
        T::of_named(Question::named(page))
    }

    /// Carries out the named write.
    ///
    /// # Errors
    /// `Refused` with the action and the condition that did not hold; `Taken`; `NotFound`; `Invalid`.
    pub async fn send(self) -> Result<Written, Error> {
        let given = self.members.into_parts().map(|(given, _)| given);
        Named::with(self.name, given)
            .write_awaited(self.client.database.inner().bound())
            .await
    }
}

/// A pattern with its arguments, of which nothing is read before it is asked for. `O` says whether
/// its items have an order that can be turned round.
#[must_use = "a pattern is asked by `page`, `items`, `first` or `all`"]
pub struct Query<T, O = Unordered> {
    database: Database,
    question: Question,
    of: PhantomData<fn() -> (T, O)>,
}

impl<T: Answer, O> Query<T, O> {
    fn with(self, change: impl FnOnce(Question) -> Question) -> Query<T, O> {
        Query {
            question: change(self.question),
            ..self
        }
    }

    /// The most items that are read for a page, instead of the pattern's own number.
    pub fn limit(self, items: u32) -> Query<T, O> {
        self.with(|question| question.limit(items))
    }

    /// The most time of a page, instead of the client's.
    pub fn within(self, time: Duration) -> Query<T, O> {
        self.with(|question| question.within(time))
    }

    /// Continues after a page: takes the page's `next`.
    pub fn after(self, cursor: &str) -> Query<T, O> {
        self.with(|question| question.after(cursor))
    }

    /// One page.
    ///
    /// # Errors
    /// As [`super::Query::page`].
    pub async fn page(self) -> Result<Page<T>, Error> {
        let asked = self.question.asked.clone();
        let page = asked.read_awaited(self.database.inner().bound(), Extent::Page);
        self.question.page(page.await?)
    }

    /// The pages, each read when it is asked for.
    pub fn pages(self) -> Pages<T> {
        let asked = self.question.asked.clone();
        Pages {
            pages: nonblocking::Query::of(self.database, asked).pages(),
            question: self.question,
            has_failed: false,
            of: PhantomData,
        }
    }

    /// The items of all pages, each page read when it is asked for.
    pub fn items(self) -> Items<T> {
        Items {
            pages: self.pages(),
            page: Vec::new().into_iter(),
        }
    }

    /// The first item; none where there is none.
    ///
    /// # Errors
    /// As [`super::Query::page`].
    pub async fn first(self) -> Result<Option<T>, Error> {
        let bound = self.database.inner().bound();
        let found = first_awaited(self.question.asked, bound).await?;
        found.map(answer).transpose()
    }

    /// All items. More than `most` are an error.
    ///
    /// # Errors
    /// As [`super::Query::all`].
    pub async fn all(self, most: usize) -> Result<Vec<T>, Error> {
        let question = self.question.clone();
        let mut pages = self.pages();
        let mut all: Vec<T> = Vec::new();
        while let Some(page) = pages.next().await {
            all.extend(page?.items);
            if all.len() > most {
                return Err(question.too_many(most));
            }
        }
        Ok(all)
    }
}

impl<T: Answer> Query<T, Ordered> {
    /// Reverses the pattern's order.
    pub fn backward(self) -> Query<T, Ordered> {
        self.with(Question::backward)
    }
}

/// The pages of an answer, one after the other; a `Stream` of them. Ends after an error.
pub struct Pages<T> {
    pages: nonblocking::Pages,
    question: Question,
    has_failed: bool,
    of: PhantomData<fn() -> T>,
}

impl<T: Answer> Pages<T> {
    /// The next page; none behind the last, or behind an error. A call that is dropped before its
    /// answer is there leaves the page to the next call.
    pub async fn next(&mut self) -> Option<Result<Page<T>, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl<T: Answer> Stream for Pages<T> {
    type Item = Result<Page<T>, Error>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Page<T>, Error>>> {
        if self.has_failed {
            return Poll::Ready(None);
        }
        let Poll::Ready(page) = Pin::new(&mut self.pages).poll_next(context) else {
            return Poll::Pending;
        };
        let page = page.map(|page| page.and_then(|page| self.question.page(page)));
        self.has_failed = matches!(page, Some(Err(_)));
        Poll::Ready(page)
    }
}

/// The items of an answer, one after the other; a `Stream` of them. Ends after an error.
pub struct Items<T> {
    pages: Pages<T>,
    page: std::vec::IntoIter<T>,
}

impl<T: Answer + Unpin> Items<T> {
    /// The next item; none behind the last, or behind an error.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl<T: Answer + Unpin> Stream for Items<T> {
    type Item = Result<T, Error>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<T, Error>>> {
        loop {
            if let Some(item) = self.page.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            let Poll::Ready(page) = Pin::new(&mut self.pages).poll_next(context) else {
                return Poll::Pending;
            };
            match page {
                None => return Poll::Ready(None),
                Some(Ok(page)) => self.page = page.items.into_iter(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
            }
        }
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
    pub async fn create(&self, new: &E::New) -> Result<Written, Error> {
        self.write(Verb::Create, new.to_members()).await
    }

    /// Writes a whole one, whether it exists or not.
    ///
    /// # Errors
    /// As [`Database::put`].
    pub async fn put(&self, whole: &E::Put) -> Result<Written, Error> {
        self.write(Verb::Put, whole.to_members()).await
    }

    /// Changes one that exists: what the patch does not name stays as it is.
    ///
    /// # Errors
    /// As [`Database::update`].
    pub async fn update(&self, key: &E::Key, patch: &E::Patch) -> Result<Written, Error> {
        let mut members = key.to_members();
        patch.give_to(&mut members);
        self.write(Verb::Change, members).await
    }

    /// Deletes one that exists, with everything that follows from it.
    ///
    /// # Errors
    /// As [`Database::delete`].
    pub async fn delete(&self, key: &E::Key) -> Result<Written, Error> {
        self.write(Verb::Delete, key.to_members()).await
    }

    async fn write(&self, verb: Verb, members: Members) -> Result<Written, Error> {
        let (given, removed) = members.into_parts()?;
        self.database
            .inner()
            .write_awaited(verb, E::NAME, given, &removed)
            .await
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

impl<T, O> std::fmt::Debug for Query<T, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}

impl<T> std::fmt::Debug for Pages<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pages").finish_non_exhaustive()
    }
}

impl<T> std::fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}
