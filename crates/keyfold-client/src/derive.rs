//! Everything that lies in the table for one entity: the item, its copies, the guards of its unique values.

use crate::arguments::Values;
use crate::error::ClientError;
use keyfold_model::schema::{GUARD_SORT, guard_prefix};
use keyfold_model::{Entity, IndexKind, KeyTemplate, Model, Sparse, Table, value};
use keyfold_model::{Format, Part};
use keyfold_types::{Item, Value};

/// What an item is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// The entity itself.
    Main,
    /// A copy, by name.
    Copy(String),
    /// The guard of a unique attribute, by name.
    Guard(String),
}

/// One item that follows from an entity's attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// What it is for.
    pub role: Role,
    /// Its key.
    pub key: Item,
    /// The whole item, key included.
    pub item: Item,
}

/// The entity's table.
pub(crate) fn table<'m>(model: &'m Model, entity: &Entity) -> Result<&'m Table, ClientError> {
    model
        .tables
        .get(entity.table)
        .ok_or_else(|| ClientError::Unknown(format!("the entity {} has no table", entity.name)))
}

/// The key that templates make of values.
pub(crate) fn key(
    table: &Table,
    partition: &KeyTemplate,
    sort: Option<&KeyTemplate>,
    values: &Values,
) -> Result<Item, ClientError> {
    let mut key = Item::new();
    key.insert(table.partition.name.as_str(), value::key(partition, values, &table.delimiters)?);
    if let (Some(column), Some(template)) = (&table.sort, sort) {
        key.insert(column.name.as_str(), value::key(template, values, &table.delimiters)?);
    }
    Ok(key)
}

/// The entity's own key.
pub(crate) fn main_key(model: &Model, entity: &Entity, values: &Values) -> Result<Item, ClientError> {
    key(table(model, entity)?, &entity.key.partition, entity.key.sort.as_ref(), values)
}

/// All items that follow from an entity's attributes, the entity itself first.
///
/// # Errors
/// `Value` when a key cannot be made of the values.
pub fn derive(model: &Model, entity: &Entity, values: &Values) -> Result<Vec<Derived>, ClientError> {
    let table = table(model, entity)?;
    let mut all = vec![main(table, entity, values)?];
    for copy in &entity.copies {
        let key = key(table, &copy.key.partition, copy.key.sort.as_ref(), values)?;
        let mut item = key.clone();
        for name in &copy.attributes {
            if let Some(value) = values.get(name) {
                item.insert(name.as_str(), value.clone());
            }
        }
        mark(table, &mut item, &format!("{}.{}", entity.name, copy.name));
        all.push(Derived { role: Role::Copy(copy.name.clone()), key, item });
    }
    for unique in &entity.uniques {
        // An optional attribute that is missing guards nothing.
        if !values.contains_key(unique) {
            continue;
        }
        let Some(attribute) = entity.attribute(unique) else { continue };
        let parts = [
            Part::Text(guard_prefix(&entity.name, unique)),
            Part::Field { name: unique.clone(), kind: attribute.kind.clone(), format: Format::Plain },
        ];
        // Refuses delimiters as every key does: the proof that keys do not meet rests on it.
        let text = value::text(&parts, values, &table.delimiters)?;
        let mut key = Item::new();
        key.insert(table.partition.name.as_str(), text);
        if let Some(column) = &table.sort {
            key.insert(column.name.as_str(), GUARD_SORT);
        }
        let mut item = key.clone();
        mark(table, &mut item, "unique");
        all.push(Derived { role: Role::Guard(unique.clone()), key, item });
    }
    Ok(all)
}

fn mark(table: &Table, item: &mut Item, what: &str) {
    if let Some(attribute) = &table.type_attribute {
        item.insert(attribute.as_str(), what);
    }
}

fn main(table: &Table, entity: &Entity, values: &Values) -> Result<Derived, ClientError> {
    let key = key(table, &entity.key.partition, entity.key.sort.as_ref(), values)?;
    let mut item = key.clone();
    for attribute in &entity.attributes {
        if let Some(value) = values.get(&attribute.name) {
            item.insert(attribute.name.as_str(), value.clone());
        }
    }
    for index_key in &entity.indexes {
        let Some(index) = table.indexes.get(index_key.index) else { continue };
        let complete = index_key.key.fields().all(|field| values.contains_key(field));
        if !complete || !is_in(index_key.sparse.as_ref(), values) {
            continue;
        }
        if index.kind == IndexKind::Global {
            let made = value::key(&index_key.key.partition, values, &table.delimiters)?;
            item.insert(index.partition.name.as_str(), made);
        }
        if let (Some(column), Some(template)) = (&index.sort, &index_key.key.sort) {
            item.insert(column.name.as_str(), value::key(template, values, &table.delimiters)?);
        }
    }
    mark(table, &mut item, &entity.name);
    Ok(Derived { role: Role::Main, key, item })
}

fn is_in(sparse: Option<&Sparse>, values: &Values) -> bool {
    match sparse {
        None => true,
        Some(Sparse { attribute, value: None }) => values.contains_key(attribute),
        Some(Sparse { attribute, value: Some(wanted) }) => {
            values.get(attribute).is_some_and(|value: &Value| value::display(value) == *wanted)
        }
    }
}

/// The attributes that copies, guards or index keys are made of: a write must know their old values.
pub(crate) fn followed(entity: &Entity) -> Vec<&str> {
    let mut names: Vec<&str> = entity.uniques.iter().map(String::as_str).collect();
    for copy in &entity.copies {
        names.extend(copy.attributes.iter().map(String::as_str));
        names.extend(copy.key.fields());
    }
    for index in &entity.indexes {
        names.extend(index.key.fields());
        names.extend(index.sparse.iter().map(|sparse| sparse.attribute.as_str()));
    }
    names.sort_unstable();
    names.dedup();
    names
}
