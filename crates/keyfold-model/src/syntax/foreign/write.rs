//! Conditions and named writes as query languages write them: `is null`, `attribute_exists(a)`,
//! `insert`, `where missing a`.

use super::tokens::{ABSENT, is_sign, meant, plain, word};
use crate::syntax::change::Change;
use crate::syntax::lexer::{Token, TokenKind};

/// Words for the verbs of actions.
const VERBS: [(&str, &str); 7] = [
    ("insert", "create"),
    ("add", "create"),
    ("save", "put"),
    ("upsert", "put"),
    ("replace", "put"),
    ("assert", "check"),
    ("destroy", "delete"),
];

/// The change of a condition or an action at the place of an error.
pub(super) fn change(tokens: &[Token], failed: usize, expected: &str) -> Option<Change> {
    if expected.contains("`create`, `put`") {
        let written = word(tokens, failed)?;
        let (_, verb) = VERBS.iter().find(|(foreign, _)| *foreign == written)?;
        return Some(meant(tokens, failed, written, verb));
    }
    if word(tokens, failed) == Some("if") && expected.contains("end of the line") {
        return Some(meant(tokens, failed, "if", "when"));
    }
    if expected.contains("a comparison: ") {
        return of_null(tokens, failed).or_else(|| of_function(tokens, failed));
    }
    filtered(tokens, failed)
}

/// `price is null` as `missing price`, `price is not null` as `exists price`.
fn of_null(tokens: &[Token], failed: usize) -> Option<Change> {
    let from = failed.checked_sub(1)?;
    let is_not = word(tokens, failed + 1) == Some("not");
    let null = failed + 1 + usize::from(is_not);
    let is_null = word(tokens, failed) == Some("is")
        && word(tokens, null).is_some_and(|word| ABSENT.contains(&word) || word == "NULL");
    let attribute = tokens.get(from)?.kind.clone();
    let said = if is_not { "exists" } else { "missing" };
    let message = (
        "there is no null: an attribute exists or is missing".to_owned(),
        "of query languages",
    );
    is_null.then(|| {
        Change::meant(
            tokens,
            from..null + 1,
            message,
            vec![plain(said), attribute],
        )
    })
}

/// `attribute_exists(price)` as `exists price`, `begins_with(name, prefix)` as `starts(name, prefix)`.
fn of_function(tokens: &[Token], failed: usize) -> Option<Change> {
    let from = failed.checked_sub(1)?;
    let written = word(tokens, from)?;
    let said = match written {
        "attribute_exists" => "exists",
        "attribute_not_exists" => "missing",
        "begins_with" | "startsWith" => "starts",
        _ => return None,
    };
    is_sign(tokens, failed, "(").then(|| meant(tokens, from, written, said))
}

/// `where missing a` as `filter missing a`.
fn filtered(tokens: &[Token], failed: usize) -> Option<Change> {
    let at = failed.checked_sub(2)?;
    let is_condition = matches!(
        word(tokens, at + 1)?,
        "missing" | "exists" | "not" | "size" | "contains" | "starts"
    );
    let is_where = word(tokens, at) == Some("where") && word(tokens, 0) == Some("pattern");
    let is_operand = matches!(
        tokens.get(failed)?.kind,
        TokenKind::Word(_) | TokenKind::Text(_) | TokenKind::Sign("(")
    );
    let message = (
        "`where` gives a value, or says that an attribute is there; a condition stands behind `filter`"
            .to_owned(),
        "a condition",
    );
    (is_condition && is_where && is_operand)
        .then(|| Change::meant(tokens, at..at + 1, message, vec![plain("filter")]))
}
