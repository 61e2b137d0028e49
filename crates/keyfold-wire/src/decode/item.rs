//! Bodies of the operations on one item.

use super::reader::{Decoded, Reader};
use super::value;
use keyfold_api::{
    DeleteItemInput, ExpressionAttributes, GetItemInput, LegacyParameters, Named, PutItemInput,
    ReturnValue, ReturnValuesOnConditionCheckFailure, Returns, UpdateItemInput,
};

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
            "ExpressionAttributeNames" => {
                reader.placeholders(member, &mut input.expression_attributes)?
            }
            "ReturnConsumedCapacity" => reader.returns(member, &mut input.returns)?,
            legacy => reader.legacy(legacy, &mut input.legacy)?,
        }
        Ok(())
    })?;
    Ok(input)
}

/// The members that all writes of one item share.
#[derive(Default)]
struct WriteMembers {
    condition_expression: Option<String>,
    expression_attributes: ExpressionAttributes,
    return_values: Option<Named<ReturnValue>>,
    on_failure: Option<Named<ReturnValuesOnConditionCheckFailure>>,
    returns: Returns,
    legacy: Option<Box<LegacyParameters>>,
}

/// The names of [`WriteMembers`].
const SHARED: [&str; 9] = [
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

impl WriteMembers {
    fn take(&mut self, reader: &mut Reader<'_>, member: &'static str) -> Decoded<()> {
        match member {
            "ConditionExpression" => self.condition_expression = reader.string()?,
            "ExpressionAttributeNames" | "ExpressionAttributeValues" => {
                reader.placeholders(member, &mut self.expression_attributes)?;
            }
            "ReturnValues" => self.return_values = reader.word()?,
            "ReturnValuesOnConditionCheckFailure" => self.on_failure = reader.word()?,
            "ReturnConsumedCapacity" | "ReturnItemCollectionMetrics" => {
                reader.returns(member, &mut self.returns)?;
            }
            legacy => reader.legacy(legacy, &mut self.legacy)?,
        }
        Ok(())
    }
}

pub(super) fn put_item(reader: &mut Reader<'_>) -> Decoded<PutItemInput> {
    let (mut table_name, mut item, mut shared) = (None, None, WriteMembers::default());
    let members: &[&[&'static str]] = &[&["TableName", "Item"], &SHARED];
    reader.object_of(members, |reader, member| {
        match member {
            "TableName" => table_name = reader.string()?,
            "Item" => item = value::attributes(reader)?,
            other => shared.take(reader, other)?,
        }
        Ok(())
    })?;
    Ok(PutItemInput {
        table_name,
        item,
        condition_expression: shared.condition_expression,
        expression_attributes: shared.expression_attributes,
        return_values: shared.return_values,
        return_values_on_condition_check_failure: shared.on_failure,
        returns: shared.returns,
        legacy: shared.legacy,
    })
}

pub(super) fn update_item(reader: &mut Reader<'_>) -> Decoded<UpdateItemInput> {
    let (mut table_name, mut key, mut update_expression) = (None, None, None);
    let mut shared = WriteMembers::default();
    let members: &[&[&'static str]] = &[
        &["TableName", "Key", "UpdateExpression", "AttributeUpdates"],
        &SHARED,
    ];
    reader.object_of(members, |reader, member| {
        match member {
            "TableName" => table_name = reader.string()?,
            "Key" => key = value::attributes(reader)?,
            "UpdateExpression" => update_expression = reader.string()?,
            other => shared.take(reader, other)?,
        }
        Ok(())
    })?;
    Ok(UpdateItemInput {
        table_name,
        key,
        update_expression,
        condition_expression: shared.condition_expression,
        expression_attributes: shared.expression_attributes,
        return_values: shared.return_values,
        return_values_on_condition_check_failure: shared.on_failure,
        returns: shared.returns,
        legacy: shared.legacy,
    })
}

pub(super) fn delete_item(reader: &mut Reader<'_>) -> Decoded<DeleteItemInput> {
    let (mut table_name, mut key, mut shared) = (None, None, WriteMembers::default());
    let members: &[&[&'static str]] = &[&["TableName", "Key"], &SHARED];
    reader.object_of(members, |reader, member| {
        match member {
            "TableName" => table_name = reader.string()?,
            "Key" => key = value::attributes(reader)?,
            other => shared.take(reader, other)?,
        }
        Ok(())
    })?;
    Ok(DeleteItemInput {
        table_name,
        key,
        condition_expression: shared.condition_expression,
        expression_attributes: shared.expression_attributes,
        return_values: shared.return_values,
        return_values_on_condition_check_failure: shared.on_failure,
        returns: shared.returns,
        legacy: shared.legacy,
    })
}
