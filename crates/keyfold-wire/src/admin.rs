//! Keyfold's own operation: copying the data folder of a running server.

use crate::decode::Reader;
use crate::encode::Writer;
use keyfold_api::ApiError;

/// The target of the operation.
pub const COPY_TARGET: &str = "Keyfold.CopyDataFolder";

/// Appends the request's body, with the name of the copy.
pub fn encode_copy(out: &mut Vec<u8>, to: &str) {
    Writer::new(out).object(|writer| writer.string_member("To", to));
}

/// Decodes the request's body; returns the name of the copy.
///
/// # Errors
/// `Serialization` when the body has no name.
pub fn decode_copy(body: &[u8]) -> Result<String, ApiError> {
    let mut to = None;
    Reader::new(body).object(&["To"], |reader, _| {
        to = reader.string()?;
        Ok(())
    })?;
    to.ok_or_else(|| ApiError::Serialization(Some("The member To is missing".to_owned())))
}

/// Appends the answer's body, with the number of copied keys.
pub fn encode_copied(out: &mut Vec<u8>, keys: u64) {
    Writer::new(out).object(|writer| writer.plain_member("Keys", keys));
}

/// Decodes the answer's body; returns the number of copied keys.
pub fn decode_copied(body: &[u8]) -> Option<u64> {
    let mut keys = None;
    let read = Reader::new(body).object(&["Keys"], |reader, _| {
        keys = reader.int()?;
        Ok(())
    });
    read.ok()?;
    u64::try_from(keys?).ok()
}
