//! Stream records as changes of the model's entities.
//!
//! A record has the key of an item and its images, the old one and the new one. The key says which
//! entity it is. Items that follow from an entity (copies, guards, the further parts of a split list)
//! change nothing that the record of the entity does not show; those of copies are changes where a
//! program asks for them.

use crate::kinds::{Kind, Kinds, Role};
use keyfold_api::{StreamEvent, StreamRecord};
use keyfold_lower::arguments::Values;
use keyfold_lower::kind_name::{says_another, unknown_item};
use keyfold_lower::stored::{is_as_written, values_of};
use keyfold_lower::{
    ClientError, FoundItem, UnknownItem, key_of, shown_item, shown_key, unwritten,
};
use keyfold_model::schema::Copy;
use keyfold_model::{Entity, Model, Table, value};
use keyfold_types::Item;
use std::collections::BTreeSet;

/// A change of an entity, or of a copy.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The entity, or `Entity.copy`.
    pub kind: String,
    /// It before the change; `None` when it was created.
    pub old: Option<FoundItem>,
    /// It after the change; `None` when it was deleted.
    pub new: Option<FoundItem>,
}

/// Reads the records of the streams of a model's tables.
pub struct Events<'m> {
    model: &'m Model,
    tables: Vec<Kinds<'m>>,
    has_copies: bool,
}

/// An entity, or one of its copies.
#[derive(Clone, Copy)]
struct Of<'m> {
    table: &'m Table,
    entity: &'m Entity,
    copy: Option<&'m Copy>,
    kind: &'m str,
}

impl<'m> Events<'m> {
    /// A reader of a model's records.
    pub fn new(model: &'m Model) -> Events<'m> {
        let tables = model.tables.iter().enumerate();
        let tables = tables.map(|(at, table)| Kinds::of(model, at, table));
        Events {
            model,
            tables: tables.collect(),
            has_copies: false,
        }
    }

    /// Takes the records of copies as changes, too.
    pub fn with_copies(mut self) -> Self {
        self.has_copies = true;
        self
    }

    /// The change that a record reports; `None` for an item that follows from an entity.
    ///
    /// A list that is stored in several items is not among the attributes: its parts have records of
    /// their own, and none of them has all of it.
    ///
    /// # Errors
    /// `UnknownItem` for an item that the model does not know: with another key or type, without an
    /// attribute that it must have, or with one that is no value of its type. `Invalid` for a record
    /// without images.
    pub fn change(&self, record: &StreamEvent) -> Result<Option<Change>, ClientError> {
        let absent = StreamRecord::default();
        let images = record.dynamodb.as_ref().unwrap_or(&absent);
        let (keys, old, new) = (
            image(images.keys.as_ref())?,
            image(images.old_image.as_ref())?,
            image(images.new_image.as_ref())?,
        );
        let Some(shown) = new.or(old) else {
            return Err(ClientError::Invalid(
                "the stream record has no image of its item: the stream of the table must have new \
                 and old images"
                    .to_owned(),
            ));
        };
        let item = whole(keys, shown);
        let source = record.event_source_arn.as_deref().and_then(table_of);
        let Some((kinds, kind)) = self.kind_of(source, &item) else {
            return Err(self.unknown(source, &item, keys));
        };
        let Some(of) = self.of(kinds, kind, &item) else {
            return Ok(None);
        };
        let found = |image: Option<&Item>| {
            let found = image.map(|image| found(of, &whole(keys, image), None));
            found.transpose()
        };
        Ok(Some(Change {
            kind: of.kind.to_owned(),
            old: found(old)?,
            new: found(new)?,
        }))
    }

    /// An item of a table: the position of its entity, and those of its attributes that `wanted` names
    /// for that. `None` for an entity for which it names none, and for an item that follows from an
    /// entity.
    ///
    /// # Errors
    /// `UnknownItem` as of [`Events::change`], about the attributes that are wanted.
    pub fn item(
        &self,
        table: &str,
        item: &Item,
        wanted: impl Fn(usize) -> Option<&'m BTreeSet<String>>,
    ) -> Result<Option<(usize, FoundItem)>, ClientError> {
        let Some((kinds, kind)) = self.kind_of(Some(table), item) else {
            return Err(self.unknown(Some(table), item, None));
        };
        let Some(wanted) = wanted(kind.at) else {
            return Ok(None);
        };
        let Some(of) = self.of(kinds, kind, item) else {
            return Ok(None);
        };
        if of.copy.is_some() {
            return Ok(None);
        }
        Ok(Some((kind.at, found(of, item, Some(wanted))?)))
    }

    /// What changes; `None` where an item follows from an entity.
    fn of<'k>(&'k self, kinds: &'k Kinds<'m>, kind: &'k Kind, item: &Item) -> Option<Of<'k>> {
        let entity = self.model.entities.get(kind.at)?;
        let copy = match kind.role {
            Role::Main if is_later_part(kinds, kind, item) => return None,
            Role::Main => None,
            Role::Copy(at) if self.has_copies => Some(entity.copies.get(at)?),
            Role::Copy(_) | Role::Guard(_) => return None,
        };
        Some(Of {
            table: kinds.table,
            entity,
            copy,
            kind: &kind.name,
        })
    }

    /// The tables that have an item's key attributes: of those that a source names, where there is one.
    fn tables_of<'e, 's>(
        &'e self,
        source: Option<&'s str>,
        item: &'s Item,
    ) -> impl Iterator<Item = &'e Kinds<'m>> {
        self.tables.iter().filter(move |one| {
            let is_complete = one.table.columns().all(|key| item.get(&key.name).is_some());
            is_complete && source.is_none_or(|name| is_named(one.table, name))
        })
    }

    /// The error about an item that is none of the model's, with its key: that of its table, or of the
    /// record; with all of its attributes where neither is known.
    fn unknown(&self, source: Option<&str>, item: &Item, keys: Option<&Item>) -> ClientError {
        if let Some(one) = self.tables_of(source, item).next() {
            return unknown_item("the stream has", one.table, item);
        }
        let known = keys.unwrap_or(item);
        let shown = shown_item(known);
        let unknown = UnknownItem::because(format!(
            "the stream has an item that the model does not know ({shown}): it was not written through the model, or by an earlier version of it"
        ));
        ClientError::unknown(unknown.at(known.clone()))
    }

    /// The table and the kind of an item.
    fn kind_of(&self, source: Option<&str>, item: &Item) -> Option<(&Kinds<'m>, &Kind)> {
        let tables = self.tables_of(source, item);
        let mut kinds = tables.map(|one| (one, one.kind_of(item)));
        let (one, kind) = kinds.find_map(|(one, kind)| Some((one, kind?)))?;
        has_its_type(one, kind, item).then_some((one, kind))
    }
}

/// An image with the key that stands beside it.
fn whole(keys: Option<&Item>, image: &Item) -> Item {
    let mut item = image.clone();
    for (name, held) in keys.iter().flat_map(|keys| keys.iter()) {
        item.insert(name, held.clone());
    }
    item
}

fn is_later_part(kinds: &Kinds<'_>, kind: &Kind, item: &Item) -> bool {
    matches!(kind.part_of(kinds.table, item), Some((_, number)) if number > 0)
}

/// Whether an item says nothing else than its kind.
fn has_its_type(kinds: &Kinds<'_>, kind: &Kind, item: &Item) -> bool {
    !says_another(kinds.table, kind.name_of(kinds.table, item), item)
}

/// The table that the ARN of a stream names. Records of a stream reader have none.
fn table_of(arn: &str) -> Option<&str> {
    let (_, behind) = arn.split_once(":table/")?;
    behind.split('/').next()
}

/// Whether a table of the model has a name, as itself or for one of its periods.
fn is_named(table: &Table, name: &str) -> bool {
    name == table.name || table.period_of(name).is_some()
}

/// An image, or the reason why it is none.
fn image<E: std::fmt::Display>(
    image: Option<&Result<Item, E>>,
) -> Result<Option<&Item>, ClientError> {
    let wrong = |error: &E| ClientError::Invalid(format!("the stream record: {error}"));
    image.map(|image| image.as_ref().map_err(wrong)).transpose()
}

/// An image as the model's attributes, or those that are wanted.
fn found(
    of: Of<'_>,
    image: &Item,
    wanted: Option<&BTreeSet<String>>,
) -> Result<FoundItem, ClientError> {
    let Of {
        table,
        entity,
        copy,
        kind,
    } = of;
    let all = entity.attributes.iter();
    let own = all.filter(|one| copy.is_none_or(|copy| copy.attributes.contains(&one.name)));
    let own = own.filter(|one| wanted.is_none_or(|wanted| wanted.contains(&one.name)));
    let names = own.clone().map(|one| one.name.as_str());
    let unfit = |attribute: &str, why: String| {
        let written = unwritten(entity, image, attribute);
        let unknown = UnknownItem::because(format!(
            "the stream has an item of {kind} ({}) with {why}; {written}",
            shown_key(table, image)
        ));
        ClientError::unknown(unknown.at(key_of(table, image)).of(kind, attribute))
    };
    let read = values_of(table, entity, copy, names, std::slice::from_ref(image));
    let mut values = read.map_err(|error| {
        let ClientError::UnknownItem(wrong) = error else {
            return error;
        };
        let attribute = wrong.attribute.unwrap_or_default();
        unfit(&attribute, wrong.message)
    })?;
    let list = entity.split.as_ref().map(|(list, _)| list);
    let cut = list.filter(|_| copy.is_none() && !is_as_written(entity, image, &values));
    if let Some(cut) = cut {
        values.remove(cut);
    }
    let mut attributes = Vec::new();
    for one in own {
        match values.remove(&one.name) {
            Some(held) => {
                let checked = value::check(&one.name, &one.kind, &held);
                checked.map_err(|error| unfit(error.name(), error.to_string()))?;
                attributes.push((one.name.clone(), held));
            }
            None if !entity.always_has(one) || cut == Some(&one.name) => {}
            None => return Err(unfit(&one.name, format!("no {}", one.name))),
        }
    }
    Ok(FoundItem {
        kind: kind.to_owned(),
        attributes,
    })
}

/// The attributes of a main item that are wanted, as [`Events::item`] reads them; `None` where it cannot.
pub(crate) fn readable(
    model: &Model,
    kinds: &Kinds<'_>,
    item: &Item,
    wanted: &BTreeSet<String>,
) -> Option<Values> {
    let kind = kinds.kind_of(item)?;
    let of = Of {
        table: kinds.table,
        entity: model.entities.get(kind.at)?,
        copy: None,
        kind: &kind.name,
    };
    let is_it = kind.role == Role::Main && has_its_type(kinds, kind, item);
    let found = is_it.then(|| found(of, item, Some(wanted)))?.ok()?;
    Some(found.attributes.into_iter().collect())
}
