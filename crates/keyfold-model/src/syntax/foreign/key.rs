//! Indexes and lines of keys as other tools write them: names in front of templates, parentheses, colons.

use super::tokens::{is_sign, is_text, plain, word};
use crate::diagnostic::Choice;
use crate::syntax::change::Change;
use crate::syntax::lexer::{Token, TokenKind};

/// The change of a line of a key at the place of an error.
pub(super) fn change(tokens: &[Token], failed: usize, expected: &str) -> Option<Change> {
    if expected.starts_with("a template is no type") {
        return with_colon(tokens);
    }
    if expected.contains("`gsi`, `lsi`") {
        let is_index = word(tokens, 0) == Some("index") && is_sign(tokens, 2, "(");
        let message = (
            "an index is a `gsi` or an `lsi`".to_owned(),
            "of other languages",
        );
        return is_index.then(|| Change::meant(tokens, 0..1, message, vec![plain("gsi")]));
    }
    if !expected.starts_with("expected a key template") {
        return None;
    }
    let first = word(tokens, 0)?;
    if failed == 1 && matches!(first, "primary" | "partition") && word(tokens, 1) == Some("key") {
        let message = (format!("`{first}` says nothing here"), "a word too many");
        return Some(Change::meant(tokens, 0..2, message, vec![plain("key")]));
    }
    if failed == 1 && matches!(first, "index" | "gsi" | "lsi") && is_text(tokens, 2) {
        let index = word(tokens, 1)?;
        let message = (
            "the name of an index begins the line of its key".to_owned(),
            "a word too many",
        );
        return Some(Change::meant(tokens, 0..2, message, vec![plain(index)]));
    }
    named(tokens, failed).or_else(|| in_parentheses(tokens, failed))
}

/// `key: "USER#{id}"` without the colon.
fn with_colon(tokens: &[Token]) -> Option<Change> {
    let first = word(tokens, 0)?;
    let is_index = ["gsi", "lsi"]
        .iter()
        .any(|kind| first.to_ascii_lowercase().starts_with(kind));
    let message = (
        format!("`{first}` has no colon behind it"),
        "as in other languages",
    );
    (is_sign(tokens, 1, ":") && (first == "key" || is_index))
        .then(|| Change::meant(tokens, 0..2, message, vec![plain(first)]))
}

/// `key PK="A#{a}" SK="B"` without the names.
fn named(tokens: &[Token], failed: usize) -> Option<Change> {
    let is_named = |at: usize| {
        word(tokens, at).is_some()
            && (is_sign(tokens, at + 1, "=") || is_sign(tokens, at + 1, ":"))
            && is_text(tokens, at + 2)
    };
    let mut meant: Vec<TokenKind> = Vec::new();
    let mut at = failed;
    while is_named(at) {
        meant.push(tokens.get(at + 2)?.kind.clone());
        at += 3 + usize::from(is_sign(tokens, at + 3, ","));
    }
    let message = (
        "templates stand in the order of the key attributes, without their names".to_owned(),
        "as other tools write keys",
    );
    let change = (!meant.is_empty()).then(|| Change::meant(tokens, failed..at, message, meant));
    change.map(|change| Change {
        choice: Choice::Person,
        ..change
    })
}

/// `key ("A#{a}", "B")` without the parentheses.
fn in_parentheses(tokens: &[Token], failed: usize) -> Option<Change> {
    let inside = |at: &usize| is_text(tokens, *at) || is_sign(tokens, *at, ",");
    let end = (failed + 1..tokens.len()).find(|at| !inside(at))?;
    let texts = tokens.get(failed + 1..end)?.iter();
    let texts = texts.filter(|token| matches!(token.kind, TokenKind::Text(_)));
    let meant = texts.map(|token| token.kind.clone()).collect();
    let message = (
        "templates stand one behind the other".to_owned(),
        "as in other languages",
    );
    (is_sign(tokens, failed, "(") && is_sign(tokens, end, ")"))
        .then(|| Change::meant(tokens, failed..end + 1, message, meant))
}
