//! ExecuteStatement: one PartiQL statement.
//!
//! A SELECT whose condition fixes the partition key (by equality, IN, or equalities joined by OR) reads those
//! partitions as Query does; any other is a Scan.

use crate::check::{CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::ops::definition::sentence;
use crate::ops::single_write;
use crate::ops::{get_item, key_range, read_options, statement};
use crate::page::ReadPlan;
use crate::pending::Pending;
use crate::table::{Index, Table};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_api::{ApiError, ConsumedCapacity, ExecuteStatementInput, ExecuteStatementOutput, Validation};
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, IndexId, KeyRange};
use keyfold_expr::partiql::{Select, Statement};
use keyfold_expr::{Comparator, Condition, KeyCondition, KeyTerm, KeyTest, Literal, Operand, Projection};
use keyfold_store::Direction;
use keyfold_types::limits::PAGE_BYTES_MAX;
use keyfold_types::{Item, KeySchema};
use std::sync::Arc;

/// Partition key values of one IN. Source: "PartiQL operators for DynamoDB".
const PARTITIONS_MAX: usize = 50;

pub(crate) fn run(core: &Core, input: ExecuteStatementInput) -> Pending<ExecuteStatementOutput> {
    execute(core, &input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn execute(core: &Core, input: &ExecuteStatementInput) -> Result<Pending<ExecuteStatementOutput>, ApiError> {
    let mut constraints = Constraints::default();
    statement::constrain(&mut constraints, "", &input.statement);
    constraints.range("limit", input.limit, 1, i64::MAX);
    if let Some(token) = &input.next_token {
        constraints.count("nextToken", token.len(), token, 1, 32768);
    }
    let returns = constraints.returns(&input.returns);
    constraints.finish()?;
    match statement::parse(&input.statement)? {
        Statement::Select(select) => {
            read(core, &select, input, returns).map(|output| Pending::ready(Ok(output)))
        }
        Statement::Exists(_) => sentence("EXISTS can be used in ExecuteTransaction only"),
        write => {
            let table = core.table(write.table()).ok_or_else(ApiError::table_not_found)?;
            let write = statement::write(&table, write, &input.statement, returns)?;
            Ok(single_write::run(core, Ok(write)).map(|output| ExecuteStatementOutput {
                items: output.attributes.into_iter().collect(),
                consumed_capacity: output.consumed_capacity,
                ..ExecuteStatementOutput::default()
            }))
        }
    }
}

/// Where a SELECT goes on: the partition it was in, and the key after which.
struct Position {
    partition: usize,
    after: Option<Item>,
}

impl Position {
    /// The token says for which statement it was made.
    fn token(&self, print: u64) -> String {
        let mut bytes = print.to_be_bytes().to_vec();
        bytes.extend_from_slice(&(self.partition as u32).to_be_bytes());
        if let Some(after) = &self.after {
            bytes.extend_from_slice(RawItem::encode(after).bytes());
        }
        STANDARD.encode(bytes)
    }

    fn of(token: &str, print: u64) -> Result<Position, ApiError> {
        let wrong = || Validation::Sentence("Given NextToken is invalid".to_owned());
        let bytes = STANDARD.decode(token).map_err(|_| wrong())?;
        let (made_for, rest) = bytes.split_at_checked(8).ok_or_else(wrong)?;
        let (partition, after) = rest.split_at_checked(4).ok_or_else(wrong)?;
        if made_for != print.to_be_bytes() {
            return sentence("NextToken does not match request");
        }
        let partition = u32::from_be_bytes(partition.try_into().map_err(|_| wrong())?) as usize;
        let after = if after.is_empty() {
            None
        } else {
            Some(RawItem::open(after.to_vec().into()).map_err(|_| wrong())?.to_item())
        };
        Ok(Position { partition, after })
    }
}

/// The key ranges that a SELECT reads, one after another.
struct Reading {
    table: Arc<Table>,
    index: Option<Index>,
    /// One for each partition; none for a scan.
    partitions: Option<Vec<KeyCondition>>,
    direction: Direction,
    projection: Option<Projection>,
    fetch: bool,
}

impl Reading {
    fn plan(core: &Core, select: &Select) -> Result<Reading, ApiError> {
        let table = core.table(TableName::new(Some(select.table.clone())).name());
        let table = table.ok_or_else(ApiError::table_not_found)?;
        let index = read_options::index(&table, &select.index)?.cloned();
        let schema = index.as_ref().map_or(&table.key, |index| &index.key);
        let mut partitions = select.condition.as_ref().and_then(|condition| partitions(schema, condition));
        if partitions.as_ref().is_some_and(|partitions| partitions.len() > PARTITIONS_MAX) {
            return sentence(format!(
                "The IN operator is provided with too many partition key values; the most are {PARTITIONS_MAX}"
            ));
        }
        let direction = order(schema, select, partitions.as_mut())?;
        let projection = select.columns.as_ref().map(|paths| {
            let mut roots: Vec<_> =
                paths.iter().map(|path| keyfold_expr::Path::attribute(path.root())).collect();
            roots.sort_unstable();
            roots.dedup();
            Projection::of_paths(roots)
        });
        let fetch = read_options::fetches(&table, index.as_ref(), None, projection.as_ref())?;
        Ok(Reading { index, partitions, direction, projection, fetch, table })
    }

    fn range(&self, partition: usize) -> Result<Option<KeyRange>, ApiError> {
        let place = self.index.as_ref().map_or(IndexId::BASE, |index| index.id);
        match &self.partitions {
            None if partition == 0 => Ok(Some(KeyRange::prefix(key::space_prefix(self.table.id, place)))),
            None => Ok(None),
            Some(partitions) => {
                let Some(condition) = partitions.get(partition) else { return Ok(None) };
                let schema = self.index.as_ref().map_or(&self.table.key, |index| &index.key);
                let named = self.index.as_ref().map(|index| (index.id, index.name.as_str()));
                Ok(Some(key_range::plan(self.table.id, named, schema, condition)?.wanted))
            }
        }
    }
}

fn read(
    core: &Core,
    select: &Select,
    input: &ExecuteStatementInput,
    returns: CheckedReturns,
) -> Result<ExecuteStatementOutput, ApiError> {
    let reading = Reading::plan(core, select)?;
    read_options::check_consistency(reading.index.as_ref(), input.statement.consistent_read)?;
    let print = xxhash_rust::xxh3::xxh3_64(
        format!("{:?}{:?}", input.statement.statement, input.statement.parameters).as_bytes(),
    );
    let mut position = match &input.next_token {
        None => Position { partition: 0, after: None },
        Some(token) => Position::of(token, print)?,
    };
    let mut left = input.limit.and_then(|limit| u64::try_from(limit).ok());
    let mut output = ExecuteStatementOutput::default();
    let mut bytes = 0;
    while let Some(range) = reading.range(position.partition)? {
        if left == Some(0) || bytes >= PAGE_BYTES_MAX {
            output.next_token = Some(position.token(print));
            break;
        }
        let mut plan = ReadPlan {
            table: Arc::clone(&reading.table),
            given_name: select.table.clone(),
            index: reading.index.clone(),
            range,
            direction: reading.direction,
            limit: left,
            rate: get_item::rate(input.statement.consistent_read),
            filter: select.condition.clone(),
            projection: None,
            fetch: reading.fetch,
            count_only: false,
            capacity: returns.capacity,
        };
        if let Some(after) = &position.after {
            let cursor = read_options::cursor(&reading.table, reading.index.as_ref(), after);
            plan.resume_after(cursor.ok_or(Validation::StartKey)?.into_vec());
        }
        let page = plan.run(core)?;
        left = left.map(|left| left.saturating_sub(page.scanned_count));
        for item in page.items.unwrap_or_default() {
            bytes += item.size_bytes();
            let kept = reading.projection.as_ref().map_or(item.clone(), |projection| projection.apply(&item));
            output.items.push(statement::columns(select.columns.as_deref(), kept));
        }
        add(&mut output.consumed_capacity, page.consumed_capacity);
        match page.last_evaluated_key {
            Some(after) => {
                position.after = Some(after.clone());
                output.next_token = Some(position.token(print));
                output.last_evaluated_key = Some(after);
                break;
            }
            None => position = Position { partition: position.partition + 1, after: None },
        }
    }
    Ok(output)
}

fn add(sum: &mut Option<ConsumedCapacity>, more: Option<ConsumedCapacity>) {
    let Some(more) = more else { return };
    let Some(sum) = sum else {
        *sum = Some(more);
        return;
    };
    sum.table += more.table;
    for (index, units) in more.local_secondary_indexes {
        *sum.local_secondary_indexes.entry(index).or_default() += units;
    }
    for (index, units) in more.global_secondary_indexes {
        *sum.global_secondary_indexes.entry(index).or_default() += units;
    }
}

/// The partitions that a condition names, each with what it says of the sort key; none when it names none.
fn partitions(schema: &KeySchema, condition: &Condition) -> Option<Vec<KeyCondition>> {
    let conjuncts = statement::conjuncts(condition);
    let mut fixed: Vec<Vec<KeyTerm>> = vec![Vec::new()];
    for attribute in &schema.partition {
        let values = conjuncts.iter().find_map(|one| values_of(one, &attribute.name))?;
        fixed = fixed
            .into_iter()
            .flat_map(|terms| {
                values.iter().map(move |value| {
                    let mut terms = terms.clone();
                    let test = KeyTest::Eq(value.clone());
                    terms.push(KeyTerm { attribute: attribute.name.clone(), test });
                    terms
                })
            })
            .collect();
    }
    let mut sorts = Vec::new();
    for attribute in &schema.sort {
        let Some(test) = conjuncts.iter().find_map(|one| sort_test(one, &attribute.name)) else { break };
        if test.literals().iter().any(|literal| literal.value().kind() != attribute.kind.value_kind()) {
            break;
        }
        let is_equality = matches!(test, KeyTest::Eq(_));
        sorts.push(KeyTerm { attribute: attribute.name.clone(), test });
        if !is_equality {
            break;
        }
    }
    let whole = |mut terms: Vec<KeyTerm>| {
        terms.extend(sorts.iter().cloned());
        KeyCondition::new(terms)
    };
    Some(fixed.into_iter().map(whole).collect())
}

/// The values that a condition allows an attribute: one, or a few.
fn values_of(condition: &Condition, attribute: &str) -> Option<Vec<Literal>> {
    if let Some(value) = statement::equality(condition, attribute) {
        return Some(vec![value.clone()]);
    }
    let mut values: Vec<Literal> = match condition {
        Condition::In(Operand::Path(path), list) if path.as_attribute() == Some(attribute) => list
            .iter()
            .map(|one| if let Operand::Literal(value) = one { Some(value.clone()) } else { None })
            .collect::<Option<_>>()?,
        Condition::Or(members) => members
            .iter()
            .map(|one| values_of(one, attribute))
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect(),
        _ => return None,
    };
    let mut seen = Vec::new();
    values.retain(|value| {
        let is_new = !seen.contains(value.value());
        seen.push(value.value().clone());
        is_new
    });
    Some(values)
}

fn sort_test(condition: &Condition, attribute: &str) -> Option<KeyTest> {
    let is_it = |path: &keyfold_expr::Path| path.as_attribute() == Some(attribute);
    match condition {
        Condition::Compare(comparator, left, right) => {
            let (comparator, value) = match (left, right) {
                (Operand::Path(path), Operand::Literal(value)) if is_it(path) => (*comparator, value.clone()),
                (Operand::Literal(value), Operand::Path(path)) if is_it(path) => {
                    (comparator.mirrored(), value.clone())
                }
                _ => return None,
            };
            Some(match comparator {
                Comparator::Eq => KeyTest::Eq(value),
                Comparator::Lt => KeyTest::Lt(value),
                Comparator::Le => KeyTest::Le(value),
                Comparator::Gt => KeyTest::Gt(value),
                Comparator::Ge => KeyTest::Ge(value),
                Comparator::Ne => return None,
            })
        }
        Condition::Between(Operand::Path(path), Operand::Literal(low), Operand::Literal(high))
            if is_it(path) =>
        {
            Some(KeyTest::Between(low.clone(), high.clone()))
        }
        Condition::BeginsWith(Operand::Path(path), Operand::Literal(prefix)) if is_it(path) => {
            Some(KeyTest::BeginsWith(prefix.clone()))
        }
        _ => None,
    }
}

/// The direction of ORDER BY; partitions are put into its order.
fn order(
    schema: &KeySchema,
    select: &Select,
    partitions: Option<&mut Vec<KeyCondition>>,
) -> Result<Direction, ApiError> {
    let mut direction = Direction::Forward;
    if select.order.is_empty() {
        return Ok(direction);
    }
    if select.condition.is_none() {
        return sentence("Must have WHERE clause in the statement when using ORDER BY clause.");
    }
    let Some(partitions) = partitions else {
        return sentence(
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.",
        );
    };
    for (name, descending) in &select.order {
        if schema.partition.iter().any(|attribute| attribute.name == *name) {
            let value = |condition: &KeyCondition| {
                let term = condition.terms().iter().find(|term| term.attribute == *name);
                term.and_then(|term| {
                    term.test.literals().first().map(|literal| literal.raw().scalar_bytes().to_vec())
                })
            };
            partitions.sort_by_key(value);
            if *descending {
                partitions.reverse();
            }
        } else if schema.sort.iter().any(|attribute| attribute.name == *name) {
            direction = if *descending { Direction::Backward } else { Direction::Forward };
        } else {
            return sentence(format!(
                "Variable reference {name} in ORDER BY clause must be part of the primary key"
            ));
        }
    }
    Ok(direction)
}
