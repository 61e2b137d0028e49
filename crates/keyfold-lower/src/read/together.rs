//! Several items by keys of their own: one TransactGetItems, or one BatchGetItem.

use super::answer::{Asked, FoundItem, Page, PageRequest, Raw};
use super::assemble::Kinds;
use super::batch;
use super::question::Question;
use super::request::{key_of, projection};
use crate::arguments::Values;
use crate::capacity;
use crate::error::{ClientError, unexpected};
use crate::expression::Placeholders;
use crate::lowering::Io;
use crate::retry::{TRIES, back_off};
use crate::unknown::OnUnknown;
use keyfold_api::{KeysAndAttributes, Response, TransactGet, TransactGetItemsInput};
use keyfold_model::schema::{Get, RequestKind, Returned};
use keyfold_model::{Model, Pattern, PatternPlan, Table};
use keyfold_types::Item;

/// One item to read.
struct Wanted<'w> {
    get: &'w Get,
    returned: &'w Returned,
    table: &'w Table,
    key: Item,
}

/// Runs a pattern that returns several items by their keys.
///
/// # Errors
/// `NotFound` when a required item does not exist; `Value` for arguments that no key can contain;
/// `Unknown` for a cursor; the backend's error otherwise.
pub(super) async fn page(
    io: &Io,
    model: &Model,
    pattern: &Pattern,
    (plan, arguments): (&PatternPlan, &Values),
    page: &PageRequest,
) -> Result<Page, ClientError> {
    if page.after.is_some() {
        return Err(ClientError::Unknown(format!(
            "{} has one page: it reads each item by its key",
            pattern.name
        )));
    }
    let all = wanted(io, model, pattern, (plan, arguments))?;
    let raw = match plan.request {
        RequestKind::TransactGetItems => snapshot(io, (plan, arguments), pattern, &all).await?,
        RequestKind::GetItem
        | RequestKind::Query
        | RequestKind::BatchGetItem
        | RequestKind::Scan => batch(io, (plan, arguments), &all).await?,
    };
    let mut items = Vec::new();
    for (one, stored) in all.iter().zip(raw.stored) {
        let found = found(model, pattern, one, (stored, page.on_unknown))?;
        if found.is_empty() && !one.returned.optional {
            return Err(ClientError::not_found(format!(
                "{}: there is no {} for {}",
                pattern.name,
                one.get.name,
                shown(one)
            )));
        }
        items.extend(found);
    }
    let raw = raw.cost;
    Ok(Page {
        items,
        request: raw.asked,
        requests: raw.requests,
        capacity: raw.capacity,
        next: None,
    })
}

/// The items to read, each with its key.
fn wanted<'w>(
    io: &'w Io,
    model: &'w Model,
    pattern: &'w Pattern,
    (plan, arguments): (&'w PatternPlan, &Values),
) -> Result<Vec<Wanted<'w>>, ClientError> {
    let mut all = Vec::new();
    for (get, returned) in plan.gets.iter().zip(&pattern.returned) {
        let mut tables = model.tables.iter();
        let table = tables
            .find(|table| table.name == get.plan.table)
            .ok_or_else(|| {
                ClientError::Unknown(format!("the model has no table {}", get.plan.table))
            })?;
        let key = key_of(
            &Question::of((io, &pattern.name), table, &get.plan, arguments),
            arguments,
        )?;
        all.push(Wanted {
            get,
            returned,
            table,
            key,
        });
    }
    Ok(all)
}

/// The item of the answer; none where it is not there, or is left out.
fn found(
    model: &Model,
    pattern: &Pattern,
    one: &Wanted<'_>,
    (stored, on_unknown): (Option<Item>, OnUnknown),
) -> Result<Vec<FoundItem>, ClientError> {
    let kinds = Kinds::of_one(model, pattern, one.returned, &one.get.plan, one.table);
    let kinds = kinds.on_unknown(on_unknown);
    let items = kinds.found(pattern, stored.into_iter().collect(), false)?;
    Ok(items.unwrap_or_default())
}

/// The stored items in the order of the pattern, and what reading them cost.
struct Read {
    stored: Vec<Option<Item>>,
    cost: Raw,
}

/// The items without those of an earlier key: a request takes no key twice.
fn distinct<'w, 'a>(all: &'a [Wanted<'w>]) -> Vec<&'a Wanted<'w>> {
    let mut distinct: Vec<&Wanted<'w>> = Vec::new();
    for one in all {
        let is_same = |other: &&&Wanted<'_>| is_at(one, &other.table.name, &other.key);
        if distinct.iter().find(is_same).is_none() {
            distinct.push(one);
        }
    }
    distinct
}

fn is_at(one: &Wanted<'_>, table: &str, key: &Item) -> bool {
    one.table.name == table && one.key == *key
}

/// Reads all items as they are at one moment. A transaction that writes one of them at this moment
/// cancels the request, which is sent again.
async fn snapshot(
    io: &Io,
    (plan, arguments): (&PatternPlan, &Values),
    pattern: &Pattern,
    all: &[Wanted<'_>],
) -> Result<Read, ClientError> {
    let distinct = distinct(all);
    let gets = distinct.iter().map(|one| {
        let mut made = Placeholders::default();
        let question = Question::of((io, ""), one.table, plan, arguments);
        let projection_expression = projection(&question, &mut made);
        TransactGet {
            table_name: Some(one.table.name.clone()),
            key: Some(Ok(one.key.clone())),
            projection_expression,
            expression_attributes: made.finish(),
        }
    });
    let input = TransactGetItemsInput {
        transact_items: Some(gets.collect()),
        returns: capacity::requested(),
    };
    for tried in 0..TRIES {
        let output = match io.ask(input.clone().into()).await {
            Ok(Response::TransactGetItems(output)) => output,
            Ok(_) => return Err(unexpected()),
            Err(error) if error.is_conflict() => {
                io.pause(back_off(tried)).await;
                continue;
            }
            Err(error) => return Err(error),
        };
        let read: Vec<Option<Item>> = output
            .responses
            .into_iter()
            .map(|item| item.map(|item| item.to_item()))
            .collect();
        let of = |one: &Wanted<'_>| {
            let at = distinct
                .iter()
                .position(|other| is_at(one, &other.table.name, &other.key))?;
            read.get(at).cloned().flatten()
        };
        return Ok(Read {
            stored: all.iter().map(of).collect(),
            cost: Raw {
                asked: asked(plan, all),
                requests: tried + 1,
                capacity: capacity::total(output.consumed_capacity.into_iter().flatten()),
                ..Raw::default()
            },
        });
    }
    Err(ClientError::Overtaken(format!(
        "{}: other transactions were writing its items {TRIES} times in a row; try again",
        pattern.name
    )))
}

/// Reads the items each for itself. Keys that the backend leaves unprocessed are sent again.
async fn batch(
    io: &Io,
    (plan, arguments): (&PatternPlan, &Values),
    all: &[Wanted<'_>],
) -> Result<Read, ClientError> {
    let mut request_items: Vec<(String, KeysAndAttributes)> = Vec::new();
    for one in distinct(all) {
        let name = &one.table.name;
        match request_items.iter_mut().find(|(known, _)| known == name) {
            Some((_, keys)) => keys.keys.get_or_insert_default().push(Ok(one.key.clone())),
            None => {
                let question = Question::of((io, ""), one.table, plan, arguments);
                let keys = batch::keys(&question, one.key.clone());
                request_items.push((name.clone(), keys));
            }
        }
    }
    let mut cost = Raw {
        asked: asked(plan, all),
        ..Raw::default()
    };
    let mut read = Vec::new();
    if let Some(first) = all.first() {
        let question = Question::of((io, ""), first.table, plan, arguments);
        read = batch::ask_all(&question, [request_items], &mut cost).await?;
    }
    let of = |one: &Wanted<'_>| batch::at_key(&read, &one.table.name, &one.key);
    Ok(Read {
        stored: all.iter().map(of).collect(),
        cost,
    })
}

/// The request for people.
fn asked(plan: &PatternPlan, all: &[Wanted<'_>]) -> Asked {
    let keys: Vec<String> = all.iter().map(shown).collect();
    Asked {
        operation: plan.request.to_string(),
        place: plan.place(),
        condition: keys.join("; "),
        modifiers: String::new(),
    }
}

/// The key of an item for people.
fn shown(one: &Wanted<'_>) -> String {
    let key: Vec<String> = one
        .key
        .iter()
        .map(|(name, value)| crate::printed::print(name, " = ", value))
        .collect();
    key.join(" AND ")
}
