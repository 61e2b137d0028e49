//! Names and key attributes of tables and indexes: what DynamoDB accepts, and each attribute with one use.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Name, TableDecl};
use keyfold_types::limits::{GLOBAL_INDEXES_MAX, LOCAL_INDEXES_MAX, NAME_CHARS_MAX, NAME_CHARS_MIN};
use std::collections::BTreeMap;

pub(super) fn check(table: &TableDecl, diagnostics: &mut Vec<Diagnostic>) {
    check_name("table", &table.name, diagnostics);
    for index in &table.indexes {
        check_name("index", &index.name, diagnostics);
    }
    check_uses(table, diagnostics);
    let limits = [(true, LOCAL_INDEXES_MAX, "local"), (false, GLOBAL_INDEXES_MAX, "global")];
    for (local, most, word) in limits {
        let of_kind: Vec<_> = table.indexes.iter().filter(|index| index.local == local).collect();
        if let Some(extra) = of_kind.get(most) {
            let message = format!("a table has at most {most} {word} indexes");
            diagnostics.push(
                Diagnostic::error("KF004", extra.name.span, message, format!("this is number {}", most + 1))
                    .help("let entities share an index: give them different key texts in it"),
            );
        }
    }
}

fn check_name(what: &str, name: &Name, diagnostics: &mut Vec<Diagnostic>) {
    let fits = (NAME_CHARS_MIN..=NAME_CHARS_MAX).contains(&name.text.len())
        && name.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !fits {
        let message = format!("`{}` cannot be the name of a {what}", name.text);
        diagnostics.push(
            Diagnostic::error("KF004", name.span, message, "not a name that DynamoDB accepts")
                .note("names have 3 to 255 letters, digits and underscores of ASCII"),
        );
    }
}

/// Each key attribute belongs to the table or to one index: an item has one value of it, and two templates
/// would overwrite each other.
fn check_uses(table: &TableDecl, diagnostics: &mut Vec<Diagnostic>) {
    let mut uses: BTreeMap<&str, &Name> = BTreeMap::new();
    let indexes = table.indexes.iter().flat_map(|index| &index.columns);
    let names = table.columns.iter().chain(indexes).map(|column| &column.name).chain(&table.type_attribute);
    for name in names {
        if let Some(first) = uses.insert(&name.text, name) {
            let message = format!("the attribute `{}` is used for two keys", name.text);
            diagnostics.push(
                Diagnostic::error("KF018", name.span, message, "again here")
                    .label(first.span, "first here")
                    .note("an item has one value of it, so the second key would overwrite the first")
                    .help("give each index key attributes of its own, like GSI1PK and GSI1SK"),
            );
        }
    }
}
