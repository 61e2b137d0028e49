//! What rows have of items that their source refers to.
//!
//! A row is written with what such an item has at that moment: the transaction demands that it still
//! has it. For each row there is an entry under the key of the item, so that a change of the item finds
//! its rows. Those are written in transactions of their own, before the position moves: each demands
//! that the item is as it was read, and that its entries are there still, so one that comes twice or late
//! changes nothing, nor does one for a row that refers to another item meanwhile. A row and its entries are
//! made and deleted in one transaction: an entry whose row is absent, or of another generation, shows that
//! somebody else has written to the table of the rows. The other rows are written without it.

use super::definition::{Link, Share};
use super::place::{Kind, PARTITION, SORT, TABLE, bytes, digest, sort_of};
use super::requests::{check, delete, get, is_overtaken, page, put, transact};
use super::rows::{Target, mark_name, version, version_name};
use crate::world::{Io, ask};
use keyfold_api::{
    ExpressionAttributes, TransactGet, TransactGetItemsInput, TransactUpdate, TransactWriteItem,
};
use keyfold_lower::arguments::Values;
use keyfold_lower::derive::Place;
use keyfold_lower::{ClientError, stored};
use keyfold_model::value;
use keyfold_types::{Item, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The attribute of an entry with the key of the row.
const ROW: &str = "view:row";
/// The most entries that are read at once. With the checks they fit in a transaction.
const ENTRIES: usize = 45;
/// How often a page is tried whose rows or item change meanwhile.
const TRIES: u32 = 20;
/// The tries before the rows are looked at.
const TRIES_BLIND: u32 = 3;
const PAUSE: Duration = Duration::from_millis(10);

/// An item that rows refer to, as it was read.
struct Read {
    table: String,
    /// The partition key of its table.
    partition: String,
    key: Item,
    item: Option<Item>,
    /// The attributes that rows have of it.
    used: BTreeSet<String>,
}

impl Read {
    /// The action that demands that the item is as it was read.
    fn check(&self) -> TransactWriteItem {
        let mut attributes = ExpressionAttributes::default().name("#p", &self.partition);
        let Some(item) = &self.item else {
            let condition = ("attribute_not_exists(#p)".to_owned(), attributes);
            return check(&self.table, self.key.clone(), condition);
        };
        let mut text = "attribute_exists(#p)".to_owned();
        for (at, name) in self.used.iter().enumerate() {
            attributes = attributes.name(format!("#a{at}"), name);
            match item.get(name) {
                Some(held) => {
                    attributes = attributes.value(format!(":a{at}"), held.clone());
                    text.push_str(&format!(" AND #a{at} = :a{at}"));
                }
                None => text.push_str(&format!(" AND attribute_not_exists(#a{at})")),
            }
        }
        check(&self.table, self.key.clone(), (text, attributes))
    }

    /// What a row has of it: attributes of the row, absent where the item has none that can be read.
    fn of(&self, target: &Target<'_>, link: &Link) -> Vec<(String, Option<Value>)> {
        let definition = target.definition;
        let entity = definition.entity_at(link.entity);
        let table = definition.table_of(entity);
        let items: Vec<Item> = self.item.iter().cloned().collect();
        let held = link.columns.iter().map(|(attribute, of)| {
            let held = stored::value_of(table, entity, None, of, &items);
            let held = held.ok().flatten().filter(|held| {
                let kind = entity.attribute(of).map(|one| &one.kind);
                kind.is_some_and(|kind| value::check(of, kind, held).is_ok())
            });
            (attribute.clone(), held)
        });
        held.collect()
    }
}

/// The items that a transaction has read and demands.
#[derive(Default)]
pub(crate) struct Checks {
    all: BTreeMap<(String, Vec<u8>), Read>,
}

impl Checks {
    /// What a new row has of the items that its source refers to.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn read(
        &mut self,
        io: &dyn Io,
        target: &Target<'_>,
        share: &Share,
    ) -> Result<Vec<(String, Value)>, ClientError> {
        let mut found = Vec::new();
        for (link, key) in target.definition.links.iter().zip(&share.links) {
            let Some(key) = key else { continue };
            let place = place(target, link, key)?;
            let at = (place.0.clone(), bytes(&place.1));
            if !self.all.contains_key(&at) {
                let read = read(io, target, link, place).await?;
                self.all.insert(at.clone(), read);
            }
            if let Some(read) = self.all.get_mut(&at) {
                read.used
                    .extend(link.columns.iter().map(|(_, of)| of.clone()));
                let held = read.of(target, link);
                found.extend(
                    held.into_iter()
                        .filter_map(|(name, held)| Some((name, held?))),
                );
            }
        }
        Ok(found)
    }

    /// The actions that demand that the items are as they were read.
    pub(crate) fn actions(&self) -> impl Iterator<Item = TransactWriteItem> {
        self.all.values().map(Read::check)
    }
}

/// The table and key of the item of a link.
fn place(target: &Target<'_>, link: &Link, key: &Values) -> Result<(String, Item), ClientError> {
    let entity = target.definition.entity_at(link.entity);
    let place = Place::of(&target.definition.model, entity, key)?;
    Ok((place.table_name, place.key))
}

async fn read(
    io: &dyn Io,
    target: &Target<'_>,
    link: &Link,
    (table, key): (String, Item),
) -> Result<Read, ClientError> {
    let item = get(io, &table, key.clone()).await?;
    let definition = target.definition;
    let partition = definition.table_of(definition.entity_at(link.entity));
    Ok(Read {
        partition: partition.partition.name.clone(),
        used: link.columns.iter().map(|(_, of)| of.clone()).collect(),
        table,
        key,
        item,
    })
}

/// The digest of an item of a table.
pub(crate) fn digest_of(table: &str, key: &Item) -> String {
    let mut all = key.clone();
    all.insert(PARTITION, table);
    digest(&all)
}

/// The sort keys of a row's entries.
fn sorts(target: &Target<'_>, row: &str, share: &Share) -> Result<Vec<String>, ClientError> {
    let links = target.definition.links.iter().zip(&share.links);
    let links = links.enumerate();
    let sorts = links.filter_map(|(at, (link, key))| {
        let sort =
            |(table, key): (String, Item)| format!("{}{row}{at:02x}", digest_of(&table, &key));
        Some(place(target, link, key.as_ref()?).map(sort))
    });
    sorts.collect()
}

/// The actions that make the entries of a row.
///
/// # Errors
/// Those of [`Place::of`].
pub(crate) fn made(
    target: &Target<'_>,
    (key, row): (&Item, &str),
    share: &Share,
) -> Result<Vec<TransactWriteItem>, ClientError> {
    let sorts = sorts(target, row, share)?.into_iter();
    let entries = sorts.map(|sort| {
        let mut item = target.space.key(Kind::Links, &sort);
        item.insert(ROW, Value::M(key.as_map().clone()));
        put(TABLE, item, None)
    });
    Ok(entries.collect())
}

/// The actions that delete the entries of a row.
pub(crate) fn removed(
    target: &Target<'_>,
    row: &str,
    share: Option<&Share>,
) -> Vec<TransactWriteItem> {
    // A row whose entries could not be named has none.
    let sorts = share.map_or_else(Vec::new, |share| {
        sorts(target, row, share).unwrap_or_default()
    });
    let keys = sorts
        .into_iter()
        .map(|sort| target.space.key(Kind::Links, &sort));
    keys.map(|key| delete(TABLE, key, None)).collect()
}

/// Brings the rows that refer to an item up to what it is now.
///
/// # Errors
/// The backend's; a passing one while its rows change; `Refused` when one of them is not there, behind the others.
pub(crate) async fn refresh(
    io: &dyn Io,
    target: &Target<'_>,
    entity: usize,
    (table, key): (&str, &Item),
) -> Result<(), ClientError> {
    let begins = digest_of(table, key);
    let partition = target.space.partition_of(Kind::Links, &begins);
    let names = (TABLE, [PARTITION, SORT]);
    let (mut after, mut tries) = (None, 0);
    let mut strays: BTreeMap<String, Stray> = BTreeMap::new();
    loop {
        let asked = (partition.as_str(), begins.as_str());
        let (mut entries, last) = page(io, names, asked, after.clone(), Some(ENTRIES)).await?;
        let row_of = |entry: &Item| Some(place_of(entry, begins.len())?.0.to_owned());
        entries.retain(|entry| row_of(entry).is_none_or(|row| !strays.contains_key(&row)));
        let actions = updates(io, target, entity, (table, key), &entries).await?;
        if !actions.is_empty() {
            match transact(io, actions).await {
                Ok(()) => tries = 0,
                Err(error) if is_overtaken(&error) && tries < TRIES => {
                    tries += 1;
                    if tries > TRIES_BLIND {
                        let found = strays_of(io, target, begins.len(), &entries).await?;
                        if !found.is_empty() {
                            strays.extend(found);
                            tries = 0;
                            continue;
                        }
                    }
                    io.pause(PAUSE * tries).await;
                    continue;
                }
                Err(error) if is_overtaken(&error) => {
                    let why = format!("the rows that refer to an item change: {error}");
                    return Err(ClientError::Transport(why));
                }
                Err(error) => return Err(error),
            }
        }
        after = last;
        if after.is_none() {
            break;
        }
    }
    if strays.values().any(|stray| *stray == Stray::Foreign) {
        return Err(target.foreign());
    }
    match strays.is_empty() {
        true => Ok(()),
        false => Err(target.lacking()),
    }
}

/// What a row is of which there is an entry, other than a row of its generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stray {
    Absent,
    Foreign,
}

/// The row of an entry, by its digest, and the text behind that in the entry's sort key.
fn place_of(entry: &Item, begins: usize) -> Option<(&str, &str)> {
    let behind = sort_of(entry)?.get(begins..)?;
    behind.split_at_checked(32)
}

/// The rows of entries that are strays: the entries and the rows are read at one moment.
async fn strays_of(
    io: &dyn Io,
    target: &Target<'_>,
    begins: usize,
    entries: &[Item],
) -> Result<BTreeMap<String, Stray>, ClientError> {
    let mut rows = BTreeMap::new();
    for entry in entries {
        if let (Some((row, _)), Some(sort), Some(Value::M(key))) =
            (place_of(entry, begins), sort_of(entry), entry.get(ROW))
        {
            let key = Item::from(key.clone());
            rows.insert(
                row.to_owned(),
                (target.space.key(Kind::Links, sort), target.key(&key, row)),
            );
        }
    }
    let of = |table: &str, key: &Item| TransactGet {
        table_name: Some(table.to_owned()),
        key: Some(Ok(key.clone())),
        ..TransactGet::default()
    };
    let asked = rows
        .values()
        .flat_map(|(entry, row)| [of(TABLE, entry), of(target.table(), row)]);
    let input = TransactGetItemsInput {
        transact_items: Some(asked.collect()),
        ..TransactGetItemsInput::default()
    };
    let found = ask(io, input).await?.responses;
    let mut strays = BTreeMap::new();
    for ((row, _), pair) in rows.into_iter().zip(found.chunks(2)) {
        let [Some(_), held] = pair else { continue };
        let held = held.as_ref().map(|row| row.to_item());
        match held {
            None => drop(strays.insert(row, Stray::Absent)),
            Some(held) if target.is_foreign(&held) => drop(strays.insert(row, Stray::Foreign)),
            Some(_) => {}
        }
    }
    Ok(strays)
}

/// The actions that set what the rows of some entries have of an item.
async fn updates(
    io: &dyn Io,
    target: &Target<'_>,
    entity: usize,
    (table, key): (&str, &Item),
    entries: &[Item],
) -> Result<Vec<TransactWriteItem>, ClientError> {
    let begins = digest_of(table, key).len();
    let mut rows: BTreeMap<&str, (Item, Vec<&Link>)> = BTreeMap::new();
    let mut actions = Vec::new();
    for entry in entries {
        let (Some(sort), Some((row, at))) = (sort_of(entry), place_of(entry, begins)) else {
            continue;
        };
        let link = usize::from_str_radix(at, 16).ok();
        let link = link.and_then(|at| target.definition.links.get(at));
        if let (Some(link), Some(Value::M(key))) = (link, entry.get(ROW)) {
            let known = rows.entry(row);
            let of = known.or_insert_with(|| (Item::from(key.clone()), Vec::new()));
            of.1.push(link);
            actions.push(is_there(target.space.key(Kind::Links, sort)));
        }
    }
    let Some(first) = target
        .definition
        .links
        .iter()
        .find(|one| one.entity == entity)
    else {
        return Ok(Vec::new());
    };
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut read = read(io, target, first, (table.to_owned(), key.clone())).await?;
    for (row, (key, links)) in rows {
        let mut held = Vec::new();
        for link in links {
            read.used
                .extend(link.columns.iter().map(|(_, of)| of.clone()));
            held.extend(read.of(target, link));
        }
        actions.push(update(io, target, target.key(&key, row), held));
    }
    actions.push(read.check());
    Ok(actions)
}

/// The action that demands that an entry is there.
fn is_there(key: Item) -> TransactWriteItem {
    let attributes = ExpressionAttributes::default().name("#p", PARTITION);
    check(TABLE, key, ("attribute_exists(#p)".to_owned(), attributes))
}

/// The action that sets attributes of a row of this generation.
fn update(
    io: &dyn Io,
    target: &Target<'_>,
    key: Item,
    held: Vec<(String, Option<Value>)>,
) -> TransactWriteItem {
    let mut attributes = ExpressionAttributes::default()
        .name("#m", mark_name())
        .value(":m", target.space.mark())
        .name("#v", version_name())
        .value(":v", version(io));
    let (mut set, mut removed) = (vec!["#v = :v".to_owned()], Vec::new());
    for (at, (name, held)) in held.into_iter().enumerate() {
        attributes = attributes.name(format!("#a{at}"), name);
        match held {
            Some(held) => {
                attributes = attributes.value(format!(":a{at}"), held);
                set.push(format!("#a{at} = :a{at}"));
            }
            None => removed.push(format!("#a{at}")),
        }
    }
    let mut text = format!("SET {}", set.join(", "));
    if !removed.is_empty() {
        text.push_str(&format!(" REMOVE {}", removed.join(", ")));
    }
    TransactWriteItem {
        update: Some(TransactUpdate {
            table_name: Some(target.table().to_owned()),
            key: Some(Ok(key)),
            update_expression: Some(text),
            condition_expression: Some("#m = :m".to_owned()),
            expression_attributes: attributes,
            ..TransactUpdate::default()
        }),
        ..TransactWriteItem::default()
    }
}
