//! Reading a stream: GetShardIterator and GetRecords.
//!
//! An iterator is a shard, a sequence number, and the time of its creation. The engine does not store
//! iterators.

use crate::base::error::internal;
use crate::base::layout;
use crate::base::pending::Pending;
use crate::base::time::utc_text;
use crate::check::Constraints;
use crate::core::Core;
use crate::ops::definition::sentence;
use crate::ops::streams;
use crate::table::sequence;
use crate::table::shard::Shard;
use crate::table::stream::{Event, Stream};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_api::{
    ApiError, ErrorKind, GetRecordsInput, GetRecordsOutput, GetShardIteratorInput,
    GetShardIteratorOutput, Identity, Moment, ShardIteratorType, StreamEvent, StreamRecord, known,
};
use keyfold_codec::key::{KeyRange, TableId};
use keyfold_store::Direction;
use std::ops::Bound;

/// Records of one answer at the most, and their bytes.
const RECORDS_MAX: i64 = 1000;
const RECORDS_BYTES_MAX: u64 = 1024 * 1024;
/// Lifetime of an iterator: 15 minutes.
const ITERATOR_MS: u64 = 15 * 60 * 1000;
/// Characters of an iterator at the most.
const ITERATOR_CHARS_MAX: usize = 2048;

pub(crate) fn iterator(
    core: &Core,
    input: GetShardIteratorInput,
) -> Pending<GetShardIteratorOutput> {
    Pending::ready(new_iterator(core, input))
}

fn new_iterator(
    core: &Core,
    input: GetShardIteratorInput,
) -> Result<GetShardIteratorOutput, ApiError> {
    let mut constraints = Constraints::default();
    constraints.part_arn("streamArn", &input.stream_arn);
    constraints.required("shardId", &input.shard_id);
    streams::check_shard_id(&mut constraints, "shardId", &input.shard_id);
    constraints.required("shardIteratorType", &input.shard_iterator_type);
    constraints.word("shardIteratorType", &input.shard_iterator_type);
    if let Some(number) = &input.sequence_number {
        let (min, max) = sequence::CHARS;
        constraints.count("sequenceNumber", number.len(), number, min, max);
    }
    constraints.finish()?;
    let given = input.stream_arn.unwrap_or_default();
    let stream = streams::find(core, &given)?;
    let shard_name = input.shard_id.as_deref().unwrap_or_default();
    let shard = stream.shard(shard_name).ok_or_else(streams::no_shard)?;
    let kind = known(&input.shard_iterator_type).unwrap_or(ShardIteratorType::TrimHorizon);
    let needs_sequence = matches!(
        kind,
        ShardIteratorType::AtSequenceNumber | ShardIteratorType::AfterSequenceNumber
    );
    match (needs_sequence, &input.sequence_number) {
        (true, None) => {
            return sentence(
                "SequenceNumber must be provided when ShardIteratorType is AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER",
            );
        }
        (false, Some(_)) => {
            return sentence(
                "SequenceNumber must not be provided when ShardIteratorType is not AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER",
            );
        }
        (true, Some(_)) | (false, None) => {}
    }
    let position = match kind {
        ShardIteratorType::TrimHorizon => shard.first_sequence,
        ShardIteratorType::Latest => match shard.closed {
            Some((_, end)) => end,
            None => core.store().sequence().map_err(internal)?,
        },
        ShardIteratorType::AtTimestamp => at_time(core, shard, input.timestamp)?,
        ShardIteratorType::AtSequenceNumber | ShardIteratorType::AfterSequenceNumber => {
            let text = input.sequence_number.unwrap_or_default();
            let first = trimmed_to(core, shard)?;
            if text == shard.start_text() && first == shard.first_sequence {
                first
            } else {
                let Some(number) = sequence::of(&text) else {
                    return sentence("Invalid SequenceNumber");
                };
                let position = number + u64::from(kind == ShardIteratorType::AfterSequenceNumber);
                // After the last trimmed record a reader has missed nothing.
                if position < first {
                    return Err(trimmed());
                }
                if number >= core.store().sequence().map_err(internal)? {
                    return sentence("Invalid SequenceNumber");
                }
                position
            }
        }
    };
    Ok(GetShardIteratorOutput {
        shard_iterator: Some(encode(core, &given, (shard.id, position))),
    })
}

fn trimmed() -> ApiError {
    ApiError::Plain(
        ErrorKind::TrimmedDataAccess,
        "The data you are trying to access has been trimmed".into(),
    )
}

/// The least sequence number that a reader may begin with: all lower ones were trimmed.
fn trimmed_to(core: &Core, shard: &Shard) -> Result<u64, ApiError> {
    let trimmed = core
        .store()
        .snapshot()
        .get(&layout::trimmed(shard.id))
        .map_err(internal)?;
    let Some(bytes) = trimmed else {
        return Ok(shard.first_sequence);
    };
    let unreadable = |_| ApiError::Internal("the trimmed sequence number is unreadable".to_owned());
    Ok(u64::from_be_bytes(bytes.as_ref().try_into().map_err(unreadable)?) + 1)
}

/// The greatest disorder of record times in milliseconds. Records are ordered by their staging, and
/// their times are taken shortly before it.
const DISORDER_MS: u64 = 60_000;

/// Finds the first record at or after a time, by a binary search: the times of a shard ascend but for
/// a small disorder.
fn at_time(core: &Core, shard: &Shard, time: Option<Moment>) -> Result<u64, ApiError> {
    let Some(Moment(epoch_ms)) = time else {
        return sentence("Timestamp must be provided when ShardIteratorType is AT_TIMESTAMP");
    };
    if epoch_ms > core.moment() {
        return sentence("Timestamp must not be in the future");
    }
    let snapshot = core.store().snapshot();
    let end = match shard.closed {
        Some((_, end)) => end,
        None => core.store().sequence().map_err(internal)?,
    };
    let records = KeyRange::prefix(layout::events(shard.id));
    let first_from = |sequence: u64| {
        let mut low = layout::events(shard.id);
        low.extend_from_slice(&sequence.to_be_bytes());
        let (_, high) = records.bounds();
        snapshot
            .range(Bound::Included(&low), high, Direction::Forward)
            .next()
            .transpose()
            .map_err(internal)
    };
    // Every record before `low` is older.
    let (mut low, mut high) = (trimmed_to(core, shard)?, end);
    while low < high {
        let middle = low + (high - low) / 2;
        let is_older = first_from(middle)?.is_some_and(|(_, bytes)| {
            Event::epoch_ms_of(&bytes).is_some_and(|at| at.saturating_add(DISORDER_MS) < epoch_ms)
        });
        if is_older {
            low = middle + 1
        } else {
            high = middle
        }
    }
    let mut from = layout::events(shard.id);
    from.extend_from_slice(&low.to_be_bytes());
    let (_, high) = records.bounds();
    for entry in snapshot.range(Bound::Included(&from), high, Direction::Forward) {
        let (key, bytes) = entry.map_err(internal)?;
        if Event::epoch_ms_of(&bytes).is_some_and(|at| at >= epoch_ms) {
            return Ok(layout::sequence_of(&key).unwrap_or(shard.first_sequence));
        }
    }
    Ok(end)
}

/// Encodes an iterator: `<stream arn>|1|<base64 of shard, position and time>`.
fn encode(core: &Core, arn: &str, (shard, position): (TableId, u64)) -> String {
    let mut bytes = shard.0.to_be_bytes().to_vec();
    bytes.extend_from_slice(&position.to_be_bytes());
    bytes.extend_from_slice(&core.now_ms().to_be_bytes());
    format!("{arn}|1|{}", STANDARD.encode(bytes))
}

/// An iterator that was read.
struct Iterator<'a> {
    stream_arn: &'a str,
    shard: TableId,
    position: u64,
    creation_epoch_ms: u64,
}

fn decode(iterator: &str) -> Option<Iterator<'_>> {
    let (stream_arn, rest) = iterator.split_once('|')?;
    let bytes = STANDARD.decode(rest.strip_prefix("1|")?).ok()?;
    let (shard, rest) = bytes.split_at_checked(4)?;
    let (position, made) = rest.split_at_checked(8)?;
    Some(Iterator {
        stream_arn,
        shard: TableId(u32::from_be_bytes(shard.try_into().ok()?)),
        position: u64::from_be_bytes(position.try_into().ok()?),
        creation_epoch_ms: u64::from_be_bytes(made.try_into().ok()?),
    })
}

pub(crate) fn records(core: &Core, input: GetRecordsInput) -> Pending<GetRecordsOutput> {
    Pending::ready(read(core, input))
}

fn read(core: &Core, input: GetRecordsInput) -> Result<GetRecordsOutput, ApiError> {
    let mut constraints = Constraints::default();
    constraints.required("shardIterator", &input.shard_iterator);
    if let Some(iterator) = &input.shard_iterator {
        let chars = iterator.len();
        constraints.count("shardIterator", chars, iterator, 1, ITERATOR_CHARS_MAX);
    }
    constraints.range("limit", input.limit, 1, RECORDS_MAX);
    constraints.finish()?;
    let given = input.shard_iterator.unwrap_or_default();
    let Some(asked) = decode(&given) else {
        return sentence("Invalid ShardIterator");
    };
    let (arn, position, made) = (asked.stream_arn, asked.position, asked.creation_epoch_ms);
    if core.now_ms().saturating_sub(made) > ITERATOR_MS {
        return Err(expired(made, core.now_ms()));
    }
    let stream = streams::find(core, arn)?;
    // A shard whose records are all trimmed is forgotten.
    let shard = stream
        .shards
        .iter()
        .find(|shard| shard.id == asked.shard)
        .ok_or_else(trimmed)?;
    if position < trimmed_to(core, shard)? && position > shard.first_sequence {
        return Err(trimmed());
    }
    let limit = usize::try_from(input.limit.unwrap_or(RECORDS_MAX)).unwrap_or(1);
    let snapshot = core.store().snapshot();
    // The snapshot has all records below this number.
    let known_to = snapshot
        .get(keyfold_store::SEQUENCE_KEY)
        .map_err(internal)?;
    let known_to = known_to
        .and_then(|bytes| bytes.as_ref().try_into().ok())
        .map_or(0, u64::from_be_bytes);
    let mut low = layout::events(shard.id);
    let range = KeyRange::prefix(low.clone());
    low.extend_from_slice(&position.to_be_bytes());
    let (_, high) = range.bounds();
    let (mut records, mut bytes_read, mut next) = (Vec::new(), 0, None);
    for entry in snapshot.range(Bound::Included(&low), high, Direction::Forward) {
        let (key, bytes) = entry.map_err(internal)?;
        let unreadable = || ApiError::Internal(format!("a record of stream {arn} is unreadable"));
        let sequence = layout::sequence_of(&key).ok_or_else(unreadable)?;
        let event = Event::decode(&bytes).ok_or_else(unreadable)?;
        bytes_read += event.size_bytes();
        if records.len() == limit || (bytes_read > RECORDS_BYTES_MAX && !records.is_empty()) {
            next = Some(sequence);
            break;
        }
        records.push(stream_event(core, &stream, sequence, event));
    }
    let end = shard.closed.map(|(_, end)| end);
    let next = next.or_else(|| match end {
        // Records staged before the end may not be visible yet.
        Some(end) if end <= known_to => None,
        _ => Some(known_to.max(position)),
    });
    Ok(GetRecordsOutput {
        records: Some(records),
        next_shard_iterator: next.map(|next| encode(core, arn, (shard.id, next))),
    })
}

fn expired(made: u64, now: u64) -> ApiError {
    let text = |epoch_ms: u64| utc_text(epoch_ms, "%a %b %d %H:%M:%S UTC %Y");
    ApiError::Plain(
        ErrorKind::ExpiredIterator,
        format!(
            "Iterator expired. The iterator was created at time {} while right now it is {} which is further in the future than the tolerated delay of {ITERATOR_MS} milliseconds.",
            text(made),
            text(now)
        ),
    )
}

fn stream_event(core: &Core, stream: &Stream, sequence: u64, event: Event) -> StreamEvent {
    let print = xxhash_rust::xxh3::xxh3_128(
        &[
            stream.id.0.to_be_bytes().as_slice(),
            &sequence.to_be_bytes(),
        ]
        .concat(),
    );
    let size = event.size_bytes();
    let image = |image: Option<keyfold_codec::RawItem>| image.map(|image| Ok(image.to_item()));
    StreamEvent {
        event_id: Some(format!("{print:032x}")),
        event_name: Some(event.kind.into()),
        event_version: Some("1.1".to_owned()),
        event_source: Some("aws:dynamodb".to_owned()),
        aws_region: Some(core.region().to_owned()),
        event_source_arn: None,
        dynamodb: Some(StreamRecord {
            // The API has seconds.
            approximate_creation_date_time: Some(Moment(event.epoch_ms / 1000 * 1000)),
            keys: image(Some(event.keys)),
            new_image: image(event.new),
            old_image: image(event.old),
            sequence_number: Some(sequence::text(sequence)),
            size_bytes: i64::try_from(size).ok(),
            stream_view_type: Some(stream.view.into()),
        }),
        user_identity: event.is_expiry.then(|| Identity {
            principal_id: Some("dynamodb.amazonaws.com".to_owned()),
            kind: Some("Service".to_owned()),
        }),
    }
}
