//! Bodies of the transactions.

use super::reader::{Decoded, Reader};
use super::value;
use keyfold_api::{
    ConditionCheck, TransactDelete, TransactGet, TransactGetItemsInput, TransactPut,
    TransactUpdate, TransactWriteItem, TransactWriteItemsInput,
};

pub(super) fn transact_get_items(reader: &mut Reader<'_>) -> Decoded<TransactGetItemsInput> {
    let mut input = TransactGetItemsInput::default();
    reader.object(
        &["TransactItems", "ReturnConsumedCapacity"],
        |reader, member| {
            match member {
                "TransactItems" => {
                    input.transact_items = reader.list_of(|reader| {
                        let mut get = TransactGet::default();
                        reader.object(&["Get"], |reader, _| transact_get(reader, &mut get))?;
                        Ok(get)
                    })?;
                }
                _ => reader.returns(member, &mut input.returns)?,
            }
            Ok(())
        },
    )?;
    Ok(input)
}

fn transact_get(reader: &mut Reader<'_>, get: &mut TransactGet) -> Decoded<()> {
    let members = &[
        "TableName",
        "Key",
        "ProjectionExpression",
        "ExpressionAttributeNames",
    ];
    reader.object(members, |reader, member| {
        match member {
            "TableName" => get.table_name = reader.string()?,
            "Key" => get.key = value::attributes(reader)?,
            "ProjectionExpression" => get.projection_expression = reader.string()?,
            _ => reader.placeholders(member, &mut get.expression_attributes)?,
        }
        Ok(())
    })?;
    Ok(())
}

pub(super) fn transact_write_items(reader: &mut Reader<'_>) -> Decoded<TransactWriteItemsInput> {
    let mut input = TransactWriteItemsInput::default();
    let members = &[
        "TransactItems",
        "ClientRequestToken",
        "ReturnConsumedCapacity",
        "ReturnItemCollectionMetrics",
    ];
    reader.object(members, |reader, member| {
        match member {
            "TransactItems" => {
                input.transact_items = reader.list_of(transact_write_item)?;
            }
            "ClientRequestToken" => input.client_request_token = reader.string()?,
            _ => reader.returns(member, &mut input.returns)?,
        }
        Ok(())
    })?;
    Ok(input)
}

const ACTION_MEMBERS: &[&str] = &[
    "TableName",
    "Key",
    "Item",
    "UpdateExpression",
    "ConditionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ReturnValuesOnConditionCheckFailure",
];

/// Reads the members of any action into the union of all; each action takes its own.
fn action(reader: &mut Reader<'_>) -> Decoded<Option<TransactUpdate>> {
    let mut action = TransactUpdate::default();
    let found = reader.object(ACTION_MEMBERS, |reader, member| {
        match member {
            "TableName" => action.table_name = reader.string()?,
            "Key" | "Item" => action.key = value::attributes(reader)?,
            "UpdateExpression" => action.update_expression = reader.string()?,
            "ConditionExpression" => action.condition_expression = reader.string()?,
            "ReturnValuesOnConditionCheckFailure" => {
                action.return_values_on_condition_check_failure = reader.word()?;
            }
            _ => reader.placeholders(member, &mut action.expression_attributes)?,
        }
        Ok(())
    })?;
    Ok(found.then_some(action))
}

fn transact_write_item(reader: &mut Reader<'_>) -> Decoded<TransactWriteItem> {
    let mut item = TransactWriteItem::default();
    reader.object(
        &["ConditionCheck", "Put", "Delete", "Update"],
        |reader, member| {
            let Some(action) = action(reader)? else {
                return Ok(());
            };
            match member {
                "ConditionCheck" => {
                    item.condition_check = Some(ConditionCheck {
                        table_name: action.table_name,
                        key: action.key,
                        condition_expression: action.condition_expression,
                        expression_attributes: action.expression_attributes,
                        return_values_on_condition_check_failure: action
                            .return_values_on_condition_check_failure,
                    });
                }
                "Put" => {
                    item.put = Some(TransactPut {
                        table_name: action.table_name,
                        item: action.key,
                        condition_expression: action.condition_expression,
                        expression_attributes: action.expression_attributes,
                        return_values_on_condition_check_failure: action
                            .return_values_on_condition_check_failure,
                    });
                }
                "Delete" => {
                    item.delete = Some(TransactDelete {
                        table_name: action.table_name,
                        key: action.key,
                        condition_expression: action.condition_expression,
                        expression_attributes: action.expression_attributes,
                        return_values_on_condition_check_failure: action
                            .return_values_on_condition_check_failure,
                    });
                }
                _ => item.update = Some(action),
            }
            Ok(())
        },
    )?;
    Ok(item)
}
