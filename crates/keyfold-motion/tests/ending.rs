//! An abort and a completion that are killed at any of their requests, and made again.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::{Engines, Fate, TABLE, count, description, engine, has_table, make_table, put};
use keyfold_api::{PutItemInput, Request};
use keyfold_client::{ClientError, blocked};
use keyfold_motion::world::Place;
use keyfold_motion::{LEDGER, Options, Phase, abort, complete, forget_ledger, moves};
use keyfold_types::Item;
use std::sync::Arc;

fn options() -> Options {
    Options {
        until_even: true,
        ..Options::new(TABLE)
    }
}

/// A table that is copied.
fn moved() -> Arc<Engines> {
    let source = engine();
    make_table(&source, true);
    for number in 0..20 {
        put(&source, number, "text");
    }
    let world = Engines::new(source, engine());
    world.carry(&options(), &Arc::default()).unwrap();
    world
}

/// Ends a move, of which one request fails: it does not arrive, or its answer is lost.
fn killed(at: usize, is_lost: bool, ends: fn(&Engines) -> Result<(), ClientError>) -> bool {
    let world = moved();
    let mut requests = 0;
    world.decide(move |_, _| {
        requests += 1;
        match (requests == at + 1, is_lost) {
            (false, _) => Fate::Done,
            (true, true) => Fate::Lost,
            (true, false) => Fate::NotSent,
        }
    });
    let was_killed = ends(&world).is_err();
    world.decide(|_, _| Fate::Done);
    if was_killed {
        match ends(&world) {
            Ok(()) => {}
            // All was done but the deletion of the empty table of rows.
            Err(error) => {
                assert!(
                    error.to_string().contains("knows of no move"),
                    "{at}: {error}"
                );
                blocked(forget_ledger(&*world, &options())).unwrap();
            }
        }
    }
    assert!(!has_table(world.of(Place::Target), LEDGER), "{at}");
    check(&world, at, ends);
    was_killed
}

fn check(world: &Engines, at: usize, ends: fn(&Engines) -> Result<(), ClientError>) {
    let target = world.of(Place::Target);
    if std::ptr::fn_addr_eq(ends, aborts as fn(&Engines) -> Result<(), ClientError>) {
        assert!(!has_table(target, TABLE), "{at}");
        // Nothing stands in the way of another one.
        world.carry(&options(), &Arc::default()).unwrap();
    }
    assert_eq!(count(target, TABLE), 20, "{at}");
    assert!(description(target).table_id.is_some());
}

fn aborts(world: &Engines) -> Result<(), ClientError> {
    blocked(abort(world, &options())).map(|_| ())
}

fn completes(world: &Engines) -> Result<(), ClientError> {
    let found = blocked(keyfold_motion::tables::look(world, TABLE))?;
    blocked(complete(world, &options(), &found))
}

#[test]
fn an_abort_can_be_repeated_after_any_of_its_requests() {
    for is_lost in [false, true] {
        let killed = (0..).take_while(|at| killed(*at, is_lost, aborts)).count();
        assert!(killed > 8, "{killed}");
    }
}

#[test]
fn a_completion_can_be_repeated_after_any_of_its_requests() {
    for is_lost in [false, true] {
        let killed = (0..)
            .take_while(|at| killed(*at, is_lost, completes))
            .count();
        assert!(killed > 8, "{killed}");
    }
}

/// A row that is none of this crate hides no other. A place that does not answer says nothing of any.
#[test]
fn a_move_with_an_odd_row_stands_beside_the_others() {
    let world = moved();
    for part in ["Before run", "Odd run"] {
        let input = PutItemInput {
            table_name: Some(LEDGER.to_owned()),
            item: Some(Ok(Item::from_iter([("part", part), ("move", "?")]))),
            ..PutItemInput::default()
        };
        world.of(Place::Target).call(input.into()).unwrap();
    }
    let all = blocked(moves(&*world, LEDGER)).unwrap();
    let names: Vec<&str> = all.iter().map(|(table, _)| table.as_str()).collect();
    assert_eq!(names, ["Before", TABLE, "Odd"]);
    for (table, status) in &all {
        match status {
            Ok(status) => assert_eq!(
                (table.as_str(), status.run.phase),
                (TABLE, Phase::Following)
            ),
            Err(error) => {
                let part = format!("a row of {table} run without a proper `move`");
                assert!(error.to_string().contains(&part), "{error}");
            }
        }
    }
    assert_eq!(all.iter().filter(|(_, status)| status.is_ok()).count(), 1);
    world.decide(|_, request| match request {
        Request::GetItem(_) => Fate::NotSent,
        _ => Fate::Done,
    });
    let error = blocked(moves(&*world, LEDGER)).unwrap_err();
    assert!(error.to_string().contains("was not sent"), "{error}");
}
