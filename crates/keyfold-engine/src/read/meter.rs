//! The capacity that a read uses, where capacity is enforced.

use crate::core::Core;
use crate::core::throttle::{Partition, Spent, Use, partition_of};
use crate::table::{Index, IndexKind, Table};
use keyfold_api::ApiError;
use keyfold_types::CapacityHalves;

/// A read that was let through; what it costs is told when it is known.
pub(crate) struct Meter<'r> {
    core: &'r Core,
    table: &'r Table,
    index: Option<&'r Index>,
    partition: Option<Partition>,
}

impl<'r> Meter<'r> {
    /// Lets a read through, of an index and a partition (from an encoded key) if it has one.
    ///
    /// # Errors
    /// `Throttled` when nothing is left.
    pub(crate) fn read(
        core: &'r Core,
        table: &'r Table,
        index: Option<&'r Index>,
        key: Option<&[u8]>,
    ) -> Result<Meter<'r>, ApiError> {
        // Local indexes live on the table's capacity.
        let index = index.filter(|index| index.kind == IndexKind::Global);
        let meter = Meter {
            core,
            table,
            index,
            partition: key.and_then(partition_of),
        };
        if let Some(throttle) = core.throttle()
            && let Some(throttling) = throttle.used_up(
                &core.asked(&table.name),
                table,
                Use::Read,
                &[meter.spent(CapacityHalves::ZERO)],
            )
        {
            return Err(ApiError::Throttled(Box::new(throttling)));
        }
        Ok(meter)
    }

    /// Takes what a read cost that was let through before.
    pub(crate) fn charge_read(core: &Core, table: &Table, key: &[u8], units: CapacityHalves) {
        Meter {
            core,
            table,
            index: None,
            partition: partition_of(key),
        }
        .charge(units);
    }

    fn spent(&self, units: CapacityHalves) -> Spent<'r> {
        Spent {
            index: self.index,
            partition: self.partition,
            units,
        }
    }

    /// Takes what the read cost.
    pub(crate) fn charge(&self, units: CapacityHalves) {
        if let Some(throttle) = self.core.throttle() {
            throttle.charge(
                &self.core.asked(&self.table.name),
                self.table,
                Use::Read,
                &[self.spent(units)],
            );
        }
    }
}
