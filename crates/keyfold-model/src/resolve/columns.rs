//! Names and key attributes of tables and indexes, checked by DynamoDB's rules.

use super::names::distinct;
use crate::diagnostic::Diagnostic;
use crate::schema::IndexKind;
use crate::syntax::MEMBER_WORDS;
use crate::syntax::ast::{Column, Name, TableDecl};
use keyfold_types::limits::{
    GLOBAL_INDEXES_MAX, LOCAL_INDEXES_MAX, NAME_CHARS_MAX, NAME_CHARS_MIN,
};
use std::collections::BTreeMap;

/// Checks the names and key attributes of a table and its indexes.
pub(super) fn check(table: &TableDecl, diagnostics: &mut Vec<Diagnostic>) {
    check_name("a table", &table.name, diagnostics);
    for index in &table.indexes {
        check_name("an index", &index.name, diagnostics);
        // Quotes distinguish the name from the word.
        let is_quoted = index.name.span.end - index.name.span.start > index.name.text.len();
        if MEMBER_WORDS.contains(&index.name.text.as_str()) && !is_quoted {
            let message = format!("`{}` is a word of the language", index.name.text);
            diagnostics.push(
                Diagnostic::error("KF003", index.name.span, message, "cannot be the name of an index")
                    .help("write it in quotes, here and in entities, or give the index another name, like GSI1 or ByStatus"),
            );
        }
    }
    check_kinds(table, diagnostics);
    let limits = [
        (IndexKind::Local, LOCAL_INDEXES_MAX, "local"),
        (IndexKind::Global, GLOBAL_INDEXES_MAX, "global"),
    ];
    for (kind, most, word) in limits {
        let of_kind: Vec<_> = table
            .indexes
            .iter()
            .filter(|index| index.kind == kind)
            .collect();
        if let Some(extra) = of_kind.get(most) {
            let message = format!("a table has at most {most} {word} indexes");
            diagnostics.push(
                Diagnostic::error(
                    "KF004",
                    extra.name.span,
                    message,
                    format!("this is number {}", most + 1),
                )
                .help("let entities share an index: give them different key texts in it"),
            );
        }
    }
}

fn check_name(what: &str, name: &Name, diagnostics: &mut Vec<Diagnostic>) {
    let fits = (NAME_CHARS_MIN..=NAME_CHARS_MAX).contains(&name.text.len())
        && name
            .text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if !fits {
        let message = format!("`{}` cannot be the name of {what}", name.text);
        diagnostics.push(
            Diagnostic::error("KF004", name.span, message, "not a name that DynamoDB accepts")
                .note("names have 3 to 255 letters, digits, underscores, hyphens and points of ASCII; one that is not a plain word, like `app-prod.main`, is written in quotes"),
        );
    }
}

/// Checks that a key attribute has one type in all keys, and that the attributes for the item's type
/// and expiry are no keys.
fn check_kinds(table: &TableDecl, diagnostics: &mut Vec<Diagnostic>) {
    let of_table: Vec<&Column> = table.columns.iter().collect();
    let keys = std::iter::once(of_table).chain(
        table
            .indexes
            .iter()
            .map(|index| index.partition.iter().chain(&index.sort).collect()),
    );
    for key in keys {
        distinct(
            "key attribute",
            key.into_iter().map(|column| &column.name),
            diagnostics,
        );
    }
    let mut kinds: BTreeMap<&str, &Column> = BTreeMap::new();
    let of_indexes = table
        .indexes
        .iter()
        .flat_map(|index| index.partition.iter().chain(&index.sort));
    for column in table.columns.iter().chain(of_indexes) {
        let kind = |column: &Column| {
            column
                .kind
                .as_ref()
                .map_or("string".to_owned(), |kind| kind.text.clone())
        };
        match kinds.get(column.name.text.as_str()) {
            Some(first) if kind(first) != kind(column) => {
                let message = format!(
                    "the key attribute `{}` is a {} here and a {} elsewhere",
                    column.name.text,
                    kind(column),
                    kind(first)
                );
                diagnostics.push(
                    Diagnostic::error("KF004", column.name.span, message, "another type")
                        .label(first.name.span, "first declared here")
                        .help(format!(
                            "write `{}: {}` in both places",
                            column.name.text,
                            kind(first)
                        )),
                );
            }
            Some(_) => {}
            None => {
                kinds.insert(&column.name.text, column);
            }
        }
    }
    for filled in table.type_attribute.iter().chain(&table.ttl_attribute) {
        if let Some(first) = kinds.get(filled.text.as_str()) {
            let message = format!("`{}` is a key attribute", filled.text);
            diagnostics.push(
                Diagnostic::error("KF018", filled.span, message, "would overwrite the key")
                    .label(first.name.span, "a key is made of it")
                    .note("an item has one value of an attribute")
                    .help("give it a name of its own"),
            );
        }
    }
}
