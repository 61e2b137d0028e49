//! The items that are stored for one entity: its main item, the parts of its list, its copies, and
//! the guards of its unique values.

use crate::arguments::Values;
use crate::bound::bind;
use crate::error::ClientError;
use crate::kind_name::{GUARD, kind_name, part_name};
use crate::lengths::{self, KeyPart};
use crate::stored::{chunks, digest, digest_attribute, pack, parts_attribute};
use keyfold_model::schema::{
    Column, Condition, Copy, GUARD_SORT, IndexKey, KeyPair, Unique, guard_parts, held_in_guard,
};
use keyfold_model::value::Attributes;
use keyfold_model::{Entity, KeyTemplate, Model, Part, Sparse, Table, value};
use keyfold_types::{Item, Value};

/// The role of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// The main item: the entity itself, or the first part of it.
    Main,
    /// Another part of its list, by number from 1.
    Part(usize),
    /// A copy, by name.
    Copy(String),
    /// The guard of unique attributes.
    Guard(Vec<String>),
    /// The guard of the `id`, which holds where the main item lies.
    IdGuard,
}

/// One item that follows from an entity's attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// Its role.
    pub role: Role,
    /// The table that it is stored in.
    pub table: String,
    /// Its key.
    pub key: Item,
    /// All of its attributes, key included.
    pub item: Item,
}

/// The entity's table.
///
/// # Errors
/// `Unknown` when the model does not have it.
pub fn table<'m>(model: &'m Model, entity: &Entity) -> Result<&'m Table, ClientError> {
    model
        .tables
        .get(entity.table)
        .ok_or_else(|| ClientError::Unknown(format!("the entity {} has no table", entity.name)))
}

/// The name of the table that an item is stored in; with periods, of the table of its time.
///
/// # Errors
/// `Missing` when the time of the period is not among the values.
pub fn table_name(table: &Table, entity: &Entity, values: &Values) -> Result<String, ClientError> {
    let (Some(unit), Some(attribute)) = (table.period, &entity.period_attribute) else {
        return Ok(table.name.clone());
    };
    match values.get(attribute) {
        Some(Value::S(time)) => Ok(table.physical_name(unit.of(time))),
        _ => Err(ClientError::missing("the table's name", attribute)),
    }
}

/// The key that templates make of values, for an item of this name.
fn key(table: &Table, of: &str, pair: &KeyPair, values: &Values) -> Result<Item, ClientError> {
    let mut key = Item::new();
    let partition = (&table.partition, &pair.partition, KeyPart::Partition);
    let sort = table.sort.as_ref().zip(pair.sort.as_ref());
    let sort = sort.map(|(column, template)| (column, template, KeyPart::Sort));
    for (column, template, part) in std::iter::once(partition).chain(sort) {
        let held = value::key(template, values)?;
        lengths::check(
            || of.to_owned(),
            part,
            (&column.name, &template.parts),
            &held,
        )?;
        key.insert(column.name.as_str(), held);
    }
    Ok(key)
}

/// The place of an entity's main item.
pub struct Place<'m> {
    /// The table of the model.
    pub table: &'m Table,
    /// The name of the table; with periods, of the one that the item lies in.
    pub table_name: String,
    /// The key of the main item.
    pub key: Item,
}

impl<'m> Place<'m> {
    /// The place of the entity with these key attributes.
    ///
    /// # Errors
    /// `Value` when a key cannot be made of the values, `Missing` when one is not given.
    pub fn of(
        model: &'m Model,
        entity: &Entity,
        values: &Values,
    ) -> Result<Place<'m>, ClientError> {
        let table = table(model, entity)?;
        Ok(Place {
            table,
            table_name: table_name(table, entity, values)?,
            key: main_key(model, entity, values)?,
        })
    }
}

/// The table and key by which an item is told from others: those of its main item, or of the guard
/// of its `id` where the main item moves.
///
/// # Errors
/// Those of [`Place::of`].
pub(crate) fn identifying_place(
    model: &Model,
    entity: &Entity,
    values: &Values,
) -> Result<(String, Item), ClientError> {
    if let Some(id) = entity.id_guard() {
        let table = table(model, entity)?;
        let key = guard_key(table, entity, id, values)?;
        return Ok((table_name(table, entity, values)?, key));
    }
    let place = Place::of(model, entity, values)?;
    Ok((place.table_name, place.key))
}

/// The key of an entity's main item.
pub(crate) fn main_key(
    model: &Model,
    entity: &Entity,
    values: &Values,
) -> Result<Item, ClientError> {
    key(table(model, entity)?, &entity.name, &entity.key, values)
}

/// Returns all items that follow from an entity's attributes, the main item first.
///
/// # Errors
/// `Value` when a key cannot be made of the values, `Missing` when the time of a period is not
/// given.
pub fn derive(
    model: &Model,
    entity: &Entity,
    values: &Values,
) -> Result<Vec<Derived>, ClientError> {
    derive_all(model, entity, values, None)
}

/// Returns all items that follow from the attributes of an entity that is `stored`. Index keys that
/// cannot be made of them are as the item holds them: another program wrote it.
///
/// # Errors
/// Those of [`derive()`].
pub(crate) fn derive_stored(
    model: &Model,
    entity: &Entity,
    values: &Values,
    stored: &Item,
) -> Result<Vec<Derived>, ClientError> {
    derive_all(model, entity, values, Some(stored))
}

fn derive_all(
    model: &Model,
    entity: &Entity,
    values: &Values,
    stored: Option<&Item>,
) -> Result<Vec<Derived>, ClientError> {
    let table = table(model, entity)?;
    let name = table_name(table, entity, values)?;
    let derived = |role, key, item| Derived {
        role,
        table: name.clone(),
        key,
        item,
    };
    let chunks = chunks(entity, values);
    let (main_key, item) = main(table, entity, values, (&chunks, stored))?;
    let mut all = vec![derived(Role::Main, main_key, item)];
    for (at, chunk) in chunks.iter().enumerate().skip(1) {
        let (key, item) = part(table, entity, values, at, chunk.as_ref())?;
        all.push(derived(Role::Part(at), key, item));
    }
    for copy in &entity.copies {
        all.extend(copy_item(table, &name, entity, copy, values)?);
    }
    for unique in &entity.uniques {
        all.extend(guard_item(table, &name, entity, unique, values)?);
    }
    Ok(all)
}

/// The copy of an entity, in the table of this name; `None` where its condition does not hold.
///
/// # Errors
/// Those of [`derive()`].
pub fn copy_item(
    table: &Table,
    name: &str,
    entity: &Entity,
    copy: &Copy,
    values: &Values,
) -> Result<Option<Derived>, ClientError> {
    if !has_copy(copy, values)? {
        return Ok(None);
    }
    let kind = kind_name(entity, Some(copy));
    let key = key(table, &kind, &copy.key, values)?;
    let mut item = key.clone();
    for name in &copy.attributes {
        if let Some(value) = values.get(name)
            && !value::is_left_out(entity, &copy.key, name)
        {
            item.insert(name.as_str(), pack(entity, name, value)?);
        }
    }
    lengths::check_indexes(table, &kind, (&copy.key, &[]), &item)?;
    add_table_attributes(table, entity, values, &kind, &mut item);
    Ok(Some(Derived {
        role: Role::Copy(copy.name.clone()),
        table: name.to_owned(),
        key,
        item,
    }))
}

/// The key of the copy that [`copy_item`] makes.
///
/// # Errors
/// Those of [`derive()`].
pub fn copy_key(
    table: &Table,
    name: &str,
    entity: &Entity,
    copy: &Copy,
    values: &Values,
) -> Result<Option<Item>, ClientError> {
    let is_held = |column: &Column| {
        let mut columns = table.columns();
        columns.any(|own| own.name == column.name) || copy.attributes.contains(&column.name)
    };
    let mut indexes = table.indexes.iter();
    if indexes.any(|index| index.columns().all(is_held)) {
        // Its keys in indexes may be too long.
        let made = copy_item(table, name, entity, copy, values)?;
        return Ok(made.map(|made| made.key));
    }
    if !has_copy(copy, values)? {
        return Ok(None);
    }
    let kind = kind_name(entity, Some(copy));
    key(table, &kind, &copy.key, values).map(Some)
}

/// Whether an entity with these attributes has the copy.
fn has_copy(copy: &Copy, values: &Values) -> Result<bool, ClientError> {
    all_hold(&copy.when, values)
}

/// Whether all of these conditions, which have no parameters, hold for an entity's attributes.
///
/// # Errors
/// `Missing` when one has a parameter.
pub fn all_hold(conditions: &[Condition], values: &Values) -> Result<bool, ClientError> {
    for condition in conditions {
        if !bind(condition, &Values::new())?.holds(values) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The guard of unique attributes, in the table of this name; `None` where an attribute is absent.
///
/// # Errors
/// Those of [`derive()`].
pub fn guard_item(
    table: &Table,
    name: &str,
    entity: &Entity,
    unique: &Unique,
    values: &Values,
) -> Result<Option<Derived>, ClientError> {
    if !unique.attributes().all(|name| values.contains_key(name)) {
        return Ok(None);
    }
    let key = guard_key(table, entity, unique, values)?;
    let mut item = key.clone();
    let held = entity.moving().into_iter().filter(|_| entity.is_id(unique));
    for attribute in held {
        if let Some(value) = values.get(attribute) {
            item.insert(held_in_guard(attribute), value.clone());
        }
    }
    add_table_attributes(table, entity, values, GUARD, &mut item);
    Ok(Some(Derived {
        role: if entity.is_id(unique) {
            Role::IdGuard
        } else {
            Role::Guard(unique.attributes().map(str::to_owned).collect())
        },
        table: name.to_owned(),
        key,
        item,
    }))
}

/// The key of the guard of unique attributes.
///
/// # Errors
/// Those of [`derive()`].
pub fn guard_key(
    table: &Table,
    entity: &Entity,
    unique: &Unique,
    values: &Values,
) -> Result<Item, ClientError> {
    let parts = guard_parts(entity, unique, &table.delimiters);
    guard_key_of(table, (entity, unique), &parts, values)
}

/// The key of the guard of unique attributes, with the [`guard_parts`] that make it.
///
/// # Errors
/// Those of [`derive()`].
pub fn guard_key_of(
    table: &Table,
    (entity, unique): (&Entity, &Unique),
    parts: &[Part],
    values: &Values,
) -> Result<Item, ClientError> {
    let text = value::guard(unique, parts, values)?;
    let (column, held) = (&table.partition.name, Value::S(text));
    let of = || lengths::guard_name(entity, &unique.joined(", "));
    lengths::check(of, KeyPart::Partition, (column, parts), &held)?;
    let mut key = Item::new();
    key.insert(column.as_str(), held);
    if let Some(column) = &table.sort {
        key.insert(column.name.as_str(), GUARD_SORT);
    }
    Ok(key)
}

/// The key attributes of an item that the guard of its `id` holds, beside the `id` itself.
///
/// # Errors
/// `Invalid` when the guard lacks one.
pub(crate) fn held_place(
    entity: &Entity,
    id: &Values,
    guard: &Item,
) -> Result<Values, ClientError> {
    let mut values = id.clone();
    for attribute in entity.moving() {
        let Some(held) = guard.get(&held_in_guard(attribute)) else {
            return Err(ClientError::Invalid(format!(
                "the guard of this {} lacks `{attribute}` of its key: it was not written through the model, or by an earlier version of it",
                entity.name
            )));
        };
        values.insert(attribute.to_owned(), held.clone());
    }
    Ok(values)
}

/// Adds the attributes that the table defines for all items: the kind, and the time of expiry.
fn add_table_attributes(
    table: &Table,
    entity: &Entity,
    values: &Values,
    kind: &str,
    item: &mut Item,
) {
    if let Some(attribute) = &table.type_attribute {
        item.insert(attribute.as_str(), kind);
    }
    let expires = entity
        .ttl
        .as_ref()
        .and_then(|name| values.get(name))
        .and_then(value::epoch_seconds);
    if let (Some(attribute), Some(at)) = (&table.ttl_attribute, expires) {
        item.insert(attribute.as_str(), at);
    }
}

/// The key and item of a part of the list.
fn part(
    table: &Table,
    entity: &Entity,
    values: &Values,
    at: usize,
    chunk: Option<&Value>,
) -> Result<(Item, Item), ClientError> {
    let mut of_part = values.clone();
    of_part.insert(
        value::CHUNK.to_owned(),
        Value::from(i64::try_from(at).unwrap_or(i64::MAX)),
    );
    let key = key(table, &entity.name, &entity.key, &of_part)?;
    let mut item = key.clone();
    if let (Some((name, _)), Some(chunk)) = (&entity.split, chunk) {
        item.insert(name.as_str(), pack(entity, name, chunk)?);
    }
    let kind = part_name(entity);
    add_table_attributes(table, entity, values, &kind, &mut item);
    Ok((key, item))
}

/// The key and attributes of the main item, which may be `stored`.
fn main(
    table: &Table,
    entity: &Entity,
    values: &Values,
    (chunks, stored): (&[Option<Value>], Option<&Item>),
) -> Result<(Item, Item), ClientError> {
    let key = key(table, &entity.name, &entity.key, values)?;
    let mut item = key.clone();
    for attribute in &entity.attributes {
        let name = attribute.name.as_str();
        if entity
            .split
            .as_ref()
            .is_some_and(|(split, _)| split == name)
        {
            if let Some(Some(first)) = chunks.first() {
                item.insert(name, pack(entity, name, first)?);
                item.insert(
                    parts_attribute(name),
                    i64::try_from(chunks.len()).unwrap_or(i64::MAX),
                );
                item.insert(
                    digest_attribute(name),
                    digest(values.get(name).unwrap_or(first)),
                );
            }
        } else if let Some(value) = values.get(name)
            && !value::is_left_out(entity, &entity.key, name)
        {
            item.insert(name, pack(entity, name, value)?);
        }
    }
    add_index_keys(table, entity, (values, stored), &mut item)?;
    if stored.is_none() {
        let pairs = (&entity.key, entity.indexes.as_slice());
        lengths::check_indexes(table, &entity.name, pairs, &item)?;
    }
    add_table_attributes(table, entity, values, &entity.name, &mut item);
    Ok((key, item))
}

/// Adds the index keys that the templates make, for the indexes that the item is in. Those of a
/// stored item that cannot be made are as it holds them.
fn add_index_keys(
    table: &Table,
    entity: &Entity,
    (values, stored): (&Values, Option<&Item>),
    item: &mut Item,
) -> Result<(), ClientError> {
    for index_key in &entity.indexes {
        match (index_columns(table, index_key, values), stored) {
            (Ok(made), _) => {
                for (name, value) in made {
                    item.insert(name, value);
                }
            }
            (Err(_), Some(stored)) => {
                for (name, _) in index_templates(table, index_key) {
                    if let Some(held) = stored.get(name) {
                        item.insert(name, held.clone());
                    }
                }
            }
            (Err(error), None) => return Err(error),
        }
    }
    Ok(())
}

/// The attributes that the templates of an index key make, without those of the table's own key;
/// none when the item is not in the index.
///
/// # Errors
/// `Value` when a template cannot be made of the values.
pub fn index_columns<'t>(
    table: &'t Table,
    index_key: &'t IndexKey,
    values: &Values,
) -> Result<Vec<(&'t str, Value)>, ClientError> {
    index_parts(table, index_key, values)
        .map(|(name, parts)| Ok((name, value::column(parts, values)?)))
        .collect()
}

/// The attributes that [`index_columns`] makes, with the parts of their templates.
pub fn index_parts<'t>(
    table: &'t Table,
    index_key: &'t IndexKey,
    values: &impl Attributes,
) -> impl Iterator<Item = (&'t str, &'t [Part])> {
    let mut fields = index_key.key.fields();
    let is_inside = fields.all(|field| values.has(field)) && is_chosen(index_key, values);
    index_templates(table, index_key).filter(move |_| is_inside)
}

/// The attributes that an index key makes of the items that are in the index, without those of the
/// table's own key, with the parts of their templates.
pub fn index_templates<'t>(
    table: &'t Table,
    index_key: &'t IndexKey,
) -> impl Iterator<Item = (&'t str, &'t [Part])> {
    let index = table.indexes.get(index_key.index);
    let parts = index_key.key.templates().flat_map(KeyTemplate::columns);
    let is_own = |name: &str| table.columns().any(|column| column.name == name);
    let columns = index.into_iter().flat_map(|index| index.columns());
    columns
        .zip(parts)
        .filter(move |(column, _)| !is_own(&column.name))
        .map(|(column, parts)| (column.name.as_str(), parts))
}

/// Whether the attribute of a sparse index key has the value that puts an item in the index.
pub fn is_chosen(index_key: &IndexKey, values: &impl Attributes) -> bool {
    match &index_key.sparse {
        None => true,
        Some(Sparse {
            attribute,
            value: None,
        }) => values.has(attribute),
        Some(Sparse {
            attribute,
            value: Some(wanted),
        }) => values
            .value(attribute)
            .is_some_and(|value| value::display(&value) == *wanted),
    }
}
