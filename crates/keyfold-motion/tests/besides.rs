//! A switch, and another process that ends the same move, or switches it, at any moment of it; and a switch that
//! was killed before it began.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::sides::{append, copied, open_sides, options, read, switched};
use engines::{Engines, Fate, TABLE, count, has_table};
use keyfold_client::{ClientError, blocked};
use keyfold_motion::world::Place;
use keyfold_motion::{LEDGER, Turning, abort, complete, prepare, status, swapped, tables};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What a process does with the move.
type Does = fn(&Arc<Engines>) -> Result<(), ClientError>;

fn switches(world: &Arc<Engines>) -> Result<(), ClientError> {
    switched(world, Place::Target).map(drop)
}

fn aborts(world: &Arc<Engines>) -> Result<(), ClientError> {
    blocked(abort(&**world, &options())).map(drop)
}

fn completes(world: &Arc<Engines>) -> Result<(), ClientError> {
    let found = blocked(tables::look(&**world, TABLE))?;
    blocked(complete(&**world, &options(), &found))
}

/// Another process at the same places.
fn beside(world: &Arc<Engines>) -> Arc<Engines> {
    let [source, target] = world.places.each_ref().map(Arc::clone);
    Engines::new(source, target)
}

/// Kills a process after some requests.
fn kill_after(world: &Engines, most: usize) {
    let mut requests = 0;
    world.decide(move |_, _| {
        requests += 1;
        match requests > most {
            true => Fate::Answer(Box::new(Err(ClientError::refused("killed")))),
            false => Fate::Done,
        }
    });
}

/// Between two requests of a process another one does something, of which it is killed after some requests.
/// Returns the world, and whether the first process came so far.
fn interrupted((first, at): (Does, usize), (second, most): (Does, usize)) -> (Arc<Engines>, bool) {
    let world = copied();
    append(world.of(Place::Source), 0, 1).unwrap();
    let other = beside(&world);
    let mut requests = 0;
    let was = Arc::new(AtomicBool::new(false));
    let came = Arc::clone(&was);
    world.decide(move |_, _| {
        requests += 1;
        if requests == at + 1 {
            came.store(true, Ordering::SeqCst);
            kill_after(&other, most);
            second(&other).ok();
        }
        Fate::Done
    });
    first(&world).ok();
    world.decide(|_, _| Fate::Done);
    let came = was.load(Ordering::SeqCst);
    (world, came)
}

/// Ends what is left, and looks at what has become of the table.
fn check(world: &Arc<Engines>, what: &str) {
    let found = blocked(status(&**world, &options())).unwrap();
    if let Some(found) = found {
        let lead = found.run.turn.lead;
        let is_there = has_table(world.of(lead), TABLE);
        assert!(is_there, "{what}: the table that leads is gone");
        let phase = found.run.phase.word();
        match phase {
            "aborting" => aborts(world).unwrap_or_else(|error| panic!("{what}: {error}")),
            "completing" => completes(world).unwrap_or_else(|error| panic!("{what}: {error}")),
            _ => {
                // One that was given up goes on to where it was.
                if (found.run.turn.turning, lead) == (Some(Turning::Opening), Place::Source) {
                    switched(world, lead).unwrap_or_else(|error| panic!("{what}: {error}"));
                    assert_eq!(open_sides(world), [true, true], "{what}");
                }
                if let Err(error) = switches(world) {
                    assert!(error.to_string().contains("already"), "{what}: {error}");
                }
                assert_eq!(open_sides(world), [false, true], "{what}");
                let [source, target] =
                    [Place::Source, Place::Target].map(|at| read(world.of(at), 0));
                assert_eq!(source.first(), Some(&1), "{what}");
                assert_eq!(target, source, "{what}");
                return;
            }
        }
    }
    assert!(open_sides(world)[0], "{what}: the source is closed");
    for place in [Place::Source, Place::Target] {
        assert!(!has_table(world.of(place), LEDGER), "{what}: {place:?}");
    }
}

/// How many interruptions are tried at once: they pause more than they work.
const THREADS: usize = 8;

/// Each pair of two processes, interrupted at each request. The second one is killed after these numbers of requests:
/// of a list, one after the other is taken.
fn all(first: Does, second: Does, kills: &[&[usize]], name: &str) {
    for kills in kills {
        let next = AtomicUsize::new(0);
        let end = AtomicUsize::new(usize::MAX);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::SeqCst);
                        if at >= end.load(Ordering::SeqCst) {
                            return;
                        }
                        let most = kills[at % kills.len()];
                        let (world, came) = interrupted((first, at), (second, most));
                        if !came {
                            end.fetch_min(at, Ordering::SeqCst);
                            return;
                        }
                        check(&world, &format!("{name}, at {at}, killed after {most}"));
                    }
                });
            }
        });
        let requests = end.into_inner();
        assert!(requests > 20, "{requests}");
    }
}

#[test]
fn a_switch_beside_an_abort_leaves_the_table_that_leads() {
    all(
        aborts,
        switches,
        &[&[90, 150], &[usize::MAX]],
        "a switch in an abort",
    );
}

#[test]
fn an_abort_beside_a_switch_leaves_the_source_open() {
    all(switches, aborts, &[&[usize::MAX]], "an abort in a switch");
}

#[test]
fn a_switch_beside_a_completion_leaves_both_open_or_one() {
    all(
        completes,
        switches,
        &[&[90, 150], &[usize::MAX]],
        "a switch in a completion",
    );
}

#[test]
fn a_completion_beside_a_switch_leaves_both_open_or_one() {
    all(
        switches,
        completes,
        &[&[usize::MAX]],
        "a completion in a switch",
    );
}

#[test]
fn two_switches_beside_each_other_end_as_one() {
    all(
        switches,
        switches,
        &[&[60, 120], &[usize::MAX]],
        "a switch in a switch",
    );
}

/// Gives a switch up that another process makes, lets a program write, and begins a switch again.
fn begins_again(world: &Arc<Engines>) -> Result<(), ClientError> {
    switched(world, Place::Source).ok();
    if append(world.of(Place::Source), 0, 2).is_err() {
        return Ok(());
    }
    switched(world, Place::Target).map(drop)
}

/// A switch that stood still while it was given up and another one began does not end that one, which has not
/// carried the last write yet.
#[test]
fn a_switch_does_not_end_one_that_began_later() {
    all(
        switches,
        begins_again,
        &[&[60, 110, 130, 150, 170, usize::MAX]],
        "a later switch in a switch",
    );
}

#[test]
fn the_rows_of_the_way_back_are_no_move() {
    let world = copied();
    switched(&world, Place::Target).unwrap();
    let [source, target] = world.places.each_ref().map(Arc::clone);
    let turned = Engines::new(target, source);
    for does in [aborts, completes, switches] {
        let error = does(&turned).unwrap_err().to_string();
        assert!(error.contains("the other way round"), "{error}");
    }
    let found = blocked(tables::look(&*turned, TABLE)).unwrap();
    let error = blocked(prepare(&*turned, &options(), &found, None)).unwrap_err();
    assert!(error.to_string().contains("the other way round"), "{error}");
    assert_eq!(open_sides(&world), [false, true]);
    assert_eq!(count(world.of(Place::Source), TABLE), 20);
    switched(&world, Place::Source).unwrap();
}

/// A switch that was killed before it was noted has made the row of the other direction.
#[test]
fn an_abort_takes_the_row_of_a_switch_that_was_killed_early() {
    let mut most = 0;
    loop {
        let world = copied();
        kill_after(&world, most);
        let was_killed = switches(&world).is_err();
        world.decide(|_, _| Fate::Done);
        let row = blocked(status(&*world, &options())).unwrap().unwrap().run;
        if !was_killed || row.turn.turning.is_some() {
            assert!(most > 20, "{most}");
            return;
        }
        let other = blocked(status(&*swapped(Arc::clone(&world) as _), &options()));
        let has_back = other.unwrap().is_some();
        assert!(row.turn.has_begun() || !has_back, "{most}: {row:?}");
        aborts(&world).unwrap();
        for place in [Place::Source, Place::Target] {
            assert!(!has_table(world.of(place), LEDGER), "{most}: {place:?}");
        }
        most += 2;
    }
}
