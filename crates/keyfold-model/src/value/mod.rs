//! Values of attributes: their forms as arguments, in storage, in keys and for people.

mod attributes;
mod display;
mod end;
mod error;
mod inverse;
mod json;
mod key;
mod parse;
mod small;
mod time;

pub use attributes::Attributes;
pub use display::{display, shown, shown_text};
pub use end::{End, end};
pub use error::ValueError;
pub(crate) use inverse::key_gives_back;
pub use inverse::{gives_back, inverse, is_left_out};
pub use key::{
    CHUNK, SHARD, bucket, column, digest, guard, is_made, is_text_made, key, prefix, text,
};
pub use parse::{canonical, check, fits, given, is_stored_form, parse};
pub use small::lower;
pub use time::{at_most, epoch_seconds, time_of_epoch_ms};
