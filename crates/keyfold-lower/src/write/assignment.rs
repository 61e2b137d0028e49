//! The assignments of a named write: as an expression that the engine evaluates, or as a value
//! computed from the attributes that were read.

use super::lacking::{item_text, lacks, no_place};
use crate::arguments::Values;
use crate::error::ClientError;
use crate::expression::Change;
use keyfold_model::schema::{Assignment, Joint, Lent, Path};
use keyfold_model::{Entity, Operand, Type, value};
use keyfold_types::{Set, Value};
use std::collections::BTreeMap;

fn kind_of<'e>(entity: &'e Entity, path: &Path) -> &'e Type {
    entity.at(path).map_or(&Type::String, |(kind, _)| kind)
}

/// The value of a parameter.
fn argument(name: &str, arguments: &Values) -> Result<Value, ClientError> {
    let held = arguments.get(name).cloned();
    held.ok_or_else(|| ClientError::missing("the write", name))
}

/// The value of an attribute of an earlier action's entity, which stands beside the arguments.
fn lent_value(lent: &Lent, arguments: &Values) -> Result<Value, ClientError> {
    let held = arguments.get(&lent.argument()).cloned();
    held.ok_or_else(|| ClientError::missing("the write", &lent.to_string()))
}

/// An assignment as a change that the engine carries out.
///
/// # Errors
/// `Missing` when a parameter has no value.
pub(super) fn change(
    entity: &Entity,
    assignment: &Assignment,
    arguments: &Values,
) -> Result<Change, ClientError> {
    let one = |operand: &Operand| -> Result<Change, ClientError> {
        Ok(match operand {
            Operand::Attribute(path) => Change::Attribute(path.clone()),
            Operand::Parameter(name) => Change::Set(argument(name, arguments)?),
            Operand::Lent(lent) => Change::Set(lent_value(lent, arguments)?),
            Operand::Literal(value) => Change::Set(value.clone()),
        })
    };
    let made = match &assignment.right {
        None => one(&assignment.left)?,
        Some((joint, right)) => {
            let kind = kind_of(entity, &assignment.path());
            joined(kind, one(&assignment.left)?, *joint, one(right)?)?
        }
    };
    Ok(match assignment.fields.as_slice() {
        [] => made,
        fields => Change::Field(fields.to_vec(), Box::new(made)),
    })
}

/// The change of a value of this type by an addition or subtraction.
fn joined(kind: &Type, left: Change, joint: Joint, right: Change) -> Result<Change, ClientError> {
    let element = if let Change::Set(element) = &right {
        Some(element.clone())
    } else {
        None
    };
    Ok(match (kind, joint, element) {
        (Type::List(_), Joint::Before, Some(element)) => Change::Prepend(element),
        (Type::List(_), _, Some(element)) => Change::Append(element),
        (Type::Set(_), Joint::Minus, Some(element)) => Change::Exclude(set_of(element)?),
        (Type::Set(_), _, Some(element)) => Change::Include(set_of(element)?),
        (_, Joint::Minus, _) => Change::Difference(Box::new(left), Box::new(right)),
        (_, Joint::Plus | Joint::Before, _) => Change::Sum(Box::new(left), Box::new(right)),
    })
}

/// The set of one element.
fn set_of(element: Value) -> Result<Value, ClientError> {
    let set = match element {
        Value::S(text) => Set::new(vec![text]).map(Value::Ss),
        Value::N(number) => Set::new(vec![number]).map(Value::Ns),
        Value::B(bytes) => Set::new(vec![bytes]).map(Value::Bs),
        other @ (Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_)) => {
            let message = format!("{} is no element of a set", value::shown(&other));
            return Err(ClientError::refused(message));
        }
    };
    set.map_err(|error| ClientError::refused(error.to_string()))
}

/// Carries an assignment out on `new`, from the item's old attributes. A set that loses its last
/// element goes, since DynamoDB stores no empty set.
///
/// # Errors
/// `Missing` when a parameter has no value; `Refused` when an attribute has none or the operands
/// have the wrong type.
pub(super) fn apply(
    entity: &Entity,
    assignment: &Assignment,
    arguments: &Values,
    old: &Values,
    new: &mut Values,
) -> Result<(), ClientError> {
    let path = assignment.path();
    match evaluate(entity, assignment, arguments, old)? {
        Some(value) => put(entity, &path, value, new),
        None => remove(entity, &path, new),
    }
}

/// The value that an assignment makes of the item's old attributes; `None` where a set loses its
/// last element.
fn evaluate(
    entity: &Entity,
    assignment: &Assignment,
    arguments: &Values,
    old: &Values,
) -> Result<Option<Value>, ClientError> {
    let one = |operand: &Operand| match operand {
        Operand::Attribute(path) => {
            let held = path.value_in(old).cloned();
            held.ok_or_else(|| lacks(&item_text(entity, old), path))
        }
        Operand::Parameter(name) => argument(name, arguments),
        Operand::Lent(lent) => lent_value(lent, arguments),
        Operand::Literal(value) => Ok(value.clone()),
    };
    let Some((joint, right)) = &assignment.right else {
        return one(&assignment.left).map(Some);
    };
    let path = assignment.path();
    match kind_of(entity, &path) {
        Type::List(_) => {
            let held = collection(&assignment.left, old, one)?;
            joined_list(held, *joint, one(right)?).map(Some)
        }
        Type::Set(_) => {
            let held = collection(&assignment.left, old, one)?;
            joined_set(held, *joint, set_of(one(right)?)?)
        }
        Type::String
        | Type::Int
        | Type::Number
        | Type::Bool
        | Type::Time(_)
        | Type::Date
        | Type::Period(_)
        | Type::Binary
        | Type::Ulid
        | Type::Uuid
        | Type::Words(_)
        | Type::Map(_)
        | Type::Record(_) => {
            calculated(&path, *joint, one(&assignment.left)?, one(right)?).map(Some)
        }
    }
}

/// The list or set that an assignment adds to; `None` where the attribute is missing.
fn collection(
    left: &Operand,
    old: &Values,
    one: impl Fn(&Operand) -> Result<Value, ClientError>,
) -> Result<Option<Value>, ClientError> {
    match left {
        Operand::Attribute(path) => Ok(path.value_in(old).cloned()),
        Operand::Parameter(_) | Operand::Lent(_) | Operand::Literal(_) => one(left).map(Some),
    }
}

fn joined_list(held: Option<Value>, joint: Joint, element: Value) -> Result<Value, ClientError> {
    let mut all = match held {
        None => Vec::new(),
        Some(Value::L(all)) => all,
        Some(other) => {
            let message = format!("{} is no list", value::shown(&other));
            return Err(ClientError::refused(message));
        }
    };
    let at = if joint == Joint::Before { 0 } else { all.len() };
    all.insert(at, element);
    Ok(Value::L(all))
}

/// A set with an element more or less; `None` when none remains.
fn joined_set(
    held: Option<Value>,
    joint: Joint,
    element: Value,
) -> Result<Option<Value>, ClientError> {
    let takes = joint == Joint::Minus;
    let Some(held) = held else {
        return Ok((!takes).then_some(element));
    };
    Ok(match (held, element) {
        (Value::Ss(all), Value::Ss(one)) if takes => all.difference(&one).map(Value::Ss),
        (Value::Ns(all), Value::Ns(one)) if takes => all.difference(&one).map(Value::Ns),
        (Value::Bs(all), Value::Bs(one)) if takes => all.difference(&one).map(Value::Bs),
        (Value::Ss(all), Value::Ss(one)) => Some(Value::Ss(all.union(one))),
        (Value::Ns(all), Value::Ns(one)) => Some(Value::Ns(all.union(one))),
        (Value::Bs(all), Value::Bs(one)) => Some(Value::Bs(all.union(one))),
        (held, _) => {
            let message = format!("{} is no set of such elements", value::shown(&held));
            return Err(ClientError::refused(message));
        }
    })
}

fn calculated(path: &Path, joint: Joint, left: Value, right: Value) -> Result<Value, ClientError> {
    match (left, right) {
        (Value::N(left), Value::N(right)) => {
            let made = match joint {
                Joint::Plus | Joint::Before => left.checked_add(&right),
                Joint::Minus => left.checked_sub(&right),
            };
            let wrong = |error| ClientError::refused(format!("{path}: {error}"));
            made.map(Value::N).map_err(wrong)
        }
        (left, _) => Err(ClientError::refused(format!(
            "{} is no number",
            value::shown(&left)
        ))),
    }
}

/// Gives an attribute or a field inside it a value.
fn put(entity: &Entity, path: &Path, value: Value, values: &mut Values) -> Result<(), ClientError> {
    match place(entity, path, values)? {
        Some((fields, last)) => fields.insert(last.clone(), value),
        None => values.insert(path.attribute.clone(), value),
    };
    Ok(())
}

/// Removes an attribute, or a field inside it.
///
/// # Errors
/// `Refused` where what the field lies in is missing, or no record or map.
pub(super) fn remove(entity: &Entity, path: &Path, values: &mut Values) -> Result<(), ClientError> {
    match place(entity, path, values)? {
        Some((fields, last)) => fields.remove(last),
        None => values.remove(&path.attribute),
    };
    Ok(())
}

/// The fields of a record, or the entries of a map.
type Fields = BTreeMap<String, Value>;

/// The fields of the record or map that a path ends in, and the name of the last; `None` for a whole
/// attribute.
fn place<'v, 'p>(
    entity: &Entity,
    path: &'p Path,
    values: &'v mut Values,
) -> Result<Option<(&'v mut Fields, &'p String)>, ClientError> {
    let Some((last, way)) = path.fields.split_last() else {
        return Ok(None);
    };
    if let Some(error) = no_place(&item_text(entity, values), path, values) {
        return Err(error);
    }
    let mut held = values.get_mut(&path.attribute);
    for field in way {
        held = match held {
            Some(Value::M(fields)) => fields.get_mut(field),
            _ => None,
        };
    }
    Ok(match held {
        Some(Value::M(fields)) => Some((fields, last)),
        _ => None,
    })
}
