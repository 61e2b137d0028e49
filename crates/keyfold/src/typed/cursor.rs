//! Cursors as opaque texts. They may be given to a browser, and come back.
//!
//! A cursor belongs to the model, the pattern and the arguments of its page: any other one is refused
//! before anything is sent. With a secret, a cursor ends with an HMAC-SHA256 of it.

use crate::asked::Asked;
use crate::error::Error;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use keyfold_types::Item;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The bytes of the digest of what a cursor belongs to.
const BOUND_BYTES: usize = 16;
/// The bytes of a seal.
const SEAL_BYTES: usize = 32;

/// Makes and opens the cursors of a client.
#[derive(Clone)]
pub(crate) struct Cursors {
    /// The hash of the model's plan document.
    hash: &'static str,
    secret: Option<Arc<[u8]>>,
}

impl Cursors {
    pub(crate) fn new(hash: &'static str) -> Cursors {
        Cursors { hash, secret: None }
    }

    pub(crate) fn sealed(self, secret: &[u8]) -> Cursors {
        Cursors {
            secret: Some(secret.into()),
            ..self
        }
    }

    /// The cursor of a position.
    pub(crate) fn cursor(&self, asked: &Asked, position: &str) -> String {
        let mut raw = self.bound(asked);
        raw.extend_from_slice(position.as_bytes());
        if let Some(mac) = self.mac(&raw) {
            raw.extend_from_slice(&mac.finalize().into_bytes());
        }
        URL_SAFE_NO_PAD.encode(raw)
    }

    /// The question for the page behind a cursor.
    pub(crate) fn after(&self, asked: Asked, cursor: &str) -> Asked {
        match self.position(&asked, cursor) {
            Some(position) => asked.after(&position),
            None => {
                let (pattern, _) = asked.named();
                let message = format!(
                    "this is no cursor of {pattern} with these arguments; give the `next` of a page \
                     of it"
                );
                asked.refused(Error::invalid(message).at("after"))
            }
        }
    }

    /// The position of a cursor of this pattern.
    fn position(&self, asked: &Asked, cursor: &str) -> Option<String> {
        let raw = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let mut raw = raw.as_slice();
        if self.secret.is_some() {
            let (body, seal) = raw.split_at_checked(raw.len().checked_sub(SEAL_BYTES)?)?;
            self.mac(body)?.verify_slice(seal).ok()?;
            raw = body;
        }
        let (bound, position) = raw.split_at_checked(BOUND_BYTES)?;
        (bound == self.bound(asked)).then_some(())?;
        String::from_utf8(position.to_vec()).ok()
    }

    /// The digest of what a cursor belongs to.
    fn bound(&self, asked: &Asked) -> Vec<u8> {
        let (pattern, given) = asked.named();
        let mut owner = Vec::new();
        for part in [self.hash, pattern] {
            owner.extend_from_slice(part.as_bytes());
            owner.push(0);
        }
        if let Ok(given) = given {
            let given = given.iter();
            let given: Item = given
                .map(|(name, held)| (name.as_str(), held.clone()))
                .collect();
            keyfold_wire::encode::encode_item(&mut owner, &given);
        }
        Sha256::digest(&owner)
            .iter()
            .take(BOUND_BYTES)
            .copied()
            .collect()
    }

    /// The seal under way, where there is a secret.
    fn mac(&self, raw: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.secret.as_ref()?).ok()?;
        mac.update(raw);
        Some(mac)
    }
}

impl std::fmt::Debug for Cursors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cursors").finish_non_exhaustive()
    }
}
