//! Every form of a condition is compared with SQL, and a wrong one is noticed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_model::schema::{Comparator, Condition};
use keyfold_model::{Model, compile};
use keyfold_prove::{Options, Report, prove};

const SOURCE: &str = include_str!("conditions.keyfold");

fn model() -> Model {
    let compiled = compile(SOURCE);
    let shown: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|one| one.render(SOURCE, "conditions", false))
        .collect();
    compiled
        .model
        .unwrap_or_else(|| panic!("{}", shown.join("\n")))
}

fn report(model: &Model, seed: u64) -> Report {
    let options = Options {
        seed,
        items: 80,
        asks: 12,
        now_epoch_ms: 1_700_000_000_000,
        deep: false,
    };
    prove(model, options, |_| {}).unwrap()
}

#[test]
fn every_form_of_a_condition_is_proved() {
    let model = model();
    let mut answered = std::collections::BTreeSet::new();
    for seed in 1..=5 {
        let report = report(&model, seed);
        let failures: Vec<String> = report
            .all_failures()
            .take(3)
            .map(|one| format!("{one:#?}"))
            .collect();
        assert!(failures.is_empty(), "seed {seed}: {}", failures.join("\n"));
        assert!(report.refused > 0);
        let patterns = report.patterns.into_iter();
        answered.extend(patterns.filter(|one| one.answered > 0).map(|one| one.name));
    }
    assert_eq!(answered.len(), model.patterns.len(), "{answered:?}");
}

/// Proves the model with one plan's filters changed; the proof must fail.
fn caught(pattern: &str, spoil: impl Fn(&mut Condition)) {
    let mut broken = model();
    let pattern = broken
        .patterns
        .iter_mut()
        .find(|one| one.name == pattern)
        .unwrap();
    spoil(pattern.plan.filters.first_mut().unwrap());
    let mut reports = (1..=3).map(|seed| report(&broken, seed));
    assert!(reports.any(|report| !report.is_proved()));
}

#[test]
fn a_negation_that_forgets_absent_attributes_is_caught() {
    caught("absent", |filter| {
        let Condition::Not(member) = filter else {
            panic!("no negation")
        };
        let Condition::Is(comparison) = &mut **member else {
            panic!("no comparison")
        };
        // `total >= least` is no negation of `total < least` where the total is absent.
        comparison.comparator = Comparator::AtLeast;
        *filter = Condition::Is(comparison.clone());
    });
}

#[test]
fn another_precedence_is_caught() {
    caught("nested", |filter| {
        let Condition::Any(members) = filter else {
            panic!("no `or`")
        };
        *filter = Condition::All(members.clone());
    });
}
