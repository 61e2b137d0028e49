//! Copies of entities under other keys.

use super::follower::Follower;
use super::key::check_required;
use super::names::attribute_of;
use super::template::{self, Columns};
use crate::diagnostic::{Diagnostic, report};
use crate::schema::{Attribute, Condition, Copy, Entity, KeyPair, Table};
use crate::syntax::ast::{CopyDecl, Name, texts};
use crate::template::Part;

/// Resolves a copy; `None` when its key is faulty.
pub(super) fn resolve(
    declared: &CopyDecl,
    table: &Table,
    entity: &Entity,
    identity: &[Part],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Copy> {
    let columns = Columns::of_table(table);
    let mut key = template::key(&declared.key, &columns, entity, diagnostics)?;
    template::add_shard(&mut key, &declared.key, identity);
    let what = format!("the copy {}", declared.name.text);
    let when = report(conditions(declared, entity), diagnostics).unwrap_or_default();
    check_required(entity, &key, &what, Some(&when), diagnostics);
    let attributes: Vec<String> = match &declared.only {
        None => entity
            .attributes
            .iter()
            .filter(|attribute| reason_against(attribute, entity).is_none())
            .map(|attribute| attribute.name.clone())
            .collect(),
        Some(names) => {
            for name in names {
                report(check_held(name, entity), diagnostics);
            }
            texts(names)
        }
    };
    report(
        check_not_overwritten(declared, &columns, &key, &attributes),
        diagnostics,
    )?;
    Some(Copy {
        name: declared.name.text.clone(),
        span: declared.name.span,
        key,
        attributes,
        when,
    })
}

/// Resolves the conditions under which there is a copy.
fn conditions(declared: &CopyDecl, entity: &Entity) -> Result<Vec<Condition>, Box<Diagnostic>> {
    let follower = Follower {
        word: "copy",
        name: &declared.name.text,
        entity,
        check: &|name, attribute| check_known(name, attribute, entity),
    };
    follower.conditions(&declared.when)
}

/// Refuses an attribute whose value a write of the entity does not know.
fn check_known(name: &Name, attribute: &Attribute, entity: &Entity) -> Result<(), Box<Diagnostic>> {
    let Some(reason) = reason_against(attribute, entity) else {
        return Ok(());
    };
    let message = format!("a copy cannot depend on `{}`", name.text);
    Err(Box::new(
        Diagnostic::error("KF016", name.span, message, reason)
            .label(attribute.span, "declared here")
            .help("let it depend on other attributes"),
    ))
}

/// Why a copy cannot hold an attribute; `None` when it can.
fn reason_against(attribute: &Attribute, entity: &Entity) -> Option<&'static str> {
    if attribute.is_kept {
        return Some("the model keeps it in the item itself");
    }
    let (split, _) = entity.split.as_ref()?;
    (*split == attribute.name).then_some("it is split")
}

/// Refuses an attribute in `only` that a copy cannot hold.
fn check_held(name: &Name, entity: &Entity) -> Result<(), Box<Diagnostic>> {
    let Some(reason) = reason_against(attribute_of(entity, name)?, entity) else {
        return Ok(());
    };
    let message = format!("a copy cannot hold `{}`", name.text);
    Err(Box::new(
        Diagnostic::error("KF016", name.span, message, reason).help("leave it out of `only`"),
    ))
}

/// Refuses a copy that holds an attribute with the name of a key attribute, unless the attribute is
/// the key itself.
fn check_not_overwritten(
    declared: &CopyDecl,
    columns: &Columns<'_>,
    key: &KeyPair,
    attributes: &[String],
) -> Result<(), Box<Diagnostic>> {
    for (column, template) in columns.all().zip(key.templates()) {
        let is_itself = template.is_bare() && template.fields().any(|field| field == column.name);
        if attributes.contains(&column.name) && !is_itself {
            let message = format!(
                "the copy {} holds `{}`, which is its key",
                declared.name.text, column.name
            );
            let label = "the key would overwrite it";
            return Err(Box::new(
                Diagnostic::error("KF018", declared.name.span, message, label)
                    .help("leave it out of the copy with `only`, or rename the attribute"),
            ));
        }
    }
    Ok(())
}
