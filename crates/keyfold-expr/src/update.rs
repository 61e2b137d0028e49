//! Updates: bound clauses, applied to an item.
//!
//! Every operand is read from the item as it was before; targets never overlap, so the order of clauses
//! does not matter. List elements are named by their positions before the update: removals come last and
//! from the end. Source: "Update expressions".

use crate::ast::{RawCall, RawOperand, RawUpdate, Sign};
use crate::bind::Binder;
use crate::error::{ExprError, ExprErrorKind, ExpressionKind, UpdateError};
use crate::parser::Parser;
use crate::path::{Path, PathPart};
use crate::placeholder::{Literal, Placeholders};
use keyfold_types::{Item, Number, Value, ValueKind};

/// A bound update.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Update {
    set: Vec<(Path, Term)>,
    remove: Vec<Path>,
    add: Vec<(Path, Value)>,
    delete: Vec<(Path, Value)>,
    /// Targets in the order they were written.
    targets: Vec<Path>,
    /// Made of AttributeUpdates, whose rules differ a little.
    is_legacy: bool,
}

/// What AttributeUpdates does to one attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeChange {
    /// Sets it.
    Put(Value),
    /// Adds to a number or set.
    Add(Value),
    /// Removes members of a set.
    DeleteMembers(Value),
    /// Removes it.
    Remove,
}

/// The right-hand side of a SET.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Term {
    Path(Path),
    Literal(Value),
    IfNotExists(Path, Box<Term>),
    ListAppend(Box<Term>, Box<Term>),
    Sum(Box<Term>, Sign, Box<Term>),
}

impl Update {
    /// Parses and binds an update.
    ///
    /// # Errors
    /// As [`ExprErrorKind`] lists.
    pub fn parse(text: &str, placeholders: &Placeholders<'_>) -> Result<Update, ExprError> {
        let expression = ExpressionKind::Update;
        let raw = Parser::new(expression, text)?.update()?;
        Binder { expression, placeholders }.update(&raw)
    }

    /// An update of whole attributes.
    pub fn of_attributes(changes: Vec<(String, AttributeChange)>) -> Update {
        let mut update = Update { is_legacy: true, ..Update::default() };
        for (name, change) in changes {
            let path = Path::attribute(name);
            update.targets.push(path.clone());
            match change {
                AttributeChange::Put(value) => update.set.push((path, Term::Literal(value))),
                AttributeChange::Add(value) => update.add.push((path, value)),
                AttributeChange::DeleteMembers(value) => update.delete.push((path, value)),
                AttributeChange::Remove => update.remove.push(path),
            }
        }
        update
    }

    /// An update of clauses that were read elsewhere. Targets must not overlap.
    pub(crate) fn of_parts(
        set: Vec<(Path, Term)>,
        remove: Vec<Path>,
        add: Vec<(Path, Value)>,
        delete: Vec<(Path, Value)>,
    ) -> Update {
        let targets = set.iter().map(|(path, _)| path).chain(&remove);
        let targets = targets.chain(add.iter().chain(&delete).map(|(path, _)| path)).cloned().collect();
        Update { set, remove, add, delete, targets, is_legacy: false }
    }

    /// Whether the update makes an item where there is none: AttributeUpdates that only delete do not.
    pub fn creates(&self) -> bool {
        let only_deletes = self.set.is_empty() && self.add.is_empty() && !self.targets.is_empty();
        !(self.is_legacy && only_deletes)
    }

    /// The paths that the update changes.
    pub fn targets(&self) -> &[Path] {
        &self.targets
    }

    /// Applies the update to `item`, whose operands are read before anything changes.
    ///
    /// # Errors
    /// [`UpdateError`]; the item is then in an undefined state and must be dropped.
    pub fn apply(&self, item: &mut Item) -> Result<(), UpdateError> {
        self.apply_clauses(item).map_err(|error| match error {
            UpdateError::OperandType if self.is_legacy => UpdateError::AttributeType,
            other => other,
        })
    }

    fn apply_clauses(&self, item: &mut Item) -> Result<(), UpdateError> {
        let mut assignments = self
            .set
            .iter()
            .map(|(path, term)| Ok((path, term.evaluate(item)?)))
            .collect::<Result<Vec<_>, _>>()?;
        // Appends to one list are in order of their positions.
        assignments.sort_by_key(|(path, _)| *path);
        let sums = self.add.iter().map(|(path, value)| Ok((path, added(path.find_in(item), value)?)));
        let sums = sums.collect::<Result<Vec<_>, _>>()?;
        let rests = self
            .delete
            .iter()
            .filter_map(|(path, value)| Some((path, subtracted(path.find_in(item)?, value))))
            .collect::<Vec<_>>();
        for (path, value) in assignments.into_iter().chain(sums) {
            assign(item, path, value)?;
        }
        let mut removals: Vec<&Path> = self.remove.iter().collect();
        for (path, rest) in rests {
            match rest? {
                Some(value) => assign(item, path, value)?,
                None => removals.push(path),
            }
        }
        removals.sort_by_key(|path| std::cmp::Reverse(*path));
        removals.into_iter().try_for_each(|path| remove(item, path))
    }
}

impl Term {
    fn evaluate(&self, item: &Item) -> Result<Value, UpdateError> {
        match self {
            Term::Path(path) => path.find_in(item).cloned().ok_or(UpdateError::MissingOperand),
            Term::Literal(value) => Ok(value.clone()),
            Term::IfNotExists(path, otherwise) => match path.find_in(item) {
                Some(value) => Ok(value.clone()),
                None => otherwise.evaluate(item),
            },
            Term::ListAppend(first, second) => match (first.evaluate(item)?, second.evaluate(item)?) {
                (Value::L(mut first), Value::L(second)) => {
                    first.extend(second);
                    Ok(Value::L(first))
                }
                _ => Err(UpdateError::OperandType),
            },
            Term::Sum(left, sign, right) => match (left.evaluate(item)?, right.evaluate(item)?) {
                (Value::N(left), Value::N(right)) => {
                    let result = match sign {
                        Sign::Plus => left.checked_add(&right),
                        Sign::Minus => left.checked_sub(&right),
                    };
                    result.map(Value::N).map_err(UpdateError::Number)
                }
                _ => Err(UpdateError::OperandType),
            },
        }
    }

    /// The literal's kind, when the term is one.
    fn literal_kind(&self) -> Option<ValueKind> {
        match self {
            Term::Literal(value) => Some(value.kind()),
            Term::ListAppend(..) => Some(ValueKind::L),
            Term::Sum(..) => Some(ValueKind::N),
            Term::Path(_) | Term::IfNotExists(..) => None,
        }
    }
}

fn added(before: Option<&Value>, more: &Value) -> Result<Value, UpdateError> {
    match (before, more) {
        (None, Value::N(number)) => {
            Number::ZERO.checked_add(number).map(Value::N).map_err(UpdateError::Number)
        }
        (None, more) => Ok(more.clone()),
        (Some(Value::N(one)), Value::N(two)) => {
            one.checked_add(two).map(Value::N).map_err(UpdateError::Number)
        }
        (Some(Value::Ss(one)), Value::Ss(two)) => Ok(Value::Ss(one.clone().union(two.clone()))),
        (Some(Value::Ns(one)), Value::Ns(two)) => Ok(Value::Ns(one.clone().union(two.clone()))),
        (Some(Value::Bs(one)), Value::Bs(two)) => Ok(Value::Bs(one.clone().union(two.clone()))),
        _ => Err(UpdateError::OperandType),
    }
}

/// The set without the members; nothing when none is left.
fn subtracted(before: &Value, less: &Value) -> Result<Option<Value>, UpdateError> {
    match (before, less) {
        (Value::Ss(one), Value::Ss(two)) => Ok(one.clone().difference(two).map(Value::Ss)),
        (Value::Ns(one), Value::Ns(two)) => Ok(one.clone().difference(two).map(Value::Ns)),
        (Value::Bs(one), Value::Bs(two)) => Ok(one.clone().difference(two).map(Value::Bs)),
        _ => Err(UpdateError::OperandType),
    }
}

/// The container that the path's last part names something in.
fn parent<'i>(item: &'i mut Item, path: &Path) -> Result<&'i mut Value, UpdateError> {
    let inner = path.parts().get(1..path.parts().len() - 1).unwrap_or_default();
    let mut value = item.get_mut(path.root()).ok_or(UpdateError::InvalidPath)?;
    for part in inner {
        value = match (part, value) {
            (PathPart::Name(name), Value::M(map)) => map.get_mut(name),
            (PathPart::Index(index), Value::L(list)) => list.get_mut(*index),
            _ => None,
        }
        .ok_or(UpdateError::InvalidPath)?;
    }
    Ok(value)
}

fn assign(item: &mut Item, path: &Path, value: Value) -> Result<(), UpdateError> {
    if let Some(name) = path.as_attribute() {
        item.insert(name, value);
        return Ok(());
    }
    match (path.parts().last(), parent(item, path)?) {
        (Some(PathPart::Name(name)), Value::M(map)) => {
            map.insert(name.clone(), value);
        }
        (Some(PathPart::Index(index)), Value::L(list)) => match list.get_mut(*index) {
            Some(slot) => *slot = value,
            None => list.push(value),
        },
        _ => return Err(UpdateError::InvalidPath),
    }
    Ok(())
}

fn remove(item: &mut Item, path: &Path) -> Result<(), UpdateError> {
    if let Some(name) = path.as_attribute() {
        item.remove(name);
        return Ok(());
    }
    match (path.parts().last(), parent(item, path)?) {
        (Some(PathPart::Name(name)), Value::M(map)) => {
            map.remove(name);
        }
        (Some(PathPart::Index(index)), Value::L(list)) => {
            if *index < list.len() {
                list.remove(*index);
            }
        }
        _ => return Err(UpdateError::InvalidPath),
    }
    Ok(())
}

impl Binder<'_, '_> {
    fn update(&self, raw: &RawUpdate<'_>) -> Result<Update, ExprError> {
        let mut update = Update::default();
        for (path, value) in &raw.set {
            let path = self.path(path)?;
            update.targets.push(path.clone());
            update.set.push((path, self.term(value)?));
        }
        for path in &raw.remove {
            let path = self.path(path)?;
            update.targets.push(path.clone());
            update.remove.push(path);
        }
        for (path, value) in &raw.add {
            let (path, literal) = (self.path(path)?, self.clause_literal(value)?);
            let kind = literal.value().kind();
            if kind != ValueKind::N && !kind.is_set() {
                return self.fail(ExprErrorKind::ClauseOperandType { clause: "ADD", found: kind });
            }
            update.targets.push(path.clone());
            update.add.push((path, literal.value().clone()));
        }
        for (path, value) in &raw.delete {
            let (path, literal) = (self.path(path)?, self.clause_literal(value)?);
            let kind = literal.value().kind();
            if !kind.is_set() {
                return self.fail(ExprErrorKind::ClauseOperandType { clause: "DELETE", found: kind });
            }
            update.targets.push(path.clone());
            update.delete.push((path, literal.value().clone()));
        }
        self.check_disjoint(&update.targets.iter().collect::<Vec<_>>())?;
        Ok(update)
    }

    fn clause_literal(&self, raw: &RawOperand<'_>) -> Result<Literal, ExprError> {
        match raw {
            RawOperand::Value(placeholder) => self.literal(placeholder),
            RawOperand::Path(_) | RawOperand::Call(_) | RawOperand::Sum { .. } => {
                self.fail(ExprErrorKind::FunctionNotAllowed { function: "path".to_owned() })
            }
        }
    }

    fn term(&self, raw: &RawOperand<'_>) -> Result<Term, ExprError> {
        match raw {
            RawOperand::Path(path) => Ok(Term::Path(self.path(path)?)),
            RawOperand::Value(placeholder) => Ok(Term::Literal(self.literal(placeholder)?.value().clone())),
            RawOperand::Sum { left, sign, right } => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                self.check_term(sign.text(), &[&left, &right], ValueKind::N)?;
                Ok(Term::Sum(Box::new(left), *sign, Box::new(right)))
            }
            RawOperand::Call(call) => self.term_call(call),
        }
    }

    fn term_call(&self, call: &RawCall<'_>) -> Result<Term, ExprError> {
        match call.function {
            "if_not_exists" => {
                let [path, otherwise] = self.arguments(call)?;
                let RawOperand::Path(path) = path else {
                    return self.fail(ExprErrorKind::PathRequired { operator: call.function.to_owned() });
                };
                Ok(Term::IfNotExists(self.path(path)?, Box::new(self.term(otherwise)?)))
            }
            "list_append" => {
                let [first, second] = self.arguments(call)?;
                let (first, second) = (self.term(first)?, self.term(second)?);
                self.check_term(call.function, &[&first, &second], ValueKind::L)?;
                Ok(Term::ListAppend(Box::new(first), Box::new(second)))
            }
            "attribute_exists"
            | "attribute_not_exists"
            | "attribute_type"
            | "begins_with"
            | "contains"
            | "size" => self.fail(ExprErrorKind::FunctionNotAllowed { function: call.function.to_owned() }),
            unknown => self.fail(ExprErrorKind::UnknownFunction { function: unknown.to_owned() }),
        }
    }

    fn check_term(&self, operator: &str, terms: &[&Term], wanted: ValueKind) -> Result<(), ExprError> {
        match terms.iter().filter_map(|term| term.literal_kind()).find(|kind| *kind != wanted) {
            Some(found) => self.fail(ExprErrorKind::OperandType { operator: operator.to_owned(), found }),
            None => Ok(()),
        }
    }
}
