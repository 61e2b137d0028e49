//! Switches whose policies others change or refuse: by hand, for want of a right, or for their size; and switches
//! that are given up.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::sides::{
    append, copied, is_denied, open_sides, options, policy, read, shared, switched, switching,
};
use engines::{Engines, Fate, TABLE};
use keyfold_api::{
    DeleteResourcePolicyInput, DescribeTimeToLiveInput, ErrorKind, Present, PutResourcePolicyInput,
    Request, Response, TimeToLiveSpecification, UpdateTimeToLiveInput,
};
use keyfold_client::{Backend, ClientError, blocked};
use keyfold_motion::switch::{Switching, settle, switch};
use keyfold_motion::world::Place;
use keyfold_motion::{
    NO_REVISION, Options, Turning, Way, carry_on, complete, status, swapped, tables,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/";

fn arn() -> Option<String> {
    Some(format!("{ARN}{TABLE}"))
}

fn service(kind: ErrorKind, message: &str) -> ClientError {
    ClientError::Service {
        kind: Some(kind),
        exception: String::new(),
        message: message.to_owned(),
        reasons: Vec::new(),
        found: Vec::new(),
    }
}

fn remove_policy(backend: &Backend) {
    let input = DeleteResourcePolicyInput {
        resource_arn: arn(),
        ..DeleteResourcePolicyInput::default()
    };
    backend.call(input.into()).unwrap();
}

fn turn(world: &Arc<Engines>) -> keyfold_motion::Turn {
    blocked(status(&**world, &options()))
        .unwrap()
        .unwrap()
        .run
        .turn
}

/// After a switch has closed the source, its stream is trimmed.
fn trimmed(world: &Arc<Engines>, side: Place) -> String {
    let is_closed = AtomicBool::new(false);
    world.decide(move |place, request| match request {
        Request::PutResourcePolicy(input)
            if place == side && input.expected_revision_id.as_deref() != Some(NO_REVISION) =>
        {
            is_closed.store(true, Ordering::SeqCst);
            Fate::Done
        }
        Request::GetRecords(_) if place == side && is_closed.load(Ordering::SeqCst) => {
            let error = service(ErrorKind::TrimmedDataAccess, "trimmed");
            Fate::Answer(Box::new(Err(error)))
        }
        _ => Fate::Done,
    });
    let error = switched(world, side.other()).unwrap_err().to_string();
    world.decide(|_, _| Fate::Done);
    error
}

#[test]
fn a_switch_that_cannot_go_on_is_given_up() {
    let world = copied();
    let error = trimmed(&world, Place::Source);
    assert!(error.contains("are lost"), "{error}");
    assert_eq!(turn(&world).turning, Some(Turning::Closing));
    assert_eq!(open_sides(&world), [false, false]);
    let done = switched(&world, Place::Source).unwrap();
    assert_eq!((done.turn.lead, done.turn.turns), (Place::Source, 0));
    assert_eq!(open_sides(&world), [true, true]);
    assert_eq!(turn(&world).turning, None);
    append(world.of(Place::Source), 0, 1).unwrap();
    switched(&world, Place::Target).unwrap();
    assert_eq!(read(world.of(Place::Target), 0), [1]);
    // The way back is given up by the other command.
    trimmed(&world, Place::Target);
    assert_eq!(open_sides(&world), [false, false]);
    let done = switched(&world, Place::Target).unwrap();
    assert_eq!((done.turn.lead, done.turn.turns), (Place::Target, 1));
    assert_eq!(open_sides(&world), [false, true]);
}

#[test]
fn a_right_that_is_missing_is_found_before_anything_is_closed() {
    for side in [Place::Source, Place::Target] {
        let world = copied();
        world.decide(move |place, request| match request {
            Request::PutResourcePolicy(_) if place == side => {
                let error = service(ErrorKind::AccessDenied, "not authorized");
                Fate::Answer(Box::new(Err(error)))
            }
            _ => Fate::Done,
        });
        let error = switched(&world, Place::Target).unwrap_err();
        assert!(is_denied(&error), "{error}");
        assert_eq!(turn(&world).turning, None);
        assert_eq!(open_sides(&world), [true, true]);
    }
}

/// A policy says nothing of other regions, and would end the replication.
#[test]
fn a_table_with_replicas_is_refused_before_anything_is_closed() {
    for side in [Place::Source, Place::Target] {
        let world = copied();
        let place_of = Arc::clone(&world.places[usize::from(side == Place::Target)]);
        world.decide(move |place, request| match request {
            Request::DescribeTable(_) if place == side => {
                let mut answer = place_of.call(request.clone());
                if let Ok(Response::DescribeTable(table)) = &mut answer {
                    table.replicas = Some(Present);
                }
                Fate::Answer(Box::new(answer))
            }
            _ => Fate::Done,
        });
        let error = switched(&world, Place::Target).unwrap_err().to_string();
        assert!(error.contains("replicas in other regions"), "{error}");
        assert_eq!(open_sides(&world), [true; 2]);
        assert_eq!(
            [Place::Source, Place::Target].map(|one| policy(world.of(one))),
            [None, None]
        );
    }
}

#[test]
fn a_policy_that_would_be_too_large_is_found_before_anything_is_closed() {
    let world = copied();
    let name = "x".repeat(20_000);
    let large = format!(
        r#"{{"Version":"2012-10-17","Statement":[{{"Sid":"Own","Effect":"Allow","Principal":"*","Action":"dynamodb:GetItem","Resource":"*","Condition":{{"StringEquals":{{"aws:UserAgent":"{name}"}}}}}}]}}"#
    );
    let input = PutResourcePolicyInput {
        resource_arn: arn(),
        policy: Some(large),
        ..PutResourcePolicyInput::default()
    };
    world.of(Place::Source).call(input.into()).unwrap();
    let error = switched(&world, Place::Target).unwrap_err().to_string();
    assert!(error.contains("larger than 20480"), "{error}");
    assert_eq!(turn(&world).turning, None);
    assert_eq!(open_sides(&world), [true, true]);
}

/// While what is left is carried, somebody takes the source's policy away, and a program writes.
#[test]
fn a_policy_that_is_removed_during_a_switch_is_put_in_again() {
    let world = copied();
    let other = Engines::new(Arc::clone(&world.places[0]), Arc::clone(&world.places[1]));
    let (mut is_closed, mut is_done) = (false, false);
    world.decide(move |place, request| {
        match request {
            Request::PutResourcePolicy(input)
                if place == Place::Source
                    && input.expected_revision_id.as_deref() != Some(NO_REVISION) =>
            {
                is_closed = true;
            }
            // The first page of the target's stream: the source's was drained.
            Request::GetRecords(_) if place == Place::Target && is_closed && !is_done => {
                is_done = true;
                remove_policy(other.of(Place::Source));
                append(other.of(Place::Source), 0, 1).unwrap();
            }
            _ => {}
        }
        Fate::Done
    });
    let without_counts = Switching {
        counts_are_exact: false,
        ..switching(Place::Target)
    };
    blocked(switch(shared(&world), &options(), &without_counts, &|_| {})).unwrap();
    world.decide(|_, _| Fate::Done);
    assert_eq!(open_sides(&world), [false, true]);
    assert_eq!(read(world.of(Place::Target), 0), [1]);
}

#[test]
fn a_policy_that_is_removed_afterwards_ends_the_run_and_is_put_in_again() {
    let world = copied();
    for to in [Place::Target, Place::Source] {
        switched(&world, to).unwrap();
        let direction = match to {
            Place::Source => shared(&world),
            Place::Target => swapped(shared(&world)),
        };
        let closed = to.other();
        let carried = || {
            let found = blocked(tables::look(&*direction, TABLE)).unwrap();
            let tables::Followable::Yes(stream) = found.followable() else {
                panic!("no stream");
            };
            let until_even = Options {
                until_even: true,
                ..options()
            };
            let of = (found.schema, Some(stream));
            blocked(carry_on(
                Arc::clone(&direction),
                until_even,
                of,
                Arc::default(),
            ))
        };
        carried().unwrap();
        remove_policy(world.of(closed));
        let error = carried().unwrap_err().to_string();
        let wanted = format!("the {} takes writes", closed.word());
        assert!(error.contains(&wanted), "{error}");
        let connections = ["http://old", "http://new"].map(str::to_owned);
        let settled = || blocked(settle(shared(&world), &options(), &connections)).unwrap();
        assert!(settled());
        assert!(!settled());
        // A switch finds it, too, and goes on when it is called again.
        remove_policy(world.of(closed));
        let error = switched(&world, closed).unwrap_err().to_string();
        assert!(error.contains("took writes"), "{error}");
        assert!(!open_sides(&world)[usize::from(closed == Place::Target)]);
        carried().unwrap();
    }
}

/// A killed switch goes on in the way in which it began.
#[test]
fn a_switch_whose_writers_are_stopped_goes_on_without_policies() {
    let world = copied();
    let stopped = Switching {
        forces: None,
        ..switching(Place::Target)
    };
    let mut is_noted = false;
    world.decide(move |place, request| {
        let is_row = |request: &Request| match request {
            Request::UpdateItem(input) => input
                .update_expression
                .as_deref()
                .is_some_and(|update| update.contains("#turning = :turning")),
            _ => false,
        };
        match is_noted {
            true => Fate::Answer(Box::new(Err(ClientError::refused("killed")))),
            false => {
                is_noted = place == Place::Target && is_row(request);
                Fate::Done
            }
        }
    });
    blocked(switch(shared(&world), &options(), &stopped, &|_| {})).unwrap_err();
    world.decide(|_, request| match request {
        Request::PutResourcePolicy(_) => panic!("a policy"),
        _ => Fate::Done,
    });
    assert_eq!(turn(&world).way, Some(Way::Stopped));
    let done = switched(&world, Place::Target).unwrap();
    assert_eq!(done.turn.way, Some(Way::Stopped));
}

fn set_expiry(backend: &Backend) {
    let input = UpdateTimeToLiveInput {
        table_name: Some(TABLE.to_owned()),
        time_to_live_specification: Some(TimeToLiveSpecification {
            enabled: Some(true),
            attribute_name: Some("until".to_owned()),
        }),
    };
    backend.call(input.into()).unwrap();
}

fn expires(backend: &Backend) -> bool {
    let input = DescribeTimeToLiveInput {
        table_name: Some(TABLE.to_owned()),
    };
    match backend.call(input.into()).unwrap() {
        Response::DescribeTimeToLive(found) => found
            .time_to_live_description
            .is_some_and(|found| found.attribute_name.is_some()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn expiry_is_set_when_the_target_takes_writes() {
    let world = copied();
    set_expiry(world.of(Place::Source));
    let other = Engines::new(Arc::clone(&world.places[0]), Arc::clone(&world.places[1]));
    let seen = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&seen);
    world.decide(move |place, request| {
        if let (Place::Target, Request::UpdateTimeToLive(_)) = (place, request) {
            *noted.lock().unwrap() = Some(open_sides(&other));
        }
        Fate::Done
    });
    switched(&world, Place::Target).unwrap();
    assert_eq!(*seen.lock().unwrap(), Some([false, true]));
    assert!(expires(world.of(Place::Target)));
}

/// Both directions write nothing any more when a completion lets the first side take writes.
#[test]
fn a_completion_takes_the_checkpoints_of_both_directions_first() {
    let world = copied();
    switched(&world, Place::Target).unwrap();
    let other = Engines::new(Arc::clone(&world.places[0]), Arc::clone(&world.places[1]));
    world.decide(move |_, request| {
        if let Request::DeleteResourcePolicy(_) = request {
            for direction in [shared(&other), swapped(shared(&other))] {
                let found = blocked(tables::look(&*direction, TABLE)).unwrap();
                let tables::Followable::Yes(stream) = found.followable() else {
                    panic!("no stream");
                };
                let of = (found.schema, Some(stream));
                let until_even = Options {
                    until_even: true,
                    ..options()
                };
                let carried = blocked(carry_on(direction, until_even, of, Arc::default()));
                carried.unwrap_err();
            }
        }
        Fate::Done
    });
    let found = blocked(tables::look(&*world, TABLE)).unwrap();
    blocked(complete(&*world, &options(), &found)).unwrap();
    assert_eq!(open_sides(&world), [true, true]);
    assert_eq!(policy(world.of(Place::Source)), None);
}

/// A statement that a killed process left is not taken for that of this one.
#[test]
fn a_source_that_refuses_for_another_reason_is_not_switched() {
    let world = copied();
    let own = format!(
        r#"{{"Version":"2012-10-17","Statement":[{{"Sid":"Own","Effect":"Deny","Principal":"*","Action":"dynamodb:DeleteItem","Resource":"{ARN}{TABLE}","Condition":{{"StringLike":{{"aws:UserAgent":"keyfold-probe/*"}}}}}}]}}"#
    );
    let input = PutResourcePolicyInput {
        resource_arn: arn(),
        policy: Some(own),
        ..PutResourcePolicyInput::default()
    };
    world.of(Place::Source).call(input.into()).unwrap();
    let error = switched(&world, Place::Target).unwrap_err().to_string();
    assert!(error.contains("already"), "{error}");
    assert_eq!(turn(&world).turning, None);
}
