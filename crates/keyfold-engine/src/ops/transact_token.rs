//! ClientRequestToken: remembers a transaction for ten minutes, so that its repetition does
//! nothing.
//!
//! The token is written in the transaction's own batch. Each transaction with a token also forgets
//! a few expired ones, so that they never pile up. A token's record is judged and changed with its
//! key locked only: somebody else may be using it again.

use crate::base::error::internal;
use crate::base::layout;
use crate::core::Core;
use keyfold_api::ApiError;
use keyfold_codec::key::KeyRange;
use keyfold_store::{Batch, Direction};
use keyfold_types::limits::TOKEN_LIFETIME_S;
use std::ops::Bound;

/// Expired tokens removed by one transaction: more than it adds.
const FORGET_AT_ONCE: usize = 4;
/// Bytes of a record before the sizes: expiry and fingerprint.
const HEAD_BYTES: usize = 8 + 16;

/// The verdict of a token on a request.
pub(crate) enum Seen {
    /// Never used, or expired.
    New,
    /// The same request succeeded, on items of these bytes.
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

/// Remembers a token, and the bytes of the items that its transaction met.
pub(crate) fn remember(
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

/// Tokens that may be forgotten: chosen without their locks, and judged again with them.
pub(crate) struct Forgotten {
    /// The note of the expiry, and the token's key.
    found: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Some tokens whose notes say that they have expired; none for a transaction without a token.
pub(crate) fn forgotten(core: &Core, has_token: bool) -> Result<Forgotten, ApiError> {
    let mut found = Vec::new();
    let KeyRange {
        low: Bound::Included(low),
        ..
    } = KeyRange::prefix(layout::token_expiries())
    else {
        return Ok(Forgotten { found });
    };
    if !has_token {
        return Ok(Forgotten { found });
    }
    let high = layout::token_expiry(core.now_ms(), "");
    let snapshot = core.store().snapshot();
    let expired = snapshot.range(
        Bound::Included(&low),
        Bound::Excluded(&high),
        Direction::Forward,
    );
    for entry in expired.take(FORGET_AT_ONCE) {
        let (note, _) = entry.map_err(internal)?;
        let key = layout::expired_token(&note)
            .map(layout::token)
            .unwrap_or_default();
        found.push((note.to_vec(), key));
    }
    Ok(Forgotten { found })
}

impl Forgotten {
    /// The keys to be locked.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.found.iter().map(|(_, key)| key.as_slice())
    }

    /// Forgets them, but for `except`, and those that were used again since. The keys must be
    /// locked.
    pub(crate) fn forget(
        &self,
        core: &Core,
        batch: &mut Batch,
        except: &str,
    ) -> Result<(), ApiError> {
        for (note, key) in &self.found {
            if *key != layout::token(except) {
                // Used again, a later expiry stands in the record.
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
