//! A model proposed from a table's definition and a sample of its items: a starting point that
//! compiles.
//!
//! Items are told apart by an attribute that names their kind, or by the shape of their keys; a
//! piece of a key that is always the value of an attribute becomes its field. What cannot be
//! understood stays as it is: the key attributes themselves, as one entity for the table. Names and
//! types are guesses, to be read over.

mod entity;
mod shape;
mod types;

use entity::Kind;
use keyfold_model::{Severity, compile};
use keyfold_types::{Item, KeyKind, Value};
use std::collections::BTreeMap;
use types::Records;

/// A key attribute and its type.
pub type KeyColumn = (String, KeyKind);

/// A table as DescribeTable tells of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableDefinition {
    /// Its name.
    pub name: String,
    /// Its key: partition key, and sort key if there is one.
    pub key: Vec<KeyColumn>,
    /// Its indexes.
    pub indexes: Vec<IndexDefinition>,
    /// The attribute by which items expire.
    pub ttl: Option<String>,
}

/// An index as DescribeTable tells of it.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexDefinition {
    /// Its name.
    pub name: String,
    /// Whether it is local.
    pub is_local: bool,
    /// Its partition key attributes.
    pub partition: Vec<KeyColumn>,
    /// Its sort key attributes.
    pub sort: Vec<KeyColumn>,
    /// What it holds: everything, the keys, or also these attributes.
    pub projection: Projected,
}

/// What an index holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projected {
    /// Everything.
    All,
    /// The keys.
    Keys,
    /// The keys and these attributes.
    Only(Vec<String>),
}

/// The text of a model for tables with samples of their items. It compiles.
pub fn propose(name: &str, tables: &[(TableDefinition, Vec<Item>)]) -> String {
    let careful: Vec<bool> = tables.iter().map(|_| false).collect();
    let text = written(name, tables, &careful);
    if is_fine(&text) {
        return with_patterns(text);
    }
    // Where the kinds of a table do not hold together, its items are taken as they are.
    let mut careful: Vec<bool> = careful;
    for at in 0..tables.len() {
        let alone = tables.get(at..=at).unwrap_or_default();
        if !is_fine(&written(name, alone, &[false])) {
            careful
                .iter_mut()
                .skip(at)
                .take(1)
                .for_each(|one| *one = true);
        }
    }
    let text = written(name, tables, &careful);
    if is_fine(&text) {
        return with_patterns(text);
    }
    careful.iter_mut().for_each(|one| *one = true);
    with_patterns(written(name, tables, &careful))
}

fn is_fine(text: &str) -> bool {
    !compile(text).has_errors()
}

/// A word that the language takes as a name.
pub(crate) fn identifier(text: &str) -> String {
    let mut out: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        out.insert(0, 'x');
    }
    out
}

/// Whether an attribute is named for the keys it makes, like GSI1PK: another is an attribute of the
/// items, which an index has for its key.
pub(crate) fn is_key_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let ends = ["PK", "SK", "Pk", "Sk"]
        .iter()
        .any(|end| name.ends_with(end));
    let parts: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|part| !part.is_empty())
        .collect();
    let is_key_word = |part: &&&str| {
        matches!(
            **part,
            "pk" | "sk"
                | "gsi"
                | "lsi"
                | "hash"
                | "range"
                | "partition"
                | "sort"
                | "hashkey"
                | "sortkey"
                | "gsipk"
                | "gsisk"
        )
    };
    ends || parts.iter().any(|part| is_key_word(&part))
        || lower.ends_with("hashkey")
        || lower.ends_with("sortkey")
}

/// The name of a table or index, in quotes where it is no word.
pub(crate) fn title(text: &str) -> String {
    let is_word = keyfold_model::MEMBER_WORDS.contains(&text);
    if identifier(text) == text && !is_word {
        text.to_owned()
    } else {
        format!("\"{text}\"")
    }
}

fn written(name: &str, tables: &[(TableDefinition, Vec<Item>)], careful: &[bool]) -> String {
    let mut records = Records::default();
    let mut bodies = String::new();
    let mut taken: Vec<String> = Vec::new();
    let mut heads = String::new();
    for (at, (table, items)) in tables.iter().enumerate() {
        let is_careful = careful.get(at).copied().unwrap_or(true);
        let mark = if is_careful {
            None
        } else {
            type_attribute(table, items)
        };
        heads.push_str(&table_text(table, mark.as_deref()));
        let kinds = if is_careful {
            whole_table(table, items)
        } else {
            kinds(table, items, mark.as_deref())
        };
        for kind in kinds {
            let in_table = if at > 0 {
                format!(" in {}", title(&table.name))
            } else {
                String::new()
            };
            bodies.push_str(&entity::text(
                table,
                &kind,
                mark.as_deref(),
                &in_table,
                &mut taken,
                &mut records,
            ));
        }
    }
    format!(
        "model {} 1\n\n{heads}{}{bodies}",
        identifier(name),
        records.text
    )
}

fn table_text(table: &TableDefinition, mark: Option<&str>) -> String {
    let columns = |columns: &[KeyColumn]| {
        let one = |(name, kind): &KeyColumn| match kind {
            KeyKind::S => name.clone(),
            KeyKind::N => format!("{name}: number"),
            KeyKind::B => format!("{name}: binary"),
        };
        columns.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let group = |all: &[KeyColumn]| match all {
        [_] => columns(all),
        _ => format!("({})", columns(all)),
    };
    let mark = mark.map_or(String::new(), |mark| format!(" type {mark}"));
    let ttl = table
        .ttl
        .as_ref()
        .map_or(String::new(), |ttl| format!(" ttl {ttl}"));
    let mut text = format!(
        "table {} ({}){mark}{ttl}\n",
        title(&table.name),
        columns(&table.key)
    );
    for index in &table.indexes {
        let key = match (index.is_local, index.sort.as_slice()) {
            (true, sort) => columns(sort),
            (false, []) => group(&index.partition),
            (false, sort) => format!("{}, {}", group(&index.partition), group(sort)),
        };
        let projection = match &index.projection {
            Projected::All => String::new(),
            Projected::Keys => " project keys".to_owned(),
            Projected::Only(names) => format!(" project ({})", names.join(", ")),
        };
        let word = if index.is_local { "lsi" } else { "gsi" };
        text.push_str(&format!(
            "  {word} {} ({key}){projection}\n",
            title(&index.name)
        ));
    }
    text.push('\n');
    text
}

/// The attribute that names each item's kind: few texts, on every item, with a usual name.
fn type_attribute(table: &TableDefinition, items: &[Item]) -> Option<String> {
    let names = [
        "entity",
        "type",
        "Type",
        "_type",
        "entityType",
        "EntityType",
        "__typename",
        "kind",
        "_et",
        "itemType",
    ];
    let is_key = |name: &str| {
        let indexes = table
            .indexes
            .iter()
            .flat_map(|index| index.partition.iter().chain(&index.sort));
        table.key.iter().chain(indexes).any(|(key, _)| key == name)
    };
    let fits = |name: &&str| {
        let word = |item: &Item| match item.get(name) {
            Some(Value::S(text)) => text.starts_with(|c: char| c.is_ascii_alphabetic()),
            _ => false,
        };
        !is_key(name) && !items.is_empty() && items.iter().all(word)
    };
    names.into_iter().find(fits).map(str::to_owned)
}

/// The items by kind: what their mark says, and how their keys look.
fn kinds<'i>(table: &TableDefinition, items: &'i [Item], mark: Option<&str>) -> Vec<Kind<'i>> {
    let mut groups: BTreeMap<(String, Vec<Vec<shape::Piece>>), Vec<&Item>> = BTreeMap::new();
    let mark_name = mark;
    for item in items {
        let mark = match mark.and_then(|mark| item.get(mark)) {
            Some(Value::S(text)) => text.clone(),
            _ => String::new(),
        };
        let shapes = table.key.iter().map(|(name, _)| match item.get(name) {
            Some(Value::S(text)) => shape::pieces(text, &shape::values_of(item, mark_name, table)),
            _ => vec![shape::Piece::Open],
        });
        groups
            .entry((mark, shapes.collect()))
            .or_default()
            .push(item);
    }
    groups
        .into_iter()
        .map(|((mark, shapes), items)| Kind {
            mark,
            shapes,
            items,
        })
        .collect()
}

/// All items as one kind, with the key attributes as they are.
fn whole_table<'i>(table: &TableDefinition, items: &'i [Item]) -> Vec<Kind<'i>> {
    let shapes = table.key.iter().map(|_| vec![shape::Piece::Open]).collect();
    vec![Kind {
        mark: String::new(),
        shapes,
        items: items.iter().collect(),
    }]
}

/// Adds patterns that the keys serve, as far as they compile.
fn with_patterns(text: String) -> String {
    let compiled = compile(&text);
    let Some(model) = compiled.model else {
        return keyfold_model::format(&text);
    };
    let mut all = text;
    let mut names: Vec<String> = Vec::new();
    for entity in &model.entities {
        for line in entity::patterns(&model, entity, &mut names) {
            let longer = format!("{all}{line}\n");
            let has_errors = compile(&longer)
                .diagnostics
                .iter()
                .any(|diagnostic| diagnostic.severity == Severity::Error);
            if !has_errors {
                all = longer;
            }
        }
    }
    keyfold_model::format(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

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
                projection: Projected::All,
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
    fn what_is_not_understood_stays_as_it_is() {
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
