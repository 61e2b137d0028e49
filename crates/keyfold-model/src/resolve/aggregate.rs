//! `count`, `sum` and `max`: attributes kept up to date with the items of another entity.

use super::unknown;
use crate::diagnostic::Diagnostic;
use crate::schema::{Aggregate, AggregateKind, Attribute, DefaultValue, Entity, Model, Type};
use crate::syntax::ast::{AggregateDecl, EntityDecl};
use crate::template::{KeyTemplate, fields_of};
use keyfold_types::Value;

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
    let Some(at) = model.entities.iter().position(|entity| entity.name == declared.name.text) else { return };
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

fn aggregate(declared: &AggregateDecl, parent: &Entity, model: &Model) -> Result<Aggregate, Box<Diagnostic>> {
    let Some(at) = model.entities.iter().position(|entity| entity.name == declared.entity.text) else {
        let names = model.entities.iter().map(|entity| entity.name.as_str());
        return Err(Box::new(unknown("entity", &declared.entity, names)));
    };
    let kind = match declared.kind.text.as_str() {
        "count" => AggregateKind::Count,
        "sum" => AggregateKind::Sum,
        _ => AggregateKind::Max,
    };
    let child = model.entities.get(at).ok_or_else(|| {
        Box::new(Diagnostic::error("KF002", declared.entity.span, "no such entity", "not declared"))
    })?;
    let names = || child.attributes.iter().map(|attribute| attribute.name.as_str());
    if let Some(of) = &declared.of {
        let found = child.attribute(&of.text);
        let found =
            found.ok_or_else(|| Box::new(unknown(&format!("attribute of {}", child.name), of, names())))?;
        let fits = match kind {
            AggregateKind::Sum => found.kind.is_number(),
            AggregateKind::Count | AggregateKind::Max => found.kind.is_number() || found.kind.is_time(),
        };
        if !fits {
            let message = format!("a {} has no {}", found.kind, kind.word());
            return Err(Box::new(
                Diagnostic::error("KF004", of.span, message, "a number is needed (or a time, for max)")
                    .label(found.span, "declared here"),
            ));
        }
    }
    let condition = match &declared.condition {
        None => None,
        Some((attribute, value)) => {
            let found = child.attribute(&attribute.text);
            let found = found.ok_or_else(|| {
                Box::new(unknown(&format!("attribute of {}", child.name), attribute, names()))
            })?;
            let text =
                crate::value::canonical(&found.name, &found.kind, value.unquoted()).map_err(|error| {
                    Box::new(Diagnostic::error("KF004", value.span, error.to_string(), "no such value"))
                })?;
            Some((found.name.clone(), text))
        }
    };
    check_plain(declared, parent, model)?;
    if let Some(ttl) = &child.ttl {
        let message = format!(
            "{} items expire by themselves, and {} would not follow",
            child.name, declared.attribute.text
        );
        return Err(Box::new(
            Diagnostic::error("KF016", declared.entity.span, message, "kept up to date by writes only")
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
        link: link(declared, parent, child)?,
        next: None,
    })
}

/// For each attribute of the parent's key, the child's attribute that refers to it or has its name.
fn link(
    declared: &AggregateDecl,
    parent: &Entity,
    child: &Entity,
) -> Result<Vec<(String, String)>, Box<Diagnostic>> {
    let mut link = Vec::new();
    for field in parent.key.fields() {
        let refers = |attribute: &&Attribute| {
            attribute.refers.as_ref().is_some_and(|(e, a)| *e == parent.name && a == field)
        };
        let found = child.attributes.iter().find(refers).or_else(|| {
            child
                .attribute(field)
                .filter(|found| parent.attribute(field).is_some_and(|p| p.kind == found.kind))
        });
        match found {
            Some(found) if found.optional => {
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
                    .help(format!("make it required: remove the `?` behind the type of `{}`", found.name)),
                ));
            }
            Some(found) => link.push((field.to_owned(), found.name.clone())),
            None => {
                let message = format!("{} does not say which {} it belongs to", child.name, parent.name);
                return Err(Box::new(
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
                    .help(format!("add to {}: `{field}: {}.{field}`", child.name, parent.name)),
                ));
            }
        }
    }
    Ok(link)
}

/// What an index key follows from cannot be kept by adding to it, unless the attribute is the key itself.
fn check_plain(declared: &AggregateDecl, parent: &Entity, model: &Model) -> Result<(), Box<Diagnostic>> {
    let name = declared.attribute.text.as_str();
    let table = model.tables.get(parent.table);
    for index in &parent.indexes {
        let columns = table.and_then(|table| table.indexes.get(index.index)).into_iter();
        let columns = columns.flat_map(crate::schema::Index::columns);
        let templates = std::iter::once(&index.key.partition).chain(&index.key.sort);
        let follows = columns
            .zip(templates.flat_map(KeyTemplate::columns))
            .any(|(column, parts)| fields_of(parts).contains(&name) && column.name != name);
        if follows || index.sparse.as_ref().is_some_and(|sparse| sparse.attribute == name) {
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
