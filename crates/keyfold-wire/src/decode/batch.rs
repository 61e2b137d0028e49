//! Bodies of the batch operations.

use super::reader::{Decoded, Reader};
use super::value;
use keyfold_api::{
    Attributes, BatchGetItemInput, BatchWriteItemInput, KeysAndAttributes, WriteRequest,
};

pub(super) fn batch_get_item(reader: &mut Reader<'_>) -> Decoded<BatchGetItemInput> {
    let mut input = BatchGetItemInput::default();
    reader.object(
        &["RequestItems", "ReturnConsumedCapacity"],
        |reader, member| {
            match member {
                "RequestItems" => {
                    input.request_items = reader.map_of(keys_and_attributes)?;
                }
                _ => reader.returns(member, &mut input.returns)?,
            }
            Ok(())
        },
    )?;
    Ok(input)
}

fn keys_and_attributes(reader: &mut Reader<'_>) -> Decoded<KeysAndAttributes> {
    keys_and_attributes_by(reader, attribute_list)
}

/// Reads the keys of a table, and the list of them by a function.
pub(crate) fn keys_and_attributes_by(
    reader: &mut Reader<'_>,
    list: impl Fn(&mut Reader<'_>) -> Decoded<Option<Vec<Attributes>>>,
) -> Decoded<KeysAndAttributes> {
    let mut keys = KeysAndAttributes::default();
    let members = &[
        "Keys",
        "ConsistentRead",
        "ProjectionExpression",
        "ExpressionAttributeNames",
        "AttributesToGet",
    ];
    reader.object(members, |reader, member| {
        match member {
            "Keys" => keys.keys = list(reader)?,
            "ConsistentRead" => keys.consistent_read = reader.bool()?,
            "ProjectionExpression" => keys.projection_expression = reader.string()?,
            "ExpressionAttributeNames" => {
                reader.placeholders(member, &mut keys.expression_attributes)?
            }
            legacy => reader.legacy(legacy, &mut keys.legacy)?,
        }
        Ok(())
    })?;
    Ok(keys)
}

fn attribute_list(reader: &mut Reader<'_>) -> Decoded<Option<Vec<Attributes>>> {
    let list = reader.list_of(value::attributes)?;
    Ok(list.map(|list| list.into_iter().flatten().collect()))
}

pub(super) fn batch_write_item(reader: &mut Reader<'_>) -> Decoded<BatchWriteItemInput> {
    let mut input = BatchWriteItemInput::default();
    let members = &[
        "RequestItems",
        "ReturnConsumedCapacity",
        "ReturnItemCollectionMetrics",
    ];
    reader.object(members, |reader, member| {
        match member {
            "RequestItems" => {
                input.request_items = reader.map_of(write_requests)?;
            }
            _ => reader.returns(member, &mut input.returns)?,
        }
        Ok(())
    })?;
    Ok(input)
}

fn write_requests(reader: &mut Reader<'_>) -> Decoded<Vec<WriteRequest>> {
    Ok(write_request_list(reader)?.unwrap_or_default())
}

/// Reads the writes to a table; `None` for null.
pub(crate) fn write_request_list(reader: &mut Reader<'_>) -> Decoded<Option<Vec<WriteRequest>>> {
    reader.list_of(|reader| {
        let mut request = WriteRequest::default();
        reader.object(&["PutRequest", "DeleteRequest"], |reader, member| {
            let mut attributes = None;
            let (own, slot) = if member == "PutRequest" {
                ("Item", &mut request.put)
            } else {
                ("Key", &mut request.delete)
            };
            let found = reader.object(&[own], |reader, _| {
                attributes = value::attributes(reader)?;
                Ok(())
            })?;
            *slot = found.then_some(attributes);
            Ok(())
        })?;
        Ok(request)
    })
}

#[cfg(test)]
mod tests {
    use crate::decode;
    use keyfold_api::{Operation, Request};

    #[test]
    fn the_last_of_repeated_members_counts() {
        let body = br#"{"RequestItems":{"Tab":{"Keys":[]},"Other":{},"Tab":{"Keys":[],"ConsistentRead":true},"Tab":{"ConsistentRead":false}}}"#;
        let Ok(Request::BatchGetItem(input)) = decode(Operation::BatchGetItem, body) else {
            panic!("it is decoded")
        };
        let tables: Vec<_> = input
            .request_items
            .iter()
            .flatten()
            .map(|(name, keys)| (name.as_str(), keys.keys.is_some(), keys.consistent_read))
            .collect();
        assert_eq!(
            tables,
            [("Tab", false, Some(false)), ("Other", false, None)]
        );
        let body = br#"{"RequestItems":{"Tab":[{}],"Tab":[{},{}]}}"#;
        let Ok(Request::BatchWriteItem(input)) = decode(Operation::BatchWriteItem, body) else {
            panic!("it is decoded")
        };
        let counts: Vec<usize> = input
            .request_items
            .iter()
            .flatten()
            .map(|(_, all)| all.len())
            .collect();
        assert_eq!(counts, [2]);
    }
}
