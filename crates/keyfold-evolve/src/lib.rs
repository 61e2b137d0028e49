//! Running designs that change: carries out, on data, the phases of the plan that
//! [`keyfold_model::evolution`] makes of two models.
//!
//! There is one mechanism. From the attributes of an entity follows what the new model stores of it; that is
//! compared with what is stored, and the difference is written in one transaction, whose conditions say that
//! everything is as it was read. An entity in the right form costs no write, and a write that happens twice
//! changes nothing. So a run that was killed reads at most a page of each segment again.
//!
//! - [`world`]: what a run needs of its surroundings; `options`, `progress`: how it runs, how far it is.
//! - `course`: both models, and which changes are not carried out; `problem`: what stands in the way.
//! - `decode`, `convert`: the attributes of an entity in either form; `wish`: what must be stored of it, and
//!   the writes; `request`: their requests. None of these sends anything.
//! - `work`: the work of phases as tasks; `shares`: what the items that are there give to aggregates; `compute`: writes that.
//! - `carry`: the items of a page; `scan`: whole tables in segments, on `threads`; `hands`: sends requests.
//! - `stands`: what an item is that stands where one is wanted.
//! - `arrivals`: names to which the new version gives a meaning, and the old one none; `strays`: what items hold under
//!   them.
//! - `dry`: what stands in the way, before anything is written; `verified`: the data beside the new model.
//! - `rows`: what is kept of an evolution; `claims`: the tables that it takes; `tables`: tables and indexes; `run`: the phases.
//!
//! Not here: the plan, and what people see of a run.

mod arrivals;
mod carry;
mod claims;
mod compute;
mod convert;
mod course;
mod decode;
mod dry;
mod hands;
mod options;
mod problem;
mod progress;
mod request;
mod rows;
mod run;
mod scan;
mod seen;
mod shares;
mod stands;
mod strays;
mod tables;
mod threads;
mod verified;
mod wish;
mod work;
pub mod world;

pub use course::Course;
pub use dry::DryRun;
pub use options::{Options, ROWS};
pub use problem::{Problem, ProblemKind};
pub use progress::{Figures, Progress};
pub use rows::{Counts, Models, RunRow, models_digest};
pub use run::{Ended, Evolving, Said, Status, VIEWS, is_gate};
pub use verified::Verified;
