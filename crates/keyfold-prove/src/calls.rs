//! Calls from lines of JSON, carried out by our own client: the other side of the lines that
//! `docs/transcripts.md` describes, for tests that compare clients on the wire.

use crate::subject::forms::{self, Answer};
use crate::subject::{Client, Subject};
use keyfold_client::arguments::Values;
use keyfold_client::read::PageRequest;
use keyfold_client::write::Part;
use keyfold_client::{Backend, ClientError, origin};
use keyfold_model::{Entity, Model, Pattern, Write};
use keyfold_types::Item;
use serde_json::Value as Json;

/// A model's calls on a backend.
pub struct Calls<'c> {
    model: &'c Model,
    client: Client<'c>,
}

impl<'c> Calls<'c> {
    /// Calls of a model on a backend.
    pub fn new(model: &'c Model, backend: &'c Backend) -> Calls<'c> {
        let subject = &Subject::Embedded;
        let client = Client {
            model,
            backend,
            subject,
            faults: None,
            now_epoch_ms: origin().now_epoch_ms,
        };
        Calls { model, client }
    }

    /// The result of a call: `{"done": ..}` or `{"failed": ..}`.
    pub fn answer(&self, line: &Json) -> Json {
        let call = line.get("call").unwrap_or(&Json::Null);
        let result = self.answered(call);
        result.unwrap_or_else(|wrong| forms::of_result::<Nothing>(&Err(wrong)))
    }

    fn answered(&self, call: &Json) -> Result<Json, ClientError> {
        let client = &self.client;
        let entity = || self.entity(call);
        let given = |name| values(call.get(name));
        let all = |name| -> Result<Vec<Values>, ClientError> {
            let listed = call.get(name).and_then(Json::as_array);
            let listed = listed.into_iter().flatten();
            listed.map(|one| values(Some(one))).collect()
        };
        Ok(match text(call, "kind") {
            "page" => forms::of_result(&client.page(
                self.pattern(call)?,
                &given("arguments")?,
                &start(call)?,
            )),
            "all" => forms::of_result(&client.all(
                self.pattern(call)?,
                &given("arguments")?,
                &start(call)?,
            )),
            "create" => forms::of_result(&client.create(entity()?, &given("values")?)),
            "put" => forms::of_result(&client.put(entity()?, &given("values")?)),
            "update" => {
                let removed = removed(call);
                forms::of_result(&client.update(entity()?, &given("values")?, &removed))
            }
            "delete" => forms::of_result(&client.delete(entity()?, &given("values")?)),
            "write" => forms::of_result(&client.write(self.write(call)?, &given("arguments")?)),
            "transact" => self.transact(call)?,
            "get_many" => {
                let strong = call.get("strong").and_then(Json::as_bool) == Some(true);
                forms::of_result(&client.many(entity()?, &all("keys")?, strong))
            }
            "put_many" => forms::of_result(&client.put_many(entity()?, &all("items")?)),
            "delete_many" => forms::of_result(&client.delete_many(entity()?, &all("keys")?)),
            other => return Err(unknown("kind of call", other)),
        })
    }

    fn transact(&self, call: &Json) -> Result<Json, ClientError> {
        let writes = call.get("writes").and_then(Json::as_array);
        let writes: Vec<&Json> = writes.into_iter().flatten().collect();
        let given = |call: &&Json| {
            let name = if text(call, "kind") == "write" {
                "arguments"
            } else {
                "values"
            };
            Ok((values(call.get(name))?, removed(call)))
        };
        let given: Vec<(Values, Vec<String>)> = writes
            .iter()
            .map(given)
            .collect::<Result<_, ClientError>>()?;
        let mut parts = Vec::new();
        for (call, (values, removed)) in writes.into_iter().zip(&given) {
            parts.push(self.part(call, values, removed)?);
        }
        Ok(forms::of_result(&self.client.transact(&parts)))
    }

    fn part<'p>(
        &'p self,
        call: &Json,
        values: &'p Values,
        removed: &'p [String],
    ) -> Result<Part<'p>, ClientError> {
        let entity = || self.entity(call);
        Ok(match text(call, "kind") {
            "create" => Part::Create {
                entity: entity()?,
                values,
            },
            "put" => Part::Put {
                entity: entity()?,
                values,
            },
            "update" => Part::Update {
                entity: entity()?,
                changes: values,
                removed,
            },
            "delete" => Part::Delete {
                entity: entity()?,
                key: values,
            },
            "write" => Part::Run {
                write: self.write(call)?,
                arguments: values,
            },
            other => return Err(unknown("kind of write", other)),
        })
    }

    fn entity(&self, call: &Json) -> Result<&'c Entity, ClientError> {
        let name = text(call, "entity");
        let found = self.model.entity(name);
        found.ok_or_else(|| unknown("entity", name))
    }

    fn pattern(&self, call: &Json) -> Result<&'c Pattern, ClientError> {
        let name = text(call, "pattern");
        let found = self.model.pattern(name);
        found.ok_or_else(|| unknown("pattern", name))
    }

    fn write(&self, call: &Json) -> Result<&'c Write, ClientError> {
        let name = text(call, "write");
        self.model.write(name).ok_or_else(|| unknown("write", name))
    }
}

/// The answer of a call that was not made.
struct Nothing;

impl Answer for Nothing {
    fn json(&self) -> Json {
        Json::Null
    }
}

fn unknown(what: &str, name: &str) -> ClientError {
    ClientError::Unknown(format!("there is no {what} `{name}`"))
}

fn text<'j>(call: &'j Json, name: &str) -> &'j str {
    call.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn removed(call: &Json) -> Vec<String> {
    let names = call.get("remove").and_then(Json::as_array);
    let names = names.into_iter().flatten().filter_map(Json::as_str);
    names.map(str::to_owned).collect()
}

fn item(json: &Json) -> Result<Item, ClientError> {
    let decoded = keyfold_wire::client::decode_item(json.to_string().as_bytes());
    decoded.map_err(|error| ClientError::Invalid(format!("no item: {error:?}")))
}

fn values(json: Option<&Json>) -> Result<Values, ClientError> {
    let held = json.map(item).transpose()?.unwrap_or_default();
    let all = held.iter();
    Ok(all
        .map(|(name, value)| (name.to_string(), value.clone()))
        .collect())
}

fn start(call: &Json) -> Result<PageRequest, ClientError> {
    let limit = call.get("limit").and_then(Json::as_u64);
    let after = call.get("after").filter(|after| !after.is_null());
    Ok(PageRequest {
        limit: limit.and_then(|limit| u32::try_from(limit).ok()),
        after: after.map(item).transpose()?,
        backward: call.get("backward").and_then(Json::as_bool) == Some(true),
        strong: call.get("strong").and_then(Json::as_bool) == Some(true),
        now_epoch_ms: call.get("now").and_then(Json::as_i64),
        ..PageRequest::default()
    })
}
