//! Goods into containers: an item is in one container or in none, and no container takes more than it
//! has places for, however many dispatchers there are.

/// The client that `build.rs` makes of the model.
pub mod model {
    keyfold::include_client!("freight");
}

mod api;
mod quay;
mod rush;

pub use api::routes;
pub use quay::{Freight, Refusal, check_description, check_places};
pub use rush::{DISPATCHERS_MAX, Rush, rush};
