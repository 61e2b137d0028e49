//! What may be under way at a place: views that are kept, moves, evolutions and migrations; and the counters of its
//! server.
//!
//! The crates that carry these out are above this one: the command that opens a place says how they are read
//! ([`UnderWay`], [`Counters`]).

use keyfold_client::Backend;
use keyfold_model::Model;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads what is under way at a place. It writes nothing.
pub type UnderWay = Arc<dyn Fn(&Arc<Backend>, &Opened<'_>) -> Activity + Send + Sync>;

/// Reads the counters of a server, in the text form of OpenMetrics; `None` where there is none.
pub type Counters = Arc<dyn Fn() -> Result<Option<String>, String> + Send + Sync>;

/// The models that the page has.
pub struct Opened<'f> {
    /// The one that is shown, with its path, if there is one without errors.
    pub model: Option<(&'f Path, Model)>,
    /// The paths of all files.
    pub files: &'f [PathBuf],
}

/// The entries of one kind, or the reason why they cannot be read.
pub type Known<T> = Result<Vec<T>, String>;

/// What is under way at a place.
pub struct Activity {
    /// The views of the model that is shown; `None` without a model.
    pub views: Option<Known<View>>,
    /// Tables that come from another place.
    pub moves: Known<Work>,
    /// Designs that change.
    pub evolutions: Known<Work>,
    /// Relational databases that come in.
    pub migrations: Known<Work>,
}

/// A view, as it is now.
pub struct View {
    /// Its name in the model.
    pub name: String,
    /// The generation that readers see; `None` while there is none.
    pub live: Option<u64>,
    /// Whether this generation is of the definition in the model.
    pub is_current: bool,
    /// The number of the generation that is built, and how far it is.
    pub next: Option<(u64, String)>,
    /// The records that are not in the rows yet.
    pub behind: u64,
    /// Whether there may be more of them.
    pub has_more: bool,
    /// The age of the oldest of them, milliseconds.
    pub lag_ms: u64,
    /// The number of records that were set aside, and the cause of the first one.
    pub set_aside: (usize, Option<String>),
    /// Sentences about items that give nothing, and rows without a sum: the first of them.
    pub notes: Vec<String>,
    /// How many such sentences there are beyond these.
    pub more_notes: usize,
    /// The command that keeps it, builds it anew or tries again what was set aside.
    pub command: String,
}

/// A move, an evolution or a migration.
pub struct Work {
    /// The name of its table or model.
    pub name: String,
    /// Where the data comes from.
    pub from: String,
    /// Where it goes.
    pub to: String,
    /// What it does now.
    pub phase: String,
    /// How much of that is done; empty where nothing is counted.
    pub progress: String,
    /// When it began, milliseconds since 1970; `None` where nobody has noted it.
    pub since_ms: Option<i64>,
    /// How far it was behind, in milliseconds, and when this was noted, milliseconds since 1970.
    pub behind: Option<(u64, i64)>,
    /// Since when it stands still, milliseconds since 1970.
    pub paused_ms: Option<i64>,
    /// The command that goes on with it.
    pub command: String,
}
