//! Attributes and arguments as a program gives them: anything that serde makes an object of.

use crate::error::Error;
use keyfold_model::near;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Names and values, as the client reads them: texts, and JSON for what is nested. Null is a value
/// that is not given.
pub(crate) fn object(values: impl Serialize) -> Result<BTreeMap<String, String>, Error> {
    let json = serde_json::to_value(values)
        .map_err(|error| Error::Invalid(format!("the values: {error}")))?;
    let Json::Object(members) = json else {
        return Err(Error::Invalid(format!(
            "values are an object of names and values, not {json}"
        )));
    };
    Ok(members
        .into_iter()
        .filter_map(|(name, held)| Some((name, text(held)?)))
        .collect())
}

/// One value.
fn value(held: impl Serialize) -> Result<Option<String>, Error> {
    let json = serde_json::to_value(held)
        .map_err(|error| Error::Invalid(format!("the value: {error}")))?;
    Ok(text(json))
}

fn text(held: Json) -> Option<String> {
    match held {
        Json::Null => None,
        Json::String(text) => Some(text),
        Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
            Some(held.to_string())
        }
    }
}

/// Adds an argument; one that is null is not given.
pub(crate) fn add(
    given: Result<BTreeMap<String, String>, Error>,
    name: &str,
    held: impl Serialize,
) -> Result<BTreeMap<String, String>, Error> {
    let mut given = given?;
    if let Some(text) = value(held)? {
        given.insert(name.to_owned(), text);
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
    Error::Invalid(format!(
        "the model {model} has no {what} {name}{meant}; it has {}",
        known.join(", ")
    ))
}
