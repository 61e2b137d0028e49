//! Calls, requests, answers and results as JSON. `docs/transcripts.md` describes them.

use flate2::read::GzDecoder;
use keyfold_api::{Request, Response};
use keyfold_client::ClientError;
use keyfold_client::arguments::Values;
use keyfold_client::read::{Found, FoundItem, Many, Page, PageRequest};
use keyfold_client::write::{Made, ManyWritten, Part, Transacted, Written};
use keyfold_lower::Origin;
use keyfold_model::{Entity, Pattern, Write};
use keyfold_types::{Item, Value};
use serde_json::{Map, Value as Json, json};
use std::io::Read as _;

/// The number of identifiers that a call is given. No call of a proof makes more.
const IDENTIFIERS: u64 = 32;

/// A call with its moment, and the random bits of the identifiers that it makes.
pub(super) fn call(origin: Origin, asked: Json) -> Json {
    json!({
        "call": asked,
        "now": origin.now_epoch_ms,
        "random": random(origin, 0),
    })
}

/// The random bits of the identifiers behind a number.
fn random(origin: Origin, first: u64) -> Vec<String> {
    let numbers = (1..=IDENTIFIERS).map(|number| first + number);
    let bits = numbers.map(|number| format!("{:032x}", origin.random(number)));
    bits.collect()
}

/// A call of several writes in one transaction. Each has random bits of its own.
pub(super) fn of_transaction(origin: Origin, parts: &[Part<'_>]) -> Json {
    let writes = parts.iter().enumerate().map(|(number, part)| {
        let mut write = match part {
            Part::Create { entity, values } => of_entity("create", entity, values),
            Part::Put { entity, values } => of_entity("put", entity, values),
            Part::Update {
                entity,
                changes,
                removed,
            } => of_update(entity, changes, removed),
            Part::Delete { entity, key } => of_entity("delete", entity, key),
            Part::Run { write, arguments } => of_write(write, arguments),
        };
        if let Some(members) = write.as_object_mut() {
            let bits = random(origin, Origin::first_of_part(number));
            members.insert("random".to_owned(), json!(bits));
        }
        write
    });
    json!({ "kind": "transact", "writes": writes.collect::<Vec<_>>() })
}

/// A call that writes entities in batches.
pub(super) fn of_many(kind: &str, entity: &Entity, (name, all): (&str, &[Values])) -> Json {
    let all: Vec<Json> = all.iter().map(of_values).collect();
    json!({ "kind": kind, "entity": entity.name, name: all })
}

/// A call that reads entities by their keys.
pub(super) fn of_keys(entity: &Entity, keys: &[Values], strong: bool) -> Json {
    let keys: Vec<Json> = keys.iter().map(of_values).collect();
    json!({ "kind": "get_many", "entity": entity.name, "keys": keys, "strong": strong })
}

/// A call that writes an entity.
pub(super) fn of_entity(kind: &str, entity: &Entity, values: &Values) -> Json {
    json!({ "kind": kind, "entity": entity.name, "values": of_values(values) })
}

pub(super) fn of_update(entity: &Entity, changes: &Values, removed: &[String]) -> Json {
    json!({
        "kind": "update",
        "entity": entity.name,
        "values": of_values(changes),
        "remove": removed,
    })
}

pub(super) fn of_write(write: &Write, arguments: &Values) -> Json {
    json!({ "kind": "write", "write": write.name, "arguments": of_values(arguments) })
}

/// A call that reads a page, or all of them.
pub(super) fn of_read(
    kind: &str,
    pattern: &Pattern,
    arguments: &Values,
    start: &PageRequest,
) -> Json {
    let PageRequest {
        limit,
        after,
        backward,
        strong,
        on_unknown: _,
        only_first: _,
        now_epoch_ms,
    } = start;
    let mut call = json!({
        "kind": kind,
        "pattern": pattern.name,
        "arguments": of_values(arguments),
        "limit": limit,
        "after": after.as_ref().map(of_item),
        "backward": backward,
        "now": now_epoch_ms,
    });
    if *strong {
        call["strong"] = json!(true);
    }
    call
}

/// A result of a call.
pub(crate) trait Answer {
    fn json(&self) -> Json;
}

impl Answer for Page {
    fn json(&self) -> Json {
        of_found(&self.items, self.next.as_ref(), self.requests)
    }
}

impl Answer for Found {
    fn json(&self) -> Json {
        of_found(&self.items, self.next.as_ref(), self.requests)
    }
}

impl Answer for Written {
    fn json(&self) -> Json {
        let made = of_made(&self.made);
        json!({ "operation": self.operation, "changes": self.changes, "made": made })
    }
}

impl Answer for Transacted {
    fn json(&self) -> Json {
        let writes = self.writes.iter();
        let writes = writes
            .map(|one| json!({ "changes": one.changes, "made": of_made(&one.made) }))
            .collect::<Vec<_>>();
        json!({ "operation": self.operation, "writes": writes })
    }
}

impl Answer for ManyWritten {
    fn json(&self) -> Json {
        let made: Vec<Json> = self.made.iter().map(|one| of_made(one)).collect();
        json!({ "requests": self.requests, "made": made })
    }
}

impl Answer for Many {
    fn json(&self) -> Json {
        let items = self.items.iter();
        let items: Vec<Option<Json>> = items.map(|one| one.as_ref().map(of_item_found)).collect();
        json!({ "items": items, "requests": self.requests })
    }
}

/// Values that a write made.
fn of_made(made: &[Made]) -> Json {
    let one = |one: &Made| {
        json!({
            "entity": one.entity,
            "attribute": one.attribute,
            "value": of_value(&one.value),
        })
    };
    made.iter().map(one).collect()
}

fn of_found(items: &[FoundItem], next: Option<&Item>, requests: u32) -> Json {
    let items: Vec<Json> = items.iter().map(of_item_found).collect();
    json!({ "items": items, "next": next.map(of_item), "requests": requests })
}

fn of_item_found(item: &FoundItem) -> Json {
    let attributes = item.attributes.iter();
    let attributes: Map<String, Json> = attributes
        .map(|(name, value)| (name.clone(), of_value(value)))
        .collect();
    json!({ "kind": item.kind, "attributes": attributes })
}

/// The result of a call: `{"done": ..}` or `{"failed": {"code": .., "message": ..}}`.
pub(crate) fn of_result<T: Answer>(result: &Result<T, ClientError>) -> Json {
    match result {
        Ok(answer) => json!({ "done": answer.json() }),
        Err(error) => json!({ "failed": { "code": code(error), "message": error.to_string() } }),
    }
}

/// The code of an error.
pub(super) fn code(error: &ClientError) -> &'static str {
    match error {
        ClientError::Value(_)
        | ClientError::Unknown(_)
        | ClientError::Named { .. }
        | ClientError::Missing { .. }
        | ClientError::Invalid(_) => "invalid",
        ClientError::Service { .. } => "service",
        ClientError::Transport(_) => "transport",
        ClientError::TimedOut(_) => "aborted",
        ClientError::OutcomeUnknown { .. } => "outcome_unknown",
        ClientError::TableDiffers { .. } => "table_differs",
        ClientError::Exists(_) => "exists",
        ClientError::Refused(_) => "refused",
        ClientError::Taken { .. } => "taken",
        ClientError::StaleVersion(_) => "stale_version",
        ClientError::NotFound(_) => "not_found",
        ClientError::Incomplete(_) => "incomplete",
        ClientError::UnknownItem(_) => "unknown_item",
        ClientError::Overtaken(_) => "overtaken",
    }
}

/// A request: the operation, and the body that an endpoint gets.
pub(super) fn of_request(request: &Request) -> Json {
    let mut body = Vec::new();
    keyfold_wire::client::encode_request(&mut body, request);
    json!({ "operation": request.operation().name(), "input": parsed(&body) })
}

/// An answer: `{"output": ..}`, or `{"error": ..}` with the exception, the message, the reasons of a
/// cancelled transaction, and the indexes of the actions whose condition failed on a stored item.
pub(super) fn of_answer(answer: &Result<Response, ClientError>) -> Json {
    match answer {
        Ok(response) => {
            let mut body = Vec::new();
            keyfold_wire::encode_response(&mut body, response);
            json!({ "output": parsed(&body) })
        }
        Err(ClientError::Service {
            exception,
            message,
            reasons,
            found,
            ..
        }) => {
            let reasons: Vec<Json> = reasons
                .iter()
                .map(|(code, message)| json!({ "Code": code.name(), "Message": message }))
                .collect();
            json!({ "error": {
                "exception": exception,
                "message": message,
                "reasons": reasons,
                "found": found,
            } })
        }
        Err(other) => json!({ "error": { "transport": other.to_string() } }),
    }
}

fn parsed(body: &[u8]) -> Json {
    serde_json::from_slice(body).unwrap_or(Json::Null)
}

fn of_values(values: &Values) -> Json {
    let all = values.iter();
    all.map(|(name, value)| (name.clone(), of_value(value)))
        .collect::<Map<String, Json>>()
        .into()
}

fn of_item(item: &Item) -> Json {
    let all = item.iter();
    all.map(|(name, value)| (name.to_string(), of_value(value)))
        .collect::<Map<String, Json>>()
        .into()
}

fn of_value(value: &Value) -> Json {
    let mut body = Vec::new();
    keyfold_wire::encode::encode_value(&mut body, value);
    parsed(&body)
}

/// The form of JSON in which equal requests are equal: the elements of sets are in order, and
/// compressed values are expanded, which every library compresses in its own way.
pub(super) fn canonical(json: &Json) -> Json {
    match json {
        Json::Object(members) => {
            let one = |(name, value): (&String, &Json)| {
                let mut value = canonical(value);
                if let (true, Json::Array(elements)) = (is_set(name), &mut value) {
                    elements.sort_by_key(Json::to_string);
                }
                if let ("B", Json::String(text)) = (name.as_str(), &value)
                    && let Some(expanded) = expanded(text)
                {
                    value = json!({ "expanded": expanded });
                }
                (name.clone(), value)
            };
            Json::Object(members.iter().map(one).collect())
        }
        Json::Array(elements) => elements.iter().map(canonical).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => json.clone(),
    }
}

fn is_set(name: &str) -> bool {
    matches!(name, "SS" | "NS" | "BS")
}

/// The text that base64 of GZIP holds, as JSON where it is that.
fn expanded(base64: &str) -> Option<Json> {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(base64);
    let bytes = bytes
        .ok()
        .filter(|bytes| bytes.starts_with(&[0x1f, 0x8b]))?;
    let mut text = String::new();
    GzDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .ok()?;
    Some(serde_json::from_str(&text).map_or(Json::String(text), |json| canonical(&json)))
}
