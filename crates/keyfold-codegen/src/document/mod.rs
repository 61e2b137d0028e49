//! The living document of a design: its chart as Markdown, and as one HTML page with diagrams.

mod html;
mod markdown;
mod markup;
mod picture;
mod rows;

pub use html::html;
pub use markdown::markdown;
