//! Named writes: actions, and the parameters they need.

use super::unknown;
use crate::diagnostic::Diagnostic;
use crate::schema::{Action, Entity, Model, Operand, Type, Write};
use crate::syntax::ast::{ActionDecl, Name, WriteDecl};

pub(super) fn resolve(
    declared: &WriteDecl,
    model: &Model,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Write> {
    let mut write = Write {
        name: declared.name.text.clone(),
        span: declared.name.span,
        parameters: Vec::new(),
        actions: Vec::new(),
    };
    for (name, kind) in &declared.parameters {
        let kind = match kind {
            Some(kind) => match super::named(kind) {
                Ok(kind) => kind,
                Err(diagnostic) => {
                    diagnostics.push(diagnostic);
                    return None;
                }
            },
            None => match find_type(&name.text, model) {
                Some(kind) => kind,
                None => {
                    let message = format!("the type of the parameter `{}` is not known", name.text);
                    diagnostics.push(
                        Diagnostic::error("KF002", name.span, message, "no attribute has this name")
                            .help(format!("say it: `{}: int`", name.text)),
                    );
                    return None;
                }
            },
        };
        write.parameters.push((name.text.clone(), kind));
    }
    for action in &declared.actions {
        let resolved = resolve_action(action, model, &mut write, diagnostics)?;
        write.actions.push(resolved);
    }
    check_distinct_items(&write, model, declared, diagnostics)?;
    if write.actions.is_empty() {
        let message = format!("the write {} does nothing", write.name);
        diagnostics.push(
            Diagnostic::error("KF002", write.span, message, "no actions")
                .help("add indented lines: `create Order`, `update Product set stock = stock - quantity`, `delete User`"),
        );
        return None;
    }
    Some(write)
}

/// A transaction has one action for each item, and parameters are shared: two actions on one entity meet the
/// same item.
fn check_distinct_items(
    write: &Write,
    model: &Model,
    declared: &WriteDecl,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<()> {
    let mut seen = Vec::new();
    for action in &write.actions {
        let (Action::Create { entity } | Action::Delete { entity } | Action::Update { entity, .. }) = action;
        if seen.contains(entity) {
            let name = model.entities.get(*entity).map_or("", |entity| entity.name.as_str());
            let message = format!("{} has two actions on {name}", write.name);
            diagnostics.push(
                Diagnostic::error("KF016", declared.name.span, message, "both would meet the same item")
                    .note("a transaction cannot have two actions on one item")
                    .help("make it one action, or two writes"),
            );
            return None;
        }
        seen.push(*entity);
    }
    Some(())
}

fn find_type(name: &str, model: &Model) -> Option<Type> {
    model.entities.iter().find_map(|entity| entity.attribute(name)).map(|attribute| attribute.kind.clone())
}

fn entity_at(name: &Name, model: &Model, diagnostics: &mut Vec<Diagnostic>) -> Option<usize> {
    let found = model.entities.iter().position(|entity| entity.name == name.text);
    if found.is_none() {
        let names = model.entities.iter().map(|entity| entity.name.as_str());
        diagnostics.push(unknown("entity", name, names));
    }
    found
}

/// Attributes that an action takes become parameters, unless they are declared already, with their type.
fn add_parameters<'a>(
    write: &mut Write,
    action: &Name,
    attributes: impl Iterator<Item = (&'a str, &'a Type)>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<()> {
    for (name, kind) in attributes {
        match write.parameters.iter().find(|(known, _)| known == name) {
            None => write.parameters.push((name.to_owned(), kind.clone())),
            Some((_, known)) if known == kind => {}
            Some((_, known)) => {
                let message =
                    format!("`{name}` of {} is a {kind}, and the parameter `{name}` a {known}", action.text);
                diagnostics.push(
                    Diagnostic::error("KF004", action.span, message, "one parameter cannot be both")
                        .help("parameters are shared by name; rename one of the attributes"),
                );
                return None;
            }
        }
    }
    Some(())
}

fn key_attributes(entity: &Entity) -> impl Iterator<Item = (&str, &Type)> {
    entity.key.fields().filter_map(|field| entity.attribute(field)).map(|a| (a.name.as_str(), &a.kind))
}

fn resolve_action(
    declared: &ActionDecl,
    model: &Model,
    write: &mut Write,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Action> {
    match declared {
        ActionDecl::Create(name) => {
            let at = entity_at(name, model, diagnostics)?;
            let entity = model.entities.get(at)?;
            add_parameters(
                write,
                name,
                entity.attributes.iter().map(|a| (a.name.as_str(), &a.kind)),
                diagnostics,
            )?;
            Some(Action::Create { entity: at })
        }
        ActionDecl::Delete(name) => {
            let at = entity_at(name, model, diagnostics)?;
            add_parameters(write, name, key_attributes(model.entities.get(at)?), diagnostics)?;
            Some(Action::Delete { entity: at })
        }
        ActionDecl::Update { entity: name, assignments, condition } => {
            let at = entity_at(name, model, diagnostics)?;
            let entity = model.entities.get(at)?;
            add_parameters(write, name, key_attributes(entity), diagnostics)?;
            let mut resolved = Vec::new();
            for assignment in assignments {
                let kind = attribute(&assignment.attribute, entity, diagnostics)?;
                check_plain(&assignment.attribute, entity, diagnostics)?;
                let left = operand(&assignment.left, entity, write, &kind, diagnostics)?;
                let right = match &assignment.right {
                    None => None,
                    Some((plus, name)) => Some((*plus, operand(name, entity, write, &kind, diagnostics)?)),
                };
                resolved.push((assignment.attribute.text.clone(), left, right));
            }
            let condition = match condition {
                None => None,
                Some(condition) => {
                    let kind = attribute(&condition.attribute, entity, diagnostics)?;
                    let operand = operand(&condition.operand, entity, write, &kind, diagnostics)?;
                    Some((condition.attribute.text.clone(), condition.comparator.text.clone(), operand))
                }
            };
            Some(Action::Update { entity: at, assignments: resolved, condition })
        }
    }
}

fn attribute(name: &Name, entity: &Entity, diagnostics: &mut Vec<Diagnostic>) -> Option<Type> {
    let found = entity.attribute(&name.text).map(|attribute| attribute.kind.clone());
    if found.is_none() {
        let names = entity.attributes.iter().map(|attribute| attribute.name.as_str());
        diagnostics.push(unknown(&format!("attribute of {}", entity.name), name, names));
    }
    found
}

/// An attribute that a key, a copy or a guard is made of cannot change inside a named write: what follows
/// from it depends on its old value, which is read first by `update`.
fn check_plain(name: &Name, entity: &Entity, diagnostics: &mut Vec<Diagnostic>) -> Option<()> {
    let in_index = entity.indexes.iter().any(|index| {
        index.key.fields().any(|field| field == name.text)
            || index.sparse.as_ref().is_some_and(|sparse| sparse.attribute == name.text)
    });
    let in_copy = entity.copies.iter().any(|copy| {
        copy.key.fields().any(|field| field == name.text) || copy.attributes.contains(&name.text)
    });
    let in_key = entity.key.fields().any(|field| field == name.text);
    if !(in_index || in_copy || in_key || entity.uniques.contains(&name.text)) {
        return Some(());
    }
    let message =
        format!("`{}` cannot be set here: keys or copies of {} follow from it", name.text, entity.name);
    diagnostics.push(
        Diagnostic::error("KF016", name.span, message, "its old value must be known to move them")
            .note("a named write is one transaction without reading; moving an index key or a copy needs the item as it is")
            .help(format!("change it with `keyfold update {} ...`, which reads the item and moves everything in one transaction", entity.name)),
    );
    None
}

fn operand(
    name: &Name,
    entity: &Entity,
    write: &Write,
    kind: &Type,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Operand> {
    let (found, operand) = if name.is_quoted() {
        (None, Operand::Literal(name.unquoted().to_owned()))
    } else if let Some((_, found)) = write.parameters.iter().find(|(parameter, _)| *parameter == name.text) {
        (Some(found), Operand::Parameter(name.text.clone()))
    } else if let Some(attribute) = entity.attribute(&name.text) {
        (Some(&attribute.kind), Operand::Attribute(name.text.clone()))
    } else if !matches!(kind, Type::String) && crate::value::parse(&name.text, kind, &name.text).is_ok() {
        (None, Operand::Literal(name.text.clone()))
    } else {
        let parameters = write.parameters.iter().map(|(name, _)| name.as_str());
        let attributes = entity.attributes.iter().map(|attribute| attribute.name.as_str());
        diagnostics.push(
            unknown("parameter or attribute", name, parameters.chain(attributes))
                .note("a fixed text stands in quotes"),
        );
        return None;
    };
    let wrong = match (found, &operand) {
        (Some(found), _) if found == kind || (*found == Type::Int && *kind == Type::Number) => {
            return Some(operand);
        }
        (Some(found), _) => format!("`{}` is a {found}, and a {kind} is needed", name.text),
        (None, Operand::Literal(text)) => match crate::value::parse("the value", kind, text) {
            Ok(_) => return Some(operand),
            Err(error) => error.to_string(),
        },
        (None, _) => return Some(operand),
    };
    diagnostics.push(Diagnostic::error("KF004", name.span, wrong, "wrong type"));
    None
}
