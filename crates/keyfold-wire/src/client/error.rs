//! Error bodies to errors.

use super::response::item;
use crate::decode::reader::{DecodeError, Decoded, Reader, null_in_list};

/// An error that a service returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceError {
    /// The exception's name without its namespace.
    pub exception: String,
    /// The message; may be empty.
    pub message: String,
    /// Code and message of each action of a cancelled transaction.
    pub reasons: Vec<(String, Option<String>)>,
    /// The indexes of the actions whose condition failed on an item that the error shows.
    pub found: Vec<usize>,
}

/// Decodes the body of an error. A member that is null is absent, and members that are not known are skipped.
///
/// # Errors
/// When the body is not an error of the service: it is no JSON, it names no exception, or a member has
/// another type.
pub fn decode_error(body: &[u8]) -> Decoded<ServiceError> {
    let mut error = ServiceError {
        exception: String::new(),
        message: String::new(),
        reasons: Vec::new(),
        found: Vec::new(),
    };
    let members = &[
        "__type",
        "message",
        "Message",
        "CancellationReasons",
        "Item",
    ];
    let mut reader = Reader::new(body);
    reader.object(members, |reader, member| {
        match member {
            "__type" => {
                let name = reader.string()?.unwrap_or_default();
                error.exception = name.rsplit('#').next().unwrap_or(&name).to_owned();
            }
            "CancellationReasons" => reasons(reader, &mut error)?,
            "Item" => error.found.extend(item(reader)?.map(|_| 0)),
            _ => {
                if let Some(message) = reader.string()? {
                    error.message = message;
                }
            }
        }
        Ok(())
    })?;
    reader.finish()?;
    if error.exception.is_empty() {
        return Err(wrong("no exception"));
    }
    Ok(error)
}

fn reasons(reader: &mut Reader<'_>, error: &mut ServiceError) -> Decoded<()> {
    let found = reader.list(|reader| {
        let (mut code, mut message) = (None, None);
        let at = error.reasons.len();
        let is_object = reader.object(&["Code", "Message", "Item"], |reader, member| {
            match member {
                "Code" => code = reader.string()?,
                "Item" => error.found.extend(item(reader)?.map(|_| at)),
                _ => message = reader.string()?,
            }
            Ok(())
        })?;
        let code = code.unwrap_or_else(|| "None".to_owned());
        error.reasons.push((code, message));
        is_object.then_some(()).ok_or_else(null_in_list)
    })?;
    // A transaction has an action.
    if found && error.reasons.is_empty() {
        return Err(wrong("no reason in CancellationReasons"));
    }
    Ok(())
}

fn wrong(what: &str) -> DecodeError {
    DecodeError::Shape(format!("The error has {what}"))
}
