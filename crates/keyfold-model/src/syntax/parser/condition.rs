//! Conditions: comparisons joined by `and`, `or`, `not` and parentheses.

use super::cursor::{Cursor, Parsed};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{ComparisonDecl, ConditionDecl, PathDecl};
use crate::syntax::lexer::TokenKind;
use crate::words::Comparator;
use crate::written::written;

/// Deepest nesting of parentheses and `not`.
const DEPTH_MAX: usize = 20;

/// The attribute at the left of a comparison.
struct Subject {
    path: PathDecl,
    is_size: bool,
}

/// Reads a condition, as the conditions that `and` joins.
pub(super) fn conditions(cursor: &mut Cursor<'_>) -> Parsed<Vec<ConditionDecl>> {
    Ok(match any(cursor, 0)? {
        ConditionDecl::All(members) => members,
        one @ (ConditionDecl::Is(_) | ConditionDecl::Not(_) | ConditionDecl::Any(_)) => vec![one],
    })
}

/// `a or b or ...`.
fn any(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<ConditionDecl> {
    let first = all(cursor, depth)?;
    if !cursor.is_word("or") {
        return Ok(first);
    }
    let mut members = vec![first];
    while cursor.take_word("or") {
        members.push(all(cursor, depth)?);
    }
    let flattened = members.into_iter().flat_map(|member| match member {
        ConditionDecl::Any(inner) => inner,
        one @ (ConditionDecl::Is(_) | ConditionDecl::Not(_) | ConditionDecl::All(_)) => vec![one],
    });
    Ok(ConditionDecl::Any(flattened.collect()))
}

/// `a and b and ...`.
fn all(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<ConditionDecl> {
    let first = member(cursor, depth)?;
    if !cursor.is_word("and") {
        return Ok(first);
    }
    let mut members = vec![first];
    while cursor.take_word("and") {
        members.push(member(cursor, depth)?);
    }
    let flattened = members.into_iter().flat_map(|member| match member {
        ConditionDecl::All(inner) => inner,
        one @ (ConditionDecl::Is(_) | ConditionDecl::Not(_) | ConditionDecl::Any(_)) => vec![one],
    });
    Ok(ConditionDecl::All(flattened.collect()))
}

/// A comparison, `not` a member, or a condition in parentheses.
fn member(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<ConditionDecl> {
    if depth > DEPTH_MAX {
        let message = format!("a condition is nested more than {DEPTH_MAX} times");
        return Err(Box::new(
            Diagnostic::error("KF001", cursor.span(), message, "too deep")
                .help("join the comparisons by fewer parentheses"),
        ));
    }
    if is_negation(cursor) {
        cursor.advance();
        return Ok(ConditionDecl::Not(Box::new(member(cursor, depth + 1)?)));
    }
    if cursor.take_sign("(") {
        let inner = any(cursor, depth + 1)?;
        cursor.sign(")")?;
        return Ok(inner);
    }
    comparison(cursor).map(ConditionDecl::Is)
}

/// Whether the word `not` stands here as the negation, and not as the name of an attribute.
fn is_negation(cursor: &Cursor<'_>) -> bool {
    let is_call = cursor.peek_third() == Some(&TokenKind::Sign("("));
    cursor.is_word("not")
        && match cursor.peek_second() {
            Some(TokenKind::Word(word)) => match word.as_str() {
                "contains" | "starts" => is_call,
                "in" => !is_call,
                _ => true,
            },
            Some(TokenKind::Sign(sign)) => *sign == "(",
            Some(TokenKind::Text(_)) => true,
            Some(TokenKind::Number(_) | TokenKind::Braces(_)) | None => false,
        }
}

/// `attribute comparator operand`, `exists attribute`, `missing attribute`, and the forms with
/// parentheses: `contains(attribute, operand)`.
fn comparison(cursor: &mut Cursor<'_>) -> Parsed<ComparisonDecl> {
    let start = cursor.span();
    let calls = [
        ("exists", Comparator::Exists),
        ("missing", Comparator::Missing),
        ("contains", Comparator::Contains),
        ("starts", Comparator::Starts),
    ];
    for (word, comparator) in calls {
        let has_operand = matches!(comparator, Comparator::Contains | Comparator::Starts);
        let is_call = cursor.peek_second() == Some(&TokenKind::Sign("("));
        let is_prefix = !has_operand && cursor.is_second_name();
        if !cursor.is_word(word) || !(is_call || is_prefix) {
            continue;
        }
        cursor.advance();
        if is_call {
            cursor.sign("(")?;
        }
        let subject = path(cursor)?;
        let mut operands = Vec::new();
        if has_operand {
            cursor.sign(",")?;
            operands.push(cursor.path_operand()?);
        }
        if is_call {
            cursor.sign(")")?;
        }
        return Ok(declared(
            cursor,
            subject,
            comparator,
            operands,
            (start, start),
        ));
    }
    let subject = subject(cursor)?;
    let comparator_span = cursor.span();
    let is_alone = cursor.peek().is_none() && !subject.is_size;
    let (comparator, operands) = comparator_and_operands(cursor).map_err(|error| {
        if !is_alone {
            return error;
        }
        let path = std::iter::once(&subject.path.name).chain(&subject.path.fields);
        let path: Vec<String> = path.map(|name| written(&name.text)).collect();
        let path = path.join(".");
        Box::new(error.help(format!(
            "for a bool `{path} = true`, for an attribute that may be missing `exists {path}`"
        )))
    })?;
    let spans = (start, comparator_span);
    Ok(declared(cursor, subject, comparator, operands, spans))
}

/// The comparison whose last token stands before the cursor. `spans` are its start and the place of
/// its comparator.
fn declared(
    cursor: &Cursor<'_>,
    subject: Subject,
    comparator: Comparator,
    operands: Vec<PathDecl>,
    (start, comparator_span): (crate::diagnostic::Span, crate::diagnostic::Span),
) -> ComparisonDecl {
    let Subject { path, is_size } = subject;
    let PathDecl { name, fields } = path;
    ComparisonDecl {
        attribute: name,
        fields,
        is_size,
        comparator,
        comparator_span,
        operands,
        span: start.to(cursor.before()),
    }
}

/// `attribute`, `attribute.field` or `size(attribute)`.
fn subject(cursor: &mut Cursor<'_>) -> Parsed<Subject> {
    let is_call = cursor.peek_second() == Some(&TokenKind::Sign("("));
    if !(is_call && cursor.take_word("size")) {
        return path(cursor);
    }
    cursor.sign("(")?;
    let measured = path(cursor)?;
    cursor.sign(")")?;
    Ok(Subject {
        is_size: true,
        ..measured
    })
}

fn path(cursor: &mut Cursor<'_>) -> Parsed<Subject> {
    Ok(Subject {
        path: cursor.path("an attribute")?,
        is_size: false,
    })
}

fn comparator_and_operands(cursor: &mut Cursor<'_>) -> Parsed<(Comparator, Vec<PathDecl>)> {
    let signs = [
        ("=", Comparator::Equal),
        ("<>", Comparator::Unequal),
        (">=", Comparator::AtLeast),
        ("<=", Comparator::AtMost),
        (">", Comparator::Greater),
        ("<", Comparator::Less),
    ];
    for (sign, comparator) in signs {
        if cursor.take_sign(sign) {
            return Ok((comparator, vec![cursor.path_operand()?]));
        }
    }
    if cursor.take_word("contains") {
        return Ok((Comparator::Contains, vec![cursor.path_operand()?]));
    }
    if cursor.take_word("starts") {
        return Ok((Comparator::Starts, vec![cursor.path_operand()?]));
    }
    if cursor.take_word("in") {
        if cursor.take_sign("(") {
            let operands = cursor.separated(Cursor::path_operand)?;
            cursor.sign(")")?;
            return Ok((Comparator::In, operands));
        }
        let low = cursor.path_operand()?;
        cursor.sign("..")?;
        return Ok((Comparator::Within, vec![low, cursor.path_operand()?]));
    }
    cursor.fail(
        "a comparison: `=`, `<>`, `<`, `<=`, `>`, `>=`, `contains`, `starts`, `in` (or `exists a`, `missing a`)",
    )
}
