//! Entities are written as their rows say. What is as it should be is left alone, so that rows that are read
//! again cost no write.
//!
//! Several entities are written in one transaction where it holds them, as if one write followed the other:
//! first those that go, children before parents, then those that come, parents before children. Otherwise they
//! are written in `pieces` at the same time, and those that are refused (a parent is not there yet) wait for the others.
//! Those of which one takes a unique value that another one has are written in the order in which the values are free
//! (`hands`).

use crate::convert::Problem;
use crate::mapping::{Mapped, Mapping};
use crate::patient::patient;
use crate::progress::Progress;
use crate::wish::Wish;
use hands::{Hands, Step};
use keyfold_api::ErrorKind;
use keyfold_client::write::{Part, delete, delete_many, put, put_many, transact_at_once, update};
use keyfold_client::{Backend, ClientError, read};
use keyfold_lower::arguments::Values;
use pieces::{Piece, pieces};
use std::collections::{BTreeMap, BTreeSet};

mod giving;
mod hands;
mod pieces;

/// The most entities of one transaction: each may be several items, of which there are 100 at most.
const TOGETHER_MAX: usize = 25;
/// The most that write, or read, at the same time.
const HANDS: usize = 8;
/// Parts that are read have a multiple of as many entities as a request reads.
const PART_MIN: usize = 100;

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Wrote {
    pub(crate) put: u64,
    pub(crate) deleted: u64,
}

/// Why an entity is not written.
#[derive(Debug)]
pub(crate) enum Unwritten {
    /// The model refuses it.
    Problem(Problem),
    /// The target does not answer, or refuses for a reason of its own.
    Failed(ClientError),
    /// The run is asked to end. Some entities may be written.
    Stopped,
}

impl From<Problem> for Unwritten {
    fn from(problem: Problem) -> Unwritten {
        Unwritten::Problem(problem)
    }
}

impl From<ClientError> for Unwritten {
    fn from(error: ClientError) -> Unwritten {
        Unwritten::Failed(error)
    }
}

/// Writes entities, and answers once all are as they are wished, or the run is asked to end: that is heeded between
/// two requests. Progress counts each one that is written, also of a run that ends then.
pub(crate) fn apply(
    backend: &Backend,
    mapping: &Mapping<'_>,
    progress: &Progress,
    wishes: Vec<Wish>,
) -> Result<Wrote, Unwritten> {
    let writer = Writer {
        backend,
        mapping,
        progress,
    };
    let mut left = writer.differing(wishes)?;
    // What goes, children first; then what comes, parents first.
    left.sort_by_key(|wish| {
        let place = i64::try_from(wish.mapped).unwrap_or(i64::MAX);
        (
            wish.values.is_some(),
            if wish.values.is_some() { place } else { -place },
        )
    });
    let wrote = Wrote::of(&left);
    if left.is_empty() || writer.together(&left)? {
        return Ok(wrote);
    }
    writer.alone(left)?;
    Ok(wrote)
}

impl Wrote {
    fn of<'w>(wishes: impl IntoIterator<Item = &'w Wish>) -> Wrote {
        let mut wrote = Wrote::default();
        for wish in wishes {
            match wish.values.is_some() {
                true => wrote.put += 1,
                false => wrote.deleted += 1,
            }
        }
        wrote
    }
}

/// The entities that are not as they are wished.
///
/// # Errors
/// When the target cannot be read.
pub(crate) fn differing(
    backend: &Backend,
    mapping: &Mapping<'_>,
    progress: &Progress,
    wishes: Vec<Wish>,
) -> Result<Vec<Wish>, ClientError> {
    let writer = Writer {
        backend,
        mapping,
        progress,
    };
    writer.differing(wishes)
}

/// The position of an entity that is refused, and why; `None` where one is refused for which it waits.
type Refused = (usize, Option<ClientError>);

struct Writer<'w, 'm> {
    backend: &'w Backend,
    mapping: &'w Mapping<'m>,
    progress: &'w Progress,
}

impl<'m> Writer<'_, 'm> {
    fn mapped(&self, wish: &Wish) -> Option<&Mapped<'m>> {
        self.mapping.entities.get(wish.mapped)
    }

    /// The wishes that are not fulfilled yet, and whether there is such an item.
    fn differing(&self, wishes: Vec<Wish>) -> Result<Vec<Wish>, ClientError> {
        let mut left = Vec::new();
        let mut of_entity: Vec<Vec<Wish>> = Vec::new();
        of_entity.resize_with(self.mapping.entities.len(), Vec::new);
        for wish in wishes {
            if let Some(own) = of_entity.get_mut(wish.mapped) {
                own.push(wish);
            }
        }
        for (mapped, own) in self.mapping.entities.iter().zip(of_entity) {
            if own.is_empty() {
                continue;
            }
            // A list over several items is not read by keys in one request: it is written again.
            if mapped.entity.split.is_some() {
                left.extend(own);
                continue;
            }
            // An endpoint is asked for several parts at the same time by each read.
            let parts = match self.backend.is_embedded() {
                true => in_parts(own, |part| self.differing_of(mapped, part)),
                false => vec![self.differing_of(mapped, own)],
            };
            for differing in parts {
                left.extend(differing?);
            }
        }
        Ok(left)
    }

    /// The wishes of one entity that are not fulfilled yet.
    fn differing_of(
        &self,
        mapped: &Mapped<'m>,
        wishes: Vec<Wish>,
    ) -> Result<Vec<Wish>, ClientError> {
        let keys: Vec<Values> = wishes.iter().map(|wish| wish.key.clone()).collect();
        let found =
            patient(|| read::many(self.backend, self.mapping.model, mapped.entity, &keys, true))?;
        let mut left = Vec::new();
        for (mut wish, stored) in wishes.into_iter().zip(found.items) {
            let stored = stored.map(|item| item.attributes.into_iter().collect::<Values>());
            wish.is_new = stored.is_none();
            let is_so = match (&wish.values, &stored) {
                (None, None) => true,
                (Some(values), Some(stored)) => mapped.unlike(values, stored).is_none(),
                (Some(_), None) | (None, Some(_)) => false,
            };
            if !is_so {
                // What goes is not read once more, to find what it counts in, and neither are unique values.
                let has_uniques = !mapped.entity.uniques.is_empty();
                wish.stored = stored.filter(|_| wish.values.is_none() || has_uniques);
                left.push(wish);
            }
        }
        Ok(left)
    }

    /// Counts entities that are written.
    fn wrote(&self, wishes: &[Wish]) {
        let wrote = Wrote::of(wishes);
        self.progress.add_written(wrote.put, wrote.deleted);
    }

    /// Writes all in one transaction, if they are few; `false` where it does not hold them, or they need several.
    fn together(&self, wishes: &[Wish]) -> Result<bool, ClientError> {
        Ok(wishes.len() <= TOGETHER_MAX && self.in_transaction(wishes)?)
    }

    /// Writes all in one transaction; `false` where it is refused.
    fn in_transaction(&self, wishes: &[Wish]) -> Result<bool, ClientError> {
        let parts = wishes.iter().filter_map(|wish| {
            let entity = self.mapped(wish)?.entity;
            Some(match &wish.values {
                // What is not there is not read once more.
                Some(values) if wish.is_new => Part::Create { entity, values },
                Some(values) => Part::Put { entity, values },
                None => Part::Delete {
                    entity,
                    key: &wish.key,
                },
            })
        });
        let parts: Vec<Part<'_>> = parts.collect();
        let done = patient(|| transact_at_once(self.backend, self.mapping.model, &parts));
        match done {
            Ok(_) => {
                self.wrote(wishes);
                Ok(true)
            }
            Err(error) if is_refusal(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Writes each alone; those that are refused, again after the others.
    fn alone(&self, mut left: Vec<Wish>) -> Result<(), Unwritten> {
        loop {
            let before = left.len();
            let refused = self.round(&left)?;
            if refused.is_empty() {
                return Ok(());
            }
            if refused.len() == before {
                let mut all = refused.into_iter();
                let first = all.find_map(|(at, error)| Some((left.get(at)?, error?)));
                return Err(match first {
                    Some((wish, error)) => match self.mapped(wish) {
                        Some(mapped) => Unwritten::Problem(mapped.unwritten(wish, &error)),
                        None => Unwritten::Failed(error),
                    },
                    None => Unwritten::Failed(ClientError::refused(
                        "entities wait for each other, and none of them is refused".to_owned(),
                    )),
                });
            }
            left = refused
                .iter()
                .filter_map(|(at, _)| left.get(*at).cloned())
                .collect();
        }
    }

    /// One try of each: the positions of those that are refused. Those of one entity are written at the same
    /// time; the next entity follows when they are done.
    fn round(&self, wishes: &[Wish]) -> Result<Vec<Refused>, Unwritten> {
        let mut refused = Vec::new();
        let mut start = 0;
        while start < wishes.len() {
            let kind = |wish: &Wish| (wish.mapped, wish.values.is_some());
            let first = wishes.get(start).map(kind);
            let own = wishes.iter().skip(start);
            let count = own.take_while(|wish| Some(kind(wish)) == first).count();
            let group = wishes.get(start..start + count).unwrap_or_default();
            for (at, error) in self.group(group)? {
                refused.push((start + at, error));
            }
            start += count.max(1);
        }
        Ok(refused)
    }

    /// Writes entities of one kind at the same time, as many in a request as it holds; those between which unique values
    /// change hands, one after the other behind them.
    fn group(&self, wishes: &[Wish]) -> Result<Vec<Refused>, Unwritten> {
        let Some(mapped) = wishes.first().and_then(|wish| self.mapped(wish)) else {
            return Ok(Vec::new());
        };
        let hands = Hands::of(mapped, wishes);
        let bound = hands.bound();
        let mut refused = Vec::new();
        if bound.len() < wishes.len() {
            let free = (0..wishes.len()).filter(|at| !bound.contains(at));
            let free: Vec<usize> = free.collect();
            let own = free.iter().filter_map(|at| wishes.get(*at).cloned());
            let own: Vec<Wish> = own.collect();
            for (at, error) in self.lanes(mapped, &own)? {
                refused.extend(free.get(at).map(|at| (*at, Some(error))));
            }
        }
        if !bound.is_empty() {
            let mut handing = Handing {
                writer: self,
                mapped,
                wishes,
                hands: &hands,
                free: BTreeSet::new(),
                refused: BTreeMap::new(),
            };
            handing.follow(&bound, false)?;
            refused.extend(handing.refused);
        }
        refused.sort_by_key(|(at, _)| *at);
        Ok(refused)
    }

    /// Writes entities of one kind at the same time. Pieces that change the same parent are written one after the
    /// other: they would get in each other's way.
    fn lanes(
        &self,
        mapped: &Mapped<'_>,
        wishes: &[Wish],
    ) -> Result<Vec<(usize, ClientError)>, Unwritten> {
        let lanes = pieces(mapped, wishes);
        let next = std::sync::atomic::AtomicUsize::new(0);
        let work = || -> Result<Vec<(usize, ClientError)>, Unwritten> {
            let mut refused = Vec::new();
            loop {
                let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(lane) = lanes.get(at) else {
                    return Ok(refused);
                };
                for piece in lane {
                    if self.progress.is_stopping() {
                        return Err(Unwritten::Stopped);
                    }
                    refused.extend(self.piece(wishes, piece)?);
                }
            }
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let hands: Vec<_> = (0..HANDS.min(lanes.len()))
                .map(|_| scope.spawn(work))
                .collect();
            let joined = hands.into_iter().map(|hand| match hand.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect()
        });
        let mut refused = Vec::new();
        for result in results {
            refused.extend(result?);
        }
        Ok(refused)
    }

    /// Writes the entities of a piece: the positions of those that are refused.
    fn piece(
        &self,
        wishes: &[Wish],
        piece: &Piece,
    ) -> Result<Vec<(usize, ClientError)>, ClientError> {
        let own = piece.wishes.iter().filter_map(|at| wishes.get(*at));
        let own: Vec<Wish> = own.cloned().collect();
        let is_done = match piece.is_batch {
            true => self.in_batch(&own)?,
            false => own.len() > 1 && self.in_transaction(&own)?,
        };
        let mut refused = Vec::new();
        if is_done {
            return Ok(refused);
        }
        for (at, wish) in piece.wishes.iter().zip(&own) {
            match self.one(wish) {
                Ok(()) => {}
                Err(error) if is_refusal(&error) => refused.push((*at, error)),
                Err(error) => return Err(error),
            }
        }
        Ok(refused)
    }

    /// Writes entities from which nothing follows in one request; `false` where they are refused, or were written in part:
    /// each of them may be written again, alone, for as long as the target is waited for.
    fn in_batch(&self, wishes: &[Wish]) -> Result<bool, ClientError> {
        let Some(mapped) = wishes.first().and_then(|wish| self.mapped(wish)) else {
            return Ok(true);
        };
        let (model, entity) = (self.mapping.model, mapped.entity);
        let puts = wishes.iter().filter_map(|wish| wish.values.clone());
        let puts: Vec<Values> = puts.collect();
        let written = match puts.is_empty() {
            false => patient(|| put_many(self.backend, model, entity, &puts)),
            true => {
                let keys: Vec<Values> = wishes.iter().map(|wish| wish.key.clone()).collect();
                patient(|| delete_many(self.backend, model, entity, &keys))
            }
        };
        match written {
            Ok(_) => {
                self.wrote(wishes);
                Ok(true)
            }
            Err(ClientError::Incomplete(_)) => Ok(false),
            Err(error) if is_refusal(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn one(&self, wish: &Wish) -> Result<(), ClientError> {
        let Some(mapped) = self.mapped(wish) else {
            return Ok(());
        };
        let (model, entity) = (self.mapping.model, mapped.entity);
        let done = patient(|| match &wish.values {
            Some(values) => put(self.backend, model, entity, values),
            None => delete(self.backend, model, entity, &wish.key),
        });
        match done {
            Ok(_) => {
                self.wrote(std::slice::from_ref(wish));
                Ok(())
            }
            // It was gone already.
            Err(ClientError::NotFound(_)) if wish.values.is_none() => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Entities of one kind that are written as unique values become free.
struct Handing<'h, 'w, 'm> {
    writer: &'h Writer<'w, 'm>,
    mapped: &'h Mapped<'m>,
    wishes: &'h [Wish],
    hands: &'h Hands,
    /// Those for which nobody waits any more.
    free: BTreeSet<usize>,
    refused: BTreeMap<usize, Option<ClientError>>,
}

impl Handing<'_, '_, '_> {
    /// Writes some in their order, as many in a transaction as it holds.
    fn follow(&mut self, of: &BTreeSet<usize>, cuts_all: bool) -> Result<(), Unwritten> {
        let mut together: Vec<Vec<usize>> = Vec::new();
        for step in self.hands.order(of, cuts_all) {
            match step {
                Step::Write(all) => {
                    let mut with: Vec<usize> = together.iter().flatten().copied().collect();
                    with.extend(&all);
                    if !self.hands.fit(&with) {
                        self.flush(&std::mem::take(&mut together))?;
                    }
                    together.push(all);
                }
                Step::Give {
                    at,
                    uniques,
                    circle,
                } => {
                    self.flush(&std::mem::take(&mut together))?;
                    self.give(at, &uniques, &circle)?;
                }
            }
        }
        self.flush(&together)
    }

    fn wishes(&self, of: &[usize]) -> Vec<Wish> {
        let wishes = of.iter().filter_map(|at| self.wishes.get(*at));
        wishes.cloned().collect()
    }

    /// Writes some, of which those that wait for each other stand together.
    fn flush(&mut self, all: &[Vec<usize>]) -> Result<(), Unwritten> {
        if self.writer.progress.is_stopping() {
            return Err(Unwritten::Stopped);
        }
        let mut can: Vec<&Vec<usize>> = Vec::new();
        let mut with = BTreeSet::new();
        for one in all {
            with.extend(one);
            match self.waits(one, &with) {
                false => can.push(one),
                true => {
                    with.retain(|at| !one.contains(at));
                    self.refuse(one, None);
                }
            }
        }
        let own: Vec<usize> = can.iter().copied().flatten().copied().collect();
        if own.len() > 1 && self.writer.in_transaction(&self.wishes(&own))? {
            self.free.extend(own);
            return Ok(());
        }
        for one in can {
            if self.writer.progress.is_stopping() {
                return Err(Unwritten::Stopped);
            }
            match one.as_slice() {
                all if self.waits(all, &BTreeSet::new()) => {
                    self.refuse(all, None);
                }
                [at] => self.one(*at)?,
                all if own.len() > all.len()
                    && self.writer.in_transaction(&self.wishes(all))? =>
                {
                    self.free.extend(all);
                }
                // More follows from them than one transaction holds.
                all => self.follow(&all.iter().copied().collect(), true)?,
            }
        }
        Ok(())
    }

    /// Whether some wait for one that is not written, and stands neither among them nor among others.
    fn waits(&self, all: &[usize], with: &BTreeSet<usize>) -> bool {
        let mut before = all.iter().flat_map(|at| self.hands.before(*at));
        before.any(|at| !self.free.contains(&at) && !with.contains(&at) && !all.contains(&at))
    }

    fn refuse(&mut self, all: &[usize], error: Option<ClientError>) {
        for at in all {
            let known = self.refused.entry(*at).or_default();
            *known = known.take().or_else(|| error.clone());
        }
    }

    fn one(&mut self, at: usize) -> Result<(), Unwritten> {
        let Some(wish) = self.wishes.get(at) else {
            return Ok(());
        };
        match self.writer.one(wish) {
            Ok(()) => drop(self.free.insert(at)),
            Err(error) if is_refusal(&error) => self.refuse(&[at], Some(error)),
            Err(error) => return Err(Unwritten::Failed(error)),
        }
        Ok(())
    }

    /// One gives up the values of some unique lines, unless one of its circle cannot be written whatever is free.
    fn give(
        &mut self,
        at: usize,
        uniques: &BTreeSet<usize>,
        circle: &[usize],
    ) -> Result<(), Unwritten> {
        if self.writer.progress.is_stopping() {
            return Err(Unwritten::Stopped);
        }
        for wish in circle.iter().filter_map(|at| self.wishes.get(*at)) {
            if let Some(values) = &wish.values {
                self.mapped.items(&wish.row, values)?;
            }
        }
        let (Some(wish), model) = (self.wishes.get(at), self.mapped.model) else {
            return Ok(());
        };
        let entity = self.mapped.entity;
        for unique in uniques
            .iter()
            .filter_map(|number| entity.uniques.get(*number))
        {
            let mut given = Err(None);
            for way in giving::ways(self.mapped, unique, self.wishes) {
                let done = patient(|| match way.update(&wish.key) {
                    Some((changes, removed)) => {
                        update(self.writer.backend, model, entity, &changes, &removed)
                    }
                    None => delete(self.writer.backend, model, entity, &wish.key),
                });
                match done {
                    // It is gone, with all that it had.
                    Ok(_) | Err(ClientError::NotFound(_)) => given = Ok(()),
                    Err(error) if is_refusal(&error) => {
                        given = given.map_err(|first| Some(first.unwrap_or(error)));
                    }
                    Err(error) => return Err(Unwritten::Failed(error)),
                }
                if given.is_ok() {
                    break;
                }
            }
            if let Err(error) = given {
                self.refuse(&[at], error);
                return Ok(());
            }
        }
        self.free.insert(at);
        Ok(())
    }
}

/// Works on parts of wishes at the same time, each of which is worth a request: the results in the order of the
/// wishes.
fn in_parts<T: Send>(wishes: Vec<Wish>, work: impl Fn(Vec<Wish>) -> T + Sync) -> Vec<T> {
    let each = wishes.len().div_ceil(HANDS).next_multiple_of(PART_MIN);
    if wishes.len() <= each {
        return vec![work(wishes)];
    }
    let mut wishes = wishes.into_iter();
    let work = &work;
    std::thread::scope(|scope| {
        let mut hands = Vec::new();
        loop {
            let part: Vec<Wish> = wishes.by_ref().take(each).collect();
            if part.is_empty() {
                break;
            }
            hands.push(scope.spawn(move || work(part)));
        }
        let joined = hands.into_iter().map(|hand| match hand.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}

/// Whether the model refuses a write, so that others may have to come first.
fn is_refusal(error: &ClientError) -> bool {
    match error {
        ClientError::Value(_)
        | ClientError::Unknown(_)
        | ClientError::Named { .. }
        | ClientError::Missing { .. }
        | ClientError::Invalid(_)
        | ClientError::Exists(_)
        | ClientError::Refused(_)
        | ClientError::Taken { .. }
        | ClientError::StaleVersion(_)
        | ClientError::NotFound(_) => true,
        // An item that is too large, or an empty text in the key of an index.
        ClientError::Service { kind, .. } => *kind == Some(ErrorKind::Validation),
        ClientError::Transport(_)
        | ClientError::TimedOut(_)
        | ClientError::OutcomeUnknown { .. }
        | ClientError::TableDiffers { .. }
        | ClientError::UnknownItem(_)
        | ClientError::Overtaken(_)
        | ClientError::Incomplete(_) => false,
    }
}

impl Mapped<'_> {
    /// Why an entity is not written: what is wrong with its item, or else what the target says.
    fn unwritten(&self, wish: &Wish, error: &ClientError) -> Problem {
        let items = wish
            .values
            .as_ref()
            .map(|values| self.items(&wish.row, values));
        match items {
            Some(Err(problem)) => problem,
            Some(Ok(_)) | None => self.problem(&wish.row, error.to_string()),
        }
    }

    /// The first attribute of a stored entity that is not what a row says. What the model keeps itself is not
    /// compared, and neither is what it makes where a row says nothing.
    pub(crate) fn unlike(&self, values: &Values, stored: &Values) -> Option<&str> {
        let mut all = self.entity.attributes.iter();
        let unlike = all.find(|attribute| {
            let is_made = attribute.default.is_some() && !values.contains_key(&attribute.name);
            let is_compared = !attribute.is_kept && !is_made;
            is_compared && values.get(&attribute.name) != stored.get(&attribute.name)
        });
        unlike.map(|attribute| attribute.name.as_str())
    }
}
