//! Arguments as text, `name=value`, to typed values.

use crate::error::ClientError;
use keyfold_model::{Entity, Pattern, Type, Write, value};
use keyfold_types::Value;
use std::collections::BTreeMap;

/// Values by name.
pub type Values = BTreeMap<String, Value>;

/// Splits `name=value`.
///
/// # Errors
/// `Missing` when there is no `=`.
pub fn split(argument: &str) -> Result<(String, String), ClientError> {
    match argument.split_once('=') {
        Some((name, text)) if !name.is_empty() => Ok((name.to_owned(), text.to_owned())),
        _ => Err(ClientError::Missing(format!("`{argument}` is no argument; write name=value"))),
    }
}

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
            return Err(ClientError::Unknown(format!("{of} has no `{name}`; {list}")));
        };
        values.insert(name.clone(), value::parse(name, kind, text)?);
    }
    Ok(values)
}

fn require(values: &Values, names: impl Iterator<Item = String>, of: &str) -> Result<(), ClientError> {
    let missing: Vec<String> = names.filter(|name| !values.contains_key(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let forms: Vec<String> = missing.iter().map(|name| format!("{name}=…")).collect();
    Err(ClientError::Missing(format!("{of} needs {}", forms.join(" "))))
}

/// The arguments of a pattern, all there and typed.
///
/// # Errors
/// `Unknown`, `Value` or `Missing`, naming the argument.
pub fn of_pattern(pattern: &Pattern, given: &BTreeMap<String, String>) -> Result<Values, ClientError> {
    let known: Vec<(&str, &Type)> = pattern.parameters.iter().map(|p| (p.name.as_str(), &p.kind)).collect();
    let of = format!("the pattern {}", pattern.name);
    let values = typed(given, &known, &of)?;
    require(&values, pattern.parameters.iter().map(|p| p.name.clone()), &of)?;
    Ok(values)
}

/// The arguments of a named write. Optional attributes may be missing.
///
/// # Errors
/// As [`of_pattern`].
pub fn of_write(
    write: &Write,
    optional: impl Fn(&str) -> bool,
    given: &BTreeMap<String, String>,
) -> Result<Values, ClientError> {
    let known: Vec<(&str, &Type)> =
        write.parameters.iter().map(|(name, kind)| (name.as_str(), kind)).collect();
    let of = format!("the write {}", write.name);
    let values = typed(given, &known, &of)?;
    require(
        &values,
        write.parameters.iter().map(|(name, _)| name.clone()).filter(|name| !optional(name)),
        &of,
    )?;
    Ok(values)
}

/// The attributes of a whole entity.
///
/// # Errors
/// As [`of_pattern`].
pub fn of_entity(entity: &Entity, given: &BTreeMap<String, String>) -> Result<Values, ClientError> {
    let values = some_of_entity(entity, given)?;
    let required = entity.attributes.iter().filter(|attribute| !attribute.optional);
    require(&values, required.map(|attribute| attribute.name.clone()), &entity.name)?;
    Ok(values)
}

/// Some attributes of an entity, among them those of its key.
///
/// # Errors
/// As [`of_pattern`].
pub fn some_of_entity(entity: &Entity, given: &BTreeMap<String, String>) -> Result<Values, ClientError> {
    let known: Vec<(&str, &Type)> = entity.attributes.iter().map(|a| (a.name.as_str(), &a.kind)).collect();
    let values = typed(given, &known, &entity.name)?;
    require(&values, entity.key.fields().map(str::to_owned), &format!("the key of {}", entity.name))?;
    Ok(values)
}
