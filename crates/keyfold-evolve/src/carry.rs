//! Reads the items of tables in segments, and writes what differs from what the new model wants.
//!
//! An entity is read again where a write finds that it has changed, and where an answer was lost: what is
//! right by then needs no write.

use crate::course::table_of;
use crate::course::{Course, Sort};
use crate::decode::Moment;
use crate::hands::{Hands, Stop};
use crate::problem::{Problem, ProblemKind};
use crate::request::{request, units};
use crate::seen::{EXAMPLES_MAX, Seen, locked};
use crate::shares::{Shares, digest};
use crate::threads::each;
use crate::wish::{
    Action, Aim, Beside, Does, Found, Is, Wish, Wished, key_of, part_keys, place, shown, wish,
};
use keyfold_api::{ErrorKind, GetItemInput};
use keyfold_client::ClientError;
use keyfold_client::kinds::Role;
use keyfold_model::Table;
use keyfold_motion::Patience;
use keyfold_types::{Item, Value};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// How often an entity is read again that others change without end.
const TRIES: u32 = 50;

const EITHER: &str =
    "the old model takes it for an item of one entity, and the new one for that of another";
const UNTAKEN: &str = "no entity of the new model takes it: each takes items with other values";

/// What a phase does to the items that it reads.
#[derive(Clone)]
pub(crate) struct Task<'c, 'm> {
    pub(crate) course: &'c Course<'m>,
    /// The pairs of entities whose items are brought into the form of the new version.
    pub(crate) pairs: BTreeSet<usize>,
    /// The entities of the old model whose items beside those that stay are deleted.
    pub(crate) dropped: BTreeSet<usize>,
    /// Whether items that only the old model knows are deleted.
    pub(crate) deletes_leftovers: bool,
    /// Whether items of other pairs, in tables that are read, lose what earlier versions have left where the new one
    /// reads something else.
    pub(crate) sweeps: bool,
    /// What aggregates are computed to be, where the task does that.
    pub(crate) shares: Option<&'c Shares<'m>>,
    /// A check that the run still has the evolution, in each write of what is computed: a run that stood
    /// still writes nothing over the changes of those who write by then.
    pub(crate) guard: Option<Action>,
}

/// An entity with its pair and its main item, and what is wanted of it.
type Due<'i> = (usize, &'i Item, Wish);

/// Whether writes are sent.
pub(crate) enum Mode<'s> {
    Write,
    Dry(&'s Mutex<Seen>),
    /// Names the entities that claim one of these keys.
    Name(&'s BTreeSet<u128>, &'s Mutex<Seen>),
}

impl<'m> Task<'_, 'm> {
    /// The table of either model that a stored table is.
    pub(crate) fn table(&self, name: &str) -> Option<&'m Table> {
        let new = table_of(self.course.new, name);
        let found = new.or_else(|| table_of(self.course.old, name));
        found.map(|(_, table)| table)
    }

    /// Carries out a page of items, and returns how many of its entities changed, and the writes.
    pub(crate) fn page(
        &self,
        hands: &Hands<'m>,
        table: &str,
        items: &[Item],
        mode: &Mode<'_>,
    ) -> Result<(u64, u64), Stop> {
        let (mut mains, mut left, mut unknown) = (Vec::new(), Vec::new(), 0);
        for item in items {
            match self.sorted(table, item) {
                Sort::Main(pair) if self.is_due(hands, pair, item) => mains.push((pair, item)),
                Sort::Main(_) => {}
                Sort::Either => self.unclear(table, item, EITHER, mode)?,
                Sort::Untaken => self.unclear(table, item, UNTAKEN, mode)?,
                Sort::Known if self.deletes_leftovers && self.is_leftover(table, item) => {
                    left.push(item);
                }
                Sort::Known => {}
                Sort::Unknown => {
                    unknown += 1;
                    if let (Mode::Dry(seen), Some(own)) = (mode, self.table(table)) {
                        let mut seen = locked(seen);
                        if !seen.is_again && seen.unknown.len() < EXAMPLES_MAX {
                            seen.unknown.push((table.to_owned(), key_of(own, item)));
                        }
                    }
                }
            }
        }
        let is_old = |item: &Item| self.course.old_kind(table, item).is_some();
        if let Mode::Dry(seen) = mode {
            let is_first = {
                let mut seen = locked(seen);
                seen.read(table, items.len() as u64);
                seen.has_old |= items.iter().any(is_old);
                seen.unknown_count += if seen.is_again { 0 } else { unknown };
                !seen.is_again
            };
            for item in items.iter().filter(|_| is_first) {
                if let Some(problem) = self.stray(hands, table, item)? {
                    locked(seen).add(problem);
                }
            }
        }
        let entities = mains.len() as u64;
        hands.progress.read(items.len() as u64, entities, unknown);
        let mut done = self.entities(hands, table, &mains, mode)?;
        for item in left {
            let writes = self.leftover(hands, table, item, mode)?;
            done.0 += u64::from(writes > 0);
            done.1 += writes;
        }
        Ok(done)
    }

    fn unclear(&self, table: &str, item: &Item, why: &str, mode: &Mode<'_>) -> Result<(), Stop> {
        let key = self
            .table(table)
            .map(|own| key_of(own, item))
            .unwrap_or_default();
        let problem = Problem {
            kind: ProblemKind::Unreadable,
            table: table.to_owned(),
            key,
            message: why.to_owned(),
        };
        match mode {
            Mode::Write => Err(failed(&problem)),
            Mode::Dry(seen) => {
                locked(seen).add(problem);
                Ok(())
            }
            Mode::Name(..) => Ok(()),
        }
    }

    /// Whether an entity is one of this pass over those whose aggregates are computed.
    fn is_due(&self, hands: &Hands<'_>, pair: usize, main: &Item) -> bool {
        self.shares.is_none_or(|shares| {
            !shares.keeps(pair) || shares.is_due(self.course, pair, main, Task::moment(hands))
        })
    }

    /// The writes of an entity with the guard, where its aggregates are computed.
    fn guarded(&self, pair: usize, mut actions: Vec<Action>) -> Vec<Action> {
        let is_computed = self.shares.is_some_and(|shares| shares.keeps(pair));
        if is_computed && !actions.is_empty() {
            actions.extend(self.guard.clone());
        }
        actions
    }

    pub(crate) fn moment(hands: &Hands<'_>) -> Moment {
        let [high, low] = [hands.world.random(), hands.world.random()];
        Moment {
            now_epoch_ms: hands.world.epoch_ms(),
            random: (u128::from(high) << 64) | u128::from(low),
        }
    }

    /// What is wanted of an entity whose main item was read.
    pub(crate) fn wish(
        &self,
        hands: &Hands<'m>,
        (pair, table, main): (usize, &str, &Item),
    ) -> Result<Result<Wish, Problem>, Stop> {
        let Some(of) = self.course.pairs.get(pair) else {
            return Err(Stop::Failed(ClientError::refused(
                "no such entity".to_owned(),
            )));
        };
        let mut items = vec![main.clone()];
        let keys = part_keys(of, main)?;
        if !keys.is_empty() {
            let wanted = keys
                .iter()
                .map(|key| (table.to_owned(), key.clone()))
                .collect();
            let mut found = hands.get(wanted, &|name| self.table(name))?;
            items.extend(
                keys.iter()
                    .filter_map(|key| found.remove(&place(table, key))),
            );
        }
        let old = self
            .course
            .old
            .entities
            .iter()
            .position(|one| one.name == of.old.name);
        let beside = match old.is_some_and(|old| self.dropped.contains(&old)) {
            true => Beside::Goes,
            false => Beside::Stays,
        };
        let aim = Aim {
            moment: Task::moment(hands),
            beside,
            shares: self.shares.map(|shares| (shares, pair)),
        };
        let wish = wish(of, (table, &items), aim);
        Ok(wish.map(|mut wish| {
            // Where an item stays, what the new model does not know beside it is found by the scan, also of
            // former values.
            let is_in_place = wish.target.is_some();
            wish.others.retain(|one| {
                let is_former = matches!(one.is, Is::Former(_));
                !(is_in_place && is_former && self.course.new_kind(&one.table, &one.key).is_none())
            });
            wish
        }))
    }

    fn actions(&self, pair: usize, wish: &Wish, found: &Found) -> Result<Vec<Action>, Problem> {
        let stands = |wished: &Wished, item: &Item| self.stands(pair, wish, wished, item);
        let actions = wish.actions(found, &stands)?;
        Ok(self.guarded(pair, actions))
    }

    fn others(wish: &Wish) -> impl Iterator<Item = (String, Item)> + '_ {
        wish.others
            .iter()
            .map(|one| (one.table.clone(), one.key.clone()))
    }

    /// Carries out entities of a page; what stands beside them is read at once.
    fn entities(
        &self,
        hands: &Hands<'m>,
        table: &str,
        mains: &[(usize, &Item)],
        mode: &Mode<'_>,
    ) -> Result<(u64, u64), Stop> {
        let mut wishes = Vec::new();
        for (pair, main) in mains {
            match (self.wish(hands, (*pair, table, main))?, mode) {
                (Ok(wish), _) => wishes.push((*pair, *main, wish)),
                (Err(problem), Mode::Dry(seen)) => locked(seen).add(problem),
                (Err(_), Mode::Name(..)) => {}
                // A writer was between its two reads, or it is to be reported.
                (Err(_), Mode::Write) => {
                    let writes = self.again(hands, (*pair, table, main))?;
                    if writes > 0 {
                        hands.progress.wrote(writes);
                    }
                }
            }
        }
        if let Mode::Name(wanted, seen) = mode {
            name(&wishes, wanted, seen);
            return Ok((0, 0));
        }
        let keys = wishes
            .iter()
            .flat_map(|(_, _, wish)| Task::others(wish))
            .collect();
        let found = hands.get(keys, &|name| self.table(name))?;
        let done = Mutex::new((0, 0));
        // Writes of several entities are under way at once: a group of them shares one sync of the log.
        let most = match mode {
            // Transactions that check the same row are in each other's way.
            Mode::Write if self.guard.is_some() => 1,
            Mode::Write => hands.options.writers.max(1),
            Mode::Dry(_) | Mode::Name(..) => 1,
        };
        let size = wishes.len().div_ceil(usize::try_from(most).unwrap_or(1));
        let chunks: Vec<&[Due]> = wishes.chunks(size.max(1)).collect();
        let parts = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
        each(parts, |part| {
            let chunk = usize::try_from(part).ok().and_then(|at| chunks.get(at));
            for one in chunk.copied().unwrap_or_default() {
                hands.check()?;
                let writes = self.one(hands, table, one, (&found, mode))?;
                if writes > 0 {
                    hands.progress.wrote(writes);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    *done = (done.0 + 1, done.1 + writes);
                }
            }
            Ok(())
        })?;
        Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Carries out what one entity needs, and returns the writes.
    fn one(
        &self,
        hands: &Hands<'m>,
        table: &str,
        (pair, main, wish): &Due<'_>,
        (found, mode): (&Found, &Mode<'_>),
    ) -> Result<u64, Stop> {
        match mode {
            Mode::Dry(seen) => Ok(self.seen(*pair, (wish, found), seen)),
            Mode::Write | Mode::Name(..) => match self.actions(*pair, wish, found) {
                Ok(actions) if actions.is_empty() => Ok(0),
                Ok(actions) => match send(hands, &mut Patience::new(), &actions)? {
                    Sent::Happened => Ok(count(&actions)),
                    Sent::Stale | Sent::Unclear => self.again(hands, (*pair, table, main)),
                },
                Err(_) => self.again(hands, (*pair, table, main)),
            },
        }
    }

    /// What a dry run sees of an entity: its claims, and the writes that it needs.
    fn seen(&self, pair: usize, (wish, found): (&Wish, &Found), seen: &Mutex<Seen>) -> u64 {
        let actions = self.actions(pair, wish, found);
        let mut seen = locked(seen);
        let claims = wish.claims.iter();
        seen.claims
            .extend(claims.map(|(table, key, kind)| (digest(table, key), *kind)));
        if let Some(problem) = self.wrong_index_key(wish) {
            seen.add(problem);
        }
        match actions {
            Err(problem) => {
                seen.add(problem);
                0
            }
            Ok(actions) if actions.is_empty() => 0,
            Ok(actions) => {
                seen.units += units(&actions);
                seen.requests += 1;
                count(&actions)
            }
        }
    }

    /// A key attribute of an index that would have another type than the index says.
    fn wrong_index_key(&self, wish: &Wish) -> Option<Problem> {
        let target = wish.target.as_ref()?;
        let table = self.table(&wish.table)?;
        let mut columns = table.indexes.iter().flat_map(|index| index.columns());
        let wrong = columns.find(|column| {
            target.get(&column.name).is_some_and(|held| {
                let word = match held {
                    Value::S(text) => (!text.is_empty()).then_some(keyfold_types::KeyKind::S),
                    Value::N(_) => Some(keyfold_types::KeyKind::N),
                    Value::B(_) => Some(keyfold_types::KeyKind::B),
                    Value::Bool(_)
                    | Value::Null
                    | Value::L(_)
                    | Value::M(_)
                    | Value::Ss(_)
                    | Value::Ns(_)
                    | Value::Bs(_) => None,
                };
                word != Some(column.kind)
            })
        })?;
        Some(Problem {
            kind: ProblemKind::IndexKey,
            table: wish.table.clone(),
            key: wish.key.clone(),
            message: format!(
                "`{}` is no {}, which an index has as its key",
                wrong.name,
                wrong.word()
            ),
        })
    }

    /// Reads an entity again, and writes it, until it is as it is wanted. Returns the writes.
    fn again(
        &self,
        hands: &Hands<'m>,
        (pair, table, main): (usize, &str, &Item),
    ) -> Result<u64, Stop> {
        let Some(own) = self.table(table) else {
            return Ok(0);
        };
        let key = key_of(own, main);
        let (mut problem, mut patience, mut tried) = (None, Patience::new(), 0);
        while tried < TRIES {
            hands.check()?;
            if let Some(guard) = &self.guard {
                still_mine(hands, guard)?;
            }
            if tried > 0 {
                hands.progress.conflict();
                let most = 1_u64 << tried.min(8);
                let time = hands.world.random() % most.max(1);
                hands.world.pause(std::time::Duration::from_millis(time));
            }
            tried += 1;
            let wanted = vec![(table.to_owned(), key.clone())];
            let found = hands.get(wanted, &|name| self.table(name))?;
            let Some(main) = found.get(&place(table, &key)) else {
                return Ok(0);
            };
            if self.sorted(table, main) != Sort::Main(pair) {
                return Ok(0);
            }
            let wish = match self.wish(hands, (pair, table, main))? {
                Ok(wish) => wish,
                Err(found) => {
                    problem = Some(found);
                    // A list may have been read between two of its writes.
                    if tried > 5 {
                        break;
                    }
                    continue;
                }
            };
            let found = hands.get(Task::others(&wish).collect(), &|name| self.table(name))?;
            match self.actions(pair, &wish, &found) {
                Err(found) => {
                    problem = Some(found);
                    if tried > 5 {
                        break;
                    }
                }
                Ok(actions) if actions.is_empty() => return Ok(0),
                Ok(actions) => match send(hands, &mut patience, &actions)? {
                    Sent::Happened => return Ok(count(&actions)),
                    Sent::Stale => {}
                    // It was waited out, which is no work of others.
                    Sent::Unclear => tried -= 1,
                },
            }
        }
        Err(problem.map_or_else(|| without_end(table, &key), |problem| failed(&problem)))
    }

    /// Whether only the old model knows an item, of an entity whose items are deleted; or whether it may be
    /// a copy that no item has any more.
    fn is_leftover(&self, table: &str, item: &Item) -> bool {
        let Some(old) = self.course.old_kind(table, item) else {
            return false;
        };
        if !self.dropped.contains(&old.at) {
            return false;
        }
        // The main item of an entity that the new model has is never deleted.
        let is_kept = old.role == Role::Main && self.course.pair_of_old(old.at).is_some();
        let is_part = self
            .table(table)
            .is_some_and(|own| old.part_of(own, item).is_some_and(|(_, at)| at > 0));
        if is_kept && !is_part {
            return false;
        }
        match self.course.new_kind(table, item) {
            None => true,
            Some(new) => matches!((old.role, new.role), (Role::Copy(_), Role::Copy(_))),
        }
    }

    /// Deletes an item that only the old model has. Of a copy under a key of the new model, its entity is
    /// asked.
    fn leftover(
        &self,
        hands: &Hands<'m>,
        table: &str,
        item: &Item,
        mode: &Mode<'_>,
    ) -> Result<u64, Stop> {
        let Some(own) = self.table(table) else {
            return Ok(0);
        };
        let mut item = item.clone();
        let key = key_of(own, &item);
        let (mut patience, mut tried) = (Patience::new(), 0);
        while tried < TRIES {
            hands.check()?;
            let Some(mut actions) = self.unowned(hands, table, &item)? else {
                return Ok(0);
            };
            actions.push(Action {
                table: table.to_owned(),
                key: key.clone(),
                before: Some(item.clone()),
                absent: Vec::new(),
                does: Does::Delete,
            });
            match mode {
                Mode::Write => {}
                Mode::Dry(seen) => {
                    let mut seen = locked(seen);
                    seen.units += units(&actions);
                    seen.requests += 1;
                    return Ok(1);
                }
                Mode::Name(..) => return Ok(0),
            }
            match send(hands, &mut patience, &actions)? {
                Sent::Happened => return Ok(1),
                Sent::Stale => tried += 1,
                Sent::Unclear => {}
            }
            let found = hands.get(vec![(table.to_owned(), key.clone())], &|name| {
                self.table(name)
            })?;
            match found.get(&place(table, &key)) {
                Some(now) if self.is_leftover(table, now) => item = now.clone(),
                Some(_) | None => return Ok(0),
            }
        }
        Err(without_end(table, &key))
    }

    /// Whether no entity of the new model has an item: the check of its entity, if it is one's copy; `None`
    /// where one has it, or where its entity is not known.
    fn unowned(
        &self,
        hands: &Hands<'m>,
        table: &str,
        item: &Item,
    ) -> Result<Option<Vec<Action>>, Stop> {
        let Some(new) = self.course.new_kind(table, item) else {
            return Ok(Some(Vec::new()));
        };
        let (Some(entity), Some(own)) = (self.course.new.entities.get(new.at), self.table(table))
        else {
            return Ok(None);
        };
        let Role::Copy(at) = new.role else {
            return Ok(None);
        };
        let copy = entity.copies.get(at);
        let names = entity.key.fields();
        let values =
            keyfold_lower::stored::values_of(own, entity, copy, names, std::slice::from_ref(item));
        let Ok(values) = values else { return Ok(None) };
        let Ok(owner) = keyfold_lower::derive::Place::of(self.course.new, entity, &values) else {
            return Ok(None);
        };
        let wanted = vec![(owner.table_name.clone(), owner.key.clone())];
        let found = hands.get(wanted, &|name| self.table(name))?;
        let key = key_of(own, item);
        let main = found.get(&place(&owner.table_name, &owner.key));
        if let Some(main) = main {
            let Some(pair) = self.course.pair_of_new(new.at) else {
                return Ok(None);
            };
            let Ok(wish) = self.wish(hands, (pair, &owner.table_name, main))? else {
                return Ok(None);
            };
            // What goes goes with its entity.
            let is_wanted = wish.others.iter().any(|one| {
                one.table == table
                    && one.key == key
                    && matches!(one.is, Is::Beside(_) | Is::Guard(_) | Is::Former(_))
            });
            if is_wanted {
                return Ok(None);
            }
        }
        Ok(Some(vec![Action {
            table: owner.table_name,
            key: owner.key,
            before: main.cloned(),
            absent: Vec::new(),
            does: Does::Check,
        }]))
    }
}

/// Names the entities that claim one of these keys.
fn name(wishes: &[(usize, &Item, Wish)], wanted: &BTreeSet<u128>, seen: &Mutex<Seen>) {
    for (_, _, wish) in wishes {
        for (table, key, kind) in &wish.claims {
            if wanted.contains(&digest(table, key)) {
                let message = match *kind == ProblemKind::NotUnique {
                    true => "another item has the same unique value",
                    false => "another item gets the same key",
                };
                locked(seen).add(Problem {
                    kind: *kind,
                    table: wish.table.clone(),
                    key: wish.key.clone(),
                    message: format!("{message} ({})", shown(key)),
                });
            }
        }
    }
}

/// The items that actions write.
fn count(actions: &[Action]) -> u64 {
    let writes = actions.iter().filter(|one| one.does != Does::Check);
    writes.count() as u64
}

pub(crate) fn failed(problem: &Problem) -> Stop {
    Stop::Failed(ClientError::refused(format!(
        "{} of {}: {}",
        shown(&problem.key),
        problem.table,
        problem.message
    )))
}

fn without_end(table: &str, key: &Item) -> Stop {
    Stop::Failed(ClientError::refused(format!(
        "the item {} of {table} is written by others without end: run the same command again",
        shown(key)
    )))
}

/// What became of actions that were sent.
enum Sent {
    /// They were carried out.
    Happened,
    /// An item was another one than the actions expected: the entity is to be read again.
    Stale,
    /// Whether they were carried out is not known, or they were refused for a while, which is over. The entity is to
    /// be read again.
    Unclear,
}

/// Sends actions. `patience` is that of the entity: an error that lasts ends it.
fn send(hands: &Hands<'_>, patience: &mut Patience, actions: &[Action]) -> Result<Sent, Stop> {
    let error = match hands.once(request(actions)) {
        Ok(_) => return Ok(Sent::Happened),
        Err(error) => error,
    };
    let is_stale = error.kind() == Some(ErrorKind::ConditionalCheckFailed)
        || matches!(&error, ClientError::Service { kind: Some(ErrorKind::TransactionCanceled), reasons, .. }
            if reasons.iter().any(|(code, _)| *code == keyfold_api::ReasonCode::ConditionalCheckFailed));
    if is_stale {
        return Ok(Sent::Stale);
    }
    hands.wait_out(patience, error)?;
    Ok(Sent::Unclear)
}

/// Ends a run that does not have the evolution any more, as its guard says.
fn still_mine(hands: &Hands<'_>, guard: &Action) -> Result<(), Stop> {
    let input = GetItemInput {
        table_name: Some(guard.table.clone()),
        key: Some(Ok(guard.key.clone())),
        consistent_read: Some(true),
        ..GetItemInput::default()
    };
    let now = hands.ask(input)?.item.map(|item| item.to_item());
    let fence = |item: &Item| item.get("fence").cloned();
    match now.as_ref().and_then(fence) == guard.before.as_ref().and_then(fence) {
        true => Ok(()),
        false => Err(Stop::Lost),
    }
}
