//! Copies of entities under other keys.

use super::comparison::Operands;
use super::condition::{self, Subject};
use super::key::check_required;
use super::names::{self, attribute_of, unknown_attribute};
use super::template::{self, Columns};
use crate::diagnostic::{Diagnostic, report};
use crate::schema::{Attribute, Condition, Copy, Entity, KeyPair, Operand, Table};
use crate::syntax::ast::{ComparisonDecl, CopyDecl, Name, texts};
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

/// Resolves the conditions under which there is a copy. They compare attributes of the entity with
/// each other and with fixed values, so that they change by writes of the entity alone.
fn conditions(declared: &CopyDecl, entity: &Entity) -> Result<Vec<Condition>, Box<Diagnostic>> {
    let kind_of = |name: &Name| entity.attribute(&name.text).map(|found| &found.kind);
    let is_attribute = |name: &Name| entity.attribute(&name.text).is_some();
    if let Some((_, now)) = condition::type_of_now(&declared.when, kind_of)
        && !is_attribute(&now)
    {
        let message = format!("the copy {} depends on the time", declared.name.text);
        return Err(Box::new(
            Diagnostic::error(
                "KF016",
                now.span,
                message,
                "a copy changes with its entity only",
            )
            .help("compare with a fixed value or another attribute, and filter by `now`"),
        ));
    }
    let operands = Operands {
        parameters: &[],
        item: Some(entity),
    };
    let comparison = |one: &ComparisonDecl| {
        let name = &one.attribute;
        let Some(attribute) = entity.attribute(&name.text) else {
            let error = unknown_attribute(entity, name);
            return Err(Box::new(of_source(error, declared, entity)));
        };
        check_known(name, attribute, entity)?;
        let subject = Subject::of(one, &attribute.kind)?;
        let comparison = operands.comparison(one, &subject).map_err(|error| {
            let unknown = unknown_operand(one, entity).filter(|_| error.code == "KF002");
            match unknown {
                Some(unknown) => Box::new(of_source(unknown, declared, entity)),
                None => error,
            }
        })?;
        for (declared, operand) in one.operands.iter().zip(&comparison.operands) {
            if let Operand::Attribute(other) = operand
                && let Some(found) = entity.attribute(&other.attribute)
            {
                check_known(&declared.name, found, entity)?;
            }
        }
        Ok(comparison)
    };
    let when = declared.when.iter();
    when.map(|one| condition::resolve(one, &comparison))
        .collect()
}

/// The error about an operand that is no attribute of the copied entity.
fn unknown_operand(compared: &ComparisonDecl, entity: &Entity) -> Option<Diagnostic> {
    let unknown = compared.operands.iter().find_map(|operand| {
        let braced = operand.name.in_braces();
        let name = braced.unwrap_or_else(|| operand.name.clone());
        let is_known = name.is_quoted() || entity.attribute(&name.text).is_some();
        (!is_known).then_some((name, operand.fields.is_empty()))
    });
    let (name, is_whole) = unknown?;
    let names = entity.attributes.iter().map(|one| one.name.as_str());
    let what = format!("attribute or value of {}", entity.name);
    let error = names::unknown(&what, &name, names);
    Some(match is_whole {
        true => error.help(format!("a fixed text stands in quotes: \"{}\"", name.text)),
        false => error,
    })
}

/// An error about a name in the condition of a copy, with what such a condition may name.
fn of_source(error: Diagnostic, declared: &CopyDecl, entity: &Entity) -> Diagnostic {
    let (copy, source) = (&declared.name.text, &entity.name);
    error
        .note(format!(
            "the copy {copy} changes by writes of {source} alone: its condition compares attributes of {source} with each other and with fixed values"
        ))
        .help(format!("declare in {source} what the copy depends on"))
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
