//! Event source mappings: batches of a stream's records as events for a function, as AWS Lambda has them.
//!
//! People test their Lambda code against it, so the shape of the event, the batches, what happens after
//! an error, and the record of a discarded batch are those that AWS documents (`docs/streams.md` has the
//! table). A mapping reads each shard on its own, parents before their children, and keeps its positions
//! in a table of leases: at least once.
//!
//! - `settings`: what a mapping does, and the text of it; `filter`: the records that it handles.
//! - `function`: what a program hands in; `part`: records that are handled together.
//! - `event`: JSON of events, answers and discarded batches; `lane`: which batch comes next, and what
//!   follows from its outcome, without requests; `shard`: reads a shard and moves its position; `troubles`: why it
//!   does not.
//! - `discards`: batches that were discarded; `kept`: their records, read and sent again.
//! - `run`: finds the shards, and reads them on threads; `status`: how far they are.
//!
//! Deliberately absent: HTTP and processes (a program has the [`Function`]), and tumbling windows.

mod discards;
mod event;
mod filter;
mod function;
mod kept;
mod lane;
mod part;
mod run;
mod settings;
mod shard;
mod status;
mod troubles;

pub use discards::Discard;
pub use filter::Pattern;
pub use function::{Function, Invocation, Listener};
pub use kept::{Absence, Kept, Reader};
pub use part::Reply;
pub use run::{Mapping, Running};
pub use settings::Settings;
pub use shard::{Shard, Step};
pub use status::{MappingStatus, ShardStatus, status};
