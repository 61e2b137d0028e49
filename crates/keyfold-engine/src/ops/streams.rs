//! The streams endpoint: ListStreams, DescribeStream, GetShardIterator, GetRecords.
//!
//! A stream has one shard, which is closed with the stream. An iterator is a sequence number and the
//! time of its creation. The engine does not store iterators.

use crate::base::error::internal;
use crate::base::layout;
use crate::base::pending::Pending;
use crate::base::time::utc_text;
use crate::check::Constraints;
use crate::core::Core;
use crate::ops::definition::sentence;
use crate::ops::describe_table::key_elements;
use crate::table::arn::{self, Part};
use crate::table::stream::{self, Event, Stream};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_api::{
    ApiError, DescribeStreamInput, DescribeStreamOutput, ErrorKind, GetRecordsInput,
    GetRecordsOutput, GetShardIteratorInput, GetShardIteratorOutput, Identity, ListStreamsInput,
    ListStreamsOutput, Moment, SequenceNumberRange, Shard, ShardIteratorType, StreamDescription,
    StreamEvent, StreamRecord, StreamStatus, StreamSummary, known,
};
use keyfold_codec::key::KeyRange;
use keyfold_store::Direction;
use std::ops::Bound;
use std::sync::Arc;

/// Records of one answer at the most, and their bytes.
const RECORDS_MAX: i64 = 1000;
const RECORDS_BYTES_MAX: u64 = 1024 * 1024;
/// Lifetime of an iterator: 15 minutes.
const ITERATOR_MS: u64 = 15 * 60 * 1000;
/// Streams or shards of one answer at the most.
const PAGE_MAX: i64 = 100;
/// Characters of a shard's id.
const SHARD_ID_CHARS: (usize, usize) = (28, 65);
/// Characters of an iterator at the most.
const ITERATOR_CHARS_MAX: usize = 2048;

fn arn(core: &Core, stream: &Stream) -> String {
    core.arn(&stream.table_name, Part::Stream(&stream.label))
}

/// Finds the stream of an ARN.
fn find(core: &Core, given: &str) -> Result<Arc<Stream>, ApiError> {
    let Some(key) = arn::stream(given) else {
        return sentence("Invalid StreamArn");
    };
    core.catalog().streams().get(&key).cloned().ok_or_else(|| {
        ApiError::ResourceNotFound(format!(
            "Requested resource not found: Stream: {given} not found"
        ))
    })
}

pub(crate) fn list(core: &Core, input: ListStreamsInput) -> Pending<ListStreamsOutput> {
    Pending::ready(listed(core, input))
}

fn listed(core: &Core, input: ListStreamsInput) -> Result<ListStreamsOutput, ApiError> {
    let mut constraints = Constraints::default();
    if let Some(table) = &input.table_name {
        constraints.name("tableName", table, table);
    }
    constraints.range("limit", input.limit, 1, PAGE_MAX);
    constraints.part_arn_length("exclusiveStartStreamArn", &input.exclusive_start_stream_arn);
    constraints.finish()?;
    let after = match &input.exclusive_start_stream_arn {
        None => None,
        Some(arn) => Some(arn::stream(arn).map_or_else(|| sentence("Invalid StreamArn"), Ok)?),
    };
    let limit = usize::try_from(input.limit.unwrap_or(PAGE_MAX)).unwrap_or(1);
    let streams = core.catalog().streams();
    let mut rest = streams.iter().filter(|(key, stream)| {
        after.as_ref().is_none_or(|after| *key > after)
            && input
                .table_name
                .as_ref()
                .is_none_or(|table| *table == stream.table_name)
    });
    let page: Vec<StreamSummary> = rest
        .by_ref()
        .take(limit)
        .map(|(_, stream)| StreamSummary {
            stream_arn: Some(arn(core, stream)),
            table_name: Some(stream.table_name.clone()),
            stream_label: Some(stream.label.clone()),
        })
        .collect();
    let last_evaluated_stream_arn = rest.next().and_then(|_| page.last()?.stream_arn.clone());
    Ok(ListStreamsOutput {
        streams: Some(page),
        last_evaluated_stream_arn,
    })
}

pub(crate) fn describe(core: &Core, input: DescribeStreamInput) -> Pending<DescribeStreamOutput> {
    Pending::ready(described(core, input))
}

fn described(core: &Core, input: DescribeStreamInput) -> Result<DescribeStreamOutput, ApiError> {
    let mut constraints = Constraints::default();
    constraints.part_arn("streamArn", &input.stream_arn);
    constraints.range("limit", input.limit, 1, PAGE_MAX);
    check_shard_id(
        &mut constraints,
        "exclusiveStartShardId",
        &input.exclusive_start_shard_id,
    );
    if let Some(filter) = &input.shard_filter {
        constraints.word("shardFilter.type", &filter.kind);
        check_shard_id(&mut constraints, "shardFilter.shardId", &filter.shard_id);
    }
    constraints.finish()?;
    let given = input.stream_arn.unwrap_or_default();
    let stream = find(core, &given)?;
    let shard = Shard {
        shard_id: Some(stream.shard_id()),
        sequence_number_range: Some(SequenceNumberRange {
            starting_sequence_number: Some(stream.start_text()),
            ending_sequence_number: stream.closed.map(|(_, end)| {
                match end > stream.first_sequence {
                    true => stream::sequence_text(end - 1),
                    false => stream.start_text(),
                }
            }),
        }),
        parent_shard_id: None,
    };
    let is_after = input
        .exclusive_start_shard_id
        .is_none_or(|after| stream.shard_id() > after);
    let shards = match &input.shard_filter {
        None => vec![shard],
        Some(filter) => match (&filter.kind, &filter.shard_id) {
            (Some(_), Some(id)) if *id == stream.shard_id() => Vec::new(),
            (Some(_), Some(_)) => return Err(no_shard()),
            (None, _) | (_, None) => {
                return sentence("ShardFilter requires both Type and ShardId");
            }
        },
    };
    let description = StreamDescription {
        stream_arn: Some(given),
        stream_label: Some(stream.label.clone()),
        stream_status: Some(
            if stream.closed.is_some() {
                StreamStatus::Disabled
            } else {
                StreamStatus::Enabled
            }
            .into(),
        ),
        stream_view_type: Some(stream.view.into()),
        creation_request_date_time: Some(Moment(stream.creation_epoch_ms)),
        table_name: Some(stream.table_name.clone()),
        key_schema: key_elements(&stream.key),
        shards: Some(shards.into_iter().filter(|_| is_after).collect()),
        last_evaluated_shard_id: None,
    };
    Ok(DescribeStreamOutput {
        stream_description: Some(description),
    })
}

fn check_shard_id(constraints: &mut Constraints, path: &str, given: &Option<String>) {
    if let Some(shard) = given {
        let (min, max) = SHARD_ID_CHARS;
        constraints.count(path, shard.len(), shard, min, max);
    }
}

fn no_shard() -> ApiError {
    ApiError::ResourceNotFound("Requested resource not found: Shard does not exist".to_owned())
}

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
    check_shard_id(&mut constraints, "shardId", &input.shard_id);
    constraints.required("shardIteratorType", &input.shard_iterator_type);
    constraints.word("shardIteratorType", &input.shard_iterator_type);
    if let Some(sequence) = &input.sequence_number {
        let (min, max) = stream::SEQUENCE_CHARS;
        constraints.count("sequenceNumber", sequence.len(), sequence, min, max);
    }
    constraints.finish()?;
    let given = input.stream_arn.unwrap_or_default();
    let stream = find(core, &given)?;
    if input.shard_id.as_deref() != Some(stream.shard_id().as_str()) {
        return Err(no_shard());
    }
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
        ShardIteratorType::TrimHorizon => stream.first_sequence,
        ShardIteratorType::Latest => match stream.closed {
            Some((_, end)) => end,
            None => core.store().sequence().map_err(internal)?,
        },
        ShardIteratorType::AtTimestamp => at_time(core, &stream, input.timestamp)?,
        ShardIteratorType::AtSequenceNumber | ShardIteratorType::AfterSequenceNumber => {
            let text = input.sequence_number.unwrap_or_default();
            let first = trimmed_to(core, &stream)?;
            if text == stream.start_text() && first == stream.first_sequence {
                first
            } else {
                let Some(sequence) = stream::sequence_of(&text) else {
                    return sentence("Invalid SequenceNumber");
                };
                let position = sequence + u64::from(kind == ShardIteratorType::AfterSequenceNumber);
                // After the last trimmed record a reader has missed nothing.
                if position < first {
                    return Err(trimmed());
                }
                if sequence >= core.store().sequence().map_err(internal)? {
                    return sentence("Invalid SequenceNumber");
                }
                position
            }
        }
    };
    Ok(GetShardIteratorOutput {
        shard_iterator: Some(encode(core, &given, position)),
    })
}

fn trimmed() -> ApiError {
    ApiError::Plain(
        ErrorKind::TrimmedDataAccess,
        "The data you are trying to access has been trimmed".into(),
    )
}

/// The least sequence number that a reader may begin with: all lower ones were trimmed.
fn trimmed_to(core: &Core, stream: &Stream) -> Result<u64, ApiError> {
    let trimmed = core
        .store()
        .snapshot()
        .get(&layout::trimmed(stream.id))
        .map_err(internal)?;
    let Some(bytes) = trimmed else {
        return Ok(stream.first_sequence);
    };
    let unreadable = |_| ApiError::Internal("the trimmed sequence number is unreadable".to_owned());
    Ok(u64::from_be_bytes(bytes.as_ref().try_into().map_err(unreadable)?) + 1)
}

/// The greatest disorder of record times in milliseconds. Records are ordered by their staging, and
/// their times are taken shortly before it.
const DISORDER_MS: u64 = 60_000;

/// Finds the first record at or after a time, by a binary search: the times of a stream ascend but for
/// a small disorder.
fn at_time(core: &Core, stream: &Stream, time: Option<Moment>) -> Result<u64, ApiError> {
    let Some(Moment(epoch_ms)) = time else {
        return sentence("Timestamp must be provided when ShardIteratorType is AT_TIMESTAMP");
    };
    if epoch_ms > core.moment() {
        return sentence("Timestamp must not be in the future");
    }
    let snapshot = core.store().snapshot();
    let end = match stream.closed {
        Some((_, end)) => end,
        None => core.store().sequence().map_err(internal)?,
    };
    let records = KeyRange::prefix(layout::events(stream.id));
    let first_from = |sequence: u64| {
        let mut low = layout::events(stream.id);
        low.extend_from_slice(&sequence.to_be_bytes());
        let (_, high) = records.bounds();
        snapshot
            .range(Bound::Included(&low), high, Direction::Forward)
            .next()
            .transpose()
            .map_err(internal)
    };
    // Every record before `low` is older.
    let (mut low, mut high) = (trimmed_to(core, stream)?, end);
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
    let mut from = layout::events(stream.id);
    from.extend_from_slice(&low.to_be_bytes());
    let (_, high) = records.bounds();
    for entry in snapshot.range(Bound::Included(&from), high, Direction::Forward) {
        let (key, bytes) = entry.map_err(internal)?;
        if Event::epoch_ms_of(&bytes).is_some_and(|at| at >= epoch_ms) {
            return Ok(layout::sequence_of(&key).unwrap_or(stream.first_sequence));
        }
    }
    Ok(end)
}

/// Encodes an iterator: `<stream arn>|1|<base64 of position and time>`.
fn encode(core: &Core, arn: &str, position: u64) -> String {
    let mut bytes = position.to_be_bytes().to_vec();
    bytes.extend_from_slice(&core.now_ms().to_be_bytes());
    format!("{arn}|1|{}", STANDARD.encode(bytes))
}

/// The stream, the position and the creation time of an iterator.
fn decode(iterator: &str) -> Option<(&str, u64, u64)> {
    let (arn, rest) = iterator.split_once('|')?;
    let bytes = STANDARD.decode(rest.strip_prefix("1|")?).ok()?;
    let (position, made) = bytes.split_at_checked(8)?;
    Some((
        arn,
        u64::from_be_bytes(position.try_into().ok()?),
        u64::from_be_bytes(made.try_into().ok()?),
    ))
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
    let Some((arn, position, made)) = decode(&given) else {
        return sentence("Invalid ShardIterator");
    };
    if core.now_ms().saturating_sub(made) > ITERATOR_MS {
        return Err(expired(made, core.now_ms()));
    }
    let stream = find(core, arn)?;
    if position < trimmed_to(core, &stream)? && position > stream.first_sequence {
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
    let mut low = layout::events(stream.id);
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
    let end = stream.closed.map(|(_, end)| end);
    let next = next.or_else(|| match end {
        // Records staged before the end may not be visible yet.
        Some(end) if end <= known_to => None,
        _ => Some(known_to.max(position)),
    });
    Ok(GetRecordsOutput {
        records: Some(records),
        next_shard_iterator: next.map(|next| encode(core, arn, next)),
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
            sequence_number: Some(stream::sequence_text(sequence)),
            size_bytes: i64::try_from(size).ok(),
            stream_view_type: Some(stream.view.into()),
        }),
        user_identity: event.is_expiry.then(|| Identity {
            principal_id: Some("dynamodb.amazonaws.com".to_owned()),
            kind: Some("Service".to_owned()),
        }),
    }
}
