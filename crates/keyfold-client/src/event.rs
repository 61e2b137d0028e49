//! Stream records as changes of the model's entities.
//!
//! A record has the key of an item and its images, the old one and the new one. The key says which
//! entity it is. Items that follow from an entity (copies, guards, the further parts of a split list)
//! change nothing that the record of the entity does not show.

use crate::kinds::{Kinds, Role};
use keyfold_api::{StreamEvent, StreamRecord};
use keyfold_lower::stored::{is_as_written, values_of};
use keyfold_lower::{ClientError, FoundItem};
use keyfold_model::{Entity, Model, Table, value};
use keyfold_types::Item;

/// A change of an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The entity.
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
}

impl<'m> Events<'m> {
    /// A reader of a model's records.
    pub fn new(model: &'m Model) -> Events<'m> {
        let tables = model.tables.iter().enumerate();
        let tables = tables.map(|(at, table)| Kinds::of(model, at, table));
        Events {
            model,
            tables: tables.collect(),
        }
    }

    /// The change that a record reports; `None` for an item that follows from an entity.
    ///
    /// A list that is stored in several items is not among the attributes: its parts have records of
    /// their own, and none of them has all of it.
    ///
    /// # Errors
    /// `Unknown` for an item that the model does not know, `Invalid` for a record without images,
    /// `Refused` for an attribute that is not stored as the model stores it.
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
        let mut item = shown.clone();
        for (name, held) in keys.iter().flat_map(|keys| keys.iter()) {
            item.insert(name, held.clone());
        }
        let Some((kinds, kind)) = self.kind_of(record, &item) else {
            return Err(unknown(keys.unwrap_or(shown)));
        };
        let is_later_part =
            || matches!(kind.part_of(kinds.table, &item), Some((_, number)) if number > 0);
        if kind.role != Role::Main || is_later_part() {
            return Ok(None);
        }
        let Some(entity) = self.model.entities.get(kind.at) else {
            return Ok(None);
        };
        let found = |image: Option<&Item>| {
            let found = image.map(|image| found(kinds.table, entity, image));
            found.transpose()
        };
        Ok(Some(Change {
            kind: entity.name.clone(),
            old: found(old)?,
            new: found(new)?,
        }))
    }

    /// The table and the kind of an item.
    fn kind_of(
        &self,
        record: &StreamEvent,
        item: &Item,
    ) -> Option<(&Kinds<'m>, &crate::kinds::Kind)> {
        let source = record.event_source_arn.as_deref().and_then(table_of);
        let tables = self.tables.iter().filter(|one| {
            let is_complete = one.table.columns().all(|key| item.get(&key.name).is_some());
            is_complete && source.is_none_or(|name| is_named(one.table, name))
        });
        let mut kinds = tables.map(|one| (one, one.kind_of(item)));
        kinds.find_map(|(one, kind)| Some((one, kind?)))
    }
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

/// An image as the model's attributes.
fn found(table: &Table, entity: &Entity, image: &Item) -> Result<FoundItem, ClientError> {
    let names = entity.attributes.iter().map(|one| one.name.as_str());
    let items = std::slice::from_ref(image);
    let mut values = values_of(table, entity, None, names, items)?;
    if let Some((split, _)) = &entity.split
        && !is_as_written(entity, image, &values)
    {
        values.remove(split);
    }
    let names = entity.attributes.iter().map(|one| &one.name);
    let attributes = names.filter_map(|name| Some((name.clone(), values.remove(name)?)));
    Ok(FoundItem {
        kind: entity.name.clone(),
        attributes: attributes.collect(),
    })
}

fn unknown(key: &Item) -> ClientError {
    let held = key
        .iter()
        .map(|(name, held)| format!("{name} = {}", value::display(held)));
    ClientError::Unknown(format!(
        "the stream has an item that the model does not know ({}): it was not written through the model",
        held.collect::<Vec<_>>().join(", ")
    ))
}
