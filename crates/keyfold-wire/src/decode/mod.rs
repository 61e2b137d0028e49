//! Request bodies to inputs.

pub(crate) mod batch;
mod item;
mod legacy;
mod members;
mod read;
pub(crate) mod reader;
mod shape;
mod statement;
mod transact;
pub(crate) mod value;

pub use reader::DecodeError;
pub(crate) use reader::Reader;

use crate::shaped::shaped_operations;
use keyfold_api::{Operation, Request};
use reader::Decoded;

macro_rules! decode {
    (both { $($both:ident)+ } described { $($described:ident)+ } empty { $($empty:ident)+ }) => {
        /// Decodes the body of a request for `operation`.
        ///
        /// # Errors
        /// When the body is not JSON, or a member has the wrong shape.
        pub fn decode(operation: Operation, body: &[u8]) -> Decoded<Request> {
            let reader = &mut Reader::new(body);
            let request = match operation {
                Operation::BatchExecuteStatement => statement::batch_execute_statement(reader)?.into(),
                Operation::BatchGetItem => batch::batch_get_item(reader)?.into(),
                Operation::BatchWriteItem => batch::batch_write_item(reader)?.into(),
                Operation::DeleteItem => item::delete_item(reader)?.into(),
                Operation::ExecuteStatement => statement::execute_statement(reader)?.into(),
                Operation::ExecuteTransaction => statement::execute_transaction(reader)?.into(),
                Operation::GetItem => item::get_item(reader)?.into(),
                Operation::PutItem => item::put_item(reader)?.into(),
                Operation::Query => read::query(reader)?.into(),
                Operation::Scan => read::scan(reader)?.into(),
                Operation::TransactGetItems => transact::transact_get_items(reader)?.into(),
                Operation::TransactWriteItems => transact::transact_write_items(reader)?.into(),
                Operation::UpdateItem => item::update_item(reader)?.into(),
                Operation::DescribeTable => Request::DescribeTable(shape::shape(reader)?),
                $(Operation::$both => Request::$both(shape::shape(reader)?),)+
                $(Operation::$described => Request::$described(shape::shape(reader)?),)+
                $(Operation::$empty => Request::$empty(shape::shape(reader)?),)+
            };
            reader.finish()?;
            Ok(request)
        }
    };
}
shaped_operations!(decode);
