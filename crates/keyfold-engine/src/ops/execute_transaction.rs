//! ExecuteTransaction: up to 100 PartiQL statements together, all reads or all writes.

use crate::base::fingerprint::Fingerprint;
use crate::base::pending::Pending;
use crate::check::{CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::ops::definition::sentence;
use crate::ops::transact_write_items::Transaction;
use crate::ops::{get_item, statement, transact_get_items};
use crate::read::capacity::Bills;
use crate::read::meter::Meter;
use crate::table::arn;
use keyfold_api::{
    ApiError, CapacityKind, ExecuteTransactionInput, ParameterizedStatement, TransactGetItemsOutput,
};
use keyfold_codec::RawItem;
use keyfold_expr::partiql::{Select, Statement};
use keyfold_types::CapacityHalves;
use keyfold_types::capacity::ReadRate;
use keyfold_types::limits::TRANSACTION_ACTIONS_MAX;

pub(crate) fn run(core: &Core, input: ExecuteTransactionInput) -> Pending<TransactGetItemsOutput> {
    execute(core, input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn execute(
    core: &Core,
    input: ExecuteTransactionInput,
) -> Result<Pending<TransactGetItemsOutput>, ApiError> {
    let mut constraints = Constraints::default();
    constraints.required("transactStatements", &input.transact_statements);
    let returns = constraints.returns(&input.returns);
    constraints.request_token(&input.client_request_token);
    if let Some(statements) = &input.transact_statements {
        constraints.list(
            "transactStatements",
            statements.len(),
            1,
            TRANSACTION_ACTIONS_MAX,
        );
        for (at, given) in statements.iter().enumerate() {
            statement::constrain(
                &mut constraints,
                &format!("transactStatements.{}.member.", at + 1),
                given,
            );
        }
    }
    constraints.finish()?;
    let given = input.transact_statements.unwrap_or_default();
    let statements = given
        .iter()
        .map(statement::parse)
        .collect::<Result<Vec<_>, _>>()?;
    let answers = |one: &Statement| {
        matches!(
            one,
            Statement::Update {
                returning: Some(_),
                ..
            } | Statement::Delete {
                returning: Some(_),
                ..
            }
        )
    };
    if statements.iter().any(answers) {
        return sentence("A statement of ExecuteTransaction cannot have RETURNING");
    }
    let reads = statements
        .iter()
        .filter(|statement| statement.is_read())
        .count();
    if reads == statements.len() {
        return read(core, &statements, returns).map(|output| Pending::ready(Ok(output)));
    }
    if reads > 0 {
        return sentence("A transaction must contain either only read or only write statements");
    }
    let token = input
        .client_request_token
        .map(|token| (token, fingerprint(&given)));
    write(core, &given, statements, token, returns)
}

/// The hash of the statements and their parameters.
fn fingerprint(statements: &[ParameterizedStatement]) -> u128 {
    let mut print = Fingerprint::default();
    for statement in statements {
        print.optional(statement.statement.as_deref());
        print.values(
            statement
                .parameters
                .iter()
                .flatten()
                .filter_map(|value| value.as_ref().ok()),
        );
    }
    print.long()
}

fn read(
    core: &Core,
    statements: &[Statement],
    returns: CheckedReturns,
) -> Result<TransactGetItemsOutput, ApiError> {
    let snapshot = core.store().snapshot();
    let mut bills = Bills::default();
    let mut responses = Vec::with_capacity(statements.len());
    for (at, statement) in statements.iter().enumerate() {
        let Statement::Select(select) = statement else {
            continue;
        };
        let Select {
            columns,
            table: name,
            index,
            condition,
            ..
        } = select;
        let table = core
            .table(TableName::new(Some(name.clone())).name())
            .ok_or_else(ApiError::table_not_found)?;
        let found = condition
            .as_ref()
            .and_then(|condition| statement::full_key(&table.key, condition));
        let Some((key, rest)) = found.filter(|_| index.is_none()) else {
            return sentence(
                "Select statements within ExecuteTransaction must specify the primary key in the where clause.",
            );
        };
        let key = get_item::plan(&table, &key)?;
        let meter = Meter::admit(core, &table, None, Some(key.as_slice()))
            .map_err(|error| transact_get_items::canceled(error, statements.len(), at))?;
        let item = get_item::read(&snapshot, &table, &key)?;
        let size = item.as_ref().map_or(0, RawItem::size_bytes);
        let units = CapacityHalves::read(size, ReadRate::Transactional);
        meter.charge(units);
        bills.add_read(name, units);
        let item = item.filter(|item| rest.iter().all(|condition| condition.holds(Some(item))));
        let item = item.map(|item| statement::columns(columns.as_deref(), item));
        responses.push(item.filter(|item| item.attributes().next().is_some()));
    }
    let consumed_capacity = bills.answer(returns.capacity, Some(CapacityKind::Read));
    Ok(TransactGetItemsOutput {
        responses,
        consumed_capacity,
    })
}

fn write(
    core: &Core,
    given: &[ParameterizedStatement],
    statements: Vec<Statement>,
    token: Option<(String, u128)>,
    returns: CheckedReturns,
) -> Result<Pending<TransactGetItemsOutput>, ApiError> {
    let mut writes = Vec::with_capacity(statements.len());
    for (given, statement) in given.iter().zip(statements) {
        let table = core
            .table(arn::named_table(statement.table()))
            .ok_or_else(ApiError::table_not_found)?;
        let write = statement::write(&table, statement, given, returns)?;
        writes.push((write.table, write.write));
    }
    let done = Transaction {
        writes,
        token,
        returns,
    }
    .run(core);
    Ok(done.map(|output| TransactGetItemsOutput {
        responses: Vec::new(),
        consumed_capacity: output.consumed_capacity,
    }))
}
