//! Several items in parentheses, each read by a key of its own: the names and types of their
//! parameters.

use super::names::unknown;
use crate::diagnostic::Diagnostic;
use crate::schema::{KeyPair, Model, Returned, Type};
use crate::syntax::ast::{LimitDecl, Name, ParameterDecl, PatternDecl};
use keyfold_types::limits::TRANSACTION_ACTIONS_MAX;

/// The key of a returned entity or copy.
pub(crate) fn key_of<'m>(model: &'m Model, returned: &Returned) -> Option<&'m KeyPair> {
    let entity = model.entities.get(returned.entity)?;
    match returned.copy {
        None => Some(&entity.key),
        Some(copy) => entity.copies.get(copy).map(|copy| &copy.key),
    }
}

/// Refuses names in parentheses that mean nothing: an attribute that is not part of the key, or one
/// that two parameters give; and more items than a request reads.
pub(super) fn check(
    declared: &PatternDecl,
    returned: &[Returned],
    model: &Model,
) -> Result<(), Box<Diagnostic>> {
    if returned.len() > TRANSACTION_ACTIONS_MAX {
        let message = format!(
            "{} reads {} items, and one request reads at most {TRANSACTION_ACTIONS_MAX}",
            declared.name.text,
            returned.len()
        );
        let span = declared.name.span;
        return Err(Box::new(
            Diagnostic::error("KF010", span, message, "too many items")
                .help("make it several patterns"),
        ));
    }
    for (one, written) in returned.iter().zip(&declared.returned) {
        let fields: Vec<&str> = key_of(model, one).map_or(Vec::new(), |key| key.fields().collect());
        for (at, (attribute, _)) in written.bound.iter().enumerate() {
            if !fields.contains(&attribute.text.as_str()) {
                let what = format!("key attribute of {}", model.name_of(one));
                return Err(Box::new(
                    unknown(&what, attribute, fields.iter().copied())
                        .note("an item in parentheses is read by its key"),
                ));
            }
            let mut before = written.bound.iter().take(at);
            if before.any(|(other, _)| other.text == attribute.text) {
                let message = format!("`{}` is given twice", attribute.text);
                return Err(Box::new(
                    Diagnostic::error("KF003", attribute.span, message, "again here")
                        .help("remove one of them"),
                ));
            }
        }
    }
    check_parameters(declared)
}

/// Refuses a parameter in parentheses that the pattern does not declare.
fn check_parameters(declared: &PatternDecl) -> Result<(), Box<Diagnostic>> {
    let known = || {
        declared
            .parameters
            .iter()
            .map(|parameter| parameter.attribute.text.as_str())
    };
    let bound = declared.returned.iter().flat_map(|one| &one.bound);
    for (_, parameter) in bound {
        if !known().any(|name| name == parameter.text) {
            return Err(Box::new(unknown("parameter", parameter, known())));
        }
    }
    Ok(())
}

/// The type of a parameter: that of the key attributes that it gives.
pub(super) fn type_of(
    declared: &ParameterDecl,
    returned: &[Returned],
    model: &Model,
) -> Result<Type, Box<Diagnostic>> {
    let name = &declared.attribute;
    let span = name.span;
    let is_equal = matches!(declared.limit, LimitDecl::Equal);
    if !is_equal || declared.optional {
        let message = format!(
            "`{}` must be one value: each item in parentheses is read by its whole key",
            name.text
        );
        return Err(Box::new(
            Diagnostic::error("KF004", span, message, "no single value").help(format!(
                "give it by its name: `{}`; its type is that of the key attribute",
                name.text
            )),
        ));
    }
    let mut found: Option<(String, Type)> = None;
    for one in returned {
        for field in given_by(&name.text, one, model) {
            let entity = model.entities.get(one.entity);
            let Some(attribute) = entity.and_then(|entity| entity.attribute(field)) else {
                continue;
            };
            match &found {
                Some((first, kind)) if *kind != attribute.kind => {
                    let message = format!(
                        "`{}` would be {} for {first} and {} for {}",
                        name.text,
                        kind.with_article(),
                        attribute.kind.with_article(),
                        model.name_of(one)
                    );
                    return Err(Box::new(
                        Diagnostic::error("KF004", span, message, "two types").help(
                            "give one of them by a parameter of another name: `where attribute = parameter`",
                        ),
                    ));
                }
                Some(_) => {}
                None => found = Some((model.name_of(one), attribute.kind.clone())),
            }
        }
    }
    found
        .map(|(_, kind)| kind)
        .ok_or_else(|| Box::new(unused(name, returned, model)))
}

/// The key attributes of an item that a parameter gives.
pub(crate) fn given_by<'r>(
    parameter: &'r str,
    returned: &'r Returned,
    model: &'r Model,
) -> impl Iterator<Item = &'r str> {
    let by_name = key_of(model, returned)
        .into_iter()
        .flat_map(KeyPair::fields)
        .filter(move |field| *field == parameter)
        .filter(|field| !returned.bound.iter().any(|(bound, _)| bound == field))
        .take(1);
    let bound = returned.bound.iter();
    let bound = bound.filter(move |(_, name)| name == parameter);
    by_name.chain(bound.map(|(attribute, _)| attribute.as_str()))
}

/// The report of a parameter that is in no key.
fn unused(name: &Name, returned: &[Returned], model: &Model) -> Diagnostic {
    let keys: Vec<&KeyPair> = returned
        .iter()
        .filter_map(|one| key_of(model, one))
        .collect();
    let fields = keys.iter().flat_map(|key| key.fields());
    let names: Vec<String> = returned.iter().map(|one| model.name_of(one)).collect();
    unknown("key attribute", name, fields).note(format!(
        "no key of {} has it; a parameter of another name is bound inside the parentheses: `where attribute = {}`",
        names.join(", "),
        name.text
    ))
}

/// Whether one of the entities has an attribute that the pattern returns.
pub(super) fn check_returned(
    name: &Name,
    returned: &[Returned],
    model: &Model,
) -> Result<(), Box<Diagnostic>> {
    let mut names = Vec::new();
    for one in returned {
        if let Some(entity) = model.entities.get(one.entity) {
            let own = entity.attributes.iter();
            names.extend(own.map(|attribute| attribute.name.as_str()));
        }
    }
    if names.contains(&name.text.as_str()) {
        return Ok(());
    }
    Err(Box::new(unknown("attribute", name, names.into_iter())))
}
