//! The same calls for programs that run on an asynchronous runtime, whichever it is.
//!
//! Every call has the name, the arguments and the answer of its blocking sibling, and is awaited.
//!
//! ```
//! use keyfold::nonblocking::Keyfold;
//! use keyfold::values;
//!
//! # fn main() -> Result<(), keyfold::Error> {
//! # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
//! # runtime.block_on(async {
//! let db = Keyfold::memory().await?;
//! let notes = db
//!     .model(
//!         r#"
//! model notes 1
//! table Notes (PK, SK)
//! entity Note
//!   author: string, id: ulid = new, text: string
//!   key  "AUTHOR#{author}"  "NOTE#{id}"
//! pattern notes_of(author)  -> Note[]  newest page 20
//! "#,
//!     )
//!     .await?;
//! notes.put("Note", values! { "author": "ada", "text": "on analytical engines" }).await?;
//! let found = notes.query("notes_of").arg("author", "ada").page().await?;
//! assert_eq!(found.items[0].text("text"), Some("on analytical engines"));
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! An operation of the API ([`Keyfold::send`]) on an engine inside the program runs on the task that
//! awaits it and occupies no thread while its write waits for the disk. Everything else runs on a
//! thread of a pool that grows and shrinks with the calls under way (at most 500; the environment
//! variable `BLOCKING_MAX_THREADS` sets another number).
//!
//! A future that is dropped does not take a call back: a write that has begun is carried out.

use crate::asked::{Asked, Extent, Named, first, following};
use crate::database::Verb;
use crate::error::Error;
use crate::item::Item;
use crate::page::Page;
use crate::written::Written;
use crate::{database, given, open};
use blocking::unblock;
use keyfold_api::Input;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// A database whose calls are awaited. See [`crate::Keyfold`]. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Keyfold {
    inner: open::Keyfold,
}

impl Keyfold {
    /// Opens a data folder, made if it is absent.
    ///
    /// # Errors
    /// As [`crate::Keyfold::open`].
    pub async fn open(folder: impl AsRef<Path>) -> Result<Keyfold, Error> {
        let folder = folder.as_ref().to_owned();
        let inner = unblock(move || open::Keyfold::open(folder)).await?;
        Ok(Keyfold { inner })
    }

    /// A database in memory, which is gone when the last clone is.
    ///
    /// # Errors
    /// As [`crate::Keyfold::memory`].
    pub async fn memory() -> Result<Keyfold, Error> {
        let inner = unblock(open::Keyfold::memory).await?;
        Ok(Keyfold { inner })
    }

    /// Connects to an endpoint. Nothing is sent yet.
    ///
    /// # Errors
    /// As [`crate::Keyfold::connect`].
    pub fn connect(url: &str) -> Result<Keyfold, Error> {
        open::Keyfold::connect(url).map(Keyfold::from)
    }

    /// Connects to an endpoint with region and keys. Nothing is sent yet.
    ///
    /// # Errors
    /// As [`crate::Keyfold::connect_with`].
    pub fn connect_with(
        url: &str,
        region: &str,
        access_key: &str,
        secret: &str,
    ) -> Result<Keyfold, Error> {
        open::Keyfold::connect_with(url, region, access_key, secret).map(Keyfold::from)
    }

    /// Compiles a model and makes its tables, or finds that they are as it says.
    ///
    /// # Errors
    /// As [`crate::Keyfold::model`].
    pub async fn model(&self, source: &str) -> Result<Database, Error> {
        let (keyfold, source) = (self.inner.clone(), source.to_owned());
        let inner = unblock(move || keyfold.model(&source)).await?;
        Ok(Database { inner })
    }

    /// Carries out an operation of the API, typed by its input.
    ///
    /// # Errors
    /// As [`crate::Keyfold::send`].
    pub async fn send<I: Input>(&self, input: I) -> Result<I::Output, Error> {
        let response = match self.inner.backend().start(input.into()) {
            Ok(answer) => answer.await?,
            Err(request) => {
                let backend = Arc::clone(self.inner.backend());
                unblock(move || backend.call(*request)).await?
            }
        };
        open::output::<I>(response)
    }
}

/// The same database, awaited.
impl From<open::Keyfold> for Keyfold {
    fn from(inner: open::Keyfold) -> Keyfold {
        Keyfold { inner }
    }
}

/// A model and its tables, whose calls are awaited. See [`crate::Database`]. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Database {
    inner: database::Database,
}

/// The same model on the same tables, awaited.
impl From<database::Database> for Database {
    fn from(inner: database::Database) -> Database {
        Database { inner }
    }
}

impl Database {
    /// The names of the model's patterns.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.inner.patterns()
    }

    /// Writes a whole entity, whether it exists or not.
    ///
    /// # Errors
    /// As [`crate::Database::put`].
    pub async fn put(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        let (values, entity) = (given::members(values)?, entity.to_owned());
        self.off_task(move |database| database.write(Verb::Put, &entity, values, &[]))
            .await
    }

    /// Writes a whole entity that must not exist.
    ///
    /// # Errors
    /// As [`crate::Database::create`].
    pub async fn create(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        let (values, entity) = (given::members(values)?, entity.to_owned());
        self.off_task(move |database| database.write(Verb::Create, &entity, values, &[]))
            .await
    }

    /// Changes some attributes of an entity that exists: those given beside its key.
    ///
    /// # Errors
    /// As [`crate::Database::update`].
    pub async fn update(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        self.change(entity, values, &[]).await
    }

    /// Changes some attributes and takes optional ones away.
    ///
    /// # Errors
    /// As [`crate::Database::change`].
    pub async fn change(
        &self,
        entity: &str,
        values: impl Serialize,
        removed: &[&str],
    ) -> Result<Written, Error> {
        let (values, entity) = (given::members(values)?, entity.to_owned());
        let removed: Vec<String> = removed.iter().map(|name| (*name).to_owned()).collect();
        self.off_task(move |database| database.write(Verb::Change, &entity, values, &removed))
            .await
    }

    /// Deletes an entity that exists, with everything that follows from it.
    ///
    /// # Errors
    /// As [`crate::Database::delete`].
    pub async fn delete(&self, entity: &str, key: impl Serialize) -> Result<Written, Error> {
        let (key, entity) = (given::members(key)?, entity.to_owned());
        self.off_task(move |database| database.write(Verb::Delete, &entity, key, &[]))
            .await
    }

    /// A pattern, to be given its arguments.
    pub fn query(&self, pattern: &str) -> Query {
        Query {
            database: self.clone(),
            asked: Asked::new(pattern),
        }
    }

    /// A named write, to be given its arguments: its actions happen together or not at all.
    pub fn run(&self, name: &str) -> Run {
        Run {
            database: self.clone(),
            named: Named::new(name),
        }
    }

    /// Runs a blocking call on a thread of the pool.
    async fn off_task<T: Send + 'static>(
        &self,
        call: impl FnOnce(&database::Database) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let database = self.inner.clone();
        unblock(move || call(&database)).await
    }

    async fn ask(&self, asked: Asked, extent: Extent) -> Result<Page, Error> {
        self.off_task(move |database| asked.read(database.bound(), extent))
            .await
    }
}

/// A pattern and the arguments given so far. See [`crate::Query`].
#[must_use = "a pattern is asked by `one`, `page`, `pages` or `all`"]
pub struct Query {
    database: Database,
    asked: Asked,
}

impl Query {
    /// Gives an argument. `None` leaves an optional one out.
    pub fn arg(mut self, name: &str, held: impl Serialize) -> Self {
        self.asked = self.asked.arg(name, held);
        self
    }

    /// Items a page, instead of the pattern's own.
    pub fn limit(mut self, items: u32) -> Self {
        self.asked = self.asked.limit(items);
        self
    }

    /// Continues after a page: takes the page's `next`.
    pub fn after(mut self, next: &str) -> Self {
        self.asked = self.asked.after(next);
        self
    }

    /// Reverses the pattern's order.
    pub fn backward(mut self) -> Self {
        self.asked = self.asked.backward();
        self
    }

    /// One page.
    ///
    /// # Errors
    /// As [`crate::Query::page`].
    pub async fn page(self) -> Result<Page, Error> {
        self.database.ask(self.asked, Extent::Page).await
    }

    /// Everything, page by page until the end.
    ///
    /// # Errors
    /// As [`crate::Query::page`].
    pub async fn all(self) -> Result<Vec<Item>, Error> {
        Ok(self.database.ask(self.asked, Extent::All).await?.items)
    }

    /// The one item, or the first of several.
    ///
    /// # Errors
    /// As [`crate::Query::page`].
    pub async fn one(self) -> Result<Option<Item>, Error> {
        let Query { database, asked } = self;
        database
            .off_task(move |database| first(asked, database.bound()))
            .await
    }

    /// The pages, each read when it is asked for by [`Pages::next`].
    pub fn pages(self) -> Pages {
        Pages {
            database: self.database,
            asked: Some(self.asked),
        }
    }
}

/// The pages of an answer, one after the other.
pub struct Pages {
    database: Database,
    asked: Option<Asked>,
}

impl Pages {
    /// The next page; none behind the last, or behind an error. A call that is dropped before its
    /// answer is there leaves the position as it was.
    pub async fn next(&mut self) -> Option<Result<Page, Error>> {
        let asked = self.asked.clone()?;
        let page = self.database.ask(asked.clone(), Extent::Page).await;
        self.asked = following(asked, &page);
        Some(page)
    }
}

/// A named write and the arguments given so far. See [`crate::Run`].
#[must_use = "a write happens when it is sent"]
pub struct Run {
    database: Database,
    named: Named,
}

impl Run {
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
    /// As [`crate::Run::send`].
    pub async fn send(self) -> Result<Written, Error> {
        let Run { database, named } = self;
        database
            .off_task(move |database| named.write(database.bound()))
            .await
    }
}

impl std::fmt::Debug for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Pages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pages").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").finish_non_exhaustive()
    }
}
