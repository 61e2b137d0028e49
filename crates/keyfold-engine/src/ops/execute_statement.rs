//! ExecuteStatement: one PartiQL statement.
//!
//! A SELECT whose condition fixes the partition key (by equality, IN, or equalities joined by OR)
//! reads those partitions as Query does; any other is a Scan.

use crate::base::fingerprint::Fingerprint;
use crate::base::layout;
use crate::base::pending::Pending;
use crate::check::{CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::ops::definition::sentence;
use crate::ops::single_write;
use crate::ops::{get_item, statement};
use crate::read::page::{ReadPlan, projected};
use crate::read::{key_range, options};
use crate::table::arn;
use crate::table::{Index, Table};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_api::{
    ApiError, ConsumedCapacity, ExecuteStatementInput, ExecuteStatementOutput, Validation,
};
use keyfold_codec::RawItem;
use keyfold_codec::key::{IndexId, KeyRange};
use keyfold_expr::partiql::{Select, Statement};
use keyfold_expr::{
    Comparator, Condition, KeyCondition, KeyTerm, KeyTest, Literal, Operand, Projection,
};
use keyfold_store::Direction;
use keyfold_types::KeySchema;
use keyfold_types::limits::PAGE_BYTES_MAX;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Partition key values of one IN. Source: "PartiQL operators for DynamoDB".
const PARTITIONS_MAX: usize = 50;
/// Characters of a NextToken at the most.
const TOKEN_CHARS_MAX: usize = 32 * 1024;

pub(crate) fn run(core: &Core, input: ExecuteStatementInput) -> Pending<ExecuteStatementOutput> {
    execute(core, &input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn execute(
    core: &Core,
    input: &ExecuteStatementInput,
) -> Result<Pending<ExecuteStatementOutput>, ApiError> {
    let mut constraints = Constraints::default();
    statement::constrain(&mut constraints, "", &input.statement);
    constraints.range("limit", input.limit, 1, i64::MAX);
    if let Some(token) = &input.next_token {
        constraints.count("nextToken", token.len(), token, 1, TOKEN_CHARS_MAX);
    }
    let returns = constraints.returns(&input.returns);
    constraints.finish()?;
    match statement::parse(&input.statement)? {
        Statement::Select(select) => {
            read(core, &select, input, returns).map(|output| Pending::ready(Ok(output)))
        }
        Statement::Exists(_) => sentence(statement::EXISTS_OUTSIDE_TRANSACTION),
        write
        @ (Statement::Insert { .. } | Statement::Update { .. } | Statement::Delete { .. }) => {
            let table = core
                .table(arn::named_table(write.table()))
                .ok_or_else(ApiError::table_not_found)?;
            let write = statement::write(&table, write, &input.statement, returns)?;
            Ok(
                single_write::run(core, Ok(write)).map(|output| ExecuteStatementOutput {
                    items: output.attributes.into_iter().collect(),
                    consumed_capacity: output.consumed_capacity,
                    ..ExecuteStatementOutput::default()
                }),
            )
        }
    }
}

/// The cursor of a SELECT: a partition, and the key to continue after.
struct Position {
    partition: usize,
    /// An encoded key, which is only compared with other keys.
    after: Option<Vec<u8>>,
}

/// Bytes of a token's parts: the hash of the statement, the partition, and the seal at the end.
const PRINT_BYTES: usize = 8;
const PARTITION_BYTES: usize = 4;
const SEAL_BYTES: usize = 16;

impl Position {
    /// The beginning of a partition.
    fn in_partition(partition: usize) -> Position {
        Position {
            partition,
            after: None,
        }
    }

    /// The token of the position. It contains the hash of its statement and a seal, since the key in
    /// it is used without further checks.
    fn token(&self, core: &Core, print: u64) -> String {
        let mut bytes = print.to_be_bytes().to_vec();
        bytes.extend_from_slice(&(self.partition as u32).to_be_bytes());
        bytes.extend_from_slice(self.after.as_deref().unwrap_or_default());
        bytes.extend_from_slice(&core.seal(&bytes));
        STANDARD.encode(bytes)
    }

    /// Decodes a token of the same statement.
    fn of(core: &Core, token: &str, print: u64) -> Result<Position, ApiError> {
        let wrong = || Validation::Sentence("Given NextToken is invalid".to_owned());
        let bytes = STANDARD.decode(token).map_err(|_| wrong())?;
        let content = bytes
            .len()
            .checked_sub(SEAL_BYTES)
            .and_then(|at| bytes.split_at_checked(at));
        let (content, seal) = content.ok_or_else(wrong)?;
        if *seal != core.seal(content) {
            return Err(wrong().into());
        }
        let (made_for, rest) = content.split_at_checked(PRINT_BYTES).ok_or_else(wrong)?;
        let (partition, after) = rest.split_at_checked(PARTITION_BYTES).ok_or_else(wrong)?;
        if made_for != print.to_be_bytes() {
            return sentence("NextToken does not match request");
        }
        let partition = u32::from_be_bytes(partition.try_into().map_err(|_| wrong())?) as usize;
        Ok(Position {
            partition,
            after: (!after.is_empty()).then(|| after.to_vec()),
        })
    }
}

/// The key ranges that a SELECT reads, one after another.
struct Reading {
    table: Arc<Table>,
    index: Option<Index>,
    /// The condition of each partition; none for a scan.
    partitions: Option<Vec<KeyCondition>>,
    direction: Direction,
    projection: Option<Projection>,
    fetch: bool,
}

impl Reading {
    fn plan(core: &Core, select: &Select) -> Result<Reading, ApiError> {
        let table = core.table(TableName::new(Some(select.table.clone())).name());
        let table = table.ok_or_else(ApiError::table_not_found)?;
        let index = options::index(&table, &select.index)?.cloned();
        let schema = index.as_ref().map_or(&table.key, |index| &index.key);
        let mut partitions = match &select.condition {
            None => None,
            Some(condition) => partitions(schema, condition)?,
        };
        let direction = order(schema, select, partitions.as_mut())?;
        let projection = select.columns.as_ref().map(|paths| {
            let mut roots: Vec<_> = paths
                .iter()
                .map(|path| keyfold_expr::Path::attribute(path.root()))
                .collect();
            roots.sort_unstable();
            roots.dedup();
            Projection::of_paths(roots)
        });
        let fetch = options::fetches(&table, index.as_ref(), None, projection.as_ref())?;
        Ok(Reading {
            index,
            partitions,
            direction,
            projection,
            fetch,
            table,
        })
    }

    /// An item as the statement selects it.
    fn row(&self, select: &Select, item: RawItem) -> RawItem {
        let kept = projected(self.projection.as_ref(), item);
        statement::columns(select.columns.as_deref(), kept)
    }

    fn range(&self, partition: usize) -> Result<Option<KeyRange>, ApiError> {
        let place = self.index.as_ref().map_or(IndexId::BASE, |index| index.id);
        match &self.partitions {
            None if partition == 0 => Ok(Some(layout::entries_of(self.table.id, place))),
            None => Ok(None),
            Some(partitions) => {
                let Some(condition) = partitions.get(partition) else {
                    return Ok(None);
                };
                let schema = self
                    .index
                    .as_ref()
                    .map_or(&self.table.key, |index| &index.key);
                let named = self
                    .index
                    .as_ref()
                    .map(|index| (index.id, index.name.as_str()));
                Ok(Some(
                    key_range::plan(self.table.id, named, schema, condition)?.wanted,
                ))
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
    options::check_consistency(reading.index.as_ref(), input.statement.consistent_read).or_else(
        |_| sentence("Strongly consistent read is not supported on Global Secondary Indexes"),
    )?;
    let print = print_of(input);
    let mut position = match &input.next_token {
        None => Position::in_partition(0),
        Some(token) => Position::of(core, token, print)?,
    };
    let mut left = input.limit.and_then(|limit| u64::try_from(limit).ok());
    let mut output = ExecuteStatementOutput::default();
    let filter = select.condition.clone().map(Arc::new);
    let mut bytes = 0;
    while let Some(range) = reading.range(position.partition)? {
        if left == Some(0) || bytes >= PAGE_BYTES_MAX {
            output.next_token = Some(position.token(core, print));
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
            filter: filter.clone(),
            projection: None,
            fetch: reading.fetch,
            count_only: false,
            capacity: returns.capacity,
        };
        if let Some(after) = &position.after {
            plan.resume_after(after.clone());
        }
        let page = plan.run(core)?;
        left = left.map(|left| left.saturating_sub(page.scanned_count));
        for item in page.items.unwrap_or_default() {
            bytes += item.size_bytes();
            output.items.push(reading.row(select, item));
        }
        add(&mut output.consumed_capacity, page.consumed_capacity);
        let Some(after) = page.last_evaluated_key else {
            position = Position::in_partition(position.partition + 1);
            continue;
        };
        let cursor = options::cursor(&reading.table, reading.index.as_ref(), &after);
        position.after = Some(cursor.ok_or(Validation::StartKey)?.into_vec());
        output.next_token = Some(position.token(core, print));
        output.last_evaluated_key = Some(after);
        break;
    }
    Ok(output)
}

/// The hash of the request that a token belongs to.
fn print_of(input: &ExecuteStatementInput) -> u64 {
    let mut print = Fingerprint::default();
    print.text(input.statement.statement.as_deref().unwrap_or_default());
    print.values(
        input
            .statement
            .parameters
            .iter()
            .flatten()
            .filter_map(|value| value.as_ref().ok()),
    );
    print.short()
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

/// The partitions that a condition names, each with its test of the sort key; none when it names
/// none.
fn partitions(
    schema: &KeySchema,
    condition: &Condition,
) -> Result<Option<Vec<KeyCondition>>, ApiError> {
    let conjuncts = statement::conjuncts(condition);
    let mut allowed: Vec<(&str, Vec<Literal>)> = Vec::with_capacity(schema.partition.len());
    for attribute in &schema.partition {
        let mut each = conjuncts.iter();
        let Some(values) = each.find_map(|one| values_of(one, &attribute.name)) else {
            return Ok(None);
        };
        allowed.push((&attribute.name, values));
    }
    // Checked before the combinations are made.
    let sizes = allowed.iter().map(|(_, values)| values.len());
    if sizes.fold(1, usize::saturating_mul) > PARTITIONS_MAX {
        return sentence(format!(
            "The IN operator is provided with too many partition key values; the most are {PARTITIONS_MAX}"
        ));
    }
    let sorts = sort_terms(schema, &conjuncts);
    let with_sorts = |mut terms: Vec<KeyTerm>| {
        terms.extend(sorts.iter().cloned());
        KeyCondition::new(terms)
    };
    let fixed = combinations(&allowed).into_iter();
    Ok(Some(fixed.map(with_sorts).collect()))
}

/// Every combination of allowed values, as equalities.
fn combinations(allowed: &[(&str, Vec<Literal>)]) -> Vec<Vec<KeyTerm>> {
    let mut all: Vec<Vec<KeyTerm>> = vec![Vec::new()];
    for (name, values) in allowed {
        let with = |terms: &[KeyTerm], value: &Literal| {
            let mut terms = terms.to_vec();
            terms.push(KeyTerm {
                attribute: (*name).to_owned(),
                test: KeyTest::Eq(value.clone()),
            });
            terms
        };
        let each = all.iter();
        all = each
            .flat_map(|terms| values.iter().map(|value| with(terms, value)))
            .collect();
    }
    all
}

/// The tests of sort attributes that narrow a range: equalities from left to right, and one other
/// test at most, the last.
fn sort_terms(schema: &KeySchema, conjuncts: &[&Condition]) -> Vec<KeyTerm> {
    let mut terms = Vec::new();
    for attribute in &schema.sort {
        let mut each = conjuncts.iter();
        let Some(test) = each.find_map(|one| sort_test(one, &attribute.name)) else {
            break;
        };
        let fits = |literal: &&Literal| literal.value().kind() == attribute.kind.value_kind();
        if !test.literals().iter().all(fits) {
            break;
        }
        let is_equality = matches!(test, KeyTest::Eq(_));
        terms.push(KeyTerm {
            attribute: attribute.name.clone(),
            test,
        });
        if !is_equality {
            break;
        }
    }
    terms
}

/// The values of an attribute that a condition allows, each once; none when it allows all.
fn values_of(condition: &Condition, attribute: &str) -> Option<Vec<Literal>> {
    let mut values = Vec::new();
    if !collect_values(condition, attribute, &mut values) {
        return None;
    }
    let mut seen = BTreeSet::new();
    values.retain(|value| seen.insert(value.raw().bytes()));
    Some(values.into_iter().cloned().collect())
}

/// Adds the values of an attribute that a condition allows. Returns false when it allows all.
fn collect_values<'c>(
    condition: &'c Condition,
    attribute: &str,
    values: &mut Vec<&'c Literal>,
) -> bool {
    if let Some(value) = statement::equality(condition, attribute) {
        values.push(value);
        return true;
    }
    match condition {
        Condition::In(Operand::Path(path), list) if path.as_attribute() == Some(attribute) => {
            list.iter().all(|one| match one {
                Operand::Literal(value) => {
                    values.push(value);
                    true
                }
                Operand::Path(_) | Operand::Size(_) => false,
            })
        }
        Condition::Or(members) => members
            .iter()
            .all(|one| collect_values(one, attribute, values)),
        Condition::And(_)
        | Condition::Not(_)
        | Condition::Compare(..)
        | Condition::Between(..)
        | Condition::In(..)
        | Condition::Exists(_)
        | Condition::NotExists(_)
        | Condition::IsType(..)
        | Condition::BeginsWith(..)
        | Condition::Contains(..) => false,
    }
}

fn sort_test(condition: &Condition, attribute: &str) -> Option<KeyTest> {
    let is_it = |path: &keyfold_expr::Path| path.as_attribute() == Some(attribute);
    match condition {
        Condition::Compare(comparator, left, right) => {
            let (comparator, value) = match (left, right) {
                (Operand::Path(path), Operand::Literal(value)) if is_it(path) => {
                    (*comparator, value.clone())
                }
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
        Condition::And(_)
        | Condition::Or(_)
        | Condition::Not(_)
        | Condition::Between(..)
        | Condition::In(..)
        | Condition::Exists(_)
        | Condition::NotExists(_)
        | Condition::IsType(..)
        | Condition::BeginsWith(..)
        | Condition::Contains(..) => None,
    }
}

/// The direction of an ORDER BY. Sorts the partitions by it.
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
    let is_hash = |name: &str| {
        schema
            .partition
            .iter()
            .any(|attribute| attribute.name == name)
    };
    if partitions.len() > 1 && !select.order.iter().any(|(name, _)| is_hash(name)) {
        return sentence(
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.",
        );
    }
    for (name, descending) in &select.order {
        if schema
            .partition
            .iter()
            .any(|attribute| attribute.name == *name)
        {
            let value = |condition: &KeyCondition| {
                let term = condition
                    .terms()
                    .iter()
                    .find(|term| term.attribute == *name);
                term.and_then(|term| {
                    term.test
                        .literals()
                        .first()
                        .map(|literal| literal.raw().scalar_bytes().to_vec())
                })
            };
            partitions.sort_by_key(value);
            if *descending {
                partitions.reverse();
            }
        } else if schema.sort.iter().any(|attribute| attribute.name == *name) {
            direction = if *descending {
                Direction::Backward
            } else {
                Direction::Forward
            };
        } else {
            return sentence(format!(
                "Variable reference {name} in ORDER BY clause must be part of the primary key"
            ));
        }
    }
    Ok(direction)
}
