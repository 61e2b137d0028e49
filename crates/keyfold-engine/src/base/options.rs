//! Options of an engine.

use super::environment::Environment;
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
            item_collection_bytes_max: ITEM_COLLECTION_BYTES_MAX,
            buckets: None,
            background: true,
            transaction_conflicts: true,
            enforce_capacity: false,
            index_lag: None,
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
