//! Requests that the service finds invalid: a value is too large, or not what an operator or an index
//! takes. The error names the change at fault and its item, in one sentence for a request of its own, a
//! transaction and a batch, whose exceptions differ.

use crate::error::ClientError;
use keyfold_api::{ErrorKind, ReasonCode};
use keyfold_types::limits::ITEM_BYTES_MAX;

/// How the service's sentences about an item that is too large begin.
const TOO_LARGE: &str = "Item size ";

/// One change of a request, as far as an error needs it.
pub(super) struct Sent {
    /// The change and its item, for people: `put Order of Shop (PK = USER#1, SK = A)`.
    what: String,
    /// The bytes of the item that it puts; none of one that it updates.
    bytes: u64,
}

impl Sent {
    /// The change with this label, of the item at a place.
    pub(super) fn new(label: &str, place: &str, bytes: u64) -> Sent {
        let what = format!("{label} of {place}");
        Sent { what, bytes }
    }
}

/// The error of a request with these changes. One that the service finds invalid names the change and
/// says why, where that is known.
pub(super) fn explained(error: ClientError, all: impl Iterator<Item = Sent>) -> ClientError {
    let ClientError::Service {
        kind,
        message,
        reasons,
        found,
        ..
    } = &error
    else {
        return error;
    };
    let all: Vec<Sent> = all.collect();
    let of_transaction = reasons.iter().zip(&all).find_map(|((code, said), one)| {
        let said = said.as_deref()?;
        (*code == ReasonCode::ValidationError).then_some((one, said))
    });
    let of_request = || {
        let is_invalid = *kind == Some(ErrorKind::Validation);
        let one = at_fault(message, &all).filter(|_| is_invalid)?;
        Some((one, message.as_str()))
    };
    let Some((one, said)) = of_transaction.or_else(of_request) else {
        return error;
    };
    let limit = match said.starts_with(TOO_LARGE) {
        true => format!("; an item has at most {ITEM_BYTES_MAX} bytes: give it less"),
        false => String::new(),
    };
    ClientError::Service {
        kind: Some(ErrorKind::Validation),
        exception: ErrorKind::Validation.exception().to_owned(),
        message: format!("{}: {said}{limit}", one.what),
        reasons: reasons.clone(),
        found: found.clone(),
    }
}

/// The change that a sentence about a whole request is about: the only one, or the first that puts what
/// is too large.
fn at_fault<'a>(said: &str, all: &'a [Sent]) -> Option<&'a Sent> {
    match all {
        [only] => Some(only),
        _ => all
            .iter()
            .find(|one| one.bytes > ITEM_BYTES_MAX && said.starts_with(TOO_LARGE)),
    }
}
