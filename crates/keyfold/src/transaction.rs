//! Several writes in one transaction, and entities in batches.

use crate::asked::{Bound, Named};
use crate::awaited::{blocked, carried};
use crate::database::{Database, Verb};
use crate::error::Error;
use crate::given::{self, Given};
use crate::item::Item;
use crate::written::{BatchWritten, Transacted};
use keyfold_client::{ClientError, origin};
use keyfold_lower::arguments::Values;
use keyfold_lower::write::Part;
use keyfold_lower::{read, write};
use keyfold_model::{Entity, Write};
use keyfold_stream::world::Io;
use serde::Serialize;

/// Writes that happen together, as if one happened after the other, or not at all: one atomic request
/// with everything that follows from each.
///
/// ```
/// use keyfold::{Keyfold, Transaction, values};
///
/// let shop = Keyfold::memory()?.model(
///     r#"
/// model shop 1
/// table Shop (PK, SK)
/// entity Product
///   product: string, stock: int
///   key "P#{product}" "P"
/// entity Order
///   order: ulid = new, product: Product.product
///   key "O#{order}" "O"
/// pattern product(product) -> Product
/// write take(product, amount: int)
///   update Product set stock = stock - amount when stock >= amount
/// "#,
/// )?;
/// shop.put("Product", values! { "product": "pen", "stock": 1 })?;
/// let buy = Transaction::new()
///     .run("take", values! { "product": "pen", "amount": 1 })
///     .create("Order", values! { "product": "pen" });
/// let done = shop.transact(buy.clone())?;
/// assert!(done.writes[1].made.contains_key("order"));
/// assert!(shop.transact(buy).is_err(), "nothing is left, and nothing is ordered");
/// # Ok::<(), keyfold::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "writes happen when a database carries the transaction out"]
pub struct Transaction {
    writes: Vec<One>,
}

/// One write of a transaction, as it is given.
#[derive(Debug, Clone)]
pub(crate) enum One {
    OfEntity {
        verb: Verb,
        entity: String,
        given: Result<Given, Error>,
        removed: Vec<String>,
    },
    Run(String, Result<Given, Error>),
}

impl Transaction {
    /// A transaction without a write.
    pub fn new() -> Transaction {
        Transaction::default()
    }

    /// Whether it has no write.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Adds the writes of another transaction behind its own.
    pub(crate) fn append(&mut self, more: Transaction) {
        self.writes.extend(more.writes);
    }

    pub(crate) fn of(writes: Vec<One>) -> Transaction {
        Transaction { writes }
    }

    fn with(mut self, verb: Verb, entity: &str, values: impl Serialize, removed: &[&str]) -> Self {
        self.writes.push(One::OfEntity {
            verb,
            entity: entity.to_owned(),
            given: given::members(values),
            removed: removed.iter().map(|name| (*name).to_owned()).collect(),
        });
        self
    }

    /// Adds the write of a whole entity that must not exist. See [`Database::create`].
    pub fn create(self, entity: &str, values: impl Serialize) -> Self {
        self.with(Verb::Create, entity, values, &[])
    }

    /// Adds the write of a whole entity. See [`Database::put`].
    pub fn put(self, entity: &str, values: impl Serialize) -> Self {
        self.with(Verb::Put, entity, values, &[])
    }

    /// Adds the change of an entity. See [`Database::update`].
    pub fn update(self, entity: &str, values: impl Serialize) -> Self {
        self.with(Verb::Change, entity, values, &[])
    }

    /// Adds the change of an entity that loses some attributes. See [`Database::change`].
    pub fn change(self, entity: &str, values: impl Serialize, removed: &[&str]) -> Self {
        self.with(Verb::Change, entity, values, removed)
    }

    /// Adds the deletion of an entity. See [`Database::delete`].
    pub fn delete(self, entity: &str, key: impl Serialize) -> Self {
        self.with(Verb::Delete, entity, key, &[])
    }

    /// Adds a named write with its arguments. See [`Database::run`].
    pub fn run(mut self, name: &str, arguments: impl Serialize) -> Self {
        let given = given::members(arguments);
        self.writes.push(One::Run(name.to_owned(), given));
        self
    }
}

/// One write with what the model knows of it.
enum Known<'m> {
    OfEntity(Verb, &'m Entity, Values, Vec<String>),
    Run(&'m Write, Values),
}

impl Known<'_> {
    fn part(&self) -> Part<'_> {
        match self {
            Known::OfEntity(Verb::Create, entity, values, _) => Part::Create { entity, values },
            Known::OfEntity(Verb::Put, entity, values, _) => Part::Put { entity, values },
            Known::OfEntity(Verb::Change, entity, values, removed) => Part::Update {
                entity,
                changes: values,
                removed,
            },
            Known::OfEntity(Verb::Delete, entity, values, _) => Part::Delete {
                entity,
                key: values,
            },
            Known::Run(write, arguments) => Part::Run { write, arguments },
        }
    }
}

impl Database {
    /// Carries several writes out in one transaction, as if one happened after the other: all of them
    /// or none. At most 100 items change, and 4 MB.
    ///
    /// # Errors
    /// Those of the single writes, with the number and the name of the write; `Refused` where two
    /// writes meet in an item and their order would make a difference.
    pub fn transact(&self, transaction: Transaction) -> Result<Transacted, Error> {
        blocked(self.transacted(transaction)).map(Transacted::of)
    }

    /// Carries several writes out.
    pub(crate) async fn transacted(
        &self,
        transaction: Transaction,
    ) -> Result<write::Transacted, Error> {
        let Bound { shared, model, .. } = self.bound();
        let terms = self.bound().terms("transact", None);
        let known = self.known(transaction)?;
        let parts: Vec<Part<'_>> = known.iter().map(Known::part).collect();
        let call = write::transact(origin(), model, &parts);
        carried(shared, &terms, call).await
    }

    /// Carries several writes out with the requests of a consumer.
    pub(crate) async fn send_on(
        &self,
        io: &dyn Io,
        writes: Transaction,
    ) -> Result<(), ClientError> {
        let known = self.known(writes).map_err(|error| {
            // The writes contradict the model: they will next time, too.
            ClientError::Invalid(error.to_string())
        })?;
        let parts: Vec<Part<'_>> = known.iter().map(Known::part).collect();
        let call = write::transact(origin(), &self.bound().model, &parts);
        keyfold_stream::world::carry(io, call).await.map(|_| ())
    }

    fn known(&self, transaction: Transaction) -> Result<Vec<Known<'_>>, Error> {
        let one = |one: One| {
            Ok(match one {
                One::OfEntity {
                    verb,
                    entity,
                    given,
                    removed,
                } => {
                    let (entity, values) = self.of_entity(verb, &entity, given?)?;
                    Known::OfEntity(verb, entity, values, removed)
                }
                One::Run(name, given) => {
                    let named = Named::with(&name, given);
                    let of_write = named.of_write(&self.bound().model);
                    let name = format!("the write {name}");
                    let (write, arguments) = of_write.map_err(|error| error.owned(&name))?;
                    Known::Run(write, arguments)
                }
            })
        };
        transaction.writes.into_iter().map(one).collect()
    }

    /// Reads entities by the attributes that identify them, 100 in a request: one for each key, in
    /// their order, and `None` for an absent one. The items are not of one moment.
    ///
    /// # Errors
    /// `Invalid` for an entity that is stored as several items, and for a key that is not whole.
    pub fn get_many<K: Serialize>(
        &self,
        entity: &str,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Vec<Option<Item>>, Error> {
        blocked(self.found_many(entity, keys, false))
    }

    /// As [`Database::get_many`], with the newest items: a strongly consistent read, at twice the
    /// capacity.
    ///
    /// # Errors
    /// As [`Database::get_many`].
    pub fn get_many_newest<K: Serialize>(
        &self,
        entity: &str,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Vec<Option<Item>>, Error> {
        blocked(self.found_many(entity, keys, true))
    }

    /// Reads entities by their keys.
    pub(crate) async fn found_many<K: Serialize>(
        &self,
        entity: &str,
        keys: impl IntoIterator<Item = K>,
        strong: bool,
    ) -> Result<Vec<Option<Item>>, Error> {
        self.found_all(entity, members_of(keys)?, strong).await
    }

    pub(crate) async fn found_all(
        &self,
        entity: &str,
        keys: Vec<Given>,
        strong: bool,
    ) -> Result<Vec<Option<Item>>, Error> {
        let Bound { shared, model, .. } = self.bound();
        let terms = self.bound().terms(entity, None);
        let (entity, keys) = self.all_of(Verb::Delete, entity, keys)?;
        let how = (strong, self.bound().on_unknown);
        let call = read::many(origin(), model, entity, &keys, how);
        let found = carried(shared, &terms, call).await;
        Ok(items_of(found.map_err(|error| error.owned(&entity.name))?))
    }

    /// Writes whole entities, whether they exist or not, 25 in a request. Each is written as a whole;
    /// the batch is not atomic. It takes entities from which nothing follows: no copy, guard, count,
    /// version or part. Attributes that the model does not name go.
    ///
    /// # Errors
    /// `Invalid` for another entity, with the reason; `Incomplete` with the positions of the items
    /// that were written, that were not, and of which that is not known.
    pub fn put_many<V: Serialize>(
        &self,
        entity: &str,
        items: impl IntoIterator<Item = V>,
    ) -> Result<BatchWritten, Error> {
        blocked(self.put_all(entity, items)).map(BatchWritten::of)
    }

    /// Writes whole entities.
    pub(crate) async fn put_all<V: Serialize>(
        &self,
        entity: &str,
        items: impl IntoIterator<Item = V>,
    ) -> Result<write::ManyWritten, Error> {
        self.put_each(entity, members_of(items)?).await
    }

    pub(crate) async fn put_each(
        &self,
        entity: &str,
        items: Vec<Given>,
    ) -> Result<write::ManyWritten, Error> {
        let Bound { shared, model, .. } = self.bound();
        let terms = self.bound().terms(entity, None);
        let (entity, items) = self.all_of(Verb::Put, entity, items)?;
        let call = write::put_many(origin(), model, entity, &items);
        let done = carried(shared, &terms, call).await;
        done.map_err(|error| error.owned(&entity.name))
    }

    /// Deletes entities, whether they exist or not, as [`Database::put_many`] writes them.
    ///
    /// # Errors
    /// As [`Database::put_many`].
    pub fn delete_many<K: Serialize>(
        &self,
        entity: &str,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<BatchWritten, Error> {
        blocked(self.deleted_all(entity, keys)).map(BatchWritten::of)
    }

    /// Deletes entities.
    pub(crate) async fn deleted_all<K: Serialize>(
        &self,
        entity: &str,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<write::ManyWritten, Error> {
        self.delete_each(entity, members_of(keys)?).await
    }

    pub(crate) async fn delete_each(
        &self,
        entity: &str,
        keys: Vec<Given>,
    ) -> Result<write::ManyWritten, Error> {
        let Bound { shared, model, .. } = self.bound();
        let terms = self.bound().terms(entity, None);
        let (entity, keys) = self.all_of(Verb::Delete, entity, keys)?;
        let call = write::delete_many(origin(), model, entity, &keys);
        let done = carried(shared, &terms, call).await;
        done.map_err(|error| error.owned(&entity.name))
    }

    /// The entity, and the values of each of its items.
    fn all_of(
        &self,
        verb: Verb,
        name: &str,
        all: Vec<Given>,
    ) -> Result<(&Entity, Vec<Values>), Error> {
        let entity = self.entity(name)?;
        let one = |(at, values): (usize, Given)| match self.of_entity(verb, name, values) {
            Ok((_, values)) => Ok(values),
            Err(error) => Err(error.of_item(at)),
        };
        let all: Result<Vec<Values>, Error> = all.into_iter().enumerate().map(one).collect();
        Ok((entity, all?))
    }
}

/// The values of each item.
fn members_of<V: Serialize>(all: impl IntoIterator<Item = V>) -> Result<Vec<Given>, Error> {
    let each = all.into_iter().enumerate();
    let each = each.map(|(at, one)| given::members(one).map_err(|error| error.of_item(at)));
    each.collect()
}

fn items_of(many: read::Many) -> Vec<Option<Item>> {
    let items = many.items.into_iter();
    items.map(|one| one.map(Item::new)).collect()
}
