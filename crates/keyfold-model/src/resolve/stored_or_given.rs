//! Names on the right side of an action that could be a stored attribute or a parameter that nobody
//! declared: the model says which.

use super::source::{is_given, parameter_of};
use crate::diagnostic::{Diagnostic, Span};
use crate::schema::{Assignment, Condition, Entity, Operand, Record};
use crate::syntax::ast::ActionDecl;
use crate::words::Verb;

/// An action whose operands are resolved.
pub(super) struct Resolved<'a> {
    pub(super) declared: &'a ActionDecl,
    pub(super) entity: &'a Entity,
    /// The record of `for each`, whose fields are operands.
    pub(super) each: Option<&'a Record>,
    pub(super) assignments: &'a [Assignment],
    pub(super) conditions: &'a [Condition],
}

impl Resolved<'_> {
    /// Refuses a name that could be what is stored or what is given. `is_declared` knows the
    /// parameters in parentheses, which always stand for what is given.
    pub(super) fn check(&self, is_declared: &dyn Fn(&str) -> bool) -> Result<(), Box<Diagnostic>> {
        if self.declared.verb == Verb::Upsert {
            return self.check_upsert(is_declared);
        }
        if self.declared.verb.writes_all_attributes() {
            return Ok(());
        }
        let is_hidden = |name: &str| !is_declared(name) && self.hides(name);
        let assigned = self.assignments.iter().zip(&self.declared.assignments);
        for (one, at) in assigned {
            // `set total = total` gives an attribute what another action takes by that name: to set it
            // to what is stored would change nothing.
            let is_plain = one.right.is_none() && one.fields.is_empty();
            let is_own = |name: &str| is_plain && name == one.attribute;
            if let Some(name) = one
                .parameters()
                .find(|name| is_hidden(name) && !is_own(name))
            {
                return Err(self.either(name, at.attribute.span));
            }
        }
        let comparisons = self.conditions.iter().flat_map(Condition::comparisons);
        for one in comparisons {
            let is_plain = one.fields.is_empty();
            let is_own = |name: &str| is_plain && name == one.attribute;
            let mut named = one.operands.iter().filter_map(|operand| match operand {
                Operand::Parameter(name) => Some(name),
                Operand::Attribute(_) | Operand::Lent(_) | Operand::Literal(_) => None,
            });
            if let Some(name) = named.find(|name| is_hidden(name) && !is_own(name)) {
                return Err(self.either(name, one.span));
            }
        }
        Ok(())
    }

    /// Whether a parameter of another action hides an attribute of the stored item. The attributes that
    /// identify the item are the same in both, unless the action takes them from elsewhere.
    fn hides(&self, name: &str) -> bool {
        let is_field = self
            .each
            .is_some_and(|record| record.fields.iter().any(|(field, ..)| field == name));
        let is_same = self.entity.identifies(name)
            && !is_given(self.declared, name)
            && parameter_of(self.declared, name) == name;
        let found = self.entity.attribute(name);
        found.is_some_and(|found| !found.is_touched()) && !is_field && !is_same
    }

    fn either(&self, name: &str, span: Span) -> Box<Diagnostic> {
        let entity = &self.entity.name;
        let message =
            format!("`{name}` could be what is stored in {entity} or what another action takes");
        Box::new(
            Diagnostic::error("KF016", span, message, "depends on it")
                .note(format!(
                    "another action of this write takes an attribute `{name}`, which became a parameter"
                ))
                .help(format!(
                    "for what is given: add `{name}` to the parameters in parentheses"
                ))
                .help(format!(
                    "for what is stored: give the other action a name, `create ... as other`: its parameter is then `other.{name}`"
                )),
        )
    }

    /// An attribute on the right side of an upsert that a new item takes as a parameter could be the
    /// stored one or the parameter.
    fn check_upsert(&self, is_declared: &dyn Fn(&str) -> bool) -> Result<(), Box<Diagnostic>> {
        let entity = self.entity;
        let is_open = |name: &&String| {
            let in_key = entity.identifies(name);
            entity.attribute(name).is_some() && !in_key && !is_declared(name)
        };
        let taken = self.assignments.iter().zip(&self.declared.assignments);
        for (one, at) in taken.filter(|_| self.declared.each.is_none()) {
            let Some(name) = one.parameters().find(is_open) else {
                continue;
            };
            let message = format!("`{name}` could be what is stored or what a new item gets");
            return Err(Box::new(
                Diagnostic::error("KF016", at.attribute.span, message, "depends on it")
                    .note(format!(
                        "a new {} takes `{name}` as a parameter",
                        entity.name
                    ))
                    .help(format!(
                        "for what is given: add `{name}` to the parameters in parentheses"
                    ))
                    .help(format!(
                        "for what is stored: say what a new item has: `else {name} = ...`"
                    )),
            ));
        }
        Ok(())
    }
}
