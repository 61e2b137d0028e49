//! Items expire while a move is switched: at the side that leads, at the one that follows, and while both refuse
//! writes. One whose time was extended at the side that leads survives all of that.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::sides::{PROGRAM, differences, open_sides, options, shared, switching};
use engines::{Engines, Fate, TABLE, count, engine, make_table};
use keyfold_api::{PutItemInput, TimeToLiveSpecification, UpdateTimeToLiveInput};
use keyfold_client::{Backend, ClientError, blocked};
use keyfold_motion::Options;
use keyfold_motion::switch::{Step, Switched, switch};
use keyfold_motion::world::Place;
use keyfold_types::Item;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

const ITEMS: u64 = 20;
const BOTH: [Place; 2] = [Place::Source, Place::Target];

/// A time of some hours from now, in seconds.
fn hours(hours: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap() + hours * 3_600
}

/// Puts an item with a time at which it expires, as a program.
fn put_until(backend: &Backend, number: u64, until: i64) -> Result<(), ClientError> {
    let mut item = Item::from_iter([("id", format!("n{number}"))]);
    item.insert("until", until);
    let input = PutItemInput {
        table_name: Some(TABLE.to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    backend.call_as(PROGRAM, input.into()).map(drop)
}

/// Deletes what has expired at a side, as its background does.
fn work(backend: &Backend) {
    match backend {
        Backend::Embedded(engine) => engine.work().unwrap(),
        _ => panic!("no engine of this process"),
    }
}

/// A move that has copied its table, whose items have all expired, and which nobody has deleted.
fn copied() -> Arc<Engines> {
    let source = engine();
    make_table(&source, true);
    let input = UpdateTimeToLiveInput {
        table_name: Some(TABLE.to_owned()),
        time_to_live_specification: Some(TimeToLiveSpecification {
            enabled: Some(true),
            attribute_name: Some("until".to_owned()),
        }),
    };
    source.call(input.into()).unwrap();
    for number in 0..ITEMS {
        put_until(&source, number, hours(-1)).unwrap();
    }
    let world = Engines::new(source, engine());
    let until_even = Options {
        until_even: true,
        ..options()
    };
    world.carry(&until_even, &Arc::default()).unwrap();
    world
}

/// Switches, and does the background work of both sides when both refuse writes: before one request, by its number.
/// Returns whether it came to that.
fn switched_at(world: &Arc<Engines>, to: Place, at: usize) -> (Switched, bool) {
    let is_shut = Arc::new(AtomicBool::new(false));
    let requests = Arc::new(AtomicUsize::new(0));
    {
        let (is_shut, requests) = (Arc::clone(&is_shut), Arc::clone(&requests));
        let places = world.places.clone();
        world.decide(move |_, _| {
            if is_shut.load(Ordering::SeqCst) && requests.fetch_add(1, Ordering::SeqCst) == at {
                places.iter().for_each(|place| work(place));
            }
            Fate::Done
        });
    }
    let told = |step: Step| {
        is_shut.store(step == Step::Draining, Ordering::SeqCst);
        if step == Step::Draining {
            assert_eq!(open_sides(world), [false, false]);
        }
    };
    let done = blocked(switch(shared(world), &options(), &switching(to), &told));
    world.decide(|_, _| Fate::Done);
    (done.unwrap(), requests.load(Ordering::SeqCst) > at)
}

/// Both sides work: each deletes what has expired there.
fn both_work(world: &Engines) {
    BOTH.iter().for_each(|place| work(world.of(*place)));
}

fn counts(world: &Engines) -> [usize; 2] {
    BOTH.map(|place| count(world.of(place), TABLE))
}

/// Items expire before one request while both sides refuse writes. Returns whether there was such a request.
fn expired_while_shut(at: usize) -> bool {
    let world = copied();
    put_until(world.of(Place::Source), 0, hours(24)).unwrap();
    assert_eq!(counts(&world)[0], 20);
    let (done, was_there) = switched_at(&world, Place::Target, at);
    assert_eq!(
        (done.turn.lead, done.turn.turning),
        (Place::Target, None),
        "{at}"
    );
    assert_eq!(open_sides(&world), [false, true], "{at}");
    // What has expired at the old side too late to be carried expires here.
    both_work(&world);
    assert_eq!(counts(&world), [1, 1], "{at}");
    // The items of a program go the other way, also of one that has expired and is not deleted.
    let target = world.of(Place::Target);
    put_until(target, 1, hours(24)).unwrap();
    put_until(target, 2, hours(-1)).unwrap();
    let (done, _) = switched_at(&world, Place::Source, at);
    assert_eq!(
        (done.turn.lead, done.turn.turning),
        (Place::Source, None),
        "{at}"
    );
    both_work(&world);
    assert_eq!(counts(&world), [2, 2], "{at}");
    assert_eq!(differences(&world), 0, "{at}");
    was_there
}

#[test]
fn items_that_expire_while_both_sides_refuse_writes_are_gone_at_both() {
    let step = std::env::var("KEYFOLD_STOPS").map_or(5, |text| text.parse().unwrap());
    let all = (0..).step_by(step);
    let count = all.take_while(|at| expired_while_shut(*at)).count();
    println!("{count} requests while both sides refuse writes");
    assert!(count > 3, "{count}");
}

/// The side that follows has the old times until it is carried on: it deletes what the other one keeps.
#[test]
fn an_item_whose_time_was_extended_at_the_leader_survives() {
    for lead in [Place::Target, Place::Source] {
        let world = copied();
        switched_at(&world, Place::Target, usize::MAX);
        if lead == Place::Source {
            switched_at(&world, Place::Source, usize::MAX);
        }
        assert_eq!(counts(&world), [20, 20]);
        for number in 0..5 {
            put_until(world.of(lead), number, hours(24)).unwrap();
        }
        work(world.of(lead.other()));
        assert_eq!(count(world.of(lead.other()), TABLE), 0, "{lead:?}");
        work(world.of(lead));
        assert_eq!(count(world.of(lead), TABLE), 5, "{lead:?}");
        let (done, _) = switched_at(&world, lead.other(), usize::MAX);
        assert_eq!(done.turn.lead, lead.other());
        assert_eq!(counts(&world), [5, 5], "{lead:?}");
        both_work(&world);
        assert_eq!(
            (counts(&world), differences(&world)),
            ([5, 5], 0),
            "{lead:?}"
        );
        // And back: what the old side has deleted is not carried.
        switched_at(&world, lead, 0);
        both_work(&world);
        assert_eq!(
            (counts(&world), differences(&world)),
            ([5, 5], 0),
            "{lead:?}"
        );
    }
}
