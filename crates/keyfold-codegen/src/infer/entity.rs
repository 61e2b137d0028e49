//! One kind of item as an entity: name, attributes, key and index keys.

use super::attributes::Attributes;
use super::definition::TableDefinition;
use super::draft::shown;
use super::index_key::index_line;
use super::kinds::Kind;
use super::names::{capital, distinct, identifier};
use super::nulls;
use super::shape::Piece;
use super::source::Source;
use super::template::template;
use super::types::Records;
use keyfold_model::written;

/// Names that earlier entities of the model took.
#[derive(Default)]
pub(super) struct Names {
    /// The names of entities.
    pub(super) entities: Vec<String>,
    /// The nested types, with their text.
    pub(super) records: Records,
}

/// The text of an entity for a kind of item. `place` stands behind the entity's name: ` in TABLE`,
/// or nothing for the first table. `has_keys_only` leaves out all attributes but those of keys.
pub(super) fn text(
    source: Source<'_>,
    kind: &Kind<'_>,
    place: &str,
    has_keys_only: bool,
    names: &mut Names,
) -> String {
    let mut attributes = Attributes::of(source, &kind.items, &mut names.records);
    if has_keys_only {
        attributes.leave_out_all();
    }
    let table = source.table;
    let templates: Vec<String> = table
        .key
        .iter()
        .zip(&kind.shapes)
        .map(|(column, shape)| template(column, shape, &kind.items, &mut attributes))
        .collect();
    let mut lines = vec![format!("  key {}", templates.join(" "))];
    // What the table's key gives back; the keys of indexes come behind it.
    let unstored: Vec<String> = attributes
        .made
        .iter()
        .map(|made| written(&made.name))
        .collect();
    lines.extend(
        table
            .indexes
            .iter()
            .filter_map(|index| index_line(source, index, &kind.items, &mut attributes)),
    );
    let in_indexes: Vec<String> = attributes
        .made
        .iter()
        .skip(unstored.len())
        .map(|made| made.name.clone())
        .collect();
    if !in_indexes.is_empty() {
        attributes.notes.push(format!(
            "only in the keys of indexes so far, no attribute of the items: {}",
            in_indexes.join(", ")
        ));
    }
    if !unstored.is_empty() {
        lines.push(format!("  unstored {}", unstored.join(", ")));
    }
    let is_taken = |name: &str| names.entities.iter().any(|taken| taken == name);
    let first = name_of(table, kind);
    let longer = || joined_words(kind).filter(|longer| !is_taken(longer));
    let base = Some(first.clone()).filter(|first| !is_taken(first));
    let name = distinct(&base.or_else(longer).unwrap_or(first), is_taken);
    let mut out = comments(source, kind, &attributes);
    out.push_str(&format!("entity {name}{place}\n"));
    let declared: Vec<String> = attributes
        .types
        .iter()
        .map(|(name, kind)| format!("{}: {kind}", written(name)))
        .collect();
    for some in declared.chunks(ATTRIBUTES_A_LINE) {
        out.push_str(&format!("  {}\n", some.join(", ")));
    }
    out.push_str(&lines.join("\n"));
    out.push_str("\n\n");
    names.entities.push(name);
    out
}

const ATTRIBUTES_A_LINE: usize = 4;

/// Comments for the author of the model: guesses to be read over, and what is left out.
fn comments(source: Source<'_>, kind: &Kind<'_>, attributes: &Attributes) -> String {
    let mut lines = Vec::new();
    if let (Some(attribute), Some(own)) = (source.kind_attribute, &kind.name)
        && !source.is_declared
    {
        let reason = if identifier(own) == *own {
            "the table does not declare it, since not every kind has a name of its own there"
        } else {
            "the table does not declare it, since that is no name of an entity"
        };
        lines.push(format!("its items say `{own}` in {attribute}; {reason}"));
    }
    lines.extend(attributes.notes.iter().cloned());
    lines.extend(nulls::comment(&kind.items, attributes.types.keys()));
    if !attributes.left_out.is_empty() {
        lines.push(format!(
            "left out, and kept by a put: {}",
            attributes.left_out.join(", ")
        ));
    }
    lines
        .iter()
        .map(|line| format!("# {}\n", shown(line)))
        .collect()
}

/// Fixed texts in keys that name no entity.
const USUAL_TEXTS: [&str; 7] = [
    "V0", "Profile", "Meta", "Metadata", "Info", "Details", "Data",
];

/// A name for a kind of item: the value of its type attribute, or a fixed text of its keys.
fn name_of(table: &TableDefinition, kind: &Kind<'_>) -> String {
    let Some(own) = &kind.name else {
        let pieces = kind.shapes.iter().rev().flatten();
        let mut fixed = pieces.filter_map(|piece| match piece {
            Piece::Fixed(text) => Some(entity_name(text)),
            Piece::Open => None,
        });
        return fixed
            .find(|name| !name.is_empty() && !USUAL_TEXTS.contains(&name.as_str()))
            .unwrap_or_else(|| format!("{}Item", identifier(&table.name)));
    };
    if identifier(own) == *own {
        // The model then writes the value that the items have.
        own.clone()
    } else {
        own.split('.')
            .map(|part| capital(&identifier(part)))
            .collect()
    }
}

/// A name of all words of the keys, for a kind whose name another one has: `RacerRace`.
fn joined_words(kind: &Kind<'_>) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    for piece in kind.shapes.iter().flatten() {
        let word = match piece {
            Piece::Fixed(text) => entity_name(text),
            Piece::Open => continue,
        };
        if !word.is_empty() && !words.contains(&word) && !USUAL_TEXTS.contains(&word.as_str()) {
            words.push(word);
        }
    }
    (kind.name.is_none() && words.len() > 1).then(|| words.concat())
}

/// A fixed text of a key as a name: `OrderItem` for `ORDER_ITEM#`.
fn entity_name(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.map(capital).collect()
}
