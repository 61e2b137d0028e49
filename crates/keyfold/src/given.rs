//! Attributes and arguments as a program gives them: anything that serde makes a map of.

use crate::error::Error;
use crate::serial::write;
use keyfold_client::ClientError;
use keyfold_model::{Entity, near, value};
use keyfold_types::Value;
use serde::Serialize;
use std::collections::BTreeMap;

/// Names and values as serde gives them. A null is a value that is not given.
pub(crate) type Given = BTreeMap<String, Value>;

/// The members of a struct or map.
///
/// # Errors
/// `Invalid`, with the path to a value that cannot be stored.
pub(crate) fn members(values: impl Serialize) -> Result<Given, Error> {
    let value = write::value(&values).map_err(|fault| Error::of_fault(&fault))?;
    let found = value::shown(&value);
    let Value::M(members) = value else {
        return Err(Error::invalid(format!(
            "attributes are a struct, a map or `values!`, not {found}"
        )));
    };
    let is_given = |(_, held): &(String, Value)| *held != Value::Null;
    Ok(members.into_iter().filter(is_given).collect())
}

/// The members of a struct or map that is given for an entity.
///
/// # Errors
/// As [`members`], of the entity.
pub(crate) fn of_entity(entity: &str, values: impl Serialize) -> Result<Given, Error> {
    members(values).map_err(|error| error.owned(entity))
}

/// Adds an argument; `None` is not given.
pub(crate) fn add(
    given: Result<Given, Error>,
    name: &str,
    held: impl Serialize,
) -> Result<Given, Error> {
    let mut given = given?;
    let held = write::value(&held).map_err(|fault| Error::of_fault(&fault.in_member(name)))?;
    if held != Value::Null {
        given.insert(name.to_owned(), held);
    }
    Ok(given)
}

/// What is given of an entity, without the attributes that the model keeps itself: an item that was
/// read has them, and they follow from others. The version stays; it is the one that the stored item
/// must have.
///
/// # Errors
/// `Invalid` when one of them is no value of its type.
pub(crate) fn without_kept(entity: &Entity, mut given: Given) -> Result<Given, Error> {
    let is_version = |name: &String| entity.version.as_ref() == Some(name);
    let kept = entity.attributes.iter().filter(|one| one.is_kept);
    for attribute in kept.filter(|one| !is_version(&one.name)) {
        if let Some(held) = given.remove(&attribute.name) {
            value::given(&attribute.name, &attribute.kind, &held).map_err(ClientError::Value)?;
        }
    }
    Ok(given)
}

/// The error of a name that a model does not have.
pub(crate) fn unknown<'n>(
    model: &str,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'n str>,
) -> Error {
    let known: Vec<&str> = known.collect();
    let meant = near::meant(name, known.iter().copied());
    let others = match (known.as_slice(), meant.is_empty()) {
        ([], _) => "; it has none".to_owned(),
        (_, true) => format!("; it has {}", known.join(", ")),
        (_, false) => String::new(),
    };
    let name = value::shown_text(name);
    Error::invalid(format!(
        "the model {model} has no {what} {name}{meant}{others}"
    ))
}
