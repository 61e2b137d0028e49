//! One request of a plan: GetItem, Query or Scan.

use super::{Asked, Question, Raw, condition, consumed, returns};
use crate::arguments::Values;
use crate::backend::unexpected;
use crate::error::ClientError;
use crate::expression::Placeholders;
use keyfold_api::{ErrorKind, GetItemInput, QueryInput, Request, Response, ScanInput};
use keyfold_model::schema::RequestKind;
use keyfold_model::{Fan, KeyTemplate, Pattern, PatternPlan, SortCondition, value};
use keyfold_types::{Item, Value};

/// The table that a request goes to: with periods, that of the time that is given.
pub(super) fn table_name(
    question: &Question<'_>,
    arguments: &Values,
) -> Result<String, ClientError> {
    let Some(period) = &question.plan.period else {
        return Ok(question.table.name.clone());
    };
    match arguments.get(&period.from) {
        Some(Value::S(time)) => Ok(question.table.physical_name(period.unit.of(time))),
        _ => Err(ClientError::Missing(format!(
            "{}=… is missing: it says in which table the items lie",
            period.from
        ))),
    }
}

pub(super) fn place(plan: &PatternPlan, table: &str) -> String {
    match &plan.index {
        None => table.to_owned(),
        Some(index) => format!("{table}.{index}"),
    }
}

/// The key of a plan that gives all of it.
pub(super) fn key_of(question: &Question<'_>, arguments: &Values) -> Result<Item, ClientError> {
    let (plan, table) = (question.plan, question.table);
    let made = |template: &KeyTemplate| value::key(template, arguments, &table.delimiters);
    let mut key = Item::new();
    if let Some(partition) = &plan.partition {
        key.insert(table.partition.name.as_str(), made(partition)?);
    }
    if let (Some(column), SortCondition::Equal(template)) = (&table.sort, &plan.sort) {
        key.insert(column.name.as_str(), made(template)?);
    }
    Ok(key)
}

/// The projection of a plan: what it returns, and the keys by which items are told apart.
pub(super) fn projection(question: &Question<'_>, made: &mut Placeholders) -> Option<String> {
    if question.plan.only.is_empty() {
        return None;
    }
    let table = question.table;
    let mut names: Vec<&str> = question.plan.only.iter().map(String::as_str).collect();
    names.extend(question.digests.iter().map(String::as_str));
    names.push(&table.partition.name);
    names.extend(table.sort.iter().map(|column| column.name.as_str()));
    // A page that is put together from several goes on behind one of its items, by its key in the
    // index.
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

/// A table of a period that nothing has been written in holds nothing.
pub(super) fn is_absent(question: &Question<'_>, error: &ClientError) -> bool {
    question.table.period.is_some() && error.kind() == Some(ErrorKind::ResourceNotFound)
}

pub(super) fn get(question: &Question<'_>) -> Result<Raw, ClientError> {
    let name = table_name(question, &question.arguments)?;
    let key = key_of(question, &question.arguments)?;
    let condition: Vec<String> = key
        .iter()
        .map(|(name, value)| condition::print(name, " = ", value))
        .collect();
    let mut made = Placeholders::default();
    let projection_expression = projection(question, &mut made);
    let input = GetItemInput {
        table_name: Some(name.clone()),
        key: Some(Ok(key)),
        consistent_read: question.plan.strong.then_some(true),
        projection_expression,
        expression_attributes: made.finish(),
        returns: returns(),
        ..GetItemInput::default()
    };
    let asked = Asked {
        operation: "GetItem".to_owned(),
        place: place(question.plan, &name),
        condition: condition.join(" AND "),
        modifiers: String::new(),
    };
    let output = match question.backend.call(input.into()) {
        Ok(Response::GetItem(output)) => output,
        Ok(_) => return Err(unexpected()),
        Err(error) if is_absent(question, &error) => {
            return Ok(Raw {
                asked,
                requests: 1,
                ..Raw::default()
            });
        }
        Err(error) => return Err(error),
    };
    let items = output.item.map(|item| item.to_item()).into_iter().collect();
    Ok(Raw {
        items,
        asked,
        requests: 1,
        capacity: consumed(output.consumed_capacity),
        next: None,
    })
}

/// One page of a query or scan, of the partition and table that the arguments give.
pub(super) fn one_page(
    question: &Question<'_>,
    arguments: &Values,
    after: Option<Item>,
    limit: Option<u32>,
) -> Result<Raw, ClientError> {
    if question.plan.request == RequestKind::Scan {
        return scan(question, after, limit);
    }
    let name = table_name(question, arguments)?;
    query(question, &name, arguments, after, limit)
}

pub(super) fn query(
    question: &Question<'_>,
    name: &str,
    arguments: &Values,
    after: Option<Item>,
    limit: Option<u32>,
) -> Result<Raw, ClientError> {
    let plan = question.plan;
    let mut made = Placeholders::default();
    let Some(conditions) = condition::of_key(question, arguments, &mut made)? else {
        let asked = Asked {
            operation: "Query".to_owned(),
            place: place(plan, name),
            condition: "nothing: no key lies in the range".to_owned(),
            modifiers: String::new(),
        };
        return Ok(Raw {
            asked,
            ..Raw::default()
        });
    };
    let (expressions, printed): (Vec<String>, Vec<String>) = conditions.into_iter().unzip();
    let filter_expression = filters(question, &question.arguments, &mut made)?;
    let projection_expression = projection(question, &mut made);
    let descending = plan.descending != question.backward;
    let input = QueryInput {
        table_name: Some(name.to_owned()),
        index_name: plan.index.clone(),
        limit: limit.map(i64::from),
        consistent_read: plan.strong.then_some(true),
        scan_index_forward: descending.then_some(false),
        exclusive_start_key: after.map(Ok),
        key_condition_expression: Some(expressions.join(" AND ")),
        filter_expression,
        projection_expression,
        expression_attributes: made.finish(),
        returns: returns(),
        ..QueryInput::default()
    };
    let mut modifiers = Vec::new();
    if descending {
        modifiers.push("descending".to_owned());
    }
    modifiers.extend(limit.map(|limit| format!("limit {limit}")));
    modifiers.extend(plan.filters.iter().map(|filter| format!("filter {filter}")));
    let asked = Asked {
        operation: "Query".to_owned(),
        place: place(plan, name),
        condition: printed.join(" AND "),
        modifiers: modifiers.join(", "),
    };
    let output = match question.backend.call(Request::from(input)) {
        Ok(Response::Query(output)) => output,
        Ok(_) => return Err(unexpected()),
        Err(error) if is_absent(question, &error) => {
            return Ok(Raw {
                asked,
                requests: 1,
                ..Raw::default()
            });
        }
        Err(error) => return Err(error),
    };
    Ok(Raw {
        items: output
            .items
            .unwrap_or_default()
            .iter()
            .map(|item| item.to_item())
            .collect(),
        asked,
        requests: 1,
        capacity: consumed(output.consumed_capacity),
        next: output.last_evaluated_key,
    })
}

fn scan(
    question: &Question<'_>,
    after: Option<Item>,
    limit: Option<u32>,
) -> Result<Raw, ClientError> {
    let plan = question.plan;
    let mut made = Placeholders::default();
    let filter_expression = filters(question, &question.arguments, &mut made)?;
    let projection_expression = projection(question, &mut made);
    let input = ScanInput {
        table_name: Some(plan.table.clone()),
        limit: limit.map(i64::from),
        consistent_read: plan.strong.then_some(true),
        exclusive_start_key: after.map(Ok),
        filter_expression,
        projection_expression,
        expression_attributes: made.finish(),
        returns: returns(),
        ..ScanInput::default()
    };
    let filters: Vec<String> = plan
        .filters
        .iter()
        .map(|filter| format!("filter {filter}"))
        .collect();
    let Response::Scan(output) = question.backend.call(Request::from(input))? else {
        return Err(unexpected());
    };
    Ok(Raw {
        items: output
            .items
            .unwrap_or_default()
            .iter()
            .map(|item| item.to_item())
            .collect(),
        asked: Asked {
            operation: "Scan".to_owned(),
            place: plan.table.clone(),
            condition: "every item".to_owned(),
            modifiers: filters.join(", "),
        },
        requests: 1,
        capacity: consumed(output.consumed_capacity),
        next: output.last_evaluated_key,
    })
}

/// The filter of a plan.
fn filters(
    question: &Question<'_>,
    arguments: &Values,
    made: &mut Placeholders,
) -> Result<Option<String>, ClientError> {
    let mut terms = Vec::new();
    for filter in &question.plan.filters {
        terms.push(crate::expression::term(filter, arguments)?);
    }
    Ok(made.terms(&terms))
}

/// A page goes on only where a page of the same pattern and arguments ended.
pub(super) fn check_cursor(
    question: &Question<'_>,
    pattern: &Pattern,
    after: &Item,
) -> Result<(), ClientError> {
    let plan = question.plan;
    let wrong = || {
        Err(ClientError::Unknown(format!(
            "this is not where a page of {} ended with these arguments; give the `next` of that page",
            pattern.name
        )))
    };
    match &plan.fan {
        Fan::Shards(_) => {
            return if after.iter().all(|(name, _)| name.starts_with("#shard")) {
                Ok(())
            } else {
                wrong()
            };
        }
        Fan::Periods { .. } => {
            return if after.get("#period").is_some() {
                Ok(())
            } else {
                wrong()
            };
        }
        Fan::One => {}
    }
    if !matches!(plan.request, RequestKind::Query | RequestKind::Scan) {
        return wrong();
    }
    let own = std::iter::once(&question.table.partition)
        .chain(&question.table.sort)
        .map(|column| &column.name);
    let mut names: Vec<&String> = own
        .chain(&plan.partition_attributes)
        .chain(&plan.sort_attributes)
        .collect();
    names.sort_unstable();
    names.dedup();
    let given: Vec<&String> = after.iter().map(|(name, _)| name).collect();
    let partition = plan
        .partition
        .iter()
        .flat_map(KeyTemplate::columns)
        .zip(&plan.partition_attributes);
    let mut is_there = partition.map(|(parts, name)| {
        value::column(parts, &question.arguments, &question.table.delimiters)
            .is_ok_and(|value| after.get(name) == Some(&value))
    });
    if names == given && is_there.all(|one| one) {
        Ok(())
    } else {
        wrong()
    }
}
