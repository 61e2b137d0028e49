//! Inputs to request bodies. A value that was wrong when it was decoded is left out: the service
//! would have refused it.

use super::legacy::legacy;
use crate::encode::Writer;
use crate::encode::item::{tree, value};
use crate::shaped::shaped_operations;
use keyfold_api::{
    Attributes, BatchGetItemInput, BatchWriteItemInput, DeleteItemInput, ExpressionAttributes,
    GetItemInput, KeysAndAttributes, Named, ParameterizedStatement, PutItemInput, QueryInput,
    Request, Returns, ScanInput, Shape, ShapeWriter, TransactGetItemsInput,
    TransactWriteItemsInput, UpdateItemInput, WireName, WriteRequest,
};

/// Appends the body of a request.
pub fn encode_request(out: &mut Vec<u8>, request: &Request) {
    Writer::new(out).object(|writer| match request {
        Request::BatchExecuteStatement(input) => {
            statements(writer, "Statements", &input.statements);
            returns(writer, &input.returns);
        }
        Request::BatchGetItem(input) => batch_get_item(writer, input),
        Request::BatchWriteItem(input) => batch_write_item(writer, input),
        Request::DeleteItem(input) => delete_item(writer, input),
        Request::ExecuteStatement(input) => {
            statement(writer, &input.statement);
            string(writer, "NextToken", &input.next_token);
            plain(writer, "Limit", input.limit);
            returns(writer, &input.returns);
        }
        Request::ExecuteTransaction(input) => {
            statements(writer, "TransactStatements", &input.transact_statements);
            string(writer, "ClientRequestToken", &input.client_request_token);
            returns(writer, &input.returns);
        }
        Request::GetItem(input) => get_item(writer, input),
        Request::PutItem(input) => put_item(writer, input),
        Request::Query(input) => query(writer, input),
        Request::Scan(input) => scan(writer, input),
        Request::TransactGetItems(input) => transact_get_items(writer, input),
        Request::TransactWriteItems(input) => transact_write_items(writer, input),
        Request::UpdateItem(input) => update_item(writer, input),
        other => shaped(writer, other),
    });
}

macro_rules! shaped {
    (both { $($both:ident)+ } described { $($described:ident)+ } empty { $($empty:ident)+ }) => {
        fn shaped(writer: &mut Writer<'_>, request: &Request) {
            match request {
                $(Request::$both(input) => input.write_members(writer),)+
                $(Request::$described(input) => input.write_members(writer),)+
                $(Request::$empty(input) => input.write_members(writer),)+
                Request::DescribeTable(input) => input.write_members(writer),
                // `encode_request` writes all others by hand.
                _ => {}
            }
        }
    };
}
shaped_operations!(shaped);

/// A member of every conditional write.
const ON_FAILURE: &str = "ReturnValuesOnConditionCheckFailure";

fn statement(writer: &mut Writer<'_>, given: &ParameterizedStatement) {
    string(writer, "Statement", &given.statement);
    if let Some(parameters) = &given.parameters {
        writer.name("Parameters");
        writer.elements(parameters);
    }
    plain(writer, "ConsistentRead", given.consistent_read);
    word(
        writer,
        ON_FAILURE,
        &given.return_values_on_condition_check_failure,
    );
}

fn statements(writer: &mut Writer<'_>, member: &str, given: &Option<Vec<ParameterizedStatement>>) {
    let Some(given) = given else { return };
    writer.name(member);
    writer.array(|writer| {
        given
            .iter()
            .for_each(|one| writer.object(|writer| statement(writer, one)))
    });
}

fn string(writer: &mut Writer<'_>, name: &str, text: &Option<String>) {
    if let Some(text) = text {
        writer.string_member(name, text);
    }
}

fn plain(writer: &mut Writer<'_>, name: &str, given: Option<impl std::fmt::Display>) {
    if let Some(given) = given {
        writer.plain_member(name, given);
    }
}

fn word<T: WireName>(writer: &mut Writer<'_>, name: &str, given: &Option<Named<T>>) {
    match given {
        None => {}
        Some(Named::Known(word)) => writer.string_member(name, word.word()),
        Some(Named::Unknown(text)) => writer.string_member(name, text),
    }
}

fn attributes(writer: &mut Writer<'_>, name: &str, given: &Option<Attributes>) {
    if let Some(Ok(item)) = given {
        writer.name(name);
        tree(writer, item);
    }
}

fn placeholders(writer: &mut Writer<'_>, given: &ExpressionAttributes) {
    if let Some(names) = &given.names {
        writer.name("ExpressionAttributeNames");
        writer.object(|writer| {
            names
                .iter()
                .for_each(|(key, name)| writer.string_member(key, name))
        });
    }
    if let Some(Ok(values)) = &given.values {
        writer.name("ExpressionAttributeValues");
        writer.object(|writer| {
            for (key, given) in values {
                writer.name(key);
                value(writer, given);
            }
        });
    }
}

fn returns(writer: &mut Writer<'_>, given: &Returns) {
    word(writer, "ReturnConsumedCapacity", &given.consumed_capacity);
    word(
        writer,
        "ReturnItemCollectionMetrics",
        &given.item_collection_metrics,
    );
}

fn get_item(writer: &mut Writer<'_>, input: &GetItemInput) {
    string(writer, "TableName", &input.table_name);
    attributes(writer, "Key", &input.key);
    plain(writer, "ConsistentRead", input.consistent_read);
    string(writer, "ProjectionExpression", &input.projection_expression);
    placeholders(writer, &input.expression_attributes);
    returns(writer, &input.returns);
    legacy(writer, input.legacy.as_deref());
}

fn put_item(writer: &mut Writer<'_>, input: &PutItemInput) {
    string(writer, "TableName", &input.table_name);
    attributes(writer, "Item", &input.item);
    string(writer, "ConditionExpression", &input.condition_expression);
    placeholders(writer, &input.expression_attributes);
    word(writer, "ReturnValues", &input.return_values);
    word(
        writer,
        "ReturnValuesOnConditionCheckFailure",
        &input.return_values_on_condition_check_failure,
    );
    returns(writer, &input.returns);
    legacy(writer, input.legacy.as_deref());
}

fn update_item(writer: &mut Writer<'_>, input: &UpdateItemInput) {
    string(writer, "TableName", &input.table_name);
    attributes(writer, "Key", &input.key);
    string(writer, "UpdateExpression", &input.update_expression);
    string(writer, "ConditionExpression", &input.condition_expression);
    placeholders(writer, &input.expression_attributes);
    word(writer, "ReturnValues", &input.return_values);
    word(
        writer,
        "ReturnValuesOnConditionCheckFailure",
        &input.return_values_on_condition_check_failure,
    );
    returns(writer, &input.returns);
    legacy(writer, input.legacy.as_deref());
}

fn delete_item(writer: &mut Writer<'_>, input: &DeleteItemInput) {
    string(writer, "TableName", &input.table_name);
    attributes(writer, "Key", &input.key);
    string(writer, "ConditionExpression", &input.condition_expression);
    placeholders(writer, &input.expression_attributes);
    word(writer, "ReturnValues", &input.return_values);
    word(
        writer,
        "ReturnValuesOnConditionCheckFailure",
        &input.return_values_on_condition_check_failure,
    );
    returns(writer, &input.returns);
    legacy(writer, input.legacy.as_deref());
}

fn query(writer: &mut Writer<'_>, input: &QueryInput) {
    string(writer, "TableName", &input.table_name);
    string(writer, "IndexName", &input.index_name);
    word(writer, "Select", &input.select);
    plain(writer, "Limit", input.limit);
    plain(writer, "ConsistentRead", input.consistent_read);
    plain(writer, "ScanIndexForward", input.scan_index_forward);
    attributes(writer, "ExclusiveStartKey", &input.exclusive_start_key);
    string(
        writer,
        "KeyConditionExpression",
        &input.key_condition_expression,
    );
    string(writer, "FilterExpression", &input.filter_expression);
    string(writer, "ProjectionExpression", &input.projection_expression);
    placeholders(writer, &input.expression_attributes);
    returns(writer, &input.returns);
    legacy(writer, input.legacy.as_deref());
}

fn scan(writer: &mut Writer<'_>, input: &ScanInput) {
    string(writer, "TableName", &input.table_name);
    string(writer, "IndexName", &input.index_name);
    word(writer, "Select", &input.select);
    plain(writer, "Limit", input.limit);
    plain(writer, "ConsistentRead", input.consistent_read);
    attributes(writer, "ExclusiveStartKey", &input.exclusive_start_key);
    string(writer, "FilterExpression", &input.filter_expression);
    string(writer, "ProjectionExpression", &input.projection_expression);
    placeholders(writer, &input.expression_attributes);
    plain(writer, "Segment", input.segment);
    plain(writer, "TotalSegments", input.total_segments);
    returns(writer, &input.returns);
    legacy(writer, input.legacy.as_deref());
}

fn batch_get_item(writer: &mut Writer<'_>, input: &BatchGetItemInput) {
    if let Some(tables) = &input.request_items {
        writer.name("RequestItems");
        keys_by_table(writer, tables);
    }
    returns(writer, &input.returns);
}

/// The keys to read (or left over) by table.
pub(crate) fn keys_by_table(writer: &mut Writer<'_>, tables: &[(String, KeysAndAttributes)]) {
    writer.object(|writer| {
        for (table, keys) in tables {
            writer.name(table);
            writer.object(|writer| {
                writer.name("Keys");
                writer.array(|writer| {
                    keys.keys
                        .iter()
                        .flatten()
                        .flatten()
                        .for_each(|key| tree(writer, key));
                });
                plain(writer, "ConsistentRead", keys.consistent_read);
                string(writer, "ProjectionExpression", &keys.projection_expression);
                placeholders(writer, &keys.expression_attributes);
                legacy(writer, keys.legacy.as_deref());
            });
        }
    });
}

fn batch_write_item(writer: &mut Writer<'_>, input: &BatchWriteItemInput) {
    if let Some(tables) = &input.request_items {
        writer.name("RequestItems");
        write_requests(writer, tables);
    }
    returns(writer, &input.returns);
}

/// The puts and deletes (or what is left over) by table.
pub(crate) fn write_requests(writer: &mut Writer<'_>, tables: &[(String, Vec<WriteRequest>)]) {
    writer.object(|writer| {
        for (table, requests) in tables {
            writer.name(table);
            writer.array(|writer| {
                requests
                    .iter()
                    .for_each(|request| write_request(writer, request))
            });
        }
    });
}

fn write_request(writer: &mut Writer<'_>, request: &WriteRequest) {
    writer.object(|writer| {
        if let Some(item) = &request.put {
            writer.name("PutRequest");
            writer.object(|writer| attributes(writer, "Item", item));
        }
        if let Some(key) = &request.delete {
            writer.name("DeleteRequest");
            writer.object(|writer| attributes(writer, "Key", key));
        }
    });
}

fn transact_get_items(writer: &mut Writer<'_>, input: &TransactGetItemsInput) {
    writer.name("TransactItems");
    writer.array(|writer| {
        for get in input.transact_items.iter().flatten() {
            writer.object(|writer| {
                writer.name("Get");
                writer.object(|writer| {
                    string(writer, "TableName", &get.table_name);
                    attributes(writer, "Key", &get.key);
                    string(writer, "ProjectionExpression", &get.projection_expression);
                    placeholders(writer, &get.expression_attributes);
                });
            });
        }
    });
    returns(writer, &input.returns);
}

fn transact_write_items(writer: &mut Writer<'_>, input: &TransactWriteItemsInput) {
    writer.name("TransactItems");
    writer.array(|writer| {
        for item in input.transact_items.iter().flatten() {
            writer.object(|writer| {
                if let Some(check) = &item.condition_check {
                    writer.name("ConditionCheck");
                    writer.object(|writer| {
                        string(writer, "TableName", &check.table_name);
                        attributes(writer, "Key", &check.key);
                        string(writer, "ConditionExpression", &check.condition_expression);
                        placeholders(writer, &check.expression_attributes);
                        word(
                            writer,
                            ON_FAILURE,
                            &check.return_values_on_condition_check_failure,
                        );
                    });
                }
                if let Some(put) = &item.put {
                    writer.name("Put");
                    writer.object(|writer| {
                        string(writer, "TableName", &put.table_name);
                        attributes(writer, "Item", &put.item);
                        string(writer, "ConditionExpression", &put.condition_expression);
                        placeholders(writer, &put.expression_attributes);
                        word(
                            writer,
                            ON_FAILURE,
                            &put.return_values_on_condition_check_failure,
                        );
                    });
                }
                if let Some(delete) = &item.delete {
                    writer.name("Delete");
                    writer.object(|writer| {
                        string(writer, "TableName", &delete.table_name);
                        attributes(writer, "Key", &delete.key);
                        string(writer, "ConditionExpression", &delete.condition_expression);
                        placeholders(writer, &delete.expression_attributes);
                        word(
                            writer,
                            ON_FAILURE,
                            &delete.return_values_on_condition_check_failure,
                        );
                    });
                }
                if let Some(update) = &item.update {
                    writer.name("Update");
                    writer.object(|writer| {
                        string(writer, "TableName", &update.table_name);
                        attributes(writer, "Key", &update.key);
                        string(writer, "UpdateExpression", &update.update_expression);
                        string(writer, "ConditionExpression", &update.condition_expression);
                        placeholders(writer, &update.expression_attributes);
                        word(
                            writer,
                            ON_FAILURE,
                            &update.return_values_on_condition_check_failure,
                        );
                    });
                }
            });
        }
    });
    string(writer, "ClientRequestToken", &input.client_request_token);
    returns(writer, &input.returns);
}
