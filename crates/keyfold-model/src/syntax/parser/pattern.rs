//! Access patterns.

use super::cursor::{Cursor, Parsed};
use super::entity::type_of;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{LimitDecl, Name, ParameterDecl, PatternDecl, ReturnedDecl};
use crate::syntax::lexer::TokenKind;

/// The words that may follow a result.
const MODIFIERS: &str = "`only`, `where`, `filter`, `newest`, `oldest`, `highest`, `lowest`, `page N`, `strong`, `scan` or `expect`";
const WORDS: [&str; 12] = [
    "only", "where", "filter", "newest", "oldest", "highest", "lowest", "page", "strong", "scan",
    "expect", "in",
];

pub(super) fn pattern(cursor: &mut Cursor<'_>) -> Parsed<PatternDecl> {
    let name = cursor.word("the pattern's name")?;
    cursor.sign("(")?;
    let mut parameters = Vec::new();
    if !cursor.take_sign(")") {
        loop {
            parameters.push(parameter(cursor)?);
            if !cursor.take_sign(",") {
                break;
            }
        }
        cursor.sign(")")?;
    }
    cursor.sign("->")?;
    let mut returned = vec![returned_entity(cursor)?];
    while cursor.take_sign("+") {
        returned.push(returned_entity(cursor)?);
    }
    let mut pattern = PatternDecl {
        name,
        parameters,
        returned,
        order: None,
        page: None,
        strong: None,
        scan: None,
        only: Vec::new(),
        filters: Vec::new(),
        fixed: Vec::new(),
        expects: Vec::new(),
    };
    while cursor.peek().is_some() {
        modifier(cursor, &mut pattern)?;
    }
    Ok(pattern)
}

fn modifier(cursor: &mut Cursor<'_>, pattern: &mut PatternDecl) -> Parsed<()> {
    let Some(TokenKind::Word(word)) = cursor.peek() else {
        return cursor.fail(MODIFIERS);
    };
    let span = cursor.span();
    match word.as_str() {
        "newest" | "oldest" | "highest" | "lowest" => {
            let order = cursor.word("an order")?;
            let attribute = match cursor.peek() {
                Some(TokenKind::Word(word)) if !WORDS.contains(&word.as_str()) => {
                    Some(cursor.word("an attribute")?)
                }
                _ => None,
            };
            pattern.order = Some((order, attribute));
        }
        "page" => {
            cursor.advance();
            let span = cursor.span();
            let page = cursor.number("a number of items")?;
            if page == 0 || pattern.page.is_some() {
                let message = "a pattern has one page size, of 1 or more items";
                return Err(Box::new(Diagnostic::error(
                    "KF001",
                    span,
                    message,
                    "not this one",
                )));
            }
            pattern.page = Some(page);
        }
        "strong" => {
            cursor.advance();
            pattern.strong = Some(span);
        }
        "scan" => {
            cursor.advance();
            pattern.scan = Some(span);
        }
        "only" => {
            cursor.advance();
            pattern.only.extend(cursor.words("an attribute")?);
        }
        "expect" => {
            cursor.advance();
            pattern.expects.extend(cursor.expectations()?);
        }
        "filter" => {
            cursor.advance();
            pattern.filters.push(cursor.comparison()?);
            while cursor.take_sign(",") {
                pattern.filters.push(cursor.comparison()?);
            }
        }
        "where" => {
            cursor.advance();
            loop {
                let attribute = cursor.word("an attribute")?;
                let value = if cursor.take_sign("=") {
                    Some(cursor.operand()?)
                } else {
                    None
                };
                pattern.fixed.push((attribute, value));
                if !cursor.take_sign(",") {
                    break;
                }
            }
        }
        _ => return cursor.fail(MODIFIERS),
    }
    Ok(())
}

fn parameter(cursor: &mut Cursor<'_>) -> Parsed<ParameterDecl> {
    let attribute = cursor.word("an attribute")?;
    let is_unit = matches!(attribute.text.as_str(), "hour" | "day" | "month" | "year");
    let (attribute, limit) = if is_unit && cursor.take_word("of") {
        let of = cursor.word("a time attribute")?;
        (of, LimitDecl::Period(attribute))
    } else {
        let limit = limit(cursor)?;
        (attribute, limit)
    };
    Ok(ParameterDecl {
        attribute,
        limit,
        optional: cursor.take_sign("?"),
    })
}

fn limit(cursor: &mut Cursor<'_>) -> Parsed<LimitDecl> {
    let argument =
        |cursor: &mut Cursor<'_>| -> Parsed<Name> { cursor.word("the parameter's name") };
    Ok(if cursor.take_sign(">=") {
        LimitDecl::AtLeast(argument(cursor)?)
    } else if cursor.take_sign("<=") {
        LimitDecl::AtMost(argument(cursor)?)
    } else if cursor.take_word("starts") {
        LimitDecl::Starts(argument(cursor)?)
    } else if cursor.take_word("in") {
        let low = cursor.word("the lower parameter's name")?;
        cursor.sign("..")?;
        LimitDecl::Within(low, cursor.word("the upper parameter's name")?)
    } else if cursor.take_sign("[]") {
        LimitDecl::Among
    } else if cursor.take_sign(":") {
        LimitDecl::Free(type_of(cursor)?)
    } else {
        LimitDecl::Equal
    })
}

fn returned_entity(cursor: &mut Cursor<'_>) -> Parsed<ReturnedDecl> {
    let entity = cursor.word("an entity")?;
    let copy = if cursor.take_sign(".") {
        Some(cursor.word("a copy of the entity")?)
    } else {
        None
    };
    let many = cursor.take_sign("[]");
    let optional = !many && cursor.take_sign("?");
    Ok(ReturnedDecl {
        entity,
        copy,
        many,
        optional,
    })
}
