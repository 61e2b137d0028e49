//! A table is copied and followed while it is written, in many worlds: requests fail, answers are lost or
//! late, pages come twice, runs are killed, two work at once, a move is aborted and begun again while its
//! run goes on, and shards are split. In half of the worlds a run stands still at one of its writes, and
//! goes on when another one has found the places even, has completed the move, or has begun the aborted
//! move again. Afterwards the target equals the source, and no old run changes it any more.
//!
//! Moves that are wrong in one rule each are found within twenty thousand worlds.
//!
//! `KEYFOLD_MOTION_WORLDS` is the number of worlds, 20,000 by default; 100,000 are played for the recorded
//! run. `KEYFOLD_MOTION_WORLD` plays the one with that number. `--nocapture` shows which world finds what.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking, and its places understand few requests"
)]

mod common;

use common::{Fence, Mutant, Seen, Simulation};
use std::sync::Mutex;

/// The threads that share the worlds.
const THREADS: u64 = 2;

fn worlds() -> u64 {
    std::env::var("KEYFOLD_MOTION_WORLDS").map_or(20_000, |text| text.parse().unwrap())
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
                        sum.pauses += seen.pauses;
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
         {} days, {} switches, {} pauses, {} steps",
        sum(|seen| seen.runs),
        sum(|seen| seen.kills),
        sum(|seen| seen.restarts),
        sum(|seen| seen.by_hand),
        sum(|seen| seen.days),
        sum(|seen| seen.switches),
        sum(|seen| seen.pauses),
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
    assert!(sum(|seen| seen.pauses) > all / 10, "too few were paused");
}

/// How many of the first worlds a mutant is looked for in.
const MUTANT_WORLDS: u64 = 70_000;

/// What a wrong move leaves: other items, rows, or no table.
const DAMAGES: [&str; 3] = [" became ", "it is not complete", "there is no table"];

/// Each mutant with the world that found it last, which is played first: the search for it takes minutes.
const MUTANTS: [(Mutant, u64); 16] = [
    (Mutant::NoTombstones, 1711),
    (Mutant::NoFence, 153),
    (Mutant::Ignores(Fence::Checkpoint), 153),
    (Mutant::Ignores(Fence::Held), 153),
    (Mutant::Ignores(Fence::Notes), 487),
    (Mutant::Ignores(Fence::Move), 453),
    (Mutant::NoStep, 797),
    (Mutant::CheckpointFirst, 1038),
    (Mutant::WrongOrder, 2),
    (Mutant::ChildrenFirst, 1),
    (Mutant::CopyOverwrites, 6181),
    (Mutant::EvenAtOnce, 21_511),
    (Mutant::StreamIsOn, 70),
    (Mutant::LateDeletes, 903),
    (Mutant::LateTaking, 63_028),
    (Mutant::AnyTag, 87),
];

/// The damages that show a mutant. Those that an item of the target shows are to show it.
fn damages_of(mutant: Mutant) -> &'static [&'static str] {
    match mutant {
        Mutant::Ignores(Fence::Held | Fence::Move) | Mutant::LateTaking | Mutant::AnyTag => {
            &DAMAGES
        }
        _ => &DAMAGES[..1],
    }
}

/// A world that finds a mutant, and what it says.
fn world_of(mutant: Mutant, last: u64) -> Option<(u64, String)> {
    let damages = damages_of(mutant);
    std::iter::once(last)
        .chain(0..MUTANT_WORLDS)
        .find_map(|seed| {
            let why = run(seed, Some(mutant)).err()?;
            let is_found = damages.iter().any(|damage| why.contains(damage));
            is_found.then_some((seed, why))
        })
}

#[test]
fn wrong_moves_are_found() {
    let left = Mutex::new(MUTANTS.to_vec());
    let next = || left.lock().unwrap().pop();
    let unfound = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((mutant, last)) = next() {
                    match world_of(mutant, last) {
                        Some((seed, why)) => println!("{mutant:?} is found in world {seed}: {why}"),
                        None => unfound.lock().unwrap().push(mutant),
                    }
                }
            });
        }
    });
    let unfound = unfound.into_inner().unwrap();
    assert!(unfound.is_empty(), "not found: {unfound:?}");
}
