//! The living document of a design: its chart as Markdown, and as one HTML page with diagrams.

mod html;
mod markdown;
mod picture;
mod rows;

pub use crate::markup::escape;
pub use html::{html, page};
pub use markdown::markdown;
