//! What an attribute was in an earlier version: `was oldName`, `was nameHere or nameThere`, `was "{first} {last}"`,
//! `was state (O = open, else paid)`, `was (Person = person, Company = company)`, `was price * 100`.

use super::cursor::{Cursor, Parsed};
use super::template::parts;
use crate::diagnostic::Span;
use crate::syntax::ast::{FormerDecl, Name};
use crate::syntax::lexer::TokenKind;

/// Reads what stands behind `was`. A text with braces is one of attributes; without them it is a name.
pub(super) fn former(cursor: &mut Cursor<'_>) -> Parsed<FormerDecl> {
    let span = cursor.span();
    if let Some(TokenKind::Text(text)) = cursor.peek()
        && text.contains(['{', '}'])
    {
        let parts = parts(text, span.start + 1)?;
        cursor.advance();
        return Ok(FormerDecl::Text(parts, span));
    }
    if matches!(cursor.peek(), Some(TokenKind::Number(_))) || cursor.is_sign("-") {
        let first = number(cursor)?;
        return calculated(cursor, first);
    }
    if cursor.take_sign("(") {
        return entities(cursor, span);
    }
    let name = cursor.attribute("the name that the attribute had")?;
    if cursor.take_sign("(") {
        return words(cursor, name);
    }
    match sign(cursor) {
        Some(_) => calculated(cursor, name),
        None => {
            let mut more = Vec::new();
            while cursor.take_word("or") {
                more.push(cursor.attribute("another name that the attribute had")?);
            }
            Ok(FormerDecl::Names(name, more))
        }
    }
}

/// The entities behind `was (`, each with the value that its items get.
fn entities(cursor: &mut Cursor<'_>, span: Span) -> Parsed<FormerDecl> {
    let mut words = Vec::new();
    loop {
        let entity = cursor.word("an entity of the earlier version")?;
        cursor.sign("=")?;
        words.push((entity, cursor.fixed_value()?));
        if !cursor.take_sign(",") {
            cursor.sign(")")?;
            return Ok(FormerDecl::Entities(words, span));
        }
    }
}

/// The sign of a calculation that stands here.
fn sign(cursor: &Cursor<'_>) -> Option<&'static str> {
    ["+", "-", "*"].into_iter().find(|one| cursor.is_sign(one))
}

/// A name or a number; a name in quotes keeps them.
fn number(cursor: &mut Cursor<'_>) -> Parsed<Name> {
    cursor.fixed_value()
}

fn calculated(cursor: &mut Cursor<'_>, first: Name) -> Parsed<FormerDecl> {
    let mut rest = Vec::new();
    while let Some(sign) = sign(cursor) {
        cursor.advance();
        rest.push((sign, number(cursor)?));
    }
    Ok(FormerDecl::Number(first, rest))
}

/// The words behind `was state (`.
fn words(cursor: &mut Cursor<'_>, of: Name) -> Parsed<FormerDecl> {
    let (mut words, mut other) = (Vec::new(), None);
    loop {
        let before = cursor.fixed_value()?;
        let is_other = before.text == "else" && !cursor.is_sign("=");
        if is_other {
            other = Some(cursor.fixed_value()?);
        } else {
            cursor.sign("=")?;
            words.push((before, cursor.fixed_value()?));
        }
        if is_other || !cursor.take_sign(",") {
            cursor.sign(")")?;
            return Ok(FormerDecl::Words { of, words, other });
        }
    }
}
