//! Bodies of the PartiQL operations.

use super::reader::{Decoded, Reader};
use keyfold_api::{
    BatchExecuteStatementInput, ExecuteStatementInput, ExecuteTransactionInput,
    ParameterizedStatement, ShapeReader,
};

const STATEMENT: &[&str] = &[
    "Statement",
    "Parameters",
    "ConsistentRead",
    "ReturnValuesOnConditionCheckFailure",
];

fn take(
    reader: &mut Reader<'_>,
    member: &str,
    statement: &mut ParameterizedStatement,
) -> Decoded<()> {
    match member {
        "Statement" => statement.statement = reader.string()?,
        "Parameters" => statement.parameters = reader.elements()?,
        "ConsistentRead" => statement.consistent_read = reader.bool()?,
        _ => statement.return_values_on_condition_check_failure = reader.word()?,
    }
    Ok(())
}

fn statements(reader: &mut Reader<'_>) -> Decoded<Option<Vec<ParameterizedStatement>>> {
    reader.list_of(|reader| {
        let mut statement = ParameterizedStatement::default();
        reader.object(STATEMENT, |reader, member| {
            take(reader, member, &mut statement)
        })?;
        Ok(statement)
    })
}

pub(super) fn execute_statement(reader: &mut Reader<'_>) -> Decoded<ExecuteStatementInput> {
    let mut input = ExecuteStatementInput::default();
    reader.object_of(
        &[STATEMENT, &["NextToken", "Limit", "ReturnConsumedCapacity"]],
        |reader, member| {
            match member {
                "NextToken" => input.next_token = reader.string()?,
                "Limit" => input.limit = reader.int()?,
                "ReturnConsumedCapacity" => reader.returns(member, &mut input.returns)?,
                _ => take(reader, member, &mut input.statement)?,
            }
            Ok(())
        },
    )?;
    Ok(input)
}

pub(super) fn batch_execute_statement(
    reader: &mut Reader<'_>,
) -> Decoded<BatchExecuteStatementInput> {
    let mut input = BatchExecuteStatementInput::default();
    reader.object(
        &["Statements", "ReturnConsumedCapacity"],
        |reader, member| {
            match member {
                "Statements" => input.statements = statements(reader)?,
                _ => reader.returns(member, &mut input.returns)?,
            }
            Ok(())
        },
    )?;
    Ok(input)
}

pub(super) fn execute_transaction(reader: &mut Reader<'_>) -> Decoded<ExecuteTransactionInput> {
    let mut input = ExecuteTransactionInput::default();
    let members = &[
        "TransactStatements",
        "ClientRequestToken",
        "ReturnConsumedCapacity",
    ];
    reader.object(members, |reader, member| {
        match member {
            "TransactStatements" => input.transact_statements = statements(reader)?,
            "ClientRequestToken" => input.client_request_token = reader.string()?,
            _ => reader.returns(member, &mut input.returns)?,
        }
        Ok(())
    })?;
    Ok(input)
}
