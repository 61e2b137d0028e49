//! ClientRequestToken: remembers a transaction for ten minutes, so that its repetition does nothing.
//!
//! The token is written in the transaction's own batch. Each transaction with a token also forgets a few
//! expired ones, so that they never pile up.

use crate::core::Core;
use crate::layout;
use crate::pending::internal;
use keyfold_api::ApiError;
use keyfold_codec::key::KeyRange;
use keyfold_store::{Batch, Direction};
use keyfold_types::limits::TOKEN_LIFETIME_S;
use std::ops::Bound;

/// Expired tokens removed by one transaction: more than it adds.
const FORGET_AT_ONCE: usize = 4;

/// What a token says of a request.
pub(crate) enum Seen {
    /// Never used, or expired.
    New,
    /// The same request succeeded.
    Repeated,
}

/// Looks a token up. Its key must be locked.
pub(crate) fn look_up(core: &Core, token: &str, fingerprint: u128) -> Result<Seen, ApiError> {
    let Some(stored) = core.store().latest(&layout::token(token)).map_err(internal)? else {
        return Ok(Seen::New);
    };
    let unreadable = || ApiError::Internal(format!("the record of client token {token} is unreadable"));
    let (expires, print) = stored.split_at_checked(8).ok_or_else(unreadable)?;
    let expires = u64::from_be_bytes(expires.try_into().map_err(|_| unreadable())?);
    let print = u128::from_be_bytes(print.try_into().map_err(|_| unreadable())?);
    if expires <= core.now_ms() {
        Ok(Seen::New)
    } else if print == fingerprint {
        Ok(Seen::Repeated)
    } else {
        Err(ApiError::IdempotentParameterMismatch)
    }
}

/// Remembers a token, and forgets some expired ones.
pub(crate) fn remember(
    core: &Core,
    batch: &mut Batch,
    token: &str,
    fingerprint: u128,
) -> Result<(), ApiError> {
    forget_expired(core, batch, token)?;
    let expires = core.now_ms() + TOKEN_LIFETIME_S * 1000;
    let mut record = expires.to_be_bytes().to_vec();
    record.extend_from_slice(&fingerprint.to_be_bytes());
    batch.put(layout::token(token), record);
    batch.put(layout::token_expiry(expires, token), Vec::new());
    Ok(())
}

fn forget_expired(core: &Core, batch: &mut Batch, except: &str) -> Result<(), ApiError> {
    let KeyRange { low: Bound::Included(low), .. } = KeyRange::prefix(layout::token_expiries()) else {
        return Ok(());
    };
    let high = layout::token_expiry(core.now_ms(), "");
    let snapshot = core.store().snapshot();
    let expired = snapshot.range(Bound::Included(&low), Bound::Excluded(&high), Direction::Forward);
    for entry in expired.take(FORGET_AT_ONCE) {
        let (key, _) = entry.map_err(internal)?;
        if let Some(token) = layout::expired_token(&key).filter(|token| *token != except) {
            // Used again since: then a later expiry stands in the record.
            let record = snapshot.get(&layout::token(token)).map_err(internal)?;
            let same = record.is_some_and(|record| key.get(5..13) == record.get(..8));
            if same {
                batch.remove(layout::token(token));
            }
        }
        batch.remove(key.to_vec());
    }
    Ok(())
}
