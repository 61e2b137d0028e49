//! Outputs and errors to response bodies.

mod error;
pub(crate) mod item;
mod output;
mod table;
mod writer;

pub use error::encode_error;
pub use item::{encode_item, encode_raw_item, encode_value};
pub(crate) use writer::Writer;

use keyfold_api::Response;

/// Appends the body of a response.
pub fn encode_response(out: &mut Vec<u8>, response: &Response) {
    let mut writer = Writer::new(out);
    match response {
        Response::BatchGetItem(output) => output::batch_get_item(&mut writer, output),
        Response::BatchWriteItem(output) => output::batch_write_item(&mut writer, output),
        Response::CreateTable(table) | Response::DeleteTable(table) => {
            table::described(&mut writer, "TableDescription", table);
        }
        Response::DescribeTable(table) => table::described(&mut writer, "Table", table),
        Response::GetItem(output) => output::get_item(&mut writer, output),
        Response::ListTables(output) => table::list_tables(&mut writer, output),
        Response::DeleteItem(output) | Response::PutItem(output) | Response::UpdateItem(output) => {
            output::write_item(&mut writer, output);
        }
        Response::Query(output) | Response::Scan(output) => output::page(&mut writer, output),
        Response::TransactGetItems(output) => output::transact_get_items(&mut writer, output),
        Response::TransactWriteItems(output) => output::transact_write_items(&mut writer, output),
    }
}
