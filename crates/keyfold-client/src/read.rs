//! Runs patterns: one request a page, items told apart by their keys.

use crate::arguments::Values;
use crate::backend::{Backend, unexpected};
use crate::error::ClientError;
use keyfold_api::{
    ConsumedCapacity, ExpressionAttributes, GetItemInput, QueryInput, Request, Response,
    ReturnConsumedCapacity, Returns,
};
use keyfold_model::plan::RequestKind;
use keyfold_model::schema::KeyPair;
use keyfold_model::{KeyTemplate, Model, Pattern, PatternPlan, SortCondition, Table, value};
use keyfold_types::{CapacityHalves, Item, Value};

/// Where to start and how much to read.
#[derive(Debug, Clone, Default)]
pub struct PageRequest {
    /// Items at the most, instead of the pattern's page.
    pub limit: Option<u32>,
    /// Where the page before ended.
    pub after: Option<Item>,
}

/// An item and what it is.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundItem {
    /// The entity, or `Entity.copy`.
    pub kind: String,
    /// The attributes of the model, without keys, in the order of their declaration.
    pub attributes: Vec<(String, Value)>,
}

/// One page of a pattern's answer.
#[derive(Debug, Clone)]
pub struct Page {
    /// The items in order.
    pub items: Vec<FoundItem>,
    /// The request that was made, for people.
    pub request: Asked,
    /// What it consumed.
    pub capacity: CapacityHalves,
    /// Where the next page starts, if there may be one.
    pub next: Option<Item>,
}

/// A request as a person reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// GetItem or Query.
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
    /// How many requests it took.
    pub requests: u32,
    /// What they consumed.
    pub capacity: CapacityHalves,
    /// Where the next page starts, if there may be one.
    pub next: Option<Item>,
    /// The first request.
    pub request: Asked,
}

/// Runs a pattern, one page.
///
/// # Errors
/// `NotFound` when an item must exist and does not; `Value` for arguments that no key can be made of; what
/// the backend says otherwise.
pub fn page(
    backend: &Backend,
    model: &Model,
    pattern: &Pattern,
    arguments: &Values,
    page: &PageRequest,
) -> Result<Page, ClientError> {
    let plan = &pattern.plan;
    let arguments = &with_fixed(pattern, arguments)?;
    let table = model
        .tables
        .iter()
        .find(|table| table.name == plan.table)
        .ok_or_else(|| ClientError::Unknown(format!("the model has no table {}", plan.table)))?;
    let partition = template_value(table, plan.partition.as_ref(), arguments)?;
    let (items, capacity, next, request) = match plan.request {
        RequestKind::GetItem => get(backend, table, plan, partition, arguments)?,
        RequestKind::Query => query(backend, table, plan, partition, arguments, page)?,
    };
    let items =
        items.into_iter().map(|item| classify(model, pattern, table, item)).collect::<Result<Vec<_>, _>>()?;
    if let [one] = pattern.returned.as_slice()
        && !one.many
    {
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
                pattern.name, request.condition
            )));
        }
    }
    Ok(Page { items, request, capacity, next })
}

/// The arguments and the values that the pattern fixes.
fn with_fixed(pattern: &Pattern, arguments: &Values) -> Result<Values, ClientError> {
    let mut all = arguments.clone();
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
        requests: 1,
        capacity: first.capacity,
        next: first.next,
        request: first.request,
    };
    while all_pages && let Some(after) = found.next.take() {
        let more = page(
            backend,
            model,
            pattern,
            arguments,
            &PageRequest { limit: start.limit, after: Some(after) },
        )?;
        found.items.extend(more.items);
        found.requests += 1;
        found.capacity += more.capacity;
        found.next = more.next;
    }
    Ok(found)
}

type Answer = (Vec<Item>, CapacityHalves, Option<Item>, Asked);

fn template_value(
    table: &Table,
    template: Option<&KeyTemplate>,
    arguments: &Values,
) -> Result<Value, ClientError> {
    let template = template.ok_or_else(|| ClientError::Unknown("the pattern has no plan".to_owned()))?;
    Ok(value::key(template, arguments, &table.delimiters)?)
}

fn returns() -> Returns {
    Returns { consumed_capacity: Some(ReturnConsumedCapacity::Total.into()), item_collection_metrics: None }
}

fn consumed(capacity: Option<ConsumedCapacity>) -> CapacityHalves {
    capacity.map_or(CapacityHalves::ZERO, |capacity| capacity.total())
}

fn print(attribute: &str, comparison: &str, value: &Value) -> String {
    let text = match value {
        Value::S(text) => format!("\"{}\"", text.replace(char::MAX, "…")),
        other => value::display(other),
    };
    format!("{attribute}{comparison}{text}")
}

fn get(
    backend: &Backend,
    table: &Table,
    plan: &PatternPlan,
    partition: Value,
    arguments: &Values,
) -> Result<Answer, ClientError> {
    let mut condition = print(&plan.partition_attribute, " = ", &partition);
    let mut key = Item::new();
    key.insert(plan.partition_attribute.as_str(), partition);
    if let (Some(attribute), SortCondition::Equal(template)) = (&plan.sort_attribute, &plan.sort) {
        let sort = template_value(table, Some(template), arguments)?;
        condition.push_str(&format!(" AND {}", print(attribute, " = ", &sort)));
        key.insert(attribute.as_str(), sort);
    }
    let input = GetItemInput {
        table_name: Some(table.name.clone()),
        key: Some(Ok(key)),
        consistent_read: plan.strong.then_some(true),
        returns: returns(),
        ..GetItemInput::default()
    };
    let Response::GetItem(output) = backend.call(input.into())? else { return Err(unexpected()) };
    let asked =
        Asked { operation: "GetItem".to_owned(), place: plan.place(), condition, modifiers: String::new() };
    let items = output.item.map(|item| item.to_item()).into_iter().collect();
    Ok((items, consumed(output.consumed_capacity), None, asked))
}

fn query(
    backend: &Backend,
    table: &Table,
    plan: &PatternPlan,
    partition: Value,
    arguments: &Values,
    page: &PageRequest,
) -> Result<Answer, ClientError> {
    let (input, condition) = query_input(table, plan, partition, arguments, page)?;
    let mut modifiers = Vec::new();
    if plan.descending {
        modifiers.push("descending".to_owned());
    }
    modifiers.extend(input.limit.map(|limit| format!("limit {limit}")));
    let Response::Query(output) = backend.call(Request::from(input))? else { return Err(unexpected()) };
    let items = output.items.unwrap_or_default().iter().map(|item| item.to_item()).collect();
    let asked = Asked {
        operation: "Query".to_owned(),
        place: plan.place(),
        condition,
        modifiers: modifiers.join(", "),
    };
    Ok((items, consumed(output.consumed_capacity), output.last_evaluated_key, asked))
}

/// The Query request of a plan, and its key condition with the values.
fn query_input(
    table: &Table,
    plan: &PatternPlan,
    partition: Value,
    arguments: &Values,
    page: &PageRequest,
) -> Result<(QueryInput, String), ClientError> {
    let mut condition = print(&plan.partition_attribute, " = ", &partition);
    let mut expression = "#pk = :pk".to_owned();
    let mut placeholders =
        ExpressionAttributes::default().name("#pk", &plan.partition_attribute).value(":pk", partition);
    if let Some(attribute) = &plan.sort_attribute {
        let made = |template: &KeyTemplate| template_value(table, Some(template), arguments);
        let (text, printed, values) = match &plan.sort {
            SortCondition::Any => (None, String::new(), Vec::new()),
            SortCondition::Equal(template) => {
                let value = made(template)?;
                (Some("#sk = :sk"), print(attribute, " = ", &value), vec![(":sk", value)])
            }
            SortCondition::BeginsWith(template) => {
                let value = Value::S(value::text(&template.parts, arguments, &table.delimiters)?);
                let printed = format!("begins_with({})", print(attribute, ", ", &value));
                (Some("begins_with(#sk, :sk)"), printed, vec![(":sk", value)])
            }
            SortCondition::Between(low, high) => {
                let (low, high) = (made(low)?, made(high)?);
                let printed = format!("{}{}", print(attribute, " BETWEEN ", &low), print("", " AND ", &high));
                (Some("#sk BETWEEN :low AND :high"), printed, vec![(":low", low), (":high", high)])
            }
            SortCondition::AtLeast(low) => {
                let value = made(low)?;
                (Some("#sk >= :sk"), print(attribute, " >= ", &value), vec![(":sk", value)])
            }
            SortCondition::AtMost(high) => {
                let value = made(high)?;
                (Some("#sk <= :sk"), print(attribute, " <= ", &value), vec![(":sk", value)])
            }
        };
        if let Some(text) = text {
            expression.push_str(&format!(" AND {text}"));
            condition.push_str(&format!(" AND {printed}"));
            placeholders = placeholders.name("#sk", attribute);
            for (name, value) in values {
                placeholders = placeholders.value(name, value);
            }
        }
    }
    let input = QueryInput {
        table_name: Some(table.name.clone()),
        index_name: plan.index.clone(),
        limit: page.limit.or(plan.page).map(i64::from),
        consistent_read: plan.strong.then_some(true),
        scan_index_forward: plan.descending.then_some(false),
        exclusive_start_key: page.after.clone().map(Ok),
        key_condition_expression: Some(expression),
        expression_attributes: placeholders,
        returns: returns(),
        ..QueryInput::default()
    };
    Ok((input, condition))
}

/// Tells what an item is by its key: the model has proved that no two kinds share one.
fn classify(model: &Model, pattern: &Pattern, table: &Table, item: Item) -> Result<FoundItem, ClientError> {
    for returned in &pattern.returned {
        let Some(entity) = model.entities.get(returned.entity) else { continue };
        let (kind, key, names): (String, &KeyPair, Vec<&str>) =
            match returned.copy.and_then(|at| entity.copies.get(at)) {
                Some(copy) => (
                    format!("{}.{}", entity.name, copy.name),
                    &copy.key,
                    copy.attributes.iter().map(String::as_str).collect(),
                ),
                None => (
                    entity.name.clone(),
                    &entity.key,
                    entity.attributes.iter().map(|a| a.name.as_str()).collect(),
                ),
            };
        if has_key(table, key, &item) {
            let attributes = names
                .into_iter()
                .filter_map(|name| Some((name.to_owned(), item.get(name)?.clone())))
                .collect();
            return Ok(FoundItem { kind, attributes });
        }
    }
    let key: Vec<String> = item.iter().take(2).map(|(name, value)| print(name, " = ", value)).collect();
    Err(ClientError::Refused(format!(
        "{} found an item that the model does not know ({}): it was not written through the model",
        pattern.name,
        key.join(", ")
    )))
}

fn has_key(table: &Table, key: &KeyPair, item: &Item) -> bool {
    let fits = |template: &KeyTemplate, value: Option<&Value>| match value {
        Some(Value::S(text)) => !template.bare && template.matches(text, &table.delimiters),
        Some(Value::N(_)) => template.bare,
        Some(_) | None => false,
    };
    let sort_fits = match (&key.sort, &table.sort) {
        (Some(template), Some(column)) => fits(template, item.get(&column.name)),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    fits(&key.partition, item.get(&table.partition.name)) && sort_fits
}
