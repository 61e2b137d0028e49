//! The tables lead: programs write to them, and what they write is carried into the rows. A change of an item
//! names it; what its row is to be follows from what the item is **now**, so any order of reads, changes and kills
//! ends in what the items are. How far the streams are stands in the database, and moves in the transaction of the
//! rows.
//!
//! - `switch`: who leads becomes the other side, and back. `compared`: rows and items are compared before, `changed`:
//!   what changes meanwhile. `sides`: the tables take writes of programs, or refuse
//!   them. `streams`: the records of the tables; `reverse`: a run that carries them; `rows`: items become rows;
//!   `unread`: items that no row can be of, by what a column `holds`. `rowless`: those
//!   that no row is made of. `mended`: what differs is written.

pub(crate) mod changed;
mod compared;
mod holds;
mod mended;
mod reverse;
pub(crate) mod rowless;
mod rows;
pub(crate) mod sides;
pub(crate) mod streams;
pub(crate) mod switch;
mod unread;
