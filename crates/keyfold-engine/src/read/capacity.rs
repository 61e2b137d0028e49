//! ConsumedCapacity of reads and writes.

use crate::base::bill::Bill;
use keyfold_api::{CapacityKind, ConsumedCapacity, ReturnConsumedCapacity};
use keyfold_types::CapacityHalves;
use std::collections::BTreeMap;

/// ConsumedCapacity without units; none when the request does not ask for it.
pub(crate) fn blank(table: &str, wanted: ReturnConsumedCapacity) -> Option<ConsumedCapacity> {
    let detailed = match wanted {
        ReturnConsumedCapacity::None => return None,
        ReturnConsumedCapacity::Total => false,
        ReturnConsumedCapacity::Indexes => true,
    };
    Some(ConsumedCapacity {
        table_name: table.to_owned(),
        detailed,
        ..ConsumedCapacity::default()
    })
}

/// ConsumedCapacity of reads of a table.
pub(crate) fn of_read(
    table: &str,
    units: CapacityHalves,
    wanted: ReturnConsumedCapacity,
) -> Option<ConsumedCapacity> {
    Some(ConsumedCapacity {
        table: units,
        ..blank(table, wanted)?
    })
}

/// ConsumedCapacity of writes to a table and its indexes.
pub(crate) fn of_write(
    table: &str,
    bill: Bill,
    wanted: ReturnConsumedCapacity,
) -> Option<ConsumedCapacity> {
    Some(ConsumedCapacity {
        table: bill.table,
        local_secondary_indexes: bill.local,
        global_secondary_indexes: bill.global,
        ..blank(table, wanted)?
    })
}

/// Sums by table, in name order.
#[derive(Default)]
pub(crate) struct Bills {
    by_table: BTreeMap<String, Bill>,
}

impl Bills {
    pub(crate) fn add(&mut self, table: &str, bill: Bill) {
        self.by_table.entry(table.to_owned()).or_default().add(bill);
    }

    pub(crate) fn add_read(&mut self, table: &str, units: CapacityHalves) {
        self.add(
            table,
            Bill {
                table: units,
                ..Bill::default()
            },
        );
    }

    /// Adds the ConsumedCapacity of another operation.
    pub(crate) fn add_consumed(&mut self, consumed: Option<ConsumedCapacity>) {
        let Some(consumed) = consumed else { return };
        let bill = Bill {
            table: consumed.table,
            local: consumed.local_secondary_indexes,
            global: consumed.global_secondary_indexes,
            ..Bill::default()
        };
        self.add(&consumed.table_name, bill);
    }

    pub(crate) fn answer(
        self,
        wanted: ReturnConsumedCapacity,
        kind: Option<CapacityKind>,
    ) -> Option<Vec<ConsumedCapacity>> {
        if wanted == ReturnConsumedCapacity::None {
            return None;
        }
        let rows = self.by_table.into_iter();
        rows.map(|(table, bill)| {
            of_write(&table, bill, wanted).map(|row| ConsumedCapacity { kind, ..row })
        })
        .collect()
    }
}
