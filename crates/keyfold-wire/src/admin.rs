//! The one request that is Keyfold's own: copying the data folder of a running server.

use crate::decode::Reader;
use crate::encode::Writer;
use keyfold_api::ApiError;

/// Its target.
pub const COPY_TARGET: &str = "Keyfold.CopyDataFolder";

/// Appends the request's body: where to.
pub fn encode_copy(out: &mut Vec<u8>, to: &str) {
    Writer::new(out).object(|writer| writer.string_member("To", to));
}

/// Reads the request's body.
///
/// # Errors
/// `Serialization` when it does not say where to.
pub fn decode_copy(body: &[u8]) -> Result<String, ApiError> {
    let mut to = None;
    Reader::new(body).object(&["To"], |reader, _| {
        to = reader.string()?;
        Ok(())
    })?;
    to.ok_or_else(|| ApiError::Serialization(Some("The member To is missing".to_owned())))
}

/// Appends the answer's body: how many keys were copied.
pub fn encode_copied(out: &mut Vec<u8>, keys: u64) {
    Writer::new(out).object(|writer| writer.plain_member("Keys", keys));
}

/// Reads the answer's body.
pub fn decode_copied(body: &[u8]) -> Option<u64> {
    let mut keys = None;
    let read = Reader::new(body).object(&["Keys"], |reader, _| {
        keys = reader.int()?;
        Ok(())
    });
    read.ok()?;
    u64::try_from(keys?).ok()
}
