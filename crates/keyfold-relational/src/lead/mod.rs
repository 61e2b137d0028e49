//! The tables lead: programs write to them, and what they write is carried into the rows. A change of an item
//! names it; what its row is to be follows from what the item is **now**, so any order of reads, changes and kills
//! ends in what the items are. How far the streams are stands in the database, and moves in the transaction of the
//! rows.
//!
//! - `switch`: who leads becomes the other side, and back. `sides`: the tables take writes of programs, or refuse
//!   them. `streams`: the records of the tables; `reverse`: a run that carries them; `rows`: items become rows.
//!
//! Here: what a database must be able to do for it.

mod reverse;
mod rows;
mod sides;
mod streams;
mod switch;

pub(crate) use switch::under_way;

pub use sides::Tables;
pub use switch::{Switch, Turned, may_abort};

use crate::cell::Cell;
use crate::source::{SourceError, Watched};
use keyfold_stream::{Position, ShardKey};

/// Up to where a shard of a table's stream is carried.
pub type Tip = (ShardKey, Position);

/// What a database notes while it does not lead.
#[derive(Debug, Clone, PartialEq)]
pub struct Noted {
    /// The migration.
    pub id: String,
    /// That of the run that has it.
    pub fence: u64,
    /// Up to where streams are carried.
    pub tips: Vec<Tip>,
}

/// What became of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrote {
    /// It changed so many rows.
    Rows(u64),
    /// A constraint refused it: what the database says. It changed nothing, and the transaction goes on.
    Refused(String),
}

/// What a switch needs of a database: that it refuses writes of programs, and takes rows of items.
pub trait Lead {
    /// What is noted; `None` while the database leads.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn noted(&mut self) -> Result<Option<Noted>, SourceError>;

    /// Notes that the database does not lead, and lets tables refuse writes of everybody else: in one transaction.
    /// `instead` is where programs write then. What is noted already goes on with another fence.
    ///
    /// # Errors
    /// When the database refuses it.
    fn close(
        &mut self,
        tables: &[Watched],
        of: (&str, u64),
        instead: &str,
    ) -> Result<(), SourceError>;

    /// Lets the tables take writes again, and forgets what is noted, if it has this fence: whether it had.
    ///
    /// # Errors
    /// When the database refuses it.
    fn open(&mut self, of: (&str, u64)) -> Result<bool, SourceError>;

    /// Takes what is noted for another run: it has its fence from now on.
    ///
    /// # Errors
    /// When the database refuses it.
    fn take(&mut self, of: (&str, u64)) -> Result<(), SourceError>;

    /// Begins a transaction in which rows are written; `false` if another fence is noted.
    ///
    /// # Errors
    /// When the database refuses it.
    fn begin(&mut self, of: (&str, u64)) -> Result<bool, SourceError>;

    /// Changes rows.
    ///
    /// # Errors
    /// When the database fails otherwise than by a constraint.
    fn write(&mut self, sql: &str, arguments: &[Cell]) -> Result<Wrote, SourceError>;

    /// Notes up to where streams are carried, and ends the transaction.
    ///
    /// # Errors
    /// When the database fails otherwise than by a constraint.
    fn commit(&mut self, tips: &[Tip]) -> Result<Wrote, SourceError>;

    /// Takes the transaction back.
    ///
    /// # Errors
    /// When the database refuses it.
    fn rollback(&mut self) -> Result<(), SourceError>;
}
