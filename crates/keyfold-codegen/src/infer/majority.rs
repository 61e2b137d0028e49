//! One item in hundreds that is not as the others: the others decide, and a comment names it.

use super::definition::TableDefinition;
use super::nulls::counted;
use crate::texts::text;
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

/// Exceptions are at most one of so many items.
const ONE_OF: usize = 20;

/// An attribute that more items lack is optional. Fewer may be exceptions than of types and keys:
/// a value may well be absent.
const ABSENT_ONE_OF: usize = 100;

/// Whether so many of all items are exceptions.
pub(super) fn are_few(exceptions: usize, all: usize) -> bool {
    exceptions * ONE_OF <= all
}

/// Whether an attribute that so many of all items lack is one that they should have.
pub(super) fn lack_by_mistake(absent: usize, all: usize) -> bool {
    absent * ABSENT_ONE_OF <= all
}

/// The values of the type that nearly all have, and the number of each other type.
pub(super) fn of_one_type<'v>(values: &[&'v Value]) -> (Vec<&'v Value>, usize) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value.kind().descriptor()).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    let (kind, count) = most.unwrap_or_default();
    let odd = values.len() - count;
    if odd == 0 || !are_few(odd, values.len()) {
        return (values.to_vec(), 0);
    }
    let of_kind = |value: &&&Value| value.kind().descriptor() == kind;
    (values.iter().filter(of_kind).copied().collect(), odd)
}

/// The comment about items that lack something that the others have, or have it in another form.
pub(super) fn comment(
    table: &TableDefinition,
    (odd, all): (&[&Item], usize),
    what: &str,
) -> Option<String> {
    let first = key_of(table, odd.first()?);
    let verb = if odd.len() == 1 { "has" } else { "have" };
    Some(format!(
        "{} of {} {verb} {what}, the first {first}",
        odd.len(),
        counted(all)
    ))
}

/// An item's key, for people.
pub(super) fn key_of(table: &TableDefinition, item: &Item) -> String {
    let columns = table.key.iter().filter_map(|(name, _)| {
        let held = item.get(name)?;
        Some(match text(held) {
            Some(text) => format!("{name} = {text:?}"),
            None => format!("{name} = {}", keyfold_model::value::display(held)),
        })
    });
    columns.collect::<Vec<_>>().join(", ")
}
