//! A model proposed from a table's definition and a sample of its items: a starting point that
//! compiles.
//!
//! Items are grouped by an attribute that names their kind, and by the shape of their keys; a piece
//! of a key that is always the value of an attribute becomes its field. A table whose items are not
//! understood becomes one entity, with the key attributes as they are. Names and types are guesses
//! that the author of the model reads over.

mod attributes;
mod definition;
mod entity;
mod form;
mod kinds;
mod names;
mod patterns;
mod shape;
mod source;
mod table;
mod template;
mod types;

pub use definition::{IndexDefinition, KeyColumn, Projection, TableDefinition};
pub(crate) use names::identifier;

use entity::Names;
use keyfold_model::compile;
use keyfold_types::Item;
use source::Source;

/// The entities that the items of a table become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grouping {
    /// One for each kind of item.
    ByKind,
    /// One for the table.
    AsOne,
}

/// The text of a model for tables with samples of their items. It compiles.
pub fn propose(name: &str, tables: &[(TableDefinition, Vec<Item>)]) -> String {
    let mut groupings = vec![Grouping::ByKind; tables.len()];
    let text = model_text(name, tables, &groupings);
    if compiles(&text) {
        return with_patterns(text);
    }
    for (table, grouping) in tables.iter().zip(&mut groupings) {
        if !compiles(&model_text(name, std::slice::from_ref(table), &[*grouping])) {
            *grouping = Grouping::AsOne;
        }
    }
    let text = model_text(name, tables, &groupings);
    if compiles(&text) {
        return with_patterns(text);
    }
    groupings.fill(Grouping::AsOne);
    with_patterns(model_text(name, tables, &groupings))
}

fn compiles(text: &str) -> bool {
    !compile(text).has_errors()
}

/// The text of a model without patterns.
fn model_text(
    name: &str,
    tables: &[(TableDefinition, Vec<Item>)],
    groupings: &[Grouping],
) -> String {
    let mut names = Names::default();
    let mut heads = String::new();
    let mut entities = String::new();
    for ((table, items), grouping) in tables.iter().zip(groupings) {
        let type_attribute = match grouping {
            Grouping::ByKind => kinds::type_attribute(table, items),
            Grouping::AsOne => None,
        };
        let source = Source {
            table,
            type_attribute,
        };
        heads.push_str(&table::text(source));
        let kinds = match grouping {
            Grouping::ByKind => kinds::by_kind(source, items),
            Grouping::AsOne => kinds::as_one(table, items),
        };
        let place = match tables {
            [_] => String::new(),
            _ => format!(" in {}", names::title(&table.name)),
        };
        for kind in kinds {
            entities.push_str(&entity::text(source, &kind, &place, &mut names));
        }
    }
    format!(
        "model {} 1\n\n{heads}{}{entities}",
        identifier(name),
        names.records.text
    )
}

/// Adds the patterns that the keys serve, as far as they compile.
fn with_patterns(text: String) -> String {
    let Some(model) = compile(&text).model else {
        return keyfold_model::format(&text);
    };
    let mut all = text;
    let mut names: Vec<String> = Vec::new();
    for entity in &model.entities {
        for line in patterns::patterns(&model, entity, &mut names) {
            let longer = format!("{all}{line}\n");
            if compiles(&longer) {
                all = longer;
            }
        }
    }
    keyfold_model::format(&all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_types::{KeyKind, Value};
    use std::collections::BTreeMap;

    fn item(pairs: &[(&str, Value)]) -> Item {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    }

    fn shop() -> TableDefinition {
        let text = |name: &str| (name.to_owned(), KeyKind::S);
        TableDefinition {
            name: "Shop".to_owned(),
            key: vec![text("PK"), text("SK")],
            indexes: vec![IndexDefinition {
                name: "GSI1".to_owned(),
                is_local: false,
                partition: vec![text("GSI1PK")],
                sort: vec![text("GSI1SK")],
                projection: Projection::All,
            }],
            ttl: None,
        }
    }

    #[test]
    fn kinds_and_fields_are_found_in_the_keys() {
        let user = |n: i64| {
            item(&[
                ("PK", format!("USER#u{n}").into()),
                ("SK", "PROFILE".into()),
                ("userId", format!("u{n}").into()),
                ("email", format!("a{n}@b.c").into()),
                ("GSI1PK", format!("EMAIL#a{n}@b.c").into()),
                ("GSI1SK", "PROFILE".into()),
            ])
        };
        let order = |n: i64| {
            item(&[
                ("PK", format!("USER#u{n}").into()),
                ("SK", format!("ORDER#2024-01-0{n}#{n:08}").into()),
                ("orderId", n.into()),
                ("orderedAt", format!("2024-01-0{n}T10:00:00.000Z").into()),
                (
                    "lines",
                    Value::L(vec![Value::M(BTreeMap::from([(
                        "sku".to_owned(),
                        "a".into(),
                    )]))]),
                ),
            ])
        };
        let items: Vec<Item> = (1..4).flat_map(|n| [user(n), order(n)]).collect();
        let text = propose("shop", &[(shop(), items)]);
        let compiled = compile(&text);
        assert!(!compiled.has_errors(), "{text}");
        for expected in [
            "\"USER#{userId}\"",
            "\"ORDER#{orderedAtDay}#{orderId:08}\"",
            "\"EMAIL#{email}\"",
            "record Lines",
            "lines: list of Lines",
            "orderedAt: time",
            "orderedAtDay: date",
        ] {
            assert!(text.contains(expected), "{expected} is missing:\n{text}");
        }
        assert!(compiled.model.unwrap().patterns.len() >= 3, "{text}");
    }

    #[test]
    fn keys_that_are_not_understood_become_attributes() {
        let table = shop();
        let strange = vec![
            item(&[("PK", "x!y".into()), ("SK", "1".into()), ("a", 1.into())]),
            item(&[
                ("PK", "Z#A#B".into()),
                ("SK", "#".into()),
                ("a", "text".into()),
                ("GSI1PK", "p".into()),
            ]),
        ];
        for items in [strange, Vec::new()] {
            let text = propose("strange model!", &[(table.clone(), items)]);
            assert!(!compile(&text).has_errors(), "{text}");
        }
    }
}
