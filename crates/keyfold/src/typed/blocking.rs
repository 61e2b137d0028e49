//! The ends of calls that block, and answers that are iterated over.

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
use crate::asked::{Bound, Extent, following};
use crate::awaited::blocked;
use crate::database::Database;
use crate::error::Error;
use crate::open::Keyfold;
use crate::page::Page;
use crate::written::{BatchWritten, Transacted, Written};
use keyfold_model::Sources;
use std::marker::PhantomData;

/// A model on a database: the inside of a generated client. Cloning shares it. `S` says how it reads.
pub type Client<S = Eventual> = client::Client<Database, S>;

/// A call under construction.
pub type Call<'c> = client::Call<'c, Database>;

/// Writes an entity with all that follows from it.
pub type Writer<E> = writer::Writer<E, Database>;

/// A pattern with its arguments, of which nothing is read before it is asked for. `O` says whether
/// its items have an order that can be turned round, `R` whether strong consistency is offered.
pub type Query<'c, T, O = Unordered, R = OfTable> = query::Query<&'c Database, T, O, R>;

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
        let database = keyfold.model_of(&Sources::of_texts(texts))?;
        Ok(Client::on(database, hash))
    }
}

impl<S: Consistency> Client<S> {
    /// Carries several writes of one model out in one transaction, as if one happened after the other:
    /// all of them or none.
    ///
    /// # Errors
    /// As [`crate::Database::transact`].
    pub fn transact<M, P: Parted<M>>(&self, parts: P) -> Result<Transacted<P::Done>, Error> {
        blocked(self.transacted(parts))
    }
}

impl<'c> Call<'c> {
    /// The answer of a pattern of any number of items.
    pub fn query<T: Answer, O, R>(self) -> Query<'c, T, O, R> {
        let (database, question) = self.question();
        Query::new(database, question)
    }

    /// The item of a pattern, if there is one.
    ///
    /// # Errors
    /// `Invalid` when an argument is wrong; `Service`.
    pub fn one<T: Answer>(self) -> Result<Option<T>, Error> {
        blocked(self.found())
    }

    /// The item of a pattern that promises one.
    ///
    /// # Errors
    /// As [`Call::one`]; `NotFound`.
    pub fn required<T: Answer>(self) -> Result<T, Error> {
        blocked(self.promised())
    }

    /// The items of a pattern that names each of them.
    ///
    /// # Errors
    /// As [`Call::one`]; `NotFound` when one that must be there is not.
    pub fn together<T: Together>(self) -> Result<T, Error> {
        blocked(self.named())
    }

    /// Carries out the named write.
    ///
    /// # Errors
    /// `Refused` with the action and the condition that did not hold; `Taken`; `NotFound`; `Invalid`.
    pub fn send<M: Made>(self) -> Result<Written<M>, Error> {
        blocked(self.written())
    }
}

impl<E: Entity> Writer<E> {
    /// Creates one that must not exist. Defaults are filled in.
    ///
    /// # Errors
    /// As [`Database::create`].
    pub fn create(&self, new: &E::New) -> Result<Written<E::Made>, Error> {
        blocked(self.created(new))
    }

    /// Writes a whole one, whether it exists or not.
    ///
    /// # Errors
    /// As [`Database::put`].
    pub fn put(&self, whole: &E::Put) -> Result<Written<E::Made>, Error> {
        blocked(self.replaced(whole))
    }

    /// Changes one that exists: what the patch does not name stays as it is.
    ///
    /// # Errors
    /// As [`Database::update`].
    pub fn update(&self, key: &E::Key, patch: &E::Patch) -> Result<Written<E::Touched>, Error> {
        blocked(self.updated(key, patch))
    }

    /// Deletes one that exists, with everything that follows from it.
    ///
    /// # Errors
    /// As [`Database::delete`].
    pub fn delete(&self, key: &E::Key) -> Result<Written<()>, Error> {
        blocked(self.deleted(key))
    }

    /// Reads those with these keys, 100 in a request: one for each key, in their order, and `None` for
    /// an absent one.
    ///
    /// # Errors
    /// As [`crate::Database::get_many`].
    pub fn get_many<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k E::Key>,
    ) -> Result<Vec<Option<E>>, Error>
    where
        E: Answer,
        E::Key: 'k,
    {
        blocked(self.found(keys))
    }
}

impl<E: Alone> Writer<E> {
    /// Writes whole ones, whether they exist or not, 25 in a request. The batch is not atomic.
    ///
    /// # Errors
    /// As [`crate::Database::put_many`].
    pub fn put_many<'k>(
        &self,
        items: impl IntoIterator<Item = &'k E::Put>,
    ) -> Result<BatchWritten<E::Made>, Error>
    where
        E::Put: 'k,
    {
        blocked(self.put_all(items))
    }

    /// Deletes those with these keys, whether they exist or not, as `put_many` writes them.
    ///
    /// # Errors
    /// As [`crate::Database::delete_many`].
    pub fn delete_many<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k E::Key>,
    ) -> Result<BatchWritten<()>, Error>
    where
        E::Key: 'k,
    {
        blocked(self.deleted_all(keys))
    }
}

impl<'c, T: Answer, O, R> Query<'c, T, O, R> {
    /// One page. With a filter it may be empty although more follow: then `next` is set.
    ///
    /// # Errors
    /// `Invalid` when an argument is wrong, or the cursor is none of this pattern with these
    /// arguments; `Service`.
    pub fn page(self) -> Result<Page<T>, Error> {
        blocked(page_of(&self.question, self.database.bound()))
    }

    /// The pages, each read when it is asked for.
    pub fn pages(self) -> Pages<'c, T> {
        Pages {
            bound: self.database.bound(),
            question: Some(self.question),
            of: PhantomData,
        }
    }

    /// The items of all pages, each page read when it is asked for.
    pub fn items(self) -> Items<'c, T> {
        Items {
            pages: self.pages(),
            page: Vec::new().into_iter(),
        }
    }

    /// The first item; none where there is none.
    ///
    /// # Errors
    /// As [`Query::page`].
    pub fn first(self) -> Result<Option<T>, Error> {
        blocked(first_of(self.question, self.database.bound()))
    }

    /// All items. More than `most` are an error.
    ///
    /// # Errors
    /// As [`Query::page`]; `TooMany` when there are more.
    pub fn all(self, most: usize) -> Result<Vec<T>, Error> {
        let question = self.question.clone();
        let mut all: Vec<T> = Vec::new();
        for page in self.pages() {
            gathered((&question, most), &mut all, page)?;
        }
        Ok(all)
    }
}

impl<T: Collected, O, R> Query<'_, T, O, R> {
    /// All items by their kinds. More than `most` are an error.
    ///
    /// # Errors
    /// As [`Query::all`]; `NotFound` when an item is absent that must be there.
    pub fn whole(self, most: usize) -> Result<T::Whole, Error> {
        let question = self.question.clone();
        question.whole(self.all(most)?)
    }
}

impl<'c, T: Answer, O, R> IntoIterator for Query<'c, T, O, R> {
    type Item = Result<T, Error>;
    type IntoIter = Items<'c, T>;

    fn into_iter(self) -> Items<'c, T> {
        self.items()
    }
}

/// The pages of an answer, one after the other. Ends after an error.
pub struct Pages<'c, T> {
    bound: &'c Bound,
    question: Option<Question>,
    of: PhantomData<fn() -> T>,
}

impl<T: Answer> Iterator for Pages<'_, T> {
    type Item = Result<Page<T>, Error>;

    fn next(&mut self) -> Option<Result<Page<T>, Error>> {
        let question = self.question.take()?;
        let page = blocked(question.asked.clone().read(self.bound, Extent::Page));
        let next = following(question.asked.clone(), &page);
        let made = page.and_then(|page| question.page(page));
        if made.is_ok() {
            self.question = next.map(|asked| question.from(asked));
        }
        Some(made)
    }
}

/// The items of an answer, one after the other. Ends after an error.
pub struct Items<'c, T> {
    pages: Pages<'c, T>,
    page: std::vec::IntoIter<T>,
}

impl<T: Answer> Iterator for Items<'_, T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Result<T, Error>> {
        loop {
            if let Some(item) = self.page.next() {
                return Some(Ok(item));
            }
            match self.pages.next()? {
                Ok(page) => self.page = page.items.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl<T> std::fmt::Debug for Pages<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pages").finish_non_exhaustive()
    }
}

impl<T> std::fmt::Debug for Items<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}
