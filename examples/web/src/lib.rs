//! What the applications in Rust share beside Keyfold: a server of pages and of an API, problems as
//! people and programs hear of them, events for a page, and a meter of requests.

mod given;
mod meter;
mod names;
mod once;
mod problem;
mod refused;
mod serve;
mod shared;
mod words;

pub use given::{Asked, Path, decoded};
pub use meter::{Meter, Times, Total};
pub use problem::Problem;
pub use refused::shown;
pub use serve::{announce, connection, listen, outcome, serve};
pub use shared::{events, json_file, look, page, script};
pub use words::{given, usage};
