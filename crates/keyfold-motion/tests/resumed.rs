//! A comparison that was interrupted anywhere goes on where it was, and finds the same.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::{Engines, Fate, TABLE, engine, make_table, put};
use keyfold_api::Request;
use keyfold_client::{ClientError, blocked};
use keyfold_motion::Progress;
use keyfold_motion::tables::look;
use keyfold_motion::verify::{Compared, Comparison, Saved, compare, compare_on};
use keyfold_motion::world::Place;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const ITEMS: u64 = 24;

/// Two tables, of which some items differ.
fn world(differ: &[u64]) -> Arc<Engines> {
    let world = Engines::new(engine(), engine());
    for place in [Place::Source, Place::Target] {
        make_table(world.of(place), false);
        for number in 0..ITEMS {
            put(world.of(place), number, "text");
        }
    }
    for number in differ {
        put(world.of(Place::Target), *number, "other");
    }
    world
}

fn comparison(world: &Engines) -> Comparison {
    Comparison {
        table: TABLE.to_owned(),
        schema: blocked(look(world, TABLE)).unwrap().schema,
        page: Some(5),
        lag: Duration::ZERO,
        rate: None,
        most: 100,
    }
}

fn sorted(mut compared: Compared) -> Compared {
    compared
        .differences
        .sort_by_key(|(key, _)| format!("{key:?}"));
    compared
}

/// Lets the request of a number fail, from now on; returns the count of requests.
fn fail_at(world: &Engines, at: usize) -> Arc<AtomicUsize> {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    world.decide(move |_, request| {
        if !matches!(request, Request::Scan(_) | Request::GetItem(_)) {
            return Fate::Done;
        }
        let number = counted.fetch_add(1, Ordering::SeqCst);
        match number == at {
            true => Fate::Answer(Box::new(Err(ClientError::refused("it goes away")))),
            false => Fate::Done,
        }
    });
    count
}

/// Compares, with an interruption at a request; each call goes on from the bytes of the one before. Returns
/// what was found, and the number of requests.
fn interrupted(world: &Engines, at: usize) -> (Compared, usize, bool) {
    let comparison = comparison(world);
    let count = fail_at(world, at);
    let mut bytes: Option<Vec<u8>> = None;
    let mut failed = false;
    loop {
        let saved = match &bytes {
            Some(bytes) => Saved::of_bytes(bytes, "both").unwrap(),
            None => Saved::default(),
        };
        let keep = &mut |saved: &Saved| -> Result<(), ClientError> {
            bytes = Some(saved.to_bytes("both"));
            Ok(())
        };
        let progress = Progress::default();
        match blocked(compare_on(world, &comparison, &progress, (saved, keep))) {
            Ok(compared) => {
                return (sorted(compared), count.load(Ordering::SeqCst), failed);
            }
            Err(error) => {
                assert!(error.to_string().contains("it goes away"), "{error}");
                assert!(!failed);
                failed = true;
            }
        }
    }
}

#[test]
fn a_comparison_finds_the_same_after_an_interruption_anywhere() {
    let world = world(&[3, 11, 12]);
    let comparison = comparison(&world);
    let whole = blocked(compare(&*world, &comparison, &Progress::default())).unwrap();
    let whole = sorted(whole);
    assert_eq!(whole.differences.len(), 3);
    for at in 0.. {
        let (compared, _, failed) = interrupted(&world, at);
        assert_eq!(compared.items, [ITEMS, ITEMS], "{at}");
        assert_eq!(compared.differences, whole.differences, "{at}");
        assert_eq!(compared.undecided, whole.undecided, "{at}");
        if !failed {
            assert!(at > 20, "{at}");
            return;
        }
    }
}

#[test]
fn no_page_is_read_twice() {
    let world = world(&[]);
    let (_, all, failed) = interrupted(&world, usize::MAX);
    assert!(!failed);
    for at in 0..all {
        let (compared, count, failed) = interrupted(&world, at);
        assert!(failed && compared.is_equal(), "{at}");
        // The request that failed is sent again, and nothing else is.
        assert_eq!(count, all + 1, "{at}");
    }
}
