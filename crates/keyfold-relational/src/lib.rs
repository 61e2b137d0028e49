//! Relational databases that come in: the rows of SQL tables become the entities of a model, as its `from`
//! lines say, and their changes follow until nobody writes SQL any more.
//!
//! There is one mechanism. A change in the source names rows; what an entity is follows from what the rows
//! hold **now**, read in one snapshot of the source. An entity whose row is there is put, one whose row is
//! gone is deleted, and the model's own writes see to copies, guards and aggregates. So a change that is
//! carried twice does no harm, a change that comes early is made good by the next one, and joins need no
//! rule of their own: a row of a joined table names the rows that it is joined to.
//!
//! - `cell`: a value of SQL; `convert`: rows become attributes, or a reason why not.
//! - `drafts`: the items that rows would be; `doubles`: rows that cannot both be items.
//! - `mapping`: the `from` lines beside the tables that the database has; `statement`: their SQL.
//! - `sql`: what SQL in quotes may not say; `pages`: the rows of an entity, a page at a time.
//! - `catalog`: what a database says of its tables; `propose`: a model is made of that.
//! - `expiry`: items whose time is over.
//! - `back`: items become rows again; `lead`: the tables lead, and the database follows.
//! - `lost`: columns that are gone since a migration began. `noted`: what a database notes while it follows the tables.
//! - `source`: what a database must be able to do; `sqlite`: SQLite, by triggers; `postgres` and `mariadb`: by their logs.
//! - `dialect`: whose SQL it is.
//! - `wish`: what an entity is to be; `apply`: entities are written; `patient`: requests are sent again; `state`: how far a migration is, kept beside the tables.
//! - `parents`: rows that others rest on. `taking`: a migration is begun, taken by a run, and ended.
//! - `progress`: how far a run is; `copy`: every row is read once; `run`: that, and what follows it; `windows`: changes of many rows; `check`: what stands in the way before anything is written;
//!   `bounded`: rows that have some values, and all in turn.
//!   `verify`: rows beside items, `split` for those that are several; `mend`: what differs is written.
//! - `world`: time, chance and a lock. `untrusted`: faults of TLS that do not pass.
//!
//! Not here: the language of `from` (`keyfold-model`), and what people see of a run (the command line).

mod apply;
mod back;
mod bounded;
mod catalog;
mod cell;
mod check;
mod convert;
mod copy;
mod dialect;
mod doubles;
mod drafts;
mod expiry;
mod lead;
mod lost;
mod mapping;
pub mod mariadb;
mod mend;
mod noted;
mod pages;
mod parents;
mod patient;
pub mod postgres;
mod progress;
mod propose;
mod run;
mod source;
mod split;
mod sql;
pub mod sqlite;
mod state;
mod statement;
mod taking;
mod untrusted;
mod verify;
mod windows;
mod wish;
mod world;

pub use back::proof::check_back;
pub use bounded::{Bound, Walk};
pub use catalog::{Asked, Catalog, Describe, Measured, Reference, Table, TableColumn, Unique};
pub use cell::Cell;
pub use check::{Alike, Checked, CheckedRows, check};
pub use convert::Problem;
pub use lead::rowless::rowless;
pub use lead::sides::Tables;
pub use lead::streams::is_lost;
pub use lead::switch::{Switch, Turned};
pub use mapping::{MapError, Mapped, Mapping};
pub use mend::{Mended, mend};
pub use progress::{Figures, Progress, Rowless};
pub use propose::{Proposal, ProposeError, ProposedEntity, ProposedPattern, propose, statements};
pub use run::{Ended, Migration, Sizes};
pub use source::{
    Change, Column, End, KeptLog, Lead, Noted, Side, Sorted, Source, SourceError, Tip, Touched,
    Watched, Wrote,
};
pub use state::{Behind, Phase, STATES, State};
pub use taking::{Abort, abort, may_abort};
pub use verify::{Difference, Verified, VerifyError, verify};
