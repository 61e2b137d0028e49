//! Aggregates that are computed of items that are there: what they are in the end, whoever writes from the
//! moment on that the plan lets writers go on, and whichever run is killed, or stands still for long.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::{
    Fails, Faulty, Row, Rows, delete, differences, options, pairs, put, row, rows, run_in, run_past,
};
use fastrand::Rng;
use keyfold_api::{Request, Response};
use keyfold_client::{Backend, ClientError};
use keyfold_evolve::world::World;
use keyfold_evolve::{Course, Ended, Options, ROWS};
use keyfold_model::evolution::Step;
use keyfold_model::{Entity, Model};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Rows of each entity.
const COUNT: usize = 16;

/// The pairs with aggregates that are computed.
fn computed() -> Vec<(String, Model, Model)> {
    let mut all = pairs();
    all.retain(|(_, old, new)| {
        let course = Course::of(old, new);
        course.refusals().is_empty() && course.phases().iter().any(|one| one.step == Step::Compute)
    });
    all
}

/// Writers of the new version: each call writes or deletes something in a place and its oracle.
struct Writers<'m> {
    new: &'m Model,
    known: Vec<(&'m Entity, Row)>,
    rng: Rng,
    count: u64,
}

impl<'m> Writers<'m> {
    fn of(new: &'m Model, rows: &Rows<'m>, seed: u64) -> Writers<'m> {
        Writers {
            new,
            known: rows.rows.clone(),
            rng: Rng::with_seed(seed),
            count: 0,
        }
    }

    fn write(&mut self, place: &Backend, oracle: &Backend) -> Result<(), ClientError> {
        if self.known.is_empty() {
            return Ok(());
        }
        let at = self.rng.usize(0..self.known.len());
        let (entity, before) = self.known[at].clone();
        // An entity is not deleted while others are counted in it.
        if entity.aggregates.is_empty() && self.rng.u8(0..3) == 0 {
            self.known.swap_remove(at);
            self.count += 1;
            delete(oracle, self.new, entity, &before)?;
            return delete(place, self.new, entity, &before);
        }
        let mut after = row(entity, &mut self.rng);
        if self.rng.bool() {
            for name in entity.key.fields() {
                after.extend(before.get(name).map(|held| (name.to_owned(), held.clone())));
            }
        }
        if put(oracle, self.new, entity, &after).is_ok() {
            put(place, self.new, entity, &after)?;
            self.count += 1;
            let key = |row: &Row| -> Vec<Option<String>> {
                entity
                    .key
                    .fields()
                    .map(|name| row.get(name).cloned())
                    .collect()
            };
            self.known
                .retain(|(other, row)| other.name != entity.name || key(row) != key(&after));
            self.known.push((entity, after));
        }
        Ok(())
    }
}

/// From the gate on at which writers of the new version start, they write between all requests of the run.
#[test]
fn writers_go_on_from_the_moment_that_the_plan_says() {
    let mut writes = 0;
    for (name, old, new) in computed() {
        for seed in 0..6 {
            let made = rows(&old, &new, seed, COUNT);
            let writers = Mutex::new(Writers::of(&new, &made, seed));
            let is_open = AtomicBool::new(false);
            let faults = Mutex::new(Vec::new());
            let (place, oracle) = (Arc::clone(&made.old), Arc::clone(&made.oracle));
            let live = |_: u64| {
                for _ in 0..3 {
                    if is_open.load(Ordering::SeqCst)
                        && let Err(error) = writers.lock().unwrap().write(&place, &oracle)
                    {
                        faults.lock().unwrap().push(error.to_string());
                    }
                }
            };
            let world = Faulty::new(&made.old, Fails::Never, Some(Box::new(live)));
            let passed = |word: &str| {
                is_open.store(word == "writers", Ordering::SeqCst);
            };
            let ended = run_past((&old, &new), &world, &options(), &passed);
            drop(world);
            assert!(
                matches!(ended, Ok(Ended::Ready)),
                "{name} {seed}: {ended:#?}"
            );
            let mut found = faults.into_inner().unwrap();
            found.extend(differences(&old, &new, &made));
            assert!(found.is_empty(), "{name} {seed}:\n{}", found.join("\n"));
            writes += writers.into_inner().unwrap().count;
        }
    }
    assert!(writes > 200, "{writes}");
}

/// Few aggregates are held at once: the others are computed in further passes.
#[test]
fn many_passes_make_the_same() {
    for (name, old, new) in computed() {
        let made = rows(&old, &new, 4, 24);
        let world = Faulty::new(&made.old, Fails::Never, None);
        let few = Options {
            shares: 3,
            ..options()
        };
        let ended = run_in((&old, &new), &world, &few);
        assert!(matches!(ended, Ok(Ended::Ready)), "{name}: {ended:#?}");
        let found = differences(&old, &new, &made);
        assert!(found.is_empty(), "{name}:\n{}", found.join("\n"));
    }
}

/// Writers who do not stop: some interleavings make a wrong count, and a run that makes one says so.
#[test]
fn a_writer_who_does_not_stop_is_found_out() {
    let (mut wrong, mut right) = (0, 0);
    for (name, old, new) in computed() {
        for seed in 0..12 {
            let made = rows(&old, &new, seed, COUNT);
            let mut writers = Writers::of(&new, &made, seed);
            let (place, oracle) = (Arc::clone(&made.old), Arc::clone(&made.oracle));
            let is_open = AtomicBool::new(false);
            let live = |_: u64| {
                if is_open.load(Ordering::SeqCst) {
                    // Some are refused: the items that they write lack their new form.
                    drop(writers.write(&place, &oracle));
                }
            };
            let world = Faulty::new(&made.old, Fails::Never, Some(Box::new(live)));
            let passed = |word: &str| {
                is_open.store(matches!(word, "halt" | "stop"), Ordering::SeqCst);
            };
            let ended = run_past((&old, &new), &world, &options(), &passed);
            drop(world);
            match ended {
                Ok(Ended::Ready) => right += 1,
                Ok(Ended::Differences(_) | Ended::Problems(_)) | Err(_) => wrong += 1,
                other => panic!("{name} {seed}: {other:#?}"),
            }
        }
    }
    assert!(wrong > 5 && wrong + right > 40, "{wrong} and {right}");
}

/// A world whose run does not check that it still has the evolution.
struct Unfenced<'l>(Faulty<'l>);

impl World for Unfenced<'_> {
    fn ask(&self, request: Request) -> Result<Response, ClientError> {
        let mut request = request;
        if let Request::TransactWriteItems(input) = &mut request
            && let Some(all) = &mut input.transact_items
        {
            all.retain(|one| {
                let check = one.condition_check.as_ref();
                check.is_none_or(|check| check.table_name.as_deref() != Some(ROWS))
            });
        }
        self.0.ask(request)
    }

    fn pause(&self, time: Duration) {
        self.0.pause(time);
    }

    fn now(&self) -> Duration {
        self.0.now()
    }

    fn epoch_ms(&self) -> i64 {
        self.0.epoch_ms()
    }

    fn random(&self) -> u64 {
        self.0.random()
    }

    fn backend(&self) -> &Backend {
        self.0.backend()
    }

    fn name(&self) -> &str {
        self.0.name()
    }
}

/// A run stands still before its request of a number, while another one takes the evolution to the gate at
/// which writers start, and these write; then it goes on. Returns how many ended in a wrong state.
fn stood_still(is_fenced: bool) -> (u64, u64) {
    let (mut wrong, mut all) = (0, 0);
    for (number, (name, old, new)) in computed().into_iter().enumerate() {
        let made = rows(&old, &new, 7, 6);
        let world = Faulty::new(&made.old, Fails::Never, None);
        assert!(run_in((&old, &new), &world, &options()).is_ok());
        let asked = world.asked.load(Ordering::SeqCst);
        // Others of them in each pair.
        let first = u64::try_from(number % 3).unwrap();
        for at in (first..asked).step_by(3) {
            let made = rows(&old, &new, 7, 6);
            let mut writers = Writers::of(&new, &made, at);
            let (place, oracle) = (Arc::clone(&made.old), Arc::clone(&made.oracle));
            let happened = AtomicU64::new(0);
            let live = |now: u64| {
                if now != at {
                    return;
                }
                let other = Faulty::new(&place, Fails::Never, None);
                let ended = run_in((&old, &new), &other, &options());
                if !matches!(ended, Ok(Ended::Ready)) {
                    return;
                }
                for _ in 0..60 {
                    writers.write(&place, &oracle).unwrap();
                }
                happened.fetch_add(1, Ordering::SeqCst);
            };
            let first = Faulty::new(&made.old, Fails::Never, Some(Box::new(live)));
            let ended = match is_fenced {
                true => run_in((&old, &new), &first, &options()),
                false => run_in((&old, &new), &Unfenced(first), &options()),
            };
            if happened.load(Ordering::SeqCst) == 0 {
                continue;
            }
            all += 1;
            let found = differences(&old, &new, &made);
            if !found.is_empty() {
                wrong += 1;
                assert!(
                    !is_fenced,
                    "{name} at {at} of {asked}, {ended:?}:\n{}",
                    found.join("\n")
                );
            }
        }
    }
    (wrong, all)
}

#[test]
fn a_run_that_stood_still_changes_nothing() {
    let (wrong, all) = stood_still(true);
    assert!(wrong == 0 && all > 30, "{wrong} of {all}");
}

/// The same test finds a run that does not check whether it still has the evolution.
#[test]
fn a_run_without_a_fence_is_found_out() {
    let (wrong, all) = stood_still(false);
    assert!(wrong > 0, "{wrong} of {all}");
}
