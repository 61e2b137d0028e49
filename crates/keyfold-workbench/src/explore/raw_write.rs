//! One item as it is stored, written under the condition that nobody has changed it since it was read.

use super::exchange::{body, send};
use super::fault::Fault;
use super::place::Place;
use super::typed;
use keyfold_api::{DeleteItemInput, ExpressionAttributes, PutItemInput, Request, UpdateItemInput};
use keyfold_client::tables;
use keyfold_lower::capacity;
use keyfold_types::{Item, Value};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// What the page asks.
#[derive(Deserialize)]
pub(super) struct Asked {
    table: String,
    /// The item as it was read; none where a new one is made.
    before: Option<Json>,
    /// The item as it is to be; none where it is deleted.
    after: Option<Json>,
    /// Whether somebody has seen the request, and agreed.
    #[serde(default, rename = "isAgreed")]
    is_agreed: bool,
    /// Whether somebody has agreed a second time.
    #[serde(default, rename = "isSure")]
    is_sure: bool,
}

/// Shows the request, or sends it.
pub(super) fn write(place: &Place, asked: &Asked) -> Result<Json, Fault> {
    let before = asked.before.as_ref().map(typed::read).transpose()?;
    let after = asked.after.as_ref().map(typed::read).transpose()?;
    let found = tables::describe(&place.backend, &asked.table)?;
    let found = found.ok_or_else(|| Fault::because("there is no such table".to_owned()))?;
    let key = found.key_schema.into_iter().flatten();
    let key: Vec<String> = key.filter_map(|one| one.attribute_name).collect();
    let request = request(&asked.table, &key, before.as_ref(), after.as_ref())?;
    let operation = request.operation().name();
    if !asked.is_agreed {
        return Ok(json!({ "operation": operation, "request": body(&request) }));
    }
    place.consent(asked.is_sure)?;
    let mut notes = Vec::new();
    match send(place, request, &mut notes) {
        Ok(response) => Ok(json!({
            "done": { "operation": operation, "units": response.consumed().map(|halves| halves.units()) },
            "exchanges": notes,
        })),
        Err(error) => Err(Fault::from(error).after(notes)),
    }
}

/// The request for a change of one item.
fn request(
    table: &str,
    key: &[String],
    before: Option<&Item>,
    after: Option<&Item>,
) -> Result<Request, Fault> {
    let of = |item: &Item| -> Item {
        let held = key.iter().filter_map(|name| Some((name, item.get(name)?)));
        held.map(|(name, held)| (name.clone(), held.clone()))
            .collect()
    };
    if let (Some(before), Some(after)) = (before, after)
        && of(before) != of(after)
    {
        return Err(Fault::because(
            "this has another key: it would be another item; make a new one, and delete this one"
                .to_owned(),
        ));
    }
    let (condition, attributes) = condition(key, before, after);
    let (table_name, returns) = (Some(table.to_owned()), capacity::requested());
    match (before, after) {
        (None, Some(after)) => Ok(PutItemInput {
            table_name,
            item: Some(Ok(after.clone())),
            condition_expression: condition,
            expression_attributes: attributes,
            returns,
            ..PutItemInput::default()
        }
        .into()),
        (Some(before), Some(after)) => {
            let (update, attributes) = change(before, after, attributes)?;
            Ok(UpdateItemInput {
                table_name,
                key: Some(Ok(of(before))),
                update_expression: Some(update),
                condition_expression: condition,
                expression_attributes: attributes,
                returns,
                ..UpdateItemInput::default()
            }
            .into())
        }
        (Some(before), None) => Ok(DeleteItemInput {
            table_name,
            key: Some(Ok(of(before))),
            condition_expression: condition,
            expression_attributes: attributes,
            returns,
            ..DeleteItemInput::default()
        }
        .into()),
        (None, None) => Err(Fault::because("there is nothing to write".to_owned())),
    }
}

/// The update that makes one item of another. Attributes that neither has stay as they are, so that
/// what somebody has added is kept.
fn change(
    before: &Item,
    after: &Item,
    mut attributes: ExpressionAttributes,
) -> Result<(String, ExpressionAttributes), Fault> {
    let (mut set, mut removed) = (Vec::new(), Vec::new());
    let is_other = |(name, held): &(&String, &Value)| before.get(name) != Some(held);
    for (number, (name, held)) in after.iter().filter(is_other).enumerate() {
        set.push(format!("#s{number} = :s{number}"));
        attributes = attributes
            .name(format!("#s{number}"), name)
            .value(format!(":s{number}"), held.clone());
    }
    let gone = before.iter().filter(|(name, _)| after.get(name).is_none());
    for (number, (name, _)) in gone.enumerate() {
        removed.push(format!("#r{number}"));
        attributes = attributes.name(format!("#r{number}"), name);
    }
    let clauses = [("SET", set), ("REMOVE", removed)];
    let clauses = clauses.iter().filter(|(_, all)| !all.is_empty());
    let text: Vec<String> = clauses
        .map(|(word, all)| format!("{word} {}", all.join(", ")))
        .collect();
    match text.is_empty() {
        true => Err(Fault::because("nothing is changed".to_owned())),
        false => Ok((text.join(" "), attributes)),
    }
}

/// The condition that the item is as it was read: each attribute has its value, and none is there that
/// this write adds. An item that is new must not be there.
fn condition(
    key: &[String],
    before: Option<&Item>,
    after: Option<&Item>,
) -> (Option<String>, ExpressionAttributes) {
    let mut attributes = ExpressionAttributes::default();
    let mut terms = Vec::new();
    let held = before.into_iter().flat_map(Item::iter);
    for (number, (name, held)) in held.enumerate() {
        terms.push(format!("#h{number} = :h{number}"));
        attributes = attributes
            .name(format!("#h{number}"), name)
            .value(format!(":h{number}"), held.clone());
    }
    let is_new = |name: &&str| before.is_some_and(|before| before.get(name).is_none());
    let added = after.into_iter().flat_map(Item::iter);
    let added = added.map(|(name, _)| name.as_str()).filter(is_new);
    let first = key.first().filter(|_| before.is_none());
    let absent = added.chain(first.map(String::as_str));
    for (number, name) in absent.enumerate() {
        terms.push(format!("attribute_not_exists(#a{number})"));
        attributes = attributes.name(format!("#a{number}"), name);
    }
    let text = (!terms.is_empty()).then(|| terms.join(" AND "));
    (text, attributes)
}
