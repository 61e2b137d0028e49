//! The orders of a month, which a first start finds.

use crate::desk::Desk;
use crate::importer::Importer;
use crate::model::{NewOrder, OrderStatus};
use crate::seller::drawn;
use keyfold::jiff::SignedDuration;
use keyfold::typed::{Error, Precision, now};

/// The orders of the first day, and how far they go back.
const PAST_ORDERS: usize = 60;
const PAST_DAYS: i64 = 30;

/// Writes paid orders of the last month, where there is no order yet.
///
/// # Errors
/// Those of the database.
pub async fn seed(desk: &Desk, importer: &Importer) -> Result<(), Error> {
    if desk.client().orders().first().await?.is_some() {
        return Ok(());
    }
    let mut random = fastrand::Rng::with_seed(5);
    let (catalogue, end) = (importer.catalogue(), now(Precision::Millis));
    let mut past = || {
        let sale = drawn(&catalogue, &mut random)?;
        let seconds = random.i64(0..PAST_DAYS * 24 * 3600);
        let total = sale.quantity * sale.price_cents;
        let (product, region) = (sale.product_id.into(), sale.region_id.into());
        let order = NewOrder::new(sale.customer_id, product, region, sale.quantity, total);
        Some(NewOrder {
            status: Some(OrderStatus::Paid),
            created_at: Some(end - SignedDuration::from_secs(seconds)),
            ..order
        })
    };
    let orders: Vec<NewOrder> = (0..PAST_ORDERS).filter_map(|_| past()).collect();
    desk.client().order.put_many(&orders).await.map(drop)
}
