//! Why a transaction was cancelled.

use keyfold_api::{ErrorKind, ReasonCode};
use keyfold_client::ClientError;

/// Whether a transaction was cancelled for reasons of which some pass: capacity was exhausted, or another
/// transaction had an item. The conditions that failed beside them may hold the next time.
pub(crate) fn may_pass(error: &ClientError) -> bool {
    let ClientError::Service {
        kind: Some(ErrorKind::TransactionCanceled),
        reasons,
        ..
    } = error
    else {
        return false;
    };
    let passing = [
        ReasonCode::ThrottlingError,
        ReasonCode::ProvisionedThroughputExceeded,
        ReasonCode::TransactionConflict,
    ];
    let known = [ReasonCode::None, ReasonCode::ConditionalCheckFailed];
    reasons.iter().any(|(code, _)| passing.contains(code))
        && reasons
            .iter()
            .all(|(code, _)| passing.contains(code) || known.contains(code))
}

/// The actions of a cancelled transaction whose condition failed; none when another reason is beside
/// them.
pub(crate) fn failed(error: &ClientError) -> Vec<usize> {
    let ClientError::Service {
        kind: Some(ErrorKind::TransactionCanceled),
        reasons,
        ..
    } = error
    else {
        return Vec::new();
    };
    let known = [ReasonCode::None, ReasonCode::ConditionalCheckFailed];
    if !reasons.iter().all(|(code, _)| known.contains(code)) {
        return Vec::new();
    }
    let failed = reasons.iter().enumerate();
    failed
        .filter(|(_, (code, _))| *code == ReasonCode::ConditionalCheckFailed)
        .map(|(at, _)| at)
        .collect()
}
