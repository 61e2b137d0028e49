//! The client's side: inputs to bodies, bodies to outputs and errors.

mod legacy;
mod request;
mod response;

pub use request::encode_request;
pub(crate) use request::{keys_by_table, write_requests};
pub use response::{ServiceError, decode_error, decode_item, decode_item_line, decode_response};
