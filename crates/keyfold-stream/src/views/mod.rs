//! Views: rows that follow from the items of an entity, kept from its table's stream.
//!
//! A view of a model is an entity whose items no program writes. Here they are kept: each change of a
//! source item takes what the item gave out of its row, and puts what it gives into its row, in one
//! transaction with the position of a consumer. `docs/views.md` says what is promised and why it holds.
//!
//! - `definition`: what an item gives to which row, and `written`, its stable form; `images`: items as a
//!   view sees them, and `notes` about those that cannot be read; `rows`: a batch, put together for each
//!   row.
//! - `simple`, `whole`, `single`: the writes of rows that are added to, read first, or of one item each;
//!   `values` and `links`: what is kept beside rows, in the table that `place` describes.
//! - `keeper`: the handler of a consumer; `state`: the generations of a view; `begin`, `build`, `tips`, `switch`,
//!   `clean`: how a new one takes the place of another; `belongs`: whether one belongs to the tables and
//!   leases that are there.
//! - `keep`: runs all that for the views of a model; [`ViewWorker`] does so on threads; `status`, and
//!   `aside`: records that were set aside.
//!
//! Deliberately absent: tables with periods, which have a stream each.

mod aside;
mod begin;
mod belongs;
mod build;
mod clean;
mod definition;
mod held;
mod images;
mod keep;
mod keeper;
mod links;
mod lost;
mod notes;
mod place;
mod requests;
mod rows;
mod simple;
mod single;
mod state;
mod status;
mod switch;
#[cfg(test)]
mod tests;
mod threads;
mod tips;
mod values;
mod whole;

pub use aside::{ViewFailure, failures, replay};
pub use keep::{OnViewReport, Stop, ViewOptions, ViewReport, keep};
pub use notes::UnreadableItem;
pub use status::{Looks, ViewStatus, begin_rebuild, live, rebuild_views, status, status_again};
pub use threads::ViewWorker;
