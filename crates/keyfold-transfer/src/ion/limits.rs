//! Limits that a value must keep before it is parsed: the parser recurses for every level.

/// The deepest nesting of a value: an item has 32 levels, in a struct that names it.
pub(super) const DEPTH_MAX: usize = 40;
/// The longest number in bytes: one of an item has 38 digits.
pub(super) const NUMBER_BYTES_MAX: usize = 400;
/// The largest binary object.
pub(super) const BINARY_BYTES_MAX: usize = 64 * 1024 * 1024;

pub(super) const TOO_DEEP: &str = "a value is nested too deep to be an item";
pub(super) const TOO_LONG: &str = "a value is too long to be an item";
pub(super) const NUMBER_TOO_LONG: &str = "a number has too many digits";
