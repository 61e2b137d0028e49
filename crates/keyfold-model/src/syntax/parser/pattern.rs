//! Access patterns.

use super::condition::conditions;
use super::cursor::{Cursor, Parsed};
use super::entity::type_of;
use crate::diagnostic::{Diagnostic, Span};
use crate::period::Unit;
use crate::syntax::ast::{LimitDecl, Name, OrderDecl, ParameterDecl, PatternDecl, ReturnedDecl};
use crate::syntax::lexer::TokenKind;
use crate::words::Order;

/// The modifiers, as an error message lists them.
const MODIFIERS: &str = "`only`, `where`, `filter`, `newest`, `oldest`, `highest`, `lowest`, `ascending`, `descending`, `page N`, `strong`, `scan`, `fetch all` or `expect`";
/// Words that cannot be the attribute of an order.
const WORDS: [&str; 14] = [
    "only",
    "where",
    "filter",
    "newest",
    "oldest",
    "highest",
    "lowest",
    "page",
    "strong",
    "scan",
    "expect",
    "in",
    "ascending",
    "descending",
];

/// Reads a pattern, all lines of it.
pub(super) fn pattern(cursor: &mut Cursor<'_>) -> Parsed<PatternDecl> {
    let name = cursor.word("the pattern's name")?;
    cursor.sign("(")?;
    let mut parameters = Vec::new();
    if !cursor.take_sign(")") {
        parameters = cursor.separated(parameter)?;
        cursor.sign(")")?;
    }
    cursor.sign("->")?;
    let is_together = cursor.take_sign("(");
    let mut returned = Vec::new();
    if is_together {
        returned = cursor.separated(member)?;
        cursor.sign(")")?;
    } else {
        returned.push(returned_entity(cursor)?);
        while cursor.take_sign("+") {
            returned.push(returned_entity(cursor)?);
        }
    }
    let mut pattern = PatternDecl {
        name,
        parameters,
        returned,
        is_together,
        batch: None,
        returned_end: cursor.before().end,
        order: None,
        page: None,
        strong: None,
        scan: None,
        fetch: None,
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
    cursor.advance();
    check_fits(word, span, pattern.is_together)?;
    match word.as_str() {
        "batch" => pattern.batch = Some(span),
        "newest" => ordered(cursor, pattern, Order::Newest, span)?,
        "oldest" => ordered(cursor, pattern, Order::Oldest, span)?,
        "highest" => ordered(cursor, pattern, Order::Highest, span)?,
        "lowest" => ordered(cursor, pattern, Order::Lowest, span)?,
        "ascending" => ordered(cursor, pattern, Order::Ascending, span)?,
        "descending" => ordered(cursor, pattern, Order::Descending, span)?,
        "page" => page(cursor, pattern)?,
        "strong" => pattern.strong = Some(span),
        "scan" => pattern.scan = Some(span),
        "fetch" => {
            cursor.keyword("all")?;
            pattern.fetch = Some(span.to(cursor.before()));
        }
        "only" => pattern.only.extend(cursor.attributes("an attribute")?),
        "expect" => pattern.expects.extend(cursor.expectations()?),
        "filter" => {
            let filters = cursor.separated(conditions)?;
            pattern.filters.extend(filters.into_iter().flatten());
        }
        "where" => pattern.fixed.extend(cursor.separated(fixed)?),
        _ => {
            cursor.step_back();
            return cursor.fail(MODIFIERS);
        }
    }
    Ok(())
}

/// Refuses a modifier that says nothing about items that are read by their keys, and `batch` of
/// others.
fn check_fits(word: &str, span: Span, is_together: bool) -> Parsed<()> {
    let message = match (word, is_together) {
        (
            "newest" | "oldest" | "highest" | "lowest" | "page" | "scan" | "where" | "filter",
            true,
        ) => {
            format!("each item in parentheses is read by its key, so `{word}` has no effect")
        }
        ("batch", false) => {
            "`batch` reads several items by their keys; they stand in parentheses".to_owned()
        }
        (_, _) => return Ok(()),
    };
    let help = if is_together {
        "remove it; a parameter of another name is bound inside the parentheses: `(User where userId = owner)`"
    } else {
        "remove it, or write the results as `(Event?, Registration?)`"
    };
    Err(Box::new(
        Diagnostic::error("KF001", span, message, "not here").help(help),
    ))
}

/// Adds the order; a pattern has one.
fn ordered(
    cursor: &mut Cursor<'_>,
    pattern: &mut PatternDecl,
    given: Order,
    span: Span,
) -> Parsed<()> {
    if pattern.order.is_some() {
        let message = "a pattern has one order";
        let second = Diagnostic::error("KF001", span, message, "a second one");
        return Err(Box::new(second.help("remove one of the two")));
    }
    pattern.order = Some(order(cursor, given, span)?);
    Ok(())
}

/// The attribute after an order, if the next word is not another modifier.
fn order(cursor: &mut Cursor<'_>, order: Order, span: Span) -> Parsed<OrderDecl> {
    let is_attribute = match cursor.peek() {
        // An attribute may have the name `fetch`.
        Some(TokenKind::Word(word)) if word == "fetch" => {
            !matches!(cursor.peek_second(), Some(TokenKind::Word(all)) if all == "all")
        }
        Some(TokenKind::Word(word)) => !WORDS.contains(&word.as_str()),
        Some(TokenKind::Text(_)) => true,
        Some(TokenKind::Number(_) | TokenKind::Braces(_) | TokenKind::Sign(_)) | None => false,
    };
    let attribute = is_attribute
        .then(|| cursor.attribute("an attribute"))
        .transpose()?;
    Ok(OrderDecl {
        order,
        span,
        attribute,
    })
}

fn page(cursor: &mut Cursor<'_>, pattern: &mut PatternDecl) -> Parsed<()> {
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
    Ok(())
}

/// `attribute = value`, or `attribute`.
fn fixed(cursor: &mut Cursor<'_>) -> Parsed<(Name, Option<Name>)> {
    let attribute = cursor.attribute("an attribute")?;
    let value = cursor.operand_after_equals()?;
    let is_compared = COMPARATORS.iter().any(|sign| cursor.is_sign(sign))
        || COMPARING.iter().any(|word| cursor.is_word(word));
    if value.is_none() && is_compared {
        let message = format!(
            "`where {}` gives one value, and compares nothing",
            attribute.text
        );
        return Err(Box::new(
            Diagnostic::error("KF001", cursor.span(), message, "a comparison")
                .help("if a key has the attribute in its order, write the range with the parameters: `(userId, createdAt >= since)`")
                .help("otherwise write `filter` for `where`: what is read is the same, and items are left out of the answer"),
        ));
    }
    Ok((attribute, value))
}

/// Signs and words of comparisons.
const COMPARATORS: [&str; 7] = [">=", "<=", ">", "<", "<>", "!=", "=>"];
const COMPARING: [&str; 3] = ["in", "starts", "contains"];

fn parameter(cursor: &mut Cursor<'_>) -> Parsed<ParameterDecl> {
    let is_quoted = matches!(cursor.peek(), Some(TokenKind::Text(_)));
    let attribute = cursor.attribute("an attribute")?;
    let unit = match attribute.text.as_str() {
        "hour" => Some(Unit::Hour),
        "day" => Some(Unit::Day),
        "month" => Some(Unit::Month),
        "year" => Some(Unit::Year),
        _ => None,
    };
    let (attribute, limit) = match unit {
        Some(unit) if !is_quoted && cursor.take_word("of") => {
            let of = cursor.attribute("a time attribute")?;
            (of, periods(cursor, unit, attribute)?)
        }
        Some(_) | None => {
            if !is_quoted && cursor.is_word("of") {
                let message = format!("there is no period `{}`", attribute.text);
                let wrong = Diagnostic::error("KF001", attribute.span, message, "no period");
                return Err(Box::new(wrong.help(
                    "periods are `hour of a`, `day of a`, `month of a` and `year of a`",
                )));
            }
            let limit = limit(cursor)?;
            (attribute, limit)
        }
    };
    Ok(ParameterDecl {
        attribute,
        limit,
        optional: cursor.take_sign("?"),
    })
}

/// What follows `day of at`: nothing for one period, or a range of them.
fn periods(cursor: &mut Cursor<'_>, unit: Unit, word: Name) -> Parsed<LimitDecl> {
    let at = cursor.span();
    let range = limit(cursor)?;
    match range {
        LimitDecl::Equal => Ok(LimitDecl::Period(unit, word)),
        LimitDecl::AtLeast(_)
        | LimitDecl::AtMost(_)
        | LimitDecl::Above(_)
        | LimitDecl::Below(_)
        | LimitDecl::Within(..) => Ok(LimitDecl::Periods(unit, word, Box::new(range))),
        LimitDecl::Starts(_)
        | LimitDecl::Among
        | LimitDecl::Free(_)
        | LimitDecl::Period(..)
        | LimitDecl::Periods(..) => {
            let message = format!("a {unit} of an attribute is one {unit}, or a range of them");
            let wrong = Diagnostic::error("KF001", at, message, "no range");
            Err(Box::new(wrong.help(format!(
                "write `{unit} of a`, `{unit} of a in first..last`, or one end, as in `{unit} of a >= first`"
            ))))
        }
    }
}

fn limit(cursor: &mut Cursor<'_>) -> Parsed<LimitDecl> {
    let argument = |cursor: &mut Cursor<'_>| end_of_range(cursor, "the parameter's name");
    Ok(if cursor.take_sign(">=") {
        LimitDecl::AtLeast(argument(cursor)?)
    } else if cursor.take_sign("<=") {
        LimitDecl::AtMost(argument(cursor)?)
    } else if cursor.take_sign(">") {
        LimitDecl::Above(argument(cursor)?)
    } else if cursor.take_sign("<") {
        LimitDecl::Below(argument(cursor)?)
    } else if cursor.take_word("starts") {
        LimitDecl::Starts(argument(cursor)?)
    } else if cursor.take_word("in") {
        let low = end_of_range(cursor, "the lower parameter's name")?;
        cursor.sign("..")?;
        LimitDecl::Within(low, end_of_range(cursor, "the upper parameter's name")?)
    } else if cursor.take_sign("[]") {
        LimitDecl::Among
    } else if cursor.take_sign(":") {
        LimitDecl::Free(type_of(cursor)?)
    } else {
        LimitDecl::Equal
    })
}

/// The name of the parameter that ends a range. A fixed value is taken for one where it is in quotes.
fn end_of_range(cursor: &mut Cursor<'_>, wanted: &str) -> Parsed<Name> {
    let is_value = match cursor.peek() {
        Some(TokenKind::Text(text)) => text.starts_with(|c: char| c.is_ascii_digit()),
        Some(TokenKind::Number(_)) => true,
        Some(TokenKind::Word(_) | TokenKind::Braces(_) | TokenKind::Sign(_)) | None => false,
    };
    if is_value {
        let message = "a range ends with a parameter, whose value is given when the pattern runs";
        let fixed = Diagnostic::error("KF001", cursor.span(), message, "a value");
        return Err(Box::new(
            fixed.help("write a name, as in `createdAt >= since`"),
        ));
    }
    cursor.attribute(wanted)
}

/// One of several items in parentheses: `Account? as payer where accountId = from`.
fn member(cursor: &mut Cursor<'_>) -> Parsed<ReturnedDecl> {
    let mut one = returned_entity(cursor)?;
    if one.many {
        cursor.step_back();
        let message = "in parentheses stands one item each, by its whole key";
        return Err(Box::new(
            Diagnostic::error("KF001", cursor.span(), message, "many items").help(
                "remove `[]`; or give many items a pattern of their own, or join kinds of one partition with `+`",
            ),
        ));
    }
    if cursor.take_word("as") {
        one.alias = Some(cursor.word("the name of this item in the answer")?);
    }
    if cursor.take_word("where") {
        loop {
            let attribute = cursor.attribute("an attribute of the key")?;
            cursor.sign("=")?;
            one.bound
                .push((attribute, cursor.attribute("the parameter's name")?));
            if !cursor.take_word("and") {
                break;
            }
        }
    }
    Ok(one)
}

fn returned_entity(cursor: &mut Cursor<'_>) -> Parsed<ReturnedDecl> {
    let entity = cursor.word("an entity")?;
    let copy = cursor.word_after(".", "a copy of the entity")?;
    let many = cursor.take_sign("[]");
    let optional = !many && cursor.take_sign("?");
    Ok(ReturnedDecl {
        entity,
        copy,
        many,
        optional,
        alias: None,
        bound: Vec::new(),
    })
}
