//! The beginning of a generation: its number, and where its consumers begin.

use super::belongs;
use super::definition::Definition;
use super::state::{Generation, Phase, State};
use super::switch::Switch;
use super::tips::is_listed;
use crate::latest;
use crate::lease::{Began, Beginning, Lease, Row, ShardKey};
use crate::lease_table::LeaseTable;
use crate::position::Position;
use crate::records::iterator;
use crate::start::Start;
use crate::streams::is_before;
use crate::topology::stream_of;
use crate::world::{Io, World};
use keyfold_api::ErrorKind;
use keyfold_lower::ClientError;

/// Begins a generation of a view. Returns its number; `None` when the state was not the one that was read
/// any more, or another generation takes its place: that is ended first, so that readers never keep a
/// mixture of two.
///
/// Its consumers begin where those of the live one are: the scan shows what was before. Where there are
/// none, or the live one is lost, they begin with the records that are written from now on, and the number is
/// one that no stored row has.
///
/// # Errors
/// The backend's.
pub(crate) async fn begin(
    world: &dyn World,
    definition: &Definition,
    leases: &str,
    mut state: State,
) -> Result<Option<u64>, ClientError> {
    if let Some((_, Phase::Switch)) = &state.next {
        let switch = Switch {
            world,
            view: &definition.name,
            leases,
            worker: &format!("{:016x}", world.random()),
        };
        switch.end(state).await?;
        return Ok(None);
    }
    let name = &definition.name;
    let mut generation = Generation {
        number: 0,
        print: definition.print.clone(),
        table: definition.table().name.clone(),
        streams: definition.streams(),
        has_items: true,
        has_aside: false,
        began: world.epoch_ms(),
        since: 0,
        place: belongs::place(world, &definition.table().name).await?,
        lost: None,
    };
    if let Some(live) = &mut state.live {
        live.lost = belongs::lost(world, name, live, leases).await?;
    }
    let kept = state.live.as_ref().filter(|live| live.lost.is_none());
    if kept.is_none() {
        let left = belongs::left(world, definition, (&state, &generation), leases).await?;
        state.last = left.last().copied().unwrap_or_default().max(state.last);
        // What these have left is deleted behind the switch.
        let gone = left.into_iter().map(|number| Generation {
            number,
            ..generation.clone()
        });
        state.garbage.extend(gone);
    }
    state.last += 1;
    generation.number = state.last;
    match kept {
        Some(live) => follow(world, name, (live, &generation), leases).await?,
        None => begin_now(world, name, &generation, leases).await?,
    }
    state
        .garbage
        .extend(state.next.take().map(|(next, _)| next));
    let number = state.last;
    state.next = Some((generation, Phase::Scan));
    state.cursor = None;
    state.scanned = 0;
    let is_stored = state.store(world, &definition.name).await?;
    Ok(is_stored.then_some(number))
}

/// Lets the consumers of a generation begin with the records that are written from now on: the scan, which
/// comes later, sees what was written before, by any clock.
async fn begin_now(
    io: &dyn World,
    view: &str,
    generation: &Generation,
    leases: &str,
) -> Result<(), ClientError> {
    for table in &generation.streams {
        let own = LeaseTable {
            table: leases.to_owned(),
            consumer: generation.consumer(view, table),
        };
        own.ensure(io).await?;
        latest::ensure(io, &own, table).await?;
    }
    Ok(())
}

/// Lets the consumers of a generation begin where those of another one are. Where records behind such a
/// position are gone, they begin with the oldest that are left. Where a table got another stream meanwhile,
/// they begin with that one: what was changed while the table had none, the scan sees, and it must not take
/// what a record of the stream before says for newer.
async fn follow(
    io: &dyn World,
    view: &str,
    (live, next): (&Generation, &Generation),
    leases: &str,
) -> Result<(), ClientError> {
    for table in &next.streams {
        let of = |generation: &Generation| LeaseTable {
            table: leases.to_owned(),
            consumer: generation.consumer(view, table),
        };
        let own = of(next);
        // Somebody may have deleted it: then a generation is built anew.
        own.ensure(io).await?;
        let latest = stream_of(io, table).await?;
        let mut has_begun = false;
        for row in of(live).all(io).await? {
            match row {
                Row::Lease(lease) if is_before(&lease.key.stream, &latest) => {}
                Row::Stream(of_live) if is_before(&of_live.stream, &latest) => has_begun = true,
                Row::Lease(Lease {
                    key,
                    position,
                    parent,
                    ..
                }) => {
                    if let Some(position) = begins(io, &key, position).await? {
                        let lease = Lease::new(key, parent, position);
                        own.create(io, &lease).await?;
                    }
                }
                Row::Stream(of_live) => {
                    let beginning = Beginning {
                        start: Start::Oldest,
                        // What is in shards that the live generation has not seen, the scan sees.
                        is_unleased: true,
                        ..of_live
                    };
                    own.begin(io, &beginning).await?;
                }
            }
        }
        if has_begun {
            let beginning = Beginning {
                stream: latest,
                start: Start::Oldest,
                began: Began::new(),
                is_unleased: true,
            };
            own.begin(io, &beginning).await?;
        }
    }
    Ok(())
}

/// Where a consumer begins that follows one at a position; `None` when the shard is gone.
async fn begins(
    io: &dyn Io,
    key: &ShardKey,
    position: Position,
) -> Result<Option<Position>, ClientError> {
    if !is_listed(io, key).await? {
        return Ok(None);
    }
    if !matches!(position, Position::After(_)) {
        return Ok(Some(position));
    }
    match iterator(io, key, &position).await {
        Ok(_) => Ok(Some(position)),
        Err(error) if error.kind() == Some(ErrorKind::TrimmedDataAccess) => {
            Ok(Some(Position::Horizon))
        }
        Err(error) => Err(error),
    }
}
