//! Reading: key ranges, options, one page, and its cost.

pub(crate) mod capacity;
pub(crate) mod export_filter;
pub(crate) mod key_range;
pub(crate) mod meter;
pub(crate) mod options;
pub(crate) mod page;
pub(crate) mod view;
