//! The requests of a plan: GetItem, Query and Scan.

use super::answer::{Asked, Raw};
use super::condition;
use super::cursor;
use super::question::Question;
use crate::arguments::Values;
use crate::bound::bind;
use crate::capacity;
use crate::error::{ClientError, unexpected};
use crate::expression::{Placeholders, Term};
use crate::lengths::KeyPart;
use crate::printed::print;
use keyfold_api::{ErrorKind, GetItemInput, QueryInput, RawItem, Response, ScanInput, Select};
use keyfold_model::schema::RequestKind;
use keyfold_model::{KeyTemplate, PatternPlan, SortCondition, value};
use keyfold_types::{Item, Value};

/// The name of the table that a request goes to; with periods, of the table of the given time.
pub(super) fn table_name(
    question: &Question<'_>,
    arguments: &Values,
) -> Result<String, ClientError> {
    let Some(period) = &question.plan.period else {
        return Ok(question.table.name.clone());
    };
    match arguments.get(&period.from) {
        Some(Value::S(time)) => Ok(question.table.physical_name(period.unit.of(time))),
        _ => Err(ClientError::missing("the table's name", &period.from)),
    }
}

/// The table, or the table and index, that a request reads.
fn place(plan: &PatternPlan, table: &str) -> String {
    match &plan.index {
        None => table.to_owned(),
        Some(index) => format!("{table}.{index}"),
    }
}

/// The key of a plan that reads items by their whole key.
pub(super) fn key_of(question: &Question<'_>, arguments: &Values) -> Result<Item, ClientError> {
    let (plan, table) = (question.plan, question.table);
    let made = |column: &str, template: &KeyTemplate, part| {
        let held = value::key(template, arguments)?;
        question.check_length(part, (column, &template.parts), &held)?;
        Ok::<Value, ClientError>(held)
    };
    let mut key = Item::new();
    if let Some(partition) = &plan.partition {
        let column = table.partition.name.as_str();
        key.insert(column, made(column, partition, KeyPart::Partition)?);
    }
    if let (Some(column), SortCondition::Equal(template)) = (&table.sort, &plan.sort) {
        let column = column.name.as_str();
        key.insert(column, made(column, template, KeyPart::Sort)?);
    }
    Ok(key)
}

/// The projection of a plan: the attributes that it returns, and the keys that distinguish kinds of
/// items.
pub(super) fn projection(question: &Question<'_>, made: &mut Placeholders) -> Option<String> {
    if question.plan.only.is_empty() {
        return None;
    }
    let table = question.table;
    let read = question.plan.index.as_ref();
    let index = read.and_then(|read| table.indexes.iter().find(|one| one.name == *read));
    // What an index lacks is read back from keys, or fetched. DynamoDB refuses a request for it from
    // a global index, and reads the table for it behind a local one.
    let is_asked = |name: &&String| {
        index.is_none_or(|index| index.holds(table, name)) || question.plan.fetched.contains(name)
    };
    let only = question.plan.only.iter().filter(is_asked);
    let mut names: Vec<&str> = only.map(String::as_str).collect();
    names.extend(question.digests.iter().map(String::as_str));
    names.push(&table.partition.name);
    names.extend(table.sort.iter().map(|column| column.name.as_str()));
    // The cursor of a page that is merged from several is the key of one of its items in the index.
    names.extend(
        question
            .plan
            .partition_attributes
            .iter()
            .map(String::as_str),
    );
    names.extend(question.plan.sort_attributes.iter().map(String::as_str));
    names.sort_unstable();
    names.dedup();
    let names: Vec<String> = names.into_iter().map(|name| made.name(name)).collect();
    Some(names.join(", "))
}

/// Whether an error says that the table of a period does not exist: nothing has been written in that
/// period, and the answer is empty.
pub(super) fn is_absent(question: &Question<'_>, error: &ClientError) -> bool {
    question.table.period.is_some() && error.kind() == Some(ErrorKind::ResourceNotFound)
}

/// Reads one item by its key.
pub(super) async fn get(question: &Question<'_>) -> Result<Raw, ClientError> {
    let name = table_name(question, &question.arguments)?;
    let key = key_of(question, &question.arguments)?;
    let condition: Vec<String> = key
        .iter()
        .map(|(name, value)| print(name, " = ", value))
        .collect();
    let asked = Asked {
        operation: "GetItem".to_owned(),
        place: place(question.plan, &name),
        condition: condition.join(" AND "),
        modifiers: String::new(),
    };
    let mut made = Placeholders::default();
    let projection_expression = projection(question, &mut made);
    let input = GetItemInput {
        table_name: Some(name),
        key: Some(Ok(key)),
        consistent_read: question.plan.strong.then_some(true),
        projection_expression,
        expression_attributes: made.finish(),
        returns: capacity::requested(),
        ..GetItemInput::default()
    };
    let output = match question.io.ask(input.into()).await {
        Ok(Response::GetItem(output)) => output,
        Ok(_) => return Err(unexpected()),
        Err(error) if is_absent(question, &error) => return Ok(Raw::empty(asked)),
        Err(error) => return Err(error),
    };
    Ok(Raw {
        items: items(output.item),
        asked,
        requests: 1,
        capacity: capacity::total(output.consumed_capacity),
        ..Raw::default()
    })
}

/// The items of an answer, decoded.
fn items(all: impl IntoIterator<Item = RawItem>) -> Vec<Item> {
    all.into_iter().map(|item| item.to_item()).collect()
}

/// Reads one page of a query or scan, of the partition and table that the arguments give.
pub(super) async fn one_page(
    question: &Question<'_>,
    arguments: &Values,
    after: Option<Item>,
    limit: Option<u32>,
) -> Result<Raw, ClientError> {
    if question.plan.request == RequestKind::Scan {
        return scan(question, after, limit).await;
    }
    let name = table_name(question, arguments)?;
    query(question, &name, arguments, after, limit).await
}

/// Reads one page of a query.
pub(super) async fn query(
    question: &Question<'_>,
    name: &str,
    arguments: &Values,
    after: Option<Item>,
    limit: Option<u32>,
) -> Result<Raw, ClientError> {
    let plan = question.plan;
    let asked = |condition: String, modifiers: String| Asked {
        operation: "Query".to_owned(),
        place: place(plan, name),
        condition,
        modifiers,
    };
    let mut made = Placeholders::default();
    let Some(conditions) = condition::of_key(question, arguments, &mut made)? else {
        let condition = "nothing: no key lies in the range".to_owned();
        return Ok(Raw {
            asked: asked(condition, String::new()),
            ..Raw::default()
        });
    };
    let (expressions, printed): (Vec<String>, Vec<String>) = conditions.into_iter().unzip();
    let filter_expression = filter(question, &mut made)?;
    let projection_expression = projection(question, &mut made);
    // A projection names what is fetched.
    let fetches_all = !plan.fetched.is_empty() && plan.only.is_empty();
    let input = QueryInput {
        table_name: Some(name.to_owned()),
        index_name: plan.index.clone(),
        limit: limit.map(i64::from),
        consistent_read: plan.strong.then_some(true),
        scan_index_forward: question.is_descending().then_some(false),
        exclusive_start_key: after.map(Ok),
        key_condition_expression: Some(expressions.join(" AND ")),
        filter_expression,
        select: fetches_all.then(|| Select::AllAttributes.into()),
        projection_expression,
        expression_attributes: made.finish(),
        returns: capacity::requested(),
        ..QueryInput::default()
    };
    let asked = asked(printed.join(" AND "), modifiers(question, limit));
    let output = match question.io.ask(input.into()).await {
        Ok(Response::Query(output)) => output,
        Ok(_) => return Err(unexpected()),
        Err(error) if is_absent(question, &error) => return Ok(Raw::empty(asked)),
        Err(error) => return Err(error),
    };
    if let Some(next) = &output.last_evaluated_key {
        cursor::check_end(question, arguments, next)?;
    }
    Ok(Raw {
        items: items(output.items.unwrap_or_default()),
        asked,
        requests: 1,
        capacity: capacity::total(output.consumed_capacity),
        next: output.last_evaluated_key,
        ..Raw::default()
    })
}

/// The order, limit and filters of a query, for people.
fn modifiers(question: &Question<'_>, limit: Option<u32>) -> String {
    let order = question.is_descending().then(|| "descending".to_owned());
    let limit = limit.map(|limit| format!("limit {limit}"));
    let all: Vec<String> = order
        .into_iter()
        .chain(limit)
        .chain(shown_filters(question.plan))
        .collect();
    all.join(", ")
}

fn shown_filters(plan: &PatternPlan) -> impl Iterator<Item = String> {
    plan.filters.iter().map(|filter| format!("filter {filter}"))
}

/// Reads one page of a scan.
async fn scan(
    question: &Question<'_>,
    after: Option<Item>,
    limit: Option<u32>,
) -> Result<Raw, ClientError> {
    let plan = question.plan;
    let mut made = Placeholders::default();
    let filter_expression = filter(question, &mut made)?;
    let projection_expression = projection(question, &mut made);
    let input = ScanInput {
        table_name: Some(plan.table.clone()),
        limit: limit.map(i64::from),
        consistent_read: plan.strong.then_some(true),
        exclusive_start_key: after.map(Ok),
        filter_expression,
        projection_expression,
        expression_attributes: made.finish(),
        returns: capacity::requested(),
        ..ScanInput::default()
    };
    let filters: Vec<String> = shown_filters(plan).collect();
    let Response::Scan(output) = question.io.ask(input.into()).await? else {
        return Err(unexpected());
    };
    if let Some(next) = &output.last_evaluated_key {
        cursor::check_end(question, &question.arguments, next)?;
    }
    Ok(Raw {
        items: items(output.items.unwrap_or_default()),
        asked: Asked {
            operation: "Scan".to_owned(),
            place: plan.table.clone(),
            condition: "every item".to_owned(),
            modifiers: filters.join(", "),
        },
        requests: 1,
        capacity: capacity::total(output.consumed_capacity),
        next: output.last_evaluated_key,
        ..Raw::default()
    })
}

/// The filter expression of a plan; `None` without filters.
fn filter(question: &Question<'_>, made: &mut Placeholders) -> Result<Option<String>, ClientError> {
    let mut terms = Vec::new();
    for filter in &question.plan.filters {
        terms.push(Term::Condition(bind(filter, &question.arguments)?));
    }
    Ok(made.terms(&terms))
}
