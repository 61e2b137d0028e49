//! The state of the store that a read sees.

use crate::core::Core;
use crate::table::{Index, IndexKind};
use keyfold_store::Snapshot;
use keyfold_types::capacity::ReadRate;

/// The newest state for a read of a table or index, or an older one where reads may be stale.
pub(crate) fn view(core: &Core, index: Option<&Index>, rate: ReadRate) -> Snapshot {
    let is_global = index.is_some_and(|index| index.kind == IndexKind::Global);
    match core.stale_reads() {
        Some(stale) => stale.view(core.store(), core.now_ms(), is_global, rate),
        None => core.store().snapshot(),
    }
}
