//! Bodies of the operations on one item.

use super::{Decoded, Reader, value};
use keyfold_api::{DeleteItemInput, GetItemInput, PutItemInput, UpdateItemInput};

pub(super) fn get_item(reader: &mut Reader<'_>) -> Decoded<GetItemInput> {
    let mut input = GetItemInput::default();
    let members = &[
        "TableName",
        "Key",
        "ConsistentRead",
        "ProjectionExpression",
        "ExpressionAttributeNames",
        "ReturnConsumedCapacity",
        "AttributesToGet",
    ];
    reader.object(members, |reader, member| {
        match member {
            "TableName" => input.table_name = reader.string()?,
            "Key" => input.key = value::attributes(reader)?,
            "ConsistentRead" => input.consistent_read = reader.bool()?,
            "ProjectionExpression" => input.projection_expression = reader.string()?,
            "ExpressionAttributeNames" => reader.placeholders(member, &mut input.expression_attributes)?,
            "ReturnConsumedCapacity" => reader.returns(member, &mut input.returns)?,
            legacy => reader.legacy(legacy, &mut input.legacy)?,
        }
        Ok(())
    })?;
    Ok(input)
}

pub(super) fn put_item(reader: &mut Reader<'_>) -> Decoded<PutItemInput> {
    let mut input = PutItemInput::default();
    let members = &[
        "TableName",
        "Item",
        "ConditionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "ReturnValues",
        "ReturnValuesOnConditionCheckFailure",
        "ReturnConsumedCapacity",
        "ReturnItemCollectionMetrics",
        "Expected",
        "ConditionalOperator",
    ];
    reader.object(members, |reader, member| {
        match member {
            "TableName" => input.table_name = reader.string()?,
            "Item" => input.item = value::attributes(reader)?,
            "ConditionExpression" => input.condition_expression = reader.string()?,
            "ExpressionAttributeNames" | "ExpressionAttributeValues" => {
                reader.placeholders(member, &mut input.expression_attributes)?;
            }
            "ReturnValues" => input.return_values = reader.word()?,
            "ReturnValuesOnConditionCheckFailure" => {
                input.return_values_on_condition_check_failure = reader.word()?;
            }
            "ReturnConsumedCapacity" | "ReturnItemCollectionMetrics" => {
                reader.returns(member, &mut input.returns)?;
            }
            legacy => reader.legacy(legacy, &mut input.legacy)?,
        }
        Ok(())
    })?;
    Ok(input)
}

pub(super) fn update_item(reader: &mut Reader<'_>) -> Decoded<UpdateItemInput> {
    let mut input = UpdateItemInput::default();
    let members = &[
        "TableName",
        "Key",
        "UpdateExpression",
        "ConditionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "ReturnValues",
        "ReturnValuesOnConditionCheckFailure",
        "ReturnConsumedCapacity",
        "ReturnItemCollectionMetrics",
        "AttributeUpdates",
        "Expected",
        "ConditionalOperator",
    ];
    reader.object(members, |reader, member| {
        match member {
            "TableName" => input.table_name = reader.string()?,
            "Key" => input.key = value::attributes(reader)?,
            "UpdateExpression" => input.update_expression = reader.string()?,
            "ConditionExpression" => input.condition_expression = reader.string()?,
            "ExpressionAttributeNames" | "ExpressionAttributeValues" => {
                reader.placeholders(member, &mut input.expression_attributes)?;
            }
            "ReturnValues" => input.return_values = reader.word()?,
            "ReturnValuesOnConditionCheckFailure" => {
                input.return_values_on_condition_check_failure = reader.word()?;
            }
            "ReturnConsumedCapacity" | "ReturnItemCollectionMetrics" => {
                reader.returns(member, &mut input.returns)?;
            }
            legacy => reader.legacy(legacy, &mut input.legacy)?,
        }
        Ok(())
    })?;
    Ok(input)
}

pub(super) fn delete_item(reader: &mut Reader<'_>) -> Decoded<DeleteItemInput> {
    let mut input = DeleteItemInput::default();
    let members = &[
        "TableName",
        "Key",
        "ConditionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "ReturnValues",
        "ReturnValuesOnConditionCheckFailure",
        "ReturnConsumedCapacity",
        "ReturnItemCollectionMetrics",
        "Expected",
        "ConditionalOperator",
    ];
    reader.object(members, |reader, member| {
        match member {
            "TableName" => input.table_name = reader.string()?,
            "Key" => input.key = value::attributes(reader)?,
            "ConditionExpression" => input.condition_expression = reader.string()?,
            "ExpressionAttributeNames" | "ExpressionAttributeValues" => {
                reader.placeholders(member, &mut input.expression_attributes)?;
            }
            "ReturnValues" => input.return_values = reader.word()?,
            "ReturnValuesOnConditionCheckFailure" => {
                input.return_values_on_condition_check_failure = reader.word()?;
            }
            "ReturnConsumedCapacity" | "ReturnItemCollectionMetrics" => {
                reader.returns(member, &mut input.returns)?;
            }
            legacy => reader.legacy(legacy, &mut input.legacy)?,
        }
        Ok(())
    })?;
    Ok(input)
}
