//! The corpora, and random changes of them: what the fuzzer found once stays found.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use fastrand::Rng;
use keyfold_api::Operation;
use keyfold_fuzz::{TARGETS, corpus, escape, good_answers, start_anew, target};

/// Changed inputs tried for each target.
const CHANGES: usize = 400;

/// Cuts, repeats, joins and damages.
fn changed(rng: &mut Rng, inputs: &[Vec<u8>]) -> Vec<u8> {
    let any = |rng: &mut Rng| rng.choice(inputs).cloned().unwrap_or_default();
    let mut input = any(rng);
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(..=input.len());
        match rng.u8(..4) {
            0 => input.truncate(at),
            1 => input.splice(at..at, any(rng)).for_each(drop),
            2 => input.insert(at, rng.u8(..)),
            _ => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << rng.u8(..8);
                }
            }
        }
        input.truncate(4096);
    }
    input
}

#[test]
fn every_kept_input_and_changes_of_it_do_no_harm() {
    for (name, target) in TARGETS {
        let inputs = corpus::of(name);
        assert!(inputs.len() >= 10, "{name} has {} inputs", inputs.len());
        let mut rng = Rng::with_seed(1);
        let changes = (0..CHANGES)
            .map(|_| changed(&mut rng, &inputs))
            .collect::<Vec<_>>();
        for input in inputs.iter().chain(&changes) {
            let outcome = std::panic::catch_unwind(|| target(input));
            assert!(outcome.is_ok(), "{name}: {}", escape::escape(input));
        }
    }
}

/// Good answers that a new engine takes.
const MAKING: u64 = 4;

/// Good answers to an input.
fn good(name: &str, input: &[u8]) -> u64 {
    start_anew();
    let before = good_answers();
    target(name).unwrap()(input);
    // Making the engine takes some.
    good_answers() - before - MAKING
}

#[test]
fn what_was_written_by_hand_reaches_what_it_should() {
    let bodies = corpus::written("body");
    for operation in Operation::ALL {
        // These write files, or tell of what did.
        use Operation::{DescribeExport, DescribeImport, ExportTableToPointInTime, ImportTable};
        if matches!(
            operation,
            ExportTableToPointInTime | ImportTable | DescribeExport | DescribeImport
        ) {
            continue;
        }
        let own = format!("{} ", operation.name());
        let mut inputs = bodies
            .iter()
            .filter(|input| input.starts_with(own.as_bytes()));
        assert!(
            inputs.any(|input| good("body", input) > 0),
            "{} is never carried out",
            operation.name()
        );
    }
    for input in corpus::written("expression") {
        // The item is put in any case.
        assert!(
            good("expression", &input) > 1,
            "{} is no expression of any kind",
            escape::escape(&input)
        );
    }
    let reads: u64 = corpus::written("partiql")
        .iter()
        .map(|input| good("partiql", input))
        .sum();
    assert!(reads >= 20, "{reads} statements are carried out");
    let reads: u64 = corpus::written("iterator")
        .iter()
        .map(|input| good("iterator", input))
        .sum();
    assert!(reads >= 10, "{reads} iterators are followed");
    let models = corpus::written("model");
    let compiled = models.iter().filter(|model| {
        keyfold_model::compile(std::str::from_utf8(model).unwrap())
            .model
            .is_some()
    });
    assert!(compiled.count() >= 10);
}
