//! Updates: bound clauses, applied to an item.
//!
//! Every clause sees the item as it was before, and targets never overlap, so the order of clauses
//! does not matter. List elements are named by their positions before the update: what lies past
//! the end is appended, in the order of the positions asked for, and removals come last and from
//! the end. Source: "Update expressions".

use crate::ast::{RawCall, RawOperand, RawUpdate, Sign};
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
    /// Adds to a number, a set or a list.
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

    /// An update of whole attributes.
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

    /// An update of clauses that were read elsewhere. Targets must not overlap.
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

    /// Whether the update makes an item where there is none: one that only removes does not.
    pub fn creates(&self) -> bool {
        self.targets.is_empty() || !self.set.is_empty() || !self.add.is_empty()
    }

    /// Whole attributes that are set to a value of the request.
    pub fn literals(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.set.iter().filter_map(|(path, term)| match term {
            Term::Literal(literal) => Some((path.as_attribute()?, literal.value())),
            Term::Path(_) | Term::IfNotExists(..) | Term::ListAppend(..) | Term::Sum(..) => None,
        })
    }

    /// Calls `visit` with every path that is changed or read.
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
        // Values, and which targets are there already, are read before anything changes.
        let room = Room::default();
        let mut writes: Vec<(&Path, Value, bool)> =
            Vec::with_capacity(self.set.len() + self.add.len());
        for (path, term) in &self.set {
            let value = term.evaluate(item, &room)?;
            if room.takes(&value) {
                writes.push((path, value.into_owned(), path.find_in(item).is_some()));
            }
        }
        for (path, more) in &self.add {
            let before = path.find_in(item);
            if room.takes(more.value()) {
                writes.push((path, added(before, more.value())?, before.is_some()));
            }
        }
        let mut removals: Vec<&Path> = Vec::new();
        for path in &self.remove {
            match path.find_in(item) {
                Some(_) => removals.push(path),
                None => check_parent(item, path)?,
            }
        }
        for (path, less) in &self.delete {
            match path
                .find_in(item)
                .map(|before| subtracted(before, less.value()))
                .transpose()?
            {
                Some(Some(rest)) => writes.push((path, rest, true)),
                Some(None) => removals.push(path),
                None => check_parent(item, path)?,
            }
        }
        if room.is_exceeded() {
            return Err(UpdateError::ItemSize);
        }
        // What is appended to one list is in order of the positions asked for.
        writes.sort_by_key(|(path, ..)| *path);
        for (path, value, is_there) in writes {
            assign(item, path, value, is_there)?;
        }
        // From the end, so that positions stay what they were; what was appended lies behind them.
        removals.sort_by_key(|path| std::cmp::Reverse(*path));
        removals.into_iter().try_for_each(|path| remove(item, path))
    }
}

/// Bytes that what is assigned may still take. Targets never overlap, so every value ends up in the
/// item: together they fit it, or it is too large, and nothing more is copied.
struct Room(Cell<Option<u64>>);

impl Default for Room {
    fn default() -> Room {
        Room(Cell::new(Some(ITEM_BYTES_MAX)))
    }
}

impl Room {
    /// Takes room for a value; false when there is none, then or before.
    fn takes(&self, value: &Value) -> bool {
        let left = self
            .0
            .get()
            .and_then(|left| left.checked_sub(value.size_bytes()));
        self.0.set(left);
        left.is_some()
    }

    /// Whether a value of so many bytes can still fit; if not, nothing does any more.
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
    fn evaluate<'i>(&'i self, item: &'i Item, room: &Room) -> Result<Cow<'i, Value>, UpdateError> {
        match self {
            Term::Path(path) => path
                .find_in(item)
                .map(Cow::Borrowed)
                .ok_or(UpdateError::MissingOperand),
            Term::Literal(literal) => Ok(Cow::Borrowed(literal.value())),
            Term::IfNotExists(path, otherwise) => match path.find_in(item) {
                Some(value) => Ok(Cow::Borrowed(value)),
                None => otherwise.evaluate(item, room),
            },
            Term::ListAppend(first, second) => {
                let (first, second) = (first.evaluate(item, room)?, second.evaluate(item, room)?);
                let (Value::L(one), Value::L(two)) = (&*first, &*second) else {
                    return Err(UpdateError::OperandType);
                };
                if !room.fits(first.size_bytes() + second.size_bytes()) {
                    return Ok(Cow::Owned(Value::Null));
                }
                Ok(Cow::Owned(Value::L(
                    one.iter().chain(two).cloned().collect(),
                )))
            }
            Term::Sum(left, sign, right) => {
                match (&*left.evaluate(item, room)?, &*right.evaluate(item, room)?) {
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

    /// The literal's kind, when the term is one.
    fn literal_kind(&self) -> Option<ValueKind> {
        match self {
            Term::Literal(literal) => Some(literal.value().kind()),
            Term::ListAppend(..) => Some(ValueKind::L),
            Term::Sum(..) => Some(ValueKind::N),
            Term::Path(_) | Term::IfNotExists(..) => None,
        }
    }
}

/// The service calls a result of too many digits an overflow, too.
fn out_of_range(error: NumberError) -> UpdateError {
    UpdateError::Number(match error {
        NumberError::Precision => NumberError::Overflow,
        other => other,
    })
}

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
    let inner = path
        .parts()
        .get(1..path.parts().len() - 1)
        .unwrap_or_default();
    let mut value = item.get_mut(path.root()).ok_or(UpdateError::InvalidPath)?;
    for part in inner {
        value = match (part, value) {
            (PathPart::Name(name), Value::M(map)) => map.get_mut(&**name),
            (PathPart::Index(index), Value::L(list)) => list.get_mut(*index),
            _ => None,
        }
        .ok_or(UpdateError::InvalidPath)?;
    }
    Ok(value)
}

/// Refuses a path whose last step leads nowhere: its parent is missing, or is no map (or list).
fn check_parent(item: &Item, path: &Path) -> Result<(), UpdateError> {
    match (path.parts().last(), path.parent_in(item)) {
        _ if path.as_attribute().is_some() => Ok(()),
        (Some(PathPart::Name(_)), Some(Value::M(_)))
        | (Some(PathPart::Index(_)), Some(Value::L(_))) => Ok(()),
        _ => Err(UpdateError::InvalidPath),
    }
}

/// Sets what a path leads to. `is_there`: whether it led to something before the update; what did
/// not is appended to a list.
fn assign(item: &mut Item, path: &Path, value: Value, is_there: bool) -> Result<(), UpdateError> {
    if let Some(name) = path.as_attribute() {
        item.insert(name, value);
        return Ok(());
    }
    match (path.parts().last(), parent(item, path)?) {
        (Some(PathPart::Name(name)), Value::M(map)) => {
            map.insert(name.to_string(), value);
        }
        (Some(PathPart::Index(index)), Value::L(list)) => {
            match list.get_mut(*index).filter(|_| is_there) {
                Some(slot) => *slot = value,
                None => list.push(value),
            }
        }
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
        for (path, value) in &raw.add {
            let (path, literal) = (self.path(path)?, self.clause_literal(value)?);
            let kind = literal.value().kind();
            if kind != ValueKind::N && !kind.is_set() {
                return self.fail(ExprErrorKind::ClauseOperandType {
                    clause: "ADD",
                    found: kind,
                });
            }
            update.targets.push(path.clone());
            update.add.push((path, literal));
        }
        for (path, value) in &raw.delete {
            let (path, literal) = (self.path(path)?, self.clause_literal(value)?);
            let kind = literal.value().kind();
            if !kind.is_set() {
                return self.fail(ExprErrorKind::ClauseOperandType {
                    clause: "DELETE",
                    found: kind,
                });
            }
            update.targets.push(path.clone());
            update.delete.push((path, literal));
        }
        self.check_disjoint(update.targets.iter())?;
        Ok(update)
    }

    fn clause_literal(&self, raw: &RawOperand<'_>) -> Result<Literal, ExprError> {
        match raw {
            RawOperand::Value(placeholder) => self.literal(placeholder),
            RawOperand::Path(_) | RawOperand::Call(_) | RawOperand::Sum { .. } => {
                self.fail(ExprErrorKind::FunctionNotAllowed {
                    function: "path".to_owned(),
                })
            }
        }
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
        match call.function {
            "if_not_exists" => {
                let [path, otherwise] = self.arguments(call)?;
                let RawOperand::Path(path) = path else {
                    return self.fail(ExprErrorKind::PathRequired {
                        operator: call.function.to_owned(),
                    });
                };
                Ok(Term::IfNotExists(
                    self.path(path)?,
                    Box::new(self.term(otherwise)?),
                ))
            }
            "list_append" => {
                let [first, second] = self.arguments(call)?;
                let is_append = |one: &RawOperand<'_>| matches!(one, RawOperand::Call(inner) if inner.function == "list_append");
                if is_append(first) || is_append(second) {
                    return self.fail(ExprErrorKind::FunctionMisused {
                        function: call.function.to_owned(),
                    });
                }
                let (first, second) = (self.term(first)?, self.term(second)?);
                self.check_term(call.function, &[&first, &second], ValueKind::L)?;
                Ok(Term::ListAppend(Box::new(first), Box::new(second)))
            }
            "attribute_exists"
            | "attribute_not_exists"
            | "attribute_type"
            | "begins_with"
            | "contains"
            | "size" => self.fail(ExprErrorKind::FunctionNotAllowed {
                function: call.function.to_owned(),
            }),
            unknown => self.fail(ExprErrorKind::UnknownFunction {
                function: unknown.to_owned(),
            }),
        }
    }

    fn check_term(
        &self,
        operator: &str,
        terms: &[&Term],
        wanted: ValueKind,
    ) -> Result<(), ExprError> {
        match terms
            .iter()
            .filter_map(|term| term.literal_kind())
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
