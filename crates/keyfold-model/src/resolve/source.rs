//! The sources of the attributes that an action takes: parameters of its alias, and what its `where`
//! names.

use super::comparison::Operands;
use super::names::attribute_of;
use crate::diagnostic::Diagnostic;
use crate::schema::{Action, Entity, Model, Operand, Source, Taken, Verb, WriteParameter};
use crate::syntax::ast::{ActionDecl, KeySourceDecl, Name, WriteDecl};
use crate::written::{one, written_list};

/// An action that stands above another, whose attributes the other may take.
pub(super) struct Earlier<'e> {
    pub(super) declared: &'e ActionDecl,
    pub(super) entity: &'e Entity,
}

impl Earlier<'_> {
    /// The name by which other actions refer to it: its alias, or its entity's.
    fn name(&self) -> &str {
        let alias = self.declared.alias.as_ref();
        &alias.unwrap_or(&self.declared.entity).text
    }
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
    earlier: &[Earlier<'_>],
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
            Some(of) => of_action(key, of, found, earlier)?,
            None => match operands.operand(&key.operand, &found.kind)? {
                Operand::Literal(value) => Source::Literal(value),
                Operand::Parameter(name) => Source::Parameter(name),
                // The scope of keys has no item whose attributes could be operands.
                Operand::Attribute(path) => Source::Parameter(path.attribute),
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

/// The attribute of an earlier action's entity.
fn of_action(
    key: &KeySourceDecl,
    of: &Name,
    wanted: &crate::schema::Attribute,
    earlier: &[Earlier<'_>],
) -> Result<Source, Box<Diagnostic>> {
    let named = key.operand.in_braces();
    let name = named.as_ref().unwrap_or(&key.operand);
    let has_name = |(_, one): &(usize, &Earlier<'_>)| {
        one.name() == name.text || one.declared.entity.text == name.text
    };
    let all: Vec<(usize, &Earlier<'_>)> = earlier.iter().enumerate().filter(has_name).collect();
    let (action, one) = match all.as_slice() {
        [one] => *one,
        [] => {
            let message = format!("no action above is on `{}`", name.text);
            let label = "not in the write, or below";
            return Err(Box::new(
                Diagnostic::error("KF002", name.span, message, label)
                    .note("an action takes attributes from those that stand above it")
                    .help(format!("put an action above, like `check {}`", name.text)),
            ));
        }
        [_, _, ..] => return Err(Box::new(ambiguous(name, of, &all))),
    };
    let error = |message: String, label: &str| {
        Box::new(Diagnostic::error("KF004", of.span, message, label))
    };
    if one.declared.each.is_some() {
        let message = format!("{} stands for several items", name.text);
        return Err(error(message, "of which of them?"));
    }
    if one.declared.verb == Verb::Upsert {
        let message = format!("{} may be made by this write", name.text);
        return Err(error(message, "of the stored item, or of the new one?"));
    }
    let found = attribute_of(one.entity, of)?;
    if found.kind != wanted.kind {
        let message = format!(
            "`{}` is {}, and {} is needed",
            found.name,
            found.kind.with_article(),
            wanted.kind.with_article()
        );
        return Err(error(message, "wrong type"));
    }
    if found.is_kept {
        let message = format!(
            "`{}` of {} is kept by the model",
            found.name, one.entity.name
        );
        return Err(error(message, "changes with other items"));
    }
    Ok(Source::Attribute {
        action,
        attribute: found.name.clone(),
    })
}

/// The error about an entity with several actions.
fn ambiguous(name: &Name, of: &Name, all: &[(usize, &Earlier<'_>)]) -> Diagnostic {
    let ways = all
        .iter()
        .map(|(_, one)| format!("`{}.{}`", one.name(), of.text));
    let message = format!("{} has several actions above", name.text);
    Diagnostic::error("KF004", name.span, message, "which of them?").help(format!(
        "name them by `as`, and say which: {}",
        ways.collect::<Vec<_>>().join(" or ")
    ))
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
    let source = |field: &str| {
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
