//! `keyfold/difference`: the last version of a model without errors beside the stored one, and what the
//! difference means for data.
//!
//! ```text
//! -> { "textDocument": { "uri": ".." } }
//! <- { "isCurrent": true, "isStoredWhole": true, "migration": "backfill", "changes": [{ "what", "how", "migration", "todo" }] }
//! ```

use crate::context::Context;
use keyfold_codegen::diff::{self, Change, Migration};
use keyfold_model::compile_sources;
use serde_json::{Value as Json, json};

/// The differences from the stored files to a document's model; `None` where nothing is stored, or while
/// the model never was without errors.
pub(crate) fn difference(context: &mut Context<'_>, path: &str) -> Option<Json> {
    let stored = context.workspace.stored(path)?;
    let stored = compile_sources(&stored).model;
    let model = context.workspace.model_of(path);
    let is_current = !model.has_errors();
    let new = model.good()?;
    let changes = stored.as_ref().map(|old| diff::diff(old, new));
    let changes = changes.unwrap_or_default();
    let greatest = changes.iter().map(|one| one.migration).max();
    let row = |one: &Change| json!({ "what": one.what, "how": one.how, "migration": one.migration.word(), "todo": one.todo });
    Some(json!({
        "isCurrent": is_current,
        "isStoredWhole": stored.is_some(),
        "migration": greatest.unwrap_or(Migration::None).word(),
        "changes": changes.iter().map(row).collect::<Vec<_>>(),
    }))
}
