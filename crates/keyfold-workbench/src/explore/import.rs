//! Entities or stored items from lines of JSON: first what each line would write, then the lines that
//! somebody has agreed to, one after the other.

use super::exchange::send;
use super::fault::Fault;
use super::named::items;
use super::place::Place;
use super::shown;
use super::tables::of_model;
use super::typed;
use keyfold_api::{
    ExpressionAttributes, GetItemInput, PutItemInput, Response, ScalarAttributeType,
    TableDescription,
};
use keyfold_client::kinds::Kinds;
use keyfold_client::{arguments, drive, origin, tables};
use keyfold_lower::arguments::Values;
use keyfold_lower::{Lowering, Origin, capacity, unexpected, write};
use keyfold_model::{Entity, Model};
use keyfold_types::limits::ITEM_BYTES_MAX;
use keyfold_types::{Item, Value};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// The most lines of one question: the page asks again for the next ones.
const LINES_MAX: usize = 500;

/// What the page asks.
#[derive(Deserialize)]
pub(super) struct Asked {
    pub(super) file: Option<usize>,
    /// The table of stored items; entities without one.
    table: Option<String>,
    lines: Vec<Line>,
    /// Whether a line may take the place of what is stored under its key.
    #[serde(default)]
    replaces: bool,
    /// Whether somebody has seen what these lines write, and agreed.
    #[serde(default, rename = "isAgreed")]
    is_agreed: bool,
    /// Whether somebody has agreed a second time.
    #[serde(default, rename = "isSure")]
    is_sure: bool,
}

/// A line, taken apart by the page.
#[derive(Deserialize)]
struct Line {
    /// The kind of an entity.
    #[serde(default)]
    kind: Option<String>,
    /// Its attributes: texts without their quotes, and all else as it is written, so that numbers keep
    /// their digits.
    #[serde(default)]
    values: BTreeMap<String, String>,
    /// An item as it is stored.
    #[serde(default)]
    item: Json,
}

/// Says of each line what it would write, or writes them.
pub(super) fn lines(place: &Place, model: Option<&Model>, asked: &Asked) -> Result<Json, Fault> {
    if asked.lines.len() > LINES_MAX {
        return Err(Fault::because(format!("at most {LINES_MAX} lines at once")));
    }
    if asked.is_agreed {
        place.consent(asked.is_sure)?;
    }
    let answered: Vec<Json> = match &asked.table {
        Some(name) => {
            let described = tables::describe(&place.backend, name)?;
            let described =
                described.ok_or_else(|| Fault::because("there is no such table".to_owned()))?;
            let each = asked.lines.iter();
            each.map(|line| said(item(place, model, (name, &described), asked, line)))
                .collect()
        }
        None => {
            let model = model.ok_or_else(|| Fault::because("this needs a model".to_owned()))?;
            let each = asked.lines.iter();
            each.map(|line| said(entity(place, model, asked, line)))
                .collect()
        }
    };
    Ok(json!({ "lines": answered }))
}

/// The answer for a line; a refusal has no requests in it: there may be many lines.
fn said(answered: Result<Json, Fault>) -> Json {
    answered.unwrap_or_else(|fault| fault.after(Vec::new()).json())
}

/// A line with an entity.
fn entity(place: &Place, model: &Model, asked: &Asked, line: &Line) -> Result<Json, Fault> {
    let kind = line.kind.as_ref().ok_or_else(|| {
        Fault::because("its kind is not known: import it as it is stored".to_owned())
    })?;
    let Some(entity) = model.entity(kind) else {
        let follows = kind.split('.').next().and_then(|name| model.entity(name));
        let why = match follows {
            Some(entity) => format!(
                "{kind} follows from {}, and is not written by itself",
                entity.name
            ),
            None => format!("the stored model has no entity {kind}"),
        };
        return Err(Fault::because(why));
    };
    write::check_entity(model, entity)?;
    let (given, left_out) = own(model, entity, &line.values);
    let values = arguments::of_entity(entity, &given)?;
    let verb = if asked.replaces { "put" } else { "create" };
    let what = format!("{verb} {}", entity.name);
    if asked.is_agreed {
        let call = lowered(origin(), model, (entity, &values), asked);
        let written = drive(&place.backend, call)?;
        return Ok(json!({ "what": what, "units": written.capacity.units() }));
    }
    let make = |origin| lowered(origin, model, (entity, &values), asked);
    let (shown, _) = shown::show(place, model, make, &mut Vec::new())?;
    let actions = shown["actions"].as_array().map_or(&[][..], Vec::as_slice);
    let key = |one: &Json| json!([one["table"], one["key"]]).to_string();
    let puts = actions.iter().filter(|one| one["verb"] == "put");
    let lacking = absent(place, actions)?;
    Ok(json!({
        "what": what,
        "actions": actions.iter().map(|one| one["label"].clone()).collect::<Vec<_>>(),
        "keys": puts.map(key).collect::<Vec<_>>(),
        // An earlier line may make them.
        "needs": lacking.iter().map(|(at, why)| json!([key(at), why])).collect::<Vec<_>>(),
        "leftOut": left_out,
    }))
}

/// The actions whose item must be there, and is not, each with a sentence. Those whose item must not be
/// there, and is, are a refusal.
fn absent<'a>(place: &Place, actions: &'a [Json]) -> Result<Vec<(&'a Json, String)>, Fault> {
    let mut keys = Vec::new();
    for one in actions {
        let table = one["table"].as_str().unwrap_or_default().to_owned();
        keys.push((table, typed::read(&one["key"])?));
    }
    let Some(found) = items(place, &keys, &mut Vec::new()) else {
        return Ok(Vec::new());
    };
    let mut lacking = Vec::new();
    for (one, found) in std::iter::zip(actions, found) {
        let label = one["label"].as_str().unwrap_or("an action");
        // A key attribute is there when its item is.
        let asks = |function: &str| {
            let terms = one["condition"].as_str().unwrap_or_default().split(" AND ");
            let of = |term: &str| {
                let inner = term.strip_prefix(function)?.strip_prefix('(')?;
                let name = inner.strip_suffix(')')?;
                Some(one["names"][name].as_str().unwrap_or(name).to_owned())
            };
            let mut names = terms.filter_map(of);
            names.any(|name| one["key"].get(&name).is_some())
        };
        match found {
            Some(_) if asks("attribute_not_exists") => {
                let why = format!("{label}: an item with this key is there already");
                return Err(Fault::because(why));
            }
            None if asks("attribute_exists") => {
                lacking.push((
                    one,
                    format!("{label}: the item that it changes is not there"),
                ));
            }
            Some(_) | None => {}
        }
    }
    Ok(lacking)
}

fn lowered<'w>(
    origin: Origin,
    model: &'w Model,
    (entity, values): (&'w Entity, &'w Values),
    asked: &Asked,
) -> Lowering<'w, write::Written> {
    match asked.replaces {
        true => write::put(origin, model, entity, values),
        false => write::create(origin, model, entity, values),
    }
}

/// The attributes that a caller gives, as texts, and the names of those that are left out: the model
/// keeps them, or they are keys that follow from others.
fn own(
    model: &Model,
    entity: &Entity,
    values: &BTreeMap<String, String>,
) -> (BTreeMap<String, String>, Vec<String>) {
    let table = model.tables.get(entity.table);
    let is_key = |name: &str| {
        let own = table.iter().flat_map(|table| table.columns());
        let indexes = table.iter().flat_map(|table| &table.indexes);
        let mut all = own.chain(indexes.flat_map(|index| index.columns()));
        all.any(|column| column.name == name)
    };
    let (mut given, mut left_out) = (BTreeMap::new(), Vec::new());
    for (name, text) in values {
        let follows = match entity.attributes.iter().find(|one| one.name == *name) {
            Some(attribute) => attribute.is_kept,
            None => is_key(name),
        };
        match follows {
            true => left_out.push(name.clone()),
            false => drop(given.insert(name.clone(), text.clone())),
        }
    }
    (given, left_out)
}

/// A line with an item as it is stored.
fn item(
    place: &Place,
    model: Option<&Model>,
    (name, table): (&String, &TableDescription),
    asked: &Asked,
    line: &Line,
) -> Result<Json, Fault> {
    let item = typed::read(&line.item).map_err(|_| {
        Fault::because("no item in DynamoDB's JSON, such as {\"PK\": {\"S\": \"a\"}}".to_owned())
    })?;
    let key = key(table, &item)?;
    let bytes = item.size_bytes();
    if bytes > ITEM_BYTES_MAX {
        return Err(Fault::because(format!(
            "{bytes} bytes are more than {ITEM_BYTES_MAX}"
        )));
    }
    if asked.is_agreed {
        let response = send(place, put(name, &key, item, asked).into(), &mut Vec::new())?;
        let units = response.consumed().map(|halves| halves.units());
        return Ok(json!({ "what": "put an item", "units": units }));
    }
    let question = GetItemInput {
        table_name: Some(name.clone()),
        key: Some(Ok(key.clone())),
        consistent_read: Some(true),
        ..GetItemInput::default()
    };
    let Response::GetItem(found) = send(place, question.into(), &mut Vec::new())? else {
        return Err(unexpected().into());
    };
    let found = found.item;
    if found.is_some() && !asked.replaces {
        return Err(Fault::because("an item with this key is there".to_owned()));
    }
    let kind = model.and_then(|model| {
        let (at, of_model) = of_model(model, name)?;
        let kinds = Kinds::of(model, at, of_model);
        Some(kinds.kind_of(&item)?.name_of(of_model, &item).to_owned())
    });
    Ok(json!({
        "what": if found.is_some() { "replace an item" } else { "put an item" },
        "kind": kind,
        "actions": [null],
        "keys": [json!([name, typed::item(&key)]).to_string()],
        "leftOut": [],
    }))
}

fn put(table: &str, key: &Item, item: Item, asked: &Asked) -> PutItemInput {
    let first = key.iter().next().filter(|_| !asked.replaces);
    let (condition, attributes) = match first {
        Some((name, _)) => (
            Some("attribute_not_exists(#k)".to_owned()),
            ExpressionAttributes::default().name("#k", name),
        ),
        None => (None, ExpressionAttributes::default()),
    };
    PutItemInput {
        table_name: Some(table.to_owned()),
        item: Some(Ok(item)),
        condition_expression: condition,
        expression_attributes: attributes,
        returns: capacity::requested(),
        ..PutItemInput::default()
    }
}

/// The key of an item, whose attributes have the table's types.
fn key(table: &TableDescription, item: &Item) -> Result<Item, Fault> {
    let definitions = table.definitions();
    let mut key = Item::new();
    for (name, _) in table.key_elements() {
        let held = item
            .get(&name)
            .ok_or_else(|| Fault::because(format!("the key attribute {name} is not there")))?;
        let is_of =
            |(defined, kind): &(String, _)| *defined != name || kind_of(held) == Some(*kind);
        if !definitions.iter().all(is_of) {
            return Err(Fault::because(format!(
                "the key attribute {name} has another type"
            )));
        }
        key.insert(name.as_str(), held.clone());
    }
    Ok(key)
}

/// The type of a value that may be in a key.
fn kind_of(value: &Value) -> Option<ScalarAttributeType> {
    match value {
        Value::S(_) => Some(ScalarAttributeType::S),
        Value::N(_) => Some(ScalarAttributeType::N),
        Value::B(_) => Some(ScalarAttributeType::B),
        Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => None,
    }
}
