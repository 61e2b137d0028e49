//! `keyfold/why`: why a pattern of the last version without errors reads its key, and no other of its
//! table.
//!
//! ```text
//! -> { "textDocument": { "uri": ".." }, "pattern": "user", "without": [] }
//! <- [{ "index": null, "isRead": true, "reason": ".." }, { "index": "GSI1", .. }]
//! ```

use crate::context::Context;
use keyfold_model::plan;
use serde_json::{Value as Json, json};

/// The keys of the pattern's table, each with the planner's reason; `None` for a pattern that the model
/// has not. A key without an index is the table's own.
pub(crate) fn reasons(
    context: &mut Context<'_>,
    path: &str,
    (pattern, without): (&str, &[String]),
) -> Option<Vec<Json>> {
    let model = context.workspace.model_of(path).good()?;
    let pattern = model.pattern(pattern)?;
    let row = |one: plan::Reason| {
        let plan::Reason {
            index,
            is_read,
            reason,
        } = one;
        json!({ "index": index, "isRead": is_read, "reason": reason })
    };
    let all = plan::why(model, pattern, without);
    Some(all.into_iter().map(row).collect())
}
