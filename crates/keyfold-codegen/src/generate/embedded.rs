//! The plan document inside of a generated file.

use super::text::undirected;
use serde_json::Value as Json;

/// The document as JSON, a line for each table, entity, pattern and write, so that a difference of two
/// files shows which of them changed.
pub(super) fn lines(plan: &Json) -> Vec<String> {
    let Json::Object(members) = plan else {
        return vec![plan.to_string()];
    };
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{}: {}", Json::from(name.as_str()), member(value)))
        .collect();
    let text = format!("{{\n{}\n}}", members.join(",\n"));
    // Line separators and such stand only in texts, and end a line of an editor.
    let text = undirected(&text)
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    text.split('\n').map(str::to_owned).collect()
}

/// A member of the document. Elements of a list stand on lines of their own.
fn member(value: &Json) -> String {
    match value {
        Json::Array(elements) if !elements.is_empty() => {
            let lines: Vec<String> = elements.iter().map(|one| format!("  {one}")).collect();
            format!("[\n{}\n]", lines.join(",\n"))
        }
        Json::Array(_)
        | Json::Null
        | Json::Bool(_)
        | Json::Number(_)
        | Json::String(_)
        | Json::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_text_of_a_model_ends_a_literal_of_python() {
        let texts = ["\"\"\"", "\\\"\"\"", "\"", "", "\\", "\u{2028}"];
        let plan = json!({ "a": texts, "": "", "\"": [], "b": { "": "\"\"" } });
        let text = lines(&plan).join("\n");
        assert!(!text.contains("\"\"\""), "{text}");
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), plan);
    }
}
