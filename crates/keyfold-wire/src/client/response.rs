//! Response bodies to outputs, and error bodies to errors.

use crate::decode::reader::{DecodeError, Decoded, Reader};
use crate::decode::{batch, value};
use crate::shaped::shaped_operations;
use keyfold_api::{
    BatchExecuteStatementOutput, BatchGetItemOutput, BatchWriteItemOutput, ConsumedCapacity,
    ExecuteStatementOutput, GetItemOutput, Operation, PageOutput, Response, ShapeReader,
    StatementError, StatementResponse, TableDescription, TransactGetItemsOutput,
    TransactWriteItemsOutput, WriteItemOutput,
};
use keyfold_codec::RawItem;
use keyfold_types::{CapacityHalves, Item};
use std::collections::BTreeMap;

/// An error that a service returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceError {
    /// The exception's name without its namespace; `Unknown` when the body names none.
    pub exception: String,
    /// The message; may be empty.
    pub message: String,
    /// Code and message of each action of a cancelled transaction.
    pub reasons: Vec<(String, Option<String>)>,
    /// The indexes of the actions whose condition failed on an item that the error shows.
    pub found: Vec<usize>,
}

/// The exception of an error that names none: it is not one of the service.
pub const UNNAMED: &str = "Unknown";

/// Decodes the body of an error. One that is not of the service's JSON is [`UNNAMED`], and its message
/// begins as the body does.
pub fn decode_error(body: &[u8]) -> ServiceError {
    let mut error = ServiceError {
        exception: UNNAMED.to_owned(),
        message: String::new(),
        reasons: Vec::new(),
        found: Vec::new(),
    };
    let mut reader = Reader::new(body);
    let read = reader.object(
        &[
            "__type",
            "message",
            "Message",
            "CancellationReasons",
            "Item",
        ],
        |reader, member| {
            match member {
                "__type" => {
                    let name = reader.string()?.unwrap_or_default();
                    error.exception = name.rsplit('#').next().unwrap_or(&name).to_owned();
                }
                "CancellationReasons" => {
                    reader.list(|reader| {
                        let (mut code, mut message) = (String::new(), None);
                        let at = error.reasons.len();
                        reader.object(&["Code", "Message", "Item"], |reader, member| {
                            match member {
                                "Code" => code = reader.string()?.unwrap_or_default(),
                                "Item" => error.found.extend(reader.skip_value()?.then_some(at)),
                                _ => message = reader.string()?,
                            }
                            Ok(())
                        })?;
                        error.reasons.push((code, message));
                        Ok(())
                    })?;
                }
                "Item" => error.found.extend(reader.skip_value()?.then_some(0)),
                _ => error.message = reader.string()?.unwrap_or_default(),
            }
            Ok(())
        },
    );
    if read.is_err() && error.message.is_empty() {
        error.message = String::from_utf8_lossy(body).chars().take(500).collect();
    }
    error
}

macro_rules! decode_response {
    (both { $($both:ident)+ } described { $($described:ident)+ } empty { $($empty:ident)+ }) => {
        /// Decodes the body of a successful response to `operation`.
        ///
        /// # Errors
        /// When the body does not have the operation's shape.
        pub fn decode_response(operation: Operation, body: &[u8]) -> Decoded<Response> {
            let reader = &mut Reader::new(body);
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

fn item(reader: &mut Reader<'_>) -> Decoded<Option<Item>> {
    match value::attributes(reader)? {
        None => Ok(None),
        Some(Ok(item)) => Ok(Some(item)),
        Some(Err(error)) => Err(DecodeError::Shape(error.to_string())),
    }
}

fn raw_item(reader: &mut Reader<'_>) -> Decoded<Option<RawItem>> {
    Ok(item(reader)?.map(|item| RawItem::encode(&item)))
}

fn raw_items(reader: &mut Reader<'_>) -> Decoded<Vec<RawItem>> {
    let mut items = Vec::new();
    reader.list(|reader| {
        items.extend(raw_item(reader)?);
        Ok(())
    })?;
    Ok(items)
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
        rows.extend(capacity(reader)?);
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

fn count(reader: &mut Reader<'_>) -> Decoded<u64> {
    Ok(reader
        .int()?
        .and_then(|count| u64::try_from(count).ok())
        .unwrap_or(0))
}

fn page(reader: &mut Reader<'_>) -> Decoded<PageOutput> {
    let mut output = PageOutput::default();
    let members = &[
        "Items",
        "Count",
        "ScannedCount",
        "LastEvaluatedKey",
        "ConsumedCapacity",
    ];
    reader.object(members, |reader, member| {
        match member {
            "Items" => output.items = Some(raw_items(reader)?),
            "Count" => output.count = count(reader)?,
            "ScannedCount" => output.scanned_count = count(reader)?,
            "LastEvaluatedKey" => output.last_evaluated_key = item(reader)?,
            _ => output.consumed_capacity = capacity(reader)?,
        }
        Ok(())
    })?;
    Ok(output)
}

fn batch_get_item(reader: &mut Reader<'_>) -> Decoded<BatchGetItemOutput> {
    let mut output = BatchGetItemOutput::default();
    reader.object(
        &["Responses", "UnprocessedKeys", "ConsumedCapacity"],
        |reader, member| {
            match member {
                "Responses" => {
                    reader.map(|reader, table| {
                        output.responses.push((table, raw_items(reader)?));
                        Ok(())
                    })?;
                }
                "UnprocessedKeys" => {
                    reader.map(|reader, table| {
                        output
                            .unprocessed_keys
                            .push((table, batch::keys_and_attributes(reader)?));
                        Ok(())
                    })?;
                }
                _ => output.consumed_capacity = capacities(reader)?,
            }
            Ok(())
        },
    )?;
    Ok(output)
}

fn batch_write_item(reader: &mut Reader<'_>) -> Decoded<BatchWriteItemOutput> {
    let mut output = BatchWriteItemOutput::default();
    reader.object(
        &["UnprocessedItems", "ConsumedCapacity"],
        |reader, member| {
            match member {
                "UnprocessedItems" => {
                    reader.map(|reader, table| {
                        output
                            .unprocessed_items
                            .push((table, batch::write_requests(reader)?));
                        Ok(())
                    })?;
                }
                _ => output.consumed_capacity = capacities(reader)?,
            }
            Ok(())
        },
    )?;
    Ok(output)
}

fn transact_get_items(reader: &mut Reader<'_>) -> Decoded<TransactGetItemsOutput> {
    let mut output = TransactGetItemsOutput::default();
    reader.object(&["Responses", "ConsumedCapacity"], |reader, member| {
        match member {
            "Responses" => {
                reader.list(|reader| {
                    let mut found = None;
                    reader.object(&["Item"], |reader, _| {
                        found = raw_item(reader)?;
                        Ok(())
                    })?;
                    output.responses.push(found);
                    Ok(())
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
            "Items" => output.items = raw_items(reader)?,
            "NextToken" => output.next_token = reader.string()?,
            "LastEvaluatedKey" => output.last_evaluated_key = item(reader)?,
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
