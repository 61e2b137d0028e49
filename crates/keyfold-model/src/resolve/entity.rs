//! Entities: attributes, keys, index keys, copies, unique attributes.

use super::{Types, unknown};
use crate::diagnostic::Diagnostic;
use crate::schema::{
    Attribute, Column, Copy, Entity, IndexKey, IndexKind, KeyPair, Model, Sparse, Table, Type,
};
use crate::syntax::ast::{CopyDecl, EntityDecl, IndexKeyDecl, KeyDecl, Name, PartDecl, TemplateDecl};
use crate::template::{Format, KeyTemplate, Part};
use keyfold_types::KeyKind;

pub(super) fn resolve(
    declared: &EntityDecl,
    model: &Model,
    types: &Types<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Entity> {
    let table_at = match &declared.table {
        None => 0,
        Some(name) => match model.tables.iter().position(|table| table.name == name.text) {
            Some(at) => at,
            None => {
                let names = model.tables.iter().map(|table| table.name.as_str());
                diagnostics.push(unknown("table", name, names));
                return None;
            }
        },
    };
    let table = model.tables.get(table_at)?;
    super::distinct("attribute", declared.attributes.iter().map(|attribute| &attribute.name), diagnostics);
    let mut attributes = Vec::new();
    for attribute in &declared.attributes {
        // A wrong type is reported once; the attribute is there all the same.
        let kind = types.of(attribute).unwrap_or_else(|diagnostic| {
            diagnostics.push(diagnostic);
            Type::String
        });
        let (name, optional) = (attribute.name.text.clone(), attribute.optional);
        attributes.push(Attribute { name, span: attribute.name.span, kind, optional });
    }
    let Some(key_declared) = &declared.key else {
        if declared.is_broken {
            return None;
        }
        let message = format!("the entity {} has no key", declared.name.text);
        diagnostics.push(
            Diagnostic::error("KF002", declared.name.span, message, "it cannot be stored").help(format!(
                "add a line like `key \"{}#{{id}}\" \"META\"`",
                declared.name.text.to_uppercase()
            )),
        );
        return None;
    };
    let mut entity = Entity {
        name: declared.name.text.clone(),
        span: declared.name.span,
        table: table_at,
        attributes,
        key: empty_key(key_declared),
        indexes: Vec::new(),
        copies: Vec::new(),
        uniques: Vec::new(),
    };
    check_reserved_names(&entity, table, diagnostics);
    entity.key = key(key_declared, (&table.partition, table.sort.as_ref()), &entity, diagnostics)?;
    check_required(&entity, &entity.key, "the key", diagnostics);
    super::distinct("index key", declared.indexes.iter().map(|index| &index.index), diagnostics);
    for index in &declared.indexes {
        entity.indexes.extend(index_key(index, table, &entity, diagnostics));
    }
    super::distinct("copy", declared.copies.iter().map(|copy| &copy.name), diagnostics);
    for declared in &declared.copies {
        entity.copies.extend(copy(declared, table, &entity, diagnostics));
    }
    super::distinct("unique attribute", declared.uniques.iter(), diagnostics);
    let columns = std::iter::once(&table.partition).chain(&table.sort);
    if let (Some(first), Some(column)) =
        (declared.uniques.first(), columns.into_iter().find(|c| c.kind != KeyKind::S))
    {
        let message = format!("`unique` needs text keys, and {} is none", column.name);
        diagnostics.push(
            Diagnostic::error("KF004", first.span, message, "its guard could not be stored")
                .note("a unique value is guarded by an item of its own, whose key is a text")
                .help(format!("declare {} as string", column.name)),
        );
    }
    for unique in &declared.uniques {
        match entity.attribute(&unique.text) {
            Some(_) => entity.uniques.push(unique.text.clone()),
            None => diagnostics.push(unknown_attribute(&entity, unique)),
        }
    }
    Some(entity)
}

fn empty_key(declared: &KeyDecl) -> KeyPair {
    KeyPair { partition: KeyTemplate::of_text("", declared.span), sort: None, span: declared.span }
}

/// An attribute of the entity with the name of a key attribute would be overwritten by the key.
fn check_reserved_names(entity: &Entity, table: &Table, diagnostics: &mut Vec<Diagnostic>) {
    let mut columns: Vec<&Column> = vec![&table.partition];
    columns.extend(&table.sort);
    for index in &table.indexes {
        columns.extend(std::iter::once(&index.partition).chain(&index.sort));
    }
    for attribute in &entity.attributes {
        let is_column = columns.iter().any(|column| column.name == attribute.name);
        if is_column || table.type_attribute.as_deref() == Some(attribute.name.as_str()) {
            let message = format!("`{}` is an attribute that the table's keys use", attribute.name);
            diagnostics.push(
                Diagnostic::error("KF003", attribute.span, message, "the key would overwrite it")
                    .help("keys are made from templates; give the attribute a name of its own"),
            );
        }
    }
}

fn unknown_attribute(entity: &Entity, name: &Name) -> Diagnostic {
    let names = entity.attributes.iter().map(|attribute| attribute.name.as_str());
    unknown(&format!("attribute of {}", entity.name), name, names)
}

/// A key must be made of attributes that every item has.
fn check_required(entity: &Entity, key: &KeyPair, what: &str, diagnostics: &mut Vec<Diagnostic>) {
    for field in key.fields() {
        if let Some(attribute) = entity.attribute(field)
            && attribute.optional
        {
            let message = format!("{what} of {} is made of `{field}`, which may be missing", entity.name);
            diagnostics.push(
                Diagnostic::error("KF004", key.span, message, "an item without it would have no key")
                    .label(attribute.span, "declared optional here")
                    .help(format!("make it required: remove the `?` behind the type of `{field}`")),
            );
        }
    }
}

fn key(
    declared: &KeyDecl,
    (partition, sort): (&Column, Option<&Column>),
    entity: &Entity,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<KeyPair> {
    let made = template(&declared.partition, partition, entity, diagnostics);
    let sort = match (&declared.sort, sort) {
        (Some(template_), Some(column)) => Some(template(template_, column, entity, diagnostics)?),
        (None, None) => None,
        (Some(extra), None) => {
            diagnostics.push(
                Diagnostic::error("KF004", extra.span, "there is no sort key to make", "a second template")
                    .help("remove it, or declare a second key attribute"),
            );
            return None;
        }
        (None, Some(column)) => {
            let message = format!("the template of the sort key {} is missing", column.name);
            diagnostics.push(
                Diagnostic::error("KF004", declared.span, message, "only a partition key")
                    .help("add a second template, for instance \"META\""),
            );
            return None;
        }
    };
    Some(KeyPair { partition: made?, sort, span: declared.span })
}

fn template(
    declared: &TemplateDecl,
    column: &Column,
    entity: &Entity,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<KeyTemplate> {
    let mut parts: Vec<Part> = Vec::new();
    for part in &declared.parts {
        match part {
            PartDecl::Text(text) => parts.push(Part::Text(text.clone())),
            PartDecl::Field { name, format } => {
                let Some(attribute) = entity.attribute(&name.text) else {
                    diagnostics.push(unknown_attribute(entity, name));
                    return None;
                };
                let format = match format {
                    None => Format::Plain,
                    Some(format) => match field_format(format, &attribute.kind) {
                        Ok(format) => format,
                        Err(diagnostic) => {
                            diagnostics.push(diagnostic);
                            return None;
                        }
                    },
                };
                parts.push(Part::Field { name: name.text.clone(), kind: attribute.kind.clone(), format });
            }
        }
    }
    if parts.is_empty() {
        diagnostics.push(Diagnostic::error(
            "KF004",
            declared.span,
            "a key must not be empty",
            "an empty template",
        ));
        return None;
    }
    let bare_kind = match parts.as_slice() {
        [Part::Field { kind, format: Format::Plain, .. }] if declared.bare => Some(match kind {
            Type::Int | Type::Number => KeyKind::N,
            _ => KeyKind::S,
        }),
        _ => None,
    };
    let fits = match column.kind {
        KeyKind::S => bare_kind != Some(KeyKind::N),
        KeyKind::N => bare_kind == Some(KeyKind::N),
        KeyKind::B => false,
    };
    if !fits {
        let kind = column.kind.descriptor();
        let message = format!("the key attribute {} has type {kind}, and this makes another", column.name);
        diagnostics.push(Diagnostic::error("KF004", declared.span, message, "wrong type").help(
            match column.kind {
                KeyKind::N => {
                    "a number key is one int or number attribute in braces, without quotes: {score}"
                }
                KeyKind::S => "write it in quotes, so that it becomes text: \"{score:010}\"",
                KeyKind::B => {
                    "binary keys cannot be made from templates; declare the key attribute as string"
                }
            },
        ));
        return None;
    }
    Some(KeyTemplate { parts, bare: bare_kind == Some(KeyKind::N), span: declared.span })
}

fn field_format(format: &Name, kind: &Type) -> Result<Format, Diagnostic> {
    let wrong = |message: String| {
        Err(Diagnostic::error("KF004", format.span, message, "this format does not fit")
            .help("{n:08} pads an int to 8 digits, {t:date} keeps the day of a time"))
    };
    match (format.text.as_str(), kind) {
        ("date", Type::Time) => Ok(Format::Day),
        (text, Type::Int) if text.starts_with('0') && text.len() > 1 => match text.parse::<usize>() {
            Ok(width) if (1..=38).contains(&width) => Ok(Format::Padded(width)),
            _ => wrong(format!("`{text}` is no width from 1 to 38")),
        },
        (text, kind) => wrong(format!("there is no format `{text}` for the type {kind}")),
    }
}

fn index_key(
    declared: &IndexKeyDecl,
    table: &Table,
    entity: &Entity,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<IndexKey> {
    let Some(at) = table.indexes.iter().position(|index| index.name == declared.index.text) else {
        let names = table.indexes.iter().map(|index| index.name.as_str());
        diagnostics.push(unknown(&format!("index of {}", table.name), &declared.index, names).note(
            "a line in an entity is an attribute (`name: type`), `key`, `copy`, `unique` or an index's key",
        ));
        return None;
    };
    let index = table.indexes.get(at)?;
    let key = match index.kind {
        IndexKind::Global => {
            key(&declared.key, (&index.partition, index.sort.as_ref()), entity, diagnostics)?
        }
        IndexKind::Local => {
            if let Some(extra) = &declared.key.sort {
                diagnostics.push(
                    Diagnostic::error(
                        "KF004",
                        extra.span,
                        "a local index has the table's partition key",
                        "a second template",
                    )
                    .help("write the template of its sort key only"),
                );
                return None;
            }
            let column = index.sort.as_ref()?;
            let sort = template(&declared.key.partition, column, entity, diagnostics)?;
            KeyPair { partition: entity.key.partition.clone(), sort: Some(sort), span: declared.key.span }
        }
    };
    let sparse = match &declared.sparse {
        None => None,
        Some(sparse) => {
            let Some(attribute) = entity.attribute(&sparse.attribute.text) else {
                diagnostics.push(unknown_attribute(entity, &sparse.attribute));
                return None;
            };
            let value = match &sparse.value {
                None => None,
                Some(value) => {
                    match crate::value::canonical(&attribute.name, &attribute.kind, value.unquoted()) {
                        Ok(text) => Some(text),
                        Err(error) => {
                            let message = error.to_string();
                            diagnostics.push(Diagnostic::error(
                                "KF004",
                                value.span,
                                message,
                                "no such value",
                            ));
                            return None;
                        }
                    }
                }
            };
            Some(Sparse { attribute: attribute.name.clone(), value })
        }
    };
    Some(IndexKey { index: at, key, sparse })
}

fn copy(
    declared: &CopyDecl,
    table: &Table,
    entity: &Entity,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Copy> {
    let key = key(&declared.key, (&table.partition, table.sort.as_ref()), entity, diagnostics)?;
    check_required(entity, &key, &format!("the copy {}", declared.name.text), diagnostics);
    let attributes = match &declared.only {
        None => entity.attributes.iter().map(|attribute| attribute.name.clone()).collect(),
        Some(names) => {
            for name in names.iter().filter(|name| entity.attribute(&name.text).is_none()) {
                diagnostics.push(unknown_attribute(entity, name));
            }
            names.iter().map(|name| name.text.clone()).collect()
        }
    };
    Some(Copy { name: declared.name.text.clone(), span: declared.name.span, key, attributes })
}
