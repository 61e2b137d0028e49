//! Every rule's examples are compiled: the failing one breaks just this rule, the repaired one none. Where the
//! compiler proposes a repair, carrying it out repairs. `docs/rules.md` is made of the same texts.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_model::check::rule::{RULES, Rule, all_markdown};
use keyfold_model::diagnostic::apply;
use keyfold_model::{Diagnostic, Severity, compile};
use std::path::Path;

fn shown(source: &str, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|one| one.render(source, "example", false)).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_failing_example_breaks_the_rule_and_the_repaired_one_does_not() {
    for rule in &RULES {
        let failing = compile(rule.failing);
        let text = shown(rule.failing, &failing.diagnostics);
        assert!(failing.diagnostics.iter().any(|one| one.code == rule.code), "{}: {text}", rule.code);
        let wanted = if rule.is_warning() { Severity::Warning } else { Severity::Error };
        assert!(
            failing.diagnostics.iter().all(|one| one.code != rule.code || one.severity == wanted),
            "{}: {text}",
            rule.code
        );
        let repaired = compile(rule.repaired);
        let text = shown(rule.repaired, &repaired.diagnostics);
        assert!(repaired.diagnostics.iter().all(|one| one.code != rule.code), "{}: {text}", rule.code);
        assert!(!repaired.has_errors(), "{}: {text}", rule.code);
    }
}

#[test]
fn a_proposed_repair_repairs() {
    let mut with_repair = Vec::new();
    for rule in &RULES {
        let failing = compile(rule.failing);
        let first = failing.diagnostics.iter().find(|one| one.code == rule.code).unwrap();
        if first.repair.is_empty() {
            continue;
        }
        let text = apply(rule.failing, &first.repair);
        let repaired = compile(&text);
        let found = shown(&text, &repaired.diagnostics);
        assert!(!repaired.has_errors(), "{}:\n{text}\n{found}", rule.code);
        assert!(
            repaired.diagnostics.iter().all(|one| one.code != rule.code),
            "{}:\n{text}\n{found}",
            rule.code
        );
        with_repair.push(rule.code);
    }
    let expected = [
        "KF001", "KF002", "KF004", "KF010", "KF011", "KF012", "KF013", "KF014", "KF015", "KF017", "KF030",
        "KF036",
    ];
    assert_eq!(with_repair, expected);
}

#[test]
fn codes_are_in_order_and_found_in_any_case() {
    assert!(RULES.windows(2).all(|pair| pair[0].code < pair[1].code));
    assert_eq!(Rule::of_code("kf012").map(|rule| rule.name), Some("disjoint"));
    assert_eq!(Rule::of_code("KF999"), None);
}

#[test]
fn the_document_is_made_of_the_rules() {
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
