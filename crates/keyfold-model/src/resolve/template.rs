//! Templates: fields get their types and formats, and must fit the key attribute they make.

use super::names::{attribute_of, unknown};
use crate::diagnostic::{Diagnostic, Edit, Span, report};
use crate::period::Unit;
use crate::schema::{Attribute, Column, Entity, KeyPair, Table, Type};
use crate::syntax::ast::{KeyDecl, Name, PartDecl, TemplateDecl};
use crate::template::{Format, KeyTemplate, Part};
use crate::written::{fits_in_text, in_braces, one};
use keyfold_types::KeyKind;
use keyfold_types::limits::{NUMBER_DIGITS_MAX, PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};

/// The attributes of a key, one template each.
pub(super) struct Columns<'c> {
    pub(super) partition: Vec<&'c Column>,
    pub(super) sort: Vec<&'c Column>,
}

impl<'c> Columns<'c> {
    /// The key of a table.
    pub(super) fn of_table(table: &'c Table) -> Columns<'c> {
        Columns {
            partition: vec![&table.partition],
            sort: table.sort.iter().collect(),
        }
    }

    /// All attributes, those of the partition key first.
    pub(super) fn all(&self) -> impl Iterator<Item = &'c Column> {
        self.partition.iter().chain(&self.sort).copied()
    }
}

/// Resolves the templates of a key. `None` after an error; the errors of all templates are reported.
pub(super) fn key(
    declared: &KeyDecl,
    columns: &Columns<'_>,
    entity: &Entity,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<KeyPair> {
    report(check_count(declared, columns), diagnostics)?;
    let mut made = Vec::new();
    for (at, (template, column)) in declared.templates.iter().zip(columns.all()).enumerate() {
        let most = if at < columns.partition.len() {
            PARTITION_KEY_BYTES_MAX
        } else {
            SORT_KEY_BYTES_MAX
        };
        let parts = parts(template, column, entity)
            .and_then(|parts| check_length(&parts, template.span, most).map(|()| parts));
        made.push(match parts {
            Err(_) if has_refused_bytes(template, declared, entity) => None,
            other => report(other, diagnostics),
        });
    }
    let made: Vec<Vec<Part>> = made.into_iter().collect::<Option<_>>()?;
    let mut key = joined(declared, columns, &made);
    let bucket = bucket_part(declared, &key, columns, entity);
    if let Some(part) = report(bucket, diagnostics)? {
        key.partition
            .parts
            .extend([Part::Text("#".to_owned()), part]);
    }
    Some(key)
}

/// Whether a template in braces is a binary attribute that another template of the key has in its
/// text: the error about that one says why it is no part of a key.
fn has_refused_bytes(template: &TemplateDecl, declared: &KeyDecl, entity: &Entity) -> bool {
    let [PartDecl::Field { name, .. }] = template.parts.as_slice() else {
        return false;
    };
    let found = entity.attribute(&name.text);
    let has_it = |part: &PartDecl| matches!(part, PartDecl::Field { name: other, .. } if other.text == name.text);
    let mut texts = declared.templates.iter().filter(|other| !other.bare);
    template.bare
        && found.is_some_and(|attribute| attribute.kind == Type::Binary)
        && texts.any(|other| other.parts.iter().any(has_it))
}

/// A key has one template for each of its attributes.
fn check_count(declared: &KeyDecl, columns: &Columns<'_>) -> Result<(), Box<Diagnostic>> {
    let names: Vec<&str> = columns.all().map(|column| column.name.as_str()).collect();
    if let Some(extra) = declared.templates.get(names.len()) {
        let (message, help) = if columns.sort.is_empty() && columns.partition.len() == 1 {
            (
                "there is no sort key to make",
                "remove it, or declare a second key attribute",
            )
        } else {
            ("there are more templates than key attributes", "remove it")
        };
        return Err(Box::new(
            Diagnostic::error("KF004", extra.span, message, "one too many").help(help),
        ));
    }
    if let Some(missing) = names.get(declared.templates.len()) {
        let message = format!("the template of the key attribute {missing} is missing");
        return Err(Box::new(
            Diagnostic::error("KF004", declared.span, message, "too few templates")
                .note(format!("the key is made of {}", names.join(", ")))
                .help("add a template, for instance \"META\"")
                .repair(vec![Edit::insert(declared.span.end, " \"META\"")]),
        ));
    }
    Ok(())
}

/// The partition and sort templates of a key, from one template for each attribute.
fn joined(declared: &KeyDecl, columns: &Columns<'_>, made: &[Vec<Part>]) -> KeyPair {
    let spans: Vec<Span> = declared
        .templates
        .iter()
        .map(|template| template.span)
        .collect();
    let template = |parts: &[Vec<Part>], spans: &[Span]| KeyTemplate {
        parts: parts.join(&Part::Break),
        span: match (spans.first(), spans.last()) {
            (Some(first), Some(last)) => first.to(*last),
            (None, _) | (_, None) => declared.span,
        },
    };
    let split = columns.partition.len();
    let (partition, sort) = made.split_at(split);
    let (partition_spans, sort_spans) = spans.split_at(split);
    KeyPair {
        partition: template(partition, partition_spans),
        sort: (!sort.is_empty()).then(|| template(sort, sort_spans)),
        span: declared.span,
    }
}

/// Refuses a template whose fixed text alone makes the key too long. `most` is in bytes.
fn check_length(parts: &[Part], span: Span, most: usize) -> Result<(), Box<Diagnostic>> {
    let text_bytes = |part: &Part| match part {
        Part::Text(text) => text.len(),
        Part::Field { .. } | Part::Shard { .. } | Part::Chunk | Part::Break => 0,
    };
    let fixed: usize = parts.iter().map(text_bytes).sum();
    let fields = parts.iter().filter(|part| text_bytes(part) == 0).count();
    let least = fixed + fields;
    if least <= most {
        return Ok(());
    }
    let message = format!("this key has at least {least} bytes, and may have {most}");
    Err(Box::new(
        Diagnostic::error("KF004", span, message, "no item could be written")
            .help("shorten the text"),
    ))
}

/// Adds `shard N`: the last part of the partition key, a hash of the item's identity.
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

/// The part of `bucket day [of attribute]`: the period of a time. `None` without a bucket.
fn bucket_part(
    declared: &KeyDecl,
    key: &KeyPair,
    columns: &Columns<'_>,
    entity: &Entity,
) -> Result<Option<Part>, Box<Diagnostic>> {
    let is_text = !key.partition.is_bare() && columns.partition.len() == 1;
    if (declared.bucket.is_some() || declared.shard.is_some()) && !is_text {
        return Err(Box::new(
            Diagnostic::error(
                "KF004",
                declared.span,
                "`shard` and `bucket` need a text partition key",
                "this is none",
            )
            .help("write the partition key as one text in quotes"),
        ));
    }
    let Some((word, of)) = &declared.bucket else {
        return Ok(None);
    };
    let Some(unit) = Unit::of_word(&word.text) else {
        let known = Unit::ALL.map(Unit::word).into_iter();
        return Err(Box::new(unknown("bucket", word, known)));
    };
    let attribute = match of {
        Some(name) => attribute_of(entity, name)?,
        None => time_of_sort_key(key, unit, entity)?,
    };
    if !attribute.kind.has_period(unit) {
        let span = of.as_ref().map_or(declared.span, |name| name.span);
        let message = format!("{} has no {unit}", attribute.kind.with_article());
        return Err(Box::new(Diagnostic::error(
            "KF004", span, message, "no time",
        )));
    }
    Ok(Some(Part::Field {
        name: attribute.name.clone(),
        kind: attribute.kind.clone(),
        format: Format::period(unit, &attribute.kind),
        excluded: Vec::new(),
    }))
}

/// The first attribute of the sort key that lies in one period of the unit.
fn time_of_sort_key<'e>(
    key: &KeyPair,
    unit: Unit,
    entity: &'e Entity,
) -> Result<&'e Attribute, Box<Diagnostic>> {
    let found = key
        .sort
        .iter()
        .flat_map(KeyTemplate::fields)
        .filter_map(|field| entity.attribute(field))
        .find(|attribute| attribute.kind.has_period(unit));
    found.ok_or_else(|| {
        let message = format!("which time is cut into {unit}s is not said");
        Box::new(
            Diagnostic::error("KF004", key.span, message, "the sort key has no time")
                .help(format!("name it: `bucket {unit} of createdAt`")),
        )
    })
}

/// Resolves the template of a key attribute.
fn parts(
    declared: &TemplateDecl,
    column: &Column,
    entity: &Entity,
) -> Result<Vec<Part>, Box<Diagnostic>> {
    let mut parts: Vec<Part> = Vec::new();
    for part in &declared.parts {
        parts.push(match part {
            PartDecl::Text(text) => Part::Text(text.clone()),
            PartDecl::Field { name, formats } => field(name, formats, declared.bare, entity)?,
        });
    }
    if parts.is_empty() {
        let message = "a key must not be empty";
        return Err(Box::new(Diagnostic::error(
            "KF004",
            declared.span,
            message,
            "an empty template",
        )));
    }
    if let (
        true,
        [
            Part::Field {
                name, kind, format, ..
            },
        ],
    ) = (declared.bare, parts.as_mut_slice())
        && *format == Format::Plain
    {
        *format = bare_format(name, kind, column)
            .ok_or_else(|| Box::new(wrong_kind(declared, column, kind.key_kind(), None)))?;
    } else if column.kind != KeyKind::S {
        let alone = match parts.as_slice() {
            [Part::Field { kind, .. }] => kind.key_kind(),
            _ => None,
        };
        let made = Some(KeyKind::S);
        return Err(Box::new(wrong_kind(declared, column, made, alone)));
    }
    Ok(parts)
}

/// Resolves a field of a template. A bare field may be binary: the attribute itself is the key.
fn field(
    name: &Name,
    formats: &[Name],
    is_bare: bool,
    entity: &Entity,
) -> Result<Part, Box<Diagnostic>> {
    let attribute = attribute_of(entity, name)?;
    let format = field_format(formats, &attribute.kind)?;
    let is_bytes = is_bare && attribute.kind == Type::Binary;
    if !attribute.kind.fits_key() && !is_bytes {
        let message = format!("{} cannot be part of a key", attribute.kind.with_article());
        return Err(Box::new(
            Diagnostic::error("KF004", name.span, message, "no text or number")
                .label(attribute.span, "declared here"),
        ));
    }
    Ok(Part::Field {
        name: name.text.clone(),
        kind: attribute.kind.clone(),
        format,
        excluded: Vec::new(),
    })
}

/// The format of a whole key `{score}`: the attribute itself, if its type is that of the key
/// attribute and not text, or if it is the key attribute. `None` when the types do not match.
fn bare_format(name: &str, kind: &Type, column: &Column) -> Option<Format> {
    match column.kind {
        KeyKind::N => kind.is_number().then_some(Format::Bare),
        KeyKind::B => (*kind == Type::Binary).then_some(Format::Bare),
        KeyKind::S if kind.is_text() && name == column.name => Some(Format::Bare),
        KeyKind::S => (kind.is_text() || *kind == Type::Bool).then_some(Format::Plain),
    }
}

/// The error about a template that makes another type than the key attribute has. `made` is the type
/// of key attributes that it makes, and `alone` the type of the one attribute in quotes.
fn wrong_kind(
    declared: &TemplateDecl,
    column: &Column,
    made: Option<KeyKind>,
    alone: Option<KeyKind>,
) -> Diagnostic {
    let is_itself = matches!(declared.parts.as_slice(), [PartDecl::Field { name, .. }] if name.text == column.name);
    let repair = match (declared.parts.as_slice(), declared.bare, column.kind) {
        ([PartDecl::Field { name, formats }], false, KeyKind::N | KeyKind::B)
            if formats.is_empty() && alone == Some(column.kind) =>
        {
            vec![Edit::replace(declared.span, in_braces(&name.text))]
        }
        ([PartDecl::Field { name, .. }], true, KeyKind::S)
            if made != Some(KeyKind::B) && fits_in_text(&name.text) && !is_itself =>
        {
            vec![Edit::replace(
                declared.span,
                format!("\"{{{}}}\"", name.text),
            )]
        }
        _ => Vec::new(),
    };
    let message = format!(
        "the key attribute {} is declared as {}, and this makes another type",
        column.name,
        column.word()
    );
    let mut diagnostic = Diagnostic::error("KF004", declared.span, message, "wrong type");
    if let [edit] = repair.as_slice() {
        diagnostic = diagnostic
            .help(match declared.bare {
                true => format!("write {}", edit.text),
                false => format!("leave out the quotes: {}", edit.text),
            })
            .repair(repair);
    }
    // A key attribute has the type of the attribute that it is.
    let is_of_its_type = is_itself && alone == Some(column.kind);
    if let Some(kind) = made.filter(|kind| *kind != column.kind && !is_of_its_type) {
        let declaration = column.declared_as(kind);
        diagnostic = diagnostic
            .help(format!("declare the key attribute as `{declaration}`"))
            .offer(vec![Edit::replace(column.span, declaration)]);
    }
    diagnostic.otherwise(match column.kind {
        KeyKind::N => {
            "a number key is one int or number attribute in braces, without quotes: {score}"
        }
        KeyKind::S => "write it in quotes, so that it becomes text: \"{score:010}\"",
        KeyKind::B => "a binary key is one binary attribute in braces, without quotes: {digest}",
    })
}

/// Resolves the formats behind a field, from left to right.
pub(crate) fn field_format(formats: &[Name], kind: &Type) -> Result<Format, Box<Diagnostic>> {
    let mut format = Format::Plain;
    for name in formats {
        let word = name.text.as_str();
        let period = Unit::of_word(word).filter(|unit| kind.has_period(*unit));
        format = match (word, kind, format) {
            ("reverse", Type::Time(_) | Type::Date, Format::Plain) => Format::Reversed,
            (
                "reverse",
                _,
                Format::Padded {
                    whole,
                    decimals,
                    reversed: false,
                    signed,
                },
            ) => Format::Padded {
                whole,
                decimals,
                reversed: true,
                signed,
            },
            (
                "signed",
                _,
                Format::Padded {
                    whole,
                    decimals,
                    reversed,
                    signed: false,
                },
            ) => Format::Padded {
                whole,
                decimals,
                reversed,
                signed: true,
            },
            ("lower", Type::String, Format::Plain) => Format::Lower,
            ("hash", Type::String, Format::Plain) => Format::Hash,
            ("escape", Type::String, Format::Plain) => Format::Escaped,
            (text, Type::Int | Type::Number, Format::Plain) if text.starts_with('0') => {
                padding(name, kind)?
            }
            ("reverse", Type::Int | Type::Number, Format::Plain) => {
                return Err(wrong_format(
                    name,
                    "a reversed number needs its digits: {score:08:reverse}".to_owned(),
                ));
            }
            ("reverse", _, Format::Truncated(unit)) => {
                return Err(reversed_period(name, unit));
            }
            (text, kind, before) => match period {
                Some(unit) if before == Format::Plain => Format::period(unit, kind),
                Some(unit) if before == Format::Reversed => {
                    return Err(reversed_period(name, unit));
                }
                Some(_) | None => {
                    return Err(wrong_format(
                        name,
                        format!("there is no format `{text}` for the type {kind} here"),
                    ));
                }
            },
        };
    }
    Ok(format)
}

/// The error about `{t:month:reverse}`.
fn reversed_period(name: &Name, unit: Unit) -> Box<Diagnostic> {
    let message = format!("{} is not turned round", one(unit.word()));
    Box::new(
        Diagnostic::error("KF004", name.span, message, "this format does not fit").help(format!(
            "write `reverse` alone, as in {{t:reverse}}: the latest comes first, and a pattern by `{unit} of t` reads a beginning of it; or `{unit}` alone, and a pattern with `newest`"
        )),
    )
}

/// The format `08` or `06.2`: digits before and behind the point.
fn padding(name: &Name, kind: &Type) -> Result<Format, Box<Diagnostic>> {
    let (whole, decimals) = name.text.split_once('.').unwrap_or((&name.text, "0"));
    let number = |text: &str| text.parse::<usize>().ok();
    let fits = |(whole, decimals): &(usize, usize)| {
        *whole >= 1 && whole + decimals <= NUMBER_DIGITS_MAX as usize
    };
    let digits = number(whole).zip(number(decimals)).filter(fits);
    let Some((whole, decimals)) = digits else {
        let message = format!("`{}` is no width from 1 to {NUMBER_DIGITS_MAX}", name.text);
        return Err(wrong_format(name, message));
    };
    if decimals > 0 && *kind == Type::Int {
        let message = "an int has no digits behind the point".to_owned();
        return Err(wrong_format(name, message));
    }
    Ok(Format::Padded {
        whole,
        decimals,
        reversed: false,
        signed: false,
    })
}

fn wrong_format(name: &Name, message: String) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("KF004", name.span, message, "this format does not fit")
            .help("{n:08} pads a number to 8 digits, {price:06.2} keeps two behind the point, {n:08:signed} takes negative numbers, {n:08:reverse} and {t:reverse} turn the order round, {t:day} keeps the day of a time; texts have {a:lower}, {a:hash} and {a:escape}"),
    )
}
