//! The written form of a view's definition: all that its rows follow from, and nothing else. Its
//! digest says whether stored rows are of a definition; two models with one form make the same rows.
//!
//! The form is stable: another version of Keyfold writes the same text, or the first line has another
//! number. An attribute that the view does not use may come, go and change.

use crate::schema::view::{From, View};
use crate::schema::{Condition, Entity, IndexKey, KeyPair, Model, Precision, Table, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The version of the form.
const FIRST: &str = "keyfold view 1";

/// The attributes that a view uses, by the positions of its source and of the entities that its rows
/// refer to.
pub fn used(view: &View, source: &Entity) -> BTreeMap<usize, BTreeSet<String>> {
    let mut used: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let own = used.entry(view.source).or_default();
    own.extend(source.identity().into_iter().map(str::to_owned));
    let conditions = view.when.iter().flat_map(Condition::attributes);
    own.extend(conditions.map(str::to_owned));
    for column in &view.columns {
        let needed = column.from.needed().into_iter();
        used.entry(view.source)
            .or_default()
            .extend(needed.map(str::to_owned));
        if let From::Joined { entity, of, .. } = &column.from {
            used.entry(*entity).or_default().insert(of.clone());
        }
    }
    used
}

/// The text of the definition of a view of the model; `None` for an entity that is no view.
pub fn written(model: &Model, own: &Entity) -> Option<String> {
    let view = own.view.as_ref()?;
    let used = used(view, model.entities.get(view.source)?);
    let mut text = format!("{FIRST}\n");
    let joined = view.joined().into_iter().map(|at| ("joined", at));
    for (word, at) in std::iter::once(("source", view.source)).chain(joined) {
        let Some((entity, table)) = found(model, at) else {
            continue;
        };
        entity_line(&mut text, word, table, entity);
        let columns = view.columns.iter();
        let keys = columns.flat_map(|column| match &column.from {
            From::Joined { entity, link, .. } if *entity == at => link.as_slice(),
            From::Joined { .. }
            | From::Group { .. }
            | From::Copied { .. }
            | From::Count
            | From::Sum { .. }
            | From::Min { .. }
            | From::Max { .. }
            | From::Average { .. }
            | From::Distinct { .. }
            | From::Top { .. } => &[],
        });
        let used = used.get(&at).into_iter().flatten();
        let names = used.chain(keys.map(|(key, _)| key));
        for name in names.collect::<BTreeSet<_>>() {
            attribute_line(&mut text, entity, name);
        }
    }
    for condition in &view.when {
        line(&mut text, &format!("where {condition}"));
    }
    if let Some(table) = model.tables.get(own.table) {
        entity_line(&mut text, "view", table, own);
        for index in &own.indexes {
            index_line(&mut text, table, index);
        }
    }
    for column in &view.columns {
        attribute_line(&mut text, own, &column.attribute);
        line(&mut text, &format!("    {}", from(model, &column.from)));
    }
    Some(text)
}

/// An entity and its table.
fn found(model: &Model, at: usize) -> Option<(&Entity, &Table)> {
    let entity = model.entities.get(at)?;
    Some((entity, model.tables.get(entity.table)?))
}

/// A key in an index.
fn index_line(text: &mut String, table: &Table, index: &IndexKey) {
    let name = table.indexes.get(index.index);
    let name = name.map_or("", |index| index.name.as_str());
    let mut said = format!("  index {name} {}", key(&index.key));
    if let Some(sparse) = &index.sparse {
        let _infallible = match &sparse.value {
            Some(value) => write!(said, " where {} = \"{value}\"", sparse.attribute),
            None => write!(said, " where exists {}", sparse.attribute),
        };
    }
    line(text, &said);
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// An entity's name, table and key, and what its items say of their kind.
fn entity_line(text: &mut String, word: &str, table: &Table, entity: &Entity) {
    let mut said = format!(
        "{word} {} in {} {}",
        entity.name,
        table.name,
        key(&entity.key)
    );
    if let Some(attribute) = &table.type_attribute {
        let _infallible = write!(said, " type {attribute}");
    }
    if !table.delimiters.is_empty() {
        let delimiters: String = table.delimiters.iter().collect();
        let _infallible = write!(said, " between {delimiters}");
    }
    line(text, &said);
}

fn key(key: &KeyPair) -> String {
    let all = key.templates().map(ToString::to_string);
    all.collect::<Vec<_>>().join(" ")
}

/// An attribute as it is stored.
fn attribute_line(text: &mut String, entity: &Entity, name: &str) {
    let mut said = format!("  {name}:");
    if let Some(attribute) = entity.attribute(name) {
        said.push(' ');
        kind(&mut said, &attribute.kind);
        if attribute.optional {
            said.push('?');
        }
        if attribute.is_kept {
            said.push_str(" kept");
        }
    }
    for (of, word) in [
        (&entity.compressed, " compressed"),
        (&entity.unstored, " in key"),
    ] {
        if of.iter().any(|one| one == name) {
            said.push_str(word);
        }
    }
    line(text, &said);
}

fn kind(text: &mut String, of: &Type) {
    match of {
        Type::String => text.push_str("string"),
        Type::Int => text.push_str("int"),
        Type::Number => text.push_str("number"),
        Type::Bool => text.push_str("bool"),
        Type::Time(precision) => text.push_str(match precision {
            Precision::Seconds => "time 0",
            Precision::Millis => "time 3",
            Precision::Micros => "time 6",
            Precision::Nanos => "time 9",
        }),
        Type::Date => text.push_str("date"),
        Type::Period(unit) => {
            let _infallible = write!(text, "period {unit}");
        }
        Type::Binary => text.push_str("binary"),
        Type::Ulid => text.push_str("ulid"),
        Type::Uuid => text.push_str("uuid"),
        Type::Words(words) => {
            let _infallible = write!(text, "one of {}", words.join("|"));
        }
        Type::List(inner) => nested(text, "list", inner),
        Type::Map(inner) => nested(text, "map", inner),
        Type::Set(inner) => nested(text, "set", inner),
        Type::Record(record) => {
            text.push('{');
            for (name, inner, is_optional) in &record.fields {
                let _infallible = write!(text, " {name}: ");
                kind(text, inner);
                text.push_str(if *is_optional { "?" } else { "" });
            }
            text.push_str(" }");
        }
    }
}

fn nested(text: &mut String, word: &str, inner: &Type) {
    let _infallible = write!(text, "{word} of (");
    kind(text, inner);
    text.push(')');
}

/// What a column is made of.
fn from(model: &Model, from: &From) -> String {
    match from {
        From::Group { of, cut: None } => format!("group {of}"),
        From::Group {
            of,
            cut: Some(unit),
        } => format!("group {unit} of {of}"),
        From::Copied { of } => format!("copied {of}"),
        From::Count => "count".to_owned(),
        From::Sum { of } => format!("sum {of}"),
        From::Min { of } => format!("min {of}"),
        From::Max { of } => format!("max {of}"),
        From::Average { of } => format!("average {of}"),
        From::Distinct { of } => format!("distinct {of}"),
        From::Top {
            number,
            by,
            descending,
            fields,
        } => {
            let order = if *descending { "greatest" } else { "least" };
            format!("top {number} {order} {by} only {}", fields.join(", "))
        }
        From::Joined { entity, link, of } => {
            let entity = model.entities.get(*entity);
            let entity = entity.map_or("", |entity| entity.name.as_str());
            let link = link.iter().map(|(key, own)| format!("{key} = {own}"));
            let link = link.collect::<Vec<_>>().join(", ");
            format!("joined {entity}.{of} by {link}")
        }
    }
}
