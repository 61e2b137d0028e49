//! The one write path: every change of an item goes through [`apply::apply`].
//!
//! A write is checked without a table (`ItemWrite`), planned with one (`WritePlan`), evaluated
//! against the present item (`Change`), and applied to a batch. Single writes, batches and
//! transactions differ only in the number of plans and in the treatment of failures.

pub(crate) mod apply;
pub(crate) mod collection;
pub(crate) mod counters;
pub(crate) mod entries;
pub(crate) mod evaluate;
pub(crate) mod expiry_note;
pub(crate) mod plan;
pub(crate) mod refusal;
pub(crate) mod right;
