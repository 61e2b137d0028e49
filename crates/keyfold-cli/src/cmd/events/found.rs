//! A batch that was discarded, and what the stream holds of it, for people and for programs.

use super::age::aged;
use super::names::named;
use crate::failure::Failure;
use crate::json;
use crate::terminal::{self, FAINT, STRONG, counted, shown};
use keyfold_api::ErrorKind;
use keyfold_client::{ClientError, origin};
use keyfold_stream::Record;
use keyfold_stream::mapping::{Absence, Discard, Kept, Reader, Settings};
use keyfold_types::Item;
use serde_json::{Value as Json, json};

/// The most records of a batch whose keys are shown to people.
const SHOWN: usize = 10;

/// A batch of the file, and what the stream holds of it.
pub(super) struct Found<'b> {
    /// The line of the file.
    pub(super) number: usize,
    pub(super) batch: &'b Discard,
    pub(super) kept: Kept,
    /// Why its records are not those of the batch; `None` where they are.
    pub(super) why_not: Option<String>,
}

impl<'b> Found<'b> {
    /// Reads what the stream holds of a batch. A request that is refused because of the batch is a reason for which
    /// its records are not there.
    ///
    /// # Errors
    /// The backend's, which others would have, too.
    pub(super) fn read(
        reader: &mut Reader,
        (number, batch): (usize, &'b Discard),
        settings: &Settings,
    ) -> Result<Found<'b>, Failure> {
        let (kept, why_not) = match reader.read(batch, settings) {
            Ok(kept) => {
                let why_not = why_not(&kept, batch);
                (kept, why_not)
            }
            Err(error) if is_of_batch(&error) => {
                let why = format!("its records cannot be read: {error}");
                (Kept::default(), Some(why))
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Found {
            number,
            batch,
            kept,
            why_not,
        })
    }

    /// Shows it to people.
    pub(super) fn show(&self) {
        let (number, batch) = (self.number, self.batch);
        let records = counted(batch.count, "record");
        let age = age_ms(batch.first_at.as_deref());
        let age = age.map_or(String::new(), |ms| format!(", {} old", aged(ms)));
        let (table, why) = (shown(batch.table()), cause(batch));
        terminal::line(&format!(
            "{STRONG}batch {number}{STRONG:#}: {records} of {table}{age}: {why}"
        ));
        for record in self.kept.records.iter().take(SHOWN) {
            let key = key_of(record).map_or(String::new(), terminal::key);
            terminal::line(&format!("  {key}"));
        }
        if let Some(more @ 1..) = self.kept.records.len().checked_sub(SHOWN) {
            let more = counted(more, "more record");
            terminal::line(&format!("  and {more}: --json shows them"));
        }
        if let Some(why) = &self.why_not {
            terminal::line(&format!("  {}", shown(why)));
        }
        let shard = shown(&batch.shard.shard);
        let (first, last) = (&batch.first, &batch.last);
        let numbers = match first == last {
            true => format!("record {first}"),
            false => format!("records {first} to {last}"),
        };
        terminal::line(&format!("  {FAINT}{shard}, {numbers}{FAINT:#}"));
        let whose = shown(&named(batch.whose()));
        if !whose.is_empty() {
            terminal::line(&format!("  {FAINT}discarded by {whose}{FAINT:#}"));
        }
    }

    /// The batch for programs; with the reason for which it is not handled, if it was sent.
    pub(super) fn document(&self, sent: Option<Option<&str>>) -> Json {
        let batch = self.batch;
        let records = self.kept.records.iter();
        let records = records.map(
            |record| json!({ "number": record.number(), "key": key_of(record).map(json::typed) }),
        );
        let mut document = json!({
            "batch": self.number,
            "table": batch.table(),
            "mapping": batch.mapping,
            "function": batch.function,
            "condition": batch.condition,
            "calls": batch.calls,
            "discardedAt": batch.at,
            "ageMs": age_ms(batch.first_at.as_deref()),
            "stream": batch.shard.stream,
            "shard": batch.shard.shard,
            "firstNumber": batch.first,
            "lastNumber": batch.last,
            "count": batch.count,
            "records": records.collect::<Vec<_>>(),
            "whyNot": self.why_not,
        });
        if let Some(left) = sent {
            document["handled"] = json!(left.is_none());
            document["failsBy"] = json!(left);
        }
        document
    }
}

/// Whether a request failed because of what the line of the batch has.
fn is_of_batch(error: &ClientError) -> bool {
    matches!(
        error.kind(),
        Some(ErrorKind::Validation | ErrorKind::ResourceNotFound | ErrorKind::TrimmedDataAccess)
    )
}

/// Why records are not those of a batch; `None` where they are.
fn why_not(kept: &Kept, batch: &Discard) -> Option<String> {
    let (held, between, count) = (kept.records.len(), kept.between, batch.count);
    let of = counted(count, "record");
    if let Some(absence) = &kept.absence {
        return Some(absent(absence, batch));
    }
    match held {
        held if held > count => Some(format!(
            "{held} records lie between its numbers, of which the batch had {count}: `filter` and `parallel` of its \
             mapping choose them"
        )),
        held if held == count => None,
        held if held < between => Some(format!(
            "{} between its numbers, of which the batch had {count} and `filter` and `parallel` choose {held}: write \
             them as its mapping has them",
            lie(between)
        )),
        held => Some(format!("the stream holds {held} of its {of} only")),
    }
}

/// "1 record lies", "2 records lie".
fn lie(records: usize) -> String {
    match records {
        1 => "1 record lies".to_owned(),
        count => format!("{count} records lie"),
    }
}

fn absent(absence: &Absence, batch: &Discard) -> String {
    match absence {
        Absence::NoStream => format!(
            "there is no stream {} here: either its table was deleted, or `--endpoint` or `--data` has to name another \
             place",
            batch.shard.stream
        ),
        Absence::NoShard => format!("its stream has no shard {}", batch.shard.shard),
        Absence::BeforeShard(begins) => format!(
            "its numbers are of another shard: {} begins with {begins}",
            batch.shard.shard
        ),
        Absence::Expired => {
            "its records have expired: the stream holds none of them any more".to_owned()
        }
        Absence::NoRecord => "its shard has no record between its numbers".to_owned(),
    }
}

/// Why a batch was discarded.
fn cause(batch: &Discard) -> String {
    let calls = counted(usize::try_from(batch.calls).unwrap_or(usize::MAX), "call");
    match (batch.condition.as_str(), batch.calls) {
        ("RetryAttemptsExhausted", _) => format!("its retries were used up after {calls}"),
        ("RecordAgeExceeded", 0) => "it was too old".to_owned(),
        ("RecordAgeExceeded", _) => format!("it was too old after {calls}"),
        (other, _) => shown(other),
    }
}

/// The age of a moment, in milliseconds; `None` where there is none.
fn age_ms(moment: Option<&str>) -> Option<u64> {
    let moment: jiff::Timestamp = moment?.parse().ok()?;
    let age = origin().now_epoch_ms - moment.as_millisecond();
    Some(u64::try_from(age).unwrap_or_default())
}

/// The key of the item of a record.
fn key_of(record: &Record) -> Option<&Item> {
    record.dynamodb.as_ref()?.keys.as_ref()?.as_ref().ok()
}
