//! Templates: fields get their types and formats, and must fit the key attribute they are for.

use super::unknown_attribute;
use crate::diagnostic::{Diagnostic, Edit, Span};
use crate::period::Unit;
use crate::schema::{Column, Entity, KeyPair, Type};
use crate::syntax::ast::{KeyDecl, Name, PartDecl, TemplateDecl};
use crate::template::{Format, KeyTemplate, Part};
use keyfold_types::KeyKind;
use keyfold_types::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};

/// The templates of a key with these attributes, in this order.
pub(super) fn key(
    declared: &KeyDecl,
    partition: &[&Column],
    sort: &[&Column],
    entity: &Entity,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<KeyPair> {
    let wanted = partition.len() + sort.len();
    if let Some(extra) = declared.templates.get(wanted) {
        let (message, help) = if sort.is_empty() && partition.len() == 1 {
            (
                "there is no sort key to make",
                "remove it, or declare a second key attribute",
            )
        } else {
            ("there are more templates than key attributes", "remove it")
        };
        diagnostics
            .push(Diagnostic::error("KF004", extra.span, message, "one too many").help(help));
        return None;
    }
    if declared.templates.len() < wanted {
        let columns: Vec<&str> = partition
            .iter()
            .chain(sort)
            .map(|column| column.name.as_str())
            .collect();
        let missing = columns
            .get(declared.templates.len())
            .copied()
            .unwrap_or_default();
        let message = format!("the template of the key attribute {missing} is missing");
        diagnostics.push(
            Diagnostic::error("KF004", declared.span, message, "too few templates")
                .note(format!("the key is made of {}", columns.join(", ")))
                .help("add a template, for instance \"META\"")
                .repair(vec![Edit::insert(declared.span.end, " \"META\"")]),
        );
        return None;
    }
    let mut made = Vec::new();
    for (at, (declared, column)) in declared
        .templates
        .iter()
        .zip(partition.iter().chain(sort))
        .enumerate()
    {
        let parts = template(declared, column, entity, diagnostics);
        let most = if at < partition.len() {
            PARTITION_KEY_BYTES_MAX
        } else {
            SORT_KEY_BYTES_MAX
        };
        made.push(parts.filter(|parts| fits(parts, declared.span, most, diagnostics)));
    }
    let made: Vec<Vec<Part>> = made.into_iter().collect::<Option<_>>()?;
    let joined = |range: &[Vec<Part>]| range.join(&Part::Break);
    let (first, second) = made.split_at(partition.len());
    let spans: Vec<Span> = declared
        .templates
        .iter()
        .map(|template| template.span)
        .collect();
    let span_of = |from: usize, to: usize| match (spans.get(from), spans.get(to.saturating_sub(1)))
    {
        (Some(one), Some(two)) => one.to(*two),
        _ => declared.span,
    };
    let mut partition_template = KeyTemplate {
        parts: joined(first),
        span: span_of(0, partition.len()),
    };
    let sort_template = (!second.is_empty()).then(|| KeyTemplate {
        parts: joined(second),
        span: span_of(partition.len(), wanted),
    });
    let is_text = !partition_template.is_bare() && partition.len() == 1;
    if (declared.bucket.is_some() || declared.shard.is_some()) && !is_text {
        diagnostics.push(
            Diagnostic::error(
                "KF004",
                declared.span,
                "`shard` and `bucket` need a text partition key",
                "this is none",
            )
            .help("write the partition key as one text in quotes"),
        );
        return None;
    }
    if let Some((unit, of)) = &declared.bucket {
        let sort_fields = sort_template.as_ref();
        let part = bucket(
            unit,
            of.as_ref(),
            sort_fields,
            entity,
            declared.span,
            diagnostics,
        )?;
        partition_template
            .parts
            .extend([Part::Text("#".to_owned()), part]);
    }
    Some(KeyPair {
        partition: partition_template,
        sort: sort_template,
        span: declared.span,
    })
}

/// Whether the fixed text of a template leaves room in a key of so many bytes.
fn fits(parts: &[Part], span: Span, most: usize, diagnostics: &mut Vec<Diagnostic>) -> bool {
    let text_bytes = |part: &Part| {
        if let Part::Text(text) = part {
            text.len()
        } else {
            0
        }
    };
    let (fixed, fields) = (
        parts.iter().map(text_bytes).sum::<usize>(),
        parts.iter().filter(|part| text_bytes(part) == 0).count(),
    );
    if fixed + fields <= most {
        return true;
    }
    let message = format!(
        "this key has at least {} bytes, and may have {most}",
        fixed + fields
    );
    diagnostics.push(
        Diagnostic::error("KF004", span, message, "no item could be written")
            .help("shorten the text"),
    );
    false
}

/// `shard N`: the last part of the partition key, made of what identifies the item.
pub(super) fn add_shard(key: &mut KeyPair, declared: &KeyDecl, identity: &[Part]) {
    if let Some((count, _)) = declared.shard {
        let shard = Part::Shard {
            count,
            of: identity.to_vec(),
        };
        key.partition
            .parts
            .extend([Part::Text("#".to_owned()), shard]);
    }
}

/// `bucket day [of attribute]`: the period of a time.
fn bucket(
    unit: &Name,
    of: Option<&Name>,
    sort: Option<&KeyTemplate>,
    entity: &Entity,
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Part> {
    let Some(found) = Unit::of_word(&unit.text) else {
        let units = ["hour", "day", "month", "year"];
        diagnostics.push(super::unknown("bucket", unit, units.into_iter()));
        return None;
    };
    let is_time = |name: &&str| {
        entity
            .attribute(name)
            .is_some_and(|a| bucketed(&a.kind, found))
    };
    let name = match of {
        Some(name) => match entity.attribute(&name.text) {
            Some(attribute) if bucketed(&attribute.kind, found) => attribute.name.clone(),
            Some(attribute) => {
                let message = format!("a {} has no {found}", attribute.kind);
                diagnostics.push(Diagnostic::error("KF004", name.span, message, "no time"));
                return None;
            }
            None => {
                diagnostics.push(unknown_attribute(entity, name));
                return None;
            }
        },
        None => match sort.and_then(|sort| sort.fields().find(is_time)) {
            Some(name) => name.to_owned(),
            None => {
                let message = format!("which time is cut into a {found} is not said");
                diagnostics.push(
                    Diagnostic::error("KF004", span, message, "the sort key has no time")
                        .help(format!("name it: `bucket {found} of createdAt`")),
                );
                return None;
            }
        },
    };
    let kind = entity.attribute(&name)?.kind.clone();
    Some(Part::Field {
        name,
        kind,
        format: Format::Truncated(found),
    })
}

fn bucketed(kind: &Type, unit: Unit) -> bool {
    matches!(kind, Type::Time(_)) || (*kind == Type::Date && unit >= Unit::Day)
}

fn template(
    declared: &TemplateDecl,
    column: &Column,
    entity: &Entity,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for part in &declared.parts {
        match part {
            PartDecl::Text(text) => parts.push(Part::Text(text.clone())),
            PartDecl::Field { name, formats } => {
                let Some(attribute) = entity.attribute(&name.text) else {
                    diagnostics.push(unknown_attribute(entity, name));
                    return None;
                };
                let format = match field_format(formats, &attribute.kind) {
                    Ok(format) => format,
                    Err(diagnostic) => {
                        diagnostics.push(*diagnostic);
                        return None;
                    }
                };
                let is_bytes = declared.bare && attribute.kind == Type::Binary;
                if !attribute.kind.fits_key() && !is_bytes {
                    let message = format!("a {} cannot be part of a key", attribute.kind);
                    diagnostics.push(
                        Diagnostic::error("KF004", name.span, message, "no text or number")
                            .label(attribute.span, "declared here"),
                    );
                    return None;
                }
                parts.push(Part::Field {
                    name: name.text.clone(),
                    kind: attribute.kind.clone(),
                    format,
                });
            }
        }
    }
    if parts.is_empty() {
        let message = "a key must not be empty";
        diagnostics.push(Diagnostic::error(
            "KF004",
            declared.span,
            message,
            "an empty template",
        ));
        return None;
    }
    // `{score}` as a whole: the attribute itself, if its type is the key attribute's and not text,
    // or if it is the key attribute.
    if let (true, [Part::Field { name, kind, format }]) = (declared.bare, parts.as_mut_slice())
        && *format == Format::Plain
    {
        let is_itself = *name == column.name;
        match column.kind {
            KeyKind::N if kind.is_number() => *format = Format::Bare,
            KeyKind::B if *kind == Type::Binary => *format = Format::Bare,
            KeyKind::S if kind.is_text() && is_itself => *format = Format::Bare,
            KeyKind::S if kind.is_text() || *kind == Type::Bool => {}
            KeyKind::S | KeyKind::N | KeyKind::B => {
                diagnostics.push(wrong_kind(declared, column));
                return None;
            }
        }
    } else if column.kind != KeyKind::S {
        diagnostics.push(wrong_kind(declared, column));
        return None;
    }
    Some(parts)
}

fn wrong_kind(declared: &TemplateDecl, column: &Column) -> Diagnostic {
    let kind = column.kind.descriptor();
    let repair = match (declared.parts.as_slice(), declared.bare, column.kind) {
        ([PartDecl::Field { name, formats }], false, KeyKind::N | KeyKind::B)
            if formats.is_empty() =>
        {
            vec![Edit::replace(declared.span, format!("{{{}}}", name.text))]
        }
        ([PartDecl::Field { name, .. }], true, KeyKind::S) => {
            vec![Edit::replace(
                declared.span,
                format!("\"{{{}}}\"", name.text),
            )]
        }
        _ => Vec::new(),
    };
    let message = format!(
        "the key attribute {} has type {kind}, and this makes another",
        column.name
    );
    let diagnostic =
        Diagnostic::error("KF004", declared.span, message, "wrong type").repair(repair);
    diagnostic.help(match column.kind {
        KeyKind::N => {
            "a number key is one int or number attribute in braces, without quotes: {score}"
        }
        KeyKind::S => "write it in quotes, so that it becomes text: \"{score:010}\"",
        KeyKind::B => "a binary key is one binary attribute in braces, without quotes: {digest}",
    })
}

fn field_format(formats: &[Name], kind: &Type) -> Result<Format, Box<Diagnostic>> {
    let mut format = Format::Plain;
    for name in formats {
        let word = name.text.as_str();
        format = match (word, kind, format) {
            ("reverse", Type::Time(_) | Type::Date, Format::Plain) => Format::Reversed,
            (
                "reverse",
                _,
                Format::Padded {
                    whole,
                    decimals,
                    reversed: false,
                },
            ) => Format::Padded {
                whole,
                decimals,
                reversed: true,
            },
            ("lower", Type::String, Format::Plain) => Format::Lower,
            ("hash", Type::String, Format::Plain) => Format::Hash,
            ("escape", Type::String, Format::Plain) => Format::Escaped,
            (_, Type::Time(_) | Type::Date, Format::Plain)
                if Unit::of_word(word).is_some_and(|unit| bucketed(kind, unit)) =>
            {
                Unit::of_word(word).map_or(Format::Plain, Format::Truncated)
            }
            (text, Type::Int | Type::Number, Format::Plain) if text.starts_with('0') => {
                padding(name, kind)?
            }
            ("reverse", Type::Int | Type::Number, Format::Plain) => {
                return Err(wrong_format(
                    name,
                    "a reversed number needs its digits: {score:08:reverse}".to_owned(),
                ));
            }
            (text, kind, _) => {
                return Err(wrong_format(
                    name,
                    format!("there is no format `{text}` for the type {kind} here"),
                ));
            }
        };
    }
    Ok(format)
}

fn padding(name: &Name, kind: &Type) -> Result<Format, Box<Diagnostic>> {
    let (whole, decimals) = name.text.split_once('.').unwrap_or((&name.text, "0"));
    let number = |text: &str| text.parse::<usize>().ok();
    match (number(whole), number(decimals)) {
        (Some(whole), Some(decimals)) if whole >= 1 && whole + decimals <= 38 => {
            if decimals > 0 && *kind == Type::Int {
                return Err(wrong_format(
                    name,
                    "an int has no digits behind the point".to_owned(),
                ));
            }
            Ok(Format::Padded {
                whole,
                decimals,
                reversed: false,
            })
        }
        _ => Err(wrong_format(
            name,
            format!("`{}` is no width from 1 to 38", name.text),
        )),
    }
}

fn wrong_format(name: &Name, message: String) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("KF004", name.span, message, "this format does not fit")
            .help("{n:08} pads a number to 8 digits, {price:06.2} keeps two behind the point, {n:08:reverse} and {t:reverse} turn the order round, {t:day} keeps the day of a time; texts have {a:lower}, {a:hash} and {a:escape}"),
    )
}
