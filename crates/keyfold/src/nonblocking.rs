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
//! # Threads
//!
//! A call on an engine inside the program runs on the task that awaits it, request after request, and
//! occupies no thread while a write waits for the disk. Between two requests other tasks go first. A
//! page of a data folder that is not cached is read from the disk on that task, too.
//!
//! A request to an endpoint occupies no thread, either: the task that awaits it drives its connection,
//! by the network and clock of its tokio runtime, which must have both (`enable_all`). Tasks of other
//! runtimes share one thread of this crate for that. Connections are kept between requests, for each
//! runtime its own. At most 64 requests are under way to an endpoint
//! ([`crate::Endpoint::concurrency`]), and at most 8 of one call; others wait for their turn. Where the
//! environment names a proxy (HTTPS_PROXY), a request occupies a thread of tokio's pool.
//!
//! Opening, closing, [`Keyfold::model`] and the short pauses after a conflict with another writer run
//! on threads of a pool that all libraries of the program which use the crate `blocking` share (at most
//! 500 threads; the environment variable `BLOCKING_MAX_THREADS` sets another number). A database uses
//! at most 64 of them at a time ([`crate::Options::concurrency`]). What is beyond that waits for its
//! turn as a task, without a thread.
//!
//! # Calls that are dropped
//!
//! Every future can be dropped. No further request of it is sent then. All changes of a write are in
//! one request: it happens whole or not at all, and nothing is half-written. An engine inside the
//! program carries out the request that it has. At an endpoint the request's connection is closed, and
//! is never used again: whether the write was carried out is not known, as after
//! [`Error::OutcomeUnknown`]. [`Pages`] can be awaited again after a dropped call and misses no page.
//!
//! A database can be closed while calls are under way: their requests are waited for (at an endpoint,
//! those of blocking calls), and a call that would need another one ends with [`Error::Closed`], with
//! nothing written; a batch that was written in part, with [`Error::Incomplete`].
//!
//! When the last clone of a database is dropped, a thread of the pool closes it, so that the
//! runtime's thread goes on. [`Keyfold::close`] waits for that and reports errors.

use crate::asked::{Asked, Extent, Named, first, following};
use crate::awaited::{answer, in_pool};
use crate::database::Verb;
use crate::error::Error;
use crate::events::Events;
use crate::given::{self, Given};
use crate::item::Item;
use crate::options::{Endpoint, Options};
use crate::page::Page;
use crate::sent::Sent;
use crate::transaction::Transaction;
use crate::written::{BatchWritten, Transacted, Written};
use crate::{database, open};
use blocking::unblock;
use futures_core::Stream;
use keyfold_api::Input;
use keyfold_lower::OnUnknown;
use keyfold_model::Sources;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

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
        Ok(Keyfold::from(inner))
    }

    /// Opens a data folder with settings.
    ///
    /// # Errors
    /// As [`crate::Keyfold::open`].
    pub async fn open_with(folder: impl AsRef<Path>, options: Options) -> Result<Keyfold, Error> {
        let folder = folder.as_ref().to_owned();
        let inner = unblock(move || open::Keyfold::open_with(folder, options)).await?;
        Ok(Keyfold::from(inner))
    }

    /// A database in memory, which is gone when the last clone is.
    ///
    /// # Errors
    /// As [`crate::Keyfold::memory`].
    pub async fn memory() -> Result<Keyfold, Error> {
        let inner = unblock(open::Keyfold::memory).await?;
        Ok(Keyfold::from(inner))
    }

    /// A database in memory with settings.
    ///
    /// # Errors
    /// As [`crate::Keyfold::memory_with`].
    pub async fn memory_with(options: Options) -> Result<Keyfold, Error> {
        let inner = unblock(move || open::Keyfold::memory_with(options)).await?;
        Ok(Keyfold::from(inner))
    }

    /// Opens what a connection text names: `memory:`, `keyfold:./data`, an address, or
    /// `dynamodb://eu-west-1?profile=NAME`. Nothing is sent yet.
    ///
    /// # Errors
    /// As [`crate::Keyfold::connect`].
    pub async fn connect(text: &str) -> Result<Keyfold, Error> {
        let text = text.to_owned();
        let inner = unblock(move || open::Keyfold::connect(&text)).await?;
        Ok(Keyfold::from(inner))
    }

    /// Connects to an endpoint with settings. Nothing is sent yet.
    ///
    /// # Errors
    /// As [`crate::Keyfold::connect_with`].
    pub fn connect_with(endpoint: Endpoint) -> Result<Keyfold, Error> {
        open::Keyfold::connect_with(endpoint).map(Keyfold::from)
    }

    /// The same database, and a function that is called after each request. See
    /// [`crate::Keyfold::on_request`].
    pub fn on_request(&self, hook: impl Fn(&Sent<'_>) + Send + Sync + 'static) -> Keyfold {
        Keyfold {
            inner: self.inner.on_request(hook),
        }
    }

    /// Closes the database for all clones of it. See [`crate::Keyfold::close`].
    ///
    /// # Errors
    /// As [`crate::Keyfold::close`].
    pub async fn close(&self) -> Result<(), Error> {
        let keyfold = self.inner.clone();
        unblock(move || keyfold.close()).await
    }

    /// Compiles a model and makes its tables, or finds that they are as it says.
    ///
    /// # Errors
    /// As [`crate::Keyfold::model`].
    pub async fn model(&self, source: &str) -> Result<Database, Error> {
        let (keyfold, source) = (self.inner.clone(), source.to_owned());
        let model = in_pool(self.inner.shared(), move || keyfold.model(&source));
        Ok(Database::from(model.await??))
    }

    /// Compiles the model of a file and of those that it uses.
    ///
    /// # Errors
    /// As [`crate::Keyfold::model_file`].
    pub async fn model_file(&self, path: impl AsRef<Path>) -> Result<Database, Error> {
        let (keyfold, path) = (self.inner.clone(), path.as_ref().to_owned());
        let model = in_pool(self.inner.shared(), move || keyfold.model_file(path));
        Ok(Database::from(model.await??))
    }

    /// Compiles a model of several texts.
    ///
    /// # Errors
    /// As [`crate::Keyfold::model_of`].
    pub async fn model_of(&self, sources: &Sources) -> Result<Database, Error> {
        let (keyfold, sources) = (self.inner.clone(), sources.clone());
        let model = in_pool(self.inner.shared(), move || keyfold.model_of(&sources));
        Ok(Database::from(model.await??))
    }

    /// Carries out an operation of the API, typed by its input.
    ///
    /// # Errors
    /// As [`crate::Keyfold::send`].
    pub async fn send<I: Input>(&self, input: I) -> Result<I::Output, Error> {
        let terms = self.inner.terms();
        let response = answer(self.inner.shared(), &terms, input.into()).await??;
        open::output::<I>(response)
    }
}

/// The same database, awaited.
impl From<open::Keyfold> for Keyfold {
    fn from(inner: open::Keyfold) -> Keyfold {
        Keyfold {
            inner: inner.of_tasks(),
        }
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
        Database {
            inner: inner.of_tasks(),
        }
    }
}

impl Database {
    /// The names of the model's entities, in the order of their declaration.
    pub fn entities(&self) -> impl Iterator<Item = &str> {
        self.inner.entities()
    }

    /// The names of the model's patterns, in the order of their declaration.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.inner.patterns()
    }

    /// The names of the model's named writes, in the order of their declaration.
    pub fn writes(&self) -> impl Iterator<Item = &str> {
        self.inner.writes()
    }

    /// The same model, each of whose calls takes at most a time. See [`crate::Database::within`].
    pub fn within(&self, time: Duration) -> Database {
        Database {
            inner: self.inner.within(time),
        }
    }

    /// The same model, whose reads and events treat an item that the model does not know so. See
    /// [`crate::Database::on_unknown`].
    pub fn on_unknown(&self, on_unknown: OnUnknown) -> Database {
        Database {
            inner: self.inner.on_unknown(on_unknown),
        }
    }

    /// The same model, and a function that is called after each request of its calls. See
    /// [`crate::Database::on_request`].
    pub fn on_request(&self, hook: impl Fn(&Sent<'_>) + Send + Sync + 'static) -> Database {
        Database {
            inner: self.inner.on_request(hook),
        }
    }

    /// Writes a whole entity, whether it exists or not.
    ///
    /// # Errors
    /// As [`crate::Database::put`].
    pub async fn put(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        let values = given::of_entity(entity, values)?;
        self.write(Verb::Put, entity, values, &[]).await
    }

    /// Writes a whole entity that must not exist.
    ///
    /// # Errors
    /// As [`crate::Database::create`].
    pub async fn create(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        let values = given::of_entity(entity, values)?;
        self.write(Verb::Create, entity, values, &[]).await
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
        let values = given::of_entity(entity, values)?;
        let removed: Vec<String> = removed.iter().map(|name| (*name).to_owned()).collect();
        self.write(Verb::Change, entity, values, &removed).await
    }

    /// Removes optional attributes of the entity with a key, and leaves the others as they are.
    ///
    /// # Errors
    /// As [`crate::Database::remove`].
    pub async fn remove(
        &self,
        entity: &str,
        key: impl Serialize,
        removed: &[&str],
    ) -> Result<Written, Error> {
        self.change(entity, key, removed).await
    }

    /// Deletes an entity that exists, with everything that follows from it.
    ///
    /// # Errors
    /// As [`crate::Database::delete`].
    pub async fn delete(&self, entity: &str, key: impl Serialize) -> Result<Written, Error> {
        let key = given::of_entity(entity, key)?;
        self.write(Verb::Delete, entity, key, &[]).await
    }

    /// A reader of stream records. See [`crate::Database::events`].
    pub fn events(&self) -> Events<'_> {
        self.inner.events()
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

    /// Carries several writes out in one transaction: all of them or none.
    ///
    /// # Errors
    /// As [`crate::Database::transact`].
    pub async fn transact(&self, transaction: Transaction) -> Result<Transacted, Error> {
        self.inner.transacted(transaction).await.map(Transacted::of)
    }

    /// Reads entities by their keys, 100 in a request.
    ///
    /// # Errors
    /// As [`crate::Database::get_many`].
    pub async fn get_many<K: Serialize>(
        &self,
        entity: &str,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Vec<Option<Item>>, Error> {
        self.inner.found_many(entity, keys, false).await
    }

    /// Reads the newest entities by their keys, 100 in a request.
    ///
    /// # Errors
    /// As [`crate::Database::get_many`].
    pub async fn get_many_newest<K: Serialize>(
        &self,
        entity: &str,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Vec<Option<Item>>, Error> {
        self.inner.found_many(entity, keys, true).await
    }

    /// Writes whole entities, 25 in a request; the batch is not atomic.
    ///
    /// # Errors
    /// As [`crate::Database::put_many`].
    pub async fn put_many<V: Serialize>(
        &self,
        entity: &str,
        items: impl IntoIterator<Item = V>,
    ) -> Result<BatchWritten, Error> {
        self.inner
            .put_all(entity, items)
            .await
            .map(BatchWritten::of)
    }

    /// Deletes entities, whether they exist or not, 25 in a request; the batch is not atomic.
    ///
    /// # Errors
    /// As [`crate::Database::put_many`].
    pub async fn delete_many<K: Serialize>(
        &self,
        entity: &str,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<BatchWritten, Error> {
        let written = self.inner.deleted_all(entity, keys).await;
        written.map(BatchWritten::of)
    }

    async fn write(
        &self,
        verb: Verb,
        entity: &str,
        given: Given,
        removed: &[String],
    ) -> Result<Written, Error> {
        let written = self.inner.write(verb, entity, given, removed).await;
        written.map(Written::of)
    }

    pub(crate) fn inner(&self) -> &database::Database {
        &self.inner
    }

    async fn ask(&self, asked: Asked, extent: Extent) -> Result<Page, Error> {
        asked.read(self.inner.bound(), extent).await
    }
}

/// A pattern and the arguments given so far. See [`crate::Query`].
#[derive(Clone)]
#[must_use = "a pattern is asked by `one`, `page`, `pages` or `all`"]
pub struct Query {
    database: Database,
    asked: Asked,
}

impl Query {
    pub(crate) fn of(database: Database, asked: Asked) -> Query {
        Query { database, asked }
    }

    /// Gives an argument. `None` leaves an optional one out.
    pub fn arg(mut self, name: &str, held: impl Serialize) -> Self {
        self.asked = self.asked.arg(name, held);
        self
    }

    /// Gives several arguments: a struct, a map or [`values!`](crate::values!).
    pub fn args(mut self, values: impl Serialize) -> Self {
        self.asked = self.asked.args(values);
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

    /// Reads with strong consistency, at twice the units: every write that was answered before is seen.
    /// A pattern of a global index is refused.
    pub fn strong(mut self) -> Self {
        self.asked = self.asked.strong();
        self
    }

    /// What becomes of an item that the model does not know, instead of what the database says: see
    /// [`crate::Database::on_unknown`].
    pub fn on_unknown(mut self, on_unknown: OnUnknown) -> Self {
        self.asked = self.asked.on_unknown(on_unknown);
        self
    }

    /// The most time of the call, instead of the database's: see [`Database::within`]. A page of
    /// several is a call of its own.
    pub fn within(mut self, time: Duration) -> Self {
        self.asked = self.asked.within(time);
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
        first(asked, database.inner.bound()).await
    }

    /// One page of structs.
    ///
    /// # Errors
    /// As [`crate::Query::page_as`].
    pub async fn page_as<T: DeserializeOwned>(self) -> Result<Page<T>, Error> {
        self.page().await?.to()
    }

    /// The items of all pages as structs.
    ///
    /// # Errors
    /// As [`crate::Query::all_as`].
    pub async fn all_as<T: DeserializeOwned>(self) -> Result<Vec<T>, Error> {
        self.all().await?.iter().map(Item::to).collect()
    }

    /// The one item, or the first of several, as a struct.
    ///
    /// # Errors
    /// As [`crate::Query::one_as`].
    pub async fn one_as<T: DeserializeOwned>(self) -> Result<Option<T>, Error> {
        self.one().await?.map(|item| item.to()).transpose()
    }

    /// The pages, each read when it is asked for: by [`Pages::next`], or as a `Stream`.
    pub fn pages(self) -> Pages {
        Pages {
            database: self.database,
            asked: Some(self.asked),
            reading: None,
        }
    }
}

/// A page that is being read, and the question for the one behind it.
type Reading = Pin<Box<dyn Future<Output = (Option<Asked>, Result<Page, Error>)> + Send>>;

/// The pages of an answer, one after the other; a `Stream` of them. Ends after an error.
pub struct Pages {
    database: Database,
    asked: Option<Asked>,
    reading: Option<Reading>,
}

impl Pages {
    /// The next page; none behind the last, or behind an error. A call that is dropped before its
    /// answer is there leaves the page to the next call.
    pub async fn next(&mut self) -> Option<Result<Page, Error>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// The next page as a page of structs. See [`Pages::next`].
    pub async fn next_as<T: DeserializeOwned>(&mut self) -> Option<Result<Page<T>, Error>> {
        let page = self.next().await?;
        Some(page.and_then(|page| page.to()))
    }
}

impl Stream for Pages {
    type Item = Result<Page, Error>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Page, Error>>> {
        if self.reading.is_none() {
            let Some(asked) = self.asked.take() else {
                return Poll::Ready(None);
            };
            let database = self.database.clone();
            self.reading = Some(Box::pin(async move {
                let page = database.ask(asked.clone(), Extent::Page).await;
                (following(asked, &page), page)
            }));
        }
        let Some(reading) = &mut self.reading else {
            return Poll::Ready(None);
        };
        let Poll::Ready((next, page)) = reading.as_mut().poll(context) else {
            return Poll::Pending;
        };
        self.reading = None;
        self.asked = next;
        Poll::Ready(Some(page))
    }
}

/// A named write and the arguments given so far. See [`crate::Run`].
#[derive(Clone)]
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

    /// The most time of the call, instead of the database's: see [`Database::within`].
    pub fn within(mut self, time: Duration) -> Self {
        self.named = self.named.within(time);
        self
    }

    /// Carries the write out.
    ///
    /// # Errors
    /// As [`crate::Run::send`].
    pub async fn send(self) -> Result<Written, Error> {
        let Run { database, named } = self;
        let written = named.write(database.inner.bound()).await;
        written.map(Written::of)
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
