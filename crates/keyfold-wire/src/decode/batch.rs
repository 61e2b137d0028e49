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

pub(crate) fn keys_and_attributes(reader: &mut Reader<'_>) -> Decoded<KeysAndAttributes> {
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
            "Keys" => keys.keys = attribute_list(reader)?,
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

pub(crate) fn write_requests(reader: &mut Reader<'_>) -> Decoded<Vec<WriteRequest>> {
    let requests = reader.list_of(|reader| {
        let mut request = WriteRequest::default();
        reader.object(&["PutRequest", "DeleteRequest"], |reader, member| {
            let mut attributes = None;
            let found = reader.object(&["Item", "Key"], |reader, _| {
                attributes = value::attributes(reader)?;
                Ok(())
            })?;
            let slot = if member == "PutRequest" {
                &mut request.put
            } else {
                &mut request.delete
            };
            *slot = found.then_some(attributes);
            Ok(())
        })?;
        Ok(request)
    })?;
    Ok(requests.unwrap_or_default())
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
