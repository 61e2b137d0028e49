//! The comparison of a pattern's answer with SQL's: the items, their order, and the number of
//! requests.

use crate::report::{Failure, PatternReport};
use crate::rows::Rows;
use crate::show;
use crate::subject::Client;
use crate::{ProveError, ask, together_read};
use keyfold_api::ErrorKind;
use keyfold_client::arguments::Values;
use keyfold_client::read::Found;
use keyfold_client::{ClientError, FoundItem, PageRequest};
use keyfold_model::schema::RequestKind;
use keyfold_model::schema::{Limit, Returned};
use keyfold_model::value::ValueError;
use keyfold_model::{Entity, Fan, IndexKind, Model, Pattern, PatternPlan, value};
use keyfold_types::Value;
use keyfold_types::limits::BATCH_GET_KEYS_MAX;
use std::collections::BTreeMap;

/// The length of texts that, with the fixed text of a template, may be too long for a sort key.
const LONG_TEXT_BYTES: usize = 1000;

/// A moment after all times of the data: the year 2100.
const LAST_EPOCH_MS: i64 = 4_102_444_800_000;

/// An item that must be found, and the attribute that it is ordered by, if any.
pub(crate) struct Expected {
    pub(crate) item: FoundItem,
    key: Option<Value>,
}

/// Asks a pattern with these arguments, whole, in pages and backward, and reports the failures.
pub(crate) fn pattern(
    client: Client<'_>,
    rows: &Rows<'_>,
    pattern: &Pattern,
    arguments: &Values,
    page: u32,
    report: &mut PatternReport,
) -> Result<(), ProveError> {
    let plan = pattern.plan_for(|name| arguments.contains_key(name));
    let expected = ranked(rows, pattern, plan, arguments)?;
    let question = Question {
        client,
        rows,
        pattern,
        plan,
        arguments,
        expected,
    };
    // Every other question is asked with strong consistency.
    let strong = report.runs % 2 == 1 && offers_strong(rows.model, plan);
    let way = |limit: Option<u32>, backward: bool| PageRequest {
        limit,
        backward,
        strong,
        now_epoch_ms: Some(rows.now_epoch_ms),
        ..PageRequest::default()
    };
    question.ask(&way(None, false), report);
    if plan.request == RequestKind::Query {
        question.ask(&way(Some(page), false), report);
        question.ask(&way(Some(page), true), report);
    }
    Ok(())
}

/// The items that a pattern must find, each with the rank that it has where the answer has an order.
pub(crate) fn ranked(
    rows: &Rows<'_>,
    pattern: &Pattern,
    plan: &PatternPlan,
    arguments: &Values,
) -> Result<Vec<Expected>, ProveError> {
    let mut expected = all_expected(rows, pattern, plan, arguments)?;
    let has_order = matches!(pattern.returned.as_slice(), [one] if one.many);
    if pattern.together.is_none() && (!has_order || plan.ordered_by.is_none()) {
        expected.iter_mut().for_each(|one| one.key = None);
    }
    Ok(expected)
}

/// Whether a plan can be read with strong consistency: it reads no global index.
pub(crate) fn offers_strong(model: &Model, plan: &PatternPlan) -> bool {
    let mut indexes = model.tables.iter().flat_map(|table| {
        let own = table.indexes.iter().filter(|_| table.name == plan.table);
        own.filter(|index| index.kind == IndexKind::Global)
    });
    indexes.all(|index| Some(&index.name) != plan.index.as_ref())
}

/// The items of all returned kinds that a pattern must find; none where a required item is absent.
fn all_expected(
    rows: &Rows<'_>,
    pattern: &Pattern,
    plan: &PatternPlan,
    arguments: &Values,
) -> Result<Vec<Expected>, ProveError> {
    let mut expected = Vec::new();
    for (at, returned) in (0_i64..).zip(&pattern.returned) {
        let before = expected.len();
        let found = match pattern.together {
            None => ask::expected(pattern, plan, returned, rows, arguments)?,
            Some(_) => together_read::expected(returned, rows, arguments)?,
        };
        for row in found {
            let one = expect(rows, pattern, plan, returned, row);
            expected.extend(one.map(|one| match pattern.together {
                None => one,
                // The answer has the items in the order of the pattern.
                Some(_) => Expected {
                    key: Some(Value::from(at)),
                    ..one
                },
            }));
        }
        // Without a required item, the others are no answer.
        if !returned.many && !returned.optional && expected.len() == before {
            expected.clear();
            break;
        }
    }
    Ok(expected)
}

/// The items that a pattern must find, in SQL's order where it has one.
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

/// The item of a row; `None` for a row that does not exist.
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
        .collect();
    let kind = match (&returned.alias, copy) {
        (Some(alias), _) => alias.clone(),
        (None, Some(copy)) => format!("{}.{}", entity.name, copy.name),
        (None, None) => entity.name.clone(),
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

/// A pattern with arguments, and the items that it must find.
pub(crate) struct Question<'q> {
    pub(crate) client: Client<'q>,
    pub(crate) rows: &'q Rows<'q>,
    pub(crate) pattern: &'q Pattern,
    pub(crate) plan: &'q PatternPlan,
    pub(crate) arguments: &'q Values,
    pub(crate) expected: Vec<Expected>,
}

impl Question<'_> {
    /// Asks the pattern once and reports the first failure.
    fn ask(&self, way: &PageRequest, report: &mut PatternReport) {
        report.runs += 1;
        let found = self.client.all(self.pattern, self.arguments, way);
        let failure = match found {
            Ok(found) => {
                report.items += found.items.len();
                report.requests += u64::from(found.requests);
                report.answered += usize::from(!found.items.is_empty());
                self.judge(&found, way)
            }
            Err(error) if self.may_refuse(&error) => None,
            Err(error) => Some((format!("{} items", self.expected.len()), error.to_string())),
        };
        if let Some((expected, found)) = failure {
            report.failures.push(Failure {
                what: self.show(way),
                expected,
                found,
            });
        }
    }

    /// Whether an error is a right answer.
    pub(crate) fn may_refuse(&self, error: &ClientError) -> bool {
        let is_empty = self.expected.is_empty();
        if is_too_long(error, self.arguments) {
            return true;
        }
        match error {
            ClientError::NotFound(_) => is_empty,
            // No row can have an argument that no key takes.
            ClientError::Value(_) if self.pattern.together.is_some() => {
                self.expected.len() < self.pattern.returned.len()
            }
            ClientError::Value(_) => {
                is_empty || lists_strange(self.rows, self.pattern, self.arguments)
            }
            ClientError::Service { .. } => false,
            ClientError::Unknown(_)
            | ClientError::Named { .. }
            | ClientError::Missing { .. }
            | ClientError::Invalid(_)
            | ClientError::Exists(_)
            | ClientError::Transport(_)
            | ClientError::TimedOut(_)
            | ClientError::OutcomeUnknown { .. }
            | ClientError::TableDiffers { .. }
            | ClientError::Refused(_)
            | ClientError::Taken { .. }
            | ClientError::StaleVersion(_)
            | ClientError::UnknownItem(_)
            | ClientError::Overtaken(_)
            | ClientError::Incomplete(_) => false,
        }
    }

    /// The first difference between an answer and what it must be: expected, then found.
    fn judge(&self, found: &Found, way: &PageRequest) -> Option<(String, String)> {
        if let Some(difference) = difference(&self.expected, &found.items, way.backward) {
            return Some(difference);
        }
        let most = self.promised_requests(way.limit.or(self.plan.page), found.items.len())?;
        (u64::from(found.requests) > most).then(|| {
            (
                format!("at most {most} requests"),
                format!("{} requests", found.requests),
            )
        })
    }

    /// The question for people.
    pub(crate) fn show(&self, way: &PageRequest) -> String {
        let given = show::values(self.arguments);
        let limit = way
            .limit
            .map_or(String::new(), |limit| format!(" --limit {limit}"));
        let backward = if way.backward { " backward" } else { "" };
        let strong = if way.strong { " strong" } else { "" };
        format!("{}{given}{limit}{backward}{strong}", self.pattern.name)
    }

    /// The most requests that a whole answer may take; `None` where it depends on the items that
    /// are filtered or joined.
    fn promised_requests(&self, limit: Option<u32>, items: usize) -> Option<u64> {
        let (pattern, plan, arguments) = (self.pattern, self.plan, self.arguments);
        let split = |entity: &Entity| entity.split.is_some();
        let is_split = pattern
            .returned
            .iter()
            .any(|one| self.rows.model.entities.get(one.entity).is_some_and(split));
        if !plan.filters.is_empty() || (is_split && plan.guard.is_none()) {
            return None;
        }
        // A page that ends with the last item does not show that it is the last one.
        let pages = limit.map_or(1, |limit| items as u64 / u64::from(limit) + 1);
        match (plan.request, &plan.fan) {
            // The guard is read first, and says whether there is an item.
            (RequestKind::GetItem | RequestKind::Query, _) if plan.guard.is_some() => {
                Some(1 + items as u64)
            }
            (RequestKind::GetItem | RequestKind::TransactGetItems, _) => Some(1),
            (RequestKind::BatchGetItem, _) if pattern.together.is_some() => Some(1),
            (RequestKind::Scan, _) => None,
            (RequestKind::BatchGetItem, _) => {
                let ids = pattern.parameters.iter().find(|p| p.limit == Limit::Among);
                let Some(Value::L(ids)) = ids.and_then(|p| arguments.get(&p.name)) else {
                    return None;
                };
                // In a table with periods, each period takes a request.
                let batches = if plan.period.is_some() {
                    ids.len()
                } else {
                    ids.len().div_ceil(BATCH_GET_KEYS_MAX)
                };
                Some(batches as u64)
            }
            (RequestKind::Query, Fan::One) => Some(pages + plan.beside.len() as u64),
            (RequestKind::Query, Fan::Shards(count)) => {
                Some(u64::from(*count) * (pages + 1) + plan.beside.len() as u64)
            }
            (
                RequestKind::Query,
                Fan::Periods {
                    unit,
                    low,
                    high,
                    attribute,
                    kind,
                    shards,
                },
            ) => {
                let low = arguments.get(low)?;
                let high = high.as_ref().and_then(|high| arguments.get(high)).cloned();
                let high = high.or_else(|| value::time_of_epoch_ms(kind, LAST_EPOCH_MS))?;
                let periods = value::bucket(attribute, *unit, low, &high).ok()?;
                let each = u64::from(shards.unwrap_or(1));
                Some((periods.len() as u64 + pages * 2) * each + plan.beside.len() as u64)
            }
        }
    }
}

/// Whether a request is refused because an argument is too long for a key: before it is sent, or by
/// the engine.
pub(crate) fn is_too_long(error: &ClientError, arguments: &Values) -> bool {
    let is_long = |held: &Value| matches!(held, Value::S(text) if text.len() > LONG_TEXT_BYTES);
    let has_long = arguments
        .values()
        .any(|held| is_long(held) || matches!(held, Value::L(ids) if ids.iter().any(is_long)));
    let kinds = [ErrorKind::Validation, ErrorKind::TransactionCanceled];
    let is_of_engine = || error.kind().is_some_and(|kind| kinds.contains(&kind));
    has_long && (matches!(error, ClientError::Value(ValueError::Long { .. })) || is_of_engine())
}

/// Whether a list of ids has one that no key of the table can contain. The client refuses the whole
/// list.
fn lists_strange(rows: &Rows<'_>, pattern: &Pattern, arguments: &Values) -> bool {
    let is_delimiter = |c: char| {
        c == char::MAX
            || rows
                .model
                .tables
                .iter()
                .any(|table| table.delimiters.contains(&c))
    };
    let is_strange = |id: &Value| match id {
        Value::S(text) => {
            text.is_empty() || text.len() > LONG_TEXT_BYTES || text.contains(is_delimiter)
        }
        Value::N(number) => {
            number.is_negative() || number.exponent() < 0 || number.to_string().len() > 4
        }
        Value::B(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => false,
    };
    let mut lists = pattern
        .parameters
        .iter()
        .filter(|parameter| parameter.limit == Limit::Among);
    lists.any(|list| {
        matches!(arguments.get(&list.name), Some(Value::L(ids)) if ids.iter().any(is_strange))
    })
}

/// The first difference between the expected and the found items. Items of the same rank may come in
/// any order.
pub(crate) fn difference(
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
            .map_or(String::new(), |one| {
                format!(", among them {}", show::item(one))
            });
        let lost = expected.iter().find(|one| !found.contains(&one.item));
        let lost = lost.map_or(String::new(), |one| {
            format!(", among them {}", show::item(&one.item))
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
                    format!("item {} is {}", at + 1, show::item(&one.item)),
                    is.map_or("it is elsewhere".to_owned(), show::item),
                ));
            }
        }
        at += rank.len();
    }
    None
}

/// The number of occurrences of each item.
fn counted<'i>(items: impl Iterator<Item = &'i FoundItem>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(format!("{item:?}")).or_default() += 1;
    }
    counts
}
