//! Key templates: `"ORDER#{createdAt}#{orderId:08}"`, or a bare field `{score}`.

use super::cursor::{Cursor, Parsed, refused_name};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{Name, PartDecl, TemplateDecl};
use crate::syntax::lexer::TokenKind;

pub(super) fn template(cursor: &mut Cursor<'_>) -> Parsed<TemplateDecl> {
    let span = cursor.span();
    match cursor.peek() {
        Some(TokenKind::Text(text)) => {
            cursor.advance();
            Ok(TemplateDecl {
                parts: parts(text, span.start + 1)?,
                bare: false,
                span,
            })
        }
        Some(TokenKind::Braces(text)) => {
            cursor.advance();
            Ok(TemplateDecl {
                parts: vec![field(text, span.start + 1)?],
                bare: true,
                span,
            })
        }
        _ => cursor.fail("a key template in quotes, like \"USER#{userId}\""),
    }
}

/// The parts of a template's text, which starts at `start` in the source.
pub(super) fn parts(text: &str, start: usize) -> Parsed<Vec<PartDecl>> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut at = start;
    while let Some(open) = rest.find('{') {
        if open > 0 {
            parts.push(PartDecl::Text(
                rest.get(..open).unwrap_or_default().to_owned(),
            ));
        }
        let Some(close) = rest.find('}').filter(|close| *close > open) else {
            let span = Span {
                start: at + open,
                end: at + rest.len(),
            };
            return Err(Box::new(
                Diagnostic::error(
                    "KF001",
                    span,
                    "a field is not closed",
                    "no `}` in this template",
                )
                .help("a field is an attribute in braces, without quotes whatever its name: {userId}, {State#Date}"),
            ));
        };
        parts.push(field(
            rest.get(open + 1..close).unwrap_or_default(),
            at + open + 1,
        )?);
        at += close + 1;
        rest = rest.get(close + 1..).unwrap_or_default();
    }
    if let Some(close) = rest.find('}') {
        let start = at + close;
        let span = Span {
            start,
            end: start + 1,
        };
        let diagnostic =
            Diagnostic::error("KF001", span, "a field is not opened", "no `{` before it");
        return Err(Box::new(
            diagnostic.help("a field is an attribute in braces: {userId}"),
        ));
    }
    if !rest.is_empty() {
        parts.push(PartDecl::Text(rest.to_owned()));
    }
    Ok(parts)
}

/// A field: a name, with its formats behind colons. In a bare field a name may stand in quotes.
fn field(text: &str, start: usize) -> Parsed<PartDecl> {
    let is_format = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '.')
    };
    let quoted = text.strip_prefix('"').and_then(|text| text.split_once('"'));
    let (name, behind) = match quoted {
        Some((name, behind)) => (name, behind),
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let mut at = start + text.len() - behind.len();
    let name_span = Span { start, end: at };
    let mut formats = behind.split(':').map(|piece| {
        let span = Span {
            start: at,
            end: at + piece.len(),
        };
        at += piece.len() + 1;
        Name {
            text: piece.to_owned(),
            span,
        }
    });
    let is_separated = formats.next().is_none_or(|rest| rest.text.is_empty());
    let formats: Vec<Name> = formats.collect();
    if name.is_empty() || !is_separated || !formats.iter().all(|format| is_format(&format.text)) {
        let span = Span {
            start,
            end: start + text.len(),
        };
        let message = "expected {attribute} or {attribute:format}";
        return Err(Box::new(
            Diagnostic::error("KF001", span, "this is no field", message)
                .help("formats: {id:08} pads a number to 8 digits, {createdAt:day} keeps the day of a time, {name:lower}, {url:hash}, {path:escape}, {createdAt:reverse}"),
        ));
    }
    if let Some(diagnostic) = refused_name(name, name_span) {
        return Err(diagnostic);
    }
    Ok(PartDecl::Field {
        name: Name {
            text: name.to_owned(),
            span: name_span,
        },
        formats,
    })
}
