//! Patterns as query languages write them: orders, limits, ranges, lists of other languages.

use super::tokens::{ABSENT, is_sign, meant, plain, until, word};
use crate::diagnostic::Choice;
use crate::syntax::change::Change;
use crate::syntax::lexer::{Token, TokenKind};

/// Words of a comparison with the beginning of a text.
const STARTS: [&str; 7] = [
    "begins_with",
    "beginsWith",
    "begins",
    "startsWith",
    "starts_with",
    "startswith",
    "like",
];

/// The change of a pattern at the place of an error, if it is written as in another language.
pub(super) fn change(tokens: &[Token], failed: usize, expected: &str) -> Option<Change> {
    if word(tokens, 0) != Some("pattern") {
        return None;
    }
    match word(tokens, failed) {
        Some("order" | "ordered" | "orderBy" | "sort" | "sorted" | "sortBy") => {
            ordered(tokens, failed)
        }
        Some(limit @ ("first" | "top" | "take" | "max" | "size")) => paged(tokens, failed, limit),
        Some("index" | "using" | "use" | "via" | "on" | "with") => indexed(tokens, failed),
        Some("between") => between(tokens, failed),
        Some("and") => both_ends(tokens, failed),
        Some(word) if STARTS.contains(&word) => Some(meant(tokens, failed, word, "starts")),
        Some(word @ ("optional" | "nullable")) => Some(meant(tokens, failed, word, "?")),
        Some(_) if expected.starts_with("expected `(`") => in_parentheses(tokens, failed),
        Some(_) | None => {
            if is_sign(tokens, failed, "=") && expected.starts_with("expected `->`") {
                return Some(meant(tokens, failed, "=", "->"));
            }
            given(tokens, failed, expected)
                .or_else(|| or_nothing(tokens, failed))
                .or_else(|| listed(tokens, failed))
        }
    }
}

/// `order by at desc` and `sort desc` as `descending at` and `descending`.
fn ordered(tokens: &[Token], failed: usize) -> Option<Change> {
    let mut at = failed + 1 + usize::from(word(tokens, failed + 1) == Some("by"));
    let direction = |at: usize| match word(tokens, at)? {
        "desc" | "descending" => Some("descending"),
        "asc" | "ascending" => Some("ascending"),
        _ => None,
    };
    let attribute = match direction(at) {
        Some(_) => None,
        None => Some(tokens.get(at)?.kind.clone()),
    };
    at += usize::from(attribute.is_some());
    let order = direction(at);
    let end = at + usize::from(order.is_some());
    let said = word(tokens, failed)?;
    let by = if word(tokens, failed + 1) == Some("by") {
        " by"
    } else {
        ""
    };
    let message = (
        format!("`{said}{by}` has no meaning here"),
        "of other languages",
    );
    let kinds = [plain(order.unwrap_or("ascending"))];
    let kinds = kinds.into_iter().chain(attribute).collect();
    Some(Change::meant(tokens, failed..end, message, kinds))
}

/// `first 10` as `page 10`.
fn paged(tokens: &[Token], failed: usize, limit: &str) -> Option<Change> {
    let number = &tokens.get(failed + 1)?.kind;
    let message = (
        format!("`{limit}` has no meaning here"),
        "of other languages",
    );
    let kinds = vec![plain("page"), number.clone()];
    matches!(number, TokenKind::Number(_))
        .then(|| Change::meant(tokens, failed..failed + 2, message, kinds))
}

/// A pattern without the name of an index.
fn indexed(tokens: &[Token], failed: usize) -> Option<Change> {
    let first = word(tokens, failed)?;
    let is_longer = first != "index" && word(tokens, failed + 1) == Some("index");
    let end = failed + 2 + usize::from(is_longer);
    word(tokens, end - 1)?;
    let message = ("a pattern names no index".to_owned(), "of other languages");
    let change = Change::meant(tokens, failed..end, message, Vec::new());
    Some(Change {
        help: "leave it out: the compiler chooses the index, and `keyfold check` shows it"
            .to_owned(),
        ..change
    })
}

/// `at between a and b` as `at in a..b`.
fn between(tokens: &[Token], failed: usize) -> Option<Change> {
    let (low, high) = (word(tokens, failed + 1)?, word(tokens, failed + 3)?);
    (word(tokens, failed + 2) == Some("and"))
        .then(|| range(tokens, failed, failed + 4, "between", (low, high)))
}

/// `at >= a and at <= b` as `at in a..b`.
fn both_ends(tokens: &[Token], failed: usize) -> Option<Change> {
    let first = failed.checked_sub(3)?;
    let is_same = word(tokens, first)? == word(tokens, failed + 1)?;
    let (low, high) = (word(tokens, failed - 1)?, word(tokens, failed + 3)?);
    (is_same && is_sign(tokens, first + 1, ">=") && is_sign(tokens, failed + 2, "<="))
        .then(|| range(tokens, first + 1, failed + 4, "and", (low, high)))
}

/// The tokens from a place on, as `in low..high`.
fn range(tokens: &[Token], from: usize, end: usize, said: &str, ends: (&str, &str)) -> Change {
    let message = (
        format!("`{said}` has no meaning here"),
        "a range of other languages",
    );
    let kinds = vec![
        plain("in"),
        plain(ends.0),
        TokenKind::Sign(".."),
        plain(ends.1),
    ];
    let change = Change::meant(tokens, from..end, message, kinds);
    change.written(format!("in {}..{}", ends.0, ends.1))
}

/// `(userId = id)` as `(userId)`, and `(where userId)` as well.
fn given(tokens: &[Token], failed: usize, expected: &str) -> Option<Change> {
    if !expected.starts_with("expected `)`") {
        return None;
    }
    let before = failed.checked_sub(1)?;
    let (from, end, kept) = if word(tokens, before) == Some("where") {
        (before, failed + 1, word(tokens, failed)?)
    } else if is_sign(tokens, failed, "=") {
        (before, failed + 2, word(tokens, before)?)
    } else {
        return None;
    };
    let message = (
        "a parameter that gives an attribute has its name".to_owned(),
        "as in query languages",
    );
    let change = Change::meant(tokens, from..end, message, vec![plain(kept)]);
    Some(Change {
        choice: Choice::Person,
        ..change
    })
}

/// `pattern user userId -> User` with its parentheses.
fn in_parentheses(tokens: &[Token], failed: usize) -> Option<Change> {
    let end = until(tokens, failed, &["->"]);
    let named: Vec<&str> = (failed..end).filter_map(|at| word(tokens, at)).collect();
    let inside = tokens
        .get(failed..end)?
        .iter()
        .map(|token| token.kind.clone());
    let kinds = [TokenKind::Sign("(")];
    let kinds = kinds
        .into_iter()
        .chain(inside)
        .chain([TokenKind::Sign(")")]);
    let message = (
        "parameters stand in parentheses".to_owned(),
        "without parentheses",
    );
    let change = Change::meant(tokens, failed..end, message, kinds.collect());
    let is_plain = named.len() == 1 && end == failed + 1;
    is_plain.then(|| change.written(format!("({})", named.join(", "))))
}

/// `Member | null` as `Member?`.
fn or_nothing(tokens: &[Token], failed: usize) -> Option<Change> {
    let entity = word(tokens, failed.checked_sub(1)?)?;
    let is_absent = ABSENT.contains(&word(tokens, failed + 1)?);
    let message = (
        "a result that may be missing is told by `?` behind the entity".to_owned(),
        "of other languages",
    );
    let kinds = vec![plain(entity), TokenKind::Sign("?")];
    (is_absent && is_sign(tokens, failed, "|")).then(|| {
        let change = Change::meant(tokens, failed - 1..failed + 2, message, kinds);
        change.written(format!("{entity}?"))
    })
}

/// `[Order]`, `List<Order>`, `list of Order` as `Order[]`, and `Optional<Order>` as `Order?`.
fn listed(tokens: &[Token], failed: usize) -> Option<Change> {
    let (from, entity, end, mark) = if is_sign(tokens, failed, "[") {
        is_sign(tokens, failed + 2, "]").then_some(())?;
        (failed, word(tokens, failed + 1)?, failed + 3, "[]")
    } else {
        let before = failed.checked_sub(1)?;
        let mark = match word(tokens, before)? {
            "list" | "List" | "Array" | "Vec" | "Set" | "Sequence" | "Iterable" => "[]",
            "Option" | "Optional" | "Maybe" => "?",
            _ => return None,
        };
        let is_closed = is_sign(tokens, failed, "<") && is_sign(tokens, failed + 2, ">");
        let is_list = word(tokens, failed) == Some("of");
        match (is_closed, is_list) {
            (true, _) => (before, word(tokens, failed + 1)?, failed + 3, mark),
            (false, true) => (before, word(tokens, failed + 1)?, failed + 2, mark),
            (false, false) => return None,
        }
    };
    let what = match mark {
        "[]" => "many results are told by `[]` behind the entity",
        _ => "a result that may be missing is told by `?` behind the entity",
    };
    let message = (what.to_owned(), "of other languages");
    let kinds = vec![plain(entity), TokenKind::Sign(mark)];
    let change = Change::meant(tokens, from..end, message, kinds);
    Some(change.written(format!("{entity}{mark}")))
}
