//! Arguments as text, `name=value`, and their typed values.

use crate::error::ClientError;
use keyfold_model::schema::Limit;
use keyfold_model::{Entity, Pattern, Type, Write, near, value};
use keyfold_types::Value;
use std::collections::BTreeMap;

/// Values by name.
pub type Values = BTreeMap<String, Value>;

/// Splits `name=value` into name and text, at the first `=`. A name with `=` stands in double
/// quotes: `"a=b"=value`.
///
/// # Errors
/// `Missing` when there is no `=`, or no name before it.
pub fn split(argument: &str) -> Result<(String, String), ClientError> {
    match name_and_text(argument) {
        Some((name, text)) if !name.is_empty() => Ok((name.to_owned(), text.to_owned())),
        _ => Err(ClientError::Missing(format!(
            "`{argument}` is no argument; write name=value"
        ))),
    }
}

/// The name and the text of `name=value`; `None` when there is no `=` behind a name.
pub fn name_and_text(argument: &str) -> Option<(&str, &str)> {
    let quoted = argument
        .strip_prefix('"')
        .and_then(|rest| rest.split_once("\"="));
    quoted.or_else(|| argument.split_once('='))
}

/// The name of an argument as [`split`] reads it, without the `=`.
pub fn written_name(name: &str) -> String {
    if name.contains('=') {
        format!("\"{name}\"")
    } else {
        name.to_owned()
    }
}

/// Parses the texts of known names. `of` names the owner in messages.
fn typed<'t>(
    given: &BTreeMap<String, String>,
    known: &[(&'t str, &'t Type)],
    of: &str,
) -> Result<Values, ClientError> {
    let mut values = Values::new();
    for (name, text) in given {
        let Some((_, kind)) = known.iter().find(|(known, _)| known == name) else {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let list = if names.is_empty() {
                "it takes none".to_owned()
            } else {
                format!("it has {}", names.join(", "))
            };
            let meant = near::meant(name, names.iter().copied());
            return Err(ClientError::Unknown(format!(
                "{of} has no `{name}`{meant}; {list}"
            )));
        };
        values.insert(name.clone(), value::parse(name, kind, text)?);
    }
    Ok(values)
}

/// Refuses values that lack one of the names.
fn require(
    values: &Values,
    names: impl Iterator<Item = String>,
    of: &str,
) -> Result<(), ClientError> {
    let missing: Vec<String> = names.filter(|name| !values.contains_key(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let forms: Vec<String> = missing
        .iter()
        .map(|name| format!("{}=…", written_name(name)))
        .collect();
    Err(ClientError::Missing(format!(
        "{of} needs {}",
        forms.join(" ")
    )))
}

/// Parses the arguments of a pattern. Only optional parameters and `now` may be left out.
///
/// # Errors
/// `Unknown` for a name that the pattern does not have, `Value` for a text that is no value of its
/// type, `Missing` for an absent argument; each names the argument.
pub fn of_pattern(
    pattern: &Pattern,
    given: &BTreeMap<String, String>,
) -> Result<Values, ClientError> {
    let known: Vec<(&str, &Type)> = pattern
        .parameters
        .iter()
        .map(|p| (p.name.as_str(), &p.kind))
        .collect();
    let of = format!("the pattern {}", pattern.name);
    let mut given = with_lists(pattern, given);
    // A time with more digits than keys hold is cut: no key lies between `at <= t` or `at > t` and
    // the cut time.
    for parameter in pattern
        .parameters
        .iter()
        .filter(|parameter| matches!(parameter.limit, Limit::AtMost | Limit::Above))
    {
        if let Some(text) = given.get_mut(&parameter.name) {
            *text = value::at_most(&parameter.kind, text);
        }
    }
    let values = typed(&given, &known, &of)?;
    let required = pattern
        .parameters
        .iter()
        .filter(|parameter| !parameter.optional && !parameter.is_now());
    require(&values, required.map(|p| p.name.clone()), &of)?;
    // An optional parameter needs those before it: only these combinations have a proved plan.
    let mut absent: Option<&str> = None;
    for parameter in pattern
        .parameters
        .iter()
        .filter(|parameter| parameter.optional)
    {
        match (values.contains_key(&parameter.name), absent) {
            (false, None) => absent = Some(&parameter.name),
            (true, Some(absent)) => {
                let message = format!(
                    "{of}: {} is given, and {absent} before it is not",
                    parameter.name
                );
                return Err(ClientError::Missing(message));
            }
            (true, None) | (false, Some(_)) => {}
        }
    }
    Ok(values)
}

/// The texts, with lists of ids that are written as `a,b,c` turned into JSON.
fn with_lists(pattern: &Pattern, given: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let is_list = |name: &str| {
        pattern
            .parameters
            .iter()
            .any(|p| p.name == name && p.limit == Limit::Among)
    };
    let written = |(name, text): (&String, &String)| {
        if is_list(name) && !text.trim_start().starts_with('[') {
            let ids: Vec<&str> = text
                .split(',')
                .map(str::trim)
                .filter(|id| !id.is_empty())
                .collect();
            return (name.clone(), serde_json::json!(ids).to_string());
        }
        (name.clone(), text.clone())
    };
    given.iter().map(written).collect()
}

/// Parses the arguments of a named write. Optional attributes and those with a default may be left
/// out.
///
/// # Errors
/// Those of [`of_pattern`].
pub fn of_write(write: &Write, given: &BTreeMap<String, String>) -> Result<Values, ClientError> {
    let known: Vec<(&str, &Type)> = write
        .parameters
        .iter()
        .map(|p| (p.name.as_str(), &p.kind))
        .collect();
    let of = format!("the write {}", write.name);
    let values = typed(given, &known, &of)?;
    let required = write
        .parameters
        .iter()
        .filter(|parameter| !parameter.optional);
    require(
        &values,
        required.map(|parameter| parameter.name.clone()),
        &of,
    )?;
    Ok(values)
}

/// Parses the attributes of a whole entity. Optional attributes and those with a default may be
/// left out.
///
/// # Errors
/// Those of [`of_pattern`]; `Refused` for an attribute that the model keeps itself.
pub fn of_entity(entity: &Entity, given: &BTreeMap<String, String>) -> Result<Values, ClientError> {
    refuse_kept(entity, given, None)?;
    let known: Vec<(&str, &Type)> = entity
        .attributes
        .iter()
        .map(|a| (a.name.as_str(), &a.kind))
        .collect();
    let values = typed(given, &known, &entity.name)?;
    let required = entity
        .attributes
        .iter()
        .filter(|a| !a.optional && !a.is_kept && a.default.is_none());
    require(
        &values,
        required.map(|attribute| attribute.name.clone()),
        &entity.name,
    )?;
    Ok(values)
}

/// Parses some attributes of an entity, among them all of its key. A version is the one that the
/// stored entity must have.
///
/// # Errors
/// Those of [`of_entity`].
pub fn some_of_entity(
    entity: &Entity,
    given: &BTreeMap<String, String>,
) -> Result<Values, ClientError> {
    refuse_kept(entity, given, entity.version.as_ref())?;
    let known: Vec<(&str, &Type)> = entity
        .attributes
        .iter()
        .map(|a| (a.name.as_str(), &a.kind))
        .collect();
    let values = typed(given, &known, &entity.name)?;
    require(
        &values,
        entity.key.fields().map(str::to_owned),
        &format!("the key of {}", entity.name),
    )?;
    Ok(values)
}

/// Refuses attributes that the model keeps, except one.
fn refuse_kept(
    entity: &Entity,
    given: &BTreeMap<String, String>,
    except: Option<&String>,
) -> Result<(), ClientError> {
    for attribute in entity
        .attributes
        .iter()
        .filter(|attribute| attribute.is_kept)
    {
        if given.contains_key(&attribute.name) && except != Some(&attribute.name) {
            return Err(ClientError::Refused(format!(
                "{} of {} is kept by the model and not written by hand",
                attribute.name, entity.name
            )));
        }
    }
    Ok(())
}
