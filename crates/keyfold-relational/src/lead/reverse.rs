//! A run while the tables lead: the records of their streams name items, and the rows of these become what the items
//! are now.

use super::rowless::{Standing, standing};
use super::rows::{Carried, Now, Rows, leading};
use super::sides::names;
use super::streams::Streams;
use crate::back::{Back, ways};
use crate::mapping::MapError;
use crate::run::{Ended, IDLE, Migration, NOTE, PROBLEM_TRIES};
use crate::source::{SourceError, Tip};
use crate::state::{Phase, State};
use crate::verify::stored;
use crate::world::{self, Moment};
use keyfold_api::StreamEvent;
use keyfold_client::ClientError;
use keyfold_client::kinds::Kinds;
use keyfold_lower::arguments::Values;
use keyfold_lower::stored::values_of;
use keyfold_types::Item;
use std::collections::BTreeMap;
use std::time::Duration;

/// So few changes are carried in a moment, and as few items compared.
pub(super) const FEW: usize = 100;
/// How often rows that are refused are tried again while more records come.
const REFUSED_MAX: u32 = 100;
/// The most changes of the database's own log that are passed over at once.
const PASSED_MAX: usize = 5_000;
/// The time between two looks at that log, in which it grows.
const PASS: Duration = Duration::from_secs(1);

/// Records that were read, and whose items are not carried yet.
#[derive(Default)]
struct Pending {
    /// The items by what tells them apart.
    items: BTreeMap<String, (usize, Values)>,
    tips: BTreeMap<String, Tip>,
    records: usize,
}

/// How a run of the other direction stands.
pub(crate) struct Follower<'f, 'm> {
    streams: Streams<'f>,
    kinds: Vec<Kinds<'m>>,
    ways: Vec<Back>,
    pending: Pending,
    tries: u32,
    /// When the changes of the database were passed over.
    passed: Option<Moment>,
}

impl Follower<'_, '_> {
    /// Whether every record was read, and is carried.
    fn is_even(&self) -> bool {
        self.pending.items.is_empty() && self.streams.is_quiet(Duration::ZERO)
    }
}

fn unfit(error: MapError) -> Ended {
    match error {
        MapError::Source(error) => Ended::Source(error),
        MapError::Model(faults) => {
            let all: Vec<String> = faults.into_iter().map(|one| one.message).collect();
            Ended::Source(SourceError::lasting(format!(
                "the model has no way back to the rows: {}; `keyfold migrate check --back` shows where",
                all.join("; ")
            )))
        }
    }
}

impl<'a, 'm> Migration<'a, 'm> {
    /// The ways back of all entities.
    pub(crate) fn ways(&mut self) -> Result<Vec<Back>, Ended> {
        let mapping = self.mapping;
        ways(mapping, self.source).map_err(unfit)
    }

    /// Follows the tables from where the database notes that it is.
    pub(crate) fn follower(&mut self) -> Result<Follower<'a, 'm>, Ended> {
        let ways = self.ways()?;
        let noted = leading(self.source)?.noted()?;
        let tips = noted.map_or_else(Vec::new, |noted| noted.tips);
        let tables = self.mapping.model.tables.iter().enumerate();
        let kinds = tables.map(|(at, table)| Kinds::of(self.mapping.model, at, table));
        Ok(Follower {
            kinds: kinds.collect(),
            streams: Streams::of(self.backend, &names(self.mapping.model), &tips)?,
            ways,
            pending: Pending::default(),
            tries: 0,
            passed: None,
        })
    }

    /// Carries what programs write to the tables, until it is asked to stop; with `once` until all is carried.
    pub(crate) fn reverse(&mut self, state: &State, once: bool) -> Result<Ended, Ended> {
        leading(self.source)?.take((&state.id, state.fence))?;
        self.admit_tables(state)?;
        let mut follower = self.follower()?;
        self.progress.follow();
        self.progress.lead();
        let settle = self.tables.map_or(Duration::ZERO, |tables| tables.settle);
        let mut noted = Moment::now();
        loop {
            if self.progress.is_stopping() {
                return Ok(Ended::Stopped);
            }
            let began_ms = world::epoch_ms();
            let carried = self.follow_tables(state, &mut follower)?;
            if carried == 0 && follower.is_even() {
                self.progress.carried_up_to(began_ms);
            }
            if once && carried == 0 && follower.streams.is_quiet(settle) {
                self.pass_over(state)?;
                self.save(state)?;
                return Ok(Ended::Caught);
            }
            if noted.elapsed() > NOTE {
                noted = Moment::now();
                self.save(state)?;
                self.pass_some(state, &mut follower)?;
            }
            if carried == 0 {
                world::pause(IDLE);
            }
        }
    }

    /// Carries what the streams hold, until few records are left: programs may write on.
    pub(crate) fn follow_there(
        &mut self,
        state: &State,
        follower: &mut Follower<'a, 'm>,
    ) -> Result<(), Ended> {
        loop {
            if self.progress.is_stopping() {
                return Err(Ended::Stopped);
            }
            let count = self.follow_tables(state, follower)?;
            if count <= FEW && follower.pending.items.is_empty() {
                return Ok(());
            }
        }
    }

    /// Carries everything that the streams hold, once no program writes to the tables.
    pub(crate) fn drain(
        &mut self,
        state: &State,
        follower: &mut Follower<'a, 'm>,
    ) -> Result<(), Ended> {
        let settle = self.tables.map_or(Duration::ZERO, |tables| tables.settle);
        follower.streams.wait_anew();
        while !follower.streams.is_quiet(settle) || !follower.pending.items.is_empty() {
            if self.progress.is_stopping() {
                return Err(Ended::Stopped);
            }
            if self.follow_tables(state, follower)? == 0 {
                world::pause(IDLE / 10);
            }
        }
        Ok(())
    }

    /// Reads the streams of the tables to their ends, of which nothing is carried: up to where they go. What stands
    /// before some positions was read so already.
    pub(crate) fn ends(&self, from: &[Tip]) -> Result<Vec<Tip>, Ended> {
        let mut streams = Streams::of(self.backend, &names(self.mapping.model), from)?;
        let settle = self.tables.map_or(Duration::ZERO, |tables| tables.settle);
        while !streams.is_quiet(settle) {
            if self.progress.is_stopping() {
                return Err(Ended::Stopped);
            }
            if streams.page()?.events.is_empty() {
                world::pause(IDLE / 10);
            }
        }
        Ok(streams.all_tips())
    }

    /// Carries a page of records: how many. What the database refuses is tried again with those behind it.
    fn follow_tables(
        &mut self,
        state: &State,
        follower: &mut Follower<'a, 'm>,
    ) -> Result<usize, Ended> {
        let page = follower.streams.page()?;
        let count = page.events.len();
        follower.pending.records += count;
        for (table, event) in &page.events {
            if let Some((at, key)) = self.named(&follower.kinds, table, event)? {
                let name = format!("{at} {key:?}");
                follower.pending.items.insert(name, (at, key));
            }
        }
        for tip in page.tips {
            let name = format!("{} {}", tip.0.stream, tip.0.shard);
            follower.pending.tips.insert(name, tip);
        }
        let pending = &follower.pending;
        if pending.items.is_empty() && pending.tips.is_empty() {
            return Ok(count);
        }
        let items = self.items_now(pending)?;
        let tips: Vec<Tip> = pending.tips.values().cloned().collect();
        self.note_items(&follower.ways, &items);
        let rows = Rows {
            mapping: self.mapping,
            ways: &follower.ways,
        };
        let carried = rows.carry(self.source, (&state.id, state.fence), (items, &tips));
        let carried: Carried = match carried {
            Ok(carried) => carried,
            Err(Ended::Problem(problem)) => {
                follower.tries += 1;
                let is_last = count == 0 && follower.tries > PROBLEM_TRIES;
                if is_last || follower.tries > REFUSED_MAX {
                    return Err(Ended::Problem(problem));
                }
                world::pause(IDLE);
                return Ok(count.max(1));
            }
            Err(Ended::Source(error)) if self.waits(&error, &mut follower.tries) => {
                return Ok(count.max(1));
            }
            Err(other) => return Err(other),
        };
        let records = std::mem::take(&mut follower.pending).records;
        follower.tries = 0;
        self.progress.add_written(carried.put, carried.deleted);
        self.progress.add_changes(records);
        self.pass_some(state, follower)?;
        Ok(count)
    }

    /// Notes which items change while a switch compares.
    fn note_items(&mut self, ways: &[Back], items: &[Now]) {
        let Some(changed) = &mut self.changed else {
            return;
        };
        for item in items {
            let at = item.mapped;
            if let (Some(mapped), Some(back)) = (self.mapping.entities.get(at), ways.get(at)) {
                let identity = back.identity_of(mapped, &item.key);
                changed.add_one((at, mapped), (identity, Some(item.key.clone())));
            }
        }
    }

    /// Notes which rows change in the database while a switch compares, instead of passing over them: those that this
    /// run writes, and others that change with them there.
    pub(crate) fn note_rows(&mut self, state: &State) -> Result<(), Ended> {
        if self.changed.is_none() {
            return Ok(());
        }
        self.asked(|source| source.settle())?;
        if self.watched_anew(state)? {
            self.keep_place(state)?;
            return Err(Ended::Source(SourceError::lasting(
                "the database has thrown changes away while rows and items were compared: call it again",
            )));
        }
        let watched = &self.mapping.watched;
        loop {
            self.asked(|source| source.hold())?;
            let read = self.named_changes(PASSED_MAX, usize::MAX);
            let released = self.asked(|source| source.release());
            let (change, _) = read?;
            released?;
            if change.touched.is_empty() {
                return Ok(());
            }
            self.asked(|source| source.forget(watched, &change))?;
            self.keep_place(state)?;
        }
    }

    /// Passes over the changes of the database, if that was long ago.
    fn pass_some(&mut self, state: &State, follower: &mut Follower<'a, 'm>) -> Result<(), Ended> {
        if follower.passed.is_none_or(|passed| passed.elapsed() > PASS) {
            match self.changed.is_some() {
                true => self.note_rows(state)?,
                false => self.pass_over(state)?,
            }
            follower.passed = Some(Moment::now());
        }
        Ok(())
    }

    /// What the items are now that records name.
    fn items_now(&self, pending: &Pending) -> Result<Vec<Now>, ClientError> {
        let mut items = Vec::new();
        for (at, mapped) in self.mapping.entities.iter().enumerate() {
            let own = pending.items.values().filter(|(of, _)| *of == at);
            let keys: Vec<Values> = own.map(|(_, key)| key.clone()).collect();
            if keys.is_empty() {
                continue;
            }
            let found = stored(self.backend, mapped, &keys)?;
            items.extend(keys.into_iter().zip(found).map(|(key, values)| Now {
                mapped: at,
                key,
                values,
            }));
        }
        Ok(items)
    }

    /// The item that a record is about, if rows make such ones: copies, guards and counters are none.
    fn named(
        &self,
        kinds: &[Kinds<'m>],
        table: &str,
        event: &StreamEvent,
    ) -> Result<Option<(usize, Values)>, ClientError> {
        let Some(kinds) = kinds.iter().find(|one| one.table.name == table) else {
            return Ok(None);
        };
        let item = item_of(event)?;
        let at = match standing(self.mapping, kinds, &item) {
            Standing::Row(at) => at,
            Standing::Follows => return Ok(None),
            Standing::None(name) => {
                self.progress.add_rowless(name);
                return Ok(None);
            }
        };
        let Some(entity) = self.mapping.entities.get(at).map(|one| one.entity) else {
            return Ok(None);
        };
        let identity = entity.identity().into_iter();
        let of = std::slice::from_ref(&item);
        let key = values_of(kinds.table, entity, None, identity, of)?;
        Ok(Some((at, key)))
    }

    /// Forgets the changes that the database has kept of what was carried into it.
    pub(crate) fn pass_over(&mut self, state: &State) -> Result<(), Ended> {
        let watched = &self.mapping.watched;
        self.keep_watch(state)?;
        if self.asked(|source| source.skip())? {
            return self.keep_place(state).map(drop);
        }
        loop {
            self.asked(|source| source.hold())?;
            let read = self.asked(|source| source.changes(watched, PASSED_MAX));
            self.asked(|source| source.release())?;
            let change = read?;
            if change.touched.is_empty() {
                return Ok(());
            }
            self.asked(|source| source.forget(watched, &change))?;
            self.keep_place(state)?;
        }
    }

    /// Checks that the database keeps its changes. While the tables lead it has none but those of this migration: if it
    /// has thrown them away, it keeps those from now on.
    pub(crate) fn keep_watch(&mut self, state: &State) -> Result<(), Ended> {
        match self.watched_anew(state)? {
            true => self.keep_place(state).map(drop),
            false => Ok(()),
        }
    }

    /// As [`Migration::keep_watch`], without a note of the place: whether changes are kept from now on only.
    pub(crate) fn watched_anew(&mut self, state: &State) -> Result<bool, Ended> {
        let (watched, id) = (&self.mapping.watched, &state.id);
        self.asked(|source| source.check_same())?;
        let checked = self.asked(|source| source.check_watch(watched));
        let is_closed = matches!(state.phase, Phase::Lead | Phase::Returning);
        match (checked, self.tables) {
            (Err(error), Some(tables)) if is_closed && !error.may_pass => {
                let (of, instead) = ((id.as_str(), state.fence), &tables.connection);
                self.asked(|source| leading(source)?.close(watched, of, instead))?;
                self.asked(|source| source.watch(watched, id))?;
                Ok(true)
            }
            (checked, _) => Ok(checked.map(|()| false)?),
        }
    }
}

/// The item of a record: its key, with the image that it has now or had.
fn item_of(event: &StreamEvent) -> Result<Item, ClientError> {
    let lacks = |what: &str| {
        ClientError::Invalid(format!(
            "a record of the stream has no {what}: the stream must have new and old images"
        ))
    };
    let record = event.dynamodb.as_ref().ok_or_else(|| lacks("content"))?;
    let image = record.new_image.as_ref().or(record.old_image.as_ref());
    let mut item = match image {
        Some(Ok(image)) => image.clone(),
        Some(Err(_)) | None => return Err(lacks("image")),
    };
    let Some(Ok(keys)) = &record.keys else {
        return Err(lacks("key"));
    };
    for (name, held) in keys.iter() {
        item.insert(name, held.clone());
    }
    Ok(item)
}
