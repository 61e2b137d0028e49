//! The report of a write, for people and programs; shared by `put`, `update`, `delete` and `run`.

use crate::json;
use crate::terminal::{self, ACCENT, FAINT, GOOD};
use keyfold_client::ClientError;
use keyfold_client::arguments;
use keyfold_client::write::{Made, Written};
use keyfold_model::{Entity, Model, near, value};
use std::collections::BTreeMap;

pub(super) fn show(written: &Written, as_json: bool) {
    if as_json {
        let report = serde_json::json!({
            "operation": written.operation,
            "changes": written.changes,
            "capacityUnits": written.capacity.units(),
            "made": written.made.iter().map(|one| serde_json::json!({
                "entity": one.entity,
                "attribute": one.attribute,
                "value": json::value(&one.value),
            })).collect::<Vec<_>>(),
        });
        json::print(&report);
        return;
    }
    if written.changes.is_empty() {
        terminal::line(&format!("{GOOD}unchanged{GOOD:#}: it is so already"));
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

/// `name=value` arguments by name, each at most once.
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

/// The entity of a name, or an error that lists what there is.
pub(super) fn entity<'m>(model: &'m Model, name: &str) -> Result<&'m Entity, ClientError> {
    model.entity(name).ok_or_else(|| {
        let known: Vec<&str> = model
            .entities
            .iter()
            .map(|entity| entity.name.as_str())
            .collect();
        ClientError::Unknown(format!(
            "the model {} has no entity {name}{}; it has {}",
            model.name,
            near::meant(name, known.iter().copied()),
            known.join(", ")
        ))
    })
}
