//! Data in motion: a live table is carried from one endpoint to another while its writers go on.
//!
//! The table is scanned in segments, and the changes of its stream are applied from before the first
//! read on. Both write to the target at the same time, and any interleaving ends right: an item of the
//! scan is put only where the target has none and no change has deleted it, and of the changes of an
//! item the last one stays. How far a segment or a shard is stands in the target, in a row that moves
//! in the transaction of the items; a run that lost the move, or sends a transaction twice, changes
//! nothing.
//!
//! - [`world`]: what a move needs of its surroundings; [`threads`] is how it runs in a program.
//! - `rows`: what a move keeps in the target; `ledger`: the requests on it.
//! - `run`: takes the move and starts its tasks; `copy`: one for each segment; `follow`: one for the
//!   stream, of whose records `changes` makes writes; `commit`: effects and checkpoint.
//! - [`verify`]: compares both places; `difference`: what it finds; `saved`: how far a comparison is, for one that goes on.
//! - [`tables`]: the tables of both places; `indexes`: those that the source gets meanwhile; `begin`: how a move begins; `ending`: how it is aborted or
//!   completed; `pausing`: how it is made to stand still.
//! - [`switch`]: lets programs write to the other side, and back; `turn`: which side that is; `refusal`: how a
//!   table refuses writes; `both`: both directions; `owned`: the process that a switch belongs to; `shut`: both tables refuse writes; `swapped`: the other direction.
//! - [`alone`]: a table refuses writes whose other side is no table.
//! - `exported`: an export in S3's layout as a place; `sides`: what a place is.
//! - `values`: attributes of rows.
//! - `totals`: what it has done so far, of all its runs.
//! - `held`: the rows that a run has taken; `guard`: whether both tables are those of the move still.
//! - `crew`, `pace`, `patience`, `progress`, `meter`: what the tasks share, their rate, which errors they wait
//!   out, how far they are, and which units they have consumed; `located`: the place of an error; `cancelled`:
//!   why a transaction was.
//!
//! Not here: what people see of a move. The `keyfold` command shows it.

pub mod alone;
mod begin;
mod both;
mod cancelled;
mod changes;
mod commit;
mod copy;
mod crew;
mod difference;
mod ending;
mod exported;
mod follow;
mod guard;
mod held;
mod indexes;
mod ledger;
mod located;
mod meter;
mod options;
mod owned;
mod pace;
mod passed;
mod patience;
mod pausing;
mod progress;
mod refusal;
mod rows;
mod run;
mod saved;
mod shut;
mod sides;
mod swapped;
pub mod switch;
pub mod tables;
pub mod threads;
mod totals;
mod turn;
mod values;
pub mod verify;
pub mod world;

pub use begin::{MADE_BY, prepare};
pub use copy::HAS_NONE;
pub use ending::{
    Aborted, Listed, Status, abort, complete, forget_ledger, may_abort, may_complete, moves, status,
};
pub use exported::{DEFINITION, Exports, Unfinished, Writing, may_export};
pub use ledger::{IS_ABSENT, IS_EARLIER, IS_MAKING, IS_MINE, IS_SEEN, IS_THERE, IS_UNCHANGED};
pub use located::{Whereabouts, located};
pub use meter::{For, Units, measured, units};
pub use options::Options;
pub use pace::Pace;
pub use patience::Patience;
pub use pausing::{pause, time_left};
pub use progress::{Figures, Progress};
pub use refusal::{Force, MOVING_AGENT, NO_REVISION, PROBING_AGENT};
pub use rows::{Counts, LEDGER, Phase, RunRow};
pub use run::{Ended, carry_on};
pub use sides::Side;
pub use swapped::swapped;
pub use totals::{Spent, Totals, totals};
pub use turn::{Turn, Turning, Way};
