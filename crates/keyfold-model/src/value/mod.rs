//! Values of attributes: as arguments, as stored, inside keys, as people read them.

mod display;
mod error;
mod key;
mod parse;

pub use display::display;
pub use error::ValueError;
pub use key::{CHUNK, End, SHARD, bucket, column, digest, end, key, prefix, shard_of, text};
pub use parse::{at_most, canonical, check, epoch_seconds, from_json, parse, time_of_epoch_ms};
