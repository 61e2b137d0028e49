//! The state that every operation and the background share: catalog, store, options.

pub(crate) mod change_table;
pub(crate) mod stale_reads;
pub(crate) mod tasks;
pub(crate) mod throttle;

use crate::base::caller::Caller;
use crate::base::conflicts::Conflicts;
use crate::base::options::EngineOptions;
use crate::base::signal::Signal;
use crate::catalog::{Catalog, Tables};
use crate::core::stale_reads::StaleReads;
use crate::core::tasks::Tasks;
use crate::core::throttle::{Asked, Throttle};
use crate::table::Table;
use crate::table::arn::Part;
use hmac::{Hmac, KeyInit, Mac};
use keyfold_api::ApiError;
use keyfold_codec::key::KeyBytes;
use keyfold_store::Store;
use sha2::Sha256;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLockReadGuard};

/// The engine's shared state, for requests of one region. All regions share the tables; full names
/// have the region of the request. Clones share the state.
#[derive(Clone)]
pub(crate) struct Core<'c> {
    shared: Held<'c, Shared>,
    region: Held<'c, str>,
    /// The caller of a request; `None` for those of this process.
    caller: Option<Caller<'c>>,
}

/// What a core has of its own, or what that of a request borrows: requests count no references.
enum Held<'c, T: ?Sized> {
    Own(Arc<T>),
    Borrowed(&'c Arc<T>),
}

impl<T: ?Sized> Held<'_, T> {
    fn borrowed(&self) -> Held<'_, T> {
        match self {
            Held::Own(held) => Held::Borrowed(held),
            Held::Borrowed(held) => Held::Borrowed(held),
        }
    }
}

impl<T: ?Sized> Clone for Held<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Held::Own(held) => Held::Own(Arc::clone(held)),
            Held::Borrowed(held) => Held::Borrowed(held),
        }
    }
}

impl<T: ?Sized> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Held::Own(held) => held,
            Held::Borrowed(held) => held,
        }
    }
}

struct Shared {
    catalog: Catalog,
    store: Store,
    options: EngineOptions,
    signal: Signal,
    tasks: Tasks,
    conflicts: Conflicts,
    throttle: Throttle,
    stale_reads: Option<StaleReads>,
    /// The greatest time returned by [`Core::moment`].
    newest_moment: AtomicU64,
    failures: AtomicU64,
    /// The failed writes of the store that were reported.
    said_failures: AtomicU64,
    /// The secret of seals.
    secret: [u8; 32],
}

impl Core<'static> {
    /// The state over a store. `newest_moment` is the greatest time in the store.
    pub(crate) fn new(
        catalog: Catalog,
        store: Store,
        options: EngineOptions,
        newest_moment: u64,
        secret: [u8; 32],
    ) -> Core<'static> {
        let region = Held::Own(options.region.as_str().into());
        let stale_reads = options.index_lag.map(StaleReads::new);
        Core {
            shared: Held::Own(Arc::new(Shared {
                catalog,
                store,
                options,
                signal: Signal::default(),
                tasks: Tasks::default(),
                conflicts: Conflicts::default(),
                throttle: Throttle::default(),
                stale_reads,
                newest_moment: AtomicU64::new(newest_moment),
                failures: AtomicU64::new(0),
                said_failures: AtomicU64::new(0),
                secret,
            })),
            region,
            caller: None,
        }
    }
}

impl Core<'_> {
    /// The same state for a request of another caller.
    pub(crate) fn for_caller<'r>(&'r self, caller: Caller<'r>) -> Core<'r> {
        let region = match caller.region {
            Some(region) if *region != *self.region => Held::Own(region.into()),
            Some(_) | None => self.region.borrowed(),
        };
        Core {
            shared: self.shared.borrowed(),
            region,
            caller: Some(caller),
        }
    }

    /// The caller of this request, as policies see it.
    pub(crate) fn caller(&self) -> Caller<'_> {
        self.caller.unwrap_or(Caller {
            agent: Some(self.shared.options.agent.as_bytes()),
            ..Caller::default()
        })
    }

    pub(crate) fn region(&self) -> &str {
        &self.region
    }

    pub(crate) fn store(&self) -> &Store {
        &self.shared.store
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        if self.shared.store.has_failed() {
            self.withdraw_unwritten();
        }
        &self.shared.catalog
    }

    /// Withdraws what was staged and never written. Says once that writes are refused since the disk is full, and
    /// when they are taken again.
    fn withdraw_unwritten(&self) {
        let Shared {
            store,
            catalog,
            said_failures,
            ..
        } = &*self.shared;
        let failures = store.failures();
        if said_failures.fetch_max(failures, Ordering::AcqRel) < failures
            && let Some(reason) = store.refusal()
        {
            self.report("writing to the data folder", &reason.to_string());
        }
        if catalog.forget_unwritten(store) {
            self.report(
                "writing to the data folder",
                "the disk was full; it has room now, and writes are taken again",
            );
        }
    }

    pub(crate) fn options(&self) -> &EngineOptions {
        &self.shared.options
    }

    pub(crate) fn signal(&self) -> &Signal {
        &self.shared.signal
    }

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.shared.tasks
    }

    /// Whether a write of the item conflicts with a transaction under way.
    pub(crate) fn is_in_conflict(&self, key: &KeyBytes) -> bool {
        self.shared.options.transaction_conflicts && self.shared.conflicts.contains(key)
    }

    pub(crate) fn conflicts(&self) -> &Conflicts {
        &self.shared.conflicts
    }

    /// The throttle; none when capacity is not enforced.
    pub(crate) fn throttle(&self) -> Option<&Throttle> {
        self.shared
            .options
            .enforce_capacity
            .then_some(&self.shared.throttle)
    }

    /// The facts of a request on a table that the throttle needs.
    pub(crate) fn asked(&self, table: &str) -> Asked {
        Asked {
            now_ms: self.now_ms(),
            table_arn: self.table_arn(table),
        }
    }

    /// The older states of the store; none when every read sees the newest.
    pub(crate) fn stale_reads(&self) -> Option<&StaleReads> {
        self.shared.stale_reads.as_ref()
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.shared.options.environment.clock.now_ms()
    }

    /// The time by which changes are ordered: the clock's, and never less than an earlier one, also
    /// of an earlier process. A clock that is set back does not make a change older than its
    /// predecessor.
    pub(crate) fn moment(&self) -> u64 {
        let now = self.now_ms();
        self.shared
            .newest_moment
            .fetch_max(now, Ordering::AcqRel)
            .max(now)
    }

    /// The tables for a writer of items, which holds the lock until its batch is staged. Applies
    /// back-pressure before it takes the lock: a writer that waited with the lock would block others.
    pub(crate) fn tables_for_writing(&self) -> RwLockReadGuard<'_, Tables> {
        self.shared.store.wait_below_hard_limit();
        self.catalog().read()
    }

    /// The seal of bytes that clients receive and send back: the engine recognises its own bytes.
    pub(crate) fn seal(&self, bytes: &[u8]) -> [u8; 16] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.shared.secret)
            .expect("a key of any length is taken");
        mac.update(bytes);
        let digest: [u8; 32] = mac.finalize().into_bytes().into();
        let mut seal = [0; 16];
        seal.copy_from_slice(digest.first_chunk::<16>().unwrap_or(&[0; 16]));
        seal
    }

    /// Reports a failure that no client sees.
    pub(crate) fn report(&self, description: &str, reason: &str) {
        self.shared.failures.fetch_add(1, Ordering::Relaxed);
        if let Some(report) = &self.shared.options.report {
            report(description, reason);
        }
    }

    /// The number of reported failures.
    pub(crate) fn failures(&self) -> u64 {
        self.shared.failures.load(Ordering::Relaxed)
    }

    /// Finds a table that can be read and written.
    pub(crate) fn table(&self, name: &str) -> Option<Arc<Table>> {
        self.catalog()
            .read()
            .get(name)
            .filter(|table| table.is_ready())
            .cloned()
    }

    /// Finds a table in any state.
    pub(crate) fn any_table(&self, name: &str) -> Result<Arc<Table>, ApiError> {
        let found = self.catalog().read().get(name).cloned();
        found.ok_or_else(|| ApiError::named_table_not_found(name))
    }

    /// A new label of a backup, export or import: 14 digits of the time, and eight random ones.
    pub(crate) fn label(&self) -> String {
        let chance = self.options().environment.random.next_u128() as u32;
        format!("{:014}-{chance:08x}", self.now_ms())
    }

    /// The full name of a table.
    pub(crate) fn table_arn(&self, table: &str) -> String {
        format!("{}{table}", self.table_arn_prefix())
    }

    /// The full name of a part of a table.
    pub(crate) fn arn(&self, table: &str, part: Part<'_>) -> String {
        format!("{}{table}{part}", self.table_arn_prefix())
    }

    /// The prefix of the full names of tables.
    pub(crate) fn table_arn_prefix(&self) -> String {
        format!(
            "arn:aws:dynamodb:{}:{}:table/",
            self.region(),
            self.shared.options.account
        )
    }
}
