//! `count`, `sum` and `max`: attributes kept up to date with the items of another entity.

use super::unknown;
use crate::diagnostic::Diagnostic;
use crate::schema::{Aggregate, AggregateKind, Attribute, DefaultValue, Entity, Model, Type};
use crate::syntax::ast::{AggregateDecl, EntityDecl};
use crate::template::{KeyTemplate, fields_of};
use keyfold_types::Value;

/// References behind each other that are followed.
const REFERENCES_MAX: usize = 30;

/// The attribute that an aggregate is kept in, before the other entity is known.
pub(super) fn attribute(declared: &AggregateDecl, of: Option<Type>) -> Attribute {
    let (kind, optional) = match declared.kind.text.as_str() {
        "count" => (Type::Int, false),
        "sum" => (of.filter(Type::is_number).unwrap_or(Type::Number), false),
        _ => (of.unwrap_or(Type::Number), true),
    };
    Attribute {
        name: declared.attribute.text.clone(),
        span: declared.attribute.span,
        kind,
        optional,
        default: (!optional).then(|| DefaultValue::Value(Value::from(0))),
        refers: None,
        is_kept: true,
    }
}

pub(super) fn resolve(declared: &EntityDecl, model: &mut Model, diagnostics: &mut Vec<Diagnostic>) {
    if declared.aggregates.is_empty() {
        return;
    }
    let Some(at) = model
        .entities
        .iter()
        .position(|entity| entity.name == declared.name.text)
    else {
        return;
    };
    let mut all = Vec::new();
    for one in &declared.aggregates {
        if let Some(parent) = model.entities.get(at) {
            match aggregate(one, parent, model) {
                Ok(aggregate) => all.push(aggregate),
                Err(diagnostic) => diagnostics.push(*diagnostic),
            }
        }
    }
    if let Some(entity) = model.entities.get_mut(at) {
        entity.aggregates = all;
    }
}

fn aggregate(
    declared: &AggregateDecl,
    parent: &Entity,
    model: &Model,
) -> Result<Aggregate, Box<Diagnostic>> {
    let Some(at) = model
        .entities
        .iter()
        .position(|entity| entity.name == declared.entity.text)
    else {
        let names = model.entities.iter().map(|entity| entity.name.as_str());
        return Err(Box::new(unknown("entity", &declared.entity, names)));
    };
    let kind = match declared.kind.text.as_str() {
        "count" => AggregateKind::Count,
        "sum" => AggregateKind::Sum,
        _ => AggregateKind::Max,
    };
    let child = model.entities.get(at).ok_or_else(|| {
        Box::new(Diagnostic::error(
            "KF002",
            declared.entity.span,
            "no such entity",
            "not declared",
        ))
    })?;
    let names = || {
        child
            .attributes
            .iter()
            .map(|attribute| attribute.name.as_str())
    };
    if let Some(of) = &declared.of {
        let found = child.attribute(&of.text);
        let found = found.ok_or_else(|| {
            Box::new(unknown(
                &format!("attribute of {}", child.name),
                of,
                names(),
            ))
        })?;
        let fits = match kind {
            AggregateKind::Sum => found.kind.is_number(),
            AggregateKind::Count | AggregateKind::Max => {
                found.kind.is_number() || found.kind.is_time()
            }
        };
        if !fits {
            let message = format!("a {} has no {}", found.kind, kind.word());
            return Err(Box::new(
                Diagnostic::error(
                    "KF004",
                    of.span,
                    message,
                    "a number is needed (or a time, for max)",
                )
                .label(found.span, "declared here"),
            ));
        }
    }
    let condition = match &declared.condition {
        None => None,
        Some((attribute, value)) => {
            let found = child.attribute(&attribute.text);
            let found = found.ok_or_else(|| {
                Box::new(unknown(
                    &format!("attribute of {}", child.name),
                    attribute,
                    names(),
                ))
            })?;
            let text = crate::value::canonical(&found.name, &found.kind, value.unquoted())
                .map_err(|error| {
                    Box::new(Diagnostic::error(
                        "KF004",
                        value.span,
                        error.to_string(),
                        "no such value",
                    ))
                })?;
            Some((found.name.clone(), text))
        }
    };
    if let Some(name) = declared
        .by
        .iter()
        .find(|name| child.attribute(&name.text).is_none())
    {
        return Err(Box::new(unknown(
            &format!("attribute of {}", child.name),
            name,
            names(),
        )));
    }
    check_not_kept(declared, child)?;
    check_plain(declared, parent, model)?;
    if let Some(ttl) = &child.ttl {
        let message = format!(
            "{} items expire by themselves, and {} would not follow",
            child.name, declared.attribute.text
        );
        return Err(Box::new(
            Diagnostic::error(
                "KF016",
                declared.entity.span,
                message,
                "kept up to date by writes only",
            )
            .label(child.span, format!("expires at `{ttl}`"))
            .help("delete them by a write of the model instead of `ttl`, or do not count them"),
        ));
    }
    Ok(Aggregate {
        kind,
        attribute: declared.attribute.text.clone(),
        span: declared.kind.span.to(declared.entity.span),
        entity: at,
        of: declared.of.as_ref().map(|of| of.text.clone()),
        condition,
        link: link(declared, parent, child, model)?,
        by: declared.by.iter().map(|name| name.text.clone()).collect(),
        next: None,
    })
}

/// For each attribute of the parent's key, the child's attribute that refers to it or has its name.
fn link(
    declared: &AggregateDecl,
    parent: &Entity,
    child: &Entity,
    model: &Model,
) -> Result<Vec<(String, String)>, Box<Diagnostic>> {
    for name in &declared.by {
        let is_link = |field: &str| {
            let found = child.attribute(&name.text);
            found.is_some_and(|found| found.name == field || refers(model, found, parent, field))
        };
        if !parent.key.fields().any(is_link) {
            let message = format!(
                "`{}` of {} refers to no key attribute of {}",
                name.text, child.name, parent.name
            );
            return Err(Box::new(
                Diagnostic::error(
                    "KF016",
                    name.span,
                    message,
                    "not what the items are found by",
                )
                .label(parent.key.span, "the key")
                .help(format!(
                    "name an attribute whose type is one of these: `{}.…`",
                    parent.name
                )),
            ));
        }
    }
    let mut link = Vec::new();
    for field in parent.key.fields() {
        let found = linked(declared, parent, child, field, model)?;
        if found.optional {
            let message = format!(
                "`{}` of {} may be missing, so it is not known whose {} changes",
                found.name, child.name, declared.attribute.text
            );
            return Err(Box::new(
                Diagnostic::error(
                    "KF016",
                    declared.entity.span,
                    message,
                    "not every item says where it belongs",
                )
                .label(found.span, "declared optional here")
                .help(format!(
                    "make it required: remove the `?` behind the type of `{}`",
                    found.name
                )),
            ));
        }
        link.push((field.to_owned(), found.name.clone()));
    }
    Ok(link)
}

/// The child's attribute that stands for an attribute of the parent's key.
fn linked<'c>(
    declared: &AggregateDecl,
    parent: &Entity,
    child: &'c Entity,
    field: &str,
    model: &Model,
) -> Result<&'c Attribute, Box<Diagnostic>> {
    let is_named = |name: &str| declared.by.iter().any(|by| by.text == name);
    if let Some(same) = child.attribute(field).filter(|_| is_named(field)) {
        return Ok(same);
    }
    let references: Vec<&Attribute> = child
        .attributes
        .iter()
        .filter(|attribute| refers(model, attribute, parent, field))
        .collect();
    let named: Vec<&Attribute> = references
        .iter()
        .filter(|attribute| is_named(&attribute.name))
        .copied()
        .collect();
    match (named.as_slice(), references.as_slice()) {
        ([one], _) => return Ok(one),
        ([], [one]) => return Ok(one),
        ([], []) => {}
        ([first, second, ..], _) | ([], [first, second, ..]) => {
            let several = [first.name.as_str(), second.name.as_str()];
            return Err(Box::new(two_references(
                declared, parent, child, field, several,
            )));
        }
    }
    let same = child.attribute(field).filter(|found| {
        !found.is_kept
            && parent
                .attribute(field)
                .is_some_and(|own| own.kind == found.kind)
    });
    same.ok_or_else(|| {
        let message = format!(
            "{} does not say which {} it belongs to",
            child.name, parent.name
        );
        Box::new(
            Diagnostic::error(
                "KF016",
                declared.entity.span,
                message,
                format!("nothing in it refers to {}.{field}", parent.name),
            )
            .label(child.span, "declared here")
            .note(format!(
                "a write of {} must know the key of the {} that it changes",
                child.name, parent.name
            ))
            .help(format!(
                "add to {}: `{field}: {}.{field}`",
                child.name, parent.name
            )),
        )
    })
}

fn two_references(
    declared: &AggregateDecl,
    parent: &Entity,
    child: &Entity,
    field: &str,
    [first, second]: [&str; 2],
) -> Diagnostic {
    let span = |name: &str| {
        child
            .attribute(name)
            .map_or(child.span, |attribute| attribute.span)
    };
    let of = declared
        .of
        .as_ref()
        .map_or(String::new(), |of| format!(".{}", of.text));
    let start = format!(
        "{} {} of {}{of}",
        declared.kind.text, declared.attribute.text, child.name
    );
    let message = format!(
        "{} refers to {}.{field} in two ways: `{first}` and `{second}`",
        child.name, parent.name
    );
    Diagnostic::error("KF016", declared.entity.span, message, "by which of them?")
        .label(span(first), "this")
        .label(span(second), "or this")
        .help(format!(
            "say which: `{start} by {first}`, or `{start} by {second}`"
        ))
}

/// Whether an attribute refers to an attribute of an entity, perhaps by way of others.
fn refers(model: &Model, attribute: &Attribute, entity: &Entity, field: &str) -> bool {
    let target = |attribute: &Attribute| {
        let (entity, name) = attribute.refers.as_ref()?;
        let entity = model.entity(entity)?;
        Some((entity, entity.attribute(name)?))
    };
    // A reference that goes round refers to nothing: its type could not be told either.
    let mut at = target(attribute);
    for _ in 0..REFERENCES_MAX {
        let Some((found, next)) = at else {
            return false;
        };
        if found.name == entity.name && next.name == field {
            return true;
        }
        at = target(next);
    }
    false
}

/// A kept attribute changes by writes of other items, which do not look at what follows from it.
fn check_not_kept(declared: &AggregateDecl, child: &Entity) -> Result<(), Box<Diagnostic>> {
    let condition = declared.condition.as_ref().map(|(name, _)| name);
    for name in declared.of.iter().chain(condition) {
        let Some(found) = child.attribute(&name.text) else {
            continue;
        };
        // A version changes with the item's own writes.
        if found.is_kept && child.version.as_ref() != Some(&found.name) {
            let message = format!(
                "`{}` of {} is kept up to date itself",
                found.name, child.name
            );
            return Err(Box::new(
                Diagnostic::error("KF016", name.span, message, "what follows from it would not follow")
                    .label(found.span, "kept from here")
                    .note("an aggregate changes with the items that it is made of, and not with other aggregates")
                    .help("make it of the items themselves: let them refer to this entity, too"),
            ));
        }
    }
    Ok(())
}

/// An attribute that an index key is made of cannot be kept by adding to it, unless it is the key
/// itself.
fn check_plain(
    declared: &AggregateDecl,
    parent: &Entity,
    model: &Model,
) -> Result<(), Box<Diagnostic>> {
    let name = declared.attribute.text.as_str();
    let table = model.tables.get(parent.table);
    for index in &parent.indexes {
        let columns = table
            .and_then(|table| table.indexes.get(index.index))
            .into_iter();
        let columns = columns.flat_map(crate::schema::Index::columns);
        let templates = std::iter::once(&index.key.partition).chain(&index.key.sort);
        let follows = columns
            .zip(templates.flat_map(KeyTemplate::columns))
            .any(|(column, parts)| fields_of(parts).contains(&name) && column.name != name);
        if follows
            || index
                .sparse
                .as_ref()
                .is_some_and(|sparse| sparse.attribute == name)
        {
            let message = format!("`{name}` is part of an index key");
            return Err(Box::new(
                Diagnostic::error("KF016", declared.attribute.span, message, "added to by other writes")
                    .label(index.key.span, "another attribute is made of it here")
                    .note("an aggregate is changed by adding to it, and an attribute made of it could not follow")
                    .help(format!("give the index a number key named `{name}`, so that the attribute is the key itself")),
            ));
        }
    }
    Ok(())
}
