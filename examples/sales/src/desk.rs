//! What is done with both tables: orders are written to table A, views are read from table B (N5).

use crate::fault::Fault;
use crate::model::{
    AsyncSalesClient, Order, OrderId, PlaceArguments, ProductId, RegionId, SalesClient,
};
use crate::numbers::{DailyRow, Numbers, ProductRow, RegionRow, beginning};
use crate::storage::Storage;
use crate::upkeep::options;
use keyfold::typed::{Error, Timestamp};
use keyfold::views::{ViewStatus, Views};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::RwLock;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

/// The time in which views are up to date when nothing is written.
const SETTLED_WITHIN: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(300);

/// An order that is to be placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sale {
    /// Who orders.
    pub customer_id: String,
    /// The product.
    pub product_id: String,
    /// The region.
    pub region_id: String,
    /// The number of pieces.
    pub quantity: i64,
    /// The price of one.
    pub price_cents: i64,
}

/// Both tables. Cloning shares them.
#[derive(Debug, Clone)]
pub struct Desk {
    client: AsyncSalesClient,
    views: Arc<Views>,
    /// Held to write: then nothing else of this program writes to table A.
    rest: Arc<RwLock<()>>,
}

impl Desk {
    /// Opens the tables of a storage, and makes them where there are none.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn open(storage: &Storage) -> Result<Desk, Error> {
        let database = storage.database().clone();
        let client = AsyncSalesClient::new(&database.clone().into()).await?;
        let views = blocking(move || {
            let model = SalesClient::new(&database)?;
            Ok(database.views(model.database()).with(options()))
        });
        Ok(Desk {
            client,
            views: Arc::new(views.await?),
            rest: Arc::default(),
        })
    }

    pub(crate) fn client(&self) -> &AsyncSalesClient {
        &self.client
    }

    /// What writers of this program hold while they write, and what holds them off.
    pub(crate) fn rest(&self) -> &RwLock<()> {
        &self.rest
    }

    /// Places an order.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn place(&self, sale: &Sale) -> Result<OrderId, Error> {
        let order = PlaceArguments::new(
            sale.customer_id.clone(),
            sale.quantity,
            sale.quantity * sale.price_cents,
            ProductId::from(sale.product_id.as_str()),
            RegionId::from(sale.region_id.as_str()),
        );
        Ok(self.client.place(&order).await?.made.order_id)
    }

    /// Pays an order, from then on it is in the views.
    ///
    /// # Errors
    /// `Refused` when it is not pending; those of the database.
    pub async fn pay(&self, order: &OrderId) -> Result<(), Error> {
        self.client.pay(order).await.map(drop)
    }

    /// Takes back an order, from then on it is in no view.
    ///
    /// # Errors
    /// `Refused` when it is not paid; those of the database.
    pub async fn take_back(&self, order: &OrderId) -> Result<(), Error> {
        self.client.take_back(order).await.map(drop)
    }

    /// An order, if there is one.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn order(&self, order: &OrderId) -> Result<Option<Order>, Error> {
        self.client.order(order).await
    }

    /// N5: the sales of each product on a day, as `2026-11-24`.
    ///
    /// # Errors
    /// `Invalid` when it is no day; those of the database.
    pub async fn sales_of_day(&self, day: &str) -> Result<Vec<DailyRow>, Error> {
        let rows = self.client.sales_of_day(day).all(usize::MAX).await?;
        Ok(rows.into_iter().map(DailyRow::from).collect())
    }

    /// N5: the sales of each region in a month, as `2026-11`.
    ///
    /// # Errors
    /// `Invalid` when it is no month; those of the database.
    pub async fn sales_of_month(&self, month: &str) -> Result<Vec<RegionRow>, Error> {
        let rows = self.client.sales_of_month(month).all(usize::MAX).await?;
        Ok(rows.into_iter().map(RegionRow::from).collect())
    }

    /// N5: the products with the greatest turnover in a region in a month, the greatest first.
    ///
    /// # Errors
    /// `Invalid` when it is no month; those of the database.
    pub async fn top_products(&self, region: &str, month: &str) -> Result<Vec<ProductRow>, Error> {
        let region = RegionId::from(region);
        let page = self.client.top_products(&region, month).page().await?;
        Ok(page.items.into_iter().map(ProductRow::from).collect())
    }

    /// All rows of table B.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn numbers(&self) -> Result<Numbers, Error> {
        let daily = self.client.daily_sales().all(usize::MAX).await?;
        let regions = self.client.region_sales().all(usize::MAX).await?;
        let products = self.client.region_products().all(usize::MAX).await?;
        Ok(Numbers {
            daily: daily.into_iter().map(DailyRow::from).collect(),
            regions: regions.into_iter().map(RegionRow::from).collect(),
            products: products.into_iter().map(ProductRow::from).collect(),
        })
    }

    /// All orders of table A.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn orders(&self) -> Result<Vec<Order>, Error> {
        self.client.orders().all(usize::MAX).await
    }

    /// How far each view is behind.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn status(&self) -> Result<Vec<ViewStatus>, Error> {
        let views = Arc::clone(&self.views);
        blocking(move || views.status()).await
    }

    /// Begins a new generation of all views, which workers build: their names and numbers.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn rebuild(&self) -> Result<Vec<(String, u64)>, Error> {
        let views = Arc::clone(&self.views);
        blocking(move || views.rebuild(None)).await
    }

    /// Waits until no record is left, no generation is built, and each view is in this generation or a
    /// later one.
    ///
    /// # Errors
    /// `Late` when that takes too long, with what is left; those of the database.
    pub async fn settled(&self, generation: u64) -> Result<(), Fault> {
        let until = Instant::now() + SETTLED_WITHIN;
        loop {
            let status = self.status().await?;
            let is_done = |one: &ViewStatus| {
                let is_built = one.next.is_none() && one.live >= Some(generation);
                is_built && one.behind == 0
            };
            if status.iter().all(is_done) {
                return Ok(());
            }
            if Instant::now() > until {
                let left = status.iter().filter(|one| !is_done(one)).map(|one| {
                    let built = one.next.as_ref().map(|next| format!(", {}", next.1));
                    let built = built.unwrap_or_default();
                    format!("{} is {} records behind{built}", one.view, one.behind)
                });
                let left = left.collect::<Vec<_>>().join("; ");
                return Err(Fault::Late(format!(
                    "The views are not up to date: {left}."
                )));
            }
            sleep(LOOK).await;
        }
    }
}

/// The day of this moment, as `2026-11-24`.
pub(crate) fn today() -> String {
    beginning(Timestamp::now(), 10)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = spawn_blocking(work).await;
    done.unwrap_or_else(|why| Err(Error::Unavailable(why.to_string())))
}
