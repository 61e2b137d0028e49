//! Goods into containers: an item is in one container or in none, and no container takes more than it
//! has places for, however many dispatchers there are.

/// The client that `build.rs` makes of the model.
pub mod model {
    keyfold::include_client!("freight");
}

use keyfold::typed::{Error, Keyfold};
use model::{Container, ContainerId, FreightClient, Item, ItemId, NewContainer, NewItem};

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
    client: FreightClient,
}

impl Freight {
    /// Opens the goods and containers of a database: its tables are made if they are absent.
    ///
    /// # Errors
    /// Those of the database.
    pub fn open(database: &Keyfold) -> Result<Freight, Error> {
        let client = FreightClient::new(database)?;
        Ok(Freight { client })
    }

    /// Adds an empty container. Returns whether its identifier is new.
    ///
    /// # Errors
    /// Those of the database.
    pub fn add_container(&self, id: &ContainerId, places: i64) -> Result<bool, Error> {
        let container_id = id.clone();
        let new = NewContainer {
            container_id,
            free: places,
        };
        is_new(self.client.container.create(&new).map(drop))
    }

    /// Adds an item that is in no container. Returns whether its identifier is new.
    ///
    /// # Errors
    /// Those of the database.
    pub fn add_item(&self, id: &ItemId, description: &str) -> Result<bool, Error> {
        let new = NewItem::new(id.clone(), description.to_owned());
        is_new(self.client.item.create(&new).map(drop))
    }

    /// Puts an item into a container: both change, or neither.
    ///
    /// # Errors
    /// Those of the database.
    pub fn assign(&self, item: &ItemId, to: &ContainerId) -> Result<Result<(), Refusal>, Error> {
        match self.client.assign(to, item) {
            Ok(_) => Ok(Ok(())),
            Err(Error::Refused(refused)) => match refused.entity.as_deref() {
                Some("Container") => Ok(Err(Refusal::NoPlace)),
                Some("Item") => Ok(Err(Refusal::NotFree)),
                _ => Err(Error::Refused(refused)),
            },
            Err(other) => Err(other),
        }
    }

    /// Takes an item out of a container. Returns whether it was in it.
    ///
    /// # Errors
    /// Those of the database.
    pub fn unload(&self, item: &ItemId, from: &ContainerId) -> Result<bool, Error> {
        match self.client.unload(from, item) {
            Ok(_) => Ok(true),
            Err(Error::Refused(_) | Error::NotFound(_)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// The container with an identifier.
    ///
    /// # Errors
    /// Those of the database.
    pub fn container(&self, id: &ContainerId) -> Result<Option<Container>, Error> {
        self.client.container(id)
    }

    /// The item with an identifier.
    ///
    /// # Errors
    /// Those of the database.
    pub fn item(&self, id: &ItemId) -> Result<Option<Item>, Error> {
        self.client.item(id)
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
