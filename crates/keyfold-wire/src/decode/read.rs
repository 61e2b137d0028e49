//! Bodies of Query and Scan.

use super::reader::{Decoded, Reader};
use super::value;
use keyfold_api::{QueryInput, ScanInput};

pub(super) fn query(reader: &mut Reader<'_>) -> Decoded<QueryInput> {
    let mut input = QueryInput::default();
    let members = &[
        "TableName",
        "IndexName",
        "Select",
        "Limit",
        "ConsistentRead",
        "ScanIndexForward",
        "ExclusiveStartKey",
        "KeyConditionExpression",
        "FilterExpression",
        "ProjectionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "ReturnConsumedCapacity",
        "AttributesToGet",
        "KeyConditions",
        "QueryFilter",
        "ConditionalOperator",
    ];
    reader.object(members, |reader, member| {
        match member {
            "TableName" => input.table_name = reader.string()?,
            "IndexName" => input.index_name = reader.string()?,
            "Select" => input.select = reader.word()?,
            "Limit" => input.limit = reader.int()?,
            "ConsistentRead" => input.consistent_read = reader.bool()?,
            "ScanIndexForward" => input.scan_index_forward = reader.bool()?,
            "ExclusiveStartKey" => input.exclusive_start_key = value::attributes(reader)?,
            "KeyConditionExpression" => input.key_condition_expression = reader.string()?,
            "FilterExpression" => input.filter_expression = reader.string()?,
            "ProjectionExpression" => input.projection_expression = reader.string()?,
            "ExpressionAttributeNames" | "ExpressionAttributeValues" => {
                reader.placeholders(member, &mut input.expression_attributes)?;
            }
            "ReturnConsumedCapacity" => reader.returns(member, &mut input.returns)?,
            legacy => reader.legacy(legacy, &mut input.legacy)?,
        }
        Ok(())
    })?;
    Ok(input)
}

pub(super) fn scan(reader: &mut Reader<'_>) -> Decoded<ScanInput> {
    let mut input = ScanInput::default();
    let members = &[
        "TableName",
        "IndexName",
        "Select",
        "Limit",
        "ConsistentRead",
        "ExclusiveStartKey",
        "FilterExpression",
        "ProjectionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "Segment",
        "TotalSegments",
        "ReturnConsumedCapacity",
        "AttributesToGet",
        "ScanFilter",
        "ConditionalOperator",
    ];
    reader.object(members, |reader, member| {
        match member {
            "TableName" => input.table_name = reader.string()?,
            "IndexName" => input.index_name = reader.string()?,
            "Select" => input.select = reader.word()?,
            "Limit" => input.limit = reader.int()?,
            "ConsistentRead" => input.consistent_read = reader.bool()?,
            "ExclusiveStartKey" => input.exclusive_start_key = value::attributes(reader)?,
            "FilterExpression" => input.filter_expression = reader.string()?,
            "ProjectionExpression" => input.projection_expression = reader.string()?,
            "ExpressionAttributeNames" | "ExpressionAttributeValues" => {
                reader.placeholders(member, &mut input.expression_attributes)?;
            }
            "Segment" => input.segment = reader.int()?,
            "TotalSegments" => input.total_segments = reader.int()?,
            "ReturnConsumedCapacity" => reader.returns(member, &mut input.returns)?,
            legacy => reader.legacy(legacy, &mut input.legacy)?,
        }
        Ok(())
    })?;
    Ok(input)
}
