//! Outputs and errors to response bodies.

mod error;
pub(crate) mod item;
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

/// Appends the body of a response.
pub fn encode_response(out: &mut Vec<u8>, response: &Response) {
    let mut writer = Writer::new(out);
    match response {
        Response::BatchExecuteStatement(output) => {
            output::batch_execute_statement(&mut writer, output)
        }
        Response::BatchGetItem(output) => output::batch_get_item(&mut writer, output),
        Response::BatchWriteItem(output) => output::batch_write_item(&mut writer, output),
        Response::DescribeTable(table) => described(&mut writer, "Table", table),
        Response::ExecuteStatement(output) => output::execute_statement(&mut writer, output),
        Response::GetItem(output) => output::get_item(&mut writer, output),
        Response::DeleteItem(output) | Response::PutItem(output) | Response::UpdateItem(output) => {
            output::write_item(&mut writer, output);
        }
        Response::Query(output) | Response::Scan(output) => output::page(&mut writer, output),
        Response::ExecuteTransaction(output) | Response::TransactGetItems(output) => {
            output::transact_get_items(&mut writer, output);
        }
        Response::TransactWriteItems(output) => output::transact_write_items(&mut writer, output),
        other => shaped(&mut writer, other),
    }
}

fn described(writer: &mut Writer<'_>, member: &str, table: &TableDescription) {
    writer.object(|writer| {
        writer.name(member);
        writer.structure(table);
    });
}

macro_rules! shaped {
    (both { $($both:ident)+ } described { $($described:ident)+ } empty { $($empty:ident)+ }) => {
        fn shaped(writer: &mut Writer<'_>, response: &Response) {
            match response {
                $(Response::$both(output) => writer.object(|writer| output.write_members(writer)),)+
                $(Response::$described(table) => described(writer, "TableDescription", table),)+
                // The service answers these with an empty body; `encode_response` writes all others
                // by hand.
                _ => {}
            }
        }
    };
}
shaped_operations!(shaped);
