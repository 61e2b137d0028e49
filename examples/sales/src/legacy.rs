//! The legacy system: products and regions in PostgreSQL, and what SQL makes of the orders.

use crate::fault::Fault;
use crate::model::Order;
use crate::numbers::{BestOrder, DailyRow, Numbers, ProductRow, RegionRow};
use keyfold::typed::Timestamp;
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::{Client, Config, NoTls, Row};

/// The tables of the first day.
const SCHEMA: &str = "
CREATE TABLE products (
    id text PRIMARY KEY, name text NOT NULL, category text NOT NULL, price numeric(12, 2) NOT NULL
);
CREATE TABLE regions (id text PRIMARY KEY, name text NOT NULL, manager text NOT NULL);
INSERT INTO products VALUES
    ('kettle', 'Kettle', 'Kitchen', 39.90), ('teapot', 'Teapot', 'Kitchen', 24.50),
    ('grinder', 'Coffee grinder', 'Kitchen', 89.00), ('pan', 'Iron pan', 'Kitchen', 54.00),
    ('lamp', 'Desk lamp', 'Living', 64.90), ('chair', 'Folding chair', 'Living', 49.00),
    ('shelf', 'Wall shelf', 'Living', 119.00), ('rug', 'Wool rug', 'Living', 239.00),
    ('tent', 'Tent for two', 'Outdoors', 199.00), ('stove', 'Camping stove', 'Outdoors', 44.90),
    ('bottle', 'Steel bottle', 'Outdoors', 19.90), ('map', 'Hiking map', 'Outdoors', 12.50);
INSERT INTO regions VALUES
    ('north', 'North', 'Ada Berg'), ('east', 'East', 'Bao Lund'),
    ('south', 'South', 'Carla Diaz'), ('west', 'West', 'Dana Okafor');
";

const PRODUCTS: &str = "
SELECT id::text, name::text, category::text, (price * 100)::bigint FROM products ORDER BY 1";
const REGIONS: &str = "SELECT id::text, name::text, manager::text FROM regions ORDER BY 1";
const RENAME: &str = "UPDATE products SET name = $2 WHERE id::text = $1";

/// The orders that were sold, for the questions below. The connection has them to itself.
const SOLD: &str = "
CREATE TEMPORARY TABLE sold (
    id text COLLATE \"C\", customer text, product text, region text, quantity bigint, cents bigint,
    epoch_ms bigint, at timestamp GENERATED ALWAYS AS
        (to_timestamp(epoch_ms / 1000) AT TIME ZONE 'UTC') STORED
)";
const SELL: &str = "
INSERT INTO sold SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[])";
const DAILY: &str = "
SELECT to_char(s.at, 'YYYY-MM-DD'), s.product, p.name::text, p.category::text, count(*),
    sum(s.quantity)::bigint, sum(s.cents)::bigint, round(avg(s.cents))::bigint,
    count(DISTINCT s.customer), max(s.epoch_ms),
    (array_agg(s.id ORDER BY s.cents DESC, s.id))[1:3],
    (array_agg(s.customer ORDER BY s.cents DESC, s.id))[1:3],
    (array_agg(s.cents ORDER BY s.cents DESC, s.id))[1:3]
FROM sold s LEFT JOIN products p ON p.id::text = s.product GROUP BY 1, 2, 3, 4";
const REGIONAL: &str = "
SELECT to_char(s.at, 'YYYY-MM'), s.region, r.name::text, r.manager::text, count(*),
    sum(s.cents)::bigint, round(avg(s.cents))::bigint, count(DISTINCT s.customer)
FROM sold s LEFT JOIN regions r ON r.id::text = s.region GROUP BY 1, 2, 3, 4";
const PER_PRODUCT: &str = "
SELECT to_char(s.at, 'YYYY-MM'), s.region, s.product, r.name::text, p.name::text, count(*),
    sum(s.quantity)::bigint, sum(s.cents)::bigint
FROM sold s LEFT JOIN regions r ON r.id::text = s.region
    LEFT JOIN products p ON p.id::text = s.product
GROUP BY 1, 2, 3, 4, 5";
/// The time that an answer may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
const CLOSED_WITHIN: Duration = Duration::from_secs(1);
/// The orders of one statement.
const TOGETHER: usize = 10_000;

/// A product of the legacy system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Product {
    /// Its identifier.
    pub product_id: String,
    /// Its name.
    pub name: String,
    /// Its category.
    pub category: String,
    /// Its price.
    pub price_cents: i64,
}

/// A region of the legacy system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    /// Its identifier.
    pub region_id: String,
    /// Its name.
    pub name: String,
    /// Who answers for it.
    pub manager: String,
}

/// The legacy system. A connection that is lost is made again by the next question.
#[derive(Debug, Clone)]
pub struct Legacy {
    config: Config,
    held: Arc<Mutex<Option<Held>>>,
}

/// A connection, and the task that drives it.
#[derive(Debug)]
struct Held {
    client: Arc<Client>,
    driven: JoinHandle<()>,
}

impl Legacy {
    /// The system at a connection text of PostgreSQL. It must answer.
    ///
    /// # Errors
    /// `Legacy` when it does not.
    pub async fn open(connection: &str) -> Result<Legacy, Fault> {
        let legacy = Legacy {
            config: connection.parse()?,
            held: Arc::default(),
        };
        in_time(legacy.client()).await?;
        Ok(legacy)
    }

    async fn connect(&self) -> Result<Held, Fault> {
        let (client, connection) = self.config.connect(NoTls).await?;
        let driven = tokio::spawn(async move {
            if let Err(error) = connection.await {
                // The next question has an error, too.
                let line = format!("a connection is lost: {}", Fault::from(error));
                writeln!(std::io::stderr(), "{line}").unwrap_or_default();
            }
        });
        let client = Arc::new(client);
        Ok(Held { client, driven })
    }

    async fn client(&self) -> Result<Arc<Client>, Fault> {
        let mut held = self.held.lock().await;
        if let Some(held) = held.as_ref().filter(|held| !held.client.is_closed()) {
            return Ok(Arc::clone(&held.client));
        }
        let new = self.connect().await?;
        let client = Arc::clone(&new.client);
        *held = Some(new);
        Ok(client)
    }

    /// Ends its connection, and waits for that.
    pub async fn close(&self) {
        let Some(held) = self.held.lock().await.take() else {
            return;
        };
        drop(held.client);
        // A question under way still has the connection, and ends with it.
        drop(timeout(CLOSED_WITHIN, held.driven).await);
    }

    async fn asked(&self, question: &str) -> Result<Vec<Row>, Fault> {
        let rows = async { Ok(self.client().await?.query(question, &[]).await?) };
        in_time(rows).await
    }

    /// Makes the tables of the first day in an empty database.
    ///
    /// # Errors
    /// `Legacy` when they cannot be made.
    pub async fn found(&self) -> Result<(), Fault> {
        Ok(self.client().await?.batch_execute(SCHEMA).await?)
    }

    /// All products.
    ///
    /// # Errors
    /// `Legacy` when they cannot be read.
    pub async fn products(&self) -> Result<Vec<Product>, Fault> {
        let product = |row: &Row| {
            Ok(Product {
                product_id: row.try_get(0)?,
                name: row.try_get(1)?,
                category: row.try_get(2)?,
                price_cents: row.try_get(3)?,
            })
        };
        let rows = self.asked(PRODUCTS).await?;
        rows.iter().map(product).collect()
    }

    /// All regions.
    ///
    /// # Errors
    /// `Legacy` when they cannot be read.
    pub async fn regions(&self) -> Result<Vec<Region>, Fault> {
        let region = |row: &Row| {
            Ok(Region {
                region_id: row.try_get(0)?,
                name: row.try_get(1)?,
                manager: row.try_get(2)?,
            })
        };
        let rows = self.asked(REGIONS).await?;
        rows.iter().map(region).collect()
    }

    /// Renames a product, and returns whether there is one.
    ///
    /// # Errors
    /// `Legacy` when it cannot be written.
    pub async fn rename(&self, product: &str, name: &str) -> Result<bool, Fault> {
        let renamed = async {
            let client = self.client().await?;
            Ok(client.execute(RENAME, &[&product, &name]).await? > 0)
        };
        in_time(renamed).await
    }

    /// What SQL makes of orders: the rows that the views must have. The orders are in a temporary table
    /// of a connection of its own.
    ///
    /// # Errors
    /// `Legacy` when the questions cannot be answered.
    pub async fn recomputed(&self, sold: &[Order]) -> Result<Numbers, Fault> {
        in_time(self.grouped(sold)).await
    }

    async fn grouped(&self, sold: &[Order]) -> Result<Numbers, Fault> {
        let client = self.connect().await?.client;
        client.batch_execute(SOLD).await?;
        for some in sold.chunks(TOGETHER) {
            let texts = |of: fn(&Order) -> String| some.iter().map(of).collect();
            let numbers = |of: fn(&Order) -> i64| some.iter().map(of).collect();
            let orders: Vec<String> = texts(|one| one.order_id.to_string());
            let customers: Vec<String> = texts(|one| one.customer_id.clone());
            let products: Vec<String> = texts(|one| one.product_id.to_string());
            let regions: Vec<String> = texts(|one| one.region_id.to_string());
            let quantities: Vec<i64> = numbers(|one| one.quantity);
            let cents: Vec<i64> = numbers(|one| one.total_cents);
            let times: Vec<i64> = numbers(|one| one.created_at.as_millisecond());
            let columns: [&(dyn tokio_postgres::types::ToSql + Sync); 7] = [
                &orders,
                &customers,
                &products,
                &regions,
                &quantities,
                &cents,
                &times,
            ];
            client.execute(SELL, &columns).await?;
        }
        let daily = client.query(DAILY, &[]).await?;
        let regions = client.query(REGIONAL, &[]).await?;
        let products = client.query(PER_PRODUCT, &[]).await?;
        Ok(Numbers {
            daily: daily.iter().map(daily_row).collect::<Result<_, _>>()?,
            regions: regions.iter().map(region_row).collect::<Result<_, _>>()?,
            products: products.iter().map(product_row).collect::<Result<_, _>>()?,
        })
    }
}

async fn in_time<T>(answer: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let late = |_| Err(Fault::Legacy("it does not answer in time".to_owned()));
    timeout(ANSWER_WITHIN, answer).await.unwrap_or_else(late)
}

fn daily_row(row: &Row) -> Result<DailyRow, Fault> {
    let at: i64 = row.try_get(9)?;
    let last = Timestamp::from_millisecond(at);
    let orders: Vec<String> = row.try_get(10)?;
    let customers: Vec<String> = row.try_get(11)?;
    let cents: Vec<i64> = row.try_get(12)?;
    let best = orders.into_iter().zip(customers).zip(cents);
    let best = best.map(|((order_id, customer_id), total_cents)| BestOrder {
        order_id,
        customer_id,
        total_cents,
    });
    Ok(DailyRow {
        day: row.try_get(0)?,
        product_id: row.try_get(1)?,
        product: row.try_get(2)?,
        category: row.try_get(3)?,
        orders: row.try_get(4)?,
        sold: row.try_get(5)?,
        turnover_cents: row.try_get(6)?,
        mean_cents: row.try_get(7)?,
        buyers: row.try_get(8)?,
        last: last.map(|at| at.to_string()).ok(),
        best: best.collect(),
    })
}

fn region_row(row: &Row) -> Result<RegionRow, Fault> {
    Ok(RegionRow {
        month: row.try_get(0)?,
        region_id: row.try_get(1)?,
        region: row.try_get(2)?,
        manager: row.try_get(3)?,
        orders: row.try_get(4)?,
        turnover_cents: row.try_get(5)?,
        mean_cents: row.try_get(6)?,
        buyers: row.try_get(7)?,
    })
}

fn product_row(row: &Row) -> Result<ProductRow, Fault> {
    Ok(ProductRow {
        month: row.try_get(0)?,
        region_id: row.try_get(1)?,
        product_id: row.try_get(2)?,
        region: row.try_get(3)?,
        product: row.try_get(4)?,
        orders: row.try_get(5)?,
        sold: row.try_get(6)?,
        turnover_cents: row.try_get(7)?,
    })
}
