//! A batch is handled: tried, tried again, divided, and a record that always fails is set aside.

use crate::commit::{Committed, commit};
use crate::crew::{Crew, Held};
use crate::failures;
use crate::handler::{Effects, Failure, Handler, Record};
use crate::lease::Lease;
use crate::lease_table::Changed;
use crate::position::Position;
use crate::report::Report;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

/// The longest pause between two tries.
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// The renewals in a row that may meet a transaction before this is reported.
const MEETINGS: u32 = 3;

/// Why a batch was not handled to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// Another worker has the lease.
    Lost,
    /// The worker stops.
    Stopping,
}

/// Handles records, and moves the lease behind them.
///
/// # Errors
/// When the worker loses the lease, or stops.
pub(crate) async fn handle(
    crew: &Crew,
    held: &Arc<Held>,
    lease: &mut Lease,
    records: &[Record],
) -> Result<(), Broken> {
    let mut parts = vec![records];
    let mut tries = 0;
    while let Some(part) = parts.pop() {
        let part = unhandled(part, &lease.position);
        let Some(last) = part.last() else { continue };
        ensure_held(crew, held).await?;
        let to = Position::After(last.number().to_owned());
        let outcome = match effects(crew, part) {
            Ok(effects) => commit(crew, held, lease, &to, effects).await,
            Err(Failure::Again(why)) => Committed::Again(why),
            Err(Failure::Records(why)) => Committed::Refused(why),
        };
        let why = match outcome {
            Committed::Yes => {
                lease.position = to;
                tries = 0;
                report_handled(crew, lease, part);
                continue;
            }
            Committed::Moved(to) => {
                lease.position = to;
                parts.push(part);
                continue;
            }
            Committed::Lost => return Err(Broken::Lost),
            Committed::Again(why) => {
                failed(crew, lease, part, why);
                again(crew, tries).await?;
                tries += 1;
                parts.push(part);
                continue;
            }
            Committed::TooMany(_) if part.len() > 1 => {
                divide(&mut parts, part);
                continue;
            }
            Committed::TooMany(actions) => format!(
                "one record has {actions} actions, and a transaction takes {} beside the position",
                crate::handler::ACTIONS_MAX
            ),
            Committed::Refused(why) => why,
        };
        failed(crew, lease, part, why.clone());
        // A part is tried again only when it cannot be divided, or is the batch as it was read.
        let may_repeat = part.len() == 1 || parts.is_empty() && part.len() == records.len();
        if may_repeat && tries < crew.options.retries {
            again(crew, tries).await?;
            tries += 1;
            parts.push(part);
        } else if part.len() > 1 {
            tries = 0;
            divide(&mut parts, part);
        } else if let Some(record) = part.first() {
            set_aside(crew, held, lease, record, &why).await?;
            tries = 0;
        }
    }
    Ok(())
}

/// Makes sure that no other worker may take the lease while the records are handled. A worker that was
/// stopped for a while asks before it goes on.
async fn ensure_held(crew: &Crew, held: &Arc<Held>) -> Result<(), Broken> {
    let mut tries = 0;
    while !crew.has(held) {
        let at = crew.world.now();
        match crew.leases.renew(&*crew.world, &held.lease).await {
            _ if held.is_lost() => return Err(Broken::Lost),
            Ok(Changed::Yes) => held.renewed(at),
            Ok(Changed::No) => return Err(Broken::Lost),
            Err(error) => {
                // A transaction about the item is over in a moment.
                if !error.is_conflict() || tries >= MEETINGS {
                    crew.report(Report::Trouble(format!(
                        "the lease is not renewed: {error}"
                    )));
                }
                again(crew, tries).await?;
                tries += 1;
            }
        }
    }
    Ok(())
}

/// The records behind a position: those before it were handled by a request whose answer was lost.
fn unhandled<'r>(records: &'r [Record], position: &Position) -> &'r [Record] {
    let handled = records.partition_point(|record| position.is_behind(record.number()));
    records.get(handled..).unwrap_or_default()
}

fn divide<'r>(parts: &mut Vec<&'r [Record]>, part: &'r [Record]) {
    let (first, second) = part.split_at(part.len() / 2);
    parts.push(second);
    parts.push(first);
}

/// The effects of records, which several threads find out for parts of them.
fn effects(crew: &Crew, records: &[Record]) -> Result<Effects, Failure> {
    let handler = &*crew.handler;
    if crew.options.lanes < 2 || records.len() < 2 {
        return guarded(handler, records);
    }
    let lanes = lanes(records, crew.options.lanes);
    let found: Vec<Result<Effects, Failure>> = std::thread::scope(|scope| {
        let started: Vec<_> = lanes
            .iter()
            .map(|lane| scope.spawn(|| guarded(handler, lane)))
            .collect();
        let of = |one: std::thread::ScopedJoinHandle<'_, _>| {
            one.join()
                .unwrap_or_else(|_| Err(Failure::of("the handler's thread ended")))
        };
        started.into_iter().map(of).collect()
    });
    let mut all = Effects::none();
    for effects in found {
        all = all.and(effects?).map_err(Failure::Records)?;
    }
    Ok(all)
}

/// The records of each lane: all those of an item are in one, in order.
fn lanes(records: &[Record], count: usize) -> Vec<Vec<Record>> {
    let mut lanes = vec![Vec::new(); count];
    for record in records {
        let keys = record.dynamodb.as_ref().and_then(|one| one.keys.as_ref());
        let hash = match keys {
            Some(Ok(keys)) => xxh3_64(keyfold_codec::RawItem::encode(keys).bytes()),
            Some(Err(_)) | None => 0,
        };
        let at = usize::try_from(hash % count as u64).unwrap_or_default();
        if let Some(lane) = lanes.get_mut(at) {
            lane.push(record.clone());
        }
    }
    lanes.retain(|lane| !lane.is_empty());
    lanes
}

/// Calls the handler. A panic is a failure of the records: the worker goes on.
fn guarded(handler: &dyn Handler, records: &[Record]) -> Result<Effects, Failure> {
    match catch_unwind(AssertUnwindSafe(|| handler.handle(records))) {
        Ok(result) => result,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let text = text.unwrap_or("no message");
            Err(Failure::of(format!("the handler panicked: {text}")))
        }
    }
}

/// Stores a record in the table of failures, and moves the lease behind it.
async fn set_aside(
    crew: &Crew,
    held: &Arc<Held>,
    lease: &mut Lease,
    record: &Record,
    why: &str,
) -> Result<(), Broken> {
    let to = Position::After(record.number().to_owned());
    let mut tries = 0;
    loop {
        let stored = failures::actions(crew, lease, record, why);
        let effects = crew.handler.set_aside(record, stored);
        let trouble = match commit(crew, held, lease, &to, effects).await {
            Committed::Yes => break,
            Committed::Moved(to) if to.is_behind(record.number()) => {
                lease.position = to;
                return Ok(());
            }
            Committed::Moved(to) => {
                lease.position = to;
                continue;
            }
            Committed::Lost => return Err(Broken::Lost),
            Committed::Again(trouble) | Committed::Refused(trouble) => trouble,
            Committed::TooMany(_) => "the record is larger than a transaction".to_owned(),
        };
        let table = &crew.options.failures;
        let trouble = format!("a record cannot be set aside in {table}: {trouble}");
        crew.report(Report::Trouble(trouble));
        again(crew, tries).await?;
        tries += 1;
    }
    lease.position = to;
    crew.report(Report::SetAside {
        shard: lease.key.clone(),
        number: record.number().to_owned(),
        why: why.to_owned(),
    });
    Ok(())
}

/// Waits before the next try.
///
/// # Errors
/// When the worker stops.
async fn again(crew: &Crew, tries: u32) -> Result<(), Broken> {
    let pause = crew.options.retry_pause * 2_u32.saturating_pow(tries.min(16));
    crew.world.pause(pause.min(PAUSE_MAX)).await;
    match crew.is_stopping() {
        true => Err(Broken::Stopping),
        false => Ok(()),
    }
}

fn failed(crew: &Crew, lease: &Lease, part: &[Record], why: String) {
    crew.report(Report::Failed {
        shard: lease.key.clone(),
        records: part.len(),
        why,
    });
}

fn report_handled(crew: &Crew, lease: &Lease, part: &[Record]) {
    let now = u64::try_from(crew.world.epoch_ms()).unwrap_or_default();
    let written = part.last().and_then(Record::epoch_ms).unwrap_or(now);
    crew.report(Report::Handled {
        shard: lease.key.clone(),
        records: part.len(),
        lag: Duration::from_millis(now.saturating_sub(written)),
    });
}
