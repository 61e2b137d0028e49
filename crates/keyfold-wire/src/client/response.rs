//! Response bodies to outputs.

use crate::decode::reader::{DecodeError, Decoded, Reader, null_in_list};
use crate::decode::{batch, value};
use crate::shaped::shaped_operations;
use keyfold_api::{
    BatchExecuteStatementOutput, BatchGetItemOutput, BatchWriteItemOutput, ConsumedCapacity,
    ExecuteStatementOutput, GetItemOutput, KeysAndAttributes, Operation, PageOutput, Response,
    ShapeReader, StatementError, StatementResponse, TableDescription, TransactGetItemsOutput,
    TransactWriteItemsOutput, WriteItemOutput, WriteRequest,
};
use keyfold_codec::RawItem;
use keyfold_types::{CapacityHalves, Item};
use std::collections::BTreeMap;

/// Decodes the body of a successful response to `operation`. A member that is null is absent, and members
/// that are not known are skipped.
///
/// # Errors
/// When the body does not have the operation's shape: it is no JSON, a member has another type, a value is
/// none, or a member is missing that each response has.
pub fn decode_response(operation: Operation, body: &[u8]) -> Decoded<Response> {
    let reader = &mut Reader::new(body);
    let response = response(operation, reader)?;
    // Operations that have no answer but the status read nothing.
    if !matches!(
        response,
        Response::TagResource(()) | Response::UntagResource(())
    ) {
        reader.finish()?;
    }
    Ok(response)
}

macro_rules! decode_response {
    (both { $($both:ident)+ } described { $($described:ident)+ } empty { $($empty:ident)+ }) => {
        fn response(operation: Operation, reader: &mut Reader<'_>) -> Decoded<Response> {
            Ok(match operation {
                Operation::BatchExecuteStatement => {
                    Response::BatchExecuteStatement(batch_execute_statement(reader)?)
                }
                Operation::BatchGetItem => Response::BatchGetItem(batch_get_item(reader)?),
                Operation::BatchWriteItem => Response::BatchWriteItem(batch_write_item(reader)?),
                Operation::DescribeTable => Response::DescribeTable(described(reader)?),
                Operation::ExecuteStatement => Response::ExecuteStatement(execute_statement(reader)?),
                Operation::ExecuteTransaction => {
                    Response::ExecuteTransaction(transact_get_items(reader)?)
                }
                Operation::GetItem => Response::GetItem(get_item(reader)?),
                Operation::PutItem => Response::PutItem(write_item(reader)?),
                Operation::UpdateItem => Response::UpdateItem(write_item(reader)?),
                Operation::DeleteItem => Response::DeleteItem(write_item(reader)?),
                Operation::Query => Response::Query(page(reader)?),
                Operation::Scan => Response::Scan(page(reader)?),
                Operation::TransactGetItems => Response::TransactGetItems(transact_get_items(reader)?),
                Operation::TransactWriteItems => {
                    Response::TransactWriteItems(transact_write_items(reader)?)
                }
                $(Operation::$both => Response::$both(reader.structure()?.unwrap_or_default()),)+
                $(Operation::$described => Response::$described(described(reader)?),)+
                $(Operation::$empty => Response::$empty(()),)+
            })
        }
    };
}
shaped_operations!(decode_response);

/// Decodes an item in DynamoDB's JSON.
///
/// # Errors
/// When the text is not JSON, or a value in it is wrong.
pub fn decode_item(json: &[u8]) -> Decoded<Item> {
    let mut reader = Reader::new(json);
    let item = item(&mut reader)?
        .ok_or_else(|| DecodeError::Shape("expected an item, found null".to_owned()))?;
    reader.finish()?;
    Ok(item)
}

pub(super) fn item(reader: &mut Reader<'_>) -> Decoded<Option<Item>> {
    match value::attributes(reader)? {
        None => Ok(None),
        Some(Ok(item)) => Ok(Some(item)),
        Some(Err(error)) => Err(DecodeError::Shape(error.to_string())),
    }
}

fn raw_item(reader: &mut Reader<'_>) -> Decoded<Option<RawItem>> {
    Ok(item(reader)?.map(|item| RawItem::encode(&item)))
}

fn raw_items(reader: &mut Reader<'_>) -> Decoded<Option<Vec<RawItem>>> {
    let mut items = Vec::new();
    let found = reader.list(|reader| {
        items.push(raw_item(reader)?.ok_or_else(null_in_list)?);
        Ok(())
    })?;
    Ok(found.then_some(items))
}

/// A member that each response has.
fn needed<T>(member: Option<T>, name: &str) -> Decoded<T> {
    member.ok_or_else(|| DecodeError::Shape(format!("The response has no {name}")))
}

fn units(reader: &mut Reader<'_>) -> Decoded<CapacityHalves> {
    let units = reader.double()?.unwrap_or(0.0);
    Ok(CapacityHalves((units * 2.0).round().max(0.0) as u64))
}

fn nested_units(reader: &mut Reader<'_>) -> Decoded<CapacityHalves> {
    let mut found = CapacityHalves::ZERO;
    reader.object(&["CapacityUnits"], |reader, _| {
        found = units(reader)?;
        Ok(())
    })?;
    Ok(found)
}

fn units_by_index(reader: &mut Reader<'_>) -> Decoded<BTreeMap<String, CapacityHalves>> {
    let mut by_index = BTreeMap::new();
    reader.map(|reader, index| {
        by_index.insert(index, nested_units(reader)?);
        Ok(())
    })?;
    Ok(by_index)
}

fn capacity(reader: &mut Reader<'_>) -> Decoded<Option<ConsumedCapacity>> {
    let mut consumed = ConsumedCapacity::default();
    let (mut total, mut table) = (CapacityHalves::ZERO, None);
    let members = &[
        "TableName",
        "CapacityUnits",
        "Table",
        "LocalSecondaryIndexes",
        "GlobalSecondaryIndexes",
    ];
    let found = reader.object(members, |reader, member| {
        match member {
            "TableName" => consumed.table_name = reader.string()?.unwrap_or_default(),
            "CapacityUnits" => total = units(reader)?,
            "Table" => table = Some(nested_units(reader)?),
            "LocalSecondaryIndexes" => consumed.local_secondary_indexes = units_by_index(reader)?,
            _ => consumed.global_secondary_indexes = units_by_index(reader)?,
        }
        Ok(())
    })?;
    consumed.detailed = table.is_some();
    consumed.table = table.unwrap_or(total);
    Ok(found.then_some(consumed))
}

fn capacities(reader: &mut Reader<'_>) -> Decoded<Option<Vec<ConsumedCapacity>>> {
    let mut rows = Vec::new();
    let found = reader.list(|reader| {
        rows.push(capacity(reader)?.ok_or_else(null_in_list)?);
        Ok(())
    })?;
    Ok(found.then_some(rows))
}

fn get_item(reader: &mut Reader<'_>) -> Decoded<GetItemOutput> {
    let mut output = GetItemOutput::default();
    reader.object(&["Item", "ConsumedCapacity"], |reader, member| {
        match member {
            "Item" => output.item = raw_item(reader)?,
            _ => output.consumed_capacity = capacity(reader)?,
        }
        Ok(())
    })?;
    Ok(output)
}

fn write_item(reader: &mut Reader<'_>) -> Decoded<WriteItemOutput> {
    let mut output = WriteItemOutput::default();
    reader.object(&["Attributes", "ConsumedCapacity"], |reader, member| {
        match member {
            "Attributes" => output.attributes = raw_item(reader)?,
            _ => output.consumed_capacity = capacity(reader)?,
        }
        Ok(())
    })?;
    Ok(output)
}

fn count(reader: &mut Reader<'_>) -> Decoded<Option<u64>> {
    let Some(count) = reader.double()? else {
        return Ok(None);
    };
    if count < 0.0 || count.fract() != 0.0 {
        return Err(DecodeError::Shape(format!("{count} is no count")));
    }
    Ok(Some(count as u64))
}

/// The key at which the next page starts: none is empty.
fn start_key(reader: &mut Reader<'_>) -> Decoded<Option<Item>> {
    let key = item(reader)?;
    if key.as_ref().is_some_and(Item::is_empty) {
        return Err(DecodeError::Shape(
            "The response has an empty LastEvaluatedKey".to_owned(),
        ));
    }
    Ok(key)
}

fn page(reader: &mut Reader<'_>) -> Decoded<PageOutput> {
    let mut output = PageOutput::default();
    let mut said = None;
    let members = &[
        "Items",
        "Count",
        "ScannedCount",
        "LastEvaluatedKey",
        "ConsumedCapacity",
    ];
    reader.object(members, |reader, member| {
        match member {
            "Items" => output.items = raw_items(reader)?,
            "Count" => said = count(reader)?,
            "ScannedCount" => output.scanned_count = count(reader)?.unwrap_or_default(),
            "LastEvaluatedKey" => output.last_evaluated_key = start_key(reader)?,
            _ => output.consumed_capacity = capacity(reader)?,
        }
        Ok(())
    })?;
    // A page that does not say how many items it has, has those that are there.
    let there = output.items.iter().flatten().count();
    output.count = said.unwrap_or(there as u64);
    Ok(output)
}

fn batch_get_item(reader: &mut Reader<'_>) -> Decoded<BatchGetItemOutput> {
    let mut output = BatchGetItemOutput::default();
    let mut responses = None;
    let members = &["Responses", "UnprocessedKeys", "ConsumedCapacity"];
    reader.object(members, |reader, member| {
        match member {
            "Responses" => responses = by_table(reader, raw_items)?,
            "UnprocessedKeys" => {
                output.unprocessed_keys =
                    by_table(reader, |reader| unprocessed_keys(reader).map(Some))?
                        .unwrap_or_default();
            }
            _ => output.consumed_capacity = capacities(reader)?,
        }
        Ok(())
    })?;
    output.responses = needed(responses, "Responses")?;
    Ok(output)
}

/// Reads what there is of each table.
fn by_table<T>(
    reader: &mut Reader<'_>,
    mut take: impl FnMut(&mut Reader<'_>) -> Decoded<Option<T>>,
) -> Decoded<Option<Vec<(String, T)>>> {
    let mut tables = Vec::new();
    let found = reader.map(|reader, table| {
        let of_table = needed(take(reader)?, &table)?;
        tables.push((table, of_table));
        Ok(())
    })?;
    Ok(found.then_some(tables))
}

fn unprocessed_keys(reader: &mut Reader<'_>) -> Decoded<KeysAndAttributes> {
    let keys = batch::keys_and_attributes_by(reader, |reader| {
        reader.list_of(|reader| Ok(Ok(item(reader)?.ok_or_else(null_in_list)?)))
    })?;
    if keys.keys.is_none() {
        return needed(None, "Keys");
    }
    Ok(keys)
}

fn batch_write_item(reader: &mut Reader<'_>) -> Decoded<BatchWriteItemOutput> {
    let mut output = BatchWriteItemOutput::default();
    let mut unprocessed = None;
    let members = &["UnprocessedItems", "ConsumedCapacity"];
    reader.object(members, |reader, member| {
        match member {
            "UnprocessedItems" => unprocessed = by_table(reader, unprocessed_writes)?,
            _ => output.consumed_capacity = capacities(reader)?,
        }
        Ok(())
    })?;
    output.unprocessed_items = needed(unprocessed, "UnprocessedItems")?;
    Ok(output)
}

fn unprocessed_writes(reader: &mut Reader<'_>) -> Decoded<Option<Vec<WriteRequest>>> {
    let requests = batch::write_request_list(reader)?;
    let is_write = |request: &WriteRequest| {
        matches!(
            (&request.put, &request.delete),
            (Some(Some(Ok(_))), None) | (None, Some(Some(Ok(_))))
        )
    };
    if requests.iter().flatten().all(is_write) {
        Ok(requests)
    } else {
        needed(None, "write in UnprocessedItems")
    }
}

fn transact_get_items(reader: &mut Reader<'_>) -> Decoded<TransactGetItemsOutput> {
    let mut output = TransactGetItemsOutput::default();
    reader.object(&["Responses", "ConsumedCapacity"], |reader, member| {
        match member {
            "Responses" => {
                reader.list(|reader| {
                    let mut found = None;
                    let is_object = reader.object(&["Item"], |reader, _| {
                        found = raw_item(reader)?;
                        Ok(())
                    })?;
                    output.responses.push(found);
                    is_object.then_some(()).ok_or_else(null_in_list)
                })?;
            }
            _ => output.consumed_capacity = capacities(reader)?,
        }
        Ok(())
    })?;
    Ok(output)
}

fn transact_write_items(reader: &mut Reader<'_>) -> Decoded<TransactWriteItemsOutput> {
    let mut output = TransactWriteItemsOutput::default();
    reader.object(&["ConsumedCapacity"], |reader, _| {
        output.consumed_capacity = capacities(reader)?;
        Ok(())
    })?;
    Ok(output)
}

fn described(reader: &mut Reader<'_>) -> Decoded<TableDescription> {
    let mut description = None;
    reader.object(&["Table", "TableDescription"], |reader, _| {
        description = reader.structure()?;
        Ok(())
    })?;
    description
        .ok_or_else(|| DecodeError::Shape("The response has no table description".to_owned()))
}

fn execute_statement(reader: &mut Reader<'_>) -> Decoded<ExecuteStatementOutput> {
    let mut output = ExecuteStatementOutput::default();
    let members = &["Items", "NextToken", "LastEvaluatedKey", "ConsumedCapacity"];
    reader.object(members, |reader, member| {
        match member {
            "Items" => output.items = raw_items(reader)?.unwrap_or_default(),
            "NextToken" => output.next_token = reader.string()?,
            "LastEvaluatedKey" => output.last_evaluated_key = start_key(reader)?,
            _ => output.consumed_capacity = capacity(reader)?,
        }
        Ok(())
    })?;
    Ok(output)
}

fn batch_execute_statement(reader: &mut Reader<'_>) -> Decoded<BatchExecuteStatementOutput> {
    let mut output = BatchExecuteStatementOutput::default();
    reader.object(&["Responses", "ConsumedCapacity"], |reader, member| {
        match member {
            "Responses" => {
                reader.list(|reader| {
                    output.responses.push(statement_response(reader)?);
                    Ok(())
                })?;
            }
            _ => output.consumed_capacity = capacities(reader)?,
        }
        Ok(())
    })?;
    Ok(output)
}

fn statement_response(reader: &mut Reader<'_>) -> Decoded<StatementResponse> {
    let mut response = StatementResponse::default();
    reader.object(&["Error", "TableName", "Item"], |reader, member| {
        match member {
            "TableName" => response.table_name = reader.string()?,
            "Item" => response.item = raw_item(reader)?,
            _ => {
                let mut error = StatementError {
                    code: String::new(),
                    message: String::new(),
                    item: None,
                };
                let found = reader.object(&["Code", "Message", "Item"], |reader, member| {
                    match member {
                        "Code" => error.code = reader.string()?.unwrap_or_default(),
                        "Message" => error.message = reader.string()?.unwrap_or_default(),
                        _ => error.item = raw_item(reader)?,
                    }
                    Ok(())
                })?;
                response.error = found.then_some(error);
            }
        }
        Ok(())
    })?;
    Ok(response)
}

/// Decodes a line of an export: `{"Item": {...}}`.
///
/// # Errors
/// When the text is not JSON or has no item, or a value in it is wrong.
pub fn decode_item_line(json: &[u8]) -> Decoded<Item> {
    let mut reader = Reader::new(json);
    let mut found = None;
    reader.object(&["Item"], |reader, _| {
        found = item(reader)?;
        Ok(())
    })?;
    reader.finish()?;
    found.ok_or_else(|| DecodeError::Shape("the line has no Item".to_owned()))
}
