//! The number of findings grows with the text and not with the pairs of its mistakes, and it has a
//! limit.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_model::{Compiled, DIAGNOSTICS_MAX, compile};

const HEAD: &str = "model many 1\ntable Many (PK, SK)\n";

fn entities(count: usize) -> Compiled {
    let entity = |n: usize| format!("entity E{n}\n  id: string\n  key \"E#{{id}}\" \"X\"\n");
    compile(&format!(
        "{HEAD}{}",
        (0..count).map(entity).collect::<String>()
    ))
}

#[test]
fn each_colliding_kind_is_reported_once() {
    let compiled = entities(50);
    let messages: Vec<&str> = compiled
        .diagnostics
        .iter()
        .map(|one| one.message.as_str())
        .collect();
    let expected: Vec<String> = (1..50)
        .map(|n| format!("E0 and E{n} can have the same key"))
        .collect();
    assert_eq!(messages, expected);
}

#[test]
fn adjacent_unknown_characters_are_one_finding_and_findings_have_a_limit() {
    let compiled = compile(&format!("{HEAD}@$%&@$%&@$%&@$%&@$%&@$%&"));
    let messages: Vec<&str> = compiled
        .diagnostics
        .iter()
        .map(|one| one.message.as_str())
        .collect();
    assert_eq!(
        messages,
        ["the characters `@$%&@$%&@$%&@$%&@$%&…` have no meaning here"]
    );
    let compiled = compile(&format!("{HEAD}{}", "@ ".repeat(10_000)));
    assert_eq!(
        (compiled.diagnostics.len(), compiled.more),
        (DIAGNOSTICS_MAX, 10_000 - DIAGNOSTICS_MAX)
    );
    let compiled = entities(1 + DIAGNOSTICS_MAX + 7);
    assert_eq!(
        (compiled.diagnostics.len(), compiled.more),
        (DIAGNOSTICS_MAX, 7)
    );
}
