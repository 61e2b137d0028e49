//! Inputs to request bodies.

use crate::encode::Writer;
use crate::encode::batch::{keys_by_table, write_requests};
use crate::encode::legacy::legacy;
use crate::encode::members::{attributes, placeholders, plain, string, word};
use crate::shaped::shaped_operations;
use keyfold_api::{
    BatchGetItemInput, BatchWriteItemInput, DeleteItemInput, ExpressionAttributes, GetItemInput,
    Named, ParameterizedStatement, PutItemInput, QueryInput, Request,
    ReturnValuesOnConditionCheckFailure, Returns, ScanInput, Shape, ShapeWriter,
    TransactGetItemsInput, TransactWriteItem, TransactWriteItemsInput, UpdateItemInput,
};

macro_rules! encode_request {
    (both { $($both:ident)+ } described { $($described:ident)+ } empty { $($empty:ident)+ }) => {
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
                Request::DescribeTable(input) => input.write_members(writer),
                $(Request::$both(input) => input.write_members(writer),)+
                $(Request::$described(input) => input.write_members(writer),)+
                $(Request::$empty(input) => input.write_members(writer),)+
            });
        }
    };
}
shaped_operations!(encode_request);

/// The member of every conditional write that selects the item of a failed condition.
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
        ON_FAILURE,
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
        ON_FAILURE,
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
        ON_FAILURE,
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

fn batch_write_item(writer: &mut Writer<'_>, input: &BatchWriteItemInput) {
    if let Some(tables) = &input.request_items {
        writer.name("RequestItems");
        write_requests(writer, tables);
    }
    returns(writer, &input.returns);
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
            writer.object(|writer| transact_write_item(writer, item));
        }
    });
    string(writer, "ClientRequestToken", &input.client_request_token);
    returns(writer, &input.returns);
}

fn transact_write_item(writer: &mut Writer<'_>, item: &TransactWriteItem) {
    if let Some(check) = &item.condition_check {
        writer.name("ConditionCheck");
        writer.object(|writer| {
            string(writer, "TableName", &check.table_name);
            attributes(writer, "Key", &check.key);
            let on_failure = &check.return_values_on_condition_check_failure;
            string(writer, "ConditionExpression", &check.condition_expression);
            condition_members(writer, &check.expression_attributes, on_failure);
        });
    }
    if let Some(put) = &item.put {
        writer.name("Put");
        writer.object(|writer| {
            string(writer, "TableName", &put.table_name);
            attributes(writer, "Item", &put.item);
            let on_failure = &put.return_values_on_condition_check_failure;
            string(writer, "ConditionExpression", &put.condition_expression);
            condition_members(writer, &put.expression_attributes, on_failure);
        });
    }
    if let Some(delete) = &item.delete {
        writer.name("Delete");
        writer.object(|writer| {
            string(writer, "TableName", &delete.table_name);
            attributes(writer, "Key", &delete.key);
            let on_failure = &delete.return_values_on_condition_check_failure;
            string(writer, "ConditionExpression", &delete.condition_expression);
            condition_members(writer, &delete.expression_attributes, on_failure);
        });
    }
    if let Some(update) = &item.update {
        writer.name("Update");
        writer.object(|writer| {
            string(writer, "TableName", &update.table_name);
            attributes(writer, "Key", &update.key);
            string(writer, "UpdateExpression", &update.update_expression);
            let on_failure = &update.return_values_on_condition_check_failure;
            string(writer, "ConditionExpression", &update.condition_expression);
            condition_members(writer, &update.expression_attributes, on_failure);
        });
    }
}

/// The members beside the condition of a transaction's write.
fn condition_members(
    writer: &mut Writer<'_>,
    attributes: &ExpressionAttributes,
    on_failure: &Option<Named<ReturnValuesOnConditionCheckFailure>>,
) {
    placeholders(writer, attributes);
    word(writer, ON_FAILURE, on_failure);
}
