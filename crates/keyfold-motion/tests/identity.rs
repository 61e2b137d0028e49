//! A move belongs to the two tables that it began with: no other one is read, written or deleted.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::{Engines, Fate, TABLE, count, delete_table, engine, has_table, make_table, put};
use keyfold_api::{DescribeTableInput, Request, Response, Tag, TagResourceInput};
use keyfold_client::blocked;
use keyfold_motion::tables::look;
use keyfold_motion::world::Place;
use keyfold_motion::{Ended, IS_MAKING, Options, abort, complete};
use std::sync::Arc;

fn source() -> Arc<keyfold_client::Backend> {
    let source = engine();
    make_table(&source, true);
    put(&source, 1, "one");
    source
}

fn options() -> Options {
    Options {
        until_even: true,
        ..Options::new(TABLE)
    }
}

fn is_create(place: Place, request: &Request) -> bool {
    match request {
        Request::CreateTable(input) => {
            place == Place::Target && input.table_name.as_deref() == Some(TABLE)
        }
        _ => false,
    }
}

#[test]
fn another_source_of_the_same_name_is_refused() {
    let target = engine();
    let world = Engines::new(source(), Arc::clone(&target));
    world.prepare(&options()).unwrap();
    let other = Engines::new(source(), target);
    let refused = other
        .carry(&options(), &Arc::default())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("another table"), "{refused}");
    // The source that it began with is taken.
    assert_eq!(
        world.carry(&options(), &Arc::default()).unwrap(),
        Ended::Even
    );
}

/// A table has at most 50 tags, so that such a table of the target has none of the move.
#[test]
fn a_table_with_all_its_tags_is_moved() {
    let source = source();
    let tag = |number: u32| Tag {
        key: Some(format!("k{number}")),
        value: Some("v".to_owned()),
    };
    let arn = source.call(describe().into()).unwrap();
    let Response::DescribeTable(described) = arn else {
        panic!("{arn:?}");
    };
    let input = TagResourceInput {
        resource_arn: described.table_arn,
        tags: Some((0..50).map(tag).collect()),
    };
    source.call(input.into()).unwrap();
    let world = Engines::new(source, engine());
    world.prepare(&options()).unwrap();
    let ended = world.carry(&options(), &Arc::default()).unwrap();
    assert_eq!(ended, Ended::Even);
    assert_eq!(count(world.of(Place::Target), TABLE), 1);
    // The move knows its table without the tag.
    blocked(abort(&*world, &options())).unwrap();
    assert!(!has_table(world.of(Place::Target), TABLE));
}

/// A table that a move has made is tagged by it, and may be the source of another one.
#[test]
fn a_table_that_is_being_moved_is_moved_on() {
    let between = engine();
    let first = Engines::new(source(), Arc::clone(&between));
    first.prepare(&options()).unwrap();
    assert_eq!(
        first.carry(&options(), &Arc::default()).unwrap(),
        Ended::Even
    );
    let second = Engines::new(between, engine());
    second.prepare(&options()).unwrap();
    assert_eq!(
        second.carry(&options(), &Arc::default()).unwrap(),
        Ended::Even
    );
    assert_eq!(count(second.of(Place::Target), TABLE), 1);
    blocked(abort(&*second, &options())).unwrap();
    assert!(!has_table(second.of(Place::Target), TABLE));
    assert_eq!(count(second.of(Place::Source), TABLE), 1);
}

fn describe() -> DescribeTableInput {
    DescribeTableInput {
        table_name: Some(TABLE.to_owned()),
    }
}

#[test]
fn a_source_that_was_made_anew_is_refused() {
    let world = Engines::new(source(), engine());
    world.prepare(&options()).unwrap();
    delete_table(world.of(Place::Source));
    make_table(world.of(Place::Source), true);
    let refused = world
        .carry(&options(), &Arc::default())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("another table"), "{refused}");
}

#[test]
fn a_target_that_was_made_anew_is_refused_and_not_deleted() {
    let world = Engines::new(source(), engine());
    world.prepare(&options()).unwrap();
    delete_table(world.of(Place::Target));
    make_table(world.of(Place::Target), false);
    put(world.of(Place::Target), 7, "of somebody else");
    let refused = world
        .carry(&options(), &Arc::default())
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("not the one that the move has made"),
        "{refused}"
    );
    assert_eq!(count(world.of(Place::Target), TABLE), 1);
    blocked(abort(&*world, &options())).unwrap();
    assert_eq!(count(world.of(Place::Target), TABLE), 1);
}

#[test]
fn a_target_that_is_gone_is_refused() {
    let world = Engines::new(source(), engine());
    world.prepare(&options()).unwrap();
    delete_table(world.of(Place::Target));
    let refused = world.prepare(&options()).unwrap_err().to_string();
    assert!(refused.contains("is gone"), "{refused}");
    assert!(!has_table(world.of(Place::Target), TABLE));
}

#[test]
fn a_table_that_came_before_that_of_the_move_is_refused_and_not_deleted() {
    let world = Engines::new(source(), engine());
    world.decide(|place, request| match is_create(place, request) {
        true => Fate::NotSent,
        false => Fate::Done,
    });
    world.prepare(&options()).unwrap_err();
    world.decide(|_, _| Fate::Done);
    make_table(world.of(Place::Target), false);
    put(world.of(Place::Target), 7, "of somebody else");
    let refused = world.prepare(&options()).unwrap_err().to_string();
    assert!(refused.contains("no move has made"), "{refused}");
    blocked(abort(&*world, &options())).unwrap();
    assert_eq!(count(world.of(Place::Target), TABLE), 1);
}

#[test]
fn a_table_whose_making_was_not_answered_is_that_of_the_move() {
    let world = Engines::new(source(), engine());
    world.decide(|place, request| match is_create(place, request) {
        true => Fate::Lost,
        false => Fate::Done,
    });
    world.prepare(&options()).ok();
    world.decide(|_, _| Fate::Done);
    assert_eq!(
        world.carry(&options(), &Arc::default()).unwrap(),
        Ended::Even
    );
    blocked(abort(&*world, &options())).unwrap();
    assert!(!has_table(world.of(Place::Target), TABLE));
}

#[test]
fn a_move_that_is_being_aborted_makes_no_table() {
    let world = Engines::new(source(), engine());
    world.prepare(&options()).unwrap();
    // The abort ends before the rows are deleted.
    world.decide(|place, request| match request {
        Request::DeleteItem(_) if place == Place::Target => Fate::NotSent,
        Request::BatchWriteItem(_) if place == Place::Target => Fate::NotSent,
        _ => Fate::Done,
    });
    blocked(abort(&*world, &options())).unwrap_err();
    world.decide(|_, _| Fate::Done);
    let refused = world.prepare(&options()).unwrap_err().to_string();
    assert!(refused.contains("is being aborted"), "{refused}");
    assert!(!has_table(world.of(Place::Target), TABLE));
    blocked(abort(&*world, &options())).unwrap();
}

#[test]
fn a_beginning_that_was_late_leaves_the_table_of_a_completed_move() {
    let (source, target) = (source(), engine());
    let world = Engines::new(Arc::clone(&source), Arc::clone(&target));
    let other = Engines::new(source, target);
    // The table of rows stays, as it does when another table is moved.
    other.decide(|_, request| match request {
        Request::DeleteTable(_) => Fate::NotSent,
        _ => Fate::Done,
    });
    let mut is_first = true;
    world.decide(move |_, request| {
        let is_making = match request {
            Request::UpdateItem(input) => input.condition_expression.as_deref() == Some(IS_MAKING),
            _ => false,
        };
        if is_making && std::mem::take(&mut is_first) {
            other.carry(&options(), &Arc::default()).unwrap();
            let found = blocked(look(&*other, TABLE)).unwrap();
            blocked(complete(&*other, &options(), &found)).unwrap_err();
        }
        Fate::Done
    });
    let refused = world.prepare(&options()).unwrap_err().to_string();
    assert!(refused.contains("or completed"), "{refused}");
    assert_eq!(count(world.of(Place::Target), TABLE), 1);
}
