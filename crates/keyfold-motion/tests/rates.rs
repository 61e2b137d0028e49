//! A copy and a comparison keep to their rate: each request is followed by a pause as long as its units are worth.
#![allow(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::{Engines, TABLE, engine, make_table, put};
use keyfold_api::{Request, Response};
use keyfold_client::{ClientError, blocked};
use keyfold_motion::verify::{Comparison, compare};
use keyfold_motion::world::{Place, World};
use keyfold_motion::{Ended, Options, Progress, carry_on, tables};
use keyfold_stream::world::Boxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const ITEMS: u64 = 20;
const PAGE: u32 = 5;
const PAGES: usize = 4;

/// The engines, with the pauses that were asked for.
struct Paused {
    engines: Arc<Engines>,
    pauses: Mutex<Vec<Duration>>,
}

impl World for Paused {
    fn ask(&self, place: Place, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        self.engines.ask(place, request)
    }

    fn ask_as_program(
        &self,
        place: Place,
        request: Request,
    ) -> Boxed<'_, Result<Response, ClientError>> {
        self.engines.ask_as_program(place, request)
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        self.pauses.lock().unwrap().push(time);
        self.engines.pause(time)
    }

    fn random(&self) -> u64 {
        self.engines.random()
    }

    fn now(&self) -> Duration {
        self.engines.now()
    }

    fn epoch_ms(&self) -> i64 {
        self.engines.epoch_ms()
    }

    fn spawn(&self, task: Boxed<'static, ()>) {
        self.engines.spawn(task);
    }
}

fn world() -> Arc<Paused> {
    let source = engine();
    make_table(&source, false);
    for number in 0..ITEMS {
        put(&source, number, "text");
    }
    Arc::new(Paused {
        engines: Engines::new(source, engine()),
        pauses: Mutex::default(),
    })
}

impl Paused {
    /// How many pauses were at least as long.
    fn count(&self, seconds: f64) -> usize {
        let least = Duration::from_secs_f64(seconds);
        let pauses = self.pauses.lock().unwrap();
        pauses.iter().filter(|time| **time >= least).count()
    }
}

/// Copies the table; the same again as a comparison. Returns the worlds.
fn copied(rate: Option<u32>) -> Arc<Paused> {
    let world = world();
    let options = Options {
        until_even: true,
        segments: 1,
        page: Some(PAGE),
        rate,
        ..Options::new(TABLE)
    };
    let found = world.engines.prepare(&options).unwrap();
    let of = (found.schema, None);
    let shared = Arc::clone(&world) as Arc<dyn World>;
    let ended = blocked(carry_on(shared, options, of, Arc::new(Progress::default())));
    assert_eq!(ended.unwrap(), Ended::Even);
    world
}

#[test]
fn a_copy_keeps_to_its_rate() {
    // A page of small items is one read unit. A transaction of it is two write units for each item, and for its
    // checkpoint.
    let units = f64::from(PAGE + 1) * 2.0;
    for rate in [1, 2] {
        let world = copied(Some(rate));
        let seconds = |units: f64| units / f64::from(rate);
        assert!(world.count(seconds(units)) >= PAGES, "writes at {rate}");
        let all = world.count(seconds(1.0));
        assert!(all >= PAGES * 2, "reads at {rate}: {all} pauses");
    }
    assert_eq!(copied(None).count(0.4), 0, "without a rate nothing waits");
}

#[test]
fn a_comparison_keeps_to_its_rate() {
    let world = copied(None);
    let comparison = |rate| Comparison {
        table: TABLE.to_owned(),
        schema: blocked(tables::look(&*world, TABLE)).unwrap().schema,
        page: Some(PAGE),
        lag: Duration::ZERO,
        rate,
        most: 100,
    };
    // Half a unit for an eventually consistent page.
    for (rate, pauses) in [(Some(1), PAGES * 2), (None, 0)] {
        world.pauses.lock().unwrap().clear();
        let compared = blocked(compare(&*world, &comparison(rate), &Progress::default()));
        assert!(compared.unwrap().is_equal());
        let count = world.count(0.5);
        assert!(
            count >= pauses && (pauses > 0 || count == 0),
            "{rate:?}: {count}"
        );
    }
}
