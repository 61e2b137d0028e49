//! Items that no row is made of: those of no kind of the model, and those of an entity that no `from` line makes. While
//! the tables lead, nothing of them comes into the database, so they are counted, and the first ones named.

use super::sides::names;
use crate::mapping::Mapping;
use crate::progress::{Progress, Rowless};
use crate::verify::scanned;
use keyfold_client::kinds::{Kinds, Role};
use keyfold_client::{Backend, ClientError};
use keyfold_model::value;
use keyfold_types::Item;

/// What the database has of an item.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A row, of the mapping with a position.
    Row(usize),
    /// Nothing of its own: it follows from other items.
    Follows,
    /// Nothing, for this reason.
    None(String),
}

/// What the database has of an item of a table.
pub(crate) fn standing(mapping: &Mapping<'_>, kinds: &Kinds<'_>, item: &Item) -> Standing {
    let found = kinds.kind_of(item);
    let entity = found.and_then(|kind| Some((kind, mapping.model.entities.get(kind.at)?)));
    let Some((kind, entity)) = entity else {
        return Standing::None(named(kinds, item, "of no kind of the model"));
    };
    let mut mapped = mapping.entities.iter();
    match mapped.position(|one| one.entity.name == entity.name) {
        _ if entity.view.is_some() => Standing::Follows,
        Some(at) if kind.role == Role::Main => Standing::Row(at),
        Some(_) => Standing::Follows,
        // Its copies and guards are told with it.
        None if kind.role != Role::Main => Standing::Follows,
        None => {
            let why = format!("of {}, which no `from` line makes", entity.name);
            Standing::None(named(kinds, item, &why))
        }
    }
}

fn named(kinds: &Kinds<'_>, item: &Item, why: &str) -> String {
    let key = kinds.key_of(item);
    let key = key
        .iter()
        .map(|(name, held)| format!("{name} = {}", value::shown(held)));
    let key: Vec<String> = key.collect();
    format!("{} ({}), {why}", kinds.table.name, key.join(", "))
}

/// The items of the tables that no row is made of, which are read whole.
///
/// # Errors
/// When the tables cannot be read.
pub fn rowless(
    mapping: &Mapping<'_>,
    backend: &Backend,
    progress: &Progress,
) -> Result<Rowless, ClientError> {
    let (model, own) = (mapping.model, names(mapping.model));
    let mut found = Rowless::default();
    let tables = model.tables.iter().enumerate();
    for (at, table) in tables.filter(|(_, table)| own.contains(&table.name.as_str())) {
        let kinds = Kinds::of(model, at, table);
        let mut start: Option<Item> = None;
        loop {
            let (items, next) = scanned(backend, &table.name, start.as_ref())?;
            for item in &items {
                if let Standing::None(name) = standing(mapping, &kinds, item) {
                    found.add(name);
                }
            }
            match next {
                Some(next) if !progress.is_stopping() => start = Some(next),
                Some(_) | None => break,
            }
        }
    }
    Ok(found)
}
