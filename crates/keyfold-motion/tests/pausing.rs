//! A paused move writes nothing, whatever its runs do, and the next run goes on where it was.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::{Engines, TABLE, count, engine, make_table, put};
use keyfold_client::{ClientError, blocked};
use keyfold_motion::world::Place;
use keyfold_motion::{Ended, Options, Progress, abort, complete, pause, status, tables};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const ITEMS: u64 = 20;

fn world() -> Arc<Engines> {
    let source = engine();
    make_table(&source, true);
    for number in 0..ITEMS {
        put(&source, number, "text");
    }
    Engines::new(source, engine())
}

fn until_even() -> Options {
    Options {
        until_even: true,
        ..Options::new(TABLE)
    }
}

fn wait(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() && began.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(is_so(), "it does not come");
}

/// A run that follows, and is even.
fn following(world: &Arc<Engines>, options: &Options) -> JoinHandle<Result<Ended, ClientError>> {
    let progress = Arc::new(Progress::default());
    let run = {
        let (world, progress) = (Arc::clone(world), Arc::clone(&progress));
        let options = options.clone();
        std::thread::spawn(move || world.carry(&options, &progress))
    };
    wait(|| progress.figures().is_even() || run.is_finished());
    assert!(!run.is_finished());
    run
}

fn is_paused(world: &Engines) -> bool {
    let found = blocked(status(world, &Options::new(TABLE))).unwrap();
    found.unwrap().run.paused_ms.is_some()
}

#[test]
fn a_run_that_has_nothing_to_write_ends_when_it_is_paused() {
    let world = world();
    let options = Options::new(TABLE);
    let run = following(&world, &options);
    assert!(!is_paused(&world));
    blocked(pause(&*world, &options)).unwrap();
    assert!(is_paused(&world));
    wait(|| run.is_finished());
    assert_eq!(run.join().unwrap().unwrap(), Ended::Paused);
    // It is paused again.
    blocked(pause(&*world, &options)).unwrap();
    put(world.of(Place::Source), 100, "later");
    let ended = world.carry(&until_even(), &Arc::default());
    assert_eq!(ended.unwrap(), Ended::Even);
    assert!(!is_paused(&world));
    assert_eq!(count(world.of(Place::Target), TABLE), ITEMS as usize + 1);
}

#[test]
fn a_run_that_does_not_look_writes_nothing_after_a_pause() {
    let world = world();
    let options = Options {
        look_time: None,
        ..Options::new(TABLE)
    };
    let run = following(&world, &options);
    blocked(pause(&*world, &options)).unwrap();
    put(world.of(Place::Source), 100, "later");
    wait(|| run.is_finished());
    assert_eq!(run.join().unwrap().unwrap(), Ended::Paused);
    assert_eq!(count(world.of(Place::Target), TABLE), ITEMS as usize);
    let ended = world.carry(&until_even(), &Arc::default());
    assert_eq!(ended.unwrap(), Ended::Even);
    assert_eq!(count(world.of(Place::Target), TABLE), ITEMS as usize + 1);
}

#[test]
fn a_paused_move_can_be_aborted_or_completed() {
    let options = Options::new(TABLE);
    let world = world();
    world.carry(&until_even(), &Arc::default()).unwrap();
    blocked(pause(&*world, &options)).unwrap();
    blocked(abort(&*world, &options)).unwrap();
    let refused = blocked(pause(&*world, &options)).unwrap_err().to_string();
    assert!(refused.contains("knows of no move"), "{refused}");
    world.carry(&until_even(), &Arc::default()).unwrap();
    blocked(pause(&*world, &options)).unwrap();
    let found = blocked(tables::look(&*world, TABLE)).unwrap();
    blocked(complete(&*world, &options, &found)).unwrap();
    assert_eq!(count(world.of(Place::Target), TABLE), ITEMS as usize);
}
