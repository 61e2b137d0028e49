//! Races of racers at home: classes, live leaderboards, each racer's output second by second, and a
//! simulator of a thousand racers.

/// The client that `build.rs` makes of the model.
pub mod model {
    keyfold::include_client!("alleycat");
}

mod api;
mod club;
mod live;
mod simulator;

pub use api::routes;
pub use club::{Club, Noted, Row, name_of, racer};
pub use live::{Live, Shown};
pub use simulator::{Figures, Plan, Spread, announce, simulate};
