//! The declaration of a table.

use super::definition::{IndexDefinition, KeyColumn, Projection, TableDefinition};
use super::names::title;
use super::source::Source;
use keyfold_model::{written, written_list};
use keyfold_types::KeyKind;

/// The first line of a table.
pub(super) fn head(source: Source<'_>) -> String {
    let TableDefinition {
        name,
        key,
        // Each has a line of its own.
        indexes: _,
        ttl,
    } = source.table;
    let option = |word: &str, attribute: Option<&str>| {
        attribute.map_or(String::new(), |attribute| {
            format!(" {word} {}", written(attribute))
        })
    };
    format!(
        "table {} ({}){}{}\n",
        title(name),
        columns(key),
        option("type", source.type_attribute()),
        option("ttl", ttl.as_deref()),
    )
}

/// The line of an index.
pub(super) fn index_line(index: &IndexDefinition) -> String {
    let IndexDefinition {
        name,
        is_local,
        partition,
        sort,
        projection,
    } = index;
    let (word, key) = match (is_local, sort.as_slice()) {
        (true, sort) => ("lsi", columns(sort)),
        (false, []) => ("gsi", group(partition)),
        (false, sort) => ("gsi", format!("{}, {}", group(partition), group(sort))),
    };
    let projection = match projection {
        Projection::All => String::new(),
        Projection::Keys => " project keys".to_owned(),
        Projection::Only(names) => {
            format!(
                " project ({})",
                written_list(names.iter().map(String::as_str))
            )
        }
    };
    format!("  {word} {} ({key}){projection}\n", title(name))
}

/// Key attributes in a row; a text needs no type.
fn columns(columns: &[KeyColumn]) -> String {
    let one = |(name, kind): &KeyColumn| match kind {
        KeyKind::S => written(name),
        KeyKind::N => format!("{}: number", written(name)),
        KeyKind::B => format!("{}: binary", written(name)),
    };
    columns.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// One key attribute, or several in parentheses.
fn group(all: &[KeyColumn]) -> String {
    match all {
        [_] => columns(all),
        _ => format!("({})", columns(all)),
    }
}
