//! Views: what the tree held at a moment, for those who read and write.
//!
//! The storage engine keeps its memtables and its manifest behind one lock, and holds that lock while a
//! flush or a compaction ends: while it writes and syncs the last table file and the manifest, and removes
//! files. Nobody who answers a request may wait for that, so nobody takes that lock: they use the newest
//! view, which [`Views::renew`] replaces after each change of the tree.
//!
//! A view is complete by itself: it keeps its memtables and table files. A snapshot reads its own view, at
//! its read point.

use crate::error::StoreError;
use arc_swap::{ArcSwap, Guard};
use bytes::Bytes;
use lsm_tree::table::filter::standard_bloom::Builder as Filter;
use lsm_tree::{AbstractTree, AnyTree, InternalValue, Memtable, Tree};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Found = lsm_tree::Result<Option<InternalValue>>;
type Get = dyn Fn(&[u8], u64) -> Found + Send + Sync;
type Entries = Box<dyn DoubleEndedIterator<Item = lsm_tree::Result<InternalValue>> + Send>;
type Range = dyn Fn((Bound<&[u8]>, Bound<&[u8]>), u64) -> Entries + Send + Sync;

/// The memtables and the table files at a moment.
pub(super) struct View {
    /// The memtable that takes the writes. They appear in each view that has it.
    active: Arc<Memtable>,
    /// Sealed memtables, the oldest first.
    sealed: Vec<Arc<Memtable>>,
    /// Looks a key up in the table files. The types of a manifest have no public name.
    get_from_tables: Box<Get>,
    /// The entries of memtables and table files.
    range: Box<Range>,
    level_zero_runs: usize,
}

impl View {
    /// The view of a tree. `sealed`: its sealed memtables and perhaps older ones, the oldest first.
    fn of(tree: &AnyTree, sealed: &[Arc<Memtable>]) -> View {
        loop {
            let version = tree.current_version();
            let state = tree.get_version_history_lock().latest_version();
            let sealed_count = tree.sealed_memtable_count();
            // A compaction may have ended between.
            if tree.current_version().id() != version.id() {
                continue;
            }
            let active = Arc::clone(&state.active_memtable);
            let flushed = sealed.len().saturating_sub(sealed_count);
            let level_zero_runs = version.l0().run_count();
            let get_from_tables = move |key: &[u8], below| {
                let hash = Filter::get_hash(key);
                let runs = version.iter_levels().flat_map(|level| level.iter());
                for table in runs.filter_map(|run| run.get_for_key(key)) {
                    let found = table.get(key, below, hash)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
                Ok(None)
            };
            let range = move |bounds: (Bound<&[u8]>, Bound<&[u8]>), below| -> Entries {
                let state = state.clone();
                Box::new(Tree::create_internal_range::<&[u8], _>(
                    state, &bounds, below, None,
                ))
            };
            return View {
                active,
                sealed: sealed.iter().skip(flushed).map(Arc::clone).collect(),
                get_from_tables: Box::new(get_from_tables),
                range: Box::new(range),
                level_zero_runs,
            };
        }
    }

    /// Puts an entry into the memtable; returns the memtable's size in bytes after it. Only the writer
    /// of the store may, which also excludes that the memtable is sealed meanwhile.
    pub(super) fn insert(&self, entry: InternalValue) -> u64 {
        self.active.insert(entry).1
    }

    /// The newest entry of a key below a sequence number, which may be a tombstone.
    fn find(&self, key: &[u8], below: u64) -> Found {
        let memtables = std::iter::once(&self.active).chain(self.sealed.iter().rev());
        for memtable in memtables {
            let found = memtable.get(key, below);
            if found.is_some() {
                return Ok(found);
            }
        }
        (self.get_from_tables)(key, below)
    }

    /// The newest entry of a key below a sequence number, unless that removed it.
    pub(super) fn get(&self, key: &[u8], below: u64) -> Found {
        let found = self.find(key, below)?;
        Ok(found.filter(|entry| !entry.is_tombstone()))
    }

    /// The entries between two bounds, from writes below a sequence number.
    pub(super) fn range(
        self: &Arc<View>,
        low: Bound<&[u8]>,
        high: Bound<&[u8]>,
        below: u64,
    ) -> ViewRange {
        ViewRange {
            entries: (self.range)((low, high), below),
            _view: Arc::clone(self),
        }
    }

    /// The number of sealed memtables that are not flushed yet.
    pub(super) fn sealed_memtables(&self) -> usize {
        self.sealed.len()
    }

    /// Bytes of the sealed memtables that are not flushed yet.
    pub(super) fn sealed_bytes(&self) -> u64 {
        self.sealed.iter().map(|memtable| memtable.size()).sum()
    }

    /// The number of overlapping runs in level 0.
    pub(super) fn level_zero_runs(&self) -> usize {
        self.level_zero_runs
    }
}

/// A range of a view. The view outlives it, so that no file is removed by the one who reads.
pub(super) struct ViewRange {
    entries: Entries,
    _view: Arc<View>,
}

impl Iterator for ViewRange {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        self.entries.next().map(Entry)
    }
}

impl DoubleEndedIterator for ViewRange {
    fn next_back(&mut self) -> Option<Entry> {
        self.entries.next_back().map(Entry)
    }
}

/// An entry of a range, or the error that its reading met.
pub(crate) struct Entry(lsm_tree::Result<InternalValue>);

impl Entry {
    /// Reads the key and the value.
    pub(crate) fn into_pair(self) -> Result<(Bytes, Bytes), StoreError> {
        let InternalValue { key, value } = self.0?;
        Ok((Bytes::from(key.user_key), Bytes::from(value)))
    }

    /// Reads the value.
    pub(crate) fn into_value(self) -> Result<Bytes, StoreError> {
        Ok(Bytes::from(self.0?.value))
    }
}

/// The newest view of a tree, and those before it that somebody may still read.
pub(super) struct Views {
    newest: ArcSwap<View>,
    /// Views that were replaced, so that the last owner of one is never somebody who answers: with it
    /// table files are removed. Locked while the newest view is replaced.
    replaced: Mutex<Vec<Arc<View>>>,
}

impl Views {
    /// The views of a tree that was just opened, whose memtables are empty.
    pub(super) fn of(tree: &AnyTree) -> Views {
        Views {
            newest: ArcSwap::from_pointee(View::of(tree, &[])),
            replaced: Mutex::default(),
        }
    }

    /// The newest view, for one access.
    pub(super) fn newest(&self) -> Guard<Arc<View>> {
        self.newest.load()
    }

    /// The newest view, to keep, and what `read` returns at the same moment.
    pub(super) fn newest_with<T>(&self, read: impl Fn() -> T) -> (Arc<View>, T) {
        loop {
            let view = self.newest.load_full();
            let value = read();
            if Arc::ptr_eq(&view, &self.newest.load()) {
                return (view, value);
            }
        }
    }

    fn replaced(&self) -> MutexGuard<'_, Vec<Arc<View>>> {
        self.replaced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the newest view that of the tree, after a flush or a compaction.
    pub(super) fn renew(&self, tree: &AnyTree) {
        self.replace(tree, || None);
    }

    /// Seals the memtable of a tree and begins a new one.
    pub(super) fn seal(&self, tree: &AnyTree) {
        self.replace(tree, || tree.rotate_memtable());
    }

    /// Replaces the newest view, behind a change that may seal a memtable.
    fn replace(&self, tree: &AnyTree, seal: impl FnOnce() -> Option<Arc<Memtable>>) {
        let mut replaced = self.replaced();
        let mut sealed = self.newest().sealed.clone();
        sealed.extend(seal());
        replaced.push(self.newest.swap(Arc::new(View::of(tree, &sealed))));
    }

    /// Releases the views that nobody reads any more, with their memtables and table files.
    pub(super) fn release(&self) {
        let mut replaced = self.replaced();
        let (read, released) = std::mem::take(&mut *replaced)
            .into_iter()
            .partition(|view| Arc::strong_count(view) > 1);
        *replaced = read;
        drop(replaced);
        // Files are removed without the lock, which a writer may wait for.
        drop::<Vec<Arc<View>>>(released);
    }
}
