//! Capacity units, counted in halves so that sums are exact.
//!
//! Source: "DynamoDB throughput capacity": a read unit covers 4 KB read strongly (half a unit
//! eventually, two in a transaction), a write unit 1 KB written (two in a transaction).

use crate::limits::{READ_UNIT_BYTES, WRITE_UNIT_BYTES};
use std::fmt;
use std::ops::{Add, AddAssign, Mul};

/// Capacity in half units: 1 is 0.5 units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CapacityHalves(pub u64);

/// The rate at which a read is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadRate {
    /// Half a unit for each 4 KB.
    Eventual,
    /// One unit for each 4 KB.
    Strong,
    /// Two units for each 4 KB.
    Transactional,
}

impl CapacityHalves {
    /// No capacity.
    pub const ZERO: CapacityHalves = CapacityHalves(0);

    /// The charge for reading `bytes`, at least that of one block.
    pub fn read(bytes: u64, rate: ReadRate) -> CapacityHalves {
        let halves = match rate {
            ReadRate::Eventual => 1,
            ReadRate::Strong => 2,
            ReadRate::Transactional => 4,
        };
        let blocks = bytes.div_ceil(READ_UNIT_BYTES).max(1);
        CapacityHalves(blocks.saturating_mul(halves))
    }

    /// The charge for writing `bytes` once, at least one unit.
    pub fn write(bytes: u64) -> CapacityHalves {
        let blocks = bytes.div_ceil(WRITE_UNIT_BYTES).max(1);
        CapacityHalves(blocks.saturating_mul(2))
    }

    /// The capacity in units.
    pub fn units(self) -> f64 {
        self.0 as f64 / 2.0
    }
}

impl Add for CapacityHalves {
    type Output = CapacityHalves;
    fn add(self, other: CapacityHalves) -> CapacityHalves {
        CapacityHalves(self.0 + other.0)
    }
}

impl AddAssign for CapacityHalves {
    fn add_assign(&mut self, other: CapacityHalves) {
        self.0 += other.0;
    }
}

impl Mul<u64> for CapacityHalves {
    type Output = CapacityHalves;
    fn mul(self, times: u64) -> CapacityHalves {
        CapacityHalves(self.0 * times)
    }
}

impl std::iter::Sum for CapacityHalves {
    fn sum<I: Iterator<Item = CapacityHalves>>(iter: I) -> CapacityHalves {
        iter.fold(CapacityHalves::ZERO, Add::add)
    }
}

impl fmt::Display for CapacityHalves {
    /// Units with one decimal: `0.5`, `13.0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 2, if self.0 % 2 == 1 { 5 } else { 0 })
    }
}
