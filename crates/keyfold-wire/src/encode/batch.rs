//! The keys and writes of batches, which requests send and answers return when they are left over.

use super::item::tree;
use super::legacy::legacy;
use super::members::{attributes, placeholders, plain, string};
use super::writer::Writer;
use keyfold_api::{KeysAndAttributes, WriteRequest};

/// The keys to read, by table.
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

/// The puts and deletes, by table.
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
