//! Named writes: actions, and the parameters they need.

use super::Entities;
use super::pattern::{comparison, operand};
use super::types::Types;
use crate::diagnostic::Diagnostic;
use crate::schema::{
    Action, Assignment, Attribute, Entity, Model, Operand, Type, Verb, Write, WriteParameter,
};
use crate::syntax::ast::{self, ActionDecl, Name, WriteDecl};

pub(super) fn resolve(
    declared: &WriteDecl,
    entities: &Entities<'_>,
    model: &Model,
    types: &Types<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Write> {
    let mut scope = Scope {
        model,
        entities,
        parameters: Vec::new(),
    };
    for (name, kind) in &declared.parameters {
        let kind = match kind {
            Some(kind) => match types.resolve(kind, name, 0) {
                Ok(kind) => kind,
                Err(diagnostic) => {
                    diagnostics.push(*diagnostic);
                    return None;
                }
            },
            None => match find_type(&name.text, model) {
                Some(kind) => kind,
                None => {
                    let message = format!("the type of the parameter `{}` is not known", name.text);
                    diagnostics.push(
                        Diagnostic::error(
                            "KF002",
                            name.span,
                            message,
                            "no attribute has this name",
                        )
                        .help(format!(
                            "say it, as in `{}: int` or `{}: string`",
                            name.text, name.text
                        )),
                    );
                    return None;
                }
            },
        };
        scope.parameters.push(WriteParameter {
            name: name.text.clone(),
            kind,
            optional: false,
        });
    }
    // First what all actions take, so that each may speak of it.
    for action in &declared.actions {
        scope.add_parameters(action, diagnostics)?;
    }
    let mut actions = Vec::new();
    for action in &declared.actions {
        actions.push(scope.action(action, diagnostics)?);
    }
    if actions.is_empty() {
        let message = format!("the write {} does nothing", declared.name.text);
        diagnostics.push(
            Diagnostic::error("KF002", declared.name.span, message, "no actions")
                .help("add indented lines: `create Order`, `update Product set stock = stock - quantity`, `delete User`"),
        );
        return None;
    }
    check_distinct_items(&actions, model, declared, diagnostics)?;
    scope.require_operands(&actions);
    let name = declared.name.text.clone();
    Some(Write {
        name,
        span: declared.name.span,
        parameters: scope.parameters,
        actions,
    })
}

/// A transaction has one action for each item, and parameters are shared: two actions on one entity
/// meet the same item, unless each takes its own from a list.
fn check_distinct_items(
    actions: &[Action],
    model: &Model,
    declared: &WriteDecl,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<()> {
    let mut seen: Vec<usize> = Vec::new();
    for (action, at) in actions.iter().zip(&declared.actions) {
        if action.each.is_none() && seen.contains(&action.entity) {
            let name = model
                .entities
                .get(action.entity)
                .map_or("", |entity| entity.name.as_str());
            let message = format!("{} has two actions on {name}", declared.name.text);
            diagnostics.push(
                Diagnostic::error("KF016", at.entity.span, message, "both would meet the same item")
                    .note("a transaction cannot have two actions on one item")
                    .help("make it one action, or two writes; several items of one entity come from a list: `create OrderItem for each lines`"),
            );
            return None;
        }
        if action.each.is_none() {
            seen.push(action.entity);
        }
    }
    Some(())
}

/// A request changes an attribute once.
fn check_changed_once(declared: &ActionDecl, diagnostics: &mut Vec<Diagnostic>) -> Option<()> {
    let assigned = declared
        .assignments
        .iter()
        .map(|assignment| &assignment.attribute);
    let all: Vec<&Name> = assigned.chain(&declared.removed).collect();
    for (at, name) in all.iter().enumerate() {
        if let Some(first) = all.iter().take(at).find(|first| first.text == name.text) {
            let message = format!("`{}` is changed twice", name.text);
            diagnostics.push(
                Diagnostic::error(
                    "KF016",
                    name.span,
                    message,
                    "a request changes an attribute once",
                )
                .label(first.span, "changed here"),
            );
            return None;
        }
    }
    Some(())
}

fn find_type(name: &str, model: &Model) -> Option<Type> {
    model
        .entities
        .iter()
        .find_map(|entity| entity.attribute(name))
        .map(|attribute| attribute.kind.clone())
}

struct Scope<'m> {
    model: &'m Model,
    entities: &'m Entities<'m>,
    parameters: Vec<WriteParameter>,
}

impl<'m> Scope<'m> {
    fn entity(
        &self,
        name: &Name,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<(usize, &'m Entity)> {
        let at = self.entities.place(name, diagnostics)?;
        Some((at, self.model.entities.get(at)?))
    }

    /// Attributes that an action takes and that are neither assigned nor fields of its records.
    fn add_parameters(
        &mut self,
        declared: &ActionDecl,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<()> {
        let (_, entity) = self.entity(&declared.entity, diagnostics)?;
        let each = self.each(declared, diagnostics)?;
        let given: Vec<&str> = declared
            .assignments
            .iter()
            .map(|assignment| assignment.attribute.text.as_str())
            .collect();
        let whole = matches!(declared.verb, ast::Verb::Create | ast::Verb::Put);
        for attribute in &entity.attributes {
            let in_key = entity.key.fields().any(|field| field == attribute.name);
            let in_record = each
                .as_ref()
                .is_some_and(|(_, fields)| fields.iter().any(|(name, ..)| *name == attribute.name));
            let needed = if whole {
                !attribute.is_kept && !given.contains(&attribute.name.as_str())
            } else {
                in_key
            };
            if needed && !in_record {
                let optional = whole && (attribute.optional || attribute.default.is_some());
                self.add_parameter(&declared.entity, attribute, optional, diagnostics)?;
            }
            let field = each
                .iter()
                .flat_map(|(_, fields)| fields)
                .find(|(name, ..)| *name == attribute.name);
            if let (true, Some(field)) = (needed, field) {
                check_field(declared, (attribute, whole), field, diagnostics)?;
            }
        }
        Some(())
    }

    /// An operand of an assignment or condition must be given, although an attribute that takes it,
    /// too, could be left out.
    fn require_operands(&mut self, actions: &[Action]) {
        let assigned = actions
            .iter()
            .flat_map(|action| &action.assignments)
            .flat_map(|one| {
                std::iter::once(&one.left).chain(one.right.as_ref().map(|(_, right)| right))
            });
        let compared = actions
            .iter()
            .flat_map(|action| &action.conditions)
            .filter_map(|one| one.operand.as_ref());
        for operand in assigned.chain(compared) {
            let Operand::Parameter(name) = operand else {
                continue;
            };
            self.parameters
                .iter_mut()
                .filter(|known| known.name == *name)
                .for_each(|known| known.optional = false);
        }
    }

    fn action(
        &mut self,
        declared: &ActionDecl,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Action> {
        let (at, entity) = self.entity(&declared.entity, diagnostics)?;
        let verb = match declared.verb {
            ast::Verb::Create => Verb::Create,
            ast::Verb::Put => Verb::Put,
            ast::Verb::Update => Verb::Update,
            ast::Verb::Delete => Verb::Delete,
            ast::Verb::Check => Verb::Check,
        };
        let whole = matches!(verb, Verb::Create | Verb::Put);
        let each = self.each(declared, diagnostics)?;
        let fields: Vec<(String, Type)> = each
            .iter()
            .flat_map(|(_, fields)| fields)
            .map(|(name, kind, _)| (name.clone(), kind.clone()))
            .collect();
        let known: Vec<(&str, &Type)> = fields
            .iter()
            .map(|(name, kind)| (name.as_str(), kind))
            .chain(self.parameters.iter().map(|p| (p.name.as_str(), &p.kind)))
            .collect();
        let mut assignments = Vec::new();
        for assignment in &declared.assignments {
            let of_item = (!whole).then_some(entity);
            assignments.push(resolve_assignment(
                assignment,
                entity,
                of_item,
                &known,
                verb,
                diagnostics,
            )?);
        }
        check_changed_once(declared, diagnostics)?;
        check_operands(declared, entity, &assignments, diagnostics)?;
        for name in &declared.removed {
            check_removed(name, entity, diagnostics)?;
        }
        let mut conditions = Vec::new();
        for condition in &declared.conditions {
            let kind = attribute(&condition.attribute, entity, diagnostics)?
                .kind
                .clone();
            conditions.push(comparison(
                condition,
                &kind,
                &known,
                Some(entity),
                diagnostics,
            )?);
        }
        Some(Action {
            verb,
            entity: at,
            each: each.map(|(name, _)| name),
            assignments,
            removed: declared
                .removed
                .iter()
                .map(|name| name.text.clone())
                .collect(),
            conditions,
        })
    }

    /// The parameter that gives one record for each item, and the record's fields.
    #[allow(
        clippy::type_complexity,
        reason = "a record's fields as the schema has them"
    )]
    fn each(
        &self,
        declared: &ActionDecl,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Option<(String, Vec<(String, Type, bool)>)>> {
        let Some(name) = &declared.each else {
            return Some(None);
        };
        let parameter = self
            .parameters
            .iter()
            .find(|parameter| parameter.name == name.text);
        if let Some(Type::List(of)) = parameter.map(|parameter| &parameter.kind)
            && let Type::Record(record) = &**of
        {
            return Some(Some((name.text.clone(), record.fields.clone())));
        }
        let message = format!("`{}` is no parameter that is a list of records", name.text);
        diagnostics.push(Diagnostic::error("KF004", name.span, message, "one item for each of what?").help(
            format!(
                "declare a record with the attributes that differ, and the parameter `{}: list of Line`",
                name.text
            ),
        ));
        None
    }

    /// An attribute that an action takes becomes a parameter, unless it is declared already with
    /// its type.
    fn add_parameter(
        &mut self,
        action: &Name,
        attribute: &Attribute,
        optional: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<()> {
        match self
            .parameters
            .iter_mut()
            .find(|known| known.name == attribute.name)
        {
            None => self.parameters.push(WriteParameter {
                name: attribute.name.clone(),
                kind: attribute.kind.clone(),
                optional,
            }),
            Some(known) if known.kind == attribute.kind => known.optional &= optional,
            Some(known) => {
                let message = format!(
                    "`{}` of {} is a {}, and the parameter `{}` a {}",
                    attribute.name, action.text, attribute.kind, known.name, known.kind
                );
                diagnostics.push(
                    Diagnostic::error(
                        "KF004",
                        action.span,
                        message,
                        "one parameter cannot be both",
                    )
                    .help("parameters are shared by name; rename one of the attributes"),
                );
                return None;
            }
        }
        Some(())
    }
}

/// A field of a record that stands for an attribute must hold what the attribute does.
fn check_field(
    declared: &ActionDecl,
    (attribute, whole): (&Attribute, bool),
    (name, kind, optional): &(String, Type, bool),
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<()> {
    let fits = *kind == attribute.kind || (*kind == Type::Int && attribute.kind == Type::Number);
    // Of an item that is there, the key is needed as it is.
    let may_lack = whole && (attribute.optional || attribute.default.is_some());
    if fits && (!optional || may_lack) {
        return Some(());
    }
    let message = if fits {
        format!(
            "`{name}` may be missing in a record, and every {} has one",
            declared.entity.text
        )
    } else {
        format!(
            "`{name}` of {} is a {}, and a record's a {kind}",
            declared.entity.text, attribute.kind
        )
    };
    let each = declared
        .each
        .as_ref()
        .map_or(declared.entity.span, |each| each.span);
    diagnostics.push(
        Diagnostic::error("KF004", each, message, "records of this list")
            .label(attribute.span, "declared here")
            .help(format!("declare the field as `{name}: {}`", attribute.kind)),
    );
    None
}

fn attribute<'e>(
    name: &Name,
    entity: &'e Entity,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<&'e Attribute> {
    let found = entity.attribute(&name.text);
    if found.is_none() {
        diagnostics.push(super::unknown_attribute(entity, name));
    }
    found
}

fn resolve_assignment(
    declared: &ast::AssignmentDecl,
    entity: &Entity,
    of_item: Option<&Entity>,
    known: &[(&str, &Type)],
    verb: Verb,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Assignment> {
    let found = attribute(&declared.attribute, entity, diagnostics)?;
    check_changeable(&declared.attribute, found, entity, verb, diagnostics)?;
    let kind = found.kind.clone();
    // To a number a number is added; to a list, one element.
    let added = match (&kind, &declared.right) {
        (Type::List(of), Some((true, _))) => (**of).clone(),
        (kind, Some(_)) if !kind.is_number() => {
            let message = format!("a {kind} cannot be added to or taken from");
            diagnostics.push(
                Diagnostic::error("KF004", declared.attribute.span, message, "no number")
                    .help("numbers are added to and taken from; to a list one element is added"),
            );
            return None;
        }
        (kind, _) => kind.clone(),
    };
    let left = operand(&declared.left, &kind, known, of_item, diagnostics)?;
    let right = match &declared.right {
        None => None,
        Some((plus, name)) => Some((*plus, operand(name, &added, known, of_item, diagnostics)?)),
    };
    if right.is_none() && left == Operand::Attribute(found.name.clone()) {
        let message = format!("`{}` is set to what it is", found.name);
        diagnostics.push(
            Diagnostic::error("KF004", declared.attribute.span, message, "changes nothing").help(
                format!(
                    "to give it a value, name it among the write's parameters: `write ...({})`",
                    found.name
                ),
            ),
        );
        return None;
    }
    Some(Assignment {
        attribute: found.name.clone(),
        left,
        right,
    })
}

/// A key does not change, and what the model keeps is not written by hand.
fn check_changeable(
    name: &Name,
    found: &Attribute,
    entity: &Entity,
    verb: Verb,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<()> {
    let diagnostic = if found.is_kept {
        let message = format!("`{}` of {} is kept by the model", found.name, entity.name);
        Diagnostic::error("KF016", name.span, message, "would overwrite what is kept")
            .label(found.span, "kept from here")
            .help("write the items that it follows from")
    } else if verb == Verb::Update && entity.key.fields().any(|field| field == found.name) {
        let message = format!("`{}` is part of the key of {}", found.name, entity.name);
        Diagnostic::error("KF016", name.span, message, "a key does not change")
            .label(entity.key.span, "the key")
            .note("an item with another key is another item")
            .help(format!(
                "delete the {} and create it anew, in two writes",
                entity.name
            ))
    } else {
        return Some(());
    };
    diagnostics.push(diagnostic);
    None
}

/// An operand of a calculation must be there.
fn check_operands(
    declared: &ActionDecl,
    entity: &Entity,
    assignments: &[Assignment],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<()> {
    let exists = |name: &str| {
        declared.conditions.iter().any(|condition| {
            condition.attribute.text == name
                && !matches!(condition.comparator.text.as_str(), "missing" | "<>")
        })
    };
    for (assignment, at) in assignments.iter().zip(&declared.assignments) {
        let operands =
            std::iter::once(&assignment.left).chain(assignment.right.as_ref().map(|(_, one)| one));
        for operand in operands {
            let Operand::Attribute(name) = operand else {
                continue;
            };
            let Some(found) = entity.attribute(name) else {
                continue;
            };
            // A list that is missing is an empty one.
            if found.optional && !matches!(found.kind, Type::List(_)) && !exists(name) {
                let message = format!(
                    "`{name}` of {} may be missing, and the write calculates with it",
                    entity.name
                );
                diagnostics.push(
                    Diagnostic::error(
                        "KF004",
                        at.attribute.span,
                        message,
                        "what if it is not there?",
                    )
                    .label(found.span, "declared optional here")
                    .help(format!(
                        "add `when exists {name}`, or declare it required, perhaps with a default"
                    )),
                );
                return None;
            }
        }
    }
    Some(())
}

fn check_removed(name: &Name, entity: &Entity, diagnostics: &mut Vec<Diagnostic>) -> Option<()> {
    let found = attribute(name, entity, diagnostics)?;
    if found.optional && !found.is_kept {
        return Some(());
    }
    let message = format!(
        "`{}` of {} is required and cannot be removed",
        found.name, entity.name
    );
    diagnostics.push(
        Diagnostic::error("KF004", name.span, message, "must always be there")
            .label(found.span, "declared here")
            .help("declare it optional with `?` behind its type"),
    );
    None
}
