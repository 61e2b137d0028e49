//! The state of the store that a read sees.

use crate::core::Core;
use keyfold_store::Snapshot;
use keyfold_types::capacity::ReadRate;

/// The newest state, or an older one where reads may be stale.
pub(crate) fn view(core: &Core, is_global: bool, rate: ReadRate) -> Snapshot {
    match core.stale_reads() {
        Some(stale) => stale.view(core.store(), core.now_ms(), is_global, rate),
        None => core.store().snapshot(),
    }
}
