//! The window of moments whose state can be restored or exported.

use crate::base::time::DAY_MS;
use crate::core::Core;
use crate::table::{Recovery, Table};
use keyfold_api::{ApiError, ErrorKind};

/// The first and the last moment that a table can be restored to.
pub(crate) fn window(recovery: &Recovery, now_ms: u64) -> (u64, u64) {
    (
        recovery
            .since_epoch_ms
            .max(now_ms.saturating_sub(recovery.days * DAY_MS)),
        now_ms,
    )
}

/// The first and the last moment of a table's window.
///
/// # Errors
/// `PointInTimeRecoveryUnavailable` when changes are not kept.
pub(crate) fn open_window(core: &Core, table: &Table) -> Result<(u64, u64), ApiError> {
    match &table.settings.recovery {
        Some(recovery) => Ok(window(recovery, core.moment())),
        None => Err(ApiError::Plain(
            ErrorKind::PointInTimeRecoveryUnavailable,
            format!(
                "Point in time recovery is not enabled for table '{}'",
                table.name
            ),
        )),
    }
}
