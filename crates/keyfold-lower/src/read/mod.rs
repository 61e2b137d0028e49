//! Runs patterns: sends the requests of the plan and returns the items with their kinds.
//!
//! - `request` sends one request; `batch` reads items by their keys; `fan` reads several partitions
//!   or tables, and merges them.
//! - `condition` makes the key condition; `cursor` holds the keys after which pages go on.
//! - `together` reads several items by keys of their own, `many` one entity by its keys.
//! - `guarded` reads the guard of an `id` first, which says where the item lies.
//! - `places` notices pages that come again; `current` decides between the entries of a late index.
//! - `assemble` distinguishes kinds and joins split lists; `required` checks collections.

mod after;
mod answer;
mod assemble;
mod batch;
mod beside;
mod condition;
mod current;
mod cursor;
mod ends;
mod fan;
mod guarded;
mod many;
mod places;
mod question;
mod request;
mod required;
mod together;

use crate::arguments::Values;
use crate::error::ClientError;
use crate::lowering::{Io, Lowering, Origin, both};
use crate::retry::{TRIES, back_off};
use crate::unknown::UnknownItem;
use answer::Raw;
pub use answer::{Asked, Found, FoundItem, Page, PageRequest, Pages};
use assemble::Kinds;
use keyfold_model::schema::RequestKind;
use keyfold_model::{Fan, Index, IndexKind, Model, Pattern, PatternPlan, Table, value};
use keyfold_types::Item;
pub use many::{Many, many};
pub use places::{Places, had_before};
use question::Question;
pub use required::kind_name;

/// Runs a pattern and returns one page.
///
/// # Errors
/// The result has: `NotFound` when a required item does not exist; `Value` for arguments that no key can contain;
/// `Unknown` for a cursor of another pattern; the backend's error otherwise.
pub fn page<'l>(
    origin: Origin,
    model: &'l Model,
    pattern: &'l Pattern,
    arguments: &'l Values,
    page: &'l PageRequest,
) -> Lowering<'l, Page> {
    Lowering::new(origin, move |io| async move {
        read_page(&io, model, pattern, arguments, page).await
    })
}

async fn read_page(
    io: &Io,
    model: &Model,
    pattern: &Pattern,
    arguments: &Values,
    page: &PageRequest,
) -> Result<Page, ClientError> {
    let plan = pattern.plan_for(|name| arguments.contains_key(name));
    let strong = strong(model, pattern, plan, page)?;
    let plan = strong.as_ref().unwrap_or(plan);
    if !plan.gets.is_empty() {
        return together::page(io, model, pattern, (plan, arguments), page).await;
    }
    let table = model
        .tables
        .iter()
        .find(|table| table.name == plan.table)
        .ok_or_else(|| ClientError::Unknown(format!("the model has no table {}", plan.table)))?;
    let kinds = Kinds::of(model, pattern, plan, table)
        .on_unknown(page.on_unknown)
        .only_first(page.only_first);
    let now = page.now_epoch_ms.unwrap_or(io.now_epoch_ms());
    let question = Question {
        io,
        name: &pattern.name,
        table,
        plan,
        arguments: with_fixed(pattern, arguments, now)?,
        parameters: &pattern.parameters,
        digests: kinds.digests().collect(),
        // Whether one item is single is seen only where all of them are read.
        limit: page.limit.or(plan.page).filter(|_| !pattern.is_single()),
        backward: page.backward,
    };
    if let Some(after) = &page.after {
        after::check(&question, pattern, after, now)?;
    }
    let range = read_found(&question, pattern, &kinds, page, now);
    let (first, range) = match beside::is_empty(&question, page) {
        true => (Raw::default(), range.await),
        false => {
            let beside = beside::read(&question, model, pattern);
            let (first, range) = both(beside, range).await;
            (first?, range)
        }
    };
    let (mut raw, mut items) = range?;
    raw.requests += first.requests;
    raw.capacity += first.capacity;
    if let Some(found) = kinds.found(pattern, first.items, false)? {
        items.splice(0..0, found);
    }
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

/// Reads a page; of a plan with a guard, the guard first. An item that moved between the two reads is
/// looked for again, strongly.
async fn read_found(
    question: &Question<'_>,
    pattern: &Pattern,
    kinds: &Kinds<'_>,
    page: &PageRequest,
    now_epoch_ms: i64,
) -> Result<(Raw, Vec<FoundItem>), ClientError> {
    let Some(guard) = &question.plan.guard else {
        return read_consistent(question, pattern, kinds, page, now_epoch_ms).await;
    };
    let mut read = Raw::default();
    for tried in 0..TRIES {
        let is_strong = question.plan.strong || tried > 0;
        let (found, arguments) = guarded::place(question, guard, is_strong).await?;
        read.add(found);
        let Some(arguments) = arguments else {
            return Ok((read, Vec::new()));
        };
        let plan = PatternPlan {
            strong: is_strong,
            ..question.plan.clone()
        };
        let complete = guarded::with_plan(question, &plan, arguments);
        let (raw, items) = read_consistent(&complete, pattern, kinds, page, now_epoch_ms).await?;
        // An item that the caller leaves out is there, too.
        let is_there = raw.stored > 0;
        read.asked = raw.asked.clone();
        read.add(raw);
        if is_there {
            return Ok((read, items));
        }
        question.io.pause(back_off(tried)).await;
    }
    Err(guarded::lost(question))
}

/// Reads a page until the parts of every list in it belong together: a writer may change them while
/// they are read.
async fn read_consistent(
    question: &Question<'_>,
    pattern: &Pattern,
    kinds: &Kinds<'_>,
    page: &PageRequest,
    now_epoch_ms: i64,
) -> Result<(Raw, Vec<FoundItem>), ClientError> {
    let is_scan = question.plan.request == RequestKind::Scan;
    for tried in 0..TRIES {
        let mut raw = read_once(question, pattern, kinds, page, now_epoch_ms).await?;
        if pattern.is_single() && raw.items.len() > 1 {
            current::keep(question, pattern, kinds, &mut raw).await?;
        }
        let stored = std::mem::take(&mut raw.items);
        raw.stored = stored.len();
        if let Some(items) = kinds.found(pattern, stored, is_scan)? {
            return Ok((raw, items));
        }
        question.io.pause(back_off(tried)).await;
    }
    Err(ClientError::unknown(UnknownItem::because(format!(
        "{}: the parts of a list do not belong together: they were not written through the model, or are written without end",
        pattern.name
    ))))
}

/// Reads a page once.
async fn read_once(
    question: &Question<'_>,
    pattern: &Pattern,
    kinds: &Kinds<'_>,
    page: &PageRequest,
    now_epoch_ms: i64,
) -> Result<Raw, ClientError> {
    let after = page.after.clone();
    match (question.plan.request, &question.plan.fan) {
        (RequestKind::GetItem, _) => request::get(question).await,
        (RequestKind::BatchGetItem | RequestKind::TransactGetItems, _) => {
            batch::get(question, pattern).await
        }
        (RequestKind::Query | RequestKind::Scan, Fan::One) if kinds.is_split() => {
            assemble::split_entities(question, kinds, after).await
        }
        (RequestKind::Query | RequestKind::Scan, Fan::One) => {
            request::one_page(question, &question.arguments, after, question.limit).await
        }
        (RequestKind::Query | RequestKind::Scan, Fan::Periods { .. }) => {
            fan::periods(question, kinds, after, now_epoch_ms).await
        }
        (RequestKind::Query | RequestKind::Scan, Fan::Shards(count)) => {
            fan::shards(question, kinds, *count, after).await
        }
    }
}

/// The plan with strong consistency, where the call asks for it and the pattern does not.
///
/// # Errors
/// `Invalid` when it reads a global index.
fn strong(
    model: &Model,
    pattern: &Pattern,
    plan: &PatternPlan,
    page: &PageRequest,
) -> Result<Option<PatternPlan>, ClientError> {
    if !page.strong || plan.strong {
        return Ok(None);
    }
    let table = model.tables.iter().find(|table| table.name == plan.table);
    let mut indexes = table.iter().flat_map(|table| &table.indexes);
    let is_read = |index: &&Index| Some(&index.name) == plan.index.as_ref();
    if let Some(index) = indexes.find(is_read)
        && index.kind == IndexKind::Global
    {
        return Err(ClientError::Invalid(format!(
            "{} reads the global index {}, which has no strong consistency",
            pattern.name, index.name
        )));
    }
    let mut strong = plan.clone();
    strong.strong = true;
    for (_, beside) in &mut strong.beside {
        beside.strong = true;
    }
    Ok(Some(strong))
}

/// Refuses an answer that breaks the pattern's promise of one item.
fn check_single(pattern: &Pattern, items: &[FoundItem], asked: &Asked) -> Result<(), ClientError> {
    let [one] = pattern.returned.as_slice() else {
        return Ok(());
    };
    if one.many {
        return Ok(());
    }
    if items.len() > 1 {
        return Err(ClientError::refused(format!(
            "{} promises one item and found {}: they were not written through the model",
            pattern.name,
            items.len()
        )));
    }
    if items.is_empty() && !one.optional {
        return Err(ClientError::not_found(format!(
            "{}: no item for {}",
            pattern.name, asked.condition
        )));
    }
    Ok(())
}

/// The arguments, the values that the pattern fixes, and the present moment where `now` is not
/// given.
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

/// Runs a pattern from `start` and returns one page, or all pages together.
///
/// # Errors
/// The result has: Those of [`page`].
pub fn run<'l>(
    origin: Origin,
    model: &'l Model,
    pattern: &'l Pattern,
    arguments: &'l Values,
    (start, pages): (&'l PageRequest, Pages),
) -> Lowering<'l, Found> {
    Lowering::new(origin, move |io| async move {
        read_pages(&io, model, pattern, arguments, (start, pages)).await
    })
}

async fn read_pages(
    io: &Io,
    model: &Model,
    pattern: &Pattern,
    arguments: &Values,
    (start, pages): (&PageRequest, Pages),
) -> Result<Found, ClientError> {
    let first = read_page(io, model, pattern, arguments, start).await?;
    let mut found = Found {
        items: first.items,
        requests: first.requests,
        capacity: first.capacity,
        next: first.next,
        request: first.request,
    };
    let mut places = Places::default();
    while pages == Pages::All
        && let Some(after) = found.next.take()
    {
        places.go_on(&pattern.name, Some(&after))?;
        let next = PageRequest {
            after: Some(after),
            ..start.clone()
        };
        let more = read_page(io, model, pattern, arguments, &next).await?;
        found.items.extend(more.items);
        found.requests += more.requests;
        found.capacity += more.capacity;
        found.next = more.next;
    }
    if pattern.together.is_none() && found.next.is_none() && start.after.is_none() {
        required::check_all(model, pattern, &found.items, &found.request)?;
    }
    Ok(found)
}

/// Reads a page of a plan's items as they are stored. Returns them and the cursor of the next page.
pub(crate) async fn raw_query(
    io: &Io,
    table: &Table,
    plan: &PatternPlan,
    (table_name, arguments): (&str, &Values),
    after: Option<Item>,
    limit: u32,
) -> Result<(Vec<Item>, Option<Item>), ClientError> {
    let question = Question {
        limit: Some(limit),
        ..Question::of((io, &table.name), table, plan, arguments)
    };
    let raw = request::query(&question, table_name, arguments, after, Some(limit)).await?;
    Ok((raw.items, raw.next))
}
