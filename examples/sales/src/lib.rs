//! Sales: orders in table A, what follows from them in table B, kept by two workers of which one is
//! killed now and then, and a legacy system in PostgreSQL whose products and regions enrich it (N5).

/// The client that `build.rs` makes of the model.
pub mod model {
    keyfold::include_client!("sales");
}

mod api;
mod crew;
mod desk;
mod fault;
mod importer;
mod legacy;
mod live;
mod numbers;
mod past;
mod postgres;
mod proof;
mod seller;
mod storage;
mod upkeep;

pub use api::{App, routes};
pub use crew::{Crew, News, WorkerShown};
pub use desk::{Desk, Sale};
pub use fault::Fault;
pub use importer::{Imported, Importer, import};
pub use legacy::{Legacy, Product, Region};
pub use live::Live;
pub use numbers::{BestOrder, DailyRow, Numbers, ProductRow, RegionRow};
pub use past::seed;
pub use postgres::Postgres;
pub use proof::{Compared, Proof, Rebuilt};
pub use seller::Seller;
pub use storage::Storage;
pub use upkeep::{keep, options};
