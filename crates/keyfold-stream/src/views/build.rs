//! A new generation of a view: built beside the live one from a scan and the stream, then put in its
//! place. `docs/views.md` has the reasons.
//!
//! 1. `Scan`: the consumers of the new generation begin where those of the live one are, or with the
//!    records that are written from then on. They and the scan say what each source item gives, which is kept; the scan says it
//!    only of items of which nothing is known. Rows are made aside.
//! 2. `Follow`: each record that was written during the scan is handled.
//! 3. `Hold`: the live generation stands still, until the new one has handled what it has, and all records
//!    of the items that rows refer to.
//! 4. `Switch`: both stand still. Rows are moved, one by one; then those that the new generation does
//!    not have are deleted (`switch`).
//!
//! Each step may be done twice, and by a worker that slept: transactions demand that the state, or what
//! they move, is as it was read. A generation stands still because its consumers read the state before
//! each batch, and the fences of their leases are raised behind a change of the state: what was under
//! way is refused.

use super::clean;
use super::definition::Definition;
use super::images::Images;
use super::keeper::{Keeper, actions, item, item_key};
use super::notes::{self, UnreadableItem};
use super::place::{Kind, PARTITION, TABLE, bytes, digest, shown};
use super::requests::{check, get_many, is_of_values, is_overtaken, put, transact};
use super::rows::{Change, Note, Target, Way};
use super::state::{Generation, Mode, Phase, State};
use super::switch::{Switch, fence};
use super::tips::{Ends, Tips};
use crate::world::{Io, World, ask};
use keyfold_api::{ExpressionAttributes, ScanInput, TransactWriteItem};
use keyfold_codec::RawItem;
use keyfold_lower::ClientError;
use keyfold_types::Value;
use keyfold_types::limits::TRANSACTION_ACTIONS_MAX;
use std::sync::Arc;
use std::time::Duration;

/// The items of a page of the scan.
const PAGE: usize = 100;

/// How long an open shard has only empty pages behind its last record, in the consumers' `poll_time`.
const QUIET_POLLS: u32 = 8;
/// The pages of each shard that are read before the builder gives a sign of life.
const ROUNDS: u32 = 40;
/// The lease times between two looks whether items are left of which records were set aside.
const ASIDE_LEASES: u32 = 3;

/// Builds generations of a view.
pub(crate) struct Builder {
    pub(crate) world: Arc<dyn World>,
    pub(crate) definition: Arc<Definition>,
    /// The worker's name.
    pub(crate) worker: String,
    pub(crate) leases: String,
    /// The table of the records that were set aside.
    failures: String,
    /// How long a builder may be silent before another takes over.
    pub(crate) lease_time: Duration,
    /// How long what items gave is remembered after a switch.
    pub(crate) remembers: Duration,
    poll_time: Duration,
    /// The ends of shards that a generation is to pass in a phase, and the search for them.
    tips: Option<((u64, Phase), Tips)>,
    ends: Option<((u64, Phase), Ends)>,
    /// The builder that was seen, and since when it is silent.
    seen: Option<((String, u64), Duration)>,
    /// The generation that was seen live, and since when.
    lives: Option<(u64, Duration)>,
    /// The moment of the last look at what was set aside.
    looked: Duration,
    /// The generation whose consumers know that items were left out.
    told: Option<u64>,
    /// Items that were left out, and are not reported yet.
    pub(crate) left_out: Vec<UnreadableItem>,
}

/// What is wrong with the values of a row, in words.
fn cause(error: &ClientError) -> String {
    let ClientError::Service { reasons, .. } = error else {
        return error.to_string();
    };
    let mut reasons = reasons.iter().filter_map(|(_, message)| message.as_ref());
    reasons
        .next()
        .map_or_else(|| error.to_string(), String::clone)
}

impl Builder {
    pub(crate) fn new(
        world: Arc<dyn World>,
        definition: Arc<Definition>,
        options: &crate::options::Options,
        remembers: Duration,
    ) -> Builder {
        let worker = format!("{:016x}", world.random());
        Builder {
            world,
            definition,
            worker,
            leases: options.leases.clone(),
            failures: options.failures.clone(),
            lease_time: options.lease_time,
            remembers,
            poll_time: options.poll_time,
            tips: None,
            ends: None,
            seen: None,
            lives: None,
            looked: Duration::ZERO,
            told: None,
            left_out: Vec::new(),
        }
    }

    fn io(&self) -> &dyn Io {
        &*self.world
    }

    /// Does a part of what is to be done. Returns whether there is more to be done at once.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn turn(&mut self, mut state: State) -> Result<bool, ClientError> {
        let forgets = self.forgets(&state);
        let is_own = |one: &Generation| one.print == self.definition.print;
        let next = state.next.clone().filter(|(next, _)| is_own(next));
        let looks = self.looks(&state);
        let has_none = state.garbage.is_empty() && !forgets && !looks;
        if next.is_none() && (state.next.is_some() || has_none) {
            return Ok(false);
        }
        if !self.claim(&mut state).await? {
            return Ok(false);
        }
        match next {
            Some((next, Phase::Scan)) => self.scan(state, next).await,
            Some((next, Phase::Follow)) => self.follow(state, next).await,
            Some((next, Phase::Hold)) => self.hold(state, next).await,
            Some((_, Phase::Switch)) => {
                let switch = Switch {
                    world: &*self.world,
                    view: &self.definition.name,
                    leases: &self.leases,
                    worker: &self.worker,
                };
                switch.end(state).await
            }
            None if forgets => {
                if let Some(live) = &mut state.live {
                    clean::items(&*self.world, &self.definition.name, live.number).await?;
                    live.has_items = false;
                }
                self.store(&mut state).await?;
                Ok(false)
            }
            None if looks => {
                self.looked = self.world.now();
                if let Some(live) = &mut state.live {
                    let name = &self.definition.name;
                    live.has_aside = clean::has_aside(&*self.world, name, live.number).await?;
                    if !live.has_aside {
                        self.store(&mut state).await?;
                    }
                }
                Ok(false)
            }
            None => {
                if let Some(gone) = state.garbage.first().cloned() {
                    let (io, name) = (&*self.world, &self.definition.name);
                    let tables = (self.leases.as_str(), self.failures.as_str());
                    clean::generation(io, name, &gone, tables).await?;
                    state.garbage.remove(0);
                    self.store(&mut state).await?;
                }
                Ok(false)
            }
        }
    }

    /// Whether the live generation has been so for so long that what items gave while it was built is needed
    /// no more, as this worker has watched it: the clocks of workers may differ.
    fn forgets(&mut self, state: &State) -> bool {
        let Some(live) = state.live.as_ref().filter(|live| live.has_items) else {
            return false;
        };
        let now = self.world.now();
        let since = match self.lives {
            Some((number, since)) if number == live.number => since,
            Some(_) | None => now,
        };
        self.lives = Some((live.number, since));
        state.next.is_none() && now.saturating_sub(since) > self.remembers
    }

    /// Whether it is time to see whether the items of which records were set aside give again what they
    /// are. While there are some, each batch reads what is kept of its items.
    fn looks(&self, state: &State) -> bool {
        let has_aside = state.live.as_ref().is_some_and(|live| live.has_aside);
        let since = self.world.now().saturating_sub(self.looked);
        state.next.is_none() && has_aside && since > self.lease_time * ASIDE_LEASES
    }

    /// Makes sure that no other worker builds.
    async fn claim(&mut self, state: &mut State) -> Result<bool, ClientError> {
        if let Some(found) = state.builder.clone()
            && found.0 != self.worker
        {
            let now = self.world.now();
            let since = match &self.seen {
                Some((seen, since)) if *seen == found => *since,
                Some(_) | None => now,
            };
            self.seen = Some((found, since));
            if now.saturating_sub(since) < self.lease_time {
                return Ok(false);
            }
        }
        self.store(state).await
    }

    /// Stores the state, with a sign of life.
    async fn store(&self, state: &mut State) -> Result<bool, ClientError> {
        let name = &self.definition.name;
        state.store_of(self.io(), name, &self.worker).await
    }

    fn target(&self, generation: &Generation) -> Target<'_> {
        let keeper = Keeper {
            definition: Arc::clone(&self.definition),
            generation: generation.number,
            table: String::new(),
        };
        Target {
            definition: &self.definition,
            space: keeper.space(),
            is_aside: true,
            has_foreign: Arc::default(),
        }
    }

    /// Scans a page of the source.
    async fn scan(&mut self, mut state: State, next: Generation) -> Result<bool, ClientError> {
        let source = self.definition.table_of(self.definition.source());
        let after = state
            .cursor
            .clone()
            .and_then(|bytes| RawItem::open(bytes.into()).ok());
        let input = ScanInput {
            table_name: Some(source.name.clone()),
            consistent_read: Some(true),
            limit: i64::try_from(PAGE).ok(),
            exclusive_start_key: after.map(|raw| Ok(raw.to_item())),
            ..ScanInput::default()
        };
        let page = ask(self.io(), input).await?;
        let mut changes = Vec::new();
        let mut images = Images::new(&self.definition, &source.name);
        for item in page.items.unwrap_or_default() {
            let item = item.to_item();
            let key = Definition::key(source, &item);
            let (new, why) = images.share(&images.read(&key, Some(&item)));
            if new.is_some() || why.is_some() {
                changes.push(Change {
                    key,
                    old: None,
                    new,
                    note: why.map_or(Note::None, Note::Broken),
                    replays: None,
                });
            }
            state.scanned += 1;
        }
        if !self.add(&mut state, &next, &changes).await? {
            return Ok(false);
        }
        match page.last_evaluated_key {
            Some(last) => state.cursor = Some(bytes(&last)),
            None => {
                state.cursor = None;
                if let Some((_, phase)) = &mut state.next {
                    *phase = Phase::Follow;
                }
            }
        }
        self.store(&mut state).await
    }

    /// Adds items that were scanned, in as few transactions as they fit in. One whose row is no row with
    /// it is left out. Returns false when another worker builds.
    async fn add(
        &mut self,
        state: &mut State,
        next: &Generation,
        changes: &[Change],
    ) -> Result<bool, ClientError> {
        let mut parts: Vec<(&[Change], Way)> = Vec::new();
        parts.extend(changes.chunks(30).rev().map(|part| (part, Way::Blind)));
        while let Some((part, way)) = parts.pop() {
            let (first, second) = part.split_at(part.len() / 2);
            let divided = [(second, way), (first, way)];
            let actions = self.added(state, &self.target(next), part, way).await;
            let written = match actions {
                Ok(actions) if actions.len() > TRANSACTION_ACTIONS_MAX && part.len() > 1 => {
                    parts.extend(divided);
                    continue;
                }
                Ok(actions) => transact(self.io(), actions).await,
                Err(error) => Err(error),
            };
            let written = match (written, part) {
                (Err(error), part)
                    if let Some(stricter) = way.stricter()
                        && is_of_values(&error) =>
                {
                    parts.push((part, stricter));
                    continue;
                }
                (Err(error), [change]) if is_of_values(&error) => {
                    if !self.tell(state, next).await? {
                        return Ok(false);
                    }
                    self.leave_out(state, next, change, &error).await
                }
                (written, _) => written,
            };
            match written {
                Ok(()) => {}
                Err(error) if is_overtaken(&error) => {
                    let stored = State::read(self.io(), &self.definition.name).await?;
                    if stored.version != state.version {
                        return Ok(false);
                    }
                    parts.push((part, way.stricter().map_or(way, |_| Way::Read)));
                }
                Err(error) if is_of_values(&error) && part.len() > 1 => parts.extend(divided),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Lets consumers of a generation look for items that were left out. What they do without is refused
    /// from here on. Returns false when another worker builds.
    async fn tell(&mut self, state: &mut State, next: &Generation) -> Result<bool, ClientError> {
        if self.told == Some(next.number) {
            return Ok(true);
        }
        if let Some(next) = state.generation(next.number) {
            next.has_aside = true;
        }
        if !self.store(state).await? {
            return Ok(false);
        }
        fence(self.io(), &self.definition.name, next, &self.leases).await?;
        self.told = Some(next.number);
        Ok(true)
    }

    /// Leaves an item out: as when a record is set aside, it is kept that it gives nothing, and its next
    /// record gives what it is then.
    async fn leave_out(
        &mut self,
        state: &State,
        next: &Generation,
        change: &Change,
        why: &ClientError,
    ) -> Result<(), ClientError> {
        let target = self.target(next);
        let source = self.definition.table_of(self.definition.source());
        let rows = target.rows(std::slice::from_ref(change))?;
        let row = rows.first().map(|row| shown(&row.key)).unwrap_or_default();
        let left_out = UnreadableItem {
            table: source.name.clone(),
            key: change.key.clone(),
            why: format!("the row {row} cannot have it: {}", cause(why)),
        };
        let mut all = vec![self.is_own(state)];
        for kind in [Kind::Items, Kind::Aside] {
            let key = target.space.key(kind, &digest(&change.key));
            let absent = ExpressionAttributes::default().name("#p", PARTITION);
            let condition = ("attribute_not_exists(#p)".to_owned(), absent);
            all.push(put(TABLE, item(self.io(), key, None), Some(condition)));
        }
        let note = Note::Broken(left_out.why.clone());
        let place = (source.name.as_str(), &change.key);
        all.extend(notes::action(&target.space, place, &note));
        transact(self.io(), all).await?;
        self.left_out.push(left_out);
        Ok(())
    }

    /// The action that demands that the state is as it was read.
    fn is_own(&self, state: &State) -> TransactWriteItem {
        let attributes = ExpressionAttributes::default()
            .name("#v", "version")
            .value(":v", Value::N(state.version.into()));
        let condition = ("#v = :v".to_owned(), attributes);
        check(TABLE, State::key(&self.definition.name), condition)
    }

    /// The actions that add items of which nothing is known.
    async fn added(
        &self,
        state: &State,
        target: &Target<'_>,
        part: &[Change],
        way: Way,
    ) -> Result<Vec<TransactWriteItem>, ClientError> {
        let io = self.io();
        let keys = part.iter().map(|change| item_key(target, &change.key));
        let known = get_many(io, TABLE, keys.collect()).await?;
        let unknown = part.iter();
        let unknown =
            unknown.filter(|one| !known.contains_key(&bytes(&item_key(target, &one.key))));
        let unknown: Vec<Change> = unknown.cloned().collect();
        let mut all = vec![self.is_own(state)];
        for change in &unknown {
            let item = item(io, item_key(target, &change.key), change.new.as_ref());
            let absent = ExpressionAttributes::default().name("#p", PARTITION);
            let condition = ("attribute_not_exists(#p)".to_owned(), absent);
            all.push(put(TABLE, item, Some(condition)));
        }
        let plain = Mode::Live {
            items: false,
            aside: false,
        };
        all.extend(actions(io, target, (plain, way), &unknown).await?);
        Ok(all)
    }

    /// Waits until the new generation's consumers have handled all that was written during the scan.
    async fn follow(&mut self, mut state: State, next: Generation) -> Result<bool, ClientError> {
        let name = self.definition.name.clone();
        match self.has_passed_ends(Phase::Follow, &next).await? {
            Some(true) => {}
            Some(false) => return Ok(false),
            None => return Ok(true),
        }
        let live = state.live.clone();
        state.next = Some((next.clone(), Phase::Hold));
        if !self.store(&mut state).await? {
            return Ok(false);
        }
        if let Some(live) = live {
            fence(self.io(), &name, &live, &self.leases).await?;
        }
        Ok(true)
    }

    /// Whether the new generation has handled what its shards had at the beginning of a phase; `None` while
    /// their ends are searched for.
    async fn has_passed_ends(
        &mut self,
        phase: Phase,
        next: &Generation,
    ) -> Result<Option<bool>, ClientError> {
        let of = (next.number, phase);
        let is_known = self.tips.as_ref().is_some_and(|(known, _)| *known == of);
        if !is_known && !self.ends(of, next).await? {
            return Ok(None);
        }
        let Some((_, tips)) = &self.tips else {
            return Ok(None);
        };
        let name = &self.definition.name;
        let is_passed = tips.are_passed(self.io(), name, next, &self.leases);
        is_passed.await.map(Some)
    }

    /// Looks for the ends of the shards, for a part of a lease time. Returns whether they are found.
    async fn ends(&mut self, phase: (u64, Phase), next: &Generation) -> Result<bool, ClientError> {
        let name = &self.definition.name;
        let mut ends = match self.ends.take() {
            Some((of, ends)) if of == phase => ends,
            Some(_) | None => {
                let quiet = self.poll_time * QUIET_POLLS;
                Ends::of(&*self.world, (name, next), &self.leases, quiet).await?
            }
        };
        for _ in 0..ROUNDS {
            if ends.step(&*self.world).await? {
                self.tips = Some((phase, ends.tips()));
                return Ok(true);
            }
            self.world.pause(self.poll_time / ROUNDS).await;
        }
        self.ends = Some((phase, ends));
        Ok(false)
    }

    /// Waits until the new generation has handled what the live one has, which stands still.
    async fn hold(&mut self, mut state: State, next: Generation) -> Result<bool, ClientError> {
        let name = self.definition.name.clone();
        if let Some(live) = state.live.clone() {
            // The worker that changed the state may not have raised all fences.
            fence(self.io(), &name, &live, &self.leases).await?;
        }
        // Behind one that is lost, it has all that its scan has seen.
        if let Some(live) = state.live.clone().filter(|live| live.lost.is_none()) {
            let reached = Tips::handled(self.io(), &name, &live, &self.leases).await?;
            if !reached
                .are_passed(self.io(), &name, &next, &self.leases)
                .await?
            {
                return Ok(false);
            }
            // Its rows have of other items what these were when a row was written, which may be newer than
            // what it had handled of their records.
            if !self.definition.links.is_empty() {
                match self.has_passed_ends(Phase::Hold, &next).await? {
                    Some(true) => {}
                    Some(false) => return Ok(false),
                    None => return Ok(true),
                }
            }
        }
        state.next = Some((next.clone(), Phase::Switch));
        if !self.store(&mut state).await? {
            return Ok(false);
        }
        fence(self.io(), &name, &next, &self.leases).await?;
        Ok(true)
    }
}
