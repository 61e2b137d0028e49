//! What goes wrong while a move runs: a stream that is switched off, a task that panics, a transaction
//! that is cancelled for reasons that pass.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::{Engines, Fate, TABLE, count, delete_table, engine, make_table, put, switch_stream};
use keyfold_api::{ErrorKind, ReasonCode, Request};
use keyfold_client::{Backend, ClientError, blocked};
use keyfold_motion::tables::look;
use keyfold_motion::verify::{Comparison, compare};
use keyfold_motion::world::Place;
use keyfold_motion::{Ended, Options, Progress, abort};
use std::sync::Arc;
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

/// The error of a run that follows while something happens to the source.
fn while_followed(happens: impl FnOnce(&Backend)) -> String {
    let world = world();
    let progress = Arc::new(Progress::default());
    let run = {
        let (world, progress) = (Arc::clone(&world), Arc::clone(&progress));
        std::thread::spawn(move || world.carry(&Options::new(TABLE), &progress))
    };
    let waits = |is_so: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !is_so() && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    waits(&|| progress.figures().is_even() || run.is_finished());
    assert!(progress.figures().is_even());
    happens(world.of(Place::Source));
    waits(&|| run.is_finished());
    progress.stop();
    let error = run.join().unwrap().unwrap_err().to_string();
    assert!(!progress.figures().is_even());
    error
}

#[test]
fn a_stream_that_is_switched_off_is_not_even() {
    let error = while_followed(|source| {
        switch_stream(source, false);
        put(source, 100, "lost");
    });
    assert!(error.contains("was switched off"), "{error}");
    assert!(error.contains("abort the move"), "{error}");
}

#[test]
fn a_stream_that_is_another_one_is_not_even() {
    let error = while_followed(|source| {
        switch_stream(source, false);
        switch_stream(source, true);
    });
    assert!(error.contains("is another one now"), "{error}");
}

#[test]
fn a_source_that_is_made_anew_is_not_even() {
    let error = while_followed(|source| {
        delete_table(source);
        make_table(source, true);
    });
    assert!(error.contains("made anew"), "{error}");
}

/// The source keeps records for a day: those behind a position may be gone.
#[test]
fn records_that_are_gone_are_not_passed_over() {
    for is_iterator in [false, true] {
        let world = world();
        world.carry(&until_even(), &Arc::default()).unwrap();
        put(
            world.of(Place::Source),
            100,
            "it was written, and its record is gone",
        );
        let error = ClientError::Service {
            kind: Some(ErrorKind::TrimmedDataAccess),
            exception: String::new(),
            message: "trimmed".to_owned(),
            reasons: Vec::new(),
            found: Vec::new(),
        };
        world.decide(move |place, request| match request {
            Request::GetShardIterator(_) if is_iterator && place == Place::Source => {
                Fate::Answer(Box::new(Err(error.clone())))
            }
            Request::GetRecords(_) if !is_iterator && place == Place::Source => {
                Fate::Answer(Box::new(Err(error.clone())))
            }
            _ => Fate::Done,
        });
        // However often it is called: it never goes on with a hole.
        for _ in 0..3 {
            let progress = Arc::new(Progress::default());
            let error = world.carry(&until_even(), &progress).unwrap_err();
            let said = error.to_string();
            assert!(said.contains("changes of Notes are lost"), "{said}");
            assert!(said.contains("abort the move and begin it again"), "{said}");
            assert!(!progress.figures().is_even());
        }
        world.decide(|_, _| Fate::Done);
        blocked(abort(&*world, &until_even())).unwrap();
        assert_eq!(
            world.carry(&until_even(), &Arc::default()).unwrap(),
            Ended::Even
        );
        assert_eq!(count(world.of(Place::Target), TABLE), ITEMS as usize + 1);
    }
}

#[test]
fn a_task_that_panics_ends_the_run() {
    let world = world();
    let mut panicked = false;
    world.decide(move |place, request| match request {
        Request::Scan(_) if place == Place::Source && !panicked => {
            panicked = true;
            Fate::Panics
        }
        _ => Fate::Done,
    });
    let (sends, receives) = std::sync::mpsc::channel();
    let run = Arc::clone(&world);
    std::thread::spawn(move || {
        sends.send(run.carry(&until_even(), &Arc::default())).ok();
    });
    let ended = receives.recv_timeout(Duration::from_secs(20));
    let error = ended.expect("it hangs").unwrap_err().to_string();
    assert!(error.contains("panicked"), "{error}");
    // The next run goes on.
    assert_eq!(
        world.carry(&until_even(), &Arc::default()).unwrap(),
        Ended::Even
    );
    assert_eq!(count(world.of(Place::Target), TABLE), ITEMS as usize);
}

#[test]
fn reasons_that_pass_are_waited_out_beside_a_condition() {
    let world = world();
    let mut left = 3;
    world.decide(move |place, request| match request {
        Request::TransactWriteItems(input) if place == Place::Target => {
            let actions = input.transact_items.as_ref().unwrap().len();
            if actions < 3 || left == 0 {
                return Fate::Done;
            }
            left -= 1;
            let passing = [
                ReasonCode::ThrottlingError,
                ReasonCode::ProvisionedThroughputExceeded,
                ReasonCode::TransactionConflict,
            ];
            let mut reasons = vec![(ReasonCode::None, None); actions];
            reasons[1] = (ReasonCode::ConditionalCheckFailed, None);
            reasons[2] = (passing[left], None);
            Fate::Answer(Box::new(Err(ClientError::Service {
                kind: Some(ErrorKind::TransactionCanceled),
                exception: String::new(),
                message: String::new(),
                reasons,
                found: Vec::new(),
            })))
        }
        _ => Fate::Done,
    });
    let progress = Arc::new(Progress::default());
    assert_eq!(world.carry(&until_even(), &progress).unwrap(), Ended::Even);
    assert_eq!(count(world.of(Place::Target), TABLE), ITEMS as usize);
    assert!(progress.figures().troubles >= 3);
}

#[test]
fn throttling_at_the_beginning_is_waited_out() {
    let world = world();
    let found = world.prepare(&until_even()).unwrap();
    let mut left = 6;
    world.decide(move |place, request| match request {
        Request::GetItem(_) | Request::UpdateItem(_) | Request::Scan(_)
            if place == Place::Target && left > 0 =>
        {
            left -= 1;
            match left % 2 {
                0 => Fate::Done,
                _ => Fate::Answer(Box::new(Err(throttled()))),
            }
        }
        _ => Fate::Done,
    });
    let progress = Arc::new(Progress::default());
    let ended = world.carry_prepared(found, &until_even(), &progress);
    assert_eq!(ended.unwrap(), Ended::Even);
    assert_eq!(count(world.of(Place::Target), TABLE), ITEMS as usize);
}

fn throttled() -> ClientError {
    ClientError::Service {
        kind: Some(ErrorKind::ProvisionedThroughputExceeded),
        exception: String::new(),
        message: String::new(),
        reasons: Vec::new(),
        found: Vec::new(),
    }
}

#[test]
fn a_comparison_waits_out_throttling_and_says_so() {
    let world = world();
    world.carry(&until_even(), &Arc::default()).unwrap();
    let found = blocked(look(&*world, TABLE)).unwrap();
    let mut requests = 0;
    world.decide(move |_, _| {
        requests += 1;
        match requests % 2 {
            1 => Fate::Answer(Box::new(Err(throttled()))),
            _ => Fate::Done,
        }
    });
    let comparison = Comparison {
        table: TABLE.to_owned(),
        schema: found.schema,
        page: Some(5),
        lag: Duration::ZERO,
        rate: Some(1_000),
        most: 10,
    };
    let progress = Progress::default();
    let compared = blocked(compare(&*world, &comparison, &progress)).unwrap();
    assert!(compared.is_equal());
    let figures = progress.figures();
    assert_eq!(figures.compared, [ITEMS; 2]);
    assert!(figures.troubles >= 8, "{}", figures.troubles);
}
