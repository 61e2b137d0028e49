//! The assignments of a named write: as an expression that the engine evaluates, or as a value
//! computed from the attributes that were read.

use crate::arguments::Values;
use crate::error::ClientError;
use crate::expression::Change;
use keyfold_model::schema::{Assignment, Joint};
use keyfold_model::{Entity, Operand, Type, value};
use keyfold_types::{Set, Value};

fn kind_of<'e>(entity: &'e Entity, name: &str) -> &'e Type {
    entity
        .attribute(name)
        .map_or(&Type::String, |attribute| &attribute.kind)
}

/// The value of a parameter.
fn argument(name: &str, arguments: &Values) -> Result<Value, ClientError> {
    let held = arguments.get(name).cloned();
    held.ok_or_else(|| ClientError::missing("the write", name))
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
            Operand::Attribute(name) => Change::Attribute(name.clone()),
            Operand::Parameter(name) => Change::Set(argument(name, arguments)?),
            Operand::Literal(value) => Change::Set(value.clone()),
        })
    };
    let Some((joint, right)) = &assignment.right else {
        let value = one(&assignment.left)?;
        return Ok(match assignment.fields.as_slice() {
            [] => value,
            fields => Change::Field(fields.to_vec(), Box::new(value)),
        });
    };
    let (left, right) = (one(&assignment.left)?, one(right)?);
    let element = if let Change::Set(element) = &right {
        Some(element.clone())
    } else {
        None
    };
    Ok(
        match (kind_of(entity, &assignment.attribute), joint, element) {
            (Type::List(_), Joint::Before, Some(element)) => Change::Prepend(element),
            (Type::List(_), _, Some(element)) => Change::Append(element),
            (Type::Set(_), Joint::Minus, Some(element)) => Change::Exclude(set_of(element)?),
            (Type::Set(_), _, Some(element)) => Change::Include(set_of(element)?),
            (_, Joint::Minus, _) => Change::Difference(Box::new(left), Box::new(right)),
            (_, Joint::Plus | Joint::Before, _) => Change::Sum(Box::new(left), Box::new(right)),
        },
    )
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
            return Err(ClientError::Refused(message));
        }
    };
    set.map_err(|error| ClientError::Refused(error.to_string()))
}

/// The value that an assignment makes of the item's old attributes, where a set may lose its last
/// element: then `None`, since DynamoDB stores no empty set. The fields of a record or map are set in
/// `new`, which holds the changes of the assignments before.
///
/// # Errors
/// `Missing` when a parameter has no value; `Refused` when an attribute has none or the operands
/// have the wrong type.
pub(super) fn evaluate(
    entity: &Entity,
    assignment: &Assignment,
    arguments: &Values,
    (old, new): (&Values, &Values),
) -> Result<Option<Value>, ClientError> {
    let one = |operand: &Operand| match operand {
        Operand::Attribute(name) => {
            let missing = || ClientError::Refused(format!("the {} has no {name}", entity.name));
            old.get(name).cloned().ok_or_else(missing)
        }
        Operand::Parameter(name) => argument(name, arguments),
        Operand::Literal(value) => Ok(value.clone()),
    };
    let name = &assignment.attribute;
    let Some((joint, right)) = &assignment.right else {
        let value = one(&assignment.left)?;
        if assignment.fields.is_empty() {
            return Ok(Some(value));
        }
        let held = new.get(name).cloned();
        let missing = || ClientError::Refused(format!("the {} has no {name}", entity.name));
        let mut held = held.ok_or_else(missing)?;
        set_field(&mut held, &assignment.fields, value)?;
        return Ok(Some(held));
    };
    match kind_of(entity, name) {
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
            calculated(name, *joint, one(&assignment.left)?, one(right)?).map(Some)
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
        Operand::Attribute(name) => Ok(old.get(name).cloned()),
        Operand::Parameter(_) | Operand::Literal(_) => one(left).map(Some),
    }
}

fn joined_list(held: Option<Value>, joint: Joint, element: Value) -> Result<Value, ClientError> {
    let mut all = match held {
        None => Vec::new(),
        Some(Value::L(all)) => all,
        Some(other) => {
            let message = format!("{} is no list", value::shown(&other));
            return Err(ClientError::Refused(message));
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
            return Err(ClientError::Refused(message));
        }
    })
}

fn calculated(name: &str, joint: Joint, left: Value, right: Value) -> Result<Value, ClientError> {
    match (left, right) {
        (Value::N(left), Value::N(right)) => {
            let made = match joint {
                Joint::Plus | Joint::Before => left.checked_add(&right),
                Joint::Minus => left.checked_sub(&right),
            };
            let wrong = |error| ClientError::Refused(format!("{name}: {error}"));
            made.map(Value::N).map_err(wrong)
        }
        (left, _) => Err(ClientError::Refused(format!(
            "{} is no number",
            value::shown(&left)
        ))),
    }
}

/// Sets a field inside a record or map.
fn set_field(held: &mut Value, fields: &[String], value: Value) -> Result<(), ClientError> {
    let Some((field, behind)) = fields.split_first() else {
        *held = value;
        return Ok(());
    };
    let Value::M(map) = held else {
        let message = format!("{} has no fields", value::shown(held));
        return Err(ClientError::Refused(message));
    };
    if behind.is_empty() {
        map.insert(field.clone(), value);
        return Ok(());
    }
    let missing = || ClientError::Refused(format!("`{field}` is missing"));
    set_field(map.get_mut(field).ok_or_else(missing)?, behind, value)
}
