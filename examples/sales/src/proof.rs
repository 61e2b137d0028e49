//! Two proofs. The rows of table B are what SQL makes of the orders of table A; and those of a new
//! generation are those of the one before.

use crate::crew::Crew;
use crate::desk::Desk;
use crate::fault::Fault;
use crate::importer::import;
use crate::legacy::Legacy;
use crate::model::{Order, OrderStatus};
use crate::numbers::Numbers;
use serde::Serialize;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The time that a stream may show a change later than the table does.
const LATER_MAX: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(200);
/// The differences that are shown.
const SHOWN: usize = 6;

/// The views beside SQL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compared {
    /// Whether all rows are the same.
    pub is_same: bool,
    /// The rows of the views.
    pub rows: usize,
    /// The orders in table A, of any status.
    pub orders: usize,
    /// The orders in the views, each once.
    pub sold: i64,
    /// Their sum.
    pub turnover_cents: i64,
    /// Some of the rows that only one of both has.
    pub differences: Vec<String>,
    /// How long it took.
    pub milliseconds: u64,
}

/// A new generation beside the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rebuilt {
    /// Whether all rows are the same.
    pub is_same: bool,
    /// The number of the generation.
    pub generation: u64,
    /// The rows before.
    pub rows_before: usize,
    /// The rows after.
    pub rows_after: usize,
    /// The sum of the orders before.
    pub turnover_cents_before: i64,
    /// The sum of the orders after.
    pub turnover_cents_after: i64,
    /// Some of the rows that only one of both has.
    pub differences: Vec<String>,
    /// How long it took.
    pub milliseconds: u64,
}

/// What the proofs need. While one runs, nothing else of this program writes to table A.
#[derive(Debug, Clone)]
pub struct Proof {
    /// Both tables.
    pub desk: Desk,
    /// The legacy system, which has SQL.
    pub legacy: Legacy,
}

impl Proof {
    /// Holds the rows of table B against what SQL makes of the orders of table A. A stream may show a
    /// change later than the table does, so that rows that differ are looked at again for a while.
    ///
    /// # Errors
    /// `Late` when the views are not up to date in time; those of the database and of PostgreSQL.
    pub async fn compare(&self) -> Result<Compared, Fault> {
        let began = Instant::now();
        let held = self.desk.rest().write().await;
        import(&self.desk, &self.legacy).await?;
        let (orders, recomputed) = self.recomputed().await?;
        let until = Instant::now() + LATER_MAX;
        let (numbers, differences) = loop {
            self.desk.settled(1).await?;
            let numbers = self.desk.numbers().await?;
            let differences = numbers.differences(&recomputed, ("the view", "SQL"));
            if differences.is_empty() || Instant::now() > until {
                break (numbers, differences);
            }
            sleep(LOOK).await;
        };
        drop(held);
        let (sold, turnover_cents) = numbers.total();
        Ok(Compared {
            is_same: differences.is_empty(),
            rows: numbers.rows(),
            orders,
            sold,
            turnover_cents,
            differences: differences.into_iter().take(SHOWN).collect(),
            milliseconds: milliseconds(began),
        })
    }

    /// The number of orders in table A, and what SQL makes of those that are paid.
    async fn recomputed(&self) -> Result<(usize, Numbers), Fault> {
        let orders = self.desk.orders().await?;
        let all = orders.len();
        let is_paid = |order: &Order| order.status == OrderStatus::Paid;
        let paid: Vec<Order> = orders.into_iter().filter(is_paid).collect();
        Ok((all, self.legacy.recomputed(&paid).await?))
    }

    /// Rebuilds all views, and holds their rows against those before. The sales rest meanwhile; workers
    /// may be killed.
    ///
    /// # Errors
    /// As [`Proof::compare`].
    pub async fn rebuild(&self, crew: &Crew) -> Result<Rebuilt, Fault> {
        let began = Instant::now();
        let held = self.desk.rest().write().await;
        self.desk.settled(1).await?;
        let before = self.desk.numbers().await?;
        let begun = self.desk.rebuild().await?;
        // Views that were rebuilt one by one have different numbers.
        let generation = begun.iter().map(|(_, number)| *number).max().unwrap_or(1);
        let least = begun.iter().map(|(_, number)| *number).min().unwrap_or(1);
        crew.tell(format!(
            "All views are being rebuilt as generation {generation}."
        ));
        self.desk.settled(least).await?;
        let after = self.desk.numbers().await?;
        drop(held);
        let differences = before.differences(&after, ("before", "after"));
        Ok(Rebuilt {
            is_same: differences.is_empty(),
            generation,
            rows_before: before.rows(),
            rows_after: after.rows(),
            turnover_cents_before: before.total().1,
            turnover_cents_after: after.total().1,
            differences: differences.into_iter().take(SHOWN).collect(),
            milliseconds: milliseconds(began),
        })
    }
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
