//! Whether a cursor that a caller gives is one of a pattern's.

use super::cursor;
use super::fan;
use super::question::Question;
use crate::error::ClientError;
use keyfold_model::{Fan, Pattern};
use keyfold_types::Item;

/// Refuses a cursor that no page of this pattern with these arguments, at this moment, returns.
///
/// # Errors
/// `Unknown`.
pub(super) fn check(
    question: &Question<'_>,
    pattern: &Pattern,
    after: &Item,
    now_epoch_ms: i64,
) -> Result<(), ClientError> {
    let is_own = match &question.plan.fan {
        Fan::One => cursor::is_own_key(question, &question.arguments, after),
        Fan::Shards(count) => cursor::is_in_shards(question, *count, &question.arguments, after),
        Fan::Periods { .. } => fan::is_in_periods(question, after, now_epoch_ms)?,
    };
    if is_own {
        return Ok(());
    }
    Err(ClientError::Unknown(format!(
        "this is not where a page of {} ended with these arguments; give the `next` of that page",
        pattern.name
    )))
}
