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
    /// The folder whose subfolders stand for buckets; exports and imports are refused without.
    pub buckets: Option<PathBuf>,
    /// Whether a thread does what is due (deleting expired items, filling indexes). Without it the
    /// embedder calls [`Engine::work`](crate::Engine::work).
    pub background: bool,
    /// Whether a write that meets an item of a transaction under way is refused, as the service
    /// does; otherwise it builds on the transaction and is acknowledged after it.
    pub transaction_conflicts: bool,
    /// Whether who uses more than a table's, index's or partition key's capacity is refused;
    /// otherwise capacity is only counted.
    pub enforce_capacity: bool,
    /// The lag of global indexes and of eventually consistent reads; without it all see the newest.
    pub index_lag: Option<IndexLag>,
    /// Is told of failures that no client meets: what was being done, and why it failed.
    pub report: Option<Report>,
}

/// Takes what was being done in the background, and why it failed.
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

/// The lag of late readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexLag {
    /// Time that a write takes to reach global indexes.
    pub delay: Duration,
    /// Decides which eventually consistent reads of a table are late: half of them.
    pub seed: u64,
}
