//! A change of an entity, which the parts of a comparison fill in.

use super::change::{Change, Class, Place, Verdicts};
use super::pair::Pair;

/// A change of an entity, without its sentences.
pub(super) fn of_entity(pair: &Pair<'_>, place: Place, class: Class) -> Change {
    let tables = pair.tables().map(|(_, table)| table.name.clone());
    Change {
        what: pair.title(),
        how: String::new(),
        place,
        class,
        reason: String::new(),
        help: None,
        entities: vec![pair.new.name.clone()],
        tables: tables.into_iter().collect(),
        verdicts: Verdicts::all(),
        work: Vec::new(),
    }
}
