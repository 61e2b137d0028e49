//! A smart home: devices that are polled into a provisioned table, bursts of activity in an on-demand
//! one, and readings in a table for each month.

/// The client that `build.rs` makes of the model.
pub mod model {
    keyfold::include_client!("home");
}

mod api;
mod home;
mod polling;

pub use api::routes;
pub use home::{Burst, DEVICES, Home, open};
pub use polling::{POLLS_MAX, Polling, Second, Shown};
