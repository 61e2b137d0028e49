//! The assignments of a named write: as an expression that the engine evaluates, or as a value
//! computed from the attributes that were read.

use crate::arguments::Values;
use crate::error::ClientError;
use crate::expression::Change;
use keyfold_model::schema::Assignment;
use keyfold_model::{Entity, Operand, Type, value};
use keyfold_types::Value;

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
    let Some((plus, right)) = &assignment.right else {
        return one(&assignment.left);
    };
    let (left, right) = (one(&assignment.left)?, one(right)?);
    if let (Type::List(_), Change::Set(element)) = (kind_of(entity, &assignment.attribute), &right)
    {
        return Ok(Change::Append(element.clone()));
    }
    let (left, right) = (Box::new(left), Box::new(right));
    Ok(if *plus {
        Change::Sum(left, right)
    } else {
        Change::Difference(left, right)
    })
}

/// The value that an assignment makes of the item's old attributes.
///
/// # Errors
/// `Missing` when a parameter has no value; `Refused` when an attribute has none or the operands
/// have the wrong type.
pub(super) fn evaluate(
    entity: &Entity,
    assignment: &Assignment,
    arguments: &Values,
    old: &Values,
) -> Result<Value, ClientError> {
    let one = |operand: &Operand| match operand {
        Operand::Attribute(name) => {
            let missing = || ClientError::Refused(format!("the {} has no {name}", entity.name));
            old.get(name).cloned().ok_or_else(missing)
        }
        Operand::Parameter(name) => argument(name, arguments),
        Operand::Literal(value) => Ok(value.clone()),
    };
    let Some((plus, right)) = &assignment.right else {
        return one(&assignment.left);
    };
    if matches!(kind_of(entity, &assignment.attribute), Type::List(_)) {
        let held = match &assignment.left {
            Operand::Attribute(name) => old.get(name).cloned().unwrap_or(Value::L(Vec::new())),
            Operand::Parameter(_) | Operand::Literal(_) => one(&assignment.left)?,
        };
        let Value::L(mut all) = held else {
            return Err(ClientError::Refused(format!(
                "{} is no list",
                value::shown(&held)
            )));
        };
        all.push(one(right)?);
        return Ok(Value::L(all));
    }
    match (one(&assignment.left)?, one(right)?) {
        (Value::N(left), Value::N(right)) => {
            let made = if *plus {
                left.checked_add(&right)
            } else {
                left.checked_sub(&right)
            };
            let wrong = |error| ClientError::Refused(format!("{}: {error}", assignment.attribute));
            made.map(Value::N).map_err(wrong)
        }
        (left, _) => Err(ClientError::Refused(format!(
            "{} is no number",
            value::shown(&left)
        ))),
    }
}
