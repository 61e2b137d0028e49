//! Options of an engine.

use super::environment::Environment;
use super::time::DAY_MS;
use keyfold_store::StoreOptions;
use keyfold_types::limits::ITEM_COLLECTION_BYTES_MAX;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Options of an engine.
#[derive(Clone)]
pub struct EngineOptions {
    /// The store.
    pub store: StoreOptions,
    /// Time and randomness.
    pub environment: Environment,
    /// The region in ARNs and stream records.
    pub region: String,
    /// The account in ARNs.
    pub account: String,
    /// The agent of requests that this process makes itself, which policies ask for. Requests of others
    /// have their own ([`Engine::execute_for`](crate::Engine::execute_for)).
    pub agent: String,
    /// Bytes of an item collection at the most, on tables with local indexes.
    pub item_collection_bytes_max: u64,
    /// The folder whose subfolders stand for buckets. Without it exports and imports are refused.
    pub buckets: Option<PathBuf>,
    /// Whether a thread does the background work (deleting expired items, filling indexes). Without
    /// it the embedder calls [`Engine::work`](crate::Engine::work).
    pub background: bool,
    /// Whether a write to an item of a transaction under way is refused, as the service does.
    /// Otherwise the write builds on the transaction and is acknowledged after it.
    pub transaction_conflicts: bool,
    /// Whether requests above the capacity of a table, an index or a partition key are refused.
    /// Otherwise capacity is only counted.
    pub enforce_capacity: bool,
    /// The lag of global indexes and of eventually consistent reads. Without it every read sees the
    /// newest state.
    pub index_lag: Option<IndexLag>,
    /// The shards of streams.
    pub shards: StreamShards,
    /// Receives failures that no client sees: the work, and the reason.
    pub report: Option<Report>,
}

/// Takes the description of background work, and the reason of its failure.
pub type Report = Arc<dyn Fn(&str, &str) + Send + Sync>;

impl EngineOptions {
    /// The defaults over a store.
    pub fn new(store: StoreOptions) -> EngineOptions {
        EngineOptions {
            store,
            environment: Environment::system(),
            region: "us-east-1".to_owned(),
            account: "000000000000".to_owned(),
            agent: concat!("keyfold-engine/", env!("CARGO_PKG_VERSION")).to_owned(),
            item_collection_bytes_max: ITEM_COLLECTION_BYTES_MAX,
            buckets: None,
            background: true,
            transaction_conflicts: true,
            enforce_capacity: false,
            index_lag: None,
            shards: StreamShards::default(),
            report: None,
        }
    }
}

/// The lag of eventually consistent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexLag {
    /// Time until global indexes show a write.
    pub delay: Duration,
    /// The seed of the choice which half of the eventually consistent reads of a table lag.
    pub seed: u64,
}

/// The shards of streams: their number, and how long they live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamShards {
    /// The open shards of a new stream, between which its partitions are divided; at least one.
    pub open_min: u32,
    /// The open shards at the most. At the end of its lifetime a shard is split in two while there
    /// are fewer.
    pub open_max: u32,
    /// The time after which an open shard is closed, and followed by its children. Without it shards
    /// stay open as long as their stream.
    pub lifetime: Option<Duration>,
    /// The time after which a record is trimmed.
    pub retention: Duration,
}

impl Default for StreamShards {
    /// One shard that stays open, and records that are kept for a day.
    fn default() -> StreamShards {
        StreamShards {
            open_min: 1,
            open_max: 1,
            lifetime: None,
            retention: Duration::from_millis(DAY_MS),
        }
    }
}
