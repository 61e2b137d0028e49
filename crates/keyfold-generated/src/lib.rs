//! The generated clients of all models of the repository: that this crate compiles without a warning
//! is a test. `build.rs` makes the modules.

/// For programs that a test compiles.
pub use keyfold;

/// Opens a client on a database.
pub type Open = fn(&keyfold::Keyfold) -> Result<(), keyfold::Error>;

include!(concat!(env!("OUT_DIR"), "/all.rs"));
