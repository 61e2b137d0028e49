//! The JSON of a mapping: events, answers, and records of discarded batches.

use crate::handler::Record;
use crate::lease::ShardKey;
use crate::mapping::part::{Answer, Condition, Entry, Outcome, Part, Reply};
use crate::mapping::settings::Settings;
use keyfold_api::{GetRecordsOutput, Response, StreamEvent};
use serde_json::{Map, Value as Json, json};
use xxhash_rust::xxh3::xxh3_64;

/// A record of a stream as an event has it: with the stream's ARN.
pub(crate) fn records(stream: &str, events: Vec<StreamEvent>) -> Vec<(Record, Json)> {
    let known: Vec<Record> = events.into_iter().filter_map(Record::new).collect();
    let page = GetRecordsOutput {
        records: Some(known.iter().map(|record| record.event.clone()).collect()),
        ..GetRecordsOutput::default()
    };
    let mut body = Vec::new();
    keyfold_wire::encode_response(&mut body, &Response::GetRecords(page));
    let mut page: Json = serde_json::from_slice(&body).unwrap_or_default();
    let shown = match page.get_mut("Records").map(Json::take) {
        Some(Json::Array(shown)) => shown,
        Some(_) | None => Vec::new(),
    };
    let with_stream = shown.into_iter().map(|mut record| {
        if let Some(fields) = record.as_object_mut() {
            complete(fields, stream);
        }
        record
    });
    known.into_iter().zip(with_stream).collect()
}

/// Adds what only events of Lambda have. They write the names of an identity small.
fn complete(fields: &mut Map<String, Json>, stream: &str) {
    fields.insert("eventSourceARN".to_owned(), json!(stream));
    let identity = fields.get("userIdentity").cloned();
    if let Some(Json::Object(identity)) = identity {
        let of = |name: &str| identity.get(name).cloned().unwrap_or_default();
        let identity = json!({"type": of("Type"), "principalId": of("PrincipalId")});
        fields.insert("userIdentity".to_owned(), identity);
    }
}

impl Entry {
    /// A record of a stream, as an event has it.
    pub(crate) fn new(record: &Record, json: &Json) -> Entry {
        let keys = record.dynamodb.as_ref().and_then(|one| one.keys.as_ref());
        let key = match keys {
            Some(Ok(keys)) => xxh3_64(keyfold_codec::RawItem::encode(keys).bytes()),
            Some(Err(_)) | None => 0,
        };
        Entry {
            number: record.number().to_owned(),
            written_ms: record.epoch_ms().unwrap_or_default(),
            json: json.to_string(),
            key,
        }
    }
}

/// The event of records.
pub(crate) fn event(entries: &[Entry]) -> String {
    let records: Vec<&str> = entries.iter().map(|entry| entry.json.as_str()).collect();
    format!("{{\"Records\":[{}]}}", records.join(","))
}

/// What an answer means, with the rules for partial answers where the settings allow them.
pub(crate) fn outcome(settings: &Settings, entries: &[Entry], reply: Reply) -> Outcome {
    let text = match reply {
        Reply::Returned(text) => text,
        Reply::Failed(kind, why) => return Outcome::Failed(Answer::Failed(kind), why),
        Reply::Unreachable(why) => return Outcome::Unreachable(why),
    };
    if !settings.report_failures || text.trim().is_empty() {
        return Outcome::All;
    }
    match first_failed(entries, &text) {
        Ok(None) => Outcome::All,
        Ok(Some(0)) => {
            let why = "the answer names the first record".to_owned();
            Outcome::Failed(Answer::Returned, why)
        }
        Ok(Some(at)) => Outcome::UpTo(at),
        Err(why) => Outcome::Failed(Answer::Returned, why),
    }
}

/// The first record that an answer names as failed.
///
/// # Errors
/// A sentence, when the answer has another form, or names a record that is not in the batch.
fn first_failed(entries: &[Entry], text: &str) -> Result<Option<usize>, String> {
    let json: Json =
        serde_json::from_str(text).map_err(|error| format!("the answer is no JSON: {error}"))?;
    let fields = match &json {
        Json::Null => return Ok(None),
        Json::Object(fields) => fields,
        Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            return Err("the answer is no object with batchItemFailures".to_owned());
        }
    };
    let failures = match fields.get("batchItemFailures") {
        None | Some(Json::Null) => return Ok(None),
        Some(Json::Array(failures)) => failures,
        Some(_) => return Err("batchItemFailures is no list".to_owned()),
    };
    let mut first = None;
    for failure in failures {
        let number = failure.get("itemIdentifier").and_then(Json::as_str);
        let number = number.filter(|number| !number.is_empty());
        let number = number.ok_or("a batchItemFailure has no itemIdentifier")?;
        let at = entries.iter().position(|entry| entry.number == number);
        let at = at.ok_or_else(|| format!("the batch has no record {number}"))?;
        first = Some(first.map_or(at, |first: usize| first.min(at)));
    }
    Ok(first)
}

/// The member of such a record that AWS's has not: the name of the mapping. Several may have one destination.
pub(crate) const MAPPING: &str = "mapping";

/// The record of a discarded batch, as AWS sends it to the destination, and whose it is.
pub(crate) fn discarded(
    (shard, part): (&ShardKey, &Part),
    condition: Condition,
    (mapping, function): (&str, &str),
    now_ms: i64,
) -> Json {
    let first = part.entries.first();
    let last = part.entries.last();
    let number = |entry: Option<&Entry>| entry.map(|entry| entry.number.clone());
    let written = |entry: Option<&Entry>| {
        let ms = entry.and_then(|entry| i64::try_from(entry.written_ms).ok());
        ms.map(moment)
    };
    let mut record = json!({
        "requestContext": {
            "requestId": part.id,
            "functionArn": function,
            "condition": condition.name(),
            "approximateInvokeCount": part.invoked,
        },
        "version": "1.0",
        "timestamp": moment(now_ms),
        MAPPING: mapping,
        "DDBStreamBatchInfo": {
            "shardId": shard.shard,
            "startSequenceNumber": number(first),
            "endSequenceNumber": number(last),
            "approximateArrivalOfFirstRecord": written(first),
            "approximateArrivalOfLastRecord": written(last),
            "batchSize": part.entries.len(),
            "streamArn": shard.stream,
        },
    });
    if let (Some(answer), Some(fields)) = (part.answer, record.as_object_mut()) {
        let context = json!({
            "statusCode": 200, "executedVersion": "$LATEST", "functionError": answer.error(),
        });
        fields.insert("responseContext".to_owned(), context);
    }
    record
}

fn moment(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms)
        .map_or_else(|_| String::new(), |moment| moment.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_removal_of_an_expired_item_has_the_identity_of_the_service() {
        let record =
            json!({"userIdentity": {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}});
        let mut fields = record.as_object().unwrap().clone();
        complete(&mut fields, "arn");
        let identity = json!({"principalId": "dynamodb.amazonaws.com", "type": "Service"});
        assert_eq!(fields["userIdentity"], identity);
        assert_eq!(fields["eventSourceARN"], "arn");
    }
}
