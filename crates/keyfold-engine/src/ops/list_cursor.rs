//! Cursors of lists whose entries have a table and a label, in the order of the catalog.
//!
//! A cursor is the text `table/label`. It is compared in its parts: as one text, `Tab-1/x` would lie
//! before `Tab/x`, since `-` sorts before `/`.

use crate::ops::definition::sentence;
use keyfold_api::ApiError;

/// The place of an entry: its table, and its label within it.
pub(crate) type Place<'t> = (&'t str, &'t str);

/// The cursor after an entry.
pub(crate) fn cursor((table, label): Place<'_>) -> String {
    format!("{table}/{label}")
}

/// The place that a request's cursor names; the entry may be gone by now.
///
/// # Errors
/// When no answer can have given the cursor.
pub(crate) fn place(token: Option<&str>) -> Result<Option<Place<'_>>, ApiError> {
    let Some(token) = token else { return Ok(None) };
    // Neither tables nor labels have slashes.
    match token.split_once('/') {
        Some((table, label)) if !table.is_empty() && !label.contains('/') => {
            Ok(Some((table, label)))
        }
        Some(_) | None => sentence("Invalid NextToken"),
    }
}
