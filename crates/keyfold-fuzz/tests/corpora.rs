//! The corpora, and random changes of them: what the fuzzer found once stays found.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use fastrand::Rng;
use keyfold_fuzz::{TARGETS, corpus};

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
        let changes = (0..CHANGES).map(|_| changed(&mut rng, &inputs)).collect::<Vec<_>>();
        for input in inputs.iter().chain(&changes) {
            let outcome = std::panic::catch_unwind(|| target(input));
            assert!(outcome.is_ok(), "{name}: {}", corpus::escape(input));
        }
    }
}
