//! Attributes as other languages declare them: lengths of types, constraints behind a type, types in
//! front of the name.

use super::tokens::{is_sign, plain, until, word};
use super::types::{is_type, type_meant};
use crate::diagnostic::{Choice, Edit, Span};
use crate::syntax::change::{Change, text_of};
use crate::syntax::lexer::{Token, TokenKind};

/// The change of an attribute at the place of an error, if it is written as in another language.
pub(super) fn change(tokens: &[Token], failed: usize, expected: &str) -> Option<Change> {
    if expected.contains("`ms`") {
        return without_length(tokens, failed);
    }
    if expected.starts_with("expected a key template") {
        return without_colon(tokens, failed);
    }
    if expected.starts_with("expected `)`") {
        return enumerated(tokens, failed);
    }
    if expected.starts_with("expected the end of the line") {
        return refers(tokens, failed)
            .or_else(|| called(tokens, failed))
            .or_else(|| constrained(tokens, failed));
    }
    None
}

/// `varchar(20)` as `string`.
fn without_length(tokens: &[Token], failed: usize) -> Option<Change> {
    let first = failed.checked_sub(2)?;
    let name = word(tokens, first)?;
    let end = until(tokens, failed, &[")"]);
    let is_length = |at: usize| {
        matches!(
            tokens.get(at)?.kind,
            TokenKind::Number(_) | TokenKind::Sign(",")
        )
        .then_some(())
    };
    (failed..end).try_for_each(is_length)?;
    let meant = type_meant(name).unwrap_or(name);
    let message = (
        "a type has no length or number of digits".to_owned(),
        "of other languages",
    );
    is_sign(tokens, end, ")")
        .then(|| Change::meant(tokens, first..end + 1, message, vec![plain(meant)]))
}

/// `enum(active, gone)` as `active | gone`.
fn enumerated(tokens: &[Token], failed: usize) -> Option<Change> {
    let open = failed.checked_sub(2)?;
    let name = open.checked_sub(1)?;
    let is_enumeration = matches!(
        word(tokens, name)?.to_ascii_lowercase().as_str(),
        "enum" | "oneof" | "union" | "literal"
    );
    let end = until(tokens, failed, &[")"]);
    let mut meant = Vec::new();
    for token in tokens.get(open + 1..end)? {
        match &token.kind {
            one @ (TokenKind::Word(_) | TokenKind::Text(_)) => meant.push(one.clone()),
            TokenKind::Sign(",") => meant.push(TokenKind::Sign("|")),
            TokenKind::Number(_) | TokenKind::Braces(_) | TokenKind::Sign(_) => return None,
        }
    }
    let message = (
        "an enumeration is its words, with `|` between them".to_owned(),
        "as in other languages",
    );
    (is_enumeration && is_sign(tokens, open, "(") && end < tokens.len())
        .then(|| Change::meant(tokens, name..end + 1, message, meant))
}

/// `= now()` as `= now`, and `= uuid()` as `= new`.
fn called(tokens: &[Token], failed: usize) -> Option<Change> {
    let name = failed.checked_sub(1)?;
    let before = name.checked_sub(1)?;
    let meant = match word(tokens, name)? {
        "now" | "NOW" | "current_timestamp" | "today" => "now",
        "uuid" | "uuidv4" | "uuid_generate_v4" | "gen_random_uuid" | "ulid" | "cuid" | "nanoid"
        | "autoincrement" => "new",
        _ => return None,
    };
    let is_call = is_sign(tokens, failed, "(") && is_sign(tokens, failed + 1, ")");
    let message = (
        "a default has no parentheses".to_owned(),
        "of other languages",
    );
    (is_call && is_sign(tokens, before, "="))
        .then(|| Change::meant(tokens, name..failed + 2, message, vec![plain(meant)]))
}

/// `userId string` and `string userId` as `userId: string`.
fn without_colon(tokens: &[Token], failed: usize) -> Option<Change> {
    let (first, second) = (word(tokens, 0)?, word(tokens, 1)?);
    let (name, kind) = match (is_type(first), is_type(second)) {
        (_, true) => (first, second),
        (true, false) => (second, first),
        (false, false) => return None,
    };
    let kind = type_meant(kind).unwrap_or(kind);
    let message = (
        "an attribute has a colon between its name and its type".to_owned(),
        "as in other languages",
    );
    let meant = vec![plain(name), TokenKind::Sign(":"), plain(kind)];
    let written = format!("{name}: {kind}");
    (failed == 1).then(|| Change::meant(tokens, 0..2, message, meant).written(written))
}

/// `ref User.userId`, `string references User(userId)` and `string references User` as
/// `User.userId`.
fn refers(tokens: &[Token], failed: usize) -> Option<Change> {
    let before = failed.checked_sub(1)?;
    let colon = (0..failed).rev().find(|at| is_sign(tokens, *at, ":"))?;
    let name = word(tokens, colon.checked_sub(1)?)?;
    let is_reference = |at: usize| {
        matches!(
            word(tokens, at),
            Some("ref" | "reference" | "references" | "fk")
        )
    };
    let at = match (is_reference(before), is_reference(failed)) {
        (true, _) => failed,
        (false, true) => failed + 1,
        (false, false) => return None,
    };
    let entity = word(tokens, at)?;
    let is_named = is_sign(tokens, at + 1, "(") && is_sign(tokens, at + 3, ")");
    let (attribute, end) = match word(tokens, at + 2) {
        Some(attribute) if is_named => (Some(attribute), at + 4),
        Some(attribute) if is_sign(tokens, at + 1, ".") => (Some(attribute), at + 3),
        Some(_) | None => (None, at + 1),
    };
    let message = (
        "the type itself is the reference".to_owned(),
        "as in other languages",
    );
    let written = format!("{entity}.{}", attribute.unwrap_or(name));
    let meant = vec![
        plain(entity),
        TokenKind::Sign("."),
        plain(attribute.unwrap_or(name)),
    ];
    Some(Change {
        choice: match attribute {
            Some(_) => Choice::Tool,
            None => Choice::Person,
        },
        ..Change::meant(tokens, colon + 1..end, message, meant).written(written)
    })
}

/// What the constraints behind a type say here.
#[derive(Default)]
struct Said {
    is_optional: bool,
    default: Option<TokenKind>,
    help: Vec<String>,
    /// Whether a person has to write something that the line cannot say.
    is_elsewhere: bool,
}

/// Constraints behind a type: `unique`, `primary key`, `not null`, `default 0`.
fn constrained(tokens: &[Token], failed: usize) -> Option<Change> {
    let all = until(tokens, failed, &[","]);
    let colon = (0..failed).rev().find(|at| is_sign(tokens, *at, ":"))?;
    let name = word(tokens, colon.checked_sub(1)?)?;
    let first = word(tokens, failed)?;
    let mut said = Said::default();
    let mut end = failed;
    while end < all
        && let Some(length) = constraint(tokens, end, name, &mut said)
    {
        end += length;
    }
    let type_end = tokens.get(failed.checked_sub(1)?)?.span.end;
    let mut written = String::new();
    if said.is_optional {
        written.push('?');
    }
    let default = said.default.as_ref().map(text_of);
    written.extend(default.map(|value| format!(" = {value}")));
    let mut meant = Vec::new();
    if said.is_optional {
        meant.push(TokenKind::Sign("?"));
    }
    if let Some(value) = said.default {
        meant.extend([TokenKind::Sign("="), value]);
    }
    let message = (
        format!("`{first}` does not stand behind a type"),
        "a word of other languages",
    );
    let change = (end > failed).then(|| Change::meant(tokens, failed..end, message, meant))?;
    let edit = change.edits.first()?;
    let place = edit.span;
    // The spaces in front of what is removed go with it.
    let spaces = Span {
        start: type_end,
        end: place.start,
    };
    Some(Change {
        help: said.help.join("; "),
        edits: vec![Edit::replace(place, written), Edit::replace(spaces, "")],
        choice: match said.is_elsewhere {
            true => Choice::Person,
            false => Choice::Tool,
        },
        ..change
    })
}

/// Reads a constraint, and returns the number of its tokens; `None` if it is none.
fn constraint(tokens: &[Token], at: usize, name: &str, said: &mut Said) -> Option<usize> {
    let next = word(tokens, at + 1);
    let (help, length) = match word(tokens, at)? {
        "unique" => (format!("write `unique {name}` in a line of its own"), 1),
        "primary" if next == Some("key") => (key_line(name), 2),
        "primary" | "pk" | "key" => (key_line(name), 1),
        "index" | "indexed" => (
            format!(
                "an index is a `gsi` of the table, and a line of the entity has its key: `GSI1 \"{}#{{{name}}}\"`",
                name.to_uppercase()
            ),
            1,
        ),
        "not" if next == Some("null") => return Some(required(said, 2)),
        "required" => return Some(required(said, 1)),
        "null" | "nullable" | "optional" => {
            said.is_optional = true;
            said.help.push("write `?` behind the type".to_owned());
            return Some(1);
        }
        "default" => {
            let value = &tokens.get(at + 1)?.kind;
            said.help
                .push("write `=` in front of the default".to_owned());
            said.default = Some(value.clone());
            return matches!(
                value,
                TokenKind::Word(_) | TokenKind::Number(_) | TokenKind::Text(_)
            )
            .then_some(2);
        }
        _ => return None,
    };
    said.is_elsewhere = true;
    said.help.push(help);
    Some(length)
}

fn key_line(name: &str) -> String {
    format!(
        "the key is a line of its own: `key \"{}#{{{name}}}\"`, with a template for each key attribute of the table",
        name.to_uppercase()
    )
}

fn required(said: &mut Said, length: usize) -> usize {
    said.help
        .push("leave it out: an attribute without `?` is required".to_owned());
    length
}
