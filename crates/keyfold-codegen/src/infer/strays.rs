//! Strays: kinds of a few items that no model can tell from the others. They are left out, with a
//! remark, so that one forgotten item does not hide what a whole table is.

use super::draft::{Draft, Grouping};
use super::kinds::{self, Kind, KindKey};
use super::shape::Piece;
use super::source::Source;
use crate::texts::{text, text_of};
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

/// Whether the key of an item of a stray is one that an entity of the model makes.
pub(super) fn fits(model: &Model, draft: &Draft<'_>, source: Source<'_>, stray: &KindKey) -> bool {
    let kinds = kinds::by_kind(source, draft.items);
    let own = kinds.iter().filter(|kind| is_of(kind, stray));
    let mut items = own.flat_map(|kind| &kind.items);
    let of_table = |entity: &&Entity| {
        let table = model.tables.get(entity.table);
        table.is_some_and(|table| table.name == draft.table.name)
    };
    items.any(|item| {
        let mut entities = model.entities.iter().filter(of_table);
        entities.any(|entity| {
            let columns = draft.table.key.iter().map(|(name, _)| text_of(item, name));
            let mut keys = entity.key.templates().zip(columns);
            keys.all(|(template, held)| {
                template.is_bare() || held.is_some_and(|held| template.language().accepts(held))
            })
        })
    })
}

/// What the author of the model should know of a stray.
pub(super) fn remark(draft: &Draft<'_>, source: Source<'_>, stray: &KindKey) -> Option<String> {
    let kinds = kinds::by_kind(source, draft.items);
    let kind = kinds.iter().find(|kind| is_of(kind, stray))?;
    let (count, first) = (kind.items.len(), kind.items.first()?);
    let items = match count {
        1 => "the item".to_owned(),
        _ => format!("{count} items like"),
    };
    Some(format!(
        "{items} {} {} of no entity here: no template tells such keys from those of the other items",
        key_of(draft, first),
        if count == 1 { "is" } else { "are" }
    ))
}

fn key_of(draft: &Draft<'_>, item: &Item) -> String {
    let columns = draft.table.key.iter().filter_map(|(name, _)| {
        let held = item.get(name)?;
        Some(match text(held) {
            Some(text) => format!("{name} = {text:?}"),
            None => format!("{name} = {}", keyfold_model::value::display(held)),
        })
    });
    columns.collect::<Vec<_>>().join(", ")
}
