//! A condition as it is shown is the condition as the language writes it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_model::compile;
use keyfold_model::schema::{Condition, Operand, conjunction};

/// A filter, read in a model with a parameter `w`.
fn filter(text: &str) -> Vec<Condition> {
    let source = format!(
        "model shown 1\n\ntable Main (PK, SK) type kind\n\nentity Item\n  \
         owner: string, id: string, x: string, n: int, on: date, tags: set of string\n  \
         state: open | \"in-progress\"\n  key \"OWNER#{{owner}}\" \"ITEM#{{id}}\"\n\n\
         pattern items(owner, w: string) -> Item[] filter {text}, x <> w\n"
    );
    let compiled = compile(&source);
    let model = compiled
        .model
        .unwrap_or_else(|| panic!("{text}: {:?}", compiled.diagnostics));
    let mut filters = model.patterns[0].filters.clone();
    filters.pop();
    filters
}

fn operands(filters: &[Condition]) -> Vec<Operand> {
    let comparisons = filters.iter().flat_map(Condition::comparisons);
    comparisons.flat_map(|one| one.operands.clone()).collect()
}

#[test]
fn a_fixed_text_is_shown_so_that_it_is_not_read_as_a_name() {
    for text in [
        "tags contains \"w\"",
        "x = \"w\" or x <> w and n = 5",
        "x starts \"in\" or not x in (\"a\", w, \"b c\")",
        "x in \"a\"..\"b\" and size(x) > 5",
        "state = \"in-progress\" or state in (\"open\", \"in-progress\")",
        "on > \"2024-01-15\"",
        "kind in (Item)",
    ] {
        let first = filter(text);
        let shown = conjunction(&first);
        let second = filter(&shown);
        assert_eq!(
            operands(&first),
            operands(&second),
            "{text} is shown as {shown}"
        );
        assert_eq!(shown, conjunction(&second));
    }
}
