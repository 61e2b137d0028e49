//! The sales: orders that are placed, mostly paid, and sometimes taken back, at a rate that somebody
//! wants.

use crate::desk::{Desk, Sale};
use crate::importer::{Catalogue, Importer};
use keyfold::typed::Error;
use serde::Serialize;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

/// The orders a second that can be wanted.
pub(crate) const ORDERS_MAX: u32 = 200;
/// The tasks that sell at the same time.
const SELLERS: u32 = 6;
/// The customers.
const CUSTOMERS: u32 = 400;
/// The pause behind an order that failed.
const FAILED: Duration = Duration::from_secs(1);

/// The sales since the start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sold {
    /// The orders a second that are wanted.
    pub(crate) wanted: u32,
    /// Orders that were placed.
    pub(crate) placed: u64,
    /// Those that were paid.
    pub(crate) paid: u64,
    /// Those that were taken back.
    pub(crate) returned: u64,
    /// Orders that failed.
    pub(crate) failed: u64,
    /// Why the last of them failed.
    pub(crate) problem: Option<String>,
}

#[derive(Debug, Default)]
struct Counts {
    placed: AtomicU64,
    paid: AtomicU64,
    returned: AtomicU64,
    failed: AtomicU64,
    problem: Mutex<Option<String>>,
}

/// The sales, which go on until the last clone is gone.
#[derive(Debug, Clone)]
pub struct Seller {
    wanted: Arc<watch::Sender<u32>>,
    counts: Arc<Counts>,
    tasks: Arc<Vec<AbortHandle>>,
}

impl Seller {
    /// Starts the sellers, with so many orders a second.
    pub fn start(desk: &Desk, importer: &Importer, orders_a_second: u32) -> Seller {
        let (wanted, rate) = watch::channel(orders_a_second);
        let counts = Arc::new(Counts::default());
        let start = |number| {
            let (desk, importer) = (desk.clone(), importer.clone());
            let counts = Arc::clone(&counts);
            let task = tokio::spawn(sell(desk, importer, rate.clone(), (counts, number)));
            task.abort_handle()
        };
        let tasks = Arc::new((0..SELLERS).map(start).collect());
        Seller {
            wanted: Arc::new(wanted),
            counts,
            tasks,
        }
    }

    /// Ends the sales for all clones.
    pub fn stop(&self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }

    /// Sells so often from now on; 0 stops it.
    pub fn want(&self, orders_a_second: u32) {
        self.wanted.send_replace(orders_a_second);
    }

    /// The sales since the start.
    pub(crate) fn sold(&self) -> Sold {
        let number = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let problem = self.counts.problem.lock();
        Sold {
            wanted: *self.wanted.borrow(),
            placed: number(&self.counts.placed),
            paid: number(&self.counts.paid),
            returned: number(&self.counts.returned),
            failed: number(&self.counts.failed),
            problem: problem.unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}

/// A sale by chance: the first products and customers are more likely.
pub(crate) fn drawn(catalogue: &Catalogue, random: &mut fastrand::Rng) -> Option<Sale> {
    let often = |random: &mut fastrand::Rng, number: usize| {
        (0..2).map(|_| random.usize(..number.max(1))).min()
    };
    let product = often(random, catalogue.products.len()).unwrap_or_default();
    let product = catalogue.products.get(product)?;
    let region = catalogue
        .regions
        .get(random.usize(..catalogue.regions.len().max(1)))?;
    let customer = often(random, CUSTOMERS as usize).unwrap_or_default();
    Some(Sale {
        customer_id: format!("c{customer:03}"),
        product_id: product.product_id.clone(),
        region_id: region.region_id.clone(),
        quantity: random.i64(1..=4),
        price_cents: product.price_cents,
    })
}

async fn sell(
    desk: Desk,
    importer: Importer,
    mut rate: watch::Receiver<u32>,
    (counts, number): (Arc<Counts>, u32),
) {
    let mut random = fastrand::Rng::with_seed(u64::from(number));
    loop {
        let wanted = *rate.borrow_and_update();
        let pause = match wanted {
            0 => Duration::MAX,
            wanted => Duration::from_secs(u64::from(SELLERS)) / wanted,
        };
        let pause = pause
            .checked_mul(2)
            .map_or(pause, |twice| twice.mul_f64(random.f64()));
        match timeout(pause, rate.changed()).await {
            Err(_) => {}
            // Another rate ends the pause, so that it counts at once.
            Ok(Ok(())) => continue,
            Ok(Err(_)) => return,
        }
        let Some(sale) = drawn(&importer.catalogue(), &mut random) else {
            continue;
        };
        if let Err(error) = sold(&desk, &sale, &counts, random.u32(..100)).await {
            counts.failed.fetch_add(1, Ordering::Relaxed);
            // Where there is no log, nobody can be asked for it.
            writeln!(std::io::stderr(), "an order failed: {error}").unwrap_or_default();
            let text = Some(error.to_string());
            *counts
                .problem
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = text;
            sleep(FAILED).await;
        }
    }
}

/// An order and what becomes of it, by a number below 100. Nothing is written while the sales rest.
async fn sold(desk: &Desk, sale: &Sale, counts: &Counts, fate: u32) -> Result<(), Error> {
    let held = desk.rest().read().await;
    let order = desk.place(sale).await?;
    counts.placed.fetch_add(1, Ordering::Relaxed);
    if fate < 90 {
        desk.pay(&order).await?;
        counts.paid.fetch_add(1, Ordering::Relaxed);
    }
    if fate < 8 {
        desk.take_back(&order).await?;
        counts.returned.fetch_add(1, Ordering::Relaxed);
    }
    drop(held);
    Ok(())
}
