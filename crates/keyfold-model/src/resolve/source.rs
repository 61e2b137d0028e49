//! The sources of the attributes that an action takes: parameters of its alias, and what its `where`
//! names.

use super::above::{Above, Earlier, wrong_type};
use super::comparison::Operands;
use super::names::attribute_of;
use crate::diagnostic::Diagnostic;
use crate::schema::{
    Action, Assignment, Attribute, Entity, Model, Operand, Source, Taken, WriteParameter,
};
use crate::syntax::ast::{ActionDecl, KeySourceDecl, Name, WriteDecl};
use crate::written::{one, written_list};

/// Whether an action may be left out of the write: the source of its key may have no value.
pub(super) fn may_be_left_out_of(action: &Action, earlier: &[Earlier<'_>]) -> bool {
    let may_lack = |source: &Source| match source {
        Source::Attribute { action, attribute } => earlier.get(*action).is_none_or(|lender| {
            let found = lender.entity.attribute(attribute);
            lender.is_left_out || found.is_none_or(|found| found.optional)
        }),
        Source::Parameter(_) | Source::Literal(_) => false,
    };
    let mut declared = action.taken.iter().filter(|one| one.is_declared);
    declared.any(|one| may_lack(&one.source))
}

/// The parameter that gives an attribute: the one of its name, or that of the action's alias.
pub(super) fn parameter_of(declared: &ActionDecl, attribute: &str) -> String {
    match &declared.alias {
        Some(alias) => format!("{}.{attribute}", alias.text),
        None => attribute.to_owned(),
    }
}

/// Whether `where` names the source of an attribute.
pub(super) fn is_given(declared: &ActionDecl, attribute: &str) -> bool {
    let mut keys = declared.keys.iter();
    keys.any(|key| key.attribute.text == attribute)
}

/// Refuses aliases that are other names already.
pub(super) fn check_aliases(declared: &WriteDecl, model: &Model) -> Result<(), Box<Diagnostic>> {
    let mut seen: Vec<&Name> = Vec::new();
    for alias in declared.actions.iter().filter_map(|one| one.alias.as_ref()) {
        let mut parameters = declared.parameters.iter();
        let is_parameter = parameters.any(|one| one.name.text == alias.text);
        let what = if is_parameter {
            "a parameter of the write"
        } else if model.entity(&alias.text).is_some() {
            "an entity"
        } else if seen.iter().any(|other| other.text == alias.text) {
            "the name of another action"
        } else {
            seen.push(alias);
            continue;
        };
        let message = format!("`{}` is {what}", alias.text);
        let other = Diagnostic::error("KF003", alias.span, message, "two things of one name");
        return Err(Box::new(other.help("choose another name behind `as`")));
    }
    Ok(())
}

/// Resolves the sources that `where` names.
pub(super) fn declared_sources(
    declared: &ActionDecl,
    entity: &Entity,
    above: &Above<'_>,
    operands: &Operands<'_>,
) -> Result<Vec<Taken>, Box<Diagnostic>> {
    let mut all: Vec<Taken> = Vec::new();
    for key in &declared.keys {
        let name = &key.attribute;
        let found = attribute_of(entity, name)?;
        if !entity.identifies(&found.name) {
            return Err(Box::new(finds_no_item(name, entity)));
        }
        if all.iter().any(|one| one.attribute == name.text) {
            let message = format!("`{}` is given twice", name.text);
            return Err(Box::new(Diagnostic::error(
                "KF004",
                name.span,
                message,
                "again here",
            )));
        }
        let source = match &key.of {
            Some(of) => of_action(key, of, found, (above, operands))?,
            None => match operands.operand(&key.operand, &found.kind)? {
                Operand::Literal(value) => Source::Literal(value),
                Operand::Parameter(name) => Source::Parameter(name),
                // The scope of keys has no item whose attributes could be operands.
                Operand::Attribute(path) => Source::Parameter(path.attribute),
                Operand::Lent(lent) => lent.into(),
            },
        };
        all.push(Taken {
            attribute: name.text.clone(),
            source,
            is_declared: true,
        });
    }
    Ok(all)
}

/// The error about an attribute behind `where` that does not say which item it is.
fn finds_no_item(name: &Name, entity: &Entity) -> Diagnostic {
    let what = if entity.moves() { "`id`" } else { "the key" };
    let message = format!("`{}` is not part of {what} of {}", name.text, entity.name);
    let diagnostic = Diagnostic::error("KF004", name.span, message, "does not find the item");
    let help = "`where` says which item it is; compare other attributes behind `when`";
    if entity.moves() {
        return diagnostic
            .note(format!(
                "{} is found by {}",
                one(&entity.name),
                written_list(entity.identity())
            ))
            .help(help);
    }
    diagnostic.label(entity.key.span, "the key").help(help)
}

/// The attribute of an earlier action's entity that `where` names.
fn of_action(
    key: &KeySourceDecl,
    of: &Name,
    wanted: &Attribute,
    (above, operands): (&Above<'_>, &Operands<'_>),
) -> Result<Source, Box<Diagnostic>> {
    let named = key.operand.in_braces();
    let name = named.as_ref().unwrap_or(&key.operand);
    let mut parameters = operands.parameters.iter();
    if parameters.any(|(parameter, _)| *parameter == name.text) {
        above.check_alone((name, of), "a parameter of the write")?;
    }
    let (action, _, found) = above.attribute(name, of)?;
    if found.kind != wanted.kind {
        return Err(wrong_type(found, &wanted.kind, of));
    }
    Ok(Source::Attribute {
        action,
        attribute: found.name.clone(),
    })
}

/// The attributes of an action with an alias: each is a parameter behind the alias.
pub(super) fn of_alias(
    declared: &ActionDecl,
    needed: impl Iterator<Item = String>,
    parameters: &[WriteParameter],
) -> Vec<Taken> {
    if declared.alias.is_none() {
        return Vec::new();
    }
    let own = needed.filter_map(|attribute| {
        let name = parameter_of(declared, &attribute);
        let is_parameter = parameters.iter().any(|known| known.name == name);
        is_parameter.then_some(Taken {
            attribute,
            source: Source::Parameter(name),
            is_declared: false,
        })
    });
    own.collect()
}

/// The sources of the attributes of an action's key: two actions with the same ones affect the same
/// item.
pub(super) fn key_sources(action: &Action, entity: &Entity) -> Vec<(String, Source)> {
    let is_set = |one: &&Assignment, field: &str| {
        one.attribute == field && one.fields.is_empty() && one.right.is_none()
    };
    let source = |field: &str| {
        let mut set = action.assignments.iter();
        if let Some(one) = set.find(|one| is_set(one, field)) {
            return match &one.left {
                Operand::Parameter(name) => Source::Parameter(name.clone()),
                Operand::Attribute(path) => Source::Parameter(path.attribute.clone()),
                Operand::Literal(value) => Source::Literal(value.clone()),
                Operand::Lent(lent) => lent.clone().into(),
            };
        }
        let taken = action.taken.iter().find(|one| one.attribute == field);
        taken.map_or_else(
            || Source::Parameter(field.to_owned()),
            |one| one.source.clone(),
        )
    };
    let fields = entity.identity().into_iter();
    fields
        .map(|field| (field.to_owned(), source(field)))
        .collect()
}
