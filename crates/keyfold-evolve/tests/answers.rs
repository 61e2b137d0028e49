//! What the plan says of readers, by asking: between the requests of a run, each version that may run asks every
//! pattern, and gets what it gets of a place that has the same rows in its own form alone.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::readers::{END, Reader, optional_ones, running};
use common::{Fails, Faulty, Row, carried, options, rows, run_past};
use fastrand::Rng;
use keyfold_evolve::{Course, Ended};
use keyfold_model::evolution::Step;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Rows of each entity.
const ROWS: usize = 12;

#[test]
fn who_may_read_gets_the_answers_of_its_own_version() {
    let (asked, full) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut wrong = Vec::new();
    for (name, old, new) in carried() {
        let course = Course::of(&old, &new);
        let optional = optional_ones(&old, &new);
        for seed in 0..2 {
            let made = rows(&old, &new, seed, ROWS);
            let same = rows(&old, &new, seed, ROWS);
            let mut readers = [Reader::of(&old, &same.old), Reader::of(&new, &made.oracle)];
            // The backfill gives them other values, which are some of the old version, too.
            let made_ones = new.entities.iter().flat_map(|one| &one.attributes);
            let made_ones = made_ones.filter(|one| one.former.is_some());
            readers[0]
                .volatile
                .extend(made_ones.map(|one| one.name.clone()));
            let known: Vec<Row> = made.rows.iter().map(|(_, row)| row.clone()).collect();
            let faults: Mutex<Vec<String>> = Mutex::default();
            let mut rng = Rng::with_seed(seed);
            let place = Arc::clone(&made.old);
            let present = Mutex::new(String::new());
            let live = |at: u64| {
                let word = present.lock().unwrap().clone();
                // The last phase deletes what only the old version had: its readers are gone.
                if !at.is_multiple_of(3) || word == Step::Drop.word() {
                    return;
                }
                let runs = running(&course, &word);
                let may = [runs.old_readers, runs.new_readers];
                let nothing = BTreeSet::new();
                let lacks = [&nothing, &optional];
                for ((reader, may), may_lack) in readers.iter().zip(may).zip(lacks) {
                    if !may {
                        continue;
                    }
                    let (found, answers) = reader.differences(&place, (&known, may_lack), &mut rng);
                    asked.fetch_add(1, Ordering::SeqCst);
                    full.fetch_add(answers, Ordering::SeqCst);
                    let mut faults = faults.lock().unwrap();
                    faults.extend(found.into_iter().map(|one| format!("in {word}: {one}")));
                }
            };
            let world = Faulty::new(&made.old, Fails::Never, Some(Box::new(live)));
            // A gate is passed: what comes next is the phase behind it.
            let passed = |word: &str| {
                let mut phases = course
                    .phases()
                    .iter()
                    .skip_while(|one| one.step.word() != word);
                let next = phases.nth(1).map_or(END, |one| one.step.word()).to_owned();
                *present.lock().unwrap() = next;
            };
            let ended = run_past((&old, &new), &world, &options(), &passed);
            assert!(
                matches!(ended, Ok(Ended::Ready | Ended::NoDifference)),
                "{name}: {ended:#?}"
            );
            drop(world);
            let found = faults.into_inner().unwrap();
            if let Some(first) = found.first() {
                wrong.push(format!("{name} {seed}, {} faults: {first}", found.len()));
            }
            // In the end, each has all attributes.
            let new_reader = &readers[1];
            for _ in 0..5 {
                let (found, _) =
                    new_reader.differences(&made.old, (&known, &BTreeSet::new()), &mut rng);
                wrong.extend(
                    found
                        .first()
                        .map(|one| format!("{name} {seed}, at the end: {one}")),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n\n"));
    let (asked, full) = (asked.into_inner(), full.into_inner());
    assert!(
        asked > 1000 && full > 500,
        "{asked} times, {full} answers with items"
    );
}
