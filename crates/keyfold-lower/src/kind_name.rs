//! The names of kinds in a table's attribute of types (`table Shop (PK, SK) type entity`).
//!
//! A write stores the name of the kind in each item. Reads, events and `verify` compare it by
//! [`says_another`]: an item that holds another name is none of the kind, whatever its key is. An item
//! that holds none says nothing: another program wrote it, or an index or a projection does not have the
//! attribute. Its key decides.

use crate::error::ClientError;
use crate::printed::print;
use crate::unknown::{UnknownItem, key_of, shown_key};
use keyfold_model::schema::Copy;
use keyfold_model::{Entity, Table};
use keyfold_types::{Item, Value};

/// The name of the kind of guards.
pub const GUARD: &str = "unique";

/// The name of the kind of an entity's main item, or of a copy: `Order`, `Order.summary`.
pub fn kind_name(entity: &Entity, copy: Option<&Copy>) -> String {
    match copy {
        None => entity.name.clone(),
        Some(copy) => format!("{}.{}", entity.name, copy.name),
    }
}

/// The name of the kind of the further items that a list is split over: `Order.part`.
pub fn part_name(entity: &Entity) -> String {
    format!("{}.part", entity.name)
}

/// Whether an item holds the name of another kind than this one.
pub fn says_another(table: &Table, kind: &str, item: &Item) -> bool {
    said(table, item).is_some_and(|(_, held)| !matches!(held, Value::S(name) if name == kind))
}

/// The table's attribute of types with what an item holds there.
fn said<'i>(table: &'i Table, item: &'i Item) -> Option<(&'i str, &'i Value)> {
    let name = table.type_attribute.as_deref()?;
    Some((name, item.get(name)?))
}

/// The error about an item that is of no kind that it can be: no kind has its key, or it says that it is
/// of another one. `found` begins the sentence, as in `orders found`.
pub fn unknown_item(found: &str, table: &Table, item: &Item) -> ClientError {
    let said = said(table, item).map(|(name, held)| print(name, " = ", held));
    let said = said.map_or_else(String::new, |said| format!("; {said}"));
    let unknown = UnknownItem::because(format!(
        "{found} an item that the model does not know ({}{said}): it was not written through the model, or by an earlier version of it",
        shown_key(table, item)
    ));
    ClientError::unknown(unknown.at(key_of(table, item)))
}
