//! Items change while both places are compared: behind the scan, and between the looks at those that seem to
//! differ.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::{Engines, Fate, TABLE, engine, make_table, put};
use keyfold_api::Request;
use keyfold_client::{Backend, blocked};
use keyfold_motion::verify::{Compared, Comparison, Difference, compare};
use keyfold_motion::world::Place;
use keyfold_motion::{Progress, tables};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const ITEMS: u64 = 20;
/// How often an item is read again until it is undecided.
const LOOKS_MAX: u32 = 10;

/// What a test sees of a comparison while it is made.
#[derive(Default)]
struct Seen {
    /// How often the target was scanned to its end.
    scans: u32,
    /// How often each item was read again.
    looks: BTreeMap<String, u32>,
}

/// Two places with the same items.
fn world() -> Arc<Engines> {
    let places = [engine(), engine()];
    for place in &places {
        make_table(place, false);
        for number in 0..ITEMS {
            put(place, number, "text");
        }
    }
    let [source, target] = places;
    Engines::new(source, target)
}

/// Compares both places. Before the target is scanned, and before an item of the source is read again, `happens`
/// gets both places, the item if it is one, and which time that is, from 1.
fn compared(
    world: &Engines,
    happens: impl Fn([&Backend; 2], Option<&str>, u32) + Send + 'static,
) -> (Compared, BTreeMap<String, u32>) {
    let seen = Arc::new(Mutex::new(Seen::default()));
    {
        let (seen, places) = (Arc::clone(&seen), world.places.clone());
        world.decide(move |place, request| {
            let both = [&*places[0], &*places[1]];
            let mut seen = seen.lock().unwrap();
            match (place, request) {
                (Place::Target, Request::Scan(_)) => {
                    seen.scans += 1;
                    happens(both, None, seen.scans);
                }
                (Place::Source, Request::GetItem(get)) => {
                    let key = id_of(get.key.as_ref().unwrap().as_ref().unwrap());
                    let look = seen.looks.entry(key.clone()).or_default();
                    *look += 1;
                    happens(both, Some(&key), *look);
                }
                _ => {}
            }
            Fate::Done
        });
    }
    let comparison = Comparison {
        table: TABLE.to_owned(),
        schema: blocked(tables::look(world, TABLE)).unwrap().schema,
        page: None,
        lag: Duration::ZERO,
        rate: None,
        most: 100,
    };
    let compared = blocked(compare(world, &comparison, &Progress::default())).unwrap();
    world.decide(|_, _| Fate::Done);
    let looks = std::mem::take(&mut seen.lock().unwrap().looks);
    (compared, looks)
}

fn id_of(key: &Item) -> String {
    match key.get("id") {
        Some(Value::S(id)) => id.clone(),
        other => panic!("{other:?}"),
    }
}

/// Both places of an item that programs write all the time: the target has what the source had a look before.
fn follow([source, target]: [&Backend; 2], number: u64, look: u32) {
    put(source, number, &format!("version {look}"));
    put(target, number, &format!("version {}", look - 1));
}

#[test]
fn a_change_that_is_on_its_way_is_no_difference() {
    let world = world();
    // The target is behind.
    put(world.of(Place::Source), 1, "late");
    put(world.of(Place::Source), 2, "version 0");
    let (compared, looks) = compared(&world, |both, item, time| match (item, time) {
        // The source was scanned already, and the target shows what came behind that.
        (None, time) => {
            for place in both {
                put(place, 3, &format!("behind scan {time}"));
            }
        }
        (Some("n1"), 2) => put(both[1], 1, "late"),
        (Some("n2"), 1..4) => follow(both, 2, time),
        (Some("n2"), 4) => put(both[1], 2, "version 3"),
        (Some(_), _) => {}
    });
    assert!(compared.is_equal(), "{compared:?}");
    // Each of them seemed to differ.
    let looks: Vec<(&str, u32)> = looks
        .iter()
        .map(|(id, time)| (id.as_str(), *time))
        .collect();
    assert_eq!(looks, [("n1", 2), ("n2", 4), ("n3", 1)]);
}

#[test]
fn an_item_that_changes_at_each_look_is_undecided_and_hides_no_difference() {
    for is_alone in [true, false] {
        let world = world();
        put(world.of(Place::Source), 5, "version 0");
        if !is_alone {
            put(world.of(Place::Target), 7, "another");
        }
        let (compared, looks) = compared(&world, |both, item, time| {
            if item == Some("n5") {
                follow(both, 5, time);
            }
        });
        let undecided: Vec<String> = compared.undecided.iter().map(id_of).collect();
        assert_eq!(undecided, ["n5"]);
        assert_eq!(looks["n5"], LOOKS_MAX);
        assert!(!compared.is_equal());
        let differences = compared.differences.iter();
        let named: Vec<(String, &Difference)> =
            differences.map(|(key, how)| (id_of(key), how)).collect();
        let text = Difference::Attributes(vec!["text".to_owned()]);
        match is_alone {
            true => assert!(named.is_empty(), "{named:?}"),
            false => {
                assert_eq!(named, [("n7".to_owned(), &text)]);
                assert_eq!(looks["n7"], 2);
            }
        }
    }
}
