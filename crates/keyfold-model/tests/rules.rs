//! The examples of every rule: the failing one breaks the rule, the repaired one does not, and a
//! repair that the compiler proposes works. `docs/rules.md` shows the texts of the rules.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::sources;
use keyfold_model::check::rules::all_markdown;
use keyfold_model::{Diagnostic, RULES, Rule, Severity, Sources, compile, compile_sources, format};
use std::path::Path;

fn shown(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics
        .iter()
        .map(|one| one.render_in(sources, false))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_failing_example_breaks_the_rule_and_the_repaired_one_does_not() {
    for rule in &RULES {
        let example = sources("example", rule.failing);
        let failing = compile_sources(&example);
        let text = shown(&example, &failing.diagnostics);
        assert!(
            failing.diagnostics.iter().any(|one| one.code == rule.code),
            "{}: {text}",
            rule.code
        );
        let wanted = if rule.is_warning() {
            Severity::Warning
        } else {
            Severity::Error
        };
        assert!(
            failing
                .diagnostics
                .iter()
                .all(|one| one.code != rule.code || one.severity == wanted),
            "{}: {text}",
            rule.code
        );
        let example = sources("example", rule.repaired);
        let repaired = compile_sources(&example);
        let text = shown(&example, &repaired.diagnostics);
        assert!(
            repaired.diagnostics.iter().all(|one| one.code != rule.code),
            "{}: {text}",
            rule.code
        );
        assert!(!repaired.has_errors(), "{}: {text}", rule.code);
        for example in [rule.failing, rule.repaired] {
            assert_eq!(
                format(example),
                example,
                "{}: an example is written as `keyfold fmt` writes it",
                rule.code
            );
        }
    }
}

#[test]
fn a_proposed_repair_works() {
    let mut with_repair = Vec::new();
    for rule in &RULES {
        let example = sources("example", rule.failing);
        let failing = compile_sources(&example);
        let first = failing
            .diagnostics
            .iter()
            .find(|one| one.code == rule.code)
            .unwrap();
        if first.edits().is_empty() {
            continue;
        }
        let edited = example.edited(first.edits());
        let repaired = compile_sources(&edited);
        let found = shown(&edited, &repaired.diagnostics);
        let text = edited.text();
        assert!(!repaired.has_errors(), "{}:\n{text}\n{found}", rule.code);
        assert!(
            repaired.diagnostics.iter().all(|one| one.code != rule.code),
            "{}:\n{text}\n{found}",
            rule.code
        );
        with_repair.push(rule.code);
    }
    let expected = [
        "KF001", "KF002", "KF004", "KF010", "KF011", "KF012", "KF013", "KF014", "KF015", "KF017",
        "KF019", "KF030", "KF036", "KF037",
    ];
    assert_eq!(with_repair, expected);
}

#[test]
fn codes_are_in_order_and_found_in_any_case() {
    assert!(RULES.windows(2).all(|pair| pair[0].code < pair[1].code));
    assert_eq!(
        Rule::of_code("kf012").map(|rule| rule.name),
        Some("disjoint")
    );
    for text in ["KF014", "kf14", "14", "Ordered", "ORDERED"] {
        let found = Rule::of_code(text).map(|rule| rule.code);
        assert_eq!(found, Some("KF014"), "{text}");
    }
    assert_eq!(Rule::of_code("KF999"), None);
}

#[test]
fn the_document_shows_the_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    if std::env::var_os("UPDATE_GOLDENFILES").is_some() {
        std::fs::write(&path, all_markdown()).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&path).unwrap_or_default(),
        all_markdown(),
        "run with UPDATE_GOLDENFILES=1"
    );
}

/// A repair changes the start of the table's own templates only: not of copies or guards, and not
/// of bare values.
#[test]
fn a_repair_of_a_range_changes_templates_of_the_table_only() {
    let repairs = |returned: &str, neighbour: &str| -> Vec<String> {
        let text = format!(
            "model m 1\ntable Tab (PK, SK)\nentity Order\n  u: string, o: string\n  key \"U#{{u}}\" {returned}\n{neighbour}pattern orders(u) -> Order[] page 9\n"
        );
        let compiled = compile(&text);
        let found: Vec<&Diagnostic> = compiled
            .diagnostics
            .iter()
            .filter(|one| one.code == "KF011")
            .collect();
        let shown = shown(&Sources::of_text("model", text), &compiled.diagnostics);
        assert_eq!(found.len(), 1, "{shown}");
        found
            .iter()
            .flat_map(|one| one.edits())
            .map(|edit| edit.text.clone())
            .collect()
    };
    let entity = "entity Item\n  u: string, i: string\n  key \"U#{u}\" \"I#{i}\"\n";
    assert_eq!(repairs("\"{o}\"", entity), ["ORDER#", "ITEM#"]);
    assert_eq!(
        repairs("\"{o}\"", &entity.replace("I#{i}", "ITEM#{i}")),
        ["ORDER#"],
        "the second key has the start already"
    );
    assert!(
        repairs("{o}", entity).is_empty(),
        "a bare value can be any text, whatever the other key starts with"
    );
    let copy = "entity Item\n  u: string, i: string\n  key \"X#{i}\" \"I#{i}\"\n  copy by \"U#{u}\" \"I#{i}\"\n";
    assert!(
        repairs("\"{o}\"", copy).is_empty(),
        "a copy's key is not the entity's"
    );
}

/// The texts that the repairs of the first finding put into a model.
fn repaired(lines: &str) -> Vec<String> {
    let text = format!("model m 1\ntable Tab (PK, SK)\n  gsi Idx (A, B)\n{lines}");
    let compiled = compile(&text);
    let found = compiled.diagnostics.iter().find(|one| one.code == "KF013");
    let edits = found.unwrap_or_else(|| panic!("{lines}")).edits().iter();
    edits.map(|one| one.text.clone()).collect()
}

/// A key is repaired where its text can hold what is missing: a delimiter between fields, or an
/// attribute of the `id`.
#[test]
fn a_repair_of_an_ambiguous_key_fits_into_its_text() {
    let key = |key: &str| repaired(&format!("entity E\n  a: string, b: string\n  {key}\n"));
    assert_eq!(key("key \"E#{a}{b}\" \"X\""), ["\"E#{a}#{b}\""]);
    let sharded = "key \"E#{a}#{b}\" \"X\"\n  Idx \"I#{a}{b}\" \"X\" shard 3";
    assert_eq!(key(sharded), Vec::<String>::new());
    let moving = |id: &str| {
        let lines =
            format!("entity E\n  a: string, {id}: string\n  key \"E\" \"{{a}}\"\n  id {id}\n");
        repaired(&lines)
    };
    assert_eq!(moving("b"), ["#{b}"]);
    assert_eq!(moving("\"in{stock\""), Vec::<String>::new());
}
