//! The capacity that a request consumed.

use keyfold_codec::key::IndexId;
use keyfold_types::CapacityHalves;
use std::collections::BTreeMap;

/// The capacity that a write consumed, by index of the table.
#[derive(Debug, Default, Clone)]
pub(crate) struct Bill {
    pub(crate) table: CapacityHalves,
    pub(crate) local: BTreeMap<String, CapacityHalves>,
    pub(crate) global: BTreeMap<String, CapacityHalves>,
    /// The partition written in each global index, where capacity is enforced.
    pub(crate) partitions: BTreeMap<IndexId, [u8; 4]>,
}

impl Bill {
    pub(crate) fn add(&mut self, other: Bill) {
        self.table += other.table;
        for (name, units) in other.local {
            *self.local.entry(name).or_default() += units;
        }
        for (name, units) in other.global {
            *self.global.entry(name).or_default() += units;
        }
    }
}
