//! Errors of requests, with the place that they are of and how to go on.
//!
//! An error keeps its variant and kind, which decide what is done: only its sentence is another one.

use keyfold_api::{ErrorKind, ReasonCode};
use keyfold_client::ClientError;

/// What is true after every error: checkpoints move with what they stand for.
const GOES_ON: &str = "what was written is right, and the same command goes on from there";

/// What the client says of a service that has answered with a failure of its own.
const FAILED: &str = " failed with 5";

/// Where an error comes from.
#[derive(Debug, Clone, Copy)]
pub struct Whereabouts<'w> {
    /// What people call the place by, with an article: `the source http://127.0.0.1:8000`.
    pub place: &'w str,
    /// Where the rights are listed that are needed there: `docs/move.md lists the rights of a move`.
    pub rights: &'w str,
    /// What was asked of it: the name of the operation.
    pub request: &'w str,
}

/// The error of a request to a place.
pub fn located(error: ClientError, of: Whereabouts<'_>) -> ClientError {
    let place = of.place;
    match error {
        ClientError::Service {
            kind,
            exception,
            message,
            reasons,
            found,
        } => ClientError::Service {
            message: match advice(kind, &reasons, of) {
                Some(advice) => format!("{}. {advice}", message.trim_end_matches('.')),
                None => message,
            },
            kind,
            exception,
            reasons,
            found,
        },
        ClientError::Transport(why) => ClientError::Transport(format!(
            "{place} does not answer: {why}; when it does again: {GOES_ON}"
        )),
        ClientError::TimedOut(why) => ClientError::TimedOut(format!(
            "{place} does not answer in time: {why}; when it does again: {GOES_ON}"
        )),
        ClientError::OutcomeUnknown { why, check } => ClientError::OutcomeUnknown {
            why: match why.contains(FAILED) {
                true => format!(
                    "{place} could not carry out {}: {why}; {GOES_ON}",
                    of.request
                ),
                false => format!("{place} has not answered: {why}; {GOES_ON}"),
            },
            check,
        },
        ClientError::Value(_)
        | ClientError::Unknown(_)
        | ClientError::Named { .. }
        | ClientError::Missing { .. }
        | ClientError::Invalid(_)
        | ClientError::TableDiffers { .. }
        | ClientError::Exists(_)
        | ClientError::Refused(_)
        | ClientError::Taken { .. }
        | ClientError::StaleVersion(_)
        | ClientError::NotFound(_)
        | ClientError::UnknownItem(_)
        | ClientError::Overtaken(_)
        | ClientError::Incomplete(_) => error,
    }
}

/// What helps against an error of a service; `None` when its own sentence is enough, or when it passes.
fn advice(
    kind: Option<ErrorKind>,
    reasons: &[(ReasonCode, Option<String>)],
    of: Whereabouts<'_>,
) -> Option<String> {
    let Whereabouts {
        place,
        rights,
        request,
    } = of;
    let place = format!("T{}", place.trim_start_matches('t'));
    let is_of_collection =
        |(code, _): &(ReasonCode, _)| *code == ReasonCode::ItemCollectionSizeLimitExceeded;
    match kind {
        Some(
            ErrorKind::MissingAuthenticationToken
            | ErrorKind::IncompleteSignature
            | ErrorKind::UnrecognizedClient
            | ErrorKind::InvalidSignature,
        ) => Some(format!(
            "{place} does not take these credentials: set those of it by the AWS variables, or by `?profile=NAME` \
             behind its address. Then {GOES_ON}"
        )),
        Some(ErrorKind::AccessDenied) => Some(format!(
            "{place} does not allow {request} to these credentials: grant it, as {rights}. Then {GOES_ON}"
        )),
        Some(ErrorKind::LimitExceeded | ErrorKind::ItemCollectionSizeLimitExceeded) => {
            Some(format!(
                "{place} is at a limit with {request}: once it is raised, or there is room, {GOES_ON}"
            ))
        }
        Some(ErrorKind::TransactionCanceled) if reasons.iter().any(is_of_collection) => {
            Some(format!(
                "{place} takes no more items with this partition key, since a local index bounds their size: once \
                 there is room, {GOES_ON}"
            ))
        }
        Some(ErrorKind::Internal) => Some(format!(
            "{place} cannot carry out {request}, for instance since its disk is full: once that is mended, {GOES_ON}"
        )),
        // Of a session that has expired, for instance.
        None => Some(format!("{place} has answered {request} so; {GOES_ON}")),
        // All others are of one request, which the code that has sent it explains.
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Whereabouts<'static> = Whereabouts {
        place: "the target http://t",
        rights: "docs/move.md lists the rights of a move",
        request: "PutItem",
    };

    fn service(kind: Option<ErrorKind>, exception: &str) -> ClientError {
        ClientError::Service {
            kind,
            exception: exception.to_owned(),
            message: "it is so.".to_owned(),
            reasons: Vec::new(),
            found: Vec::new(),
        }
    }

    fn said(error: ClientError) -> String {
        located(error, TARGET).to_string()
    }

    #[test]
    fn an_error_says_where_and_how_to_go_on() {
        for error in [
            service(Some(ErrorKind::AccessDenied), "AccessDeniedException"),
            service(
                Some(ErrorKind::InvalidSignature),
                "InvalidSignatureException",
            ),
            service(Some(ErrorKind::LimitExceeded), "LimitExceededException"),
            service(Some(ErrorKind::Internal), "InternalServerError"),
            service(None, "ExpiredTokenException"),
            ClientError::Transport("no route".to_owned()),
            ClientError::TimedOut("no time".to_owned()),
        ] {
            let before = error.to_string();
            let said = said(error);
            assert!(said.contains("he target http://t "), "{said}");
            assert!(said.contains("the same command goes on"), "{said}");
            let reason = before.rsplit(": ").next().unwrap().trim_end_matches('.');
            assert!(said.contains(reason), "{said}");
        }
    }

    #[test]
    fn a_place_that_fails_has_answered() {
        let unknown = |why: &str| ClientError::OutcomeUnknown {
            why: why.to_owned(),
            check: "what the PutItem was to change".to_owned(),
        };
        let failed = said(unknown(
            "http://t failed with 500: InternalServerError The disk under the data folder is full",
        ));
        assert!(failed.contains("could not carry out PutItem: "), "{failed}");
        assert!(!failed.contains("not answered"), "{failed}");
        let lost = said(unknown("the connection was closed"));
        assert!(lost.contains("has not answered: "), "{lost}");
    }

    #[test]
    fn an_error_stays_what_it_is() {
        let throttled = service(Some(ErrorKind::Throttling), "ThrottlingException");
        let before = throttled.to_string();
        let after = located(throttled, TARGET);
        assert_eq!(after.to_string(), before);
        assert!(after.is_throttled());
        let denied = service(Some(ErrorKind::AccessDenied), "AccessDeniedException");
        let after = located(denied, TARGET);
        assert_eq!(after.kind(), Some(ErrorKind::AccessDenied));
    }
}
