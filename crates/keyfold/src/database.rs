//! A model on a database: entities are written, named writes run, patterns asked.

use crate::asked::{Bound, Named};
use crate::awaited::{blocked, carried};
use crate::error::Error;
use crate::events::Events;
use crate::given::{self, Given, unknown, without_kept};
use crate::handle::Shared;
use crate::query::Query;
use crate::sent::{Sent, observer};
use crate::written::Written;
use keyfold_client::{Observer, origin};
use keyfold_lower::arguments::{self, Values};
use keyfold_lower::{Lowering, OnUnknown, write};
use keyfold_model::{Entity, Model};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// A model and the tables that it is used on.
///
/// Everything that follows from a write (index keys, copies, guards of unique values, aggregates)
/// is part of it: one item changes by one operation, several in one transaction. Cloning shares it.
#[derive(Clone)]
pub struct Database {
    bound: Bound,
}

impl Database {
    pub(crate) fn new(shared: Shared, model: Model, observer: Option<Observer>) -> Database {
        let model = Arc::new(model);
        Database {
            bound: Bound {
                shared,
                model,
                time: None,
                observer,
                on_unknown: OnUnknown::Error,
            },
        }
    }

    /// The same for tasks of a runtime.
    pub(crate) fn of_tasks(self) -> Database {
        let shared = self.bound.shared.of_tasks();
        Database {
            bound: Bound {
                shared,
                ..self.bound
            },
        }
    }

    /// The same model, each of whose calls takes at most a time: with all its requests, attempts and
    /// pauses. A page of several is a call of its own. A call whose time is over ends with
    /// [`Error::TimedOut`] when nothing was written, and with [`Error::OutcomeUnknown`] when its write
    /// was sent.
    ///
    /// An engine in this process is not interrupted; the time is looked at before each request.
    ///
    /// ```
    /// # use keyfold::{Keyfold, values};
    /// use std::time::Duration;
    ///
    /// # let db = Keyfold::memory()?;
    /// # let notes = db.model("model n 1\ntable Notes (PK, SK)\nentity Note\n  id: string\n  key \"N#{id}\" \"N\"\npattern note(id) -> Note?\n")?;
    /// let notes = notes.within(Duration::from_secs(2));
    /// notes.put("Note", values! { "id": "a" })?;
    /// let note = notes.query("note").arg("id", "a").within(Duration::from_millis(500)).one()?;
    /// # assert!(note.is_some());
    /// # Ok::<(), keyfold::Error>(())
    /// ```
    pub fn within(&self, time: Duration) -> Database {
        let mut bound = self.bound.clone();
        bound.time = Some(time);
        Database { bound }
    }

    /// The same model, whose reads and events treat an item that the model does not know so: of
    /// another kind, without an attribute that it must have, or with a value of another type. It is an
    /// error, or it is left out.
    ///
    /// ```
    /// # use keyfold::{Error, Keyfold, OnUnknown, values};
    /// # use keyfold::api::PutItemInput;
    /// # use keyfold::types::{Item, Value};
    /// # let db = Keyfold::memory()?;
    /// # let notes = db.model("model n 1\ntable Notes (PK, SK)\nentity Note\n  id: string, at: string, text: string\n  key \"N#{id}\" \"AT#{at}\"\npattern notes_of(id) -> Note[]\n")?;
    /// notes.put("Note", values! { "id": "a", "at": "1", "text": "Milk" })?;
    /// # let mut item = Item::new();
    /// # item.insert("PK", Value::from("N#a"));
    /// # item.insert("SK", Value::from("AT#2"));
    /// # db.send(PutItemInput { table_name: Some("Notes".into()), item: Some(Ok(item)), ..PutItemInput::default() })?;
    /// // Another program wrote a note without its text.
    /// let all = notes.query("notes_of").arg("id", "a").all();
    /// assert!(matches!(all, Err(Error::UnknownItem(_))));
    /// let notes = notes.on_unknown(OnUnknown::Skip);
    /// assert_eq!(notes.query("notes_of").arg("id", "a").all()?.len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn on_unknown(&self, on_unknown: OnUnknown) -> Database {
        let mut bound = self.bound.clone();
        bound.on_unknown = on_unknown;
        Database { bound }
    }

    pub(crate) fn model(&self) -> &Arc<Model> {
        &self.bound.model
    }

    pub(crate) fn bound(&self) -> &Bound {
        &self.bound
    }

    /// The same model, and a function that is called after each request of its calls: for logs, metrics
    /// and sums of consumed units. It runs on the thread or task that made the request. A request of a
    /// nonblocking call that was dropped is not reported.
    ///
    /// ```
    /// # use keyfold::{Keyfold, values};
    /// # let db = Keyfold::memory()?;
    /// # let notes = db.model("model n 1\ntable Notes (PK, SK)\nentity Note\n  id: string\n  key \"N#{id}\" \"N\"\npattern note(id) -> Note?\n")?;
    /// let notes = notes.on_request(|sent| {
    ///     let call = sent.call.unwrap_or("-");
    ///     println!("{call}: {} of {:?} in {:?}", sent.operation, sent.tables, sent.time);
    /// });
    /// notes.put("Note", values! { "id": "a" })?;
    /// # Ok::<(), keyfold::Error>(())
    /// ```
    pub fn on_request(&self, hook: impl Fn(&Sent<'_>) + Send + Sync + 'static) -> Database {
        let mut bound = self.bound.clone();
        bound.observer = Some(observer(hook));
        Database { bound }
    }

    /// The names of the model's entities, in the order of their declaration.
    pub fn entities(&self) -> impl Iterator<Item = &str> {
        let entities = self.bound.model.entities.iter();
        entities.map(|entity| entity.name.as_str())
    }

    /// The names of the model's patterns, in the order of their declaration.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        let patterns = self.bound.model.patterns.iter();
        patterns.map(|pattern| pattern.name.as_str())
    }

    /// The names of the model's named writes, in the order of their declaration.
    pub fn writes(&self) -> impl Iterator<Item = &str> {
        let writes = self.bound.model.writes.iter();
        writes.map(|write| write.name.as_str())
    }

    /// Writes a whole entity, whether it exists or not. Defaults are filled in, and `None` is an
    /// attribute that is not given: a put removes what the stored item has of it.
    ///
    /// An item that was read can be put back. What the model keeps itself (counts, sums, maxima) may
    /// be among the values and is ignored. A version among them must be that of the stored item, so
    /// that nobody's change is lost; 0 says that there is no such item yet.
    ///
    /// ```
    /// use keyfold::{Error, Keyfold};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize)]
    /// struct Page {
    ///     path: String,
    ///     text: String,
    ///     edition: u32,
    /// }
    ///
    /// let wiki = Keyfold::memory()?.model(
    ///     r#"
    /// model wiki 1
    /// table Wiki (PK, SK)
    /// entity Page
    ///   path: string, text: string
    ///   key  "PAGE#{path}"  "PAGE"
    ///   version edition
    /// pattern page(path)  -> Page
    /// "#,
    /// )?;
    /// wiki.put("Page", Page { path: "/".into(), text: "hello".into(), edition: 0 })?;
    /// let page = || wiki.query("page").arg("path", "/").one_as::<Page>();
    /// let (mut mine, theirs) = (page()?.expect("it was put"), page()?.expect("it was put"));
    /// mine.text = "hello, world".into();
    /// wiki.put("Page", &mine)?;
    /// assert!(matches!(wiki.put("Page", &theirs), Err(Error::StaleVersion(_))));
    /// # Ok::<(), keyfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Invalid` when an attribute is wrong, missing or unknown; `Taken` when a unique value is
    /// another item's; `NotFound` when the parent that counts it does not exist; `StaleVersion`.
    pub fn put(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        let values = given::of_entity(entity, values)?;
        blocked(self.write(Verb::Put, entity, values, &[])).map(Written::of)
    }

    /// Writes a whole entity that must not exist.
    ///
    /// # Errors
    /// As [`Database::put`]; `Exists` when an item with its key is there.
    pub fn create(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        let values = given::of_entity(entity, values)?;
        blocked(self.write(Verb::Create, entity, values, &[])).map(Written::of)
    }

    /// Changes some attributes of an entity that exists: those given beside its key. `None` is not
    /// given: the attribute stays as it is. [`Database::change`] and [`Database::remove`] take
    /// attributes away. A version that is given must be the item's.
    ///
    /// # Errors
    /// `NotFound` when it does not exist; `StaleVersion` when its version is another; `Taken`;
    /// `Invalid`.
    pub fn update(&self, entity: &str, values: impl Serialize) -> Result<Written, Error> {
        self.change(entity, values, &[])
    }

    /// As [`Database::update`], and removes these optional attributes.
    ///
    /// # Errors
    /// As [`Database::update`].
    pub fn change(
        &self,
        entity: &str,
        values: impl Serialize,
        removed: &[&str],
    ) -> Result<Written, Error> {
        let removed: Vec<String> = removed.iter().map(|name| (*name).to_owned()).collect();
        let values = given::of_entity(entity, values)?;
        blocked(self.write(Verb::Change, entity, values, &removed)).map(Written::of)
    }

    /// Removes optional attributes of the entity with a key, and leaves the others as they are.
    ///
    /// # Errors
    /// As [`Database::update`].
    pub fn remove(
        &self,
        entity: &str,
        key: impl Serialize,
        removed: &[&str],
    ) -> Result<Written, Error> {
        self.change(entity, key, removed)
    }

    /// Deletes an entity that exists, with everything that follows from it. A version that is given
    /// must be the item's; other attributes beside those that identify it are ignored, so that a
    /// whole item may be given.
    ///
    /// # Errors
    /// `NotFound` when it does not exist; `StaleVersion` when its version is another; `Refused`
    /// when items are counted in it.
    pub fn delete(&self, entity: &str, key: impl Serialize) -> Result<Written, Error> {
        let key = given::of_entity(entity, key)?;
        blocked(self.write(Verb::Delete, entity, key, &[])).map(Written::of)
    }

    /// Carries out the write of one entity.
    pub(crate) async fn write(
        &self,
        verb: Verb,
        entity: &str,
        given: Given,
        removed: &[String],
    ) -> Result<write::Written, Error> {
        let terms = self.bound.terms(entity, None);
        let (entity, values) = self.of_entity(verb, entity, given)?;
        let call = self.call(verb, entity, &values, removed);
        let done = carried(&self.bound.shared, &terms, call).await;
        done.map_err(|error| error.owned(&entity.name))
    }

    /// The entity of a write, and its values.
    pub(crate) fn of_entity(
        &self,
        verb: Verb,
        entity: &str,
        given: Given,
    ) -> Result<(&Entity, Values), Error> {
        let entity = self.entity(entity)?;
        let values = without_kept(entity, given).and_then(|given| {
            Ok(match verb {
                Verb::Put | Verb::Create => arguments::of_entity(entity, &given)?,
                Verb::Change | Verb::Delete => arguments::some_of_entity(entity, &given)?,
            })
        });
        Ok((entity, values.map_err(|error| error.owned(&entity.name))?))
    }

    /// The steps of the write of one entity.
    fn call<'c>(
        &'c self,
        verb: Verb,
        entity: &'c Entity,
        values: &'c Values,
        removed: &'c [String],
    ) -> Lowering<'c, write::Written> {
        let (origin, model) = (origin(), &*self.bound.model);
        match verb {
            Verb::Put => write::put(origin, model, entity, values),
            Verb::Create => write::create(origin, model, entity, values),
            Verb::Change => write::update(origin, model, entity, values, removed),
            Verb::Delete => write::delete(origin, model, entity, values),
        }
    }

    /// A reader of stream records: which entity changed, from what to what. For the records of
    /// [`Keyfold::send`](crate::Keyfold::send) with `GetRecordsInput`, and for the events of Lambda.
    ///
    /// ```
    /// # use keyfold::{Keyfold, values};
    /// # let db = Keyfold::memory()?;
    /// # let shop = db.model("model n 1\ntable Shop (PK, SK)\nentity Order\n  id: string, total: int\n  key \"O#{id}\" \"O\"\npattern order(id) -> Order?\n")?;
    /// # let json = br#"{"Records":[{"dynamodb":{"Keys":{"PK":{"S":"O#a"},"SK":{"S":"O"}},"NewImage":{"PK":{"S":"O#a"},"SK":{"S":"O"},"id":{"S":"a"},"total":{"N":"5"}}}}]}"#;
    /// for event in shop.events().of_json(json)? {
    ///     if let ("Order", None, Some(order)) = (event.kind.as_str(), &event.old, &event.new) {
    ///         println!("a new order of {:?}", order.int("total"));
    ///     }
    /// }
    /// # Ok::<(), keyfold::Error>(())
    /// ```
    pub fn events(&self) -> Events<'_> {
        Events::new(&self.bound.model).on_unknown(self.bound.on_unknown)
    }

    /// A pattern, to be given its arguments.
    pub fn query(&self, pattern: &str) -> Query<'_> {
        Query::new(&self.bound, pattern)
    }

    /// A named write, to be given its arguments: its actions happen together or not at all.
    pub fn run(&self, name: &str) -> Run<'_> {
        Run {
            bound: &self.bound,
            named: Named::new(name),
        }
    }

    pub(crate) fn entity(&self, name: &str) -> Result<&Entity, Error> {
        let known = self
            .bound
            .model
            .entities
            .iter()
            .map(|entity| entity.name.as_str());
        self.bound
            .model
            .entity(name)
            .ok_or_else(|| unknown(&self.bound.model.name, "entity", name, known).owned(name))
    }
}

/// The writes of one entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Put,
    Create,
    Change,
    Delete,
}

/// A named write and the arguments given so far.
#[derive(Clone)]
#[must_use = "a write happens when it is sent"]
pub struct Run<'d> {
    bound: &'d Bound,
    named: Named,
}

impl Run<'_> {
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
    /// `Refused` with the action and condition that did not hold; `Taken`; `NotFound`; `Invalid`.
    pub fn send(self) -> Result<Written, Error> {
        blocked(self.named.write(self.bound)).map(Written::of)
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").finish_non_exhaustive()
    }
}
