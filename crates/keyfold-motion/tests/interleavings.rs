//! A table is copied and followed while it is written, in a hundred thousand worlds: requests fail,
//! answers are lost or late, pages come twice, runs are killed, two work at once, a move is aborted and
//! begun again while its run goes on, and shards are split. Afterwards the target equals the source.
//!
//! Moves that are wrong in one rule each are found.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking, and its places understand few requests"
)]

mod common;

use common::{Mutant, Seen, Simulation};

/// The threads that share the worlds.
const THREADS: u64 = 2;

fn worlds() -> u64 {
    std::env::var("KEYFOLD_MOTION_WORLDS").map_or(100_000, |text| text.parse().unwrap())
}

fn run(seed: u64, mutant: Option<Mutant>) -> Result<Seen, String> {
    Simulation::new(seed, mutant).carry_out()
}

#[test]
fn any_interleaving_ends_with_the_source() {
    if let Ok(seed) = std::env::var("KEYFOLD_MOTION_WORLD") {
        run(seed.parse().unwrap(), None).unwrap();
        return;
    }
    let all = worlds();
    let parts: Vec<Seen> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|part| {
                scope.spawn(move || {
                    let mut sum = Seen::default();
                    for seed in (part..all).step_by(usize::try_from(THREADS).unwrap()) {
                        let seen =
                            run(seed, None).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
                        sum.runs += seen.runs;
                        sum.kills += seen.kills;
                        sum.restarts += seen.restarts;
                        sum.by_hand += seen.by_hand;
                        sum.days += seen.days;
                        sum.switches += seen.switches;
                        sum.steps += seen.steps;
                    }
                    sum
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let sum = |of: fn(&Seen) -> u64| parts.iter().map(of).sum::<u64>();
    println!(
        "{all} worlds: {} runs, {} kills, {} restarts, {} tables deleted by hand, \
         {} days, {} switches, {} steps",
        sum(|seen| seen.runs),
        sum(|seen| seen.kills),
        sum(|seen| seen.restarts),
        sum(|seen| seen.by_hand),
        sum(|seen| seen.days),
        sum(|seen| seen.switches),
        sum(|seen| seen.steps)
    );
    assert!(
        sum(|seen| seen.kills) > all / 10,
        "too few runs were killed"
    );
    assert!(
        sum(|seen| seen.restarts) > all / 10,
        "too few moves were begun again"
    );
}

/// How many of the first worlds a mutant is looked for in.
const MUTANT_WORLDS: u64 = 40_000;

#[test]
fn wrong_moves_are_found() {
    for mutant in [
        Mutant::NoTombstones,
        Mutant::NoStep,
        Mutant::CheckpointFirst,
        Mutant::WrongOrder,
        Mutant::ChildrenFirst,
        Mutant::CopyOverwrites,
        Mutant::EvenAtOnce,
        Mutant::StreamIsOn,
        Mutant::LateDeletes,
    ] {
        let found = (0..MUTANT_WORLDS)
            .find(|seed| run(*seed, Some(mutant)).is_err_and(|why| why.contains(" became ")));
        match found {
            Some(seed) => println!("{mutant:?} is found in world {seed}"),
            None => panic!("{mutant:?} is not found"),
        }
    }
}
