//! A design in use beside the relational database that it comes from: each pattern is asked of the tables,
//! and the same question of the database's rows, while programs go on writing.
//!
//! The arguments are those of rows, in turn. What differs is asked again, because a change may be on its
//! way: a difference counts that stays the same for longer than the lag, so that a partition that changes
//! all the time is compared as well as one that rests. An item whose time is over may be there or not.
//!
//! - [`run`]: the passes, and what is asked again; [`report`]: what was found.
//! - [`scope`]: the patterns that can be asked, and the attributes that are compared.
//! - [`oracle`]: the answer of a pattern from the rows of the database.
//! - [`wrong`]: what differs of two answers. [`items`]: the stored items, for questions about them.

mod items;
mod oracle;
mod report;
mod run;
mod scope;
mod wrong;

pub use report::{Difference, LiveError, LivePattern, Options};
pub use run::compare;
