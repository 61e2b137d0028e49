//! The items that transactions hold: from their evaluation until they are durable.
//!
//! A write that meets a held item is refused, as the service refuses it, instead of building on a
//! transaction whose fate is open. Source: "Transactional isolation levels", "Transaction conflict
//! handling".

use keyfold_codec::key::KeyBytes;
use keyfold_store::Ticket;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Entries above which those of finished transactions are looked for.
const PRUNE_AT: usize = 1024;

/// The items that transactions hold.
#[derive(Default)]
pub(crate) struct Conflicts {
    held: Mutex<HashMap<KeyBytes, Ticket>>,
    /// The number of entries: usually none, and nobody has to lock.
    count: AtomicUsize,
}

impl Conflicts {
    fn lock(&self) -> MutexGuard<'_, HashMap<KeyBytes, Ticket>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a transaction holds the item. The item's key must be locked.
    pub(crate) fn holds(&self, key: &KeyBytes) -> bool {
        if self.count.load(Ordering::Acquire) == 0 {
            return false;
        }
        let mut held = self.lock();
        let is_open = held.get(key).is_some_and(|ticket| !ticket.is_done());
        if !is_open && held.remove(key).is_some() {
            self.count.store(held.len(), Ordering::Release);
        }
        is_open
    }

    /// Holds a transaction's items until its write is done. Their keys must be locked.
    pub(crate) fn hold<'k>(&self, keys: impl Iterator<Item = &'k KeyBytes>, ticket: &Ticket) {
        if ticket.is_done() {
            return;
        }
        let mut held = self.lock();
        if held.len() > PRUNE_AT {
            held.retain(|_, ticket| !ticket.is_done());
        }
        held.extend(keys.map(|key| (key.clone(), ticket.clone())));
        self.count.store(held.len(), Ordering::Release);
    }
}
