//! The requests that read a shard: an iterator behind a position, and the records behind an iterator.

use crate::lease::ShardKey;
use crate::position::Position;
use crate::world::{Io, ask};
use keyfold_api::{
    GetRecordsInput, GetRecordsOutput, GetShardIteratorInput, Named, ShardIteratorType,
};
use keyfold_lower::ClientError;
use std::time::Duration;

/// The most records that a request returns.
const PAGE_MAX: usize = 1_000;
/// The pause after a request that failed.
pub(crate) const TROUBLE_PAUSE: Duration = Duration::from_millis(500);

/// An iterator behind the records that were read.
///
/// # Errors
/// The backend's; `Transport` when its answer has no iterator.
pub async fn iterator(io: &dyn Io, key: &ShardKey, read: &Position) -> Result<String, ClientError> {
    let (kind, number) = match read {
        Position::Horizon => (ShardIteratorType::TrimHorizon, None),
        // Nothing is behind the end: LATEST of a shard that has ended is its end.
        Position::End => (ShardIteratorType::Latest, None),
        Position::After(number) => (ShardIteratorType::AfterSequenceNumber, Some(number.clone())),
    };
    of_kind(io, key, kind, number).await
}

/// An iterator at the record with a sequence number.
///
/// # Errors
/// As [`iterator`].
pub(crate) async fn iterator_at(
    io: &dyn Io,
    key: &ShardKey,
    number: &str,
) -> Result<String, ClientError> {
    let kind = ShardIteratorType::AtSequenceNumber;
    of_kind(io, key, kind, Some(number.to_owned())).await
}

/// An iterator behind the last record that is written now. Another one is behind another record.
///
/// # Errors
/// As [`iterator`].
pub async fn newest(io: &dyn Io, key: &ShardKey) -> Result<String, ClientError> {
    of_kind(io, key, ShardIteratorType::Latest, None).await
}

async fn of_kind(
    io: &dyn Io,
    key: &ShardKey,
    kind: ShardIteratorType,
    number: Option<String>,
) -> Result<String, ClientError> {
    let input = GetShardIteratorInput {
        stream_arn: Some(key.stream.clone()),
        shard_id: Some(key.shard.clone()),
        shard_iterator_type: Some(Named::Known(kind)),
        sequence_number: number,
        timestamp: None,
    };
    let made = ask(io, input).await?;
    made.shard_iterator
        .ok_or_else(|| ClientError::Transport("the endpoint's answer has no iterator".to_owned()))
}

/// At least one and at most `room` records behind an iterator, as far as a request returns them.
///
/// # Errors
/// The backend's.
pub async fn records(
    io: &dyn Io,
    iterator: String,
    room: usize,
) -> Result<GetRecordsOutput, ClientError> {
    let limit = i64::try_from(room.clamp(1, PAGE_MAX)).unwrap_or(1);
    let input = GetRecordsInput {
        shard_iterator: Some(iterator),
        limit: Some(limit),
    };
    ask(io, input).await
}
