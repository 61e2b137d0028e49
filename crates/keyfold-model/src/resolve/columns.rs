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
        check_no_word(&index.name, diagnostics);
    }
    let of_indexes = || {
        table
            .indexes
            .iter()
            .map(|index| index.partition.iter().chain(&index.sort))
    };
    distinct_columns(table.columns.iter(), diagnostics);
    for key in of_indexes() {
        distinct_columns(key, diagnostics);
    }
    let all = table.columns.iter().chain(of_indexes().flatten());
    let columns = check_types(all, diagnostics);
    check_filled_attributes(table, &columns, diagnostics);
    check_index_count(table, diagnostics);
}

/// Refuses an index whose name starts another kind of line in entities. Quotes distinguish a name
/// from a word.
fn check_no_word(name: &Name, diagnostics: &mut Vec<Diagnostic>) {
    let is_quoted = name.span.end - name.span.start > name.text.len();
    if MEMBER_WORDS.contains(&name.text.as_str()) && !is_quoted {
        let message = format!("`{}` is a word of the language", name.text);
        diagnostics.push(
            Diagnostic::error("KF003", name.span, message, "cannot be the name of an index")
                .help("write it in quotes, here and in entities, or give the index another name, like GSI1 or ByStatus"),
        );
    }
}

/// Refuses more indexes than DynamoDB allows.
fn check_index_count(table: &TableDecl, diagnostics: &mut Vec<Diagnostic>) {
    let limits = [
        (IndexKind::Local, LOCAL_INDEXES_MAX, "local"),
        (IndexKind::Global, GLOBAL_INDEXES_MAX, "global"),
    ];
    for (kind, most, word) in limits {
        let mut of_kind = table.indexes.iter().filter(|index| index.kind == kind);
        if let Some(extra) = of_kind.nth(most) {
            let message = format!("a table has at most {most} {word} indexes");
            let label = format!("this is number {}", most + 1);
            diagnostics.push(
                Diagnostic::error("KF004", extra.name.span, message, label)
                    .help("let entities share an index: give them different key texts in it"),
            );
        }
    }
}

/// Refuses a name that DynamoDB does not accept.
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
                .note(format!("names have {NAME_CHARS_MIN} to {NAME_CHARS_MAX} letters, digits, underscores, hyphens and points of ASCII; one that is not a plain word, like `app-prod.main`, is written in quotes")),
        );
    }
}

/// Refuses an attribute that occurs twice in one key.
fn distinct_columns<'c>(key: impl Iterator<Item = &'c Column>, diagnostics: &mut Vec<Diagnostic>) {
    distinct("key attribute", key.map(|column| &column.name), diagnostics);
}

/// Checks that a key attribute has one type in all keys. Returns the first occurrence of each.
fn check_types<'c>(
    columns: impl Iterator<Item = &'c Column>,
    diagnostics: &mut Vec<Diagnostic>,
) -> BTreeMap<&'c str, &'c Column> {
    let type_of = |column: &'c Column| {
        let declared = column.kind.as_ref();
        declared.map_or("string", |kind| kind.text.as_str())
    };
    let mut seen: BTreeMap<&str, &Column> = BTreeMap::new();
    for column in columns {
        let name = &column.name;
        let first = *seen.entry(&name.text).or_insert(column);
        let (here, elsewhere) = (type_of(column), type_of(first));
        if here != elsewhere {
            let message = format!(
                "the key attribute `{}` is a {here} here and a {elsewhere} elsewhere",
                name.text
            );
            diagnostics.push(
                Diagnostic::error("KF004", name.span, message, "another type")
                    .label(first.name.span, "first declared here")
                    .help(format!("write `{}: {elsewhere}` in both places", name.text)),
            );
        }
    }
    seen
}

/// Refuses a key attribute that the table fills: with the item's type, or its time of expiry.
fn check_filled_attributes(
    table: &TableDecl,
    columns: &BTreeMap<&str, &Column>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for filled in table.type_attribute.iter().chain(&table.ttl_attribute) {
        if let Some(first) = columns.get(filled.text.as_str()) {
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
