//! Patterns over several partitions or tables: the periods one after the other, or all shards
//! merged by sort key.

use super::answer::{Asked, Raw};
use super::assemble::Kinds;
use super::cursor::{self, ShardPosition};
use super::places::Places;
use super::question::Question;
use super::request::one_page;
use crate::arguments::Values;
use crate::error::ClientError;
use crate::lowering::together;
use keyfold_model::{Fan, Type, Unit, value};
use keyfold_types::{Item, Value};

/// Reads a page of several periods.
pub(super) async fn periods(
    question: &Question<'_>,
    kinds: &Kinds<'_>,
    after: Option<Item>,
    now_epoch_ms: i64,
) -> Result<Raw, ClientError> {
    let Fan::Periods { unit, .. } = &question.plan.fan else {
        return Ok(Raw::default());
    };
    if kinds.is_split() {
        return Err(ClientError::refused(
            "items that are split are not read over several periods; ask for one period".to_owned(),
        ));
    }
    let periods = periods_of(question, now_epoch_ms)?;
    let (period, after) = cursor::split_period(after);
    let start = periods
        .iter()
        .position(|known| period.as_ref() == Some(known))
        .unwrap_or(0);
    let left = periods.get(start..).unwrap_or_default();
    let mut raw = match question.limit {
        None => whole_periods(question, left, after).await?,
        Some(limit) => until_full(question, left, after, limit).await?,
    };
    raw.asked = Asked {
        operation: "Query".to_owned(),
        place: question.plan.place(),
        condition: question.plan.key_condition(),
        modifiers: format!("{} {}s", left.len(), unit.word()),
    };
    Ok(raw)
}

/// Reads periods one after the other until the page is full.
async fn until_full(
    question: &Question<'_>,
    periods: &[String],
    mut after: Option<Item>,
    limit: u32,
) -> Result<Raw, ClientError> {
    let mut raw = Raw::default();
    for period in periods {
        let mut places = Places::default();
        loop {
            let left = limit.saturating_sub(count(&raw));
            if left == 0 {
                raw.next = Some(cursor::in_period(after.take(), period));
                return Ok(raw);
            }
            let page = page_of_period(question, period, after.take(), Some(left)).await?;
            after = page.next.clone();
            places.go_on(question.name, after.as_ref())?;
            raw.add(page);
            if after.is_none() {
                break;
            }
        }
    }
    Ok(raw)
}

/// Reads all of the periods at the same time, the first of them after a key. Without a limit every one
/// is read, whatever the others hold.
async fn whole_periods(
    question: &Question<'_>,
    periods: &[String],
    after: Option<Item>,
) -> Result<Raw, ClientError> {
    let parts = periods.iter().enumerate().map(|(at, period)| {
        let after = after.clone().filter(|_| at == 0);
        whole_period(question, period, after)
    });
    let mut raw = Raw::default();
    for part in together(parts).await {
        raw.add(part?);
    }
    Ok(raw)
}

/// Reads a period to its end.
async fn whole_period(
    question: &Question<'_>,
    period: &str,
    mut after: Option<Item>,
) -> Result<Raw, ClientError> {
    let (mut raw, mut places) = (Raw::default(), Places::default());
    loop {
        let page = page_of_period(question, period, after.take(), None).await?;
        after = page.next.clone();
        places.go_on(question.name, after.as_ref())?;
        raw.add(page);
        if after.is_none() {
            return Ok(raw);
        }
    }
}

/// Reads a page of a period.
async fn page_of_period(
    question: &Question<'_>,
    period: &str,
    after: Option<Item>,
    limit: Option<u32>,
) -> Result<Raw, ClientError> {
    let Some((arguments, shards)) = in_period(question, period) else {
        return Ok(Raw::default());
    };
    match shards {
        None => one_page(question, &arguments, after, limit).await,
        Some(count) => merged(question, count, &arguments, after, limit).await,
    }
}

/// Whether a cursor names a period that is read, and has a key or positions of shards in it, if any.
pub(super) fn is_in_periods(
    question: &Question<'_>,
    after: &Item,
    now_epoch_ms: i64,
) -> Result<bool, ClientError> {
    let (Some(period), key) = cursor::split_period(Some(after.clone())) else {
        return Ok(false);
    };
    if !periods_of(question, now_epoch_ms)?.contains(&period) {
        return Ok(false);
    }
    let Some((arguments, shards)) = in_period(question, &period) else {
        return Ok(false);
    };
    Ok(key.is_none_or(|key| match shards {
        None => cursor::is_own_key(question, &arguments, &key),
        Some(count) => cursor::is_in_shards(question, count, &arguments, &key),
    }))
}

/// The periods that the arguments ask for, in the order in which they are read: the latest first
/// where the answer has the latest times first.
fn periods_of(question: &Question<'_>, now_epoch_ms: i64) -> Result<Vec<String>, ClientError> {
    let Fan::Periods {
        unit,
        attribute,
        kind,
        low,
        high,
        shards: _,
    } = &question.plan.fan
    else {
        return Ok(Vec::new());
    };
    let given = |name: &String| {
        let held = question.arguments.get(name).cloned();
        held.ok_or_else(|| ClientError::missing("the pattern", name))
    };
    let from = given(low)?;
    let until = match high {
        Some(name) => given(name)?,
        // Without an upper end, the present period is the last.
        None => value::time_of_epoch_ms(kind, now_epoch_ms).unwrap_or_else(|| from.clone()),
    };
    let mut periods = value::bucket(attribute, *unit, &from, &until)?;
    let is_strict = |name: &String| question.plan.strict.iter().any(|(known, _)| known == name);
    if is_strict(low) {
        // A date is its own period.
        periods.retain(|period| Value::from(period.as_str()) != from);
    }
    if high.as_ref().is_some_and(is_strict) {
        // The range ends before the first moment of this period.
        periods.retain(|period| first_time(kind, period) != until);
    }
    if question.is_descending() != question.plan.is_reversed {
        periods.reverse();
    }
    Ok(periods)
}

fn count(raw: &Raw) -> u32 {
    u32::try_from(raw.items.len()).unwrap_or(u32::MAX)
}

/// The arguments with a time of the period, from which its partition and table follow, and the number of
/// its shards, if it has some. `None` for a pattern without periods.
fn in_period(question: &Question<'_>, period: &str) -> Option<(Values, Option<u32>)> {
    let Fan::Periods {
        unit,
        attribute,
        kind,
        shards,
        ..
    } = &question.plan.fan
    else {
        return None;
    };
    debug_assert!(unit.width() == period.len());
    let mut arguments = question.arguments.clone();
    arguments.insert(attribute.clone(), first_time(kind, period));
    Some((arguments, *shards))
}

/// The first time or day of a period.
fn first_time(kind: &Type, period: &str) -> Value {
    let precision = if let Type::Time(precision) = kind {
        Some(*precision)
    } else {
        None
    };
    Value::S(Unit::first_time(period, precision))
}

/// The page that was read of one shard.
struct Shard {
    items: Vec<Item>,
    /// The key after which the shard goes on; `None` at its end.
    next: Option<Item>,
    /// The position before the page.
    start: ShardPosition,
}

/// Reads a page of each shard and merges them by sort key.
pub(super) async fn shards(
    question: &Question<'_>,
    kinds: &Kinds<'_>,
    count: u32,
    after: Option<Item>,
) -> Result<Raw, ClientError> {
    if kinds.is_split() {
        return Err(ClientError::refused(
            "items that are split are not read over several shards".to_owned(),
        ));
    }
    let arguments = &question.arguments;
    merged(question, count, arguments, after, question.limit).await
}

/// Reads a page of each shard of the partition that the arguments give, and merges them.
async fn merged(
    question: &Question<'_>,
    count: u32,
    arguments: &Values,
    after: Option<Item>,
    limit: Option<u32>,
) -> Result<Raw, ClientError> {
    let mut raw = Raw::default();
    let mut shards = Vec::new();
    let parts = (0..count).map(|number| {
        let start = ShardPosition::of(after.as_ref(), number);
        read_shard(question, cursor::of_shard(arguments, number), start, limit)
    });
    for part in together(parts).await {
        let (shard, cost) = part?;
        raw.add(cost);
        shards.push(shard);
    }
    raw.asked.condition = question.plan.key_condition();
    raw.asked.place = question.plan.place();
    let taken = merge(question, &shards, limit, &mut raw);
    let is_unfinished = shards
        .iter()
        .zip(&taken)
        .any(|(shard, taken)| *taken < shard.items.len() || shard.next.is_some());
    if is_unfinished {
        let positions = shards.iter().zip(&taken);
        raw.next =
            Some(cursor::in_shards(positions.map(|(shard, taken)| {
                shard.position_after(question, *taken)
            })));
    }
    Ok(raw)
}

/// Reads a page of a shard; all of it, if the pattern has no limit. Returns it with its cost.
async fn read_shard(
    question: &Question<'_>,
    arguments: Values,
    start: ShardPosition,
    limit: Option<u32>,
) -> Result<(Shard, Raw), ClientError> {
    let mut raw = Raw::default();
    let mut shard = Shard {
        items: Vec::new(),
        next: None,
        start: start.clone(),
    };
    let mut after = match start {
        ShardPosition::Start => None,
        ShardPosition::After(key) => Some(key),
        ShardPosition::Done => return Ok((shard, raw)),
    };
    let mut places = Places::default();
    loop {
        let mut page = one_page(question, &arguments, after.take(), limit).await?;
        shard.items.append(&mut page.items);
        shard.next = page.next.clone();
        places.go_on(question.name, shard.next.as_ref())?;
        raw.add(page);
        match (&shard.next, limit) {
            (Some(key), None) => after = Some(key.clone()),
            (None, _) | (Some(_), Some(_)) => return Ok((shard, raw)),
        }
    }
}

/// Takes items in order from all shards, at most a page and no further than every shard has been
/// read. Returns the number of items taken from each shard.
fn merge(
    question: &Question<'_>,
    shards: &[Shard],
    limit: Option<u32>,
    raw: &mut Raw,
) -> Vec<usize> {
    // Items behind the end of an unfinished page may come before those of other shards.
    let bound = shards
        .iter()
        .filter_map(|shard| shard.next.as_ref())
        .min_by(|one, other| question.compare(one, other));
    let mut taken = vec![0; shards.len()];
    let limit = limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    while raw.items.len() < limit {
        let heads = shards.iter().enumerate().filter_map(|(at, shard)| {
            let head = shard.items.get(taken.get(at).copied()?)?;
            Some((at, head))
        });
        let first = heads.min_by(|(_, one), (_, other)| question.compare(one, other));
        let Some((at, head)) = first else { break };
        if bound.is_some_and(|bound| question.compare(head, bound).is_gt()) {
            break;
        }
        raw.items.push(head.clone());
        if let Some(count) = taken.get_mut(at) {
            *count += 1;
        }
    }
    taken
}

impl Shard {
    /// The position after the first `taken` items of the page.
    fn position_after(&self, question: &Question<'_>, taken: usize) -> ShardPosition {
        if matches!(self.start, ShardPosition::Done) {
            return ShardPosition::Done;
        }
        if taken == self.items.len() {
            return match &self.next {
                Some(key) => ShardPosition::After(key.clone()),
                None => ShardPosition::Done,
            };
        }
        match taken.checked_sub(1).and_then(|last| self.items.get(last)) {
            Some(item) => ShardPosition::After(cursor::of_item(question, item)),
            None => self.start.clone(),
        }
    }
}
