//! Many dispatchers at once, each with an item of their own, and one container.

use crate::model::{ContainerId, ItemId};
use crate::quay::{Freight, Refusal};
use keyfold::typed::Error;
use serde::Serialize;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// The dispatchers of a rush at the most.
pub const DISPATCHERS_MAX: u32 = 256;
/// The first pause before an assignment is sent again; it doubles up to the longest.
const PAUSE: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// What became of a rush.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rush {
    /// How many dispatchers there were.
    pub dispatchers: u32,
    /// Whose item is in the container.
    pub loaded: u32,
    /// Who found no place.
    pub refused: u32,
    /// Assignments that were sent again, since others changed the container at that moment.
    pub repeated: u32,
    /// The places that the container has left.
    pub free: i64,
    /// Whether the container and the items say the same, and it holds no more than it had places for.
    pub is_right: bool,
    /// How long it took.
    pub milliseconds: u64,
}

/// Lets dispatchers assign an item each to a container, all at the same moment. `name` begins the
/// identifiers of their items, which are new. Returns none where there is no such container.
///
/// # Errors
/// Those of the database.
pub async fn rush(
    freight: &Freight,
    container: &ContainerId,
    (dispatchers, name): (u32, &str),
) -> Result<Option<Rush>, Error> {
    if freight.container(container).await?.is_none() {
        return Ok(None);
    }
    let items: Vec<ItemId> = (1..=dispatchers)
        .map(|number| ItemId::from(format!("{name}-{number:03}")))
        .collect();
    for item in &items {
        freight.add_item(item, "a crate in a hurry").await?;
    }
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for item in items {
        let (freight, container) = (freight.clone(), container.clone());
        tasks.spawn(async move { assigned(&freight, &item, &container).await });
    }
    let (mut loaded, mut refused, mut repeated) = (0, 0, 0);
    while let Some(task) = tasks.join_next().await {
        let task = task.map_err(|why| Error::Unavailable(format!("a dispatcher fell: {why}")));
        let (is_loaded, tries) = task??;
        loaded += u32::from(is_loaded);
        refused += u32::from(!is_loaded);
        repeated += tries - 1;
    }
    let milliseconds = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let after = freight.container(container).await?;
    let free = after.as_ref().map_or(0, |after| after.free);
    // Others may load and unload it meanwhile.
    let is_right = free >= 0 && is_in_step(freight, container).await?;
    Ok(Some(Rush {
        dispatchers,
        loaded,
        refused,
        repeated,
        free,
        is_right,
        milliseconds,
    }))
}

/// Assigns an item, and says whether it found a place, and how often it was sent.
async fn assigned(
    freight: &Freight,
    item: &ItemId,
    container: &ContainerId,
) -> Result<(bool, u32), Error> {
    let (mut tries, mut pause, mut is_open) = (1, PAUSE, false);
    loop {
        match freight.assign(item, container).await {
            Ok(Ok(())) => return Ok((true, tries)),
            Ok(Err(Refusal::NoPlace)) if !is_open => return Ok((false, tries)),
            // An attempt whose answer was lost may have loaded it.
            Ok(Err(Refusal::NoPlace | Refusal::NotFree)) => {
                let stored = freight.item(item).await?;
                let place = stored.and_then(|stored| stored.container_id);
                return Ok((place.as_ref() == Some(container), tries));
            }
            Err(Error::OutcomeUnknown { .. }) => is_open = true,
            Err(error) if is_passing(&error) => {}
            Err(other) => return Err(other),
        }
        tries += 1;
        // Dispatchers who were refused together do not come back together.
        let part = u32::try_from(item.as_str().len() + tries as usize).unwrap_or(1) % 7;
        sleep(pause * (4 + part) / 10).await;
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// Whether nothing was done, and the same assignment may succeed later.
fn is_passing(error: &Error) -> bool {
    if let Error::Service {
        exception, reasons, ..
    } = error
    {
        let mut codes = reasons.iter().map(|reason| reason.code.as_str());
        return exception == "TransactionConflictException"
            || codes.any(|code| code == "TransactionConflict");
    }
    matches!(
        error,
        Error::Throttled { .. } | Error::Unavailable(_) | Error::TimedOut(_) | Error::Overtaken(_)
    )
}

/// Whether the items of a container are those that say so.
async fn is_in_step(freight: &Freight, container: &ContainerId) -> Result<bool, Error> {
    let stored = freight.container(container).await?;
    let shipments = stored
        .and_then(|stored| stored.shipments)
        .unwrap_or_default();
    Ok(freight.items_in(container).await? == shipments)
}
