//! The table map: item collections as rows, the kinds of items in them as boxes in the colour of
//! their entity, in the order of their sort keys. Each index has a map of its own.
//!
//! ```text
//! USER#{userId}    | User        Order.summary[]                |
//! USER#u1          | PROFILE     ORDER#{createdAt}#{orderId}    |
//! ```
//!
//! [`of_table`] and [`of_index`] place the boxes for a width in pixels. Every box is as wide as its
//! longest line, and no line is longer than its box may be: a long key is cut, and its whole text is
//! its title. [`Drawing::svg`] writes the picture for a document, and [`Drawing::json`] describes it
//! for a page that draws it itself.

mod cells;
mod drawing;
mod hues;
mod layout;
mod style;

pub use drawing::{Drawing, Line, Place, Role, Tile};
pub use hues::{HUES, Hues};
pub use style::STYLE;

use crate::chart::{IndexChart, TableChart};
use cells::collections;
use layout::laid_out;

/// The map of a table, as wide as this many pixels.
pub fn of_table(chart: &TableChart, hues: &Hues, width: usize) -> Drawing {
    let label = format!("item collections of the table {}", chart.name);
    laid_out(label, &collections(&chart.rows, 1, hues), width)
}

/// The map of an index, as wide as this many pixels.
pub fn of_index(chart: &IndexChart, hues: &Hues, width: usize) -> Drawing {
    let label = format!("item collections of the index {}", chart.name);
    let rows = collections(&chart.rows, chart.partition_count, hues);
    laid_out(label, &rows, width)
}
