//! Containers and items, and which item is in which container.

use crate::model::{
    AsyncFreightClient, Container, ContainerId, Item, ItemId, NewContainer, NewItem,
};
use keyfold::nonblocking::Keyfold;
use keyfold::typed::{Error, Page};
use std::collections::BTreeSet;

const PLACES_MAX: i64 = 1000;
const DESCRIPTION_MAX: usize = 1000;

/// Whether a container can have so many places.
///
/// # Errors
/// A sentence that says how many it can have.
pub fn check_places(places: i64) -> Result<(), &'static str> {
    match (1..=PLACES_MAX).contains(&places) {
        true => Ok(()),
        false => Err("A container has from 1 to 1,000 places. Send one of these numbers."),
    }
}

/// Whether an item can be described so.
///
/// # Errors
/// A sentence that says how long a description can be.
pub fn check_description(description: &str) -> Result<(), &'static str> {
    match description.chars().count() <= DESCRIPTION_MAX {
        true => Ok(()),
        false => Err("A description has up to 1,000 characters. Shorten it."),
    }
}

/// Why an item was not assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such container, or it is full.
    NoPlace,
    /// There is no such item, or it is in a container.
    NotFree,
}

/// The goods and containers of a database.
#[derive(Debug, Clone)]
pub struct Freight {
    client: AsyncFreightClient,
}

impl Freight {
    /// Opens the goods and containers of a database: its tables are made if they are absent.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn open(database: &Keyfold) -> Result<Freight, Error> {
        let client = AsyncFreightClient::new(database).await?;
        Ok(Freight { client })
    }

    /// Adds some containers and items where there are none.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn seed(&self) -> Result<(), Error> {
        if self.client.containers().first().await?.is_some() {
            return Ok(());
        }
        for (id, places) in [("north", 4), ("east", 6), ("south", 16)] {
            self.add_container(&id.into(), places).await?;
        }
        let goods = ["books", "bicycles", "tea", "tiles", "lamps", "seeds"];
        for (number, what) in goods.iter().enumerate() {
            let id = ItemId::from(format!("item-{}", number + 1));
            self.add_item(&id, &format!("a crate of {what}")).await?;
        }
        Ok(())
    }

    /// Adds an empty container. Returns whether its identifier is new.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn add_container(&self, id: &ContainerId, places: i64) -> Result<bool, Error> {
        let new = NewContainer::new(id.clone(), places);
        is_new(self.client.container.create(&new).await.map(drop))
    }

    /// Adds an item that is in no container. Returns whether its identifier is new.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn add_item(&self, id: &ItemId, description: &str) -> Result<bool, Error> {
        let new = NewItem::new(id.clone(), description.to_owned());
        is_new(self.client.item.create(&new).await.map(drop))
    }

    /// N3: puts an item into a container: both change, or neither.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn assign(
        &self,
        item: &ItemId,
        to: &ContainerId,
    ) -> Result<Result<(), Refusal>, Error> {
        match self.client.assign(to, item).await {
            Ok(_) => Ok(Ok(())),
            // The item of the refusal does not fit, or is not there.
            Err(error @ (Error::Refused(_) | Error::NotFound(_))) => {
                match error.refused().and_then(|why| why.entity.as_deref()) {
                    Some("Container") => Ok(Err(Refusal::NoPlace)),
                    Some("Item") => Ok(Err(Refusal::NotFree)),
                    _ => Err(error),
                }
            }
            Err(other) => Err(other),
        }
    }

    /// Takes an item out of a container. Returns whether it was in it.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn unload(&self, item: &ItemId, from: &ContainerId) -> Result<bool, Error> {
        match self.client.unload(from, item).await {
            Ok(_) => Ok(true),
            Err(Error::Refused(_) | Error::NotFound(_)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// The container with an identifier.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn container(&self, id: &ContainerId) -> Result<Option<Container>, Error> {
        self.client.container(id).await
    }

    /// The item with an identifier.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn item(&self, id: &ItemId) -> Result<Option<Item>, Error> {
        self.client.item(id).await
    }

    /// A page of the containers, the first one or that behind a cursor, by their identifiers.
    ///
    /// # Errors
    /// `Invalid` when the cursor is none; those of the database.
    pub async fn containers(&self, after: Option<&str>) -> Result<Page<Container>, Error> {
        let all = self.client.containers();
        let query = match after {
            Some(cursor) => all.after(cursor),
            None => all,
        };
        let mut page = query.page().await?;
        (page.items).sort_by(|one, other| one.container_id.cmp(&other.container_id));
        Ok(page)
    }

    /// A page of the items, the first one or that behind a cursor, by their identifiers.
    ///
    /// # Errors
    /// `Invalid` when the cursor is none; those of the database.
    pub async fn items(&self, after: Option<&str>) -> Result<Page<Item>, Error> {
        let all = self.client.items();
        let query = match after {
            Some(cursor) => all.after(cursor),
            None => all,
        };
        let mut page = query.page().await?;
        (page.items).sort_by(|one, other| one.item_id.cmp(&other.item_id));
        Ok(page)
    }

    /// The identifiers of the items that say that they are in a container.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn items_in(&self, container: &ContainerId) -> Result<BTreeSet<String>, Error> {
        let (mut all, mut inside) = (self.client.items().items(), BTreeSet::new());
        while let Some(item) = all.next().await {
            let item = item?;
            if item.container_id.as_ref() == Some(container) {
                inside.insert(item.item_id.to_string());
            }
        }
        Ok(inside)
    }
}

/// Whether something was created; an error other than that it exists stays one.
fn is_new(created: Result<(), Error>) -> Result<bool, Error> {
    match created {
        Ok(()) => Ok(true),
        Err(Error::Exists(_)) => Ok(false),
        Err(other) => Err(other),
    }
}
