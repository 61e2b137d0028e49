//! Key templates: what a key attribute is made of, and the texts that it can be.

use super::members::object;
use super::types::scalar;
use keyfold_model::schema::{KeyPair, Table, held_in_guard};
use keyfold_model::{Format, KeyTemplate, Part, regular};
use serde_json::{Value as Json, json};

/// The attributes of a key in order, each with its parts and a regular expression of its texts.
pub(super) fn columns<'n>(names: impl Iterator<Item = &'n str>, key: &KeyPair) -> Json {
    let parts = key.templates().flat_map(KeyTemplate::columns);
    names
        .zip(parts)
        .map(|(name, parts)| column(name, parts))
        .collect()
}

/// The attributes of an entity's or a copy's own key.
pub(super) fn own(table: &Table, key: &KeyPair) -> Json {
    columns(table.columns().map(|column| column.name.as_str()), key)
}

/// An attribute of a key. A bare field has no expression: any value fits.
fn column(name: &str, all: &[Part]) -> Json {
    let is_bare = matches!(
        all,
        [Part::Field {
            format: Format::Bare,
            ..
        }]
    );
    object([
        ("attribute", json!(name)),
        ("parts", parts(all)),
        (
            "matches",
            if is_bare {
                Json::Null
            } else {
                json!(regular::expression(all))
            },
        ),
    ])
}

/// The key attributes that the guard of an `id` holds, and under which names.
pub(super) fn held(moving: &[&str]) -> Json {
    let one = |name: &&str| json!({ "attribute": name, "as": held_in_guard(name) });
    moving.iter().map(one).collect()
}

/// An attribute of a key condition, which needs no expression.
pub(super) fn equal<'n>(
    names: impl Iterator<Item = &'n str>,
    columns: impl Iterator<Item = &'n [Part]>,
) -> Json {
    names
        .zip(columns)
        .map(|(name, all)| json!({ "attribute": name, "parts": parts(all) }))
        .collect()
}

pub(super) fn parts(all: &[Part]) -> Json {
    all.iter().map(part).collect()
}

/// A part: a text, a field, a shard's number, the number of a split list's part, or the border
/// between two attributes.
fn part(part: &Part) -> Json {
    match part {
        Part::Text(text) => json!(text),
        Part::Field {
            name,
            kind,
            format,
            excluded,
        } => {
            let excluded: String = excluded.iter().collect();
            let not = if excluded.is_empty() {
                Json::Null
            } else {
                json!(excluded)
            };
            object([
                ("field", json!(name)),
                ("type", scalar(kind)),
                ("format", form(*format)),
                ("not", not),
            ])
        }
        Part::Shard { count, of } => json!({ "shards": count, "of": parts(of) }),
        Part::Chunk => json!({ "part": keyfold_model::template::CHUNK_DIGITS }),
        Part::Break => json!({ "break": true }),
    }
}

fn form(format: Format) -> Json {
    match format {
        Format::Plain => Json::Null,
        Format::Bare => json!("bare"),
        Format::Reversed => json!("reversed"),
        Format::Lower => json!("lower"),
        Format::Hash => json!("hash"),
        Format::Escaped => json!("escaped"),
        Format::Truncated(unit) => json!({ "cut": unit.word() }),
        Format::Padded {
            whole,
            decimals,
            reversed,
            signed,
        } => json!({ "padded": object([
            ("whole", json!(whole)),
            ("decimals", if decimals == 0 { Json::Null } else { json!(decimals) }),
            ("reversed", json!(reversed)),
            ("signed", json!(signed)),
        ]) }),
    }
}
