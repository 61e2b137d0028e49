//! The client's side: inputs to request bodies, response bodies to outputs and errors.

mod request;
mod response;

pub use request::encode_request;
pub use response::{
    ServiceError, UNNAMED, decode_error, decode_item, decode_item_line, decode_response,
};
