//! Named writes.

use super::condition::{Condition, Lent, Operand};
use super::entity::Entity;
use super::path::Path;
use crate::diagnostic::Span;
use crate::types::Type;
use crate::words::{Joint, Verb};
use keyfold_types::Value;
use std::collections::BTreeSet;

/// A change of an attribute: `stock = stock - quantity`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The attribute.
    pub attribute: String,
    /// The way to a field inside it, which is a record or map; empty for the attribute itself.
    pub fields: Vec<String>,
    /// The first operand, or the new value where there is no second.
    pub left: Operand,
    /// The second operand, and how it is joined to the first.
    pub right: Option<(Joint, Operand)>,
}

impl Assignment {
    /// The path that it changes.
    pub fn path(&self) -> Path {
        Path {
            attribute: self.attribute.clone(),
            fields: self.fields.clone(),
        }
    }

    /// The attributes of the item that it takes values from, and the fields inside them.
    pub fn sources(&self) -> impl Iterator<Item = &Path> {
        self.operands().filter_map(|operand| match operand {
            Operand::Attribute(path) => Some(path),
            Operand::Parameter(_) | Operand::Lent(_) | Operand::Literal(_) => None,
        })
    }

    /// The attributes of the entities of earlier actions that it takes.
    pub fn lent(&self) -> impl Iterator<Item = &Lent> {
        self.operands().filter_map(|operand| match operand {
            Operand::Lent(lent) => Some(lent),
            Operand::Attribute(_) | Operand::Parameter(_) | Operand::Literal(_) => None,
        })
    }

    /// Whether it makes a value without the attributes of an item: of parameters, fixed values and
    /// attributes of earlier actions, or by adding to a list or set, which counts as empty where it is missing.
    pub fn starts_from_nothing(&self, entity: &Entity) -> bool {
        let is_given = |operand: &Operand| match operand {
            Operand::Parameter(_) | Operand::Lent(_) | Operand::Literal(_) => true,
            Operand::Attribute(path) => {
                let found = entity.attribute(&path.attribute);
                *path == self.path()
                    && found.is_some_and(|found| matches!(found.kind, Type::List(_) | Type::Set(_)))
            }
        };
        self.fields.is_empty() && self.operands().all(is_given)
    }

    /// The parameters that it uses.
    pub fn parameters(&self) -> impl Iterator<Item = &String> {
        self.operands().filter_map(|operand| match operand {
            Operand::Parameter(name) => Some(name),
            Operand::Attribute(_) | Operand::Lent(_) | Operand::Literal(_) => None,
        })
    }

    /// Its operands.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let right = self.right.as_ref().map(|(_, right)| right);
        std::iter::once(&self.left).chain(right)
    }
}

/// The source of an attribute that an action takes, where it is not the parameter of its name.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Another parameter: `from.accountId` of an alias, or the one that `where` names.
    Parameter(String),
    /// A fixed value.
    Literal(Value),
    /// An attribute of the entity of an earlier action: as it is stored, or as it is created or put.
    Attribute {
        /// The position of the action in the write.
        action: usize,
        /// The attribute.
        attribute: String,
    },
}

impl From<Lent> for Source {
    fn from(lent: Lent) -> Source {
        Source::Attribute {
            action: lent.action,
            attribute: lent.attribute,
        }
    }
}

/// An attribute that an action takes from elsewhere than the parameter of its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// The attribute.
    pub attribute: String,
    /// Its source.
    pub source: Source,
    /// Whether a `where` of the action names the source.
    pub is_declared: bool,
}

/// An action of a named write.
#[derive(Debug, Clone)]
pub struct Action {
    /// Its verb.
    pub verb: Verb,
    /// The position of the entity in the model.
    pub entity: usize,
    /// The name behind `as`, which distinguishes it from other actions on the entity.
    pub alias: Option<String>,
    /// The attributes that it takes from elsewhere than the parameters of their names. The action is
    /// left out when the source of a key attribute has no value.
    pub taken: Vec<Taken>,
    /// The parameter with a list of records; the action runs once for each element.
    pub each: Option<String>,
    /// The assignments: changes, or values given beside the parameters.
    pub assignments: Vec<Assignment>,
    /// What a new item gets instead, where an upsert finds none: values of parameters and fixed ones.
    pub otherwise: Vec<Assignment>,
    /// Attributes, and fields inside them, that are removed.
    pub removed: Vec<Path>,
    /// The conditions; all of them hold.
    pub conditions: Vec<Condition>,
}

impl Action {
    /// The action without assignments and comparisons that use one of these parameters, which are
    /// not given: their attributes stay as they are.
    pub fn without(&self, absent: &[String]) -> Action {
        let absent: BTreeSet<&str> = absent.iter().map(String::as_str).collect();
        let is_absent = |name: &str| absent.contains(name);
        let is_kept = |one: &&Assignment| one.parameters().all(|name| !is_absent(name));
        let kept = |all: &[Assignment]| all.iter().filter(is_kept).cloned().collect();
        let conditions = self.conditions.iter();
        Action {
            assignments: kept(&self.assignments),
            otherwise: kept(&self.otherwise),
            conditions: conditions
                .filter_map(|one| one.without(&is_absent))
                .collect(),
            ..self.clone()
        }
    }

    /// The attributes of the entities of earlier actions that its assignments take.
    pub fn lent(&self) -> impl Iterator<Item = &Lent> {
        let assigned = self.assignments.iter().chain(&self.otherwise);
        assigned.flat_map(Assignment::lent)
    }

    /// The attributes that it takes from the entity of the action at a position of the write: in
    /// assignments, and to find its item.
    pub fn taken_from(&self, at: usize) -> impl Iterator<Item = &str> {
        let found = self.taken.iter().filter_map(move |one| match &one.source {
            Source::Attribute { action, attribute } if *action == at => Some(attribute.as_str()),
            Source::Attribute { .. } | Source::Parameter(_) | Source::Literal(_) => None,
        });
        let assigned = self.lent().filter(move |one| one.action == at);
        found.chain(assigned.map(|one| one.attribute.as_str()))
    }

    /// The attributes that it assigns or removes.
    pub fn written_attributes(&self) -> impl Iterator<Item = &String> {
        let assigned = self.assignments.iter().map(|one| &one.attribute);
        assigned.chain(self.removed.iter().map(|path| &path.attribute))
    }
}

/// A named write: actions that happen together or not at all.
#[derive(Debug, Clone)]
pub struct Write {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Its parameters and their types.
    pub parameters: Vec<WriteParameter>,
    /// Its actions.
    pub actions: Vec<Action>,
}

impl Write {
    /// The parameters that a caller may leave out, and that have no default of their own.
    pub fn optional_parameters(&self) -> Vec<String> {
        let optional = self
            .parameters
            .iter()
            .filter(|one| one.optional && !one.is_now);
        optional.map(|one| one.name.clone()).collect()
    }
}

/// A parameter of a named write.
#[derive(Debug, Clone)]
pub struct WriteParameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Type,
    /// Whether a caller may leave it out.
    pub optional: bool,
    /// Whether it is the `now` of a condition, whose default is the present moment.
    pub is_now: bool,
}
