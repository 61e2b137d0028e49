//! Index keys that another program left in an item: the item lacks an attribute of the key, so that the
//! model makes none of its attributes, and yet it has some of the key's attributes. A change of what
//! such a key is made of would leave the item where it does not belong.

use super::lacking::item_text;
use super::stored_entity::StoredEntity;
use crate::arguments::Values;
use crate::derive::index_parts;
use crate::error::ClientError;
use keyfold_model::schema::IndexKey;
use keyfold_model::{Entity, Table};
use keyfold_types::Item;

/// The attributes of index keys that go with the change from what is stored to the new values, which
/// make the new item. `is_whole` says that all attributes are given.
///
/// # Errors
/// `Refused` when a required attribute of such a key is absent: the key can be neither made nor
/// removed, since every item with a key in the index belongs there.
pub(super) fn left_behind(
    (table, entity): (&Table, &Entity),
    old: &StoredEntity,
    (new, item): (&Values, &Item),
    is_whole: bool,
) -> Result<Vec<String>, ClientError> {
    let is_left = |name: &&str| {
        old.item.get(name).is_some()
            && item.get(name).is_none()
            && entity.attribute(name).is_none()
            && table.columns().all(|own| own.name != **name)
    };
    let mut left: Vec<String> = Vec::new();
    for key in &entity.indexes {
        let Some(index) = table.indexes.get(key.index) else {
            continue;
        };
        let columns = index.columns().map(|column| column.name.as_str());
        let columns: Vec<&str> = columns.filter(is_left).collect();
        let is_made = |values: &Values| index_parts(table, key, values).next().is_some();
        if columns.is_empty()
            || is_made(&old.values)
            || is_made(new)
            || !(is_whole || is_changed(key, &old.values, new))
        {
            continue;
        }
        let is_required = |name: &&str| entity.attribute(name).is_some_and(|found| !found.optional);
        let mut absent = key.key.fields().filter(|name| !new.contains_key(*name));
        if let Some(missing) = absent.find(is_required) {
            return Err(ClientError::refused(format!(
                "{} has no `{missing}`, of which its key in {} is made: give `{missing}`, too; `keyfold verify` finds such items",
                item_text(entity, &old.values),
                index.name
            )));
        }
        left.extend(columns.into_iter().map(str::to_owned));
    }
    Ok(left)
}

/// Whether an attribute changes of which the key of an index is made, or that puts an item in it.
fn is_changed(key: &IndexKey, old: &Values, new: &Values) -> bool {
    let deciding = key.sparse.iter().map(|sparse| sparse.attribute.as_str());
    let mut names = key.key.fields().chain(deciding);
    names.any(|name| old.get(name) != new.get(name))
}
