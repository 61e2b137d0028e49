//! Bodies of the operations on tables.

use super::{Decoded, Reader};
use keyfold_api::{
    AttributeDefinition, CreateTableInput, DeleteTableInput, DescribeTableInput, KeySchemaElement,
    ListTablesInput, Projection, ProvisionedThroughput, SecondaryIndex, Tag,
};

/// Members of CreateTable that this version does not carry out.
const UNSUPPORTED: &[&str] = &[
    "SSESpecification",
    "WarmThroughput",
    "ResourcePolicy",
    "OnDemandThroughput",
    "GlobalTableSourceArn",
    "GlobalTableSettingsReplicationMode",
    "VectorIndexes",
];

pub(super) fn create_table(reader: &mut Reader<'_>) -> Decoded<CreateTableInput> {
    let mut input = CreateTableInput::default();
    let members: Vec<&'static str> = [
        "TableName",
        "AttributeDefinitions",
        "KeySchema",
        "LocalSecondaryIndexes",
        "GlobalSecondaryIndexes",
        "BillingMode",
        "ProvisionedThroughput",
        "TableClass",
        "DeletionProtectionEnabled",
        "Tags",
        "StreamSpecification",
    ]
    .into_iter()
    .chain(UNSUPPORTED.iter().copied())
    .collect();
    reader.object(&members, |reader, member| {
        match member {
            "TableName" => input.table_name = reader.string()?,
            "AttributeDefinitions" => input.attribute_definitions = list(reader, attribute_definition)?,
            "KeySchema" => input.key_schema = list(reader, key_schema_element)?,
            "LocalSecondaryIndexes" => input.local_secondary_indexes = list(reader, secondary_index)?,
            "GlobalSecondaryIndexes" => input.global_secondary_indexes = list(reader, secondary_index)?,
            "BillingMode" => input.billing_mode = reader.word()?,
            "ProvisionedThroughput" => input.provisioned_throughput = throughput(reader)?,
            "TableClass" => input.table_class = reader.word()?,
            "DeletionProtectionEnabled" => input.deletion_protection_enabled = reader.bool()?,
            "Tags" => input.tags = list(reader, tag)?,
            "StreamSpecification" => {
                let mut enabled = false;
                reader.object(&["StreamEnabled"], |reader, _| {
                    enabled = reader.bool()? == Some(true);
                    Ok(())
                })?;
                if enabled {
                    input.unsupported.push(member);
                }
            }
            unsupported => {
                if reader.skip_value()? {
                    input.unsupported.push(unsupported);
                }
            }
        }
        Ok(())
    })?;
    Ok(input)
}

fn list<T>(reader: &mut Reader<'_>, take: fn(&mut Reader<'_>) -> Decoded<T>) -> Decoded<Option<Vec<T>>> {
    let mut list = Vec::new();
    let found = reader.list(|reader| {
        list.push(take(reader)?);
        Ok(())
    })?;
    Ok(found.then_some(list))
}

fn attribute_definition(reader: &mut Reader<'_>) -> Decoded<AttributeDefinition> {
    let mut definition = AttributeDefinition { attribute_name: None, attribute_type: None };
    reader.object(&["AttributeName", "AttributeType"], |reader, member| {
        match member {
            "AttributeName" => definition.attribute_name = reader.string()?,
            _ => definition.attribute_type = reader.word()?,
        }
        Ok(())
    })?;
    Ok(definition)
}

fn key_schema_element(reader: &mut Reader<'_>) -> Decoded<KeySchemaElement> {
    let mut element = KeySchemaElement { attribute_name: None, key_type: None };
    reader.object(&["AttributeName", "KeyType"], |reader, member| {
        match member {
            "AttributeName" => element.attribute_name = reader.string()?,
            _ => element.key_type = reader.word()?,
        }
        Ok(())
    })?;
    Ok(element)
}

fn throughput(reader: &mut Reader<'_>) -> Decoded<Option<ProvisionedThroughput>> {
    let mut throughput = ProvisionedThroughput::default();
    let found = reader.object(&["ReadCapacityUnits", "WriteCapacityUnits"], |reader, member| {
        match member {
            "ReadCapacityUnits" => throughput.read_capacity_units = reader.int()?,
            _ => throughput.write_capacity_units = reader.int()?,
        }
        Ok(())
    })?;
    Ok(found.then_some(throughput))
}

fn secondary_index(reader: &mut Reader<'_>) -> Decoded<SecondaryIndex> {
    let mut index = SecondaryIndex::default();
    let members = &["IndexName", "KeySchema", "Projection", "ProvisionedThroughput"];
    reader.object(members, |reader, member| {
        match member {
            "IndexName" => index.index_name = reader.string()?,
            "KeySchema" => index.key_schema = list(reader, key_schema_element)?,
            "Projection" => {
                let mut projection = Projection::default();
                let found = reader.object(&["ProjectionType", "NonKeyAttributes"], |reader, member| {
                    match member {
                        "ProjectionType" => projection.projection_type = reader.word()?,
                        _ => projection.non_key_attributes = reader.strings()?,
                    }
                    Ok(())
                })?;
                index.projection = found.then_some(projection);
            }
            _ => index.provisioned_throughput = throughput(reader)?,
        }
        Ok(())
    })?;
    Ok(index)
}

fn tag(reader: &mut Reader<'_>) -> Decoded<Tag> {
    let mut tag = Tag { key: None, value: None };
    reader.object(&["Key", "Value"], |reader, member| {
        match member {
            "Key" => tag.key = reader.string()?,
            _ => tag.value = reader.string()?,
        }
        Ok(())
    })?;
    Ok(tag)
}

fn table_name(reader: &mut Reader<'_>) -> Decoded<Option<String>> {
    let mut name = None;
    reader.object(&["TableName"], |reader, _| {
        name = reader.string()?;
        Ok(())
    })?;
    Ok(name)
}

pub(super) fn describe_table(reader: &mut Reader<'_>) -> Decoded<DescribeTableInput> {
    Ok(DescribeTableInput { table_name: table_name(reader)? })
}

pub(super) fn delete_table(reader: &mut Reader<'_>) -> Decoded<DeleteTableInput> {
    Ok(DeleteTableInput { table_name: table_name(reader)? })
}

pub(super) fn list_tables(reader: &mut Reader<'_>) -> Decoded<ListTablesInput> {
    let mut input = ListTablesInput::default();
    reader.object(&["ExclusiveStartTableName", "Limit"], |reader, member| {
        match member {
            "ExclusiveStartTableName" => input.exclusive_start_table_name = reader.string()?,
            _ => input.limit = reader.int()?,
        }
        Ok(())
    })?;
    Ok(input)
}
