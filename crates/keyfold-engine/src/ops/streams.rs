//! The streams endpoint: ListStreams and DescribeStream. Its other operations read a shard
//! (`stream_records.rs`).

use crate::base::pending::Pending;
use crate::check::Constraints;
use crate::core::Core;
use crate::ops::definition::sentence;
use crate::ops::describe_table::key_elements;
use crate::table::arn::{self, Part};
use crate::table::shard;
use crate::table::stream::Stream;
use keyfold_api::{
    ApiError, DescribeStreamInput, DescribeStreamOutput, ListStreamsInput, ListStreamsOutput,
    Moment, SequenceNumberRange, Shard, StreamDescription, StreamStatus, StreamSummary,
};
use std::sync::Arc;

/// Streams or shards of one answer at the most.
const PAGE_MAX: i64 = 100;
/// Characters of a shard's id.
const SHARD_ID_CHARS: (usize, usize) = (28, 65);

fn arn(core: &Core, stream: &Stream) -> String {
    core.arn(&stream.table_name, Part::Stream(&stream.label))
}

/// Finds the stream of an ARN.
pub(super) fn find(core: &Core, given: &str) -> Result<Arc<Stream>, ApiError> {
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
    let given = input.stream_arn.clone().unwrap_or_default();
    let stream = find(core, &given)?;
    let (shards, last_evaluated_shard_id) = shards_of(&stream, &input)?;
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
        shards: Some(shards),
        last_evaluated_shard_id,
    };
    Ok(DescribeStreamOutput {
        stream_description: Some(description),
    })
}

/// A page of a stream's shards in the order of their names, and the last name if more follow.
fn shards_of(
    stream: &Stream,
    input: &DescribeStreamInput,
) -> Result<(Vec<Shard>, Option<String>), ApiError> {
    let parent = match &input.shard_filter {
        None => None,
        Some(filter) => match (&filter.kind, &filter.shard_id) {
            (Some(_), Some(parent)) => Some(parent),
            (None, _) | (_, None) => {
                return sentence("ShardFilter requires both Type and ShardId");
            }
        },
    };
    let is_child =
        |shard: &&shard::Shard| parent.is_none_or(|one| shard.parent.as_ref() == Some(one));
    let found = stream.shards.iter().filter(is_child);
    let mut found: Vec<_> = found.map(|shard| (shard.name(), shard)).collect();
    if let Some(parent) = parent
        && found.is_empty()
        && stream.shard(parent).is_none()
    {
        return Err(no_shard());
    }
    found.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    if let Some(after) = &input.exclusive_start_shard_id {
        found.retain(|(name, _)| name > after);
    }
    let limit = usize::try_from(input.limit.unwrap_or(PAGE_MAX)).unwrap_or(1);
    let has_more = found.len() > limit;
    found.truncate(limit);
    let last = found
        .last()
        .filter(|_| has_more)
        .map(|(name, _)| name.clone());
    Ok((found.into_iter().map(described_shard).collect(), last))
}

fn described_shard((name, shard): (String, &shard::Shard)) -> Shard {
    Shard {
        shard_id: Some(name),
        sequence_number_range: Some(SequenceNumberRange {
            starting_sequence_number: Some(shard.start_text()),
            ending_sequence_number: shard.end_text(),
        }),
        parent_shard_id: shard.parent.clone(),
    }
}

pub(super) fn check_shard_id(constraints: &mut Constraints, path: &str, given: &Option<String>) {
    if let Some(shard) = given {
        let (min, max) = SHARD_ID_CHARS;
        constraints.count(path, shard.len(), shard, min, max);
    }
}

pub(super) fn no_shard() -> ApiError {
    ApiError::ResourceNotFound("Requested resource not found: Shard does not exist".to_owned())
}
