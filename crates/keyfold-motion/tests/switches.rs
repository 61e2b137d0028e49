//! Switches to and fro between real engines: under live writers, whose history is strictly serializable; and
//! killed at any request, after which at most one side takes writes, and the same call goes on.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::sides::{
    append, copied, differences, is_denied, open_sides, options, policy, read, shared, switched,
    switching,
};
use engines::{Engines, Fate, TABLE, count};
use keyfold_api::{ErrorKind, PutResourcePolicyInput, Request, Response};
use keyfold_client::{ClientError, blocked};
use keyfold_motion::switch::{Switching, switch};
use keyfold_motion::world::Place;
use keyfold_motion::{
    LEDGER, Progress, abort, carry_on, complete, status, swapped, tables, totals,
};
use keyfold_testkit::history::{Event, check};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const ITEMS: u64 = 4;

/// Carries both directions on until they are to stop.
fn carried(world: &Arc<Engines>, stops: &[Arc<Progress>; 2]) -> Vec<std::thread::JoinHandle<()>> {
    let forward = shared(world);
    let directions = [Arc::clone(&forward), swapped(forward)];
    let runs = directions
        .into_iter()
        .zip(stops)
        .map(|(direction, progress)| {
            let progress = Arc::clone(progress);
            std::thread::spawn(move || {
                let found = blocked(tables::look(&*direction, TABLE)).unwrap();
                let tables::Followable::Yes(stream) = found.followable() else {
                    panic!("no stream");
                };
                let of = (found.schema, Some(stream));
                blocked(carry_on(direction, options(), of, progress)).unwrap();
            })
        });
    runs.collect()
}

/// What the writers of a test share.
struct Writers<'w> {
    world: &'w Engines,
    /// The side that programs know.
    known: &'w Mutex<Place>,
    clock: AtomicU64,
    number: AtomicI64,
    ends: AtomicBool,
    events: Mutex<Vec<Event>>,
    refused: Mutex<Vec<i64>>,
    /// The longest time that a writer waited until a write was taken.
    longest: Mutex<Duration>,
}

impl Writers<'_> {
    fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    fn one(&self, random: &mut fastrand::Rng) {
        let item = random.u64(0..ITEMS);
        let place = *self.known.lock().unwrap();
        let mut event = Event {
            begun: self.tick(),
            ..Event::default()
        };
        if random.bool() {
            // Of a side that does not lead any more a program may read what is old: it asks the one that it
            // knows, and counts the answer when that is still the one.
            event.read = vec![(item, read(self.world.of(place), item))];
            if *self.known.lock().unwrap() != place {
                return;
            }
        } else {
            let began = Instant::now();
            let number = self.number.fetch_add(1, Ordering::SeqCst);
            loop {
                let place = *self.known.lock().unwrap();
                match append(self.world.of(place), item, number) {
                    Ok(()) => break,
                    Err(error) => assert!(is_denied(&error), "{error}"),
                }
                if self.ends.load(Ordering::SeqCst) {
                    self.refused.lock().unwrap().push(number);
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            let mut longest = self.longest.lock().unwrap();
            *longest = (*longest).max(began.elapsed());
            event.wrote = vec![(item, number)];
        }
        event.ended = self.tick();
        self.events.lock().unwrap().push(event);
    }
}

#[test]
fn a_history_over_three_switches_is_strictly_serializable() {
    let world = copied();
    let known = Mutex::new(Place::Source);
    let writers = Writers {
        world: &world,
        known: &known,
        clock: AtomicU64::new(0),
        number: AtomicI64::new(0),
        ends: AtomicBool::new(false),
        events: Mutex::default(),
        refused: Mutex::default(),
        longest: Mutex::default(),
    };
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let writers = &writers;
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(thread);
                while !writers.ends.load(Ordering::SeqCst) {
                    writers.one(&mut random);
                    std::thread::sleep(Duration::from_millis(2));
                }
            });
        }
        let all = [Place::Target, Place::Source, Place::Target];
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for (turn, to) in (1..).zip(all) {
                std::thread::sleep(Duration::from_millis(100));
                let done = switched(&world, to).unwrap();
                *known.lock().unwrap() = to;
                assert_eq!((done.turn.lead, done.turn.turns), (to, turn));
                assert!(done.paused.is_some());
                let stops: [Arc<Progress>; 2] = Default::default();
                let runs = carried(&world, &stops);
                std::thread::sleep(Duration::from_millis(100));
                stops.iter().for_each(|progress| progress.stop());
                runs.into_iter().for_each(|run| run.join().unwrap());
            }
        }));
        writers.ends.store(true, Ordering::SeqCst);
        result.unwrap();
    });
    let events = writers.events.into_inner().unwrap();
    let refused = writers.refused.into_inner().unwrap();
    let target = world.of(Place::Target);
    let last: BTreeMap<u64, Vec<i64>> = (0..ITEMS).map(|item| (item, read(target, item))).collect();
    check(&events, &refused, &last).unwrap();
    assert!(events.len() > 100, "{}", events.len());
    let longest = writers.longest.into_inner().unwrap();
    println!(
        "{} operations, the longest write took {longest:?}",
        events.len()
    );
    assert!(longest < Duration::from_secs(1), "{longest:?}");
    let done = blocked(totals(&*world, &options())).unwrap().unwrap();
    assert!(
        done.applied.written > 0 && done.applied_back.written > 0,
        "{done:?}"
    );
}

/// What is called behind a switch that was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// The same command.
    Again,
    /// The command of the other direction.
    Back,
}

/// A switch of which one request fails: it does not arrive, or its answer is lost. A program goes on writing where it
/// did. Returns whether that was one of its requests.
fn killed(at: usize, is_lost: bool, (to, then): (Place, Then)) -> bool {
    let what = format!("{to:?} {then:?}, request {at}, {is_lost}");
    let world = copied();
    if to == Place::Source {
        switched(&world, Place::Target).unwrap();
    }
    append(world.of(to.other()), 0, 1).unwrap();
    let mut requests = 0;
    world.decide(move |_, _| {
        requests += 1;
        match (requests > at, requests == at + 1 && is_lost) {
            (false, _) => Fate::Done,
            (true, true) => Fate::Lost,
            // A process that is killed sends nothing any more.
            (true, false) => Fate::Answer(Box::new(Err(ClientError::refused("killed")))),
        }
    });
    let was_killed = switched(&world, to).is_err();
    world.decide(|_, _| Fate::Done);
    let open = open_sides(&world);
    let row = blocked(status(&*world, &options())).unwrap().unwrap().run;
    if row.turn.turns > 0 || row.turn.turning.is_some() {
        assert!(open != [true; 2] || row.turn.turns == 0, "{what}: {row:?}");
    }
    let mut written = vec![1];
    match append(world.of(to.other()), 0, 7) {
        Ok(()) => written.push(7),
        Err(error) => assert!(is_denied(&error), "{what}: {error}"),
    }
    let first = match then {
        Then::Again => to,
        Then::Back => to.other(),
    };
    // The other direction is refused when the switch goes to its end, which the same command then does.
    if let Err(error) = switched(&world, first) {
        let error = error.to_string();
        let is_refused = then == Then::Back && error.contains("is under way");
        assert!(error.contains("already") || is_refused, "{what}: {error}");
        if is_refused {
            switched(&world, to).unwrap();
        }
    }
    let turn = blocked(status(&*world, &options()))
        .unwrap()
        .unwrap()
        .run
        .turn;
    let lead = turn.lead;
    assert!(then == Then::Back || lead == to, "{what}: {turn:?}");
    assert_eq!(turn.turning, None, "{what}");
    // Before the first switch, both sides take writes.
    let is_first = |place| turn.turns == 0 || lead == place;
    assert_eq!(
        open_sides(&world),
        [Place::Source, Place::Target].map(is_first),
        "{what}"
    );
    assert_eq!(read(world.of(lead), 0), written, "{what}");
    append(world.of(lead), 0, 2).unwrap();
    written.push(2);
    // And to the other side, with what was written since.
    switched(&world, lead.other()).unwrap();
    assert_eq!(read(world.of(lead.other()), 0), written, "{what}");
    assert_eq!(differences(&world), 0, "{what}");
    was_killed
}

/// Kills switches at their requests: each with `KEYFOLD_STOPS=1`.
fn each_killed(then: Then, step: usize, least: usize) {
    let step = std::env::var("KEYFOLD_STOPS").map_or(step, |text| text.parse().unwrap());
    for to in [Place::Target, Place::Source] {
        for is_lost in [false, true] {
            // Others when its answer is lost.
            let first = usize::from(is_lost) * 2 % step;
            let mut all = (first..).step_by(step);
            let count = all
                .by_ref()
                .take_while(|at| killed(*at, is_lost, (to, then)))
                .count();
            assert!(count > least, "{to:?} {then:?} {is_lost}: {count}");
        }
    }
}

#[test]
fn a_switch_that_is_killed_at_any_request_goes_on() {
    each_killed(Then::Again, 5, 10);
}

#[test]
fn a_switch_that_is_killed_at_any_request_is_given_up() {
    each_killed(Then::Back, 13, 4);
}

#[test]
fn a_completed_move_leaves_policies_as_they_were() {
    let world = copied();
    let own = r#"{"Version":"2012-10-17","Statement":[{"Sid":"Own","Effect":"Allow","Principal":"*","Action":"*","Resource":"*"}]}"#;
    let input = PutResourcePolicyInput {
        resource_arn: Some(format!(
            "arn:aws:dynamodb:us-east-1:000000000000:table/{TABLE}"
        )),
        policy: Some(own.to_owned()),
        ..PutResourcePolicyInput::default()
    };
    world.of(Place::Source).call(input.into()).unwrap();
    switched(&world, Place::Target).unwrap();
    let refused = append(world.of(Place::Source), 0, 1)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("The table has moved to http://new"),
        "{refused}"
    );
    let aborted = blocked(abort(&*world, &options())).unwrap_err().to_string();
    assert!(aborted.contains("keyfold move reverse"), "{aborted}");
    let found = blocked(tables::look(&*world, TABLE)).unwrap();
    blocked(complete(&*world, &options(), &found)).unwrap();
    let left: serde_json::Value =
        serde_json::from_str(&policy(world.of(Place::Source)).unwrap()).unwrap();
    assert_eq!(
        left,
        serde_json::from_str::<serde_json::Value>(own).unwrap()
    );
    assert_eq!(policy(world.of(Place::Target)), None);
    for place in [Place::Source, Place::Target] {
        assert!(!engines::has_table(world.of(place), LEDGER), "{place:?}");
    }
    assert_eq!(count(world.of(Place::Target), TABLE), 20);
}

#[test]
fn a_move_that_was_reversed_can_be_aborted() {
    let world = copied();
    switched(&world, Place::Target).unwrap();
    switched(&world, Place::Source).unwrap();
    blocked(abort(&*world, &options())).unwrap();
    for place in [Place::Source, Place::Target] {
        assert!(!engines::has_table(world.of(place), LEDGER), "{place:?}");
    }
    assert!(!engines::has_table(world.of(Place::Target), TABLE));
    append(world.of(Place::Source), 0, 1).unwrap();
}

#[test]
fn a_place_without_policies_is_refused_before_anything_changes() {
    let world = copied();
    world.decide(|_, request| match request {
        Request::GetResourcePolicy(_) => Fate::Answer(Box::new(Err(ClientError::Service {
            kind: Some(ErrorKind::UnknownOperation),
            exception: "UnknownOperationException".to_owned(),
            message: "no such operation".to_owned(),
            reasons: Vec::new(),
            found: Vec::new(),
        }))),
        _ => Fate::Done,
    });
    let error = switched(&world, Place::Target).unwrap_err().to_string();
    assert!(error.contains("--writers-stopped"), "{error}");
    assert_eq!(open_sides(&world), [true, true]);
    let stopped = Switching {
        forces: None,
        ..switching(Place::Target)
    };
    let done = blocked(switch(shared(&world), &options(), &stopped, &|_| {})).unwrap();
    assert_eq!(done.turn.lead, Place::Target);
}

#[test]
fn a_policy_that_is_ignored_ends_the_switch() {
    let world = copied();
    // The source keeps the policy, and takes writes all the same.
    world.decide(|place, request| match (place, request) {
        (Place::Source, Request::PutResourcePolicy(_)) => {
            let kept = keyfold_api::PutResourcePolicyOutput {
                revision_id: Some("1".to_owned()),
            };
            Fate::Answer(Box::new(Ok(Response::PutResourcePolicy(kept))))
        }
        _ => Fate::Done,
    });
    let error = switched(&world, Place::Target).unwrap_err().to_string();
    assert!(error.contains("takes writes all the same"), "{error}");
    world.decide(|_, _| Fate::Done);
    assert_eq!(open_sides(&world), [true, true]);
    let row = blocked(status(&*world, &options())).unwrap().unwrap().run;
    assert_eq!((row.turn.lead, row.turn.turning), (Place::Source, None));
    // Later it evaluates policies.
    switched(&world, Place::Target).unwrap();
}
