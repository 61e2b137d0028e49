//! Which state of the store a read sees.

use crate::core::Core;
use keyfold_store::Snapshot;
use keyfold_types::capacity::ReadRate;

/// The newest state, or where reads may be late an older one.
pub(crate) fn view(core: &Core, is_global: bool, rate: ReadRate) -> Snapshot {
    match core.past() {
        Some(past) => past.view(core.store(), core.now_ms(), is_global, rate),
        None => core.store().snapshot(),
    }
}
