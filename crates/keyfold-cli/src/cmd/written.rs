//! Arguments and reports of writes, which `put`, `update`, `delete` and `run` share.

use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, ACCENT, FAINT, GOOD};
use keyfold_client::ClientError;
use keyfold_client::arguments;
use keyfold_client::write::{self, Made, Written};
use keyfold_model::{Entity, Model, near, value};
use keyfold_types::CapacityHalves;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Prints what a write changed.
pub(super) fn show(written: &Written, output: Output) {
    if !written.changes.is_empty() {
        terminal::note_written();
    }
    output.result(|| report(written), || show_text(written));
}

fn report(written: &Written) -> Json {
    let made = |one: &Made| {
        json!({
            "entity": one.entity,
            "attribute": one.attribute,
            "value": crate::json::value(&one.value),
        })
    };
    json!({
        "operation": written.operation,
        "changes": written.changes,
        "capacityUnits": written.capacity.units(),
        "made": written.made.iter().map(made).collect::<Vec<_>>(),
    })
}

fn show_text(written: &Written) {
    // An action on an item reads it where it has nothing to write.
    if written.changes.is_empty() && written.capacity == CapacityHalves::ZERO {
        terminal::line(&format!(
            "{GOOD}nothing to write{GOOD:#}: the arguments name no item (an empty list, or a value that was left out)"
        ));
        return;
    }
    if written.changes.is_empty() {
        terminal::line(&format!(
            "{GOOD}unchanged{GOOD:#}: the stored attributes have these values already"
        ));
        return;
    }
    let changes = written.changes.join(", ");
    terminal::line(&format!(
        "{GOOD}done{GOOD:#}  {ACCENT}{}{ACCENT:#}: {changes}  {FAINT}{} units{FAINT:#}",
        written.operation, written.capacity
    ));
    for Made {
        entity,
        attribute,
        value,
    } in &written.made
    {
        terminal::line(&format!(
            "      {FAINT}{entity}{FAINT:#} {attribute} = {}",
            value::display(value)
        ));
    }
}

/// `name=value` arguments by name. Refuses a name that is given twice.
pub(super) fn given(texts: &[String]) -> Result<BTreeMap<String, String>, ClientError> {
    let mut given = BTreeMap::new();
    for text in texts {
        let (name, value) = arguments::split(text)?;
        if given.contains_key(&name) {
            return Err(ClientError::Unknown(format!("`{name}` is given twice")));
        }
        given.insert(name, value);
    }
    Ok(given)
}

/// The entity of a name, which is to be written.
///
/// # Errors
/// A failure that lists the near names and all names, in the model's file; that of a view, before its
/// attributes are compared: none of them can be written.
pub(super) fn entity<'m>(model: &'m Model, name: &str, file: &Path) -> Result<&'m Entity, Failure> {
    let entity = model.entity(name).ok_or_else(|| {
        let known = model.entities.iter().map(|entity| entity.name.as_str());
        unknown(model, file, ("entity", name), &known.collect::<Vec<_>>())
    })?;
    write::check_entity(model, entity)?;
    Ok(entity)
}

/// The failure that a model has no such thing of the name. It lists the near names and all names.
pub(super) fn unknown(
    model: &Model,
    file: &Path,
    (thing, name): (&str, &str),
    known: &[&str],
) -> Failure {
    Failure::usage(format!(
        "{}: the model {} has no {thing} {name}{}; it has {}",
        file.display(),
        model.name,
        near::meant(name, known.iter().copied()),
        known.join(", ")
    ))
    .in_file(file)
}
