//! `count`, `sum` and `max`: attributes kept up to date with the items of another entity.

use super::comparison::stored_text;
use super::link::Link;
use super::names::{Places, attribute_of, unknown};
use super::view_columns::{ORDERED, wrong_type};
use crate::check::meant;
use crate::diagnostic::{Diagnostic, report};
use crate::schema::{
    Aggregate, AggregateKind, Attribute, DefaultValue, Entity, IndexKey, Model, Type,
};
use crate::syntax::ast::{AggregateDecl, EntityDecl, Name, texts};
use crate::template::{Format, KeyTemplate, Part, fields_of};
use crate::written::one;
use keyfold_types::Value;

/// The attribute that holds an aggregate. `of` is the type of the attribute that is summed up or
/// compared, where it is known.
pub(super) fn kept_attribute(declared: &AggregateDecl, of: Option<Type>) -> Attribute {
    let (kind, optional) = match declared.kind {
        AggregateKind::Count => (Type::Int, false),
        AggregateKind::Sum => (of.filter(Type::is_number).unwrap_or(Type::Number), false),
        AggregateKind::Max => (of.unwrap_or(Type::Number), true),
    };
    Attribute {
        name: declared.attribute.text.clone(),
        span: declared.attribute.span,
        kind,
        optional,
        mark: None,
        default: (!optional).then(|| DefaultValue::Value(Value::from(0))),
        refers: None,
        is_kept: true,
        was: Vec::new(),
        former: None,
    }
}

/// Resolves the aggregates of an entity, once all entities are resolved.
pub(super) fn resolve(
    declared: &EntityDecl,
    model: &mut Model,
    names: &Places<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if declared.aggregates.is_empty() {
        return;
    }
    let Some(at) = names.place(&declared.name) else {
        return;
    };
    let Some(parent) = model.entities.get(at) else {
        return;
    };
    let all = declared
        .aggregates
        .iter()
        .filter(|one| names.place(&one.entity).is_some() || !names.is_declared(&one.entity))
        .filter_map(|one| report(aggregate(one, parent, (model, names)), diagnostics))
        .collect();
    for one in &declared.aggregates {
        diagnostics.extend(meant_name(one, (model, names)));
    }
    if let Some(entity) = model.entities.get_mut(at) {
        entity.aggregates = all;
    }
}

/// The warning about a fixed text of `where` that is nearly a name.
fn meant_name(
    declared: &AggregateDecl,
    (model, names): (&Model, &Places<'_>),
) -> Option<Diagnostic> {
    let (name, value) = declared.condition.as_ref()?;
    let child = model.entities.get(names.place(&declared.entity)?)?;
    let names = child.attributes.iter().map(|one| one.name.as_str());
    meant::report(value, &child.attribute(&name.text)?.kind, names)
}

/// Resolves an aggregate that the entity `parent` keeps.
fn aggregate(
    declared: &AggregateDecl,
    parent: &Entity,
    (model, places): (&Model, &Places<'_>),
) -> Result<Aggregate, Box<Diagnostic>> {
    let found = places.place(&declared.entity);
    let Some((at, child)) = found.and_then(|at| Some((at, model.entities.get(at)?))) else {
        let names = model.entities.iter().map(|entity| entity.name.as_str());
        return Err(Box::new(unknown("entity", &declared.entity, names)));
    };
    check_no_view(declared, child)?;
    if let Some(of) = &declared.of {
        check_operand(declared.kind, of, child)?;
    }
    let condition = match &declared.condition {
        None => None,
        Some((name, value)) => {
            let found = attribute_of(child, name)?;
            Some((found.name.clone(), stored_text(found, value)?))
        }
    };
    for name in &declared.by {
        attribute_of(child, name)?;
    }
    check_stays(declared, parent)?;
    check_not_kept(declared, child)?;
    check_no_index_key(declared, parent, model)?;
    check_no_expiry(declared, child)?;
    Ok(Aggregate {
        kind: declared.kind,
        attribute: declared.attribute.text.clone(),
        span: declared.kind_span.to(declared.entity.span),
        entity: at,
        of: declared.of.as_ref().map(|of| of.text.clone()),
        condition,
        link: link(declared, parent, child, model)?,
        by: texts(&declared.by),
        next: None,
        next_copy: None,
    })
}

/// Rows of a view change outside the writes with which an aggregate is kept.
fn check_no_view(declared: &AggregateDecl, child: &Entity) -> Result<(), Box<Diagnostic>> {
    if child.view.is_none() {
        return Ok(());
    }
    let message = format!(
        "{} is a view, and `{}` would not follow it",
        child.name, declared.attribute.text
    );
    let label = "kept from a stream, not by writes";
    Err(Box::new(
        Diagnostic::error("KF016", declared.entity.span, message, label)
            .label(child.span, "declared here")
            .help("make it of the items themselves, or make it a column of a view"),
    ))
}

/// The items of an aggregate find its entity by their references, in a key that stays.
fn check_stays(declared: &AggregateDecl, parent: &Entity) -> Result<(), Box<Diagnostic>> {
    if !parent.moves() {
        return Ok(());
    }
    let (parent, kept) = (&parent.name, &declared.attribute.text);
    let message = format!(
        "{} moves, and `{kept}` would be looked for where it was",
        one(parent)
    );
    let label = "is added to without reading the item";
    let help = format!("keep it in an entity of its own, whose key is the id of the {parent}");
    Err(Box::new(
        Diagnostic::error("KF016", declared.kind_span, message, label).help(help),
    ))
}

/// A sum needs a number, a maximum a value with an order: a number or a time.
fn check_operand(kind: AggregateKind, of: &Name, child: &Entity) -> Result<(), Box<Diagnostic>> {
    let found = attribute_of(child, of)?;
    let (fits, needed) = match kind {
        AggregateKind::Sum => (found.kind.is_number(), "a number"),
        AggregateKind::Count | AggregateKind::Max => {
            (found.kind.is_number() || found.kind.is_time(), ORDERED)
        }
    };
    if fits {
        return Ok(());
    }
    Err(Box::new(wrong_type(kind.word(), of, found, needed)))
}

/// DynamoDB deletes expired items without a write of the model, so that an aggregate of them would
/// become wrong.
fn check_no_expiry(declared: &AggregateDecl, child: &Entity) -> Result<(), Box<Diagnostic>> {
    let Some(ttl) = &child.ttl else {
        return Ok(());
    };
    let message = format!(
        "{} items expire by themselves, and {} would not follow",
        child.name, declared.attribute.text
    );
    let label = "kept up to date by writes only";
    Err(Box::new(
        Diagnostic::error("KF016", declared.entity.span, message, label)
            .label(child.span, format!("expires at `{ttl}`"))
            .help("delete them by a write of the model instead of `ttl`, or do not count them"),
    ))
}

/// For each attribute of the parent's key, the child's attribute that refers to it or has its name.
fn link(
    declared: &AggregateDecl,
    parent: &Entity,
    child: &Entity,
    model: &Model,
) -> Result<Vec<(String, String)>, Box<Diagnostic>> {
    let of = declared.of.as_ref();
    let of = of.map_or(String::new(), |of| format!(".{}", of.text));
    let link_of = Link {
        at: declared.entity.span,
        by: &declared.by,
        start: format!(
            "{} {} of {}{of}",
            declared.kind.word(),
            declared.attribute.text,
            child.name
        ),
        need: format!(
            "a write of {} must know the key of the {} that it changes",
            child.name, parent.name
        ),
        ends: (parent, child),
        model,
    };
    link_of.check_named()?;
    let mut link = Vec::new();
    for field in parent.key.fields() {
        let found = link_of.attribute(field)?;
        // An optional attribute of a key is reported where the key is. An item without the reference is
        // in no aggregate.
        link.push((field.to_owned(), found.name.clone()));
    }
    Ok(link)
}

/// Refuses an aggregate of an attribute that the model keeps: the writes that change such an attribute
/// do not update aggregates of it.
fn check_not_kept(declared: &AggregateDecl, child: &Entity) -> Result<(), Box<Diagnostic>> {
    let condition = declared.condition.as_ref().map(|(name, _)| name);
    for name in declared.of.iter().chain(condition).chain(&declared.by) {
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

/// Refuses an aggregate that an index key is made of, unless it is the key itself: writes add to an
/// aggregate without knowing its value, and cannot make the key.
fn check_no_index_key(
    declared: &AggregateDecl,
    parent: &Entity,
    model: &Model,
) -> Result<(), Box<Diagnostic>> {
    let name = declared.attribute.text.as_str();
    let table = model.tables.get(parent.table);
    for index in &parent.indexes {
        let is_made_of = |template: &KeyTemplate| {
            template.columns().any(|parts| {
                let is_itself = matches!(
                    parts,
                    [Part::Field {
                        format: Format::Bare,
                        ..
                    }]
                );
                !is_itself && fields_of(parts).contains(&name)
            })
        };
        if index.followed(parent, table).contains(&name) && !index.key.templates().any(is_made_of) {
            return Err(Box::new(late_key(declared, index)));
        }
        if index.followed(parent, table).contains(&name) {
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

/// The error about a maximum that is a key attribute beside others that are made only where it is
/// there: an item without counted items lacks it, and the write that brings it makes no key.
fn late_key(declared: &AggregateDecl, index: &IndexKey) -> Diagnostic {
    let name = &declared.attribute;
    let message = format!("`{}` comes into its index by other writes", name.text);
    Diagnostic::error("KF016", name.span, message, "missing until something is counted")
        .label(index.key.span, "made only where it is there")
        .note("an aggregate is changed by writes of the items that it is made of, which do not make the other key attributes")
        .help("let the other key attributes of the index be attributes of the entity itself, under their names")
}
