//! The items of transactions under way, from the evaluation of a transaction until it is durable.
//!
//! A write to such an item is refused, as the service refuses it. Otherwise it would build on a
//! transaction that may still fail. Source: "Transactional isolation levels", "Transaction conflict
//! handling".

use keyfold_codec::key::KeyBytes;
use keyfold_store::Ticket;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Entries above which those of finished transactions are removed.
const PRUNE_AT: usize = 1024;

/// The items of transactions under way.
#[derive(Default)]
pub(crate) struct Conflicts {
    held: Mutex<HashMap<KeyBytes, Ticket>>,
    /// The number of entries. It is usually zero, and then no lock is taken.
    count: AtomicUsize,
}

impl Conflicts {
    fn lock(&self) -> MutexGuard<'_, HashMap<KeyBytes, Ticket>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a transaction under way writes the item. The item's key must be locked.
    pub(crate) fn contains(&self, key: &KeyBytes) -> bool {
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

    /// Adds a transaction's items until its write is durable. Their keys must be locked.
    pub(crate) fn add<'k>(&self, keys: impl Iterator<Item = &'k KeyBytes>, ticket: &Ticket) {
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
