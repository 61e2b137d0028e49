//! BatchExecuteStatement: up to 25 PartiQL statements on items by key, each on its own.

use crate::base::pending::Pending;
use crate::check::{CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::ops::definition::sentence;
use crate::ops::statement_code::StatementCode;
use crate::ops::{get_item, single_write, statement};
use crate::read::capacity::Bills;
use crate::read::meter::Meter;
use crate::read::view::view;
use crate::table::arn;
use keyfold_api::{
    ApiError, BatchExecuteStatementInput, BatchExecuteStatementOutput, ConsumedCapacity, ErrorKind,
    ParameterizedStatement, StatementError, StatementResponse,
};
use keyfold_codec::RawItem;
use keyfold_expr::partiql::{Select, Statement};
use keyfold_types::CapacityHalves;

/// Statements of one request at the most.
const STATEMENTS_MAX: usize = 25;

pub(crate) fn run(
    core: &Core,
    input: BatchExecuteStatementInput,
) -> Pending<BatchExecuteStatementOutput> {
    execute(core, input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn execute(
    core: &Core,
    input: BatchExecuteStatementInput,
) -> Result<Pending<BatchExecuteStatementOutput>, ApiError> {
    let mut constraints = Constraints::default();
    constraints.required("statements", &input.statements);
    let returns = constraints.returns(&input.returns);
    if let Some(statements) = &input.statements {
        constraints.list("statements", statements.len(), 1, STATEMENTS_MAX);
        for (at, given) in statements.iter().enumerate() {
            statement::constrain(
                &mut constraints,
                &format!("statements.{}.member.", at + 1),
                given,
            );
        }
    }
    constraints.finish()?;
    let given = input.statements.unwrap_or_default();
    let parsed: Vec<_> = given.iter().map(statement::parse).collect();
    let reads = parsed
        .iter()
        .flatten()
        .filter(|statement| statement.is_read())
        .count();
    if reads > 0 && reads < parsed.iter().flatten().count() {
        return sentence("A batch must contain either only read or only write statements");
    }
    let mut bills = Bills::default();
    let failures = core.store().failures();
    let mut output = BatchExecuteStatementOutput::default();
    for (given, parsed) in given.iter().zip(parsed) {
        let table = parsed
            .as_ref()
            .ok()
            .map(|statement| statement.table().to_owned());
        let (item, consumed) =
            match parsed.and_then(|statement| execute_one(core, given, statement, returns)) {
                Ok((item, consumed)) => (Ok(item), consumed),
                Err(error) if error.kind() == ErrorKind::Internal => return Err(error),
                Err(error) => (Err(failed(error)), None),
            };
        bills.add_consumed(consumed);
        let (item, error) = match item {
            Ok(item) => (item, None),
            Err(error) => (None, Some(error)),
        };
        output.responses.push(StatementResponse {
            table_name: table,
            item,
            error,
        });
    }
    output.consumed_capacity = bills.answer(returns.capacity, None);
    if reads > 0 {
        return Ok(Pending::ready(Ok(output)));
    }
    // Of all statements, though writes may be taken again in between.
    Ok(Pending::after(
        core.store().barrier_since(failures),
        Ok(output),
    ))
}

/// Executes one statement. Its write is staged, not durable yet.
fn execute_one(
    core: &Core,
    given: &ParameterizedStatement,
    statement: Statement,
    returns: CheckedReturns,
) -> Result<(Option<RawItem>, Option<ConsumedCapacity>), ApiError> {
    match statement {
        Statement::Select(select) => read(core, given, &select),
        Statement::Exists(_) => sentence(statement::EXISTS_OUTSIDE_TRANSACTION),
        write
        @ (Statement::Insert { .. } | Statement::Update { .. } | Statement::Delete { .. }) => {
            let table = core
                .table(arn::named_table(write.table()))
                .ok_or_else(ApiError::table_not_found)?;
            let write = statement::write(&table, write, given, returns)?;
            let (result, _ticket) = single_write::run(core, Ok(write)).into_parts();
            result.map(|output| (output.attributes, output.consumed_capacity))
        }
    }
}

fn read(
    core: &Core,
    given: &ParameterizedStatement,
    select: &Select,
) -> Result<(Option<RawItem>, Option<ConsumedCapacity>), ApiError> {
    let table = core.table(TableName::new(Some(select.table.clone())).name());
    let table = table.ok_or_else(ApiError::table_not_found)?;
    let found = select
        .condition
        .as_ref()
        .and_then(|condition| statement::full_key(&table.key, condition));
    let Some((key, rest)) = found.filter(|_| select.index.is_none()) else {
        return sentence(
            "Select statements within BatchExecuteStatement must specify the primary key in the where clause.",
        );
    };
    let key = get_item::plan(&table, &key)?;
    let rate = get_item::rate(given.consistent_read);
    let meter = Meter::admit(core, &table, None, Some(key.as_slice()))?;
    let item = get_item::read(&view(core, None, rate), &table, &key)?;
    let units = CapacityHalves::read(item.as_ref().map_or(0, RawItem::size_bytes), rate);
    meter.charge(units);
    let consumed = ConsumedCapacity {
        table_name: select.table.clone(),
        table: units,
        ..ConsumedCapacity::default()
    };
    let item = item.filter(|item| rest.iter().all(|condition| condition.holds(Some(item))));
    Ok((
        item.map(|item| statement::columns(select.columns.as_deref(), item)),
        Some(consumed),
    ))
}

fn failed(error: ApiError) -> StatementError {
    let message = error.message().unwrap_or_default();
    let code = StatementCode::of(error.kind()).name().to_owned();
    let item = if let ApiError::ConditionalCheckFailed(item) = error {
        item.map(|item| *item)
    } else {
        None
    };
    StatementError {
        code,
        message,
        item,
    }
}
