//! ClientRequestToken: a transaction is stored for ten minutes, so that its repetition does nothing.
//!
//! The token is written in the transaction's batch. Each transaction with a token also removes a few
//! expired tokens, so that they do not accumulate. A token's record is read and changed with its key
//! locked, since another transaction may use the token again.

use crate::base::error::internal;
use crate::base::layout;
use crate::core::Core;
use keyfold_api::ApiError;
use keyfold_codec::key::KeyRange;
use keyfold_store::{Batch, Direction};
use keyfold_types::limits::TOKEN_LIFETIME_S;
use std::ops::Bound;

/// Expired tokens removed by one transaction: more than it adds.
const REMOVED_AT_ONCE: usize = 4;
/// Bytes of a record before the sizes: expiry and fingerprint.
const HEAD_BYTES: usize = 8 + 16;

/// The result of looking up a token.
pub(crate) enum Seen {
    /// The token was never used, or has expired.
    New,
    /// The same request succeeded. Its items had these bytes.
    Repeated(Vec<u64>),
}

/// Looks a token up. Its key must be locked.
pub(crate) fn look_up(core: &Core, token: &str, fingerprint: u128) -> Result<Seen, ApiError> {
    let Some(stored) = core
        .store()
        .latest(&layout::token(token))
        .map_err(internal)?
    else {
        return Ok(Seen::New);
    };
    let unreadable =
        || ApiError::Internal(format!("the record of client token {token} is unreadable"));
    let (expires, rest) = stored.split_first_chunk().ok_or_else(unreadable)?;
    let (print, sizes) = rest.split_first_chunk().ok_or_else(unreadable)?;
    if u64::from_be_bytes(*expires) <= core.now_ms() {
        Ok(Seen::New)
    } else if u128::from_be_bytes(*print) == fingerprint {
        let (sizes, _) = sizes.as_chunks::<4>();
        Ok(Seen::Repeated(
            sizes
                .iter()
                .map(|bytes| u64::from(u32::from_be_bytes(*bytes)))
                .collect(),
        ))
    } else {
        Err(ApiError::IdempotentParameterMismatch)
    }
}

/// Stores a token with the bytes of the transaction's items.
pub(crate) fn store(
    core: &Core,
    batch: &mut Batch,
    token: &str,
    fingerprint: u128,
    sizes: impl Iterator<Item = u64>,
) {
    let expires = core.now_ms() + TOKEN_LIFETIME_S * 1000;
    let mut record = Vec::with_capacity(HEAD_BYTES);
    record.extend_from_slice(&expires.to_be_bytes());
    record.extend_from_slice(&fingerprint.to_be_bytes());
    for bytes in sizes {
        record.extend_from_slice(&u32::try_from(bytes).unwrap_or(u32::MAX).to_be_bytes());
    }
    batch.put(layout::token(token), record);
    batch.put(layout::token_expiry(expires, token), Vec::new());
}

/// Expired tokens to remove: found without their locks, and checked again with them.
pub(crate) struct Expired {
    /// The key of the expiry, and the token's key.
    found: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Finds some expired tokens; none for a transaction without a token.
pub(crate) fn expired(core: &Core, has_token: bool) -> Result<Expired, ApiError> {
    let mut found = Vec::new();
    let KeyRange {
        low: Bound::Included(low),
        ..
    } = KeyRange::prefix(layout::token_expiries())
    else {
        return Ok(Expired { found });
    };
    if !has_token {
        return Ok(Expired { found });
    }
    let high = layout::token_expiry(core.now_ms(), "");
    let snapshot = core.store().snapshot();
    let notes = snapshot.range(
        Bound::Included(&low),
        Bound::Excluded(&high),
        Direction::Forward,
    );
    for entry in notes.take(REMOVED_AT_ONCE) {
        let (note, _) = entry.map_err(internal)?;
        let key = layout::expired_token(&note)
            .map(layout::token)
            .unwrap_or_default();
        found.push((note.to_vec(), key));
    }
    Ok(Expired { found })
}

impl Expired {
    /// The keys to lock.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.found.iter().map(|(_, key)| key.as_slice())
    }

    /// Removes the tokens but for `except` and those that were used again. The keys must be locked.
    pub(crate) fn remove(
        &self,
        core: &Core,
        batch: &mut Batch,
        except: &str,
    ) -> Result<(), ApiError> {
        for (note, key) in &self.found {
            if *key != layout::token(except) {
                // A token that was used again has a later expiry in its record.
                let record = core.store().latest(key).map_err(internal)?;
                if record.is_some_and(|record| note.get(5..13) == record.get(..8)) {
                    batch.remove(key.clone());
                }
            }
            batch.remove(note.clone());
        }
        Ok(())
    }
}
