//! The plan document inside of a generated file: one text, which type checkers do not look into.

use crate::generate::embedded;
use serde_json::Value as Json;

/// The lines of the document for a raw template literal.
pub(super) fn lines(plan: &Json) -> Vec<String> {
    // Neither occurs outside of texts, where their numbers mean the same.
    let inside = |line: String| line.replace('`', "\\u0060").replace("${", "\\u0024{");
    embedded::lines(plan).into_iter().map(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_text_of_a_model_ends_the_literal() {
        let plan = json!({ "a": ["`", "${x}", "\\`", "\\"], "b": 1 });
        let text = lines(&plan).join("\n");
        assert!(!text.contains('`') && !text.contains("${"), "{text}");
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), plan);
    }
}
