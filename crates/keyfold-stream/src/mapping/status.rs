//! How far mappings are, as the table of leases and the streams show it.

use crate::counted::Counted;
use crate::lease::{Lease, Row, ShardKey, Trouble};
use crate::lease_table::LeaseTable;
use crate::mapping::run::OWNER;
use crate::options::Options;
use crate::position::Position;
use crate::threads::{Sends, Threads};
use crate::world::{Io, World, ask};
use keyfold_api::{ErrorKind, ScanInput};
use keyfold_client::blocked;
use keyfold_lower::ClientError;
use keyfold_types::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A mapping that has begun, as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct MappingStatus {
    /// The name under which its positions are kept.
    pub name: String,
    /// Its shards that have not ended.
    pub shards: Vec<ShardStatus>,
}

/// A shard of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardStatus {
    /// The shard.
    pub key: ShardKey,
    /// Up to where its records are handled.
    pub position: Position,
    /// When it moved, milliseconds since 1970; `None` where it has not since the mapping began. That of a mapping which
    /// no server runs any more moves no more.
    pub moved_epoch_ms: Option<u64>,
    /// The records behind it, filtered or not, as far as a few pages show them.
    pub behind: u64,
    /// Whether there may be more of them.
    pub has_more: bool,
    /// The age of the oldest of them.
    pub lag: Duration,
    /// Why its next records are not handled.
    pub error: Option<Trouble>,
}

/// The state of each mapping that has begun, and has shards: those of tables that were deleted have none.
///
/// # Errors
/// The backend's; `Refused` when the table of leases has items of others.
pub fn status(send: &Sends) -> Result<Vec<MappingStatus>, ClientError> {
    let threads = Threads::new(Arc::clone(send));
    blocked(all(&*threads))
}

async fn all(world: &dyn World) -> Result<Vec<MappingStatus>, ClientError> {
    let table = Options::new("", "").leases;
    let mut found = Vec::new();
    for consumer in consumers(world, &table).await? {
        let leases = LeaseTable {
            table: table.clone(),
            consumer,
        };
        let mut shards = Vec::new();
        for row in leases.all(world).await? {
            match row {
                Row::Lease(lease) if !lease.is_ended() => shards.push(of(world, lease).await?),
                Row::Lease(_) | Row::Stream(_) => {}
            }
        }
        if !shards.is_empty() {
            found.push(MappingStatus {
                name: leases.consumer,
                shards,
            });
        }
    }
    Ok(found)
}

/// The consumers that are mappings: whose shards a server has taken.
async fn consumers(io: &dyn Io, table: &str) -> Result<BTreeSet<String>, ClientError> {
    let mut found = BTreeSet::new();
    let mut after = None;
    loop {
        let scan = ScanInput {
            table_name: Some(table.to_owned()),
            consistent_read: Some(true),
            exclusive_start_key: after.map(Ok),
            ..ScanInput::default()
        };
        let page = match ask(io, scan).await {
            Ok(page) => page,
            // No consumer has made the table.
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => break,
            Err(error) => return Err(error),
        };
        for item in page.items.unwrap_or_default() {
            let item = item.to_item();
            let text = |name: &str| match item.get(name) {
                Some(Value::S(text)) => Some(text.as_str()),
                Some(_) | None => None,
            };
            if text(crate::lease::OWNER) == Some(OWNER)
                && let Some(consumer) = text(crate::lease::CONSUMER)
            {
                found.insert(consumer.to_owned());
            }
        }
        after = page.last_evaluated_key;
        if after.is_none() {
            break;
        }
    }
    Ok(found)
}

async fn of(world: &dyn World, lease: Lease) -> Result<ShardStatus, ClientError> {
    let mut counted = Counted::of(world, &lease.key, &lease.position).await?;
    let behind = counted.count(world).await?;
    let now = u64::try_from(world.epoch_ms()).unwrap_or_default();
    let age = behind.oldest.map_or(0, |oldest| now.saturating_sub(oldest));
    Ok(ShardStatus {
        behind: behind.records,
        has_more: behind.is_more,
        lag: Duration::from_millis(age),
        key: lease.key,
        position: lease.position,
        moved_epoch_ms: lease.moved_epoch_ms,
        error: lease.error,
    })
}
