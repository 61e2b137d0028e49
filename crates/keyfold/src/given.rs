//! Attributes and arguments as a program gives them: anything that serde makes an object of.

use crate::error::Error;
use keyfold_model::{Type, near};
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Names and values as serde gives them. A null is a value that is not given.
pub(crate) type Given = BTreeMap<String, Json>;

/// The members of an object.
pub(crate) fn object(values: impl Serialize) -> Result<Given, Error> {
    let json = serde_json::to_value(values)
        .map_err(|error| Error::Invalid(format!("the values: {error}")))?;
    let Json::Object(members) = json else {
        return Err(Error::Invalid(format!(
            "values are an object of names and values, not {}",
            shown(&json)
        )));
    };
    let is_given = |(_, held): &(String, Json)| !held.is_null();
    Ok(members.into_iter().filter(is_given).collect())
}

/// Adds an argument; one that is null is not given.
pub(crate) fn add(
    given: Result<Given, Error>,
    name: &str,
    held: impl Serialize,
) -> Result<Given, Error> {
    let mut given = given?;
    let json =
        serde_json::to_value(held).map_err(|error| Error::Invalid(format!("{name}: {error}")))?;
    if !json.is_null() {
        given.insert(name.to_owned(), json);
    }
    Ok(given)
}

/// The values as the client reads them: texts, and JSON for what is nested. `kind_of` is the type of
/// a name; a name that has none stays as it is, for the client to refuse.
///
/// # Errors
/// `Invalid` for a list, an object or a truth value where a text is wanted.
pub(crate) fn texts<'k>(
    given: Given,
    kind_of: impl Fn(&str) -> Option<&'k Type>,
) -> Result<BTreeMap<String, String>, Error> {
    let mut texts = BTreeMap::new();
    for (name, held) in given {
        let text = text_of(&name, held, kind_of(&name))?;
        texts.insert(name, text);
    }
    Ok(texts)
}

/// A list of values of a kind as JSON: several ids, or one.
///
/// # Errors
/// `Invalid` for an element of another type.
pub(crate) fn list(name: &str, held: Json, kind: &Type) -> Result<Json, Error> {
    let elements = match held {
        Json::Array(elements) => elements,
        one
        @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_)) => {
            vec![one]
        }
    };
    let element = |(at, held): (usize, Json)| -> Result<Json, Error> {
        let name = format!("{name}[{at}]");
        if held.is_number() && kind.is_number() {
            return Ok(held);
        }
        Ok(Json::String(text_of(&name, held, Some(kind))?))
    };
    let elements: Result<Vec<Json>, Error> =
        elements.into_iter().enumerate().map(element).collect();
    Ok(Json::Array(elements?))
}

fn text_of(name: &str, held: Json, kind: Option<&Type>) -> Result<String, Error> {
    let is_text = kind.is_some_and(Type::is_text);
    match held {
        Json::String(text) => Ok(text),
        Json::Bool(_) | Json::Array(_) | Json::Object(_) if is_text => {
            Err(Error::Invalid(format!(
                "{name}: {} is no text; give a text, or a number",
                shown(&held)
            )))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
            Ok(held.to_string())
        }
    }
}

/// A value in a message, cut where it is long.
fn shown(held: &Json) -> String {
    const MOST: usize = 80;
    let text = held.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
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
    Error::Invalid(format!(
        "the model {model} has no {what} {name}{meant}{others}"
    ))
}
