//! Request bodies to inputs.

pub(crate) mod batch;
mod item;
mod legacy;
mod read;
mod reader;
mod shape;
mod statement;
mod transact;
pub(crate) mod value;

pub use reader::DecodeError;
pub(crate) use reader::Reader;

use crate::shaped::shaped_operations;
use keyfold_api::{ExpressionAttributes, Named, Operation, Request, Returns, WireName};
use std::collections::BTreeMap;

type Decoded<T> = Result<T, DecodeError>;

/// Decodes the body of a request for `operation`.
///
/// # Errors
/// When the body is no JSON, or a member has the wrong shape.
pub fn decode(operation: Operation, body: &[u8]) -> Decoded<Request> {
    let mut reader = Reader::new(body);
    let reader_ref = &mut reader;
    let request = match operation {
        Operation::BatchExecuteStatement => statement::batch_execute_statement(reader_ref)?.into(),
        Operation::BatchGetItem => batch::batch_get_item(reader_ref)?.into(),
        Operation::BatchWriteItem => batch::batch_write_item(reader_ref)?.into(),
        Operation::DeleteItem => item::delete_item(reader_ref)?.into(),
        Operation::ExecuteStatement => statement::execute_statement(reader_ref)?.into(),
        Operation::ExecuteTransaction => statement::execute_transaction(reader_ref)?.into(),
        Operation::GetItem => item::get_item(reader_ref)?.into(),
        Operation::PutItem => item::put_item(reader_ref)?.into(),
        Operation::Query => read::query(reader_ref)?.into(),
        Operation::Scan => read::scan(reader_ref)?.into(),
        Operation::TransactGetItems => transact::transact_get_items(reader_ref)?.into(),
        Operation::TransactWriteItems => transact::transact_write_items(reader_ref)?.into(),
        Operation::UpdateItem => item::update_item(reader_ref)?.into(),
        other => shaped(other, reader_ref)?,
    };
    reader.finish()?;
    Ok(request)
}

macro_rules! shaped {
    (both { $($both:ident)+ } described { $($described:ident)+ } empty { $($empty:ident)+ }) => {
        fn shaped(operation: Operation, reader: &mut Reader<'_>) -> Decoded<Request> {
            match operation {
                $(Operation::$both => Ok(Request::$both(shape::shape(reader)?)),)+
                $(Operation::$described => Ok(Request::$described(shape::shape(reader)?)),)+
                $(Operation::$empty => Ok(Request::$empty(shape::shape(reader)?)),)+
                Operation::DescribeTable => Ok(Request::DescribeTable(shape::shape(reader)?)),
                // `decode` reads all others by hand.
                _ => Err(DecodeError::Malformed),
            }
        }
    };
}
shaped_operations!(shaped);

impl Reader<'_> {
    /// A word of the API.
    pub(crate) fn word<T: WireName>(&mut self) -> Decoded<Option<Named<T>>> {
        Ok(self.string()?.map(|text| T::named(&text)))
    }

    /// `ReturnConsumedCapacity` or `ReturnItemCollectionMetrics`.
    fn returns(&mut self, member: &str, returns: &mut Returns) -> Decoded<()> {
        match member {
            "ReturnConsumedCapacity" => returns.consumed_capacity = self.word()?,
            _ => returns.item_collection_metrics = self.word()?,
        }
        Ok(())
    }

    /// `ExpressionAttributeNames` or `ExpressionAttributeValues`.
    fn placeholders(
        &mut self,
        member: &str,
        placeholders: &mut ExpressionAttributes,
    ) -> Decoded<()> {
        if member == "ExpressionAttributeNames" {
            placeholders.names = self.string_map()?;
        } else {
            placeholders.values = value::expression_values(self)?;
        }
        Ok(())
    }

    fn string_map(&mut self) -> Decoded<Option<BTreeMap<String, String>>> {
        let mut map = BTreeMap::new();
        let found = self.map(|reader, name| {
            if let Some(text) = reader.string()? {
                map.insert(name, text);
            }
            Ok(())
        })?;
        Ok(found.then_some(map))
    }
}
