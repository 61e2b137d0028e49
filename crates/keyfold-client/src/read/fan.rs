//! Patterns over several partitions or tables: one period after the other, or all shards merged by
//! sort key.

use super::assemble::{Kinds, cursor};
use super::request::one_page;
use super::{Asked, Question, Raw};
use crate::arguments::Values;
use crate::error::ClientError;
use crate::expression::order;
use keyfold_model::{Fan, Type, Unit, value};
use keyfold_types::{Item, Value};
use std::cmp::Ordering;

/// The member of a cursor that names the period it is in.
const PERIOD: &str = "#period";
/// The member of a shard's cursor when it has been read to its end.
const DONE: &str = "#done";

/// Reads period after period until the page is full.
pub(super) fn periods(
    question: &Question<'_>,
    kinds: &Kinds<'_>,
    after: Option<Item>,
    now_epoch_ms: i64,
) -> Result<Raw, ClientError> {
    let Fan::Periods {
        unit,
        attribute,
        kind,
        low,
        high,
    } = &question.plan.fan
    else {
        return Ok(Raw::default());
    };
    if kinds.is_split() {
        return Err(ClientError::Refused(
            "items that are split are not read over several periods; ask for one period".to_owned(),
        ));
    }
    let given = |name: &String| question.arguments.get(name).cloned();
    let low = given(low).ok_or_else(|| ClientError::Missing(format!("{low}=… is missing")))?;
    let high = match high {
        Some(name) => {
            given(name).ok_or_else(|| ClientError::Missing(format!("{name}=… is missing")))?
        }
        // Without an upper end, up to the present period.
        None => value::time_of_epoch_ms(kind, now_epoch_ms).unwrap_or_else(|| low.clone()),
    };
    let mut periods = value::bucket(attribute, *unit, &low, &high)?;
    if is_descending(question) {
        periods.reverse();
    }
    let (mut start, mut after) = (0, after);
    if let Some(key) = &mut after
        && let Some(Value::S(period)) = key.remove(PERIOD)
    {
        start = periods
            .iter()
            .position(|known| *known == period)
            .unwrap_or(0);
    }
    let mut after = after.filter(|key| !key.is_empty());
    let mut raw = Raw::default();
    let asked = Asked {
        operation: "Query".to_owned(),
        place: question.plan.place(),
        condition: question.plan.key_condition(),
        modifiers: format!("{} {}s", periods.len().saturating_sub(start), unit.word()),
    };
    for period in periods.iter().skip(start) {
        loop {
            let left = question
                .limit
                .map(|limit| limit.saturating_sub(count(&raw)));
            if left == Some(0) {
                raw.next = Some(with_period(after.take().unwrap_or_default(), period));
                raw.asked = asked;
                return Ok(raw);
            }
            let arguments = in_period(question, attribute, kind, *unit, period);
            let page = one_page(question, &arguments, after.take(), left)?;
            after = page.next.clone();
            raw.add(page);
            if after.is_none() {
                break;
            }
        }
    }
    raw.asked = asked;
    Ok(raw)
}

fn count(raw: &Raw) -> u32 {
    u32::try_from(raw.items.len()).unwrap_or(u32::MAX)
}

/// Periods follow the order of the pattern: the latest first where its times do.
fn is_descending(question: &Question<'_>) -> bool {
    (question.plan.descending != question.backward) != question.plan.is_reversed
}

fn with_period(mut key: Item, period: &str) -> Item {
    key.insert(PERIOD, period);
    key
}

/// The arguments with a time of the period, from which its partition and table follow.
fn in_period(
    question: &Question<'_>,
    attribute: &str,
    kind: &Type,
    unit: Unit,
    period: &str,
) -> Values {
    let precision = match kind {
        Type::Time(precision) => Some(*precision),
        _ => None,
    };
    let mut arguments = question.arguments.clone();
    arguments.insert(
        attribute.to_owned(),
        Value::S(Unit::first_time(period, precision)),
    );
    debug_assert!(unit.width() == period.len());
    arguments
}

/// The items read of one shard.
struct Shard {
    items: Vec<Item>,
    /// The key after which it goes on; none at its end.
    next: Option<Item>,
    /// The key after which it was begun.
    start: Option<Item>,
    was_done: bool,
}

/// Reads a page of each shard and merges them by sort key.
pub(super) fn shards(
    question: &Question<'_>,
    kinds: &Kinds<'_>,
    count: u32,
    after: Option<Item>,
) -> Result<Raw, ClientError> {
    if kinds.is_split() {
        return Err(ClientError::Refused(
            "items that are split are not read over several shards".to_owned(),
        ));
    }
    let mut raw = Raw::default();
    let mut shards = Vec::new();
    for number in 0..count {
        let start = after
            .as_ref()
            .and_then(|all| all.get(&name_of(number)))
            .cloned();
        let (start, was_done) = match start {
            Some(Value::M(map)) if map.contains_key(DONE) => (None, true),
            Some(Value::M(map)) => (
                Some(Item::from_iter(map)).filter(|key| !key.is_empty()),
                false,
            ),
            _ => (None, false),
        };
        let mut shard = Shard {
            items: Vec::new(),
            next: None,
            start,
            was_done,
        };
        if !was_done {
            read_shard(question, number, &mut shard, &mut raw)?;
        }
        shards.push(shard);
    }
    raw.asked.condition = question.plan.key_condition();
    raw.asked.place = question.plan.place();
    let taken = merge(question, &mut shards, &mut raw);
    let unfinished = shards
        .iter()
        .zip(&taken)
        .any(|(shard, taken)| *taken < shard.items.len() || shard.next.is_some());
    if unfinished {
        raw.next = Some(
            shards
                .iter()
                .zip(&taken)
                .enumerate()
                .map(|(number, (shard, taken))| {
                    let position = position(question, shard, *taken);
                    let number = u32::try_from(number).unwrap_or(u32::MAX);
                    (name_of(number), Value::M(position.into_map()))
                })
                .collect(),
        );
    }
    Ok(raw)
}

fn name_of(number: u32) -> String {
    format!("#shard{number}")
}

/// A page of a shard; all of it, if the pattern has no page.
fn read_shard(
    question: &Question<'_>,
    number: u32,
    shard: &mut Shard,
    raw: &mut Raw,
) -> Result<(), ClientError> {
    let mut arguments = question.arguments.clone();
    arguments.insert(value::SHARD.to_owned(), Value::from(i64::from(number)));
    let mut after = shard.start.clone();
    loop {
        let mut page = one_page(question, &arguments, after.take(), question.limit)?;
        shard.items.append(&mut page.items);
        shard.next = page.next.clone();
        raw.add(page);
        match (&shard.next, question.limit) {
            (Some(key), None) => after = Some(key.clone()),
            _ => return Ok(()),
        }
    }
}

/// Takes items in order from all shards, as many as a page holds and no further than every shard
/// has been read; gives how many were taken of each.
fn merge(question: &Question<'_>, shards: &mut [Shard], raw: &mut Raw) -> Vec<usize> {
    let descending = question.plan.descending != question.backward;
    let compare = |one: &Item, two: &Item| {
        let by_sort = question.plan.sort_attributes.iter().map(|attribute| {
            match (one.get(attribute), two.get(attribute)) {
                (Some(one), Some(two)) => order(one, two).unwrap_or(Ordering::Equal),
                _ => Ordering::Equal,
            }
        });
        let ordering = by_sort.fold(Ordering::Equal, Ordering::then);
        if descending {
            ordering.reverse()
        } else {
            ordering
        }
    };
    // Items behind the end of an unfinished page may come before those of other shards.
    let bound = shards
        .iter()
        .filter_map(|shard| shard.next.clone())
        .min_by(|one, two| compare(one, two));
    let mut taken = vec![0; shards.len()];
    let limit = question.limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    while raw.items.len() < limit {
        let heads = shards.iter().enumerate().filter_map(|(at, shard)| {
            let head = shard.items.get(taken.get(at).copied()?)?;
            Some((at, head))
        });
        let first = heads.min_by(|(_, one), (_, two)| compare(one, two));
        let Some((at, head)) = first else { break };
        if bound
            .as_ref()
            .is_some_and(|bound| compare(head, bound) == Ordering::Greater)
        {
            break;
        }
        raw.items.push(head.clone());
        if let Some(count) = taken.get_mut(at) {
            *count += 1;
        }
    }
    taken
}

/// The place where a shard goes on: behind the last item taken.
fn position(question: &Question<'_>, shard: &Shard, taken: usize) -> Item {
    let done = || {
        let mut key = Item::new();
        key.insert(DONE, true);
        key
    };
    if shard.was_done {
        return done();
    }
    if taken == shard.items.len() {
        return match &shard.next {
            Some(key) => key.clone(),
            None => done(),
        };
    }
    match taken.checked_sub(1).and_then(|last| shard.items.get(last)) {
        Some(item) => cursor(question, item),
        None => shard.start.clone().unwrap_or_default(),
    }
}
