//! Recovery from an error in a line: the smallest change of its tokens after which it can be read.
//! The error is reported with the change as its repair, and the line is read as if it were made, so
//! that one mistake brings one message.

use crate::diagnostic::{Choice, Diagnostic, Edit};
use crate::near::nearest;
use crate::syntax::change::{Change, with};
use crate::syntax::foreign;
use crate::syntax::lexer::{self, Token, TokenKind};

/// Most tokens of a line that is read again: trying takes a bounded time.
const TOKENS_MAX: usize = 2_000;

/// Words of the language that may be misspelt in front of the token at which a line cannot be read.
const WORDS: [&str; 38] = [
    "bucket", "by", "capacity", "check", "copy", "count", "create", "delete", "demand", "each",
    "expect", "filter", "for", "highest", "in", "key", "lowest", "newest", "of", "oldest", "only",
    "page", "project", "put", "read", "remove", "scan", "set", "shard", "sparse", "split",
    "strong", "unique", "unstored", "version", "when", "where", "write",
];

/// Signs that may have been forgotten; others would be guesses.
const MISSING: [&str; 4] = ["(", ")", ":", "->"];

/// Signs without a meaning of their own: a line without them says the same.
const EMPTY: [&str; 4] = [",", ":", "(", ")"];

/// Most things of other languages in a line that are told apart.
const FOREIGN_MAX: usize = 8;

/// What was found out about a line: its errors, at least one, and the tokens that are meant if they
/// are known. Then it is one error.
pub(super) type Recovered = (Vec<Diagnostic>, Option<Vec<Token>>);

/// The tokens with the first change after which `reads` accepts them. The error, whose message
/// says what was expected at the token at `failed`, gets the change as its repair. Where a line has
/// several things of other languages, all of them are changed together.
pub(super) fn recover(
    tokens: &[Token],
    failed: usize,
    diagnostic: Diagnostic,
    reads: &impl Fn(&[Token]) -> Result<(), (usize, Box<Diagnostic>)>,
) -> Recovered {
    if tokens.len() > TOKENS_MAX {
        return (vec![diagnostic], None);
    }
    let (mut failed, mut tokens) = (failed, tokens.to_vec());
    let (mut explained, mut diagnostic): (Option<Diagnostic>, _) = (None, diagnostic);
    for _ in 0..FOREIGN_MAX {
        let wanted = wanted(&diagnostic);
        let accepts = |tokens: &[Token]| reads(tokens).is_ok();
        let (found, changed) = changed(&tokens, failed, diagnostic.clone(), &wanted, accepts);
        if changed.is_some() {
            return (vec![joined(explained, found)], changed);
        }
        // A change that leads further leaves the rest of the line to be explained.
        let change = foreign::change(&tokens, failed, &wanted);
        let next = change.and_then(|change| match reads(&change.tokens) {
            Err((later, next)) if is_behind(&change, later) => Some((change, later, next)),
            Err(_) | Ok(()) => None,
        });
        let Some((change, later, next)) = next else {
            diagnostic = found;
            break;
        };
        tokens.clone_from(&change.tokens);
        explained = Some(joined(explained, repaired(diagnostic, change)));
        (failed, diagnostic) = (later, *next);
    }
    // The rest cannot be read: what was explained is no repair of the line.
    let explained = explained.map(Diagnostic::without_edits);
    (explained.into_iter().chain([diagnostic]).collect(), None)
}

/// Two errors of a line as one, which both repairs mend together.
fn joined(first: Option<Diagnostic>, second: Diagnostic) -> Diagnostic {
    match first {
        Some(first) => first.and(second),
        None => second,
    }
}

/// Whether a place in the tokens of a change is behind what was changed.
fn is_behind(change: &Change, place: usize) -> bool {
    let end = change.edits.iter().map(|edit| edit.span.end).max();
    let at = change.tokens.get(place).map(|token| token.span.start);
    matches!((end, at), (Some(end), Some(at)) if at >= end)
}

/// What an error says was expected at its place.
fn wanted(diagnostic: &Diagnostic) -> String {
    let label = diagnostic
        .labels
        .first()
        .map_or("", |(_, label)| label.as_str());
    match label.strip_prefix("found ") {
        Some(_) => diagnostic.message.clone(),
        None => format!("{} {label}", diagnostic.message),
    }
}

/// The error with the first change that is accepted, and its tokens.
fn changed(
    tokens: &[Token],
    failed: usize,
    diagnostic: Diagnostic,
    wanted: &str,
    accepts: impl Fn(&[Token]) -> bool,
) -> (Diagnostic, Option<Vec<Token>>) {
    // Without it, the key is another one, which no template of an entity fits.
    if wanted.contains("a key attribute") && lacks_name(tokens, failed) {
        return (diagnostic, None);
    }
    let changes = changes(tokens, failed, wanted);
    let found = changes.into_iter().find(|change| accepts(&change.tokens));
    let Some(change) = found else {
        let advice = foreign::advice(tokens, failed, wanted);
        let advice = advice.filter(|_| diagnostic.help.is_empty());
        return match advice {
            Some(advice) => (diagnostic.help(advice), None),
            None => (diagnostic, None),
        };
    };
    let tokens = change.tokens.clone();
    (repaired(diagnostic, change), Some(tokens))
}

/// An error with a change as its repair.
fn repaired(mut diagnostic: Diagnostic, change: Change) -> Diagnostic {
    // A change with a message of its own knows better than the error what is meant.
    if let (Some((message, label)), Some(first)) = (change.message, change.edits.first()) {
        diagnostic.labels = vec![(first.span, label.to_owned())];
        diagnostic.message = message;
        diagnostic.help = Vec::new();
    }
    if !diagnostic.help.is_empty() {
        return diagnostic;
    }
    let helped = diagnostic.help(change.help);
    match change.choice {
        Choice::Tool => helped.repair(change.edits),
        Choice::Person => helped.offer(change.edits),
    }
}

/// Whether a name may be missing at a place, as in `(, SK)` and `(PK, )`.
fn lacks_name(tokens: &[Token], failed: usize) -> bool {
    let sign = |place: Option<usize>| match &tokens.get(place?)?.kind {
        TokenKind::Sign(sign) => Some(*sign),
        TokenKind::Word(_) | TokenKind::Number(_) | TokenKind::Text(_) | TokenKind::Braces(_) => {
            None
        }
    };
    let (before, at) = (sign(failed.checked_sub(1)), sign(Some(failed)));
    matches!(
        (before, at),
        (Some("("), Some(",")) | (Some(","), Some(")"))
    )
}

/// The changes that may be meant, the likeliest first.
fn changes(tokens: &[Token], failed: usize, message: &str) -> Vec<Change> {
    let expected: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let words = |place: usize, known: &[&str]| misspelt(tokens, place, known);
    let mut all: Vec<Change> = hyphenated(tokens, failed).into_iter().collect();
    all.extend(foreign::change(tokens, failed, message));
    all.extend(marks_moved(tokens, failed));
    all.extend(words(failed, &expected));
    all.extend(words(failed, &WORDS));
    all.extend(removed(tokens, failed));
    let signs = expected
        .iter()
        .filter_map(|text| MISSING.iter().find(|sign| *sign == text));
    all.extend(signs.map(|sign| inserted(tokens, failed, sign)));
    if let Some(before) = failed.checked_sub(1) {
        all.extend(words(before, &expected));
        all.extend(words(before, &WORDS));
        all.extend(removed(tokens, before));
    }
    // Between two names or values a comma may have been forgotten. A person sees whether it was, but
    // for two parameters.
    let choice = match expected.contains(&")") && are_parameters(tokens, failed) {
        true => Choice::Tool,
        false => Choice::Person,
    };
    all.push(Change {
        choice,
        ..inserted(tokens, failed, ",")
    });
    all
}

/// Whether the words before and at a place are two parameters: neither is one of the language, nor the
/// type of the other.
fn are_parameters(tokens: &[Token], place: usize) -> bool {
    let is_name = |token: Option<&Token>| match token.map(|token| &token.kind) {
        Some(TokenKind::Word(word)) => {
            let is_small = word.starts_with(|c: char| c.is_ascii_lowercase());
            is_small && !WORDS.contains(&word.as_str()) && !foreign::is_type(word)
        }
        Some(
            TokenKind::Number(_) | TokenKind::Text(_) | TokenKind::Braces(_) | TokenKind::Sign(_),
        )
        | None => false,
    };
    let before = place.checked_sub(1).and_then(|before| tokens.get(before));
    is_name(before) && is_name(tokens.get(place))
}

/// The word at a place, replaced by the known word that is nearest to it.
fn misspelt(tokens: &[Token], place: usize, known: &[&str]) -> Option<Change> {
    let token = tokens.get(place)?;
    let TokenKind::Word(word) = &token.kind else {
        return None;
    };
    let is_word = |one: &&&str| one.chars().all(char::is_alphabetic) && *one != word;
    let near = nearest(word, known.iter().filter(is_word).copied());
    let near = (*near.first()?).to_owned();
    let new = Token {
        kind: TokenKind::Word(near.clone()),
        span: token.span,
    };
    Some(Change {
        message: None,
        help: format!("did you mean `{near}`?"),
        edits: vec![Edit::replace(token.span, near.clone())],
        tokens: with(tokens, place, place + 1, Some(new)),
        // A word of the language is not misspelt: it means something else. Nor is one that another
        // letter begins: `slowest` says the opposite of `lowest` just as well.
        choice: match WORDS.contains(&word.as_str()) || is_other_order(word, &near) {
            true => Choice::Person,
            false => Choice::Tool,
        },
    })
}

/// Words that say which items come first.
const ORDERS: [&str; 6] = [
    "newest",
    "oldest",
    "highest",
    "lowest",
    "ascending",
    "descending",
];

/// Whether a word may mean another order than the one that is nearest to it.
fn is_other_order(word: &str, near: &str) -> bool {
    ORDERS.contains(&near) && word.chars().next() != near.chars().next()
}

/// The sign at a place, removed.
fn removed(tokens: &[Token], place: usize) -> Option<Change> {
    let token = tokens.get(place)?;
    let TokenKind::Sign(sign) = &token.kind else {
        return None;
    };
    // Its neighbours stay apart.
    let ends_at = |at: usize| {
        place.checked_sub(1).is_some_and(|before| {
            tokens
                .get(before)
                .is_some_and(|before| before.span.end == at)
        })
    };
    let behind = tokens.get(place + 1).map(|behind| behind.span.start);
    let joins = ends_at(token.span.start) && behind == Some(token.span.end);
    let before = place.checked_sub(1).and_then(|before| tokens.get(before));
    let is_doubled = before.is_some_and(|before| before.kind == token.kind);
    let choice = match is_doubled || EMPTY.contains(sign) {
        true => Choice::Tool,
        false => Choice::Person,
    };
    Some(Change {
        message: None,
        help: format!("remove the `{sign}`"),
        edits: vec![Edit::replace(token.span, if joins { " " } else { "" })],
        tokens: with(tokens, place, place + 1, None),
        choice,
    })
}

/// A sign that is missing at a place.
fn inserted(tokens: &[Token], place: usize, sign: &'static str) -> Change {
    let at = match place.checked_sub(1).and_then(|before| tokens.get(before)) {
        Some(before) => before.span.end,
        None => tokens.first().map_or(0, |token| token.span.start),
    };
    let edit = Edit::insert(at, if sign == "->" { " ->" } else { sign });
    let new = Token {
        kind: TokenKind::Sign(sign),
        span: edit.span,
    };
    Change {
        message: None,
        help: format!("add `{sign}`"),
        edits: vec![edit],
        tokens: with(tokens, place, place, Some(new)),
        choice: Choice::Tool,
    }
}

/// The marks of optional attributes and parameters in front of the colon, as other languages have
/// them, moved behind the type. Without its mark an attribute would be another one: required.
fn marks_moved(tokens: &[Token], failed: usize) -> Option<Change> {
    let sign = |at: usize| match tokens.get(at).map(|token| &token.kind) {
        Some(TokenKind::Sign(sign)) => Some(*sign),
        Some(
            TokenKind::Word(_) | TokenKind::Number(_) | TokenKind::Text(_) | TokenKind::Braces(_),
        )
        | None => None,
    };
    let is_mark = |at: usize| sign(at) == Some("?") && sign(at + 1) == Some(":");
    if !is_mark(failed) && !failed.checked_sub(1).is_some_and(is_mark) {
        return None;
    }
    let (mut edits, mut made) = (Vec::new(), Vec::new());
    let mut ends: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if is_mark(at) {
            edits.push(Edit::replace(token.span, ""));
            ends.push(type_end(tokens, at + 2));
        } else {
            made.push(token.clone());
        }
        if ends.last() == Some(&at) && sign(at + 1) != Some("?") {
            let edit = Edit::insert(token.span.end, "?");
            made.push(Token {
                kind: TokenKind::Sign("?"),
                span: edit.span,
            });
            edits.push(edit);
        }
    }
    Some(Change {
        message: Some((
            "a `?` stands behind the type".to_owned(),
            "in front of the type",
        )),
        help: "write it there, as in `note: string?`".to_owned(),
        edits,
        tokens: made,
        choice: Choice::Tool,
    })
}

/// The position of the last token of the type that begins at a position.
fn type_end(tokens: &[Token], from: usize) -> usize {
    let mut depth = 0_usize;
    let mut behind = from;
    for token in tokens.iter().skip(from) {
        match &token.kind {
            TokenKind::Sign("," | "=" | "?" | ")") if depth == 0 => break,
            TokenKind::Sign("(") => depth += 1,
            TokenKind::Sign(")") => depth -= 1,
            TokenKind::Sign(_)
            | TokenKind::Word(_)
            | TokenKind::Number(_)
            | TokenKind::Text(_)
            | TokenKind::Braces(_) => {}
        }
        behind += 1;
    }
    behind.saturating_sub(1)
}

/// Words joined by `-`, which are one name or text in quotes each.
fn hyphenated(tokens: &[Token], failed: usize) -> Option<Change> {
    if tokens.get(failed)?.kind != TokenKind::Sign("-") {
        return None;
    }
    let runs = lexer::hyphenated(tokens);
    let first = runs
        .iter()
        .find(|run| run.start < failed && failed + 1 < run.end)?
        .clone();
    // Those behind it would be the next errors of the line.
    let runs = runs.into_iter().filter(|run| run.start >= first.start);
    let (mut made, mut at) = (Vec::new(), 0);
    let (mut edits, mut texts) = (Vec::new(), Vec::new());
    for run in runs {
        let parts = tokens.get(run.clone())?;
        let text: String = parts
            .iter()
            .map(|token| match &token.kind {
                TokenKind::Word(text) | TokenKind::Number(text) => text.as_str(),
                TokenKind::Text(_) | TokenKind::Braces(_) | TokenKind::Sign(_) => "-",
            })
            .collect();
        let span = parts.first()?.span.to(parts.last()?.span);
        made.extend(tokens.get(at..run.start)?.iter().cloned());
        made.push(Token {
            kind: TokenKind::Text(text.clone()),
            span,
        });
        at = run.end;
        edits.push(Edit::replace(span, format!("\"{text}\"")));
        texts.push(text);
    }
    made.extend(tokens.get(at..)?.iter().cloned());
    let quoted: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
    Some(Change {
        message: Some((
            format!("`{}` is no plain word", texts.first()?),
            "read as several words",
        )),
        help: format!("write it in quotes: {}", quoted.join(", ")),
        edits,
        tokens: made,
        choice: Choice::Tool,
    })
}
