//! Bodies of the operations on tables.

use super::Writer;
use keyfold_api::{BillingMode, IndexDescription, KeyElement, ListTablesOutput, TableDescription, WireName};

pub(super) fn list_tables(writer: &mut Writer<'_>, output: &ListTablesOutput) {
    writer.object(|writer| {
        writer.name("TableNames");
        writer.array(|writer| output.table_names.iter().for_each(|name| writer.string(name)));
        if let Some(last) = &output.last_evaluated_table_name {
            writer.string_member("LastEvaluatedTableName", last);
        }
    });
}

pub(super) fn described(writer: &mut Writer<'_>, member: &str, table: &TableDescription) {
    writer.object(|writer| {
        writer.name(member);
        writer.object(|writer| description(writer, table));
    });
}

fn description(writer: &mut Writer<'_>, table: &TableDescription) {
    writer.name("AttributeDefinitions");
    writer.array(|writer| {
        for (name, kind) in &table.attribute_definitions {
            writer.object(|writer| {
                writer.string_member("AttributeName", name);
                writer.string_member("AttributeType", kind.word());
            });
        }
    });
    writer.string_member("TableName", &table.table_name);
    key_schema(writer, &table.key_schema);
    writer.string_member("TableStatus", table.table_status.word());
    seconds(writer, "CreationDateTime", table.creation_epoch_ms);
    throughput(writer, table.provisioned_throughput);
    writer.plain_member("TableSizeBytes", table.table_size_bytes);
    writer.plain_member("ItemCount", table.item_count);
    writer.string_member("TableArn", &table.table_arn);
    writer.string_member("TableId", &table.table_id);
    if table.billing_mode == BillingMode::PayPerRequest {
        writer.name("BillingModeSummary");
        writer.object(|writer| {
            writer.string_member("BillingMode", table.billing_mode.word());
            seconds(writer, "LastUpdateToPayPerRequestDateTime", table.creation_epoch_ms);
        });
    }
    indexes(writer, "LocalSecondaryIndexes", &table.local_secondary_indexes, false);
    indexes(writer, "GlobalSecondaryIndexes", &table.global_secondary_indexes, true);
    if let Some(class) = table.table_class {
        writer.name("TableClassSummary");
        writer.object(|writer| writer.string_member("TableClass", class.word()));
    }
    writer.plain_member("DeletionProtectionEnabled", table.deletion_protection_enabled);
}

fn seconds(writer: &mut Writer<'_>, member: &str, epoch_ms: u64) {
    writer.plain_member(member, format_args!("{}.{:03}", epoch_ms / 1000, epoch_ms % 1000));
}

fn key_schema(writer: &mut Writer<'_>, elements: &[KeyElement]) {
    writer.name("KeySchema");
    writer.array(|writer| {
        for (name, part) in elements {
            writer.object(|writer| {
                writer.string_member("AttributeName", name);
                writer.string_member("KeyType", part.word());
            });
        }
    });
}

fn throughput(writer: &mut Writer<'_>, (read, write): (u64, u64)) {
    writer.name("ProvisionedThroughput");
    writer.object(|writer| {
        writer.plain_member("NumberOfDecreasesToday", 0);
        writer.plain_member("ReadCapacityUnits", read);
        writer.plain_member("WriteCapacityUnits", write);
    });
}

fn indexes(writer: &mut Writer<'_>, member: &str, indexes: &[IndexDescription], global: bool) {
    if indexes.is_empty() {
        return;
    }
    writer.name(member);
    writer.array(|writer| {
        for index in indexes {
            writer.object(|writer| {
                writer.string_member("IndexName", &index.index_name);
                key_schema(writer, &index.key_schema);
                writer.name("Projection");
                writer.object(|writer| {
                    writer.string_member("ProjectionType", index.projection_type.word());
                    if !index.non_key_attributes.is_empty() {
                        writer.name("NonKeyAttributes");
                        writer.array(|writer| {
                            index.non_key_attributes.iter().for_each(|name| writer.string(name))
                        });
                    }
                });
                if global {
                    writer.string_member("IndexStatus", index.index_status.word());
                    throughput(writer, index.provisioned_throughput);
                }
                writer.plain_member("IndexSizeBytes", index.index_size_bytes);
                writer.plain_member("ItemCount", index.item_count);
                writer.string_member("IndexArn", &index.index_arn);
            });
        }
    });
}
