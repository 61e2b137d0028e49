//! The changes of a table as its stream reports them, each as the model reads it.
//!
//! The page keeps the positions: it begins at the latest record of each open shard, and asks for the
//! records behind them. A shard that has ended is followed by its children, from their start.

use super::exchange::send;
use super::fault::Fault;
use super::place::Place;
use super::typed;
use keyfold_api::{
    DescribeStreamInput, GetRecordsInput, GetShardIteratorInput, Request, Response, Shard,
    ShardIteratorType,
};
use keyfold_client::event::{Change, Events};
use keyfold_client::{FoundItem, tables};
use keyfold_lower::unexpected;
use keyfold_model::Model;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

/// The most records of a shard in one answer.
const RECORDS_MAX: i64 = 100;

/// What the page asks.
#[derive(Deserialize)]
pub(super) struct Asked {
    pub(super) file: Option<usize>,
    table: String,
    /// Where the page is; none to begin.
    positions: Option<Vec<Position>>,
}

/// A place in a shard.
#[derive(Clone, Deserialize, Serialize)]
struct Position {
    shard: String,
    iterator: String,
}

/// Begins at the latest records, or returns those behind the positions.
pub(super) fn records(place: &Place, model: Option<&Model>, asked: &Asked) -> Result<Json, Fault> {
    let arn = arn(place, &asked.table)?;
    let Some(positions) = &asked.positions else {
        let is_open = |shard: &&Shard| !has_ended(shard);
        let shards = shards(place, &arn)?;
        let open = shards.iter().filter(is_open);
        let positions = open
            .map(|shard| begin(place, &arn, shard, ShardIteratorType::Latest))
            .collect::<Result<Vec<_>, _>>()?;
        return Ok(json!({ "positions": positions, "records": [] }));
    };
    let events = model.map(|model| Events::new(model).with_copies());
    let (mut next, mut rows) = (Vec::new(), Vec::new());
    for position in positions {
        let input = GetRecordsInput {
            shard_iterator: Some(position.iterator.clone()),
            limit: Some(RECORDS_MAX),
        };
        let mut notes = Vec::new();
        let Response::GetRecords(output) = send(place, input.into(), &mut notes)? else {
            return Err(unexpected().into());
        };
        let mut note = notes.pop().unwrap_or_default();
        let raw = note["answer"]["Records"].take();
        let raw = raw.as_array().cloned().unwrap_or_default();
        let records = output.records.unwrap_or_default();
        rows.extend(records.iter().zip(raw).map(|(record, raw)| {
            let read = events.as_ref().map(|events| events.change(record));
            match read {
                Some(Ok(Some(change))) => json!({ "record": raw, "change": shown(&change) }),
                Some(Ok(None)) => json!({ "record": raw, "follows": true }),
                Some(Err(error)) => json!({ "record": raw, "why": error.to_string() }),
                None => json!({ "record": raw }),
            }
        }));
        match output.next_shard_iterator {
            Some(iterator) => next.push(Position {
                shard: position.shard.clone(),
                iterator,
            }),
            None => next.extend(children(place, &arn, &position.shard)?),
        }
    }
    Ok(json!({ "positions": next, "records": rows }))
}

fn shown(change: &Change) -> Json {
    let values = |item: &FoundItem| {
        let all = item.attributes.iter();
        typed::pairs(all.map(|(name, held)| (name.as_str(), held)))
    };
    json!({
        "kind": change.kind,
        "old": change.old.as_ref().map(values),
        "new": change.new.as_ref().map(values),
    })
}

/// The name of a table's stream.
fn arn(place: &Place, table: &str) -> Result<String, Fault> {
    let found = tables::describe(&place.backend, table)?;
    let found = found.ok_or_else(|| Fault::because("there is no such table".to_owned()))?;
    let is_on = found
        .stream_specification
        .is_some_and(|stream| stream.stream_enabled == Some(true));
    let arn = found.latest_stream_arn.filter(|_| is_on);
    arn.ok_or_else(|| {
        Fault::because("the table has no stream: `stream` in the model gives it one".to_owned())
    })
}

fn has_ended(shard: &Shard) -> bool {
    let range = shard.sequence_number_range.as_ref();
    range.is_some_and(|range| range.ending_sequence_number.is_some())
}

/// All shards of a stream.
fn shards(place: &Place, arn: &str) -> Result<Vec<Shard>, Fault> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let input = DescribeStreamInput {
            stream_arn: Some(arn.to_owned()),
            exclusive_start_shard_id: after.take(),
            ..DescribeStreamInput::default()
        };
        let Response::DescribeStream(output) = ask(place, input.into())? else {
            return Err(unexpected().into());
        };
        let page = output.stream_description.unwrap_or_default();
        all.extend(page.shards.unwrap_or_default());
        match page.last_evaluated_shard_id {
            Some(last) => after = Some(last),
            None => return Ok(all),
        }
    }
}

/// The positions at the start of the shards that follow one that has ended.
fn children(place: &Place, arn: &str, ended: &str) -> Result<Vec<Position>, Fault> {
    let all = shards(place, arn)?;
    let is_child = |shard: &&Shard| shard.parent_shard_id.as_deref() == Some(ended);
    let children = all.iter().filter(is_child);
    children
        .map(|shard| begin(place, arn, shard, ShardIteratorType::TrimHorizon))
        .collect()
}

/// The position in a shard where its reading begins.
fn begin(
    place: &Place,
    arn: &str,
    shard: &Shard,
    from: ShardIteratorType,
) -> Result<Position, Fault> {
    let input = GetShardIteratorInput {
        stream_arn: Some(arn.to_owned()),
        shard_id: shard.shard_id.clone(),
        shard_iterator_type: Some(from.into()),
        ..GetShardIteratorInput::default()
    };
    let Response::GetShardIterator(output) = ask(place, input.into())? else {
        return Err(unexpected().into());
    };
    match (&shard.shard_id, output.shard_iterator) {
        (Some(shard), Some(iterator)) => Ok(Position {
            shard: shard.clone(),
            iterator,
        }),
        _ => Err(unexpected().into()),
    }
}

fn ask(place: &Place, request: Request) -> Result<Response, Fault> {
    Ok(place.backend.call(request)?)
}
