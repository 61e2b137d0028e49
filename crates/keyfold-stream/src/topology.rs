//! The streams of a table, and the shards of a stream.

use crate::lease::ShardKey;
use crate::tables::described;
use crate::world::{Io, ask};
use keyfold_api::{DescribeStreamInput, ErrorKind, ListStreamsInput};
use keyfold_lower::ClientError;

/// A shard as the stream lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// The shard.
    pub key: ShardKey,
    /// The shard whose records come before its own.
    pub parent: Option<String>,
    /// Whether records may still be added.
    pub is_open: bool,
}

/// The ARN of the stream that a table has.
///
/// # Errors
/// The backend's; `Refused` when the table is absent or has no stream.
pub(crate) async fn stream_of(io: &dyn Io, table: &str) -> Result<String, ClientError> {
    let Some(found) = described(io, table).await? else {
        let why = format!("there is no table {table}, whose stream the consumer reads");
        return Err(ClientError::refused(why));
    };
    found.latest_stream_arn.ok_or_else(|| {
        ClientError::refused(format!(
            "the table {table} has no stream: switch it on, with new and old images \
             (`stream new and old images` in a model)"
        ))
    })
}

/// The ARNs of all streams that a table has, and of those that it had before and that are there still.
///
/// # Errors
/// The backend's.
pub(crate) async fn listed(io: &dyn Io, table: &str) -> Result<Vec<String>, ClientError> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let input = ListStreamsInput {
            table_name: Some(table.to_owned()),
            exclusive_start_stream_arn: after,
            ..ListStreamsInput::default()
        };
        let page = ask(io, input).await?;
        let streams = page.streams.unwrap_or_default().into_iter();
        found.extend(streams.filter_map(|one| one.stream_arn));
        after = page.last_evaluated_stream_arn;
        if after.is_none() {
            return Ok(found);
        }
    }
}

/// The shards of a stream; `None` when the stream is gone.
///
/// # Errors
/// The backend's.
pub async fn shards(io: &dyn Io, stream: &str) -> Result<Option<Vec<Shard>>, ClientError> {
    let mut shards = Vec::new();
    let mut after = None;
    loop {
        let input = DescribeStreamInput {
            stream_arn: Some(stream.to_owned()),
            exclusive_start_shard_id: after,
            ..DescribeStreamInput::default()
        };
        let page = match ask(io, input).await {
            Ok(page) => page.stream_description.unwrap_or_default(),
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => return Ok(None),
            Err(error) => return Err(error),
        };
        for listed in page.shards.unwrap_or_default() {
            let range = listed.sequence_number_range.unwrap_or_default();
            shards.push(Shard {
                key: ShardKey {
                    stream: stream.to_owned(),
                    shard: listed.shard_id.unwrap_or_default(),
                },
                parent: listed.parent_shard_id,
                is_open: range.ending_sequence_number.is_none(),
            });
        }
        after = page.last_evaluated_shard_id;
        if after.is_none() {
            return Ok(Some(shards));
        }
    }
}
