//! The ends of calls that are awaited, and answers that are streams.

use super::client;
use super::collected::Collected;
use super::consistency::{Consistency, Eventual, OfTable};
use super::made::Made;
use super::members::{Alone, Answer, Entity, Together};
use super::order::Unordered;
use super::parted::Parted;
use super::query::{self, first_of, gathered, page_of};
use super::question::Question;
use super::writer;
use crate::error::Error;
use crate::nonblocking::{self, Database, Keyfold};
use crate::page::Page;
use crate::written::{BatchWritten, Transacted, Written};
use futures_core::Stream;
use keyfold_model::Sources;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A model on a database: the inside of a generated client. Cloning shares it. `S` says how it reads.
pub type Client<S = Eventual> = client::Client<Database, S>;

/// A call under construction.
pub type Call<'c> = client::Call<'c, Database>;

/// Writes an entity with all that follows from it.
pub type Writer<E> = writer::Writer<E, Database>;

/// A pattern with its arguments, of which nothing is read before it is asked for. `O` says whether
/// its items have an order that can be turned round, `R` whether strong consistency is offered.
pub type Query<T, O = Unordered, R = OfTable> = query::Query<Database, T, O, R>;

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
        let database = keyfold.model_of(&Sources::of_texts(texts)).await?;
        Ok(Client::on(database, hash))
    }
}

impl<S: Consistency> Client<S> {
    /// Carries several writes of one model out in one transaction, as if one happened after the other:
    /// all of them or none.
    ///
    /// # Errors
    /// As [`crate::Database::transact`].
    pub async fn transact<M, P: Parted<M>>(&self, parts: P) -> Result<Transacted<P::Done>, Error> {
        self.transacted(parts).await
    }
}

impl Call<'_> {
    /// The answer of a pattern of any number of items.
    pub fn query<T: Answer, O, R>(self) -> Query<T, O, R> {
        let (database, question) = self.question();
        Query::new(database.clone(), question)
    }

    /// The item of a pattern, if there is one.
    ///
    /// # Errors
    /// `Invalid` when an argument is wrong; `Service`.
    pub async fn one<T: Answer>(self) -> Result<Option<T>, Error> {
        self.found().await
    }

    /// The item of a pattern that promises one.
    ///
    /// # Errors
    /// As [`Call::one`]; `NotFound`.
    pub async fn required<T: Answer>(self) -> Result<T, Error> {
        self.promised().await
    }

    /// The items of a pattern that names each of them.
    ///
    /// # Errors
    /// As [`Call::one`]; `NotFound` when one that must be there is not.
    pub async fn together<T: Together>(self) -> Result<T, Error> {
        self.named().await
    }

    /// Carries out the named write.
    ///
    /// # Errors
    /// `Refused` with the action and the condition that did not hold; `Taken`; `NotFound`; `Invalid`.
    pub async fn send<M: Made>(self) -> Result<Written<M>, Error> {
        self.written().await
    }
}

impl<E: Entity> Writer<E> {
    /// Creates one that must not exist. Defaults are filled in.
    ///
    /// # Errors
    /// As [`crate::Database::create`].
    pub async fn create(&self, new: &E::New) -> Result<Written<E::Made>, Error> {
        self.created(new).await
    }

    /// Writes a whole one, whether it exists or not.
    ///
    /// # Errors
    /// As [`crate::Database::put`].
    pub async fn put(&self, whole: &E::Put) -> Result<Written<E::Made>, Error> {
        self.replaced(whole).await
    }

    /// Changes one that exists: what the patch does not name stays as it is.
    ///
    /// # Errors
    /// As [`crate::Database::update`].
    pub async fn update(
        &self,
        key: &E::Key,
        patch: &E::Patch,
    ) -> Result<Written<E::Touched>, Error> {
        self.updated(key, patch).await
    }

    /// Deletes one that exists, with everything that follows from it.
    ///
    /// # Errors
    /// As [`crate::Database::delete`].
    pub async fn delete(&self, key: &E::Key) -> Result<Written<()>, Error> {
        self.deleted(key).await
    }

    /// Reads those with these keys, 100 in a request: one for each key, in their order, and `None` for
    /// an absent one.
    ///
    /// # Errors
    /// As [`crate::Database::get_many`].
    pub async fn get_many<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k E::Key>,
    ) -> Result<Vec<Option<E>>, Error>
    where
        E: Answer,
        E::Key: 'k,
    {
        self.found(keys).await
    }
}

impl<E: Alone> Writer<E> {
    /// Writes whole ones, whether they exist or not, 25 in a request. The batch is not atomic.
    ///
    /// # Errors
    /// As [`crate::Database::put_many`].
    pub async fn put_many<'k>(
        &self,
        items: impl IntoIterator<Item = &'k E::Put>,
    ) -> Result<BatchWritten<E::Made>, Error>
    where
        E::Put: 'k,
    {
        self.put_all(items).await
    }

    /// Deletes those with these keys, whether they exist or not, as `put_many` writes them.
    ///
    /// # Errors
    /// As [`crate::Database::delete_many`].
    pub async fn delete_many<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k E::Key>,
    ) -> Result<BatchWritten<()>, Error>
    where
        E::Key: 'k,
    {
        self.deleted_all(keys).await
    }
}

impl<T: Answer, O, R> Query<T, O, R> {
    /// One page. With a filter it may be empty although more follow: then `next` is set.
    ///
    /// # Errors
    /// `Invalid` when an argument is wrong, or the cursor is none of this pattern with these
    /// arguments; `Service`.
    pub async fn page(self) -> Result<Page<T>, Error> {
        page_of(&self.question, self.database.inner().bound()).await
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
    /// As [`Query::page`].
    pub async fn first(self) -> Result<Option<T>, Error> {
        first_of(self.question, self.database.inner().bound()).await
    }

    /// All items. More than `most` are an error.
    ///
    /// # Errors
    /// As [`Query::page`]; `TooMany` when there are more.
    pub async fn all(self, most: usize) -> Result<Vec<T>, Error> {
        let question = self.question.clone();
        let mut pages = self.pages();
        let mut all: Vec<T> = Vec::new();
        while let Some(page) = pages.next().await {
            gathered((&question, most), &mut all, page)?;
        }
        Ok(all)
    }
}

impl<T: Collected, O, R> Query<T, O, R> {
    /// All items by their kinds. More than `most` are an error.
    ///
    /// # Errors
    /// As [`Query::all`]; `NotFound` when an item is absent that must be there.
    pub async fn whole(self, most: usize) -> Result<T::Whole, Error> {
        let question = self.question.clone();
        question.whole(self.all(most).await?)
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
