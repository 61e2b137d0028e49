//! Each change of the catalogue, carried out on random rows: what is stored at the end is what the new model
//! stores of the same rows, and nothing of the old version is left.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::{
    Fails, Faulty, Row, carried, delete_one, differences, options, pairs, put, row, rows, run_past,
    update,
};
use fastrand::Rng;
use keyfold_client::{Backend, ClientError};
use keyfold_evolve::{Course, Ended};
use keyfold_model::evolution::Step;
use keyfold_model::{Entity, Model};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Rows of each entity.
const ROWS: usize = 24;

#[test]
fn what_is_stored_at_the_end_is_what_the_new_model_stores() {
    let (mut done, mut wrong) = (Vec::new(), Vec::new());
    for (name, old, new) in carried() {
        for seed in 0..3 {
            let rows = rows(&old, &new, seed, ROWS);
            let world = Faulty::new(&rows.old, Fails::Never, None);
            match common::run_in((&old, &new), &world, &options()) {
                Ok(Ended::Ready | Ended::NoDifference) => {
                    let found = differences(&old, &new, &rows);
                    if !found.is_empty() {
                        wrong.push(format!("{name} {seed}:\n{}", found.join("\n")));
                        break;
                    }
                }
                other => {
                    wrong.push(format!("{name} {seed}: {other:#?}"));
                    break;
                }
            }
        }
        done.push(name);
    }
    assert!(
        wrong.is_empty(),
        "{} of {}\n{}",
        wrong.len(),
        done.len(),
        wrong.join("\n\n")
    );
    assert!(done.len() >= 58, "{} {done:?}", done.len());
}

/// Several segments, and several entities of a page at once.
#[test]
fn many_at_once_make_the_same() {
    for (name, old, new) in carried() {
        let rows = rows(&old, &new, 11, ROWS);
        let world = Faulty::new(&rows.old, Fails::Never, None);
        let many = keyfold_evolve::Options {
            segments: 3,
            writers: 4,
            ..options()
        };
        let ended = common::run_in((&old, &new), &world, &many);
        assert!(
            matches!(ended, Ok(Ended::Ready | Ended::NoDifference)),
            "{name}: {ended:#?}"
        );
        let found = differences(&old, &new, &rows);
        assert!(found.is_empty(), "{name}:\n{}", found.join("\n"));
    }
}

/// The changes that a run does not carry out are refused before anything is written.
#[test]
fn what_is_not_carried_out_is_refused() {
    let mut refused = Vec::new();
    for (name, old, new) in pairs() {
        if Course::of(&old, &new).refusals().is_empty() {
            continue;
        }
        let rows = rows(&old, &new, 1, ROWS);
        let world = Faulty::new(&rows.old, Fails::Never, None);
        assert!(
            common::run_in((&old, &new), &world, &options()).is_err(),
            "{name}"
        );
        assert_eq!(world.asked.load(Ordering::SeqCst), 0, "{name}");
        let is_impossible = Course::of(&old, &new).phases().is_empty();
        refused.extend((!is_impossible).then_some(name));
    }
    assert_eq!(
        refused,
        Vec::<String>::new(),
        "possible, and not carried out yet"
    );
}

/// One of several writes: an update, a deletion, or a put.
fn written(
    does: u8,
    backend: &Backend,
    model: &Model,
    (entity, row): (&Entity, &Row),
) -> Result<(), ClientError> {
    match does {
        0 => update(backend, model, entity, row),
        1 => delete_one(backend, model, entity, row),
        _ => put(backend, model, entity, row),
    }
}

/// Where the plan lets writers of the new version run while items are written, one writes between all
/// requests of the run.
#[test]
fn writers_of_the_new_version_go_on_meanwhile() {
    let mut wrong = Vec::new();
    let (writes, pairs) = (AtomicU64::new(0), AtomicU64::new(0));
    for (name, old, new) in carried() {
        let course = Course::of(&old, &new);
        let mut phases = course.phases().iter();
        let backfill = phases.find(|phase| phase.step == Step::Backfill);
        if !backfill.is_some_and(|phase| phase.runs.new_writers) {
            continue;
        }
        pairs.fetch_add(1, Ordering::SeqCst);
        for seed in 0..4 {
            let mut rows = rows(&old, &new, seed, ROWS);
            let known = std::mem::take(&mut rows.rows);
            let is_open = Arc::new(AtomicBool::new(false));
            let faults: Mutex<Vec<String>> = Mutex::new(Vec::new());
            let mut rng = Rng::with_seed(seed);
            let (place, oracle, gate) = (
                Arc::clone(&rows.old),
                Arc::clone(&rows.oracle),
                Arc::clone(&is_open),
            );
            let live = |_: u64| {
                if !gate.load(Ordering::SeqCst) || known.is_empty() || rng.bool() {
                    return;
                }
                let (entity, before) = &known[rng.usize(0..known.len())];
                let mut after: Row = row(entity, &mut rng);
                // Most writes are of an item that is there.
                if rng.u8(0..4) > 0 {
                    for name in entity
                        .key
                        .fields()
                        .chain(entity.id.iter().map(String::as_str))
                    {
                        after.extend(before.get(name).map(|held| (name.to_owned(), held.clone())));
                    }
                }
                let does = rng.u8(0..6);
                // What is made of others, the backfill makes of what they are by then.
                let is_made = entity.attributes.iter().any(|one| one.former.is_some());
                if does == 0 && !is_made {
                    let names = entity.identity();
                    after.retain(|name, _| names.contains(&name.as_str()) || rng.bool());
                }
                let carry = |backend: &Backend| written(does, backend, &new, (entity, &after));
                // Guards of the old version's items are there only later.
                if carry(&oracle).is_ok() {
                    writes.fetch_add(1, Ordering::SeqCst);
                    if let Err(error) = carry(&place) {
                        let fault = format!("{does}: {after:?}: {error}");
                        faults.lock().unwrap().push(fault);
                    }
                }
            };
            let world = Faulty::new(&rows.old, Fails::Never, Some(Box::new(live)));
            let passed = |word: &str| {
                if matches!(word, "writers" | "deploy") {
                    is_open.store(true, Ordering::SeqCst);
                }
                if word == "start" || word == "readers" {
                    is_open.store(false, Ordering::SeqCst);
                }
            };
            let ended = run_past((&old, &new), &world, &options(), &passed);
            drop(world);
            let mut found = faults.into_inner().unwrap();
            match ended {
                Ok(Ended::Ready) => found.extend(differences(&old, &new, &rows)),
                other => found.push(format!("{other:#?}")),
            }
            if !found.is_empty() {
                wrong.push(format!("{name} {seed}:\n{}", found.join("\n")));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n\n"));
    let (writes, pairs) = (writes.into_inner(), pairs.into_inner());
    assert!(
        writes > 500 && pairs >= 8,
        "{writes} writes in {pairs} pairs"
    );
}
