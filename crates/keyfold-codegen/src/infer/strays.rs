//! Strays: kinds of a few items that no model can tell from the others. They are left out, with a
//! remark, so that one forgotten item does not hide what a whole table is.

use super::draft::{Draft, Grouping};
use super::kinds::{self, Kind, KindKey};
use super::majority;
use super::shape::Piece;
use super::source::Source;
use crate::texts::text_of;
use keyfold_model::{Entity, Model};
use keyfold_types::Item;
use std::cmp::Reverse;

/// A kind is a stray if it has at most one of so many items.
const ONE_OF: usize = 10;

/// The least understood of the strays that are still in.
pub(super) fn next(draft: &Draft<'_>, source: Source<'_>) -> Option<KindKey> {
    if draft.grouping != Grouping::ByKind {
        return None;
    }
    let kinds = kinds::by_kind(source, draft.items);
    let most = draft.items.len() / ONE_OF;
    let may_go = |kind: &&Kind<'_>| {
        kind.items.len() <= most && !draft.strays.iter().any(|stray| is_of(kind, stray))
    };
    let found = kinds.iter().filter(may_go).min_by_key(|kind| {
        let not_understood = kind.shapes.iter().filter(|shape| is_open(shape)).count();
        (Reverse(not_understood), kind.items.len())
    });
    found.map(|found| (found.name.clone(), found.shapes.clone()))
}

/// Whether nothing of a key is fixed.
fn is_open(shape: &[Piece]) -> bool {
    shape.iter().all(|piece| *piece == Piece::Open)
}

/// Whether a kind is this stray.
pub(super) fn is_of(kind: &Kind<'_>, (name, shapes): &KindKey) -> bool {
    kind.name == *name && kind.shapes == *shapes
}

/// Whether an entity of the model makes the key of an item that is of a stray, or of another entity.
pub(super) fn are_mixed(model: &Model, draft: &Draft<'_>, source: Source<'_>) -> bool {
    let kinds = kinds::by_kind(source, draft.items);
    let is_stray = |kind: &&Kind<'_>| draft.strays.iter().any(|stray| is_of(kind, stray));
    let strays = kinds.iter().filter(is_stray).flat_map(|kind| &kind.items);
    let unsaid = unsaid(model, draft, source);
    let mut items = strays.copied().chain(unsaid);
    items.any(|item| entities(model, draft).any(|entity| makes(entity, draft, item)))
}

/// The entities of a draft, in the order of its kinds.
fn entities<'m>(model: &'m Model, draft: &Draft<'_>) -> impl Iterator<Item = &'m Entity> {
    let name = draft.table.name.clone();
    model.entities.iter().filter(move |entity| {
        let table = model.tables.get(entity.table);
        table.is_some_and(|table| table.name == name)
    })
}

/// Whether an entity makes the key of an item.
fn makes(entity: &Entity, draft: &Draft<'_>, item: &Item) -> bool {
    let columns = draft.table.key.iter().map(|(name, _)| text_of(item, name));
    let mut keys = entity.key.templates().zip(columns);
    keys.all(|(template, held)| {
        template.is_bare() || held.is_some_and(|held| template.language().accepts(held))
    })
}

/// The items of a draft that are of no stray, and not of the entity of their kind either: values in
/// their keys hold what the fields of its template cannot hold.
pub(super) fn unsaid<'i>(model: &Model, draft: &Draft<'i>, source: Source<'_>) -> Vec<&'i Item> {
    if draft.grouping != Grouping::ByKind {
        return Vec::new();
    }
    let kinds = kinds::by_kind(source, draft.items);
    let is_stray = |kind: &Kind<'_>| draft.strays.iter().any(|stray| is_of(kind, stray));
    let of_entities = kinds.into_iter().filter(|kind| !is_stray(kind));
    let pairs = of_entities.zip(entities(model, draft));
    let items = pairs.flat_map(|(kind, entity)| {
        let mut items = kind.items;
        items.retain(|item| !makes(entity, draft, item));
        items
    });
    items.collect()
}

/// Whether so many items of a draft are too many to leave them out.
pub(super) fn are_many(count: usize, draft: &Draft<'_>) -> bool {
    count > draft.items.len() / ONE_OF
}

/// What the author of the model should know of items that are [`unsaid`].
pub(super) fn unsaid_remark(draft: &Draft<'_>, unsaid: &[&Item]) -> Option<String> {
    let first = unsaid.first()?;
    let subject = subject(draft, unsaid.len(), first);
    Some(format!(
        "{subject} of no entity here: a value in its key holds what the template cannot hold there"
    ))
}

/// What the author of the model should know of a stray.
pub(super) fn remark(draft: &Draft<'_>, source: Source<'_>, stray: &KindKey) -> Option<String> {
    let kinds = kinds::by_kind(source, draft.items);
    let kind = kinds.iter().find(|kind| is_of(kind, stray))?;
    let subject = subject(draft, kind.items.len(), kind.items.first()?);
    Some(format!(
        "{subject} of no entity here: no template tells such keys from those of the other items"
    ))
}

/// The beginning of a sentence about items of which the first is given.
fn subject(draft: &Draft<'_>, count: usize, first: &Item) -> String {
    let key = majority::key_of(&draft.table, first);
    match count {
        1 => format!("the item {key} is"),
        _ => format!("{count} items like {key} are"),
    }
}
