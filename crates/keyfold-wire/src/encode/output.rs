//! Response bodies of the operations on items.

use super::batch::{keys_by_table, write_requests};
use super::item::tree;
use super::stored::raw_item;
use super::writer::Writer;
use keyfold_api::{
    BatchExecuteStatementOutput, BatchGetItemOutput, BatchWriteItemOutput, CapacityKind,
    ConsumedCapacity, ExecuteStatementOutput, GetItemOutput, ItemCollectionMetrics, PageOutput,
    TransactGetItemsOutput, TransactWriteItemsOutput, WriteItemOutput,
};
use keyfold_types::CapacityHalves;
use std::collections::BTreeMap;

fn units(writer: &mut Writer<'_>, units: CapacityHalves, kind: Option<CapacityKind>) {
    writer.plain_member("CapacityUnits", units);
    match kind {
        None => {}
        Some(CapacityKind::Read) => writer.plain_member("ReadCapacityUnits", units),
        Some(CapacityKind::Write) => writer.plain_member("WriteCapacityUnits", units),
    }
}

fn capacity(writer: &mut Writer<'_>, consumed: &ConsumedCapacity) {
    writer.object(|writer| {
        writer.string_member("TableName", &consumed.table_name);
        units(writer, consumed.total(), consumed.kind);
        if !consumed.detailed {
            return;
        }
        writer.name("Table");
        writer.object(|writer| units(writer, consumed.table, consumed.kind));
        let mut indexes = |member: &str, by_index: &BTreeMap<String, CapacityHalves>| {
            if by_index.is_empty() {
                return;
            }
            writer.name(member);
            writer.object(|writer| {
                for (index, spent) in by_index {
                    writer.name(index);
                    writer.object(|writer| units(writer, *spent, consumed.kind));
                }
            });
        };
        indexes("LocalSecondaryIndexes", &consumed.local_secondary_indexes);
        indexes("GlobalSecondaryIndexes", &consumed.global_secondary_indexes);
    });
}

fn one_capacity(writer: &mut Writer<'_>, consumed: &Option<ConsumedCapacity>) {
    if let Some(consumed) = consumed {
        writer.name("ConsumedCapacity");
        capacity(writer, consumed);
    }
}

fn capacities(writer: &mut Writer<'_>, consumed: &Option<Vec<ConsumedCapacity>>) {
    if let Some(rows) = consumed {
        writer.name("ConsumedCapacity");
        writer.array(|writer| rows.iter().for_each(|row| capacity(writer, row)));
    }
}

fn metrics(writer: &mut Writer<'_>, metrics: &ItemCollectionMetrics) {
    writer.object(|writer| {
        writer.name("ItemCollectionKey");
        tree(writer, &metrics.item_collection_key);
        writer.name("SizeEstimateRangeGB");
        let (below, above) = metrics.size_estimate_range_gb;
        writer.array(|writer| {
            writer.plain(format_args!("{below:.1}"));
            writer.plain(format_args!("{above:.1}"));
        });
    });
}

fn metrics_by_table(
    writer: &mut Writer<'_>,
    tables: &Option<Vec<(String, Vec<ItemCollectionMetrics>)>>,
) {
    let Some(tables) = tables else { return };
    writer.name("ItemCollectionMetrics");
    writer.object(|writer| {
        for (table, rows) in tables {
            writer.name(table);
            writer.array(|writer| rows.iter().for_each(|row| metrics(writer, row)));
        }
    });
}

pub(super) fn get_item(writer: &mut Writer<'_>, output: &GetItemOutput) {
    writer.object(|writer| {
        if let Some(item) = &output.item {
            writer.name("Item");
            raw_item(writer, item);
        }
        one_capacity(writer, &output.consumed_capacity);
    });
}

pub(super) fn write_item(writer: &mut Writer<'_>, output: &WriteItemOutput) {
    writer.object(|writer| {
        if let Some(attributes) = &output.attributes {
            writer.name("Attributes");
            raw_item(writer, attributes);
        }
        one_capacity(writer, &output.consumed_capacity);
        if let Some(row) = &output.item_collection_metrics {
            writer.name("ItemCollectionMetrics");
            metrics(writer, row);
        }
    });
}

pub(super) fn page(writer: &mut Writer<'_>, output: &PageOutput) {
    writer.object(|writer| {
        if let Some(items) = &output.items {
            // Quotes and the names of types about double the length of short values.
            writer.reserve(
                items
                    .iter()
                    .map(|item| item.bytes().len() * 3 / 2 + 32)
                    .sum(),
            );
            writer.name("Items");
            writer.array(|writer| items.iter().for_each(|item| raw_item(writer, item)));
        }
        writer.plain_member("Count", output.count);
        writer.plain_member("ScannedCount", output.scanned_count);
        if let Some(key) = &output.last_evaluated_key {
            writer.name("LastEvaluatedKey");
            tree(writer, key);
        }
        one_capacity(writer, &output.consumed_capacity);
    });
}

pub(super) fn batch_get_item(writer: &mut Writer<'_>, output: &BatchGetItemOutput) {
    writer.object(|writer| {
        writer.name("Responses");
        writer.object(|writer| {
            for (table, items) in &output.responses {
                writer.name(table);
                writer.array(|writer| items.iter().for_each(|item| raw_item(writer, item)));
            }
        });
        writer.name("UnprocessedKeys");
        keys_by_table(writer, &output.unprocessed_keys);
        capacities(writer, &output.consumed_capacity);
    });
}

pub(super) fn batch_write_item(writer: &mut Writer<'_>, output: &BatchWriteItemOutput) {
    writer.object(|writer| {
        writer.name("UnprocessedItems");
        write_requests(writer, &output.unprocessed_items);
        metrics_by_table(writer, &output.item_collection_metrics);
        capacities(writer, &output.consumed_capacity);
    });
}

pub(super) fn transact_get_items(writer: &mut Writer<'_>, output: &TransactGetItemsOutput) {
    writer.object(|writer| {
        writer.name("Responses");
        writer.array(|writer| {
            for response in &output.responses {
                writer.object(|writer| {
                    if let Some(found) = response {
                        writer.name("Item");
                        raw_item(writer, found);
                    }
                });
            }
        });
        capacities(writer, &output.consumed_capacity);
    });
}

pub(super) fn transact_write_items(writer: &mut Writer<'_>, output: &TransactWriteItemsOutput) {
    writer.object(|writer| {
        metrics_by_table(writer, &output.item_collection_metrics);
        capacities(writer, &output.consumed_capacity);
    });
}

pub(super) fn execute_statement(writer: &mut Writer<'_>, output: &ExecuteStatementOutput) {
    writer.object(|writer| {
        writer.name("Items");
        writer.array(|writer| output.items.iter().for_each(|item| raw_item(writer, item)));
        if let Some(token) = &output.next_token {
            writer.string_member("NextToken", token);
        }
        one_capacity(writer, &output.consumed_capacity);
        if let Some(key) = &output.last_evaluated_key {
            writer.name("LastEvaluatedKey");
            tree(writer, key);
        }
    });
}

pub(super) fn batch_execute_statement(
    writer: &mut Writer<'_>,
    output: &BatchExecuteStatementOutput,
) {
    writer.object(|writer| {
        writer.name("Responses");
        writer.array(|writer| {
            for response in &output.responses {
                writer.object(|writer| {
                    if let Some(error) = &response.error {
                        writer.name("Error");
                        writer.object(|writer| {
                            writer.string_member("Code", &error.code);
                            writer.string_member("Message", &error.message);
                            if let Some(item) = &error.item {
                                writer.name("Item");
                                raw_item(writer, item);
                            }
                        });
                    }
                    if let Some(table) = &response.table_name {
                        writer.string_member("TableName", table);
                    }
                    if let Some(item) = &response.item {
                        writer.name("Item");
                        raw_item(writer, item);
                    }
                });
            }
        });
        capacities(writer, &output.consumed_capacity);
    });
}
