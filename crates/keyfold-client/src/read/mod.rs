//! Runs patterns: the requests that the plan promises, items told apart by their keys.

mod assemble;
mod batch;
mod condition;
mod fan;
mod request;
mod required;

use crate::arguments::Values;
use crate::backend::Backend;
use crate::complete::now_epoch_ms;
use crate::error::ClientError;
use crate::retry::{TRIES, back_off};
use assemble::Kinds;
use keyfold_api::{ConsumedCapacity, ReturnConsumedCapacity, Returns};
use keyfold_model::schema::Parameter;
use keyfold_model::schema::RequestKind;
use keyfold_model::{Fan, Model, Pattern, PatternPlan, Table, value};
use keyfold_types::{CapacityHalves, Item, Value};
pub use required::kind_name;

/// The start and the size of a page.
#[derive(Debug, Clone, Default)]
pub struct PageRequest {
    /// Items at the most, instead of the pattern's page.
    pub limit: Option<u32>,
    /// The end of the page before.
    pub after: Option<Item>,
    /// Against the pattern's order.
    pub backward: bool,
    /// The present moment, milliseconds since 1970; that of this machine's clock, if none.
    pub now_epoch_ms: Option<i64>,
}

/// An item and what it is.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundItem {
    /// The entity, or `Entity.copy`.
    pub kind: String,
    /// The attributes of the model, without keys, in the order of their declaration.
    pub attributes: Vec<(String, Value)>,
}

impl FoundItem {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.attributes
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }
}

/// One page of a pattern's answer.
#[derive(Debug, Clone)]
pub struct Page {
    /// The items in order.
    pub items: Vec<FoundItem>,
    /// The first request that was made, for people.
    pub request: Asked,
    /// The number of requests.
    pub requests: u32,
    /// The capacity consumed.
    pub capacity: CapacityHalves,
    /// The start of the next page, if there may be one.
    pub next: Option<Item>,
}

/// A request as a person reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// GetItem, Query, BatchGetItem or Scan.
    pub operation: String,
    /// The table, or table and index.
    pub place: String,
    /// The key condition with its values.
    pub condition: String,
    /// Descending, and the limit.
    pub modifiers: String,
}

/// All pages of an answer together.
#[derive(Debug, Clone)]
pub struct Found {
    /// The items in order.
    pub items: Vec<FoundItem>,
    /// The number of requests.
    pub requests: u32,
    /// The capacity consumed.
    pub capacity: CapacityHalves,
    /// The start of the next page, if there may be one.
    pub next: Option<Item>,
    /// The first request.
    pub request: Asked,
}

/// A pattern with everything needed to ask it.
pub(crate) struct Question<'q> {
    backend: &'q Backend,
    table: &'q Table,
    plan: &'q PatternPlan,
    /// The caller's arguments, and the values that the pattern fixes.
    arguments: Values,
    /// The pattern's parameters.
    parameters: &'q [Parameter],
    /// The digests of lists that are put together from parts.
    digests: Vec<String>,
    limit: Option<u32>,
    backward: bool,
}

/// Items as read, before their kinds are known.
#[derive(Default)]
struct Raw {
    items: Vec<Item>,
    asked: Asked,
    requests: u32,
    capacity: CapacityHalves,
    next: Option<Item>,
}

impl Raw {
    /// Takes over what another reading cost, and its items.
    fn add(&mut self, other: Raw) {
        if self.requests == 0 {
            self.asked = other.asked;
        }
        self.requests += other.requests;
        self.capacity += other.capacity;
        self.items.extend(other.items);
    }
}

/// Runs a pattern, one page.
///
/// # Errors
/// `NotFound` when an item must exist and does not; `Value` for arguments that no key can be made
/// of; what the backend says otherwise.
pub fn page(
    backend: &Backend,
    model: &Model,
    pattern: &Pattern,
    arguments: &Values,
    page: &PageRequest,
) -> Result<Page, ClientError> {
    let plan = pattern.plan_for(|name| arguments.contains_key(name));
    let table = model
        .tables
        .iter()
        .find(|table| table.name == plan.table)
        .ok_or_else(|| ClientError::Unknown(format!("the model has no table {}", plan.table)))?;
    let kinds = Kinds::of(model, pattern, plan, table);
    let now = page.now_epoch_ms.unwrap_or_else(now_epoch_ms);
    let question = Question {
        backend,
        table,
        plan,
        arguments: with_fixed(pattern, arguments, now)?,
        parameters: &pattern.parameters,
        digests: kinds.digests().collect(),
        limit: page.limit.or(plan.page),
        backward: page.backward,
    };
    if let Some(after) = &page.after {
        request::check_cursor(&question, pattern, after)?;
    }
    let (raw, items) = whole(&question, pattern, &kinds, page, now)?;
    check_single(pattern, &items, &raw.asked)?;
    required::check(
        model,
        pattern,
        &question,
        page,
        &items,
        (&raw.asked, raw.next.as_ref()),
    )?;
    Ok(Page {
        items,
        request: raw.asked,
        requests: raw.requests,
        capacity: raw.capacity,
        next: raw.next,
    })
}

/// Reads a page until no list in it is in pieces: its parts may be changed while they are read.
fn whole(
    question: &Question<'_>,
    pattern: &Pattern,
    kinds: &Kinds<'_>,
    page: &PageRequest,
    now_epoch_ms: i64,
) -> Result<(Raw, Vec<FoundItem>), ClientError> {
    let is_scan = question.plan.request == RequestKind::Scan;
    for tried in 0..TRIES {
        let mut raw = read(question, pattern, kinds, page, now_epoch_ms)?;
        let stored = std::mem::take(&mut raw.items);
        if let Some(items) = kinds.found(pattern, stored, is_scan)? {
            return Ok((raw, items));
        }
        back_off(tried);
    }
    Err(ClientError::Refused(format!(
        "{}: the parts of a list do not belong together: they were not written through the model, or are written without end",
        pattern.name
    )))
}

/// Reads a page, once.
fn read(
    question: &Question<'_>,
    pattern: &Pattern,
    kinds: &Kinds<'_>,
    page: &PageRequest,
    now_epoch_ms: i64,
) -> Result<Raw, ClientError> {
    let after = page.after.clone();
    match (question.plan.request, &question.plan.fan) {
        (RequestKind::GetItem, _) => request::get(question),
        (RequestKind::BatchGetItem, _) => batch::get(question, pattern),
        (RequestKind::Query | RequestKind::Scan, Fan::One) if kinds.is_split() => {
            assemble::whole_items(question, kinds, after)
        }
        (RequestKind::Query | RequestKind::Scan, Fan::One) => {
            request::one_page(question, &question.arguments, after, question.limit)
        }
        (_, Fan::Periods { .. }) => fan::periods(question, kinds, after, now_epoch_ms),
        (_, Fan::Shards(count)) => fan::shards(question, kinds, *count, after),
    }
}

/// A pattern's promise about one item.
fn check_single(pattern: &Pattern, items: &[FoundItem], asked: &Asked) -> Result<(), ClientError> {
    let [one] = pattern.returned.as_slice() else {
        return Ok(());
    };
    if one.many {
        return Ok(());
    }
    if items.len() > 1 {
        return Err(ClientError::Refused(format!(
            "{} promises one item and found {}: they were not written through the model",
            pattern.name,
            items.len()
        )));
    }
    if items.is_empty() && !one.optional {
        return Err(ClientError::NotFound(format!(
            "{}: no item for {}",
            pattern.name, asked.condition
        )));
    }
    Ok(())
}

/// The arguments and the values that the pattern fixes; `now` where it is not given.
fn with_fixed(
    pattern: &Pattern,
    arguments: &Values,
    now_epoch_ms: i64,
) -> Result<Values, ClientError> {
    let mut all = arguments.clone();
    for parameter in pattern
        .parameters
        .iter()
        .filter(|parameter| parameter.is_now())
    {
        if let Some(moment) = value::time_of_epoch_ms(&parameter.kind, now_epoch_ms) {
            all.entry(parameter.name.clone()).or_insert(moment);
        }
    }
    for (name, kind, text) in &pattern.fixed_values {
        all.insert(name.clone(), value::parse(name, kind, text)?);
    }
    Ok(all)
}

/// Runs a pattern to its end, or to the first page's.
///
/// # Errors
/// As [`page`].
pub fn run(
    backend: &Backend,
    model: &Model,
    pattern: &Pattern,
    arguments: &Values,
    start: &PageRequest,
    all_pages: bool,
) -> Result<Found, ClientError> {
    let first = page(backend, model, pattern, arguments, start)?;
    let mut found = Found {
        items: first.items,
        requests: first.requests,
        capacity: first.capacity,
        next: first.next,
        request: first.request,
    };
    while all_pages && let Some(after) = found.next.take() {
        let next = PageRequest {
            after: Some(after),
            ..start.clone()
        };
        let more = page(backend, model, pattern, arguments, &next)?;
        found.items.extend(more.items);
        found.requests += more.requests;
        found.capacity += more.capacity;
        found.next = more.next;
    }
    if found.next.is_none() && start.after.is_none() {
        required::check_all(model, pattern, &found.items, &found.request)?;
    }
    Ok(found)
}

/// A page of a plan's items, as they are stored, and where the next one begins.
pub(crate) fn raw_query(
    backend: &Backend,
    table: &Table,
    plan: &PatternPlan,
    (table_name, arguments): (&str, &Values),
    after: Option<Item>,
    limit: u32,
) -> Result<(Vec<Item>, Option<Item>), ClientError> {
    let question = Question {
        backend,
        table,
        plan,
        arguments: arguments.clone(),
        parameters: &[],
        digests: Vec::new(),
        limit: Some(limit),
        backward: false,
    };
    let raw = request::query(&question, table_name, arguments, after, Some(limit))?;
    Ok((raw.items, raw.next))
}

fn returns() -> Returns {
    Returns {
        consumed_capacity: Some(ReturnConsumedCapacity::Total.into()),
        item_collection_metrics: None,
    }
}

fn consumed(capacity: Option<ConsumedCapacity>) -> CapacityHalves {
    capacity.map_or(CapacityHalves::ZERO, |capacity| capacity.total())
}
