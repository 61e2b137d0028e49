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

/// Attributes that an action takes become parameters, unless they are declared already.
fn add_parameters<'a>(write: &mut Write, attributes: impl Iterator<Item = (&'a str, &'a Type)>) {
    for (name, kind) in attributes {
        if !write.parameters.iter().any(|(known, _)| known == name) {
            write.parameters.push((name.to_owned(), kind.clone()));
        }
    }
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
            add_parameters(write, entity.attributes.iter().map(|a| (a.name.as_str(), &a.kind)));
            Some(Action::Create { entity: at })
        }
        ActionDecl::Delete(name) => {
            let at = entity_at(name, model, diagnostics)?;
            add_parameters(write, key_attributes(model.entities.get(at)?));
            Some(Action::Delete { entity: at })
        }
        ActionDecl::Update { entity: name, assignments, condition } => {
            let at = entity_at(name, model, diagnostics)?;
            let entity = model.entities.get(at)?;
            add_parameters(write, key_attributes(entity));
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
    if write.parameters.iter().any(|(parameter, _)| *parameter == name.text) {
        return Some(Operand::Parameter(name.text.clone()));
    }
    if entity.attribute(&name.text).is_some() {
        return Some(Operand::Attribute(name.text.clone()));
    }
    if crate::value::parse(&name.text, kind, &name.text).is_ok() && !matches!(kind, Type::String) {
        return Some(Operand::Literal(name.text.clone()));
    }
    let parameters = write.parameters.iter().map(|(name, _)| name.as_str());
    let attributes = entity.attributes.iter().map(|attribute| attribute.name.as_str());
    diagnostics.push(unknown("parameter or attribute", name, parameters.chain(attributes)));
    None
}
