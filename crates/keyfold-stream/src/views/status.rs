//! What is known of views: generations, how far they lag, and what was set aside.

use super::belongs;
use super::definition::Definition;
use super::keep::{rebuild, words};
use super::notes::{self, UnreadableItem};
use super::place::{Kind, Space};
use super::state::{Generation, State};
use super::tips::Held;
use crate::counted::{Behind, Counted};
use crate::failures;
use crate::lease::ShardKey;
use crate::options::Options;
use crate::position::Position;
use crate::threads::{Sends, Threads};
use crate::topology::Shard;
use crate::world::{Io, World};
use keyfold_api::ErrorKind;
use keyfold_client::blocked;
use keyfold_lower::ClientError;
use keyfold_model::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A view, as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewStatus {
    /// `model.View`.
    pub view: String,
    /// The generation that readers see; `None` while the first one is built.
    pub live: Option<u64>,
    /// Whether it is of this definition.
    pub is_current: bool,
    /// Why its rows are kept no more, where that is so: a worker builds others. How far they are behind is not known
    /// then.
    pub lost: Option<String>,
    /// The number of the generation that is built, and how far it is.
    pub next: Option<(u64, String)>,
    /// The records that are not in the rows yet, as far as ten pages of each shard show them.
    pub behind: u64,
    /// Whether there may be more of them.
    pub has_more: bool,
    /// The age of the oldest of them.
    pub lag: Duration,
    /// The number of records that were set aside.
    pub set_aside: usize,
    /// The cause of the first of them.
    pub why: Option<String>,
    /// The items that the model cannot read, which give nothing to the view; at most 1,000.
    pub unreadable: Vec<UnreadableItem>,
    /// The rows with a sum that is no number of DynamoDB, until it is one again; at most 1,000. The model
    /// cannot read them.
    pub without_sum: Vec<UnreadableItem>,
}

/// The state of each view of a model.
///
/// # Errors
/// The backend's; `Refused` for a view whose upkeep is not possible.
pub fn status(
    send: &Sends,
    model: &Arc<Model>,
    options: &Options,
) -> Result<Vec<ViewStatus>, ClientError> {
    status_again(send, model, options, &mut Looks::default())
}

/// As [`status`], with what earlier looks at the same database have seen: of a shard whose records are all handled,
/// one page is read.
///
/// # Errors
/// As [`status`].
pub fn status_again(
    send: &Sends,
    model: &Arc<Model>,
    options: &Options,
    looks: &mut Looks,
) -> Result<Vec<ViewStatus>, ClientError> {
    let world = Threads::new(Arc::clone(send));
    let definitions = Definition::all(model)?.into_iter();
    let mut looked = Looked {
        before: std::mem::take(&mut looks.counted),
        ..Looked::default()
    };
    let all = definitions.map(|one| blocked(of(&*world, &one, options, &mut looked)));
    let all: Result<_, ClientError> = all.collect();
    // Of a shard that was not asked for, or a position that a consumer has left, nothing is kept.
    looks.counted = looked.counted;
    all
}

/// What looks at the state of views have seen of streams, for those that follow.
#[derive(Default)]
pub struct Looks {
    counted: Vec<(ShardKey, Counted)>,
}

impl fmt::Debug for Looks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Looks").finish_non_exhaustive()
    }
}

/// What was seen of streams: views whose consumers have come equally far share it.
#[derive(Default)]
struct Looked {
    /// What earlier looks have counted.
    before: Vec<(ShardKey, Counted)>,
    /// What this one has.
    counted: Vec<(ShardKey, Counted)>,
    /// The shards that consumers of a table read, by the streams that they have begun.
    shards: BTreeMap<(String, BTreeSet<String>), Vec<Shard>>,
    /// The records of a shard behind a position.
    behind: BTreeMap<(ShardKey, String), Behind>,
}

impl Looked {
    async fn shards(
        &mut self,
        io: &dyn Io,
        (held, table): (&Held, &str),
    ) -> Result<Vec<Shard>, ClientError> {
        let of = (table.to_owned(), held.begun().clone());
        if let Some(known) = self.shards.get(&of) {
            return Ok(known.clone());
        }
        let found = held.shards(io, table).await?;
        self.shards.insert(of, found.clone());
        Ok(found)
    }

    async fn behind(
        &mut self,
        io: &dyn Io,
        (key, from): (&ShardKey, &Position),
    ) -> Result<Behind, ClientError> {
        let of = (key.clone(), from.to_string());
        if let Some(known) = self.behind.get(&of) {
            return Ok(known.clone());
        }
        let is_known = |(one, counted): &mut (ShardKey, Counted)| one == key && counted.moves(from);
        let mut counted = match self.before.iter_mut().position(is_known) {
            Some(at) => self.before.swap_remove(at).1,
            None => Counted::of(io, key, from).await?,
        };
        let found = counted.count(io).await?.clone();
        self.counted.push((key.clone(), counted));
        self.behind.insert(of, found.clone());
        Ok(found)
    }
}

async fn of(
    world: &dyn World,
    definition: &Definition,
    options: &Options,
    looked: &mut Looked,
) -> Result<ViewStatus, ClientError> {
    let mut status = ViewStatus {
        view: definition.name.clone(),
        live: None,
        is_current: false,
        lost: None,
        next: None,
        behind: 0,
        has_more: false,
        lag: Duration::ZERO,
        set_aside: 0,
        why: None,
        unreadable: Vec::new(),
        without_sum: Vec::new(),
    };
    if crate::tables::described(world, super::place::TABLE)
        .await?
        .is_none()
    {
        return Ok(status);
    }
    let state = State::read(world, &definition.name).await?;
    if let Some((next, phase)) = &state.next {
        status.next = Some((next.number, words(*phase, state.scanned)));
    }
    let next = state.next.as_ref().map(|(next, _)| next);
    if let Some(shown) = state.live.as_ref().or(next) {
        let space = Space {
            view: definition.name.clone(),
            generation: shown.number,
        };
        status.unreadable = notes::list(world, &space, Kind::Broken).await?;
        status.without_sum = notes::list(world, &space, Kind::Sums).await?;
    }
    if let Some(live) = &state.live {
        status.live = Some(live.number);
        status.is_current = live.print == definition.print;
        let lost = belongs::lost(world, &definition.name, live, &options.leases).await?;
        status.lost = lost.map(|lost| lost.why(&live.table, &options.leases));
        match status.lost {
            Some(_) => forget_if_followed(world, (definition, live), &mut status).await?,
            None => lag(world, (definition, live), options, (looked, &mut status)).await?,
        }
    }
    Ok(status)
}

/// A generation that another one has followed meanwhile is not lost: what it had was deleted.
async fn forget_if_followed(
    io: &dyn Io,
    (definition, live): (&Definition, &Generation),
    status: &mut ViewStatus,
) -> Result<(), ClientError> {
    let state = State::read(io, &definition.name).await?;
    if state.live.is_none_or(|now| now.number != live.number) {
        status.lost = None;
    }
    Ok(())
}

/// Counts the records that a generation has not handled.
async fn lag(
    world: &dyn World,
    (definition, live): (&Definition, &Generation),
    options: &Options,
    (looked, status): (&mut Looked, &mut ViewStatus),
) -> Result<(), ClientError> {
    let io: &dyn Io = world;
    let now = u64::try_from(world.epoch_ms()).unwrap_or_default();
    for table in &live.streams {
        let held = Held::of(io, (&definition.name, live, table), &options.leases).await?;
        for shard in looked.shards(io, (&held, table)).await? {
            let place = (&shard.key, held.position(&shard.key));
            let found = looked.behind(io, place).await?;
            status.behind += found.records;
            status.has_more |= found.is_more;
            if let Some(oldest) = found.oldest {
                let age = Duration::from_millis(now.saturating_sub(oldest));
                status.lag = status.lag.max(age);
            }
        }
        let consumer = live.consumer(&definition.name, table);
        if crate::tables::described(io, &options.failures)
            .await?
            .is_some()
        {
            let aside = failures::list(io, &options.failures, &consumer).await?;
            status.set_aside += aside.len();
            let first = aside.into_iter().next().map(|one| one.why);
            status.why = status.why.take().or(first);
        }
    }
    Ok(())
}

/// The number of each view's live generation; `None` while it has none. It costs a read for each view.
///
/// # Errors
/// The backend's; `Refused` for a view whose upkeep is not possible.
pub fn live(send: &Sends, model: &Arc<Model>) -> Result<Vec<(String, Option<u64>)>, ClientError> {
    let world = Threads::new(Arc::clone(send));
    let mut all = Vec::new();
    for definition in Definition::all(model)? {
        let live = match blocked(State::read(&*world, &definition.name)) {
            Ok(state) => state.live.map(|live| live.number),
            // No view was kept yet.
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => None,
            Err(error) => return Err(error),
        };
        all.push((definition.entity().name.clone(), live));
    }
    Ok(all)
}

/// Begins a new generation of a model's views, or of the one that is named. Returns their names and
/// the numbers of the generations. Workers that keep the views build them.
///
/// # Errors
/// `Unknown` when the model has no view of this name; the backend's.
pub fn begin_rebuild(
    send: &Sends,
    model: &Arc<Model>,
    options: &Options,
    view: Option<&str>,
) -> Result<Vec<(String, u64)>, ClientError> {
    let world = Threads::new(Arc::clone(send));
    blocked(rebuild_views(&*world, model, options, view))
}

/// As [`begin_rebuild`], in any surroundings.
///
/// # Errors
/// As [`begin_rebuild`].
pub async fn rebuild_views(
    world: &dyn World,
    model: &Arc<Model>,
    options: &Options,
    view: Option<&str>,
) -> Result<Vec<(String, u64)>, ClientError> {
    let mut begun = Vec::new();
    let all = Definition::named(model, view)?;
    State::ensure(world).await?;
    for definition in all {
        let number = rebuild(world, &definition, &options.leases).await?;
        begun.push((definition.entity().name.clone(), number));
    }
    Ok(begun)
}
