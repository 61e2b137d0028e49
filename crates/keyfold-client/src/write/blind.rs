//! A whole entity in one request, without a read before it: an update that creates the item where
//! it does not exist. Attributes that the model keeps, and those that it does not name, stay.

use super::context::Context;
use super::refusal::Refusal;
use super::step::{Step, StepAction};
use crate::arguments::Values;
use crate::derive::{Derived, derive, table};
use crate::error::ClientError;
use crate::expression::Change;
use keyfold_model::{Entity, Table};
use keyfold_types::Number;
use std::collections::BTreeMap;

/// The step that writes a whole entity, whether it exists or not. No other item follows from it.
///
/// # Errors
/// Those of [`derive()`].
pub(super) fn put(
    context: &Context<'_>,
    entity: &Entity,
    values: &Values,
) -> Result<Step, ClientError> {
    let table = table(context.model, entity)?;
    let derived = derive(context.model, entity, values)?;
    let main = derived.into_iter().next();
    let main = main.ok_or_else(|| ClientError::Unknown(format!("{} has no key", entity.name)))?;
    let changes = main
        .item
        .iter()
        .filter(|(name, _)| main.key.get(name).is_none() && !is_kept(entity, name))
        .map(|(name, value)| (name.clone(), Change::Set(value.clone())));
    let changes = changes.chain(kept(entity)).collect();
    let removed = absent(table, entity, &main);
    Ok(Step {
        label: format!("put {}", entity.name),
        refusal: Refusal::None,
        table: main.table,
        key: main.key,
        conditions: Vec::new(),
        action: StepAction::Update { changes, removed },
        maxima: BTreeMap::new(),
    })
}

fn is_kept(entity: &Entity, name: &str) -> bool {
    let attribute = entity.attribute(name);
    attribute.is_some_and(|attribute| attribute.is_kept)
}

/// The changes of the attributes that the model keeps: the version goes up, and starts at 1; a
/// count or sum starts at 0, and stays where it is.
fn kept(entity: &Entity) -> impl Iterator<Item = (String, Change)> {
    let kept = entity.attributes.iter();
    let kept = kept.filter(|attribute| attribute.is_kept && !attribute.optional);
    kept.map(|attribute| {
        let is_version = entity.version.as_ref() == Some(&attribute.name);
        let added = Number::from(i64::from(is_version));
        (attribute.name.clone(), Change::Add(added))
    })
}

/// The attributes that a stored item may have and the new one has not: its own, index keys, and the
/// time of expiry.
fn absent(table: &Table, entity: &Entity, main: &Derived) -> Vec<String> {
    let own = entity.attributes.iter().filter(|one| !one.is_kept);
    let own = own.map(|attribute| &attribute.name);
    let keys = entity
        .indexes
        .iter()
        .filter_map(|key| table.indexes.get(key.index))
        .flat_map(keyfold_model::Index::columns)
        .map(|column| &column.name);
    let expiry = table.ttl_attribute.iter().filter(|_| entity.ttl.is_some());
    let mut names: Vec<String> = own
        .chain(keys)
        .chain(expiry)
        .filter(|name| main.item.get(name).is_none() && !is_kept(entity, name))
        .cloned()
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}
