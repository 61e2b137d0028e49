//! What changes for the teams that own a model's files: owners of declarations, and what is shared.

use super::change::{Change, Changes, Place};
use keyfold_model::{Model, Span};
use std::collections::BTreeMap;

/// The owners of a declaration: that of the old model and that of the new one.
type Owners<'m> = (Option<&'m str>, Option<&'m str>);

/// Reports the declarations that have another owner, a change for each pair of owners.
pub(super) fn owners(old: &Model, new: &Model, all: &mut Vec<Change>) {
    let mut moved: BTreeMap<Owners<'_>, (Span, Vec<String>)> = BTreeMap::new();
    let mut compare = |before: Option<Span>, after: Span, what: String| {
        let Some(before) = before else { return };
        let owners = (old.owner_of(before), new.owner_of(after));
        if owners.0 != owners.1 {
            let moved = moved.entry(owners);
            moved.or_insert((after, Vec::new())).1.push(what);
        }
    };
    for table in &new.tables {
        let before = old.tables.iter().find(|one| one.name == table.name);
        let before = before.map(|one| one.span);
        compare(before, table.span, format!("table {}", table.name));
    }
    for entity in &new.entities {
        let before = old.entity(&entity.name).map(|one| one.span);
        compare(before, entity.span, format!("entity {}", entity.name));
    }
    for pattern in &new.patterns {
        let before = old.pattern(&pattern.name).map(|one| one.span);
        compare(before, pattern.span, format!("pattern {}", pattern.name));
    }
    for write in &new.writes {
        let before = old.write(&write.name).map(|one| one.span);
        compare(before, write.span, format!("write {}", write.name));
    }
    for ((before, after), (span, what)) in moved {
        let owner = |name: Option<&str>| name.unwrap_or("nobody").to_owned();
        Changes::of("owners".to_owned(), Place::New(span), all).add_harmless(format!(
            "{} instead of {} owns {}",
            owner(after),
            owner(before),
            what.join(", ")
        ));
    }
}

/// Reports a declaration that is shared now, or private.
pub(super) fn sharing(before: bool, after: bool, changes: &mut Changes<'_>) {
    match (before, after) {
        (false, true) => changes.add_harmless("is shared: other files may use it"),
        (true, false) => changes.add_harmless("is private to its file"),
        (false, false) | (true, true) => {}
    }
}
