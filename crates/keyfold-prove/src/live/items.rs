//! The stored items, for questions about them: an item that no row makes is found where no row leads.

use super::report::LiveError;
use super::scope::mapped_of;
use keyfold_api::{Request, Response, ScanInput};
use keyfold_client::arguments::Values;
use keyfold_client::kinds::{Kinds, Role};
use keyfold_client::{Backend, tables};
use keyfold_lower::stored::values_of;
use keyfold_relational::{Mapped, Mapping};
use keyfold_types::Item;

/// Takes the attributes of an item, and says whether to go on.
type Taker<'t, 'm> = dyn FnMut(&Mapped<'m>, Values) -> Result<bool, LiveError> + 't;

/// Hands the attributes of the main items of all tables on, until `take` refuses.
pub(super) fn each<'m>(
    mapping: &Mapping<'m>,
    backend: &Backend,
    take: &mut Taker<'_, 'm>,
) -> Result<(), LiveError> {
    let model = mapping.model;
    let names = tables::names(backend)?;
    for (at, table) in model.tables.iter().enumerate() {
        let kinds = Kinds::of(model, at, table);
        let is_own = |name: &&String| {
            **name == table.name || (table.period.is_some() && name.starts_with(&table.name))
        };
        for name in names.iter().filter(is_own) {
            let mut start: Option<Item> = None;
            loop {
                let (items, next) = scanned(backend, name, start.as_ref())?;
                for item in items {
                    if let Some((mapped, values)) = read(mapping, &kinds, item)
                        && !take(mapped, values)?
                    {
                        return Ok(());
                    }
                }
                match next {
                    Some(next) => start = Some(next),
                    None => break,
                }
            }
        }
    }
    Ok(())
}

/// The attributes of a main item of a mapped entity. What cannot be read is the matter of a verification.
fn read<'a, 'm>(
    mapping: &'a Mapping<'m>,
    kinds: &Kinds<'_>,
    item: Item,
) -> Option<(&'a Mapped<'m>, Values)> {
    let kind = kinds.kind_of(&item)?;
    let entity = mapping.model.entities.get(kind.at)?;
    let mapped = mapped_of(mapping, entity).filter(|_| kind.role == Role::Main)?;
    let names = entity.attributes.iter().filter(|one| !one.is_kept);
    let names = names.map(|one| one.name.as_str());
    let values = values_of(kinds.table, entity, None, names, &[item]).ok()?;
    Some((mapped, values))
}

/// A page of a table, and where the next one begins.
fn scanned(
    backend: &Backend,
    table: &str,
    start: Option<&Item>,
) -> Result<(Vec<Item>, Option<Item>), LiveError> {
    let scan: Request = ScanInput {
        table_name: Some(table.to_owned()),
        exclusive_start_key: start.cloned().map(Ok),
        ..ScanInput::default()
    }
    .into();
    let answer = backend.call(scan)?;
    if let Response::Scan(output) = answer {
        let items = output.items.unwrap_or_default();
        let items = items.iter().map(|item| item.to_item()).collect();
        return Ok((items, output.last_evaluated_key));
    }
    Ok((Vec::new(), None))
}
