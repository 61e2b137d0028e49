//! Conditions of what follows an entity: a copy of it, or a view.

use super::comparison::Operands;
use super::condition::{self, Subject};
use super::names::{self, unknown_attribute};
use crate::diagnostic::Diagnostic;
use crate::schema::{Attribute, Comparison, Condition, Entity, Operand};
use crate::syntax::ast::{ComparisonDecl, ConditionDecl, Name};

/// Refuses an attribute that a condition names.
type Check<'f> = dyn Fn(&Name, &Attribute) -> Result<(), Box<Diagnostic>> + 'f;

/// A copy or a view, which changes with the writes of an entity alone.
pub(super) struct Follower<'f> {
    /// `copy` or `view`.
    pub(super) word: &'static str,
    /// Its name.
    pub(super) name: &'f str,
    /// The entity that it follows.
    pub(super) entity: &'f Entity,
    /// Refuses an attribute that it cannot depend on.
    pub(super) check: &'f Check<'f>,
}

impl Follower<'_> {
    /// Resolves its conditions. They compare attributes of the entity with each other and with fixed
    /// values, so that they change by writes of the entity alone.
    pub(super) fn conditions(
        &self,
        declared: &[ConditionDecl],
    ) -> Result<Vec<Condition>, Box<Diagnostic>> {
        self.check_no_moment(declared)?;
        let when = declared.iter();
        when.map(|one| condition::resolve(one, &|one| self.comparison(one)))
            .collect()
    }

    /// Refuses the present moment: it passes without a write.
    fn check_no_moment(&self, declared: &[ConditionDecl]) -> Result<(), Box<Diagnostic>> {
        let entity = self.entity;
        let kind_of = |name: &Name| entity.attribute(&name.text).map(|found| &found.kind);
        let is_attribute = |name: &Name| entity.attribute(&name.text).is_some();
        let Some((_, now)) = condition::type_of_now(declared, kind_of) else {
            return Ok(());
        };
        if is_attribute(&now) {
            return Ok(());
        }
        let message = format!("the {} {} depends on the time", self.word, self.name);
        let label = format!("a {} changes with its entity only", self.word);
        Err(Box::new(
            Diagnostic::error("KF016", now.span, message, label)
                .help("compare with a fixed value or another attribute, and filter by `now`"),
        ))
    }

    fn comparison(&self, one: &ComparisonDecl) -> Result<Comparison, Box<Diagnostic>> {
        let entity = self.entity;
        let operands = Operands {
            parameters: &[],
            item: Some(entity),
            above: None,
        };
        let name = &one.attribute;
        let Some(attribute) = entity.attribute(&name.text) else {
            let error = unknown_attribute(entity, name);
            return Err(Box::new(self.of_source(error)));
        };
        (self.check)(name, attribute)?;
        let subject = Subject::of(one, &attribute.kind)?;
        let comparison = operands.comparison(one, &subject).map_err(|error| {
            let unknown = unknown_operand(one, entity).filter(|_| error.code == "KF002");
            match unknown {
                Some(unknown) => Box::new(self.of_source(unknown)),
                None => error,
            }
        })?;
        for (declared, operand) in one.operands.iter().zip(&comparison.operands) {
            if let Operand::Attribute(other) = operand
                && let Some(found) = entity.attribute(&other.attribute)
            {
                (self.check)(&declared.name, found)?;
            }
        }
        Ok(comparison)
    }

    /// An error about a name in a condition, with what such a condition may name.
    fn of_source(&self, error: Diagnostic) -> Diagnostic {
        let (word, name, source) = (self.word, self.name, &self.entity.name);
        error
            .note(format!(
                "the {word} {name} changes by writes of {source} alone: its condition compares attributes of {source} with each other and with fixed values"
            ))
            .help(format!("declare in {source} what the {word} depends on"))
    }
}

/// The error about an operand that is no attribute of the entity.
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
