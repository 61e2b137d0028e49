//! Arguments as text, `name=value`, and their typed values.

use crate::error::ClientError;
use keyfold_model::schema::Limit;
use keyfold_model::value::ValueError;
use keyfold_model::{Entity, Pattern, Type, Write, near, value};
use keyfold_types::Value;
use std::collections::BTreeMap;

/// What a caller gives for a value: a text, or a value whose type the model does not know yet.
pub trait Argument: Clone {
    /// The value of a type.
    ///
    /// # Errors
    /// When it is no value of the type, with the path to what is wrong.
    fn typed(&self, name: &str, kind: &Type) -> Result<Value, ValueError>;

    /// The argument cut to what a type keeps, as the upper end of a range: no key lies in between.
    fn at_most(self, kind: &Type) -> Self;

    /// The argument as one of a type of lists.
    fn listed(self, kind: &Type) -> Self;
}

impl Argument for String {
    fn typed(&self, name: &str, kind: &Type) -> Result<Value, ValueError> {
        value::parse(name, kind, self)
    }

    fn at_most(self, kind: &Type) -> String {
        value::at_most(kind, &self)
    }

    /// A JSON array stays as it is; of another text, each part between commas is an element.
    fn listed(self, _: &Type) -> String {
        if self.trim_start().starts_with('[') {
            return self;
        }
        let ids = self.split(',').map(str::trim).filter(|id| !id.is_empty());
        let ids: Vec<&str> = ids.collect();
        serde_json::json!(ids).to_string()
    }
}

impl Argument for Value {
    fn typed(&self, name: &str, kind: &Type) -> Result<Value, ValueError> {
        value::given(name, kind, self)
    }

    fn at_most(self, kind: &Type) -> Value {
        match self {
            Value::S(text) => Value::S(value::at_most(kind, &text)),
            other @ (Value::N(_)
            | Value::B(_)
            | Value::Bool(_)
            | Value::Null
            | Value::L(_)
            | Value::M(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_)) => other,
        }
    }

    /// Any value but a list is the one element of a list. A number may stand for a text.
    fn listed(self, kind: &Type) -> Value {
        let is_of_texts = matches!(kind, Type::List(of) if of.is_text());
        let elements = match self {
            Value::L(elements) => elements,
            one @ (Value::S(_)
            | Value::N(_)
            | Value::B(_)
            | Value::Bool(_)
            | Value::Null
            | Value::M(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_)) => vec![one],
        };
        let written = |element: Value| {
            if let (Value::N(number), true) = (&element, is_of_texts) {
                return Value::S(number.to_string());
            }
            element
        };
        Value::L(elements.into_iter().map(written).collect())
    }
}

/// Values by name.
pub type Values = BTreeMap<String, Value>;

/// Splits `name=value` into name and text, at the first `=`. A name with `=` stands in double
/// quotes: `"a=b"=value`.
///
/// # Errors
/// `Invalid` when there is no `=`, or no name before it.
pub fn split(argument: &str) -> Result<(String, String), ClientError> {
    match name_and_text(argument) {
        Some((name, text)) if !name.is_empty() => Ok((name.to_owned(), text.to_owned())),
        _ => Err(ClientError::Invalid(format!(
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

/// Types the arguments of known names. `of` names the owner in messages.
fn typed<'t, A: Argument>(
    given: &BTreeMap<String, A>,
    known: &[(&'t str, &'t Type)],
    of: &str,
) -> Result<Values, ClientError> {
    let mut values = Values::new();
    let mut by_name: Vec<&(&str, &Type)> = known.iter().collect();
    by_name.sort_by_key(|(name, _)| *name);
    for (name, argument) in given {
        let found = by_name.binary_search_by_key(&name.as_str(), |(known, _)| *known);
        let Some((_, kind)) = found.ok().and_then(|at| by_name.get(at)) else {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let list = if names.is_empty() {
                "it takes none".to_owned()
            } else {
                format!("it has {}", names.join(", "))
            };
            let meant = near::meant(name, names.iter().copied());
            let shown = value::shown_text(name);
            return Err(ClientError::Named {
                name: name.clone(),
                message: format!("{of} has no `{shown}`{meant}; {list}"),
            });
        };
        values.insert(name.clone(), argument.typed(name, kind)?);
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
    Err(ClientError::Missing {
        of: of.to_owned(),
        names: missing,
    })
}

/// Parses the arguments of a pattern. Only optional parameters and `now` may be left out.
///
/// # Errors
/// `Named` for a name that the pattern does not have, `Value` for a text that is no value of its
/// type, `Missing` for an absent argument; each names the argument.
pub fn of_pattern<A: Argument>(
    pattern: &Pattern,
    given: &BTreeMap<String, A>,
) -> Result<Values, ClientError> {
    let known: Vec<(&str, &Type)> = pattern
        .parameters
        .iter()
        .map(|p| (p.name.as_str(), &p.kind))
        .collect();
    let of = format!("the pattern {}", pattern.name);
    let mut given = given.clone();
    // A time with more digits than keys hold is cut: no key lies between `at <= t` or `at > t` and
    // the cut time.
    for parameter in &pattern.parameters {
        if let Some(argument) = given.remove(&parameter.name) {
            let argument = match parameter.limit {
                Limit::Among => argument.listed(&parameter.kind),
                Limit::AtMost | Limit::Above => argument.at_most(&parameter.kind),
                Limit::Equal
                | Limit::AtLeast
                | Limit::Below
                | Limit::Starts
                | Limit::In(_)
                | Limit::Free => argument,
            };
            given.insert(parameter.name.clone(), argument);
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
                return Err(ClientError::Named {
                    name: parameter.name.clone(),
                    message,
                });
            }
            (true, None) | (false, Some(_)) => {}
        }
    }
    Ok(values)
}

/// Parses the arguments of a named write. Optional attributes and those with a default may be left
/// out.
///
/// # Errors
/// Those of [`of_pattern`].
pub fn of_write<A: Argument>(
    write: &Write,
    given: &BTreeMap<String, A>,
) -> Result<Values, ClientError> {
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
/// left out. A version is the one that the stored entity must have.
///
/// # Errors
/// Those of [`of_pattern`]; `Invalid` for an attribute that the model keeps itself.
pub fn of_entity<A: Argument>(
    entity: &Entity,
    given: &BTreeMap<String, A>,
) -> Result<Values, ClientError> {
    let values = attributes_of(entity, given)?;
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

/// Parses attributes of an entity.
fn attributes_of<A: Argument>(
    entity: &Entity,
    given: &BTreeMap<String, A>,
) -> Result<Values, ClientError> {
    refuse_kept(entity, given)?;
    let known: Vec<(&str, &Type)> = entity
        .attributes
        .iter()
        .map(|a| (a.name.as_str(), &a.kind))
        .collect();
    typed(given, &known, &entity.name)
}

/// Parses some attributes of an entity, among them all of its key. A version is the one that the
/// stored entity must have.
///
/// # Errors
/// Those of [`of_entity`].
pub fn some_of_entity<A: Argument>(
    entity: &Entity,
    given: &BTreeMap<String, A>,
) -> Result<Values, ClientError> {
    let values = attributes_of(entity, given)?;
    require(
        &values,
        entity.identity().into_iter().map(str::to_owned),
        &format!("the key of {}", entity.name),
    )?;
    Ok(values)
}

/// Refuses attributes that the model keeps, except the version, by which a write is refused when the
/// stored item has another.
fn refuse_kept<A>(entity: &Entity, given: &BTreeMap<String, A>) -> Result<(), ClientError> {
    for attribute in entity
        .attributes
        .iter()
        .filter(|attribute| attribute.is_kept)
    {
        if given.contains_key(&attribute.name) && entity.version.as_ref() != Some(&attribute.name) {
            return Err(ClientError::Named {
                name: attribute.name.clone(),
                message: format!(
                    "{} of {} is kept by the model and not written by hand",
                    attribute.name, entity.name
                ),
            });
        }
    }
    Ok(())
}
