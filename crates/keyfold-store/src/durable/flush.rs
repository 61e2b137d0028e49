//! The flush thread: sealed memtables become table files of level 0.

use super::shared::{Shared, backoff};
use crate::error::{StoreError, guarded};
use std::time::Instant;

/// Flushes until the store is closed.
pub(super) fn run(shared: &Shared) {
    let mut backoff = backoff();
    let mut state = shared.lock();
    while !state.has_ended() {
        if state.sealed_segments.is_empty() {
            state = shared.wait(state);
            continue;
        }
        if !shared.restore_manifest(&mut state) {
            state = shared.pause(state, backoff.failed());
            continue;
        }
        let segments = state.sealed_segments.clone();
        state.is_flushing = true;
        drop(state);
        // The segment that the log goes on with. Until it is named here, after a crash of the machine its loss
        // would not be noticed; when this fails, the end of the flush tells.
        drop(shared.checkpoints.update(|_| ()));
        let (first_table, began) = (shared.tree.next_table_id(), Instant::now());
        let flushed = guarded(|| shared.tree.flush(shared.read_points.oldest()));
        state = shared.lock();
        state.is_flushing = false;
        state.flushes.add(began.elapsed());
        let retired = match flushed {
            // What a failed flush left is cleaned up before anything else is written.
            Err(error) => Err(error),
            Ok(()) => {
                state.has_new_tables = true;
                // Writers that wait for the flush need not wait for what follows.
                shared.changed.notify_all();
                drop(state);
                let retired = retire(shared, &segments);
                state = shared.lock();
                retired
            }
        };
        state.flush_failures.ended(retired);
        shared.changed.notify_all();
        if !state.flush_failures.has_failed() {
            backoff.succeeded();
        } else {
            shared.clean_up(&mut state, first_table);
            state = shared.pause(state, backoff.failed());
        }
    }
}

/// Retires the segments whose memtables were flushed. The checkpoint comes first: what it names
/// must exist. Files are written and removed here, so nobody may wait for it.
fn retire(shared: &Shared, segments: &[u64]) -> Result<(), StoreError> {
    let manifest = shared.tree.manifest();
    shared.checkpoints.update(|checkpoint| {
        checkpoint.manifest = checkpoint.manifest.max(manifest);
        let needed = segments.last().map_or(0, |last| last + 1);
        checkpoint.oldest_segment = checkpoint.oldest_segment.max(needed);
    })?;
    // Oldest first. After an error the segments retired so far are not retired again.
    for id in segments {
        shared.files.retire(*id)?;
        shared.lock().sealed_segments.retain(|sealed| sealed != id);
    }
    Ok(())
}
