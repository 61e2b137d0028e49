//! The client's side: inputs to request bodies, response bodies to outputs and errors.

mod error;
mod request;
mod response;

pub use error::{ServiceError, decode_error};
pub use request::encode_request;
pub use response::{decode_item, decode_item_line, decode_response};
