//! Signs and words of other languages, half of a sign, and names in braces where they stand without
//! them: what is meant is known, so the line is read as if it said that.

mod advice;
mod attribute;
mod key;
mod pattern;
mod tokens;
mod types;
mod write;

pub(super) use advice::{advice, declaration};
pub(super) use tokens::ABSENT;
pub(super) use types::is_type;
pub(crate) use types::type_meant;

use super::change::Change;
use super::lexer::{Token, TokenKind};
use crate::written::written;

/// Signs of other languages, which are read as one token, and the words and signs of this one.
const SIGNS: [(&str, &str); 6] = [
    ("!=", "<>"),
    ("==", "="),
    ("=>", ">="),
    ("=<", "<="),
    ("&&", "and"),
    ("||", "or"),
];

/// Words of query languages, and the words of this one.
const WORDS: [(&str, &str); 11] = [
    ("desc", "descending"),
    ("asc", "ascending"),
    ("limit", "page"),
    ("latest", "newest"),
    ("recent", "newest"),
    ("earliest", "oldest"),
    ("largest", "highest"),
    ("greatest", "highest"),
    ("biggest", "highest"),
    ("smallest", "lowest"),
    ("least", "lowest"),
];

/// The change of what stands at the place of an error, if it is of another language. `expected` is
/// the message of the error.
pub(super) fn change(tokens: &[Token], failed: usize, expected: &str) -> Option<Change> {
    let token = tokens.get(failed)?;
    let meant = attribute::change(tokens, failed, expected)
        .or_else(|| key::change(tokens, failed, expected))
        .or_else(|| write::change(tokens, failed, expected))
        .or_else(|| pattern::change(tokens, failed, expected));
    if meant.is_some() {
        return meant;
    }
    match &token.kind {
        TokenKind::Sign(sign) => of_sign(tokens, failed, sign, expected),
        TokenKind::Word(word) => meant_by(&WORDS, word).map(|meant| {
            let message = format!("`{word}` has no meaning here");
            let meant = TokenKind::Word(meant.to_owned());
            one(
                tokens,
                failed,
                (message, "a word of other languages"),
                meant,
            )
        }),
        // In other places braces distinguish a name from a fixed value.
        TokenKind::Braces(name) if expected.starts_with("expected an attribute") => {
            let quoted = name
                .strip_prefix('"')
                .and_then(|name| name.strip_suffix('"'));
            let name = quoted.unwrap_or(name);
            let message = format!("`{name}` stands without braces here");
            let meant = match written(name) == name {
                true => TokenKind::Word(name.to_owned()),
                false => TokenKind::Text(name.to_owned()),
            };
            Some(one(tokens, failed, (message, "in braces"), meant))
        }
        TokenKind::Braces(_) | TokenKind::Number(_) | TokenKind::Text(_) => None,
    }
}

/// The change of a sign at the place of an error.
fn of_sign(tokens: &[Token], failed: usize, sign: &'static str, expected: &str) -> Option<Change> {
    let meant = |message: String, label, meant: &'static str| {
        let meant = TokenKind::Sign(meant);
        Some(one(tokens, failed, (message, label), meant))
    };
    match sign {
        "[" | "]" => meant(
            format!("a single `{sign}` has no meaning"),
            "half of `[]`",
            "[]",
        ),
        "[]" => list_of(tokens, failed),
        "?" if expected.contains("a type") => marked(tokens, failed),
        ":" if expected.contains("`->`") => meant(
            "`:` stands in front of types".to_owned(),
            "another arrow",
            "->",
        ),
        "=>" if expected.contains("`->`") => {
            meant("`=>` has no meaning".to_owned(), "another arrow", "->")
        }
        "+" | "-" => changed(tokens, failed, sign),
        _ => meant_by(&SIGNS, sign).map(|meant| {
            let message = format!("`{sign}` has no meaning");
            let meant = match meant.starts_with(char::is_alphabetic) {
                true => TokenKind::Word(meant.to_owned()),
                false => TokenKind::Sign(meant),
            };
            one(
                tokens,
                failed,
                (message, "a sign of other languages"),
                meant,
            )
        }),
    }
}

/// The token at a place, replaced by the one that is meant.
fn one(tokens: &[Token], at: usize, message: (String, &'static str), meant: TokenKind) -> Change {
    Change::meant(tokens, at..at + 1, message, vec![meant])
}

fn meant_by(known: &[(&str, &'static str)], text: &str) -> Option<&'static str> {
    let found = known.iter().find(|(foreign, _)| *foreign == text);
    found.map(|(_, meant)| *meant)
}

/// `string[]` as `list of string`.
fn list_of(tokens: &[Token], failed: usize) -> Option<Change> {
    let before = failed.checked_sub(1)?;
    let Some(TokenKind::Word(kind)) = tokens.get(before).map(|token| &token.kind) else {
        return None;
    };
    let message = ("`[]` makes no list of a type".to_owned(), "another list");
    let words = ["list", "of", kind];
    let meant = words.map(|word| TokenKind::Word(word.to_owned()));
    Some(Change::meant(
        tokens,
        before..failed + 1,
        message,
        meant.to_vec(),
    ))
}

/// `?string` as `string?`.
fn marked(tokens: &[Token], failed: usize) -> Option<Change> {
    let Some(TokenKind::Word(kind)) = tokens.get(failed + 1).map(|token| &token.kind) else {
        return None;
    };
    let message = (
        "a `?` stands behind the type".to_owned(),
        "in front of the type",
    );
    let meant = vec![TokenKind::Word(kind.clone()), TokenKind::Sign("?")];
    let change = Change::meant(tokens, failed..failed + 2, message, meant);
    Some(change.written(format!("{kind}?")))
}

/// `n += 1` as `n = n + 1`, and `n++` as well. The help that removes a sign would say something else.
fn changed(tokens: &[Token], failed: usize, sign: &'static str) -> Option<Change> {
    let kind = |at: usize| tokens.get(at).map(|token| &token.kind);
    let before = failed.checked_sub(1)?;
    let Some(TokenKind::Word(name)) = kind(before) else {
        return None;
    };
    // A field of a path has the path in front of it.
    if before.checked_sub(1).and_then(kind) == Some(&TokenKind::Sign(".")) {
        return None;
    }
    let plain = |text: &'static str| TokenKind::Sign(text);
    let name = || TokenKind::Word(name.clone());
    let mut meant = vec![name(), plain("="), name(), plain(sign)];
    let mut end = failed + 2;
    let written = match kind(failed + 1) {
        Some(TokenKind::Sign("=")) => {
            if let Some(by @ (TokenKind::Word(_) | TokenKind::Number(_))) = kind(end) {
                meant.push(by.clone());
                end += 1;
            }
            format!("{sign}=")
        }
        Some(TokenKind::Sign(second)) if *second == sign => {
            meant.push(TokenKind::Number("1".to_owned()));
            format!("{sign}{sign}")
        }
        _ => return None,
    };
    let message = (
        format!("`{written}` has no meaning here"),
        "a sign of other languages",
    );
    Some(Change::meant(tokens, before..end, message, meant))
}
