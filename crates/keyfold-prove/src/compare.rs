//! Two answers compared: which items, in which order, and in how many requests.

use crate::report::{Failure, PatternReport};
use crate::rows::Rows;
use crate::{ProveError, ask};
use keyfold_api::ErrorKind;
use keyfold_client::arguments::Values;
use keyfold_client::read::{self, Pages};
use keyfold_client::{Backend, ClientError, FoundItem, PageRequest};
use keyfold_model::schema::RequestKind;
use keyfold_model::schema::{Limit, Returned};
use keyfold_model::{Entity, Fan, Pattern, PatternPlan, value};
use keyfold_types::Value;
use std::collections::BTreeMap;

/// An item that must be found, and what it is ordered by.
struct Expected {
    item: FoundItem,
    key: Option<Value>,
}

/// Asks a pattern with these arguments, in several ways, and notes what is wrong.
pub(crate) fn pattern(
    backend: &Backend,
    rows: &Rows<'_>,
    pattern: &Pattern,
    arguments: &Values,
    page: u32,
    report: &mut PatternReport,
) -> Result<(), ProveError> {
    let plan = pattern.plan_for(|name| arguments.contains_key(name));
    let mut expected = all_expected(rows, pattern, plan, arguments)?;
    if let [one] = pattern.returned.as_slice()
        && one.many
        && plan.ordered_by.is_some()
    {
        // Kept in SQL's order.
    } else {
        expected.iter_mut().for_each(|one| one.key = None);
    }
    let way = |limit: Option<u32>, backward: bool| PageRequest {
        limit,
        backward,
        now_epoch_ms: Some(rows.now_epoch_ms),
        ..PageRequest::default()
    };
    let ways = [
        way(None, false),
        way(Some(page), false),
        way(Some(page), true),
    ];
    let takes_pages = plan.request == RequestKind::Query;
    for way in ways.iter().take(if takes_pages { 3 } else { 1 }) {
        ask_once(
            backend, rows, pattern, plan, arguments, way, &expected, report,
        );
    }
    Ok(())
}

/// The rows of all returned kinds that a pattern must find; none where one is missing that must be
/// there.
fn all_expected(
    rows: &Rows<'_>,
    pattern: &Pattern,
    plan: &PatternPlan,
    arguments: &Values,
) -> Result<Vec<Expected>, ProveError> {
    let mut expected = Vec::new();
    for returned in &pattern.returned {
        let before = expected.len();
        for row in ask::expected(pattern, plan, returned.entity, rows, arguments)? {
            expected.extend(expect(rows, pattern, plan, returned, row));
        }
        // Without the one that must be there, the others are no answer.
        if !returned.many && !returned.optional && expected.len() == before {
            expected.clear();
            break;
        }
    }
    Ok(expected)
}

/// What a pattern must find, in SQL's order where it has one.
pub(crate) fn must_find(
    rows: &Rows<'_>,
    pattern: &Pattern,
    arguments: &Values,
) -> Result<Vec<FoundItem>, ProveError> {
    let plan = pattern.plan_for(|name| arguments.contains_key(name));
    Ok(all_expected(rows, pattern, plan, arguments)?
        .into_iter()
        .map(|one| one.item)
        .collect())
}

fn expect(
    rows: &Rows<'_>,
    pattern: &Pattern,
    plan: &PatternPlan,
    returned: &Returned,
    row: i64,
) -> Option<Expected> {
    let entity = rows.model.entities.get(returned.entity)?;
    let values = rows.get_complete(returned.entity, row)?;
    let copy = returned.copy.and_then(|at| entity.copies.get(at));
    let names: Vec<&str> = match copy {
        Some(copy) => copy.attributes.iter().map(String::as_str).collect(),
        None => entity
            .attributes
            .iter()
            .map(|attribute| attribute.name.as_str())
            .collect(),
    };
    let is_asked =
        |name: &&str| pattern.only.is_empty() || pattern.only.iter().any(|only| only == name);
    let attributes = names
        .into_iter()
        .filter(is_asked)
        .filter_map(|name| Some((name.to_owned(), values.get(name)?.clone())))
        // A split list that is empty is stored as one.
        .collect();
    let kind = match copy {
        Some(copy) => format!("{}.{}", entity.name, copy.name),
        None => entity.name.clone(),
    };
    let key = plan
        .ordered_by
        .as_ref()
        .and_then(|name| values.get(name))
        .cloned();
    Some(Expected {
        item: FoundItem { kind, attributes },
        key,
    })
}

#[allow(
    clippy::too_many_arguments,
    reason = "one way of asking one pattern, and where it is noted"
)]
fn ask_once(
    backend: &Backend,
    rows: &Rows<'_>,
    pattern: &Pattern,
    plan: &PatternPlan,
    arguments: &Values,
    way: &PageRequest,
    expected: &[Expected],
    report: &mut PatternReport,
) {
    report.runs += 1;
    let mut note = |expected: String, found: String| {
        let shown: Vec<String> = arguments
            .iter()
            .map(|(name, held)| format!("{name}={}", value::display(held)))
            .collect();
        let limit = way
            .limit
            .map_or(String::new(), |limit| format!(" --limit {limit}"));
        let backward = if way.backward { " backward" } else { "" };
        let what = format!("{} {}{limit}{backward}", pattern.name, shown.join(" "));
        report.failures.push(Failure {
            what,
            expected,
            found,
        });
    };
    let found = match read::run(backend, rows.model, pattern, arguments, way, Pages::All) {
        Ok(found) => found,
        Err(ClientError::NotFound(_)) if expected.is_empty() => return,
        // A delimiter in an argument: no row can have it either.
        Err(ClientError::Value(_))
            if expected.is_empty() || lists_strange(rows, pattern, arguments) =>
        {
            return;
        }
        Err(error) if is_too_long(&error, arguments) => return,
        Err(error) => {
            note(format!("{} items", expected.len()), error.to_string());
            return;
        }
    };
    report.items += found.items.len();
    report.requests += u64::from(found.requests);
    report.answered += usize::from(!found.items.is_empty());
    if let Some((wanted, is)) = difference(expected, &found.items, way.backward) {
        note(wanted, is);
        return;
    }
    let limit = way.limit.or(plan.page);
    let split = |entity: &Entity| entity.split.is_some();
    let is_split = pattern
        .returned
        .iter()
        .any(|one| rows.model.entities.get(one.entity).is_some_and(split));
    if let Some(most) = promised(
        pattern,
        plan,
        arguments,
        (limit, is_split),
        found.items.len(),
    ) && u64::from(found.requests) > most
    {
        note(
            format!("at most {most} requests"),
            format!("{} requests", found.requests),
        );
    }
}

/// Whether the engine refuses a request because an argument is longer than a key may be.
pub(crate) fn is_too_long(error: &ClientError, arguments: &Values) -> bool {
    let is_long = |held: &Value| matches!(held, Value::S(text) if text.len() > 1000);
    let has_long = arguments.values().any(|held| match held {
        Value::L(ids) => ids.iter().any(is_long),
        one => is_long(one),
    });
    has_long && error.kind() == Some(ErrorKind::Validation)
}

/// Whether a list of ids has one that no key of the table can hold: that is refused, whatever else
/// is asked for.
fn lists_strange(rows: &Rows<'_>, pattern: &Pattern, arguments: &Values) -> bool {
    let is_apart = |c: char| {
        c == char::MAX
            || rows
                .model
                .tables
                .iter()
                .any(|table| table.delimiters.contains(&c))
    };
    let is_strange = |id: &Value| match id {
        Value::S(text) => text.is_empty() || text.len() > 1000 || text.contains(is_apart),
        Value::N(number) => {
            number.is_negative() || number.exponent() < 0 || number.to_string().len() > 4
        }
        _ => false,
    };
    pattern.parameters.iter().filter(|parameter| parameter.limit == Limit::Among).any(
        |parameter| matches!(arguments.get(&parameter.name), Some(Value::L(ids)) if ids.iter().any(is_strange)),
    )
}

/// How many requests a whole answer may take; none where it depends on what is thrown away.
fn promised(
    pattern: &Pattern,
    plan: &PatternPlan,
    arguments: &Values,
    (limit, is_split): (Option<u32>, bool),
    items: usize,
) -> Option<u64> {
    let items = items as u64;
    // A page that ends with the last item does not know that it is the last.
    let pages = limit.map_or(1, |limit| items / u64::from(limit) + 1);
    if !plan.filters.is_empty() || is_split {
        return None;
    }
    match (plan.request, &plan.fan) {
        (RequestKind::GetItem, _) => Some(1),
        (RequestKind::Scan, _) => None,
        (RequestKind::BatchGetItem, _) => {
            let ids = pattern.parameters.iter().find(|p| p.limit == Limit::Among);
            match ids.and_then(|p| arguments.get(&p.name)) {
                // In a table with periods, each period's is a request of its own.
                Some(Value::L(ids)) if plan.period.is_some() => Some(ids.len() as u64),
                Some(Value::L(ids)) => Some((ids.len() as u64).div_ceil(100)),
                _ => None,
            }
        }
        (RequestKind::Query, Fan::One) => Some(pages),
        (RequestKind::Query, Fan::Shards(count)) => Some(u64::from(*count) * (pages + 1)),
        (
            RequestKind::Query,
            Fan::Periods {
                unit,
                low,
                high,
                attribute,
                kind,
            },
        ) => {
            let low = arguments.get(low)?;
            let high = high.as_ref().and_then(|high| arguments.get(high)).cloned();
            let high = high.or_else(|| value::time_of_epoch_ms(kind, 4_102_444_800_000))?;
            let periods = value::bucket(attribute, *unit, low, &high).ok()?;
            Some(periods.len() as u64 + pages * 2)
        }
    }
}

/// The first difference between what must be found and what was; items of one rank may come in any
/// order.
fn difference(
    expected: &[Expected],
    found: &[FoundItem],
    backward: bool,
) -> Option<(String, String)> {
    let mut expected: Vec<&Expected> = expected.iter().collect();
    if backward {
        expected.reverse();
    }
    if expected.len() != found.len() {
        let is_there = |one: &FoundItem| expected.iter().any(|other| other.item == *one);
        let extra = found
            .iter()
            .find(|one| !is_there(one))
            .map_or(String::new(), |one| format!(", among them {}", show(one)));
        let lost = expected.iter().find(|one| !found.contains(&one.item));
        let lost = lost.map_or(String::new(), |one| {
            format!(", among them {}", show(&one.item))
        });
        return Some((
            format!("{} items{lost}", expected.len()),
            format!("{} items{extra}", found.len()),
        ));
    }
    let same_rank = |one: &&Expected, two: &&Expected| one.key == two.key;
    let mut at = 0;
    for rank in expected.chunk_by(same_rank) {
        let there = found.get(at..at + rank.len()).unwrap_or_default();
        let (wanted, found) = (
            counted(rank.iter().map(|one| &one.item)),
            counted(there.iter()),
        );
        for one in rank {
            let shown = format!("{:?}", one.item);
            if wanted.get(&shown) != found.get(&shown) {
                let is = there
                    .iter()
                    .find(|item| !rank.iter().any(|other| other.item == **item));
                return Some((
                    format!("item {} is {}", at + 1, show(&one.item)),
                    is.map_or("it is elsewhere".to_owned(), show),
                ));
            }
        }
        at += rank.len();
    }
    None
}

/// How often each item is there.
fn counted<'i>(items: impl Iterator<Item = &'i FoundItem>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(format!("{item:?}")).or_default() += 1;
    }
    counts
}

fn show(item: &FoundItem) -> String {
    let attributes: Vec<String> = item
        .attributes
        .iter()
        .map(|(name, held)| format!("{name}={}", value::display(held)))
        .collect();
    format!("{} {}", item.kind, attributes.join(" "))
}
