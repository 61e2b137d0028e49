//! Values that items of an earlier version get: what of them is known without that version.

use super::comparison::with_near_word;
use crate::diagnostic::Diagnostic;
use crate::schema::{Former, FormerNumber, FormerPart, FormerSign, Type};
use crate::syntax::ast::{AttributeDecl, FormerDecl, Name, PartDecl};

/// What an attribute is made of; `None` where it has no such declaration, another name only, or an error.
pub(super) fn resolve(
    declared: &AttributeDecl,
    kind: &Type,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Former> {
    let made = match declared.was.as_ref()? {
        FormerDecl::Names(..) => return None,
        FormerDecl::Entities(words, _) => entities(words, (declared, kind)),
        FormerDecl::Text(parts, _) => text(parts, (declared, kind)),
        FormerDecl::Words { of, words, other } => {
            self::words(of, (words, other.as_ref()), (declared, kind))
        }
        FormerDecl::Number(first, rest) => number((first, rest), (declared, kind)),
    };
    match made {
        Ok(made) => Some(made),
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            None
        }
    }
}

/// Whether a text can be a value of a type.
fn is_written(kind: &Type) -> bool {
    match kind {
        Type::String
        | Type::Int
        | Type::Number
        | Type::Bool
        | Type::Time(_)
        | Type::Date
        | Type::Period(_)
        | Type::Ulid
        | Type::Uuid
        | Type::Words(_) => true,
        Type::Binary | Type::List(_) | Type::Map(_) | Type::Set(_) | Type::Record(_) => false,
    }
}

fn text(
    parts: &[PartDecl],
    (declared, kind): (&AttributeDecl, &Type),
) -> Result<Former, Box<Diagnostic>> {
    if !is_written(kind) {
        let message = format!("a text is no value of {kind}");
        return Err(Box::new(
            Diagnostic::error("KF004", declared.name.span, message, "its type").help(
                "what an attribute was may be a text where it is a text itself, a number, a word, a time or true and false",
            ),
        ));
    }
    let part = |part: &PartDecl| match part {
        PartDecl::Text(text) => FormerPart::Text(text.clone()),
        PartDecl::Field { name, formats } => FormerPart::Field {
            name: name.text.clone(),
            formats: formats.iter().map(|one| one.text.clone()).collect(),
        },
    };
    Ok(Former::Text(parts.iter().map(part).collect()))
}

fn words(
    of: &Name,
    (words, other): (&[(Name, Name)], Option<&Name>),
    (declared, kind): (&AttributeDecl, &Type),
) -> Result<Former, Box<Diagnostic>> {
    Ok(Former::Words {
        of: of.text.clone(),
        words: values(words, (declared, kind))?,
        other: other
            .map(|other| value(other, (declared, kind)))
            .transpose()?,
    })
}

/// A value for the items of each of several entities, which every item gets.
fn entities(
    words: &[(Name, Name)],
    (declared, kind): (&AttributeDecl, &Type),
) -> Result<Former, Box<Diagnostic>> {
    if declared.optional {
        let message = format!(
            "`{}` says of which entity an item was, and an item may lack it",
            declared.name.text
        );
        return Err(Box::new(
            Diagnostic::error("KF004", declared.name.span, message, "is optional")
                .help("remove the `?`: each item gets a value"),
        ));
    }
    values(words, (declared, kind)).map(Former::Entities)
}

/// A value of the attribute's type.
fn value(
    name: &Name,
    (declared, kind): (&AttributeDecl, &Type),
) -> Result<String, Box<Diagnostic>> {
    match crate::value::parse(&declared.name.text, kind, name.unquoted()) {
        Ok(_) => Ok(name.unquoted().to_owned()),
        Err(error) => {
            let message = error.to_string();
            let wrong = Diagnostic::error("KF004", name.span, message, "no value of its type");
            Err(Box::new(with_near_word(wrong, name, kind)))
        }
    }
}

/// Texts, each with the value that stands for it.
fn values(
    words: &[(Name, Name)],
    of: (&AttributeDecl, &Type),
) -> Result<Vec<(String, String)>, Box<Diagnostic>> {
    let mut known: Vec<(String, String)> = Vec::new();
    for (before, after) in words {
        let text = before.unquoted();
        if known.iter().any(|(one, _)| one == text) {
            let message = format!("`{text}` becomes two values");
            return Err(Box::new(Diagnostic::error(
                "KF003",
                before.span,
                message,
                "again here",
            )));
        }
        known.push((text.to_owned(), value(after, of)?));
    }
    Ok(known)
}

fn number(
    (first, rest): (&Name, &[(&'static str, Name)]),
    (declared, kind): (&AttributeDecl, &Type),
) -> Result<Former, Box<Diagnostic>> {
    if !kind.is_number() {
        let message = format!("a calculation makes no value of {kind}");
        return Err(Box::new(
            Diagnostic::error("KF004", declared.name.span, message, "its type")
                .help("declare it as an `int` or a `number`, or write a text: \"{a} {b}\""),
        ));
    }
    let one = |name: &Name| match name.text.parse() {
        Ok(number) => FormerNumber::Fixed(number),
        Err(_) => FormerNumber::Attribute(name.unquoted().to_owned()),
    };
    let sign = |sign: &str| match sign {
        "-" => FormerSign::Minus,
        "*" => FormerSign::Times,
        _ => FormerSign::Plus,
    };
    let rest = rest.iter();
    let made = Former::Number {
        first: one(first),
        rest: rest.map(|(word, name)| (sign(word), one(name))).collect(),
    };
    if made.names().is_empty() {
        let message = "items of an earlier version would all get the same number";
        return Err(Box::new(
            Diagnostic::error("KF004", first.span, message, "no attribute is in it")
                .help("a fixed value is a default: `= 1`"),
        ));
    }
    Ok(made)
}
