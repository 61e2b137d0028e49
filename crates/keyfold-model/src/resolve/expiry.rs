//! Expiry of items: `ttl`.

use super::names::attribute_of;
use crate::diagnostic::{Diagnostic, report};
use crate::schema::{Entity, Table, Type};
use crate::syntax::ast::{EntityDecl, Name};
use crate::written::one;

/// Resolves `ttl`: the attribute whose time is that of the item's expiry.
pub(super) fn resolve(
    declared: &EntityDecl,
    table: &Table,
    entity: &mut Entity,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(name) = &declared.ttl else { return };
    if report(check(name, table, entity), diagnostics).is_some() {
        diagnostics.extend(expires_in_pieces(name, declared, entity));
        entity.ttl = Some(name.text.clone());
    }
}

/// The attribute must be a time, and the table must have an attribute for DynamoDB's expiry.
fn check(name: &Name, table: &Table, entity: &Entity) -> Result<(), Box<Diagnostic>> {
    let found = attribute_of(entity, name)?;
    if !matches!(found.kind, Type::Time(_) | Type::Date) {
        let message = format!("`{}` is no time", name.text);
        return Err(Box::new(
            Diagnostic::error("KF004", name.span, message, "an item expires at a time")
                .label(found.span, found.kind.with_article())
                .help(format!("declare `{}: time`", name.text)),
        ));
    }
    if table.ttl_attribute.is_none() {
        let message = format!("the table {} says no ttl attribute", table.name);
        return Err(Box::new(
            Diagnostic::error("KF002", name.span, message, "needed")
                .label(table.span, "declared here")
                .note("DynamoDB deletes items by one number attribute of the table, seconds since 1970; the model fills it")
                .help("write `ttl expires` behind the table's key, a name that no attribute has"),
        ));
    }
    Ok(())
}

/// The error about an entity that consists of several items. DynamoDB deletes expired items one by
/// one, each within days, so that readers would see a part of them.
fn expires_in_pieces(ttl: &Name, declared: &EntityDecl, entity: &Entity) -> Option<Diagnostic> {
    if let Some(kept) = declared.aggregates.first() {
        let message = format!(
            "{} would expire while others are counted in it",
            one(&entity.name)
        );
        return Some(
            Diagnostic::error("KF016", ttl.span, message, "one that came again would count from nothing")
                .label(kept.kind_span, format!("`{}` is kept here", kept.attribute.text))
                .help("delete it by a write of the model instead of `ttl`, which looks whether others are counted in it"),
        );
    }
    let (what, consequence, help) = if let Some(unique) = entity.uniques.first() {
        let names = unique.joined(", ");
        let word = entity.word_of(unique);
        (
            format!("the guards of `{word} {names}`"),
            "a value would be taken whose item is gone, or free while its item is still there".to_owned(),
            "let the key hold what is unique, or delete the items by a write of the model instead of `ttl`"
                .to_owned(),
        )
    } else if let Some(copy) = entity.copies.first() {
        (
            format!("its copy {}", copy.name),
            "a copy would be found whose item is gone, or the other way round".to_owned(),
            "reach it by an index instead of a copy, or delete the items by a write of the model"
                .to_owned(),
        )
    } else {
        let (list, _) = entity.split.as_ref()?;
        (
            format!("the parts of `{list}`"),
            "a list would be found that lacks some of its parts".to_owned(),
            "keep the list in one item, or delete the items by a write of the model".to_owned(),
        )
    };
    let message = format!("{} and {what} would expire one by one", one(&entity.name));
    Some(
        Diagnostic::error(
            "KF016",
            ttl.span,
            message,
            "each item is deleted at a moment of its own",
        )
        .label(entity.span, "lies in several items")
        .note(consequence)
        .help(help),
    )
}
