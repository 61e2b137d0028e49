//! The handler of a view: what records change of its rows.

use super::definition::{Definition, Groups, Share};
use super::links::refresh;
use super::place::{Kind, Space, TABLE, bytes, digest};
use super::requests::{delete, get_many, is_overtaken, put, transact};
use super::rows::{Change, Target, version};
use super::state::{Mode, State};
use super::{simple, single, whole};
use crate::handler::{Effects, Failure, Handler, Record};
use crate::world::Io;
use keyfold_api::{ExpressionAttributes, StreamEvent, TransactWriteItem};
use keyfold_client::FoundItem;
use keyfold_client::event::Events;
use keyfold_lower::ClientError;
use keyfold_types::{Item, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// How often rows are read anew that another worker has changed meanwhile.
const TRIES: u32 = 12;
/// The longest pause between two of these tries doubles from this time.
const PAUSE_MS: u64 = 2;
/// The attributes of what an item gives.
const SHARE: &str = "view:share";
const STAMP: &str = "view:stamp";

/// Keeps a generation of a view, from the stream of one table.
#[derive(Clone)]
pub(crate) struct Keeper {
    pub(crate) definition: Arc<Definition>,
    pub(crate) generation: u64,
    pub(crate) table: String,
}

/// What records change.
#[derive(Debug, Default, Clone)]
struct Batch {
    changes: Vec<Change>,
    /// Items that rows refer to: the entity's position, and the item's key.
    referred: Vec<(usize, Item)>,
}

impl Handler for Keeper {
    fn handle(&self, records: &[Record]) -> Result<Effects, Failure> {
        let batch = self.batch(records)?;
        if batch.changes.is_empty() && batch.referred.is_empty() {
            return Ok(Effects::none());
        }
        let keeper = self.clone();
        Ok(Effects::steps(move |plain, joined| {
            Box::pin(async move { keeper.carry(plain, joined, batch).await })
        }))
    }
}

impl Keeper {
    pub(crate) fn space(&self) -> Space {
        Space {
            view: self.definition.name.clone(),
            generation: self.generation,
        }
    }

    /// What records change, for each item once.
    fn batch(&self, records: &[Record]) -> Result<Batch, ClientError> {
        let definition = &*self.definition;
        let source = definition.source();
        let is_source = definition.table_of(source).name == self.table;
        let events = Events::new(&definition.model);
        let mut changes: BTreeMap<Vec<u8>, Change> = BTreeMap::new();
        let mut referred: BTreeSet<(usize, Vec<u8>)> = BTreeSet::new();
        let mut batch = Batch::default();
        let mut known = Groups::new();
        for record in records {
            let Some(key) = key_of(record) else { continue };
            let Some(change) = events.change(record)? else {
                continue;
            };
            for entity in definition.view().joined() {
                if definition.entity_at(entity).name == change.kind
                    && self.concerns(entity, change.old.as_ref(), change.new.as_ref())
                    && referred.insert((entity, bytes(key)))
                {
                    batch.referred.push((entity, key.clone()));
                }
            }
            if !is_source || change.kind != source.name {
                continue;
            }
            let mut share = |item: Option<&FoundItem>| match item {
                Some(item) => definition.share(item, &mut known),
                None => Ok(None),
            };
            let new = share(change.new.as_ref())?;
            match changes.entry(bytes(key)) {
                std::collections::btree_map::Entry::Occupied(mut known) => {
                    known.get_mut().new = new
                }
                std::collections::btree_map::Entry::Vacant(place) => {
                    let old = share(change.old.as_ref())?;
                    place.insert(Change {
                        key: key.clone(),
                        old,
                        new,
                    });
                }
            }
        }
        batch.changes = changes.into_values().collect();
        Ok(batch)
    }

    /// Whether rows have an attribute of an entity that a change concerns.
    fn concerns(&self, entity: usize, old: Option<&FoundItem>, new: Option<&FoundItem>) -> bool {
        let of =
            |item: Option<&FoundItem>, name: &str| item.and_then(|item| item.get(name)).cloned();
        let links = self.definition.links.iter();
        let mut used = links
            .filter(|link| link.entity == entity)
            .flat_map(|link| &link.columns);
        old.is_none() || new.is_none() || used.any(|(_, name)| of(old, name) != of(new, name))
    }

    /// Carries a batch out: rows of items that are referred to in transactions of their own, the others
    /// together with the position.
    async fn carry(
        &self,
        plain: &dyn Io,
        joined: &dyn Io,
        batch: Batch,
    ) -> Result<(), ClientError> {
        let state = State::read(plain, &self.definition.name).await?;
        let mode = state.mode(self.generation);
        if mode == Mode::Wait {
            return Err(ClientError::Transport(format!(
                "the view {} is about to have other rows, and its records wait",
                self.definition.name
            )));
        }
        let target = Target {
            definition: &self.definition,
            space: self.space(),
            is_aside: mode == Mode::Build,
        };
        for (entity, key) in &batch.referred {
            refresh(plain, &target, *entity, (&self.table, key)).await?;
        }
        if batch.changes.is_empty() {
            return Ok(());
        }
        write(joined, || actions(joined, &target, mode, &batch.changes)).await
    }
}

/// The key of a record's item.
pub(crate) fn key_of(record: &StreamEvent) -> Option<&Item> {
    let keys = record.dynamodb.as_ref()?.keys.as_ref()?;
    keys.as_ref().ok()
}

/// Makes actions and writes them, again when an item has changed meanwhile.
///
/// # Errors
/// The backend's; a passing one when items change each time.
pub(crate) async fn write<F>(io: &dyn Io, mut make: impl FnMut() -> F) -> Result<(), ClientError>
where
    F: Future<Output = Result<Vec<TransactWriteItem>, ClientError>>,
{
    let mut tried = 0;
    loop {
        let actions = make().await?;
        if actions.is_empty() {
            return Ok(());
        }
        match transact(io, actions).await {
            Ok(()) => return Ok(()),
            Err(error) if !is_overtaken(&error) => return Err(error),
            Err(error) if tried == TRIES => {
                let why = format!("the rows change faster than they are written: {error}");
                return Err(ClientError::Transport(why));
            }
            Err(_) => {
                tried += 1;
                let most = PAUSE_MS << tried.min(6);
                io.pause(Duration::from_millis(io.random() % most)).await;
            }
        }
    }
}

/// The actions of changes.
///
/// # Errors
/// The backend's; `Refused` for values that no row can have.
pub(crate) async fn actions(
    io: &dyn Io,
    target: &Target<'_>,
    mode: Mode,
    changes: &[Change],
) -> Result<Vec<TransactWriteItem>, ClientError> {
    let (own, mut kept) = match mode {
        Mode::Live(false) | Mode::Wait => (None, Vec::new()),
        Mode::Live(true) | Mode::Build => {
            let (changes, kept) = with_items(io, target, mode, changes).await?;
            (Some(changes), kept)
        }
    };
    let changes = own.as_deref().unwrap_or(changes);
    let view = target.definition.view();
    let actions = if !view.is_grouped {
        single::actions(io, target, changes).await?
    } else if target.definition.is_read_first() {
        whole::actions(io, target, target.rows(changes)?).await?
    } else {
        simple::actions(io, target, target.rows(changes)?).await?
    };
    kept.extend(actions);
    Ok(kept)
}

/// The key under which is kept what an item gives.
pub(crate) fn item_key(target: &Target<'_>, key: &Item) -> Item {
    target.space.key(Kind::Items, &digest(key))
}

/// An item with what a source item gives.
pub(crate) fn item(io: &dyn Io, mut key: Item, share: Option<&Share>) -> Item {
    key.insert(STAMP, version(io));
    if let Some(share) = share {
        key.insert(SHARE, share.to_value());
    }
    key
}

/// Changes from what is kept of items, and the actions that keep it.
async fn with_items(
    io: &dyn Io,
    target: &Target<'_>,
    mode: Mode,
    changes: &[Change],
) -> Result<(Vec<Change>, Vec<TransactWriteItem>), ClientError> {
    let keys = changes.iter().map(|change| item_key(target, &change.key));
    let stored = get_many(io, TABLE, keys.collect()).await?;
    let (mut made, mut actions) = (Vec::new(), Vec::new());
    for change in changes {
        let mut change = change.clone();
        let key = item_key(target, &change.key);
        let held = stored.get(&bytes(&key));
        if let Some(held) = held {
            change.old = held.get(SHARE).and_then(Share::of_value);
        } else if mode == Mode::Build {
            change.old = None;
        }
        if mode == Mode::Build {
            let attributes = ExpressionAttributes::default().name("#s", STAMP);
            let condition = match held.and_then(|held| held.get(STAMP)) {
                Some(Value::N(stamp)) => (
                    "#s = :s".to_owned(),
                    attributes.value(":s", Value::N(*stamp)),
                ),
                Some(_) | None => ("attribute_not_exists(#s)".to_owned(), attributes),
            };
            let item = item(io, key, change.new.as_ref());
            actions.push(put(TABLE, item, Some(condition)));
        } else if held.is_some() {
            // From here on the item gives what its last record says.
            actions.push(delete(TABLE, key, None));
        }
        made.push(change);
    }
    Ok((made, actions))
}
