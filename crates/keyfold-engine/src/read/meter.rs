//! The capacity of reads, where capacity is enforced.

use crate::core::Core;
use crate::core::throttle::{Partition, Spent, Use, partition_of};
use crate::table::{Index, IndexKind, Table};
use keyfold_api::ApiError;
use keyfold_types::CapacityHalves;

/// An admitted read, which is charged when its cost is known.
pub(crate) struct Meter<'r> {
    core: &'r Core<'r>,
    table: &'r Table,
    index: Option<&'r Index>,
    partition: Option<Partition>,
}

impl<'r> Meter<'r> {
    /// Admits a read of a table or index, and of a partition (from an encoded key) if there is one.
    ///
    /// # Errors
    /// `Throttled` when a limit is exhausted.
    pub(crate) fn admit(
        core: &'r Core<'r>,
        table: &'r Table,
        index: Option<&'r Index>,
        key: Option<&[u8]>,
    ) -> Result<Meter<'r>, ApiError> {
        // Local indexes use the table's capacity.
        let index = index.filter(|index| index.kind == IndexKind::Global);
        let meter = Meter {
            core,
            table,
            index,
            partition: key.and_then(partition_of),
        };
        if let Some(throttle) = core.throttle()
            && let Some(throttling) = throttle.exhausted(
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

    /// Charges a read that was admitted before.
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

    /// Charges the read.
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
