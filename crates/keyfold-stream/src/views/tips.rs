//! Up to where the shards of a view's streams go, and whether its consumers have come there.

use super::state::Generation;
use crate::lease::{Lease, Row, ShardKey};
use crate::lease_table::LeaseTable;
use crate::position::Position;
use crate::records::{iterator, records};
use crate::topology::{shards, stream_of};
use crate::world::Io;
use keyfold_api::ErrorKind;
use keyfold_lower::ClientError;
use std::collections::BTreeMap;

/// The empty pages after which a shard has no more records. DynamoDB returns some before its last one.
const EMPTY_PAGES: u32 = 3;
/// The records of a page.
const PAGE: usize = 1_000;

/// Positions of shards, for each table.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Tips {
    all: Vec<(String, ShardKey, Position)>,
}

/// The leases of a generation's consumer of a table.
pub(crate) async fn leases(
    io: &dyn Io,
    (view, generation, table): (&str, &Generation, &str),
    leases: &str,
) -> Result<BTreeMap<ShardKey, Lease>, ClientError> {
    let table = LeaseTable {
        table: leases.to_owned(),
        consumer: generation.consumer(view, table),
    };
    let rows = table.all(io).await?.into_iter();
    let rows = rows.filter_map(|row| match row {
        Row::Lease(lease) => Some((lease.key.clone(), lease)),
        Row::Stream { .. } => None,
    });
    Ok(rows.collect())
}

/// The records of a shard behind a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Behind {
    /// Their number.
    pub(crate) records: u64,
    /// The moment of the first of them, milliseconds since 1970.
    pub(crate) oldest: Option<u64>,
    /// The sequence numbers of the first and the last one.
    pub(crate) first: Option<String>,
    pub(crate) last: Option<String>,
}

/// Reads a shard from a position to its present end.
///
/// # Errors
/// The backend's.
pub(crate) async fn behind(
    io: &dyn Io,
    key: &ShardKey,
    from: &Position,
) -> Result<Behind, ClientError> {
    let mut behind = Behind {
        records: 0,
        oldest: None,
        first: None,
        last: None,
    };
    if *from == Position::End {
        return Ok(behind);
    }
    let from = match from {
        // The consumers of views do not begin there.
        Position::Latest | Position::Horizon | Position::End => &Position::Horizon,
        Position::After(_) => from,
    };
    let mut next = match iterator(io, key, from).await {
        Ok(iterator) => Some(iterator),
        Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => None,
        Err(error) if error.kind() == Some(ErrorKind::TrimmedDataAccess) => {
            Some(iterator(io, key, &Position::Horizon).await?)
        }
        Err(error) => return Err(error),
    };
    let mut empty = 0;
    while let Some(at) = next {
        let page = records(io, at, PAGE).await?;
        let found = page.records.unwrap_or_default();
        empty = if found.is_empty() { empty + 1 } else { 0 };
        for event in found {
            let record = event.dynamodb.unwrap_or_default();
            let at = record.approximate_creation_date_time.map(|at| at.0);
            behind.oldest = behind.oldest.or(at);
            behind.last = record.sequence_number;
            behind.first = behind.first.or_else(|| behind.last.clone());
            behind.records += 1;
        }
        next = page.next_shard_iterator.filter(|_| empty < EMPTY_PAGES);
    }
    Ok(behind)
}

impl Tips {
    /// The present ends of all shards.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn of(
        io: &dyn Io,
        view: &str,
        generation: &Generation,
        table: &str,
    ) -> Result<Tips, ClientError> {
        let mut tips = Tips::default();
        for source in &generation.streams {
            let stream = stream_of(io, source).await?;
            let held = leases(io, (view, generation, source), table).await?;
            for shard in shards(io, &stream).await?.unwrap_or_default() {
                let from = held.get(&shard.key).map(|lease| &lease.position);
                let found = behind(io, &shard.key, from.unwrap_or(&Position::Horizon)).await?;
                if let Some(last) = found.last {
                    let tip = Position::After(last);
                    tips.all.push((source.clone(), shard.key, tip));
                }
            }
        }
        Ok(tips)
    }

    /// Up to where a generation's consumers have handled their shards.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn handled(
        io: &dyn Io,
        view: &str,
        generation: &Generation,
        table: &str,
    ) -> Result<Tips, ClientError> {
        let mut tips = Tips::default();
        for source in &generation.streams {
            for (key, lease) in leases(io, (view, generation, source), table).await? {
                tips.all.push((source.clone(), key, lease.position));
            }
        }
        Ok(tips)
    }

    /// Whether a generation's consumers have handled all up to here.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn are_passed(
        &self,
        io: &dyn Io,
        view: &str,
        generation: &Generation,
        table: &str,
    ) -> Result<bool, ClientError> {
        for source in &generation.streams {
            let held = leases(io, (view, generation, source), table).await?;
            for (_, key, tip) in self.all.iter().filter(|(of, _, _)| of == source) {
                let is_passed = match (held.get(key), tip) {
                    (_, Position::Horizon | Position::Latest) => true,
                    (Some(lease), Position::After(number)) => {
                        lease.position.is_behind(number) || is_gone(io, lease, number).await?
                    }
                    (Some(lease), Position::End) => lease.is_ended(),
                    // Its lease was deleted behind its end, or is not there yet.
                    (None, _) => !is_listed(io, key).await?,
                };
                if !is_passed {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Whether the records up to a number have expired, so that a consumer that begins with the oldest ones
/// will not see them.
async fn is_gone(io: &dyn Io, lease: &Lease, number: &str) -> Result<bool, ClientError> {
    if lease.position != Position::Horizon {
        return Ok(false);
    }
    let left = behind(io, &lease.key, &Position::Horizon).await?;
    let first = left.first;
    Ok(first.is_none_or(|first| !Position::After(number.to_owned()).is_behind(&first)))
}

/// Whether a stream has a shard still.
pub(crate) async fn is_listed(io: &dyn Io, key: &ShardKey) -> Result<bool, ClientError> {
    let listed = shards(io, &key.stream).await?.unwrap_or_default();
    Ok(listed.iter().any(|shard| shard.key == *key))
}
