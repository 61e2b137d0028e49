//! Rows of one source item each: they are put and deleted without reading them. The records of an item
//! are in order, so what is written last is what the item is.

use super::definition::{Definition, Share};
use super::links::{self, Checks};
use super::place::digest;
use super::requests::{delete, put};
use super::rows::{Change, Target};
use crate::world::Io;
use keyfold_api::TransactWriteItem;
use keyfold_lower::ClientError;
use keyfold_model::schema::view::From;
use keyfold_types::Item;

/// The actions that bring rows up to their source items.
///
/// # Errors
/// The backend's; those of [`Definition::row`].
pub(crate) async fn actions(
    io: &dyn Io,
    target: &Target<'_>,
    changes: &[Change],
) -> Result<Vec<TransactWriteItem>, ClientError> {
    let mut actions = Vec::new();
    let mut checks = Checks::default();
    let key = |share: &Share| {
        let base = target.definition.start(&share.group)?;
        let key = Definition::key(target.definition.table(), &base);
        let digest = digest(&key);
        Ok::<(Item, String), ClientError>((key, digest))
    };
    for change in changes {
        if change.old == change.new {
            continue;
        }
        let old = change.old.as_ref().map(key).transpose()?;
        let new = change.new.as_ref().map(key).transpose()?;
        let made = match (&change.new, &new) {
            (Some(share), Some((key, digest))) => links::made(target, (key, digest), share)?,
            (None, _) | (_, None) => Vec::new(),
        };
        if let (Some(share), Some((_, digest))) = (&change.old, &old) {
            // An entry that is made again stays.
            let gone = links::removed(target, digest, Some(share)).into_iter();
            actions.extend(gone.filter(|gone| !made.iter().any(|made| is_of_one(made, gone))));
        }
        if let Some((key, digest)) = &old
            && new.as_ref().is_none_or(|(other, _)| other != key)
        {
            actions.push(delete(target.table(), target.key(key, digest), None));
        }
        if let (Some(share), Some((_, digest))) = (&change.new, &new) {
            let mut values = share.group.clone();
            let columns = target.definition.view().columns.iter();
            for (column, given) in columns.zip(&share.given) {
                if let (From::Copied { .. }, Some(held)) = (&column.from, given) {
                    values.insert(column.attribute.clone(), held.clone());
                }
            }
            values.extend(checks.read(io, target, share).await?);
            let row = target.definition.row(&values)?;
            actions.push(put(target.table(), target.stored(row, digest), None));
        }
        actions.extend(made);
    }
    actions.extend(checks.actions());
    Ok(actions)
}

/// Whether an entry that is made is the one that is deleted.
fn is_of_one(made: &TransactWriteItem, gone: &TransactWriteItem) -> bool {
    let put = made.put.as_ref().and_then(|put| put.item.as_ref());
    let key = gone.delete.as_ref().and_then(|one| one.key.as_ref());
    match (put, key) {
        (Some(Ok(item)), Some(Ok(key))) => {
            key.iter().all(|(name, held)| item.get(name) == Some(held))
        }
        _ => false,
    }
}
