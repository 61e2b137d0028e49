//! Index keys that another program left in an item: the item is not in the index, so that the model
//! makes none of the key's attributes, and yet it has some of them. Each write of the item takes them
//! out, as it makes the keys that are missing. A write that reads nothing knows the key of the item
//! only: it takes out those of the sparse indexes for which an attribute of the key decides.

use super::lacking::item_text;
use super::step::{Step, StepAction};
use super::stored_entity::StoredEntity;
use crate::arguments::Values;
use crate::derive::{index_parts, index_templates, is_chosen};
use crate::error::ClientError;
use keyfold_model::schema::{IndexKey, Path};
use keyfold_model::{Entity, KeyTemplate, Part, Table, value};
use keyfold_types::Item;

/// The attributes of index keys that go with the change from what is stored to the new values, which
/// make the new item. `is_whole` says that all attributes are given. A key of which a required
/// attribute is absent stays: whether the item is in the index is not known. So does one that holds
/// what the model cannot read, and nothing of which changes: it may be the only place of a value.
///
/// # Errors
/// `Refused` when such a key would have to change: it can be neither made nor removed.
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
    let (mut left, mut kept): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for key in &entity.indexes {
        let Some(index) = table.indexes.get(key.index) else {
            continue;
        };
        let columns = index.columns().map(|column| column.name.as_str());
        let columns: Vec<&str> = columns.filter(is_left).collect();
        let is_made = |values: &Values| index_parts(table, key, values).next().is_some();
        if columns.is_empty() || is_made(&old.values) || is_made(new) {
            continue;
        }
        let missing = unknown(entity, key, new);
        let stays = !is_whole && !is_changed(key, &old.values, new);
        if stays && (missing.is_some() || is_unread(table, key, old)) {
            kept.extend(columns);
        } else if let Some(missing) = missing {
            return Err(ClientError::refused(format!(
                "{} has no `{missing}`, of which its key in {} is made: give `{missing}`, too; `keyfold verify` finds such items",
                item_text(entity, &old.values),
                index.name
            )));
        } else {
            left.extend(columns);
        }
    }
    // Indexes share columns: what one of them keeps, the other does not take out.
    left.retain(|name| !kept.contains(name));
    Ok(left.into_iter().map(str::to_owned).collect())
}

/// Adds to an update of an item that is not read that it takes out the keys of the indexes which the
/// item is not in, as its own key says. `values` hold the attributes of the key.
pub(super) fn take_out((table, entity): (&Table, &Entity), values: &Values, step: &mut Step) {
    let StepAction::Update { removed, .. } = &mut step.action else {
        return;
    };
    let is_in_key = |name: &str| {
        let mut parts = entity.key.templates().flat_map(KeyTemplate::columns);
        parts.any(|parts| value::gives_back(parts, name))
    };
    let is_outside = |key: &&IndexKey| deciding(key).any(is_in_key) && !is_chosen(key, values);
    let names = |key| index_templates(table, key).map(|(name, _)| name);
    let (outside, others): (Vec<&IndexKey>, Vec<&IndexKey>) =
        entity.indexes.iter().partition(is_outside);
    let others: Vec<&str> = others.into_iter().flat_map(names).collect();
    for name in outside.into_iter().flat_map(names) {
        let path = Path::of(name);
        let is_own = others.contains(&name) || entity.attribute(name).is_some();
        if !is_own && !removed.contains(&path) {
            removed.push(path);
        }
    }
}

/// The required attribute that an item lacks, so that it is not known whether it is in an index. An
/// absent optional attribute leaves no doubt, nor does another value of the one that decides about a
/// sparse index.
fn unknown<'k>(entity: &Entity, key: &'k IndexKey, values: &Values) -> Option<&'k str> {
    if is_decided(key, values) {
        return None;
    }
    let is_optional = |name: &&str| entity.attribute(name).is_some_and(|found| found.optional);
    let names = key.key.fields().chain(deciding(key));
    let absent: Vec<&str> = names.filter(|name| !values.contains_key(*name)).collect();
    let first = absent.first().copied();
    first.filter(|_| !absent.iter().any(is_optional))
}

/// Whether the attribute of a sparse index says that an item is not in it.
fn is_decided(key: &IndexKey, values: &Values) -> bool {
    deciding(key).any(|name| values.contains_key(name)) && !is_chosen(key, values)
}

/// Whether an item has attributes of a key from which the model reads no value, although they would
/// give it back.
fn is_unread(table: &Table, key: &IndexKey, old: &StoredEntity) -> bool {
    let holds_none = |(column, parts): (&str, &[Part])| {
        let is_absent =
            |name: &str| value::gives_back(parts, name) && !old.values.contains_key(name);
        old.item.get(column).is_some() && key.key.fields().any(is_absent)
    };
    !is_decided(key, &old.values) && index_templates(table, key).any(holds_none)
}

/// Whether an attribute changes of which the key of an index is made, or that puts an item in it.
fn is_changed(key: &IndexKey, old: &Values, new: &Values) -> bool {
    let mut names = key.key.fields().chain(deciding(key));
    names.any(|name| old.get(name) != new.get(name))
}

/// The attribute that puts an item into a sparse index.
fn deciding(key: &IndexKey) -> impl Iterator<Item = &str> {
    key.sparse.iter().map(|sparse| sparse.attribute.as_str())
}
