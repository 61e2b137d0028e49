//! The corpora and random mutations of them: an input that once failed never fails again.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use fastrand::Rng;
use keyfold_api::Operation;
use keyfold_fuzz::{TARGETS, corpus, escape, reset_engine, successes, target};

/// Mutations of inputs that are tried for each target.
const MUTATIONS: usize = 400;
/// Bytes of the longest mutation.
const BYTES_MAX: usize = 4096;

/// An input with up to three mutations: cut, joined with another, or with a byte added or changed.
fn mutated(rng: &mut Rng, inputs: &[Vec<u8>]) -> Vec<u8> {
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
        input.truncate(BYTES_MAX);
    }
    input
}

#[test]
fn corpora_and_their_mutations_pass() {
    for (name, target) in TARGETS {
        let inputs = corpus::of(name);
        assert!(inputs.len() >= 10, "{name} has {} inputs", inputs.len());
        let mut rng = Rng::with_seed(1);
        let mutations = (0..MUTATIONS)
            .map(|_| mutated(&mut rng, &inputs))
            .collect::<Vec<_>>();
        for input in inputs.iter().chain(&mutations) {
            let outcome = std::panic::catch_unwind(|| target(input));
            assert!(outcome.is_ok(), "{name}: {}", escape::escape(input));
        }
    }
}

/// Requests that succeed while a new engine is filled.
const SUCCESSES_OF_FILLING: u64 = 4;

/// The number of requests that succeed for an input.
fn successes_of(name: &str, input: &[u8]) -> u64 {
    reset_engine();
    let before = successes();
    target(name).unwrap()(input);
    successes() - before - SUCCESSES_OF_FILLING
}

#[test]
fn inputs_written_by_hand_succeed() {
    let bodies = corpus::written("body");
    for operation in Operation::ALL {
        // These write files, or describe operations that do.
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
            inputs.any(|input| successes_of("body", input) > 0),
            "{} is never carried out",
            operation.name()
        );
    }
    for input in corpus::written("expression") {
        // The put of the item succeeds for every input.
        assert!(
            successes_of("expression", &input) > 1,
            "{} is no expression of any kind",
            escape::escape(&input)
        );
    }
    let statements: u64 = corpus::written("partiql")
        .iter()
        .map(|input| successes_of("partiql", input))
        .sum();
    assert!(statements >= 20, "{statements} statements are carried out");
    let reads: u64 = corpus::written("iterator")
        .iter()
        .map(|input| successes_of("iterator", input))
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
