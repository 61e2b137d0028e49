//! The importer: products and regions of the legacy system, as entities of table A. It writes what has
//! changed, so that it may run at any time, and again; what views have of them follows.

use crate::desk::Desk;
use crate::fault::Fault;
use crate::legacy::{Legacy, Product, Region};
use crate::model::{NewProduct, NewRegion, ProductKey, RegionKey};
use keyfold::typed::Error;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::sleep;

/// The time between two imports.
const PAUSE: Duration = Duration::from_secs(3);
/// A put that met a transaction of a worker is sent again so often, after such pauses.
const ATTEMPTS: u32 = 50;
const ATTEMPT_PAUSE: Duration = Duration::from_millis(20);

/// What an import has written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// Products and regions that were new or had changed.
    pub written: u32,
    /// Those that the legacy system does not have any more.
    pub deleted: u32,
}

/// The products and regions of the last import, and why there was none since.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// All products.
    pub products: Vec<Product>,
    /// All regions.
    pub regions: Vec<Region>,
    /// Why the last import failed.
    pub problem: Option<String>,
}

/// Imports now and then, as long as the program runs.
#[derive(Debug, Clone)]
pub struct Importer {
    catalogue: watch::Receiver<Catalogue>,
    task: AbortHandle,
}

impl Importer {
    /// Imports once, and then every three seconds.
    ///
    /// # Errors
    /// Those of the first import.
    pub async fn start(desk: &Desk, legacy: &Legacy) -> Result<Importer, Fault> {
        let (first, _) = run(desk, legacy).await?;
        let (sender, catalogue) = watch::channel(first);
        let task = tokio::spawn(follow(desk.clone(), legacy.clone(), sender));
        Ok(Importer {
            catalogue,
            task: task.abort_handle(),
        })
    }

    /// Ends the imports for all clones.
    pub fn stop(&self) {
        self.task.abort();
    }

    /// The products and regions of the last import.
    pub fn catalogue(&self) -> Catalogue {
        self.catalogue.borrow().clone()
    }
}

async fn follow(desk: Desk, legacy: Legacy, catalogue: watch::Sender<Catalogue>) {
    loop {
        sleep(PAUSE).await;
        let held = desk.rest().read().await;
        let imported = run(&desk, &legacy).await;
        drop(held);
        match imported {
            Ok((now, _)) => drop(catalogue.send_replace(now)),
            Err(fault) => {
                let why = fault.to_string();
                let before = catalogue.borrow().problem.clone();
                if before.as_ref() != Some(&why) {
                    // Where there is no log, nobody can be asked for it.
                    writeln!(std::io::stderr(), "the import failed: {why}").unwrap_or_default();
                }
                catalogue.send_modify(|now| now.problem = Some(why));
            }
        }
    }
}

/// Writes to table A what the legacy system has and the table has not, and deletes what it has not any
/// more.
///
/// # Errors
/// Those of both.
pub async fn import(desk: &Desk, legacy: &Legacy) -> Result<Imported, Fault> {
    Ok(run(desk, legacy).await?.1)
}

async fn run(desk: &Desk, legacy: &Legacy) -> Result<(Catalogue, Imported), Fault> {
    let catalogue = Catalogue {
        products: legacy.products().await?,
        regions: legacy.regions().await?,
        problem: None,
    };
    let mut imported = Imported::default();
    products(desk, &catalogue.products, &mut imported).await?;
    regions(desk, &catalogue.regions, &mut imported).await?;
    Ok((catalogue, imported))
}

async fn products(desk: &Desk, all: &[Product], imported: &mut Imported) -> Result<(), Error> {
    let stored = desk.client().products().all(usize::MAX).await?;
    let stored = stored.into_iter().map(|one| (one.product_id.clone(), one));
    let mut stored: BTreeMap<_, _> = stored.collect();
    for product in all {
        let new = NewProduct {
            product_id: product.product_id.as_str().into(),
            name: product.name.clone(),
            category: product.category.clone(),
            price_cents: product.price_cents,
        };
        let before = stored.remove(&new.product_id);
        if before.map(NewProduct::from).as_ref() == Some(&new) {
            continue;
        }
        sent(|| desk.client().product.put(&new)).await?;
        imported.written += 1;
    }
    for product_id in stored.into_keys() {
        let key = ProductKey { product_id };
        sent(|| desk.client().product.delete(&key)).await?;
        imported.deleted += 1;
    }
    Ok(())
}

async fn regions(desk: &Desk, all: &[Region], imported: &mut Imported) -> Result<(), Error> {
    let stored = desk.client().regions().all(usize::MAX).await?;
    let stored = stored.into_iter().map(|one| (one.region_id.clone(), one));
    let mut stored: BTreeMap<_, _> = stored.collect();
    for region in all {
        let new = NewRegion {
            region_id: region.region_id.as_str().into(),
            name: region.name.clone(),
            manager: region.manager.clone(),
        };
        let before = stored.remove(&new.region_id);
        if before.map(NewRegion::from).as_ref() == Some(&new) {
            continue;
        }
        sent(|| desk.client().region.put(&new)).await?;
        imported.written += 1;
    }
    for region_id in stored.into_keys() {
        let key = RegionKey { region_id };
        sent(|| desk.client().region.delete(&key)).await?;
        imported.deleted += 1;
    }
    Ok(())
}

/// Sends a write until it meets no transaction: a worker that makes a row with a product holds the
/// product at that moment, and then DynamoDB refuses the write.
async fn sent<T, F>(write: impl Fn() -> F) -> Result<(), Error>
where
    F: Future<Output = Result<T, Error>>,
{
    for _ in 1..ATTEMPTS {
        match write().await {
            Err(Error::Service { exception, .. })
                if exception == "TransactionConflictException" =>
            {
                sleep(ATTEMPT_PAUSE).await;
            }
            other => return other.map(drop),
        }
    }
    write().await.map(drop)
}
