//! Batches that a mapping has discarded, as the lines of its destination have them: their records are read from
//! the stream by number, and sent to a function again.

use crate::handler::Record;
use crate::lease::ShardKey;
use crate::mapping::event;
use crate::mapping::function::{Function, Invocation};
use crate::mapping::part::{Entry, Outcome};
use crate::mapping::settings::Settings;
use crate::mapping::shard::{in_a_line, request_id};
use crate::pages::EMPTY_PAGES;
use crate::position::{self, Position};
use crate::records::{iterator, iterator_at, records};
use crate::streams::table_of;
use crate::threads::{Sends, Threads};
use crate::world::Io;
use keyfold_api::ErrorKind;
use keyfold_client::blocked;
use keyfold_lower::ClientError;
use serde_json::Value as Json;
use std::sync::Arc;

/// The most records of a page.
const PAGE: usize = 1_000;

/// A batch that was discarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discard {
    /// The ID of the last call; empty where there was none.
    pub id: String,
    /// Why it was discarded, in AWS's word: `RetryAttemptsExhausted` or `RecordAgeExceeded`.
    pub condition: String,
    /// How often the function was called with it.
    pub calls: u64,
    /// The moment at which it was discarded, as ISO 8601 has it.
    pub at: String,
    /// The moment of its first record.
    pub first_at: Option<String>,
    /// The shard of its records.
    pub shard: ShardKey,
    /// The sequence number of its first record.
    pub first: String,
    /// That of its last record.
    pub last: String,
    /// The number of its records.
    pub count: usize,
}

impl Discard {
    /// Reads a line of a destination.
    ///
    /// # Errors
    /// A sentence about what the line lacks.
    pub fn parse(line: &str) -> Result<Discard, String> {
        let json: Json =
            serde_json::from_str(line).map_err(|error| format!("it is no JSON: {error}"))?;
        let text = |part: &str, name: &str| {
            let found = json.get(part).and_then(|part| part.get(name));
            let text = found.and_then(Json::as_str).map(str::to_owned);
            text.ok_or_else(|| format!("it has no text `{part}.{name}`"))
        };
        let whole = |part: &str, name: &str| {
            let found = json.get(part).and_then(|part| part.get(name));
            let number = found.and_then(Json::as_u64);
            number.ok_or_else(|| format!("it has no number `{part}.{name}`"))
        };
        let (request, batch) = ("requestContext", "DDBStreamBatchInfo");
        let number = |name: &str| {
            let text = text(batch, name)?;
            match Position::of(&text) {
                Some(Position::After(number)) => Ok(number),
                Some(Position::Horizon | Position::End) | None => {
                    Err(format!("`{batch}.{name}` is no sequence number"))
                }
            }
        };
        let at = json.get("timestamp").and_then(Json::as_str);
        Ok(Discard {
            id: text(request, "requestId").unwrap_or_default(),
            condition: text(request, "condition")?,
            calls: whole(request, "approximateInvokeCount")?,
            at: at.unwrap_or_default().to_owned(),
            first_at: text(batch, "approximateArrivalOfFirstRecord").ok(),
            shard: ShardKey {
                stream: text(batch, "streamArn")?,
                shard: text(batch, "shardId")?,
            },
            first: number("startSequenceNumber")?,
            last: number("endSequenceNumber")?,
            count: usize::try_from(whole(batch, "batchSize")?).unwrap_or(usize::MAX),
        })
    }

    /// The table of its stream.
    pub fn table(&self) -> &str {
        table_of(&self.shard.stream)
    }
}

/// What a stream holds of a batch that was discarded.
#[derive(Debug)]
pub struct Kept {
    /// The records between its numbers that the mapping handles.
    pub records: Vec<Record>,
    entries: Vec<Entry>,
}

impl Kept {
    /// Reads the records of a batch. The settings are those of the mapping: its filters and its lanes choose among
    /// the records between the numbers.
    ///
    /// # Errors
    /// The backend's. A stream that is gone, or does not hold its records any more, is none.
    pub fn of(send: &Sends, batch: &Discard, settings: &Settings) -> Result<Kept, ClientError> {
        let threads = Threads::new(Arc::clone(send));
        blocked(read(&*threads, batch, settings))
    }

    /// Calls a function with the records, as one event.
    ///
    /// # Errors
    /// The reason for which they are not handled.
    pub fn send(&self, function: &dyn Function, settings: &Settings) -> Result<(), String> {
        let id = request_id(|| fastrand::u64(..));
        let reply = function.invoke(Invocation {
            id: &id,
            event: &event::event(&self.entries),
            timeout: settings.timeout,
        });
        match event::outcome(settings, &self.entries, reply) {
            Outcome::All => Ok(()),
            Outcome::UpTo(at) => {
                let count = self.entries.len();
                Err(format!("the function handled {at} of its {count} records"))
            }
            Outcome::Failed(_, why) => Err(format!("the function failed: {}", in_a_line(&why))),
            Outcome::Unreachable(why) => {
                Err(format!("the function is not reached: {}", in_a_line(&why)))
            }
        }
    }
}

async fn read(io: &dyn Io, batch: &Discard, settings: &Settings) -> Result<Kept, ClientError> {
    let mut kept = Kept {
        records: Vec::new(),
        entries: Vec::new(),
    };
    let key = &batch.shard;
    let found = match iterator_at(io, key, &batch.first).await {
        Err(error) if error.kind() == Some(ErrorKind::TrimmedDataAccess) => {
            iterator(io, key, &Position::Horizon).await
        }
        found => found,
    };
    let mut next = or_gone(found)?;
    let mut empty = 0;
    while let Some(at) = next {
        let Some(page) = or_gone(records(io, at, PAGE).await)? else {
            break;
        };
        next = page.next_shard_iterator;
        let events = page.records.unwrap_or_default();
        empty = if events.is_empty() { empty + 1 } else { 0 };
        if empty > EMPTY_PAGES {
            break;
        }
        for (record, json) in event::records(&key.stream, events) {
            let number = record.number();
            let order = position::order(number, &batch.last);
            if order.is_ge() {
                next = None;
            }
            if order.is_le() && settings.keeps(&json) {
                kept.entries.push(Entry::new(&record, &json));
                kept.records.push(record);
            }
        }
    }
    choose(&mut kept, settings.parallel as u64);
    Ok(kept)
}

/// Keeps the records of the lane that had the first one.
fn choose(kept: &mut Kept, lanes: u64) {
    let Some(first) = kept.entries.first() else {
        return;
    };
    let lane = first.key % lanes;
    let is_of_lane: Vec<bool> = kept
        .entries
        .iter()
        .map(|one| one.key % lanes == lane)
        .collect();
    let (mut entries, mut records) = (is_of_lane.iter(), is_of_lane.iter());
    kept.entries.retain(|_| entries.next() == Some(&true));
    kept.records.retain(|_| records.next() == Some(&true));
}

/// What was found; `None` where the stream, the shard or its records are gone.
fn or_gone<T>(found: Result<T, ClientError>) -> Result<Option<T>, ClientError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error)
            if matches!(
                error.kind(),
                Some(ErrorKind::ResourceNotFound | ErrorKind::TrimmedDataAccess)
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_batch_is_refused_with_what_it_lacks() {
        let line = r#"{"requestContext":{"condition":"RecordAgeExceeded","approximateInvokeCount":0},
            "DDBStreamBatchInfo":{"shardId":"s","startSequenceNumber":"1","endSequenceNumber":"2","batchSize":2,
            "streamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Notes/stream/2026"}}"#;
        assert_eq!(Discard::parse(line).unwrap().table(), "Notes");
        for (from, to, why) in [
            ("{\"req", "req", "no JSON"),
            ("condition", "other", "no text `requestContext.condition`"),
            (
                "batchSize",
                "other",
                "no number `DDBStreamBatchInfo.batchSize`",
            ),
            (
                "\"1\"",
                "\"x\"",
                "startSequenceNumber` is no sequence number",
            ),
        ] {
            let error = Discard::parse(&line.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
