//! A source that is written without a pause: the run ends when it has what was written before one moment, and
//! says how far it is behind.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::{Engines, Fate, TABLE, count, engine, make_table, put};
use keyfold_client::blocked;
use keyfold_motion::world::Place;
use keyfold_motion::{Ended, Options, Progress, totals};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

const ITEMS: u64 = 20;
/// Longer than any pause between two writes.
const SETTLE_TIME: Duration = Duration::from_secs(2);

fn options() -> Options {
    Options {
        until_even: true,
        settle_time: SETTLE_TIME,
        ..Options::new(TABLE)
    }
}

fn world() -> Arc<Engines> {
    let source = engine();
    make_table(&source, true);
    for number in 0..ITEMS {
        put(&source, number, "text");
    }
    Engines::new(source, engine())
}

#[test]
fn a_run_ends_while_programs_write() {
    let world = world();
    let (stops, written) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(ITEMS)),
    );
    let writer = {
        let (world, stops, written) =
            (Arc::clone(&world), Arc::clone(&stops), Arc::clone(&written));
        std::thread::spawn(move || {
            while !stops.load(Ordering::SeqCst) {
                put(
                    world.of(Place::Source),
                    written.load(Ordering::SeqCst),
                    "steadily",
                );
                written.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(10));
            }
        })
    };
    let progress = Arc::new(Progress::default());
    // When the moment was taken, all of this was there.
    let before = Arc::new(AtomicU64::new(0));
    {
        let (progress, before) = (Arc::clone(&progress), Arc::clone(&before));
        world.decide(move |_, _| {
            if progress.goal().is_none() {
                before.store(written.load(Ordering::SeqCst), Ordering::SeqCst);
            }
            Fate::Done
        });
    }
    let (sends, ended) = std::sync::mpsc::channel();
    let run = {
        let (world, progress) = (Arc::clone(&world), Arc::clone(&progress));
        std::thread::spawn(move || sends.send(world.carry(&options(), &progress)).unwrap())
    };
    let end = ended.recv_timeout(Duration::from_secs(60));
    let figures = progress.figures();
    progress.stop();
    stops.store(true, Ordering::SeqCst);
    writer.join().unwrap();
    run.join().unwrap();
    assert_eq!(end.unwrap().unwrap(), Ended::Even);
    let carried = count(world.of(Place::Target), TABLE) as u64;
    let before = before.load(Ordering::SeqCst);
    assert!(
        before > ITEMS && carried >= before,
        "{carried} of {before} items"
    );
    assert!(figures.read_ms.is_some(), "{figures:?}");
    // It is in the target for `status`.
    let told = blocked(totals(&*world, &options())).unwrap().unwrap();
    let behind = told.runs.last().unwrap().behind().unwrap();
    assert!(behind < Duration::from_secs(60), "{behind:?}");
}
