//! Edits as an editor carries them out.

use super::offset;
use serde_json::Value as Json;

/// A text after edits, which refer to the text before all of them.
pub(crate) fn applied(text: &str, edits: &Json) -> String {
    let edits = edits.as_array().unwrap().iter();
    let mut pieces: Vec<(usize, usize, &str)> = edits
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().unwrap();
            (
                offset(text, &range["start"]),
                offset(text, &range["end"]),
                new,
            )
        })
        .collect();
    // Insertions at one place keep their order.
    pieces.sort_by_key(|(start, ..)| *start);
    let mut out = String::new();
    let mut at = 0;
    for (start, end, new) in pieces {
        assert!(start >= at, "edits overlap");
        out.push_str(&text[at..start]);
        out.push_str(new);
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

/// The text of a file after the edit of a workspace.
pub(crate) fn changed(uri: &str, text: &str, edit: &Json) -> String {
    if let Some(edits) = edit["changes"].get(uri) {
        return applied(text, edits);
    }
    let changes = edit["documentChanges"].as_array();
    let own = changes
        .into_iter()
        .flatten()
        .find(|change| change["textDocument"]["uri"] == uri);
    own.map_or_else(|| text.to_owned(), |change| applied(text, &change["edits"]))
}
