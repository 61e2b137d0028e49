//! Updates: bound clauses, applied to an item.
//!
//! Every clause sees the item as it was before, and targets never overlap, so the order of clauses
//! does not matter. Positions of list elements are those before the update: an element past the end
//! is appended, in the order of the positions; removals come last, from the end of the list.
//! Source: "Update expressions".

use crate::ast::{Clause, Function, RawCall, RawOperand, RawUpdate, Sign};
use crate::bind::Binder;
use crate::error::{ExprError, ExprErrorKind, ExpressionKind, UpdateError};
use crate::parser::Parser;
use crate::path::{Path, PathPart};
use crate::placeholder::{Literal, Placeholders};
use keyfold_types::limits::ITEM_BYTES_MAX;
use keyfold_types::{Item, Number, NumberError, Value, ValueKind};
use std::borrow::Cow;
use std::cell::Cell;

/// A bound update.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Update {
    set: Vec<(Path, Term)>,
    remove: Vec<Path>,
    add: Vec<(Path, Literal)>,
    delete: Vec<(Path, Literal)>,
    /// The targets in the order of the text.
    targets: Vec<Path>,
    /// Whether the update comes from AttributeUpdates, which has another message for a wrong type.
    is_legacy: bool,
}

/// The change of one attribute by AttributeUpdates.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeChange {
    /// Sets the attribute.
    Put(Value),
    /// Adds to a number, a set or a list.
    Add(Value),
    /// Removes members of a set.
    DeleteMembers(Value),
    /// Removes the attribute.
    Remove,
}

/// The right-hand side of a SET.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Term {
    Path(Path),
    Literal(Literal),
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
        Binder {
            expression,
            placeholders,
        }
        .update(&raw)
    }

    /// An update of top-level attributes, as AttributeUpdates describes it.
    pub fn of_attributes(changes: Vec<(String, AttributeChange)>) -> Update {
        let mut update = Update {
            is_legacy: true,
            ..Update::default()
        };
        for (name, change) in changes {
            let path = Path::attribute(name);
            update.targets.push(path.clone());
            match change {
                AttributeChange::Put(value) => {
                    update.set.push((path, Term::Literal(Literal::new(value))))
                }
                AttributeChange::Add(value) => update.add.push((path, Literal::new(value))),
                AttributeChange::DeleteMembers(value) => {
                    update.delete.push((path, Literal::new(value)))
                }
                AttributeChange::Remove => update.remove.push(path),
            }
        }
        update
    }

    /// An update of bound clauses. The caller checks that targets do not overlap.
    pub(crate) fn of_parts(
        set: Vec<(Path, Term)>,
        remove: Vec<Path>,
        add: Vec<(Path, Literal)>,
        delete: Vec<(Path, Literal)>,
    ) -> Update {
        let targets = set.iter().map(|(path, _)| path).chain(&remove);
        let targets = targets
            .chain(add.iter().chain(&delete).map(|(path, _)| path))
            .cloned()
            .collect();
        Update {
            set,
            remove,
            add,
            delete,
            targets,
            is_legacy: false,
        }
    }

    /// Whether the update creates a missing item: one that only removes does not.
    pub fn creates(&self) -> bool {
        self.targets.is_empty() || !self.set.is_empty() || !self.add.is_empty()
    }

    /// The attributes that are set to a literal of the request.
    pub fn literals(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.set.iter().filter_map(|(path, term)| match term {
            Term::Literal(literal) => Some((path.as_attribute()?, literal.value())),
            Term::Path(_) | Term::IfNotExists(..) | Term::ListAppend(..) | Term::Sum(..) => None,
        })
    }

    /// Calls `visit` with every path that the update changes or reads.
    pub fn visit_paths<'s>(&'s self, visit: &mut impl FnMut(&'s Path)) {
        self.targets.iter().for_each(&mut *visit);
        self.set
            .iter()
            .for_each(|(_, term)| term.visit_paths(visit));
    }

    /// The paths that the update changes.
    pub fn targets(&self) -> &[Path] {
        &self.targets
    }

    /// Applies the update to `item`. All operands are evaluated before anything changes.
    ///
    /// # Errors
    /// [`UpdateError`]; the item is then in an undefined state and must be dropped.
    pub fn apply(&self, item: &mut Item) -> Result<(), UpdateError> {
        self.apply_clauses(item).map_err(|error| {
            if self.is_legacy && error == UpdateError::OperandType {
                UpdateError::AttributeType
            } else {
                error
            }
        })
    }

    fn apply_clauses(&self, item: &mut Item) -> Result<(), UpdateError> {
        // All values are evaluated, and all targets looked up, before anything changes.
        let Changes {
            mut writes,
            mut removals,
        } = self.changes(item)?;
        // Elements are appended to a list in the order of their positions.
        writes.sort_by_key(|write| write.path);
        for write in writes {
            write.apply(item)?;
        }
        // Removals go from the end of a list, so that the positions of others stay valid. Appended
        // elements lie behind them.
        removals.sort_by_key(|path| std::cmp::Reverse(*path));
        removals.into_iter().try_for_each(|path| remove(item, path))
    }

    /// Evaluates all clauses on the item as it is.
    fn changes(&self, item: &Item) -> Result<Changes<'_>, UpdateError> {
        let allowance = Allowance::default();
        let mut changes = Changes::default();
        for (path, term) in &self.set {
            let value = term.evaluate(item, &allowance)?;
            if allowance.takes(&value) {
                changes.writes.push(Assignment {
                    path,
                    value: value.into_owned(),
                    replaces: path.find_in(item).is_some(),
                });
            }
        }
        for (path, more) in &self.add {
            let before = path.find_in(item);
            if allowance.takes(more.value()) {
                changes.writes.push(Assignment {
                    path,
                    value: added(before, more.value())?,
                    replaces: before.is_some(),
                });
            }
        }
        for path in &self.remove {
            match path.find_in(item) {
                Some(_) => changes.removals.push(path),
                None => check_parent(item, path)?,
            }
        }
        for (path, less) in &self.delete {
            let Some(before) = path.find_in(item) else {
                check_parent(item, path)?;
                continue;
            };
            match subtracted(before, less.value())? {
                Some(value) => changes.writes.push(Assignment {
                    path,
                    value,
                    replaces: true,
                }),
                None => changes.removals.push(path),
            }
        }
        if allowance.is_exceeded() {
            return Err(UpdateError::ItemSize);
        }
        Ok(changes)
    }
}

/// The changes of an update to one item.
#[derive(Default)]
struct Changes<'u> {
    writes: Vec<Assignment<'u>>,
    removals: Vec<&'u Path>,
}

/// A value that a path gets.
struct Assignment<'u> {
    path: &'u Path,
    value: Value,
    /// Whether the path had a value before the update. A new element of a list is appended.
    replaces: bool,
}

impl Assignment<'_> {
    fn apply(self, item: &mut Item) -> Result<(), UpdateError> {
        let Assignment {
            path,
            value,
            replaces,
        } = self;
        if let Some(name) = path.as_attribute() {
            item.insert(name, value);
            return Ok(());
        }
        match (path.parts().last(), parent(item, path)?) {
            (Some(PathPart::Name(name)), Value::M(map)) => {
                map.insert(name.to_string(), value);
            }
            (Some(PathPart::Index(index)), Value::L(list)) => {
                match list.get_mut(*index).filter(|_| replaces) {
                    Some(slot) => *slot = value,
                    None => list.push(value),
                }
            }
            _ => return Err(UpdateError::InvalidPath),
        }
        Ok(())
    }
}

/// Bytes that assigned values may still take; none once they are exceeded. Targets never overlap,
/// so all values end up in the item: if they exceed its limit together, no further value is copied.
struct Allowance(Cell<Option<u64>>);

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance(Cell::new(Some(ITEM_BYTES_MAX)))
    }
}

impl Allowance {
    /// Takes the bytes of a value; false if the allowance is exceeded.
    fn takes(&self, value: &Value) -> bool {
        let left = self
            .0
            .get()
            .and_then(|left| left.checked_sub(value.size_bytes()));
        self.0.set(left);
        left.is_some()
    }

    /// Whether a value of so many bytes fits; if not, the allowance counts as exceeded.
    fn fits(&self, bytes: u64) -> bool {
        let fits = self.0.get().is_some_and(|left| bytes <= left);
        if !fits {
            self.0.set(None);
        }
        fits
    }

    fn is_exceeded(&self) -> bool {
        self.0.get().is_none()
    }
}

impl Term {
    fn evaluate<'i>(
        &'i self,
        item: &'i Item,
        allowance: &Allowance,
    ) -> Result<Cow<'i, Value>, UpdateError> {
        match self {
            Term::Path(path) => path
                .find_in(item)
                .map(Cow::Borrowed)
                .ok_or(UpdateError::MissingOperand),
            Term::Literal(literal) => Ok(Cow::Borrowed(literal.value())),
            Term::IfNotExists(path, otherwise) => match path.find_in(item) {
                Some(value) => Ok(Cow::Borrowed(value)),
                None => otherwise.evaluate(item, allowance),
            },
            Term::ListAppend(first, second) => {
                let (first, second) = (
                    first.evaluate(item, allowance)?,
                    second.evaluate(item, allowance)?,
                );
                let (Value::L(one), Value::L(two)) = (&*first, &*second) else {
                    return Err(UpdateError::OperandType);
                };
                if !allowance.fits(first.size_bytes() + second.size_bytes()) {
                    return Ok(Cow::Owned(Value::Null));
                }
                Ok(Cow::Owned(Value::L(
                    one.iter().chain(two).cloned().collect(),
                )))
            }
            Term::Sum(left, sign, right) => {
                match (
                    &*left.evaluate(item, allowance)?,
                    &*right.evaluate(item, allowance)?,
                ) {
                    (Value::N(left), Value::N(right)) => {
                        let result = match sign {
                            Sign::Plus => left.checked_add(right),
                            Sign::Minus => left.checked_sub(right),
                        };
                        result.map(Value::N).map(Cow::Owned).map_err(out_of_range)
                    }
                    _ => Err(UpdateError::OperandType),
                }
            }
        }
    }

    fn visit_paths<'s>(&'s self, visit: &mut impl FnMut(&'s Path)) {
        match self {
            Term::Literal(_) => {}
            Term::Path(path) => visit(path),
            Term::IfNotExists(path, otherwise) => {
                visit(path);
                otherwise.visit_paths(visit);
            }
            Term::ListAppend(one, two) | Term::Sum(one, _, two) => {
                one.visit_paths(visit);
                two.visit_paths(visit);
            }
        }
    }

    /// The type of the term's value, where it is known before the item is.
    fn known_kind(&self) -> Option<ValueKind> {
        match self {
            Term::Literal(literal) => Some(literal.value().kind()),
            Term::ListAppend(..) => Some(ValueKind::L),
            Term::Sum(..) => Some(ValueKind::N),
            Term::Path(_) | Term::IfNotExists(..) => None,
        }
    }
}

/// The error of arithmetic: DynamoDB reports a result of too many digits as an overflow.
fn out_of_range(error: NumberError) -> UpdateError {
    UpdateError::Number(match error {
        NumberError::Precision | NumberError::Overflow => NumberError::Overflow,
        NumberError::Syntax => NumberError::Syntax,
        NumberError::Underflow => NumberError::Underflow,
    })
}

/// The result of ADD.
fn added(before: Option<&Value>, more: &Value) -> Result<Value, UpdateError> {
    match (before, more) {
        (None, Value::N(number)) => Number::ZERO
            .checked_add(number)
            .map(Value::N)
            .map_err(out_of_range),
        (None, more) => Ok(more.clone()),
        (Some(Value::N(one)), Value::N(two)) => {
            one.checked_add(two).map(Value::N).map_err(out_of_range)
        }
        (Some(Value::L(one)), Value::L(two)) => {
            Ok(Value::L(one.iter().chain(two).cloned().collect()))
        }
        (Some(Value::Ss(one)), Value::Ss(two)) => Ok(Value::Ss(one.clone().union(two.clone()))),
        (Some(Value::Ns(one)), Value::Ns(two)) => Ok(Value::Ns(one.clone().union(two.clone()))),
        (Some(Value::Bs(one)), Value::Bs(two)) => Ok(Value::Bs(one.clone().union(two.clone()))),
        _ => Err(UpdateError::OperandType),
    }
}

/// The set without the members; none if no member is left.
fn subtracted(before: &Value, less: &Value) -> Result<Option<Value>, UpdateError> {
    match (before, less) {
        (Value::Ss(one), Value::Ss(two)) => Ok(one.clone().difference(two).map(Value::Ss)),
        (Value::Ns(one), Value::Ns(two)) => Ok(one.clone().difference(two).map(Value::Ns)),
        (Value::Bs(one), Value::Bs(two)) => Ok(one.clone().difference(two).map(Value::Bs)),
        _ => Err(UpdateError::OperandType),
    }
}

/// The map or list that the last step of a path leads into.
fn parent<'i>(item: &'i mut Item, path: &Path) -> Result<&'i mut Value, UpdateError> {
    let inner = path
        .parts()
        .get(1..path.parts().len() - 1)
        .unwrap_or_default();
    let mut value = item.get_mut(path.root()).ok_or(UpdateError::InvalidPath)?;
    for part in inner {
        value = part.step_mut(value).ok_or(UpdateError::InvalidPath)?;
    }
    Ok(value)
}

/// Refuses a path whose parent is missing, or is not a map (or list) as its last step needs.
fn check_parent(item: &Item, path: &Path) -> Result<(), UpdateError> {
    match (path.parts().last(), path.parent_in(item)) {
        _ if path.as_attribute().is_some() => Ok(()),
        (Some(PathPart::Name(_)), Some(Value::M(_)))
        | (Some(PathPart::Index(_)), Some(Value::L(_))) => Ok(()),
        _ => Err(UpdateError::InvalidPath),
    }
}

fn remove(item: &mut Item, path: &Path) -> Result<(), UpdateError> {
    if let Some(name) = path.as_attribute() {
        item.remove(name);
        return Ok(());
    }
    match (path.parts().last(), parent(item, path)?) {
        (Some(PathPart::Name(name)), Value::M(map)) => {
            map.remove(&**name);
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
        for (path, placeholder) in &raw.add {
            let (path, literal) = (self.path(path)?, self.literal(placeholder)?);
            let kind = literal.value().kind();
            if kind != ValueKind::N && !kind.is_set() {
                return self.clause_operand_type(Clause::Add, kind);
            }
            update.targets.push(path.clone());
            update.add.push((path, literal));
        }
        for (path, placeholder) in &raw.delete {
            let (path, literal) = (self.path(path)?, self.literal(placeholder)?);
            let kind = literal.value().kind();
            if !kind.is_set() {
                return self.clause_operand_type(Clause::Delete, kind);
            }
            update.targets.push(path.clone());
            update.delete.push((path, literal));
        }
        self.check_disjoint(update.targets.iter())?;
        Ok(update)
    }

    fn clause_operand_type<T>(&self, clause: Clause, found: ValueKind) -> Result<T, ExprError> {
        let clause = clause.text();
        self.fail(ExprErrorKind::ClauseOperandType { clause, found })
    }

    fn term(&self, raw: &RawOperand<'_>) -> Result<Term, ExprError> {
        match raw {
            RawOperand::Path(path) => Ok(Term::Path(self.path(path)?)),
            RawOperand::Value(placeholder) => Ok(Term::Literal(self.literal(placeholder)?)),
            RawOperand::Sum { left, sign, right } => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                self.check_term(sign.text(), &[&left, &right], ValueKind::N)?;
                Ok(Term::Sum(Box::new(left), *sign, Box::new(right)))
            }
            RawOperand::Call(call) => self.term_call(call),
        }
    }

    fn term_call(&self, call: &RawCall<'_>) -> Result<Term, ExprError> {
        let Some(function) = call.function() else {
            return self.unknown_function(call);
        };
        match function {
            Function::IfNotExists => {
                let [path, otherwise] = self.arguments(call)?;
                let RawOperand::Path(path) = path else {
                    return self.path_required(call.name);
                };
                Ok(Term::IfNotExists(
                    self.path(path)?,
                    Box::new(self.term(otherwise)?),
                ))
            }
            Function::ListAppend => {
                let [first, second] = self.arguments(call)?;
                if is_list_append(first) || is_list_append(second) {
                    return self.misused(call);
                }
                let (first, second) = (self.term(first)?, self.term(second)?);
                self.check_term(call.name, &[&first, &second], ValueKind::L)?;
                Ok(Term::ListAppend(Box::new(first), Box::new(second)))
            }
            Function::AttributeExists
            | Function::AttributeNotExists
            | Function::AttributeType
            | Function::BeginsWith
            | Function::Contains
            | Function::Size => self.not_allowed(call.name),
        }
    }

    /// Refuses terms whose type is known and is another than `wanted`.
    fn check_term(
        &self,
        operator: &str,
        terms: &[&Term],
        wanted: ValueKind,
    ) -> Result<(), ExprError> {
        match terms
            .iter()
            .filter_map(|term| term.known_kind())
            .find(|kind| *kind != wanted)
        {
            Some(found) => self.fail(ExprErrorKind::OperandType {
                operator: operator.to_owned(),
                found,
            }),
            None => Ok(()),
        }
    }
}

fn is_list_append(operand: &RawOperand<'_>) -> bool {
    matches!(operand, RawOperand::Call(call) if call.function() == Some(Function::ListAppend))
}
