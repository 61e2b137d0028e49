//! Outputs and errors to response bodies.

pub(crate) mod batch;
mod error;
pub(crate) mod item;
pub(crate) mod legacy;
pub(crate) mod members;
mod output;
mod shape;
mod stored;
mod writer;

pub use error::encode_error;
pub use item::{encode_item, encode_value};
pub use stored::encode_raw_item;
pub(crate) use writer::Writer;

use crate::shaped::shaped_operations;
use keyfold_api::{Response, Shape, ShapeWriter, TableDescription};

macro_rules! encode_response {
    (both { $($both:ident)+ } described { $($described:ident)+ } empty { $($empty:ident)+ }) => {
        /// Appends the body of a response.
        pub fn encode_response(out: &mut Vec<u8>, response: &Response) {
            let writer = &mut Writer::new(out);
            match response {
                Response::BatchExecuteStatement(output) => {
                    output::batch_execute_statement(writer, output);
                }
                Response::BatchGetItem(output) => output::batch_get_item(writer, output),
                Response::BatchWriteItem(output) => output::batch_write_item(writer, output),
                Response::DescribeTable(table) => described(writer, "Table", table),
                Response::ExecuteStatement(output) => output::execute_statement(writer, output),
                Response::GetItem(output) => output::get_item(writer, output),
                Response::DeleteItem(output)
                | Response::PutItem(output)
                | Response::UpdateItem(output) => output::write_item(writer, output),
                Response::Query(output) | Response::Scan(output) => output::page(writer, output),
                Response::ExecuteTransaction(output) | Response::TransactGetItems(output) => {
                    output::transact_get_items(writer, output);
                }
                Response::TransactWriteItems(output) => {
                    output::transact_write_items(writer, output);
                }
                $(Response::$both(output) => writer.object(|writer| output.write_members(writer)),)+
                $(Response::$described(table) => described(writer, "TableDescription", table),)+
                // The service answers these with an empty body.
                $(Response::$empty(()) => {})+
            }
        }
    };
}
shaped_operations!(encode_response);

fn described(writer: &mut Writer<'_>, member: &str, table: &TableDescription) {
    writer.object(|writer| {
        writer.name(member);
        writer.structure(table);
    });
}
