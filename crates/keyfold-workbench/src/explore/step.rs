//! The actions of a request that writes, each with the indexes that follow.

use super::tables::of_model;
use super::typed;
use keyfold_api::{ExpressionAttributes, Request, TransactWriteItem};
use keyfold_lower::key_of;
use keyfold_model::Model;
use keyfold_types::Item;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// An action on one item.
#[derive(Default)]
struct Action<'r> {
    verb: &'static str,
    table: Option<&'r String>,
    /// The item that is put.
    item: Option<&'r Item>,
    key: Option<&'r Item>,
    /// What the placeholders of its expressions stand for.
    attributes: Option<&'r ExpressionAttributes>,
    update: Option<&'r String>,
    condition: Option<&'r String>,
}

/// The action of a request or of a part of a transaction, whose members have the same names.
macro_rules! action {
    ($verb:literal, $of:expr, $($member:ident: $value:expr),*) => {
        Action {
            verb: $verb,
            table: $of.table_name.as_ref(),
            attributes: Some(&$of.expression_attributes),
            condition: $of.condition_expression.as_ref(),
            $($member: $value,)*
            ..Action::default()
        }
    };
}

macro_rules! put {
    ($of:expr) => {
        action!("put", $of, item: $of.item.as_ref().and_then(|item| item.as_ref().ok()))
    };
}

macro_rules! update {
    ($of:expr) => {
        action!("update", $of, key: $of.key.as_ref().and_then(|key| key.as_ref().ok()), update: $of.update_expression.as_ref())
    };
}

macro_rules! keyed {
    ($verb:literal, $of:expr) => {
        action!($verb, $of, key: $of.key.as_ref().and_then(|key| key.as_ref().ok()))
    };
}

fn part(one: &TransactWriteItem) -> Action<'_> {
    let TransactWriteItem {
        condition_check,
        put,
        delete,
        update,
    } = one;
    let check = condition_check.as_ref().map(|one| keyed!("check", one));
    let put = put.as_ref().map(|one| put!(one));
    let delete = delete.as_ref().map(|one| keyed!("delete", one));
    let update = update.as_ref().map(|one| update!(one));
    check.or(put).or(delete).or(update).unwrap_or_default()
}

/// The actions of a request that writes.
fn actions(request: &Request) -> Vec<Action<'_>> {
    let mut all = Vec::new();
    if let Request::PutItem(one) = request {
        all.push(put!(one));
    }
    if let Request::UpdateItem(one) = request {
        all.push(update!(one));
    }
    if let Request::DeleteItem(one) = request {
        all.push(keyed!("delete", one));
    }
    if let Request::TransactWriteItems(one) = request {
        all.extend(one.transact_items.iter().flatten().map(part));
    }
    all
}

/// The tables and keys of the items that a request writes.
pub(super) fn touched(model: &Model, request: &Request) -> Vec<(String, Item)> {
    let all = actions(request).into_iter();
    let one = |action: Action<'_>| {
        let name = action.table?;
        let key = match action.item {
            Some(item) => key_of(of_model(model, name)?.1, item),
            None => action.key?.clone(),
        };
        Some((name.clone(), key))
    };
    all.filter(|action| action.verb != "check")
        .filter_map(one)
        .collect()
}

/// The actions of a request, with what each is called.
pub(super) fn steps(model: &Model, request: &Request, labels: &[String]) -> Vec<Json> {
    let all = actions(request);
    let label = |at: usize| labels.get(at).map(String::as_str);
    let rows = all.iter().enumerate();
    rows.map(|(at, one)| row(model, one, label(at))).collect()
}

fn row(model: &Model, action: &Action<'_>, label: Option<&str>) -> Json {
    let table = action.table.and_then(|name| of_model(model, name));
    let table = table.map(|(_, table)| table);
    let of_put = table
        .zip(action.item)
        .map(|(table, item)| key_of(table, item));
    let key = action.key.or(of_put.as_ref()).map(typed::item);
    let names = action.attributes.and_then(|all| all.names.as_ref());
    let values = action
        .attributes
        .and_then(|all| all.values.as_ref()?.as_ref().ok());
    let shown = values.into_iter().flatten();
    let shown: BTreeMap<&String, Json> = shown
        .map(|(name, held)| (name, typed::value(held)))
        .collect();
    let is_followed = |name: &String| match action.item {
        Some(item) => item.get(name).is_some(),
        None => action.verb == "update" && names.into_iter().flatten().any(|(_, one)| one == name),
    };
    let indexes = table
        .iter()
        .flat_map(|table| &table.indexes)
        .filter(|index| {
            let mut columns = index.columns().map(|column| &column.name);
            match action.item {
                Some(_) => columns.all(is_followed),
                None => columns.any(is_followed),
            }
        });
    json!({
        "label": label,
        "verb": action.verb,
        "table": action.table,
        "key": key,
        "item": action.item.map(typed::item),
        "update": action.update,
        "condition": action.condition,
        "names": names,
        "values": shown,
        "indexes": indexes.map(|index| index.name.as_str()).collect::<Vec<_>>(),
    })
}
