//! Workers whose wall clocks are hours ahead: rows follow from their sources all the same.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::simulation::Simulation;
use common::views::{change, compare, make, model};
use keyfold_api::{Request, Response};
use keyfold_client::blocked;
use keyfold_engine::StreamShards;
use keyfold_lower::ClientError;
use keyfold_stream::Options;
use keyfold_stream::views::{Stop, ViewOptions, keep, rebuild_views};
use keyfold_stream::world::{Boxed, Io, World};
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);
/// More than what a worker remembers.
const AHEAD_MS: i64 = 26 * 3_600_000;

/// The surroundings of a worker whose wall clock is ahead.
struct Ahead(Arc<dyn World>);

impl Io for Ahead {
    fn ask(&self, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        self.0.ask(request)
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        self.0.pause(time)
    }

    fn random(&self) -> u64 {
        self.0.random()
    }
}

impl World for Ahead {
    fn now(&self) -> Duration {
        self.0.now()
    }

    fn epoch_ms(&self) -> i64 {
        self.0.epoch_ms() + AHEAD_MS
    }

    fn spawn(&self, task: Boxed<'static, ()>) {
        self.0.spawn(task);
    }
}

fn options() -> ViewOptions {
    ViewOptions {
        consumers: Options {
            lease_time: LEASE,
            batch: 20,
            ..Options::new("views", "views")
        },
        ..ViewOptions::default()
    }
}

/// Two workers in turn: the first, the third and so on are ahead.
fn simulation(seed: u64) -> Simulation {
    let model = model();
    let shards = StreamShards {
        open_min: 2,
        open_max: 4,
        lifetime: Some(Duration::from_secs(40)),
        ..StreamShards::default()
    };
    let simulation = Simulation::of(seed, shards, move |number, world: Arc<dyn World>| {
        let model = Arc::clone(&model);
        let world: Arc<dyn World> = match number % 2 {
            1 => Arc::new(Ahead(world)),
            _ => world,
        };
        Box::pin(async move {
            let stop = Stop::default();
            while keep(&world, &model, &options(), &stop).await.is_err() {}
        })
    });
    make(&simulation.engine);
    simulation
}

fn run_for(simulation: &mut Simulation, time: Duration) {
    let end = simulation.now() + time;
    while simulation.now() < end {
        simulation.step();
    }
}

fn write(simulation: &Simulation, count: u64) {
    for _ in 0..count {
        let chance = simulation.random();
        change(&simulation.engine, &model(), chance);
    }
}

/// Generations that a worker has begun whose clock is ahead miss no record, neither the first one nor one
/// that is built beside it.
#[test]
fn a_clock_that_is_ahead_leaves_no_record_out() {
    for workers in 1..=2 {
        let mut simulation = simulation(workers);
        write(&simulation, 30);
        for _ in 0..workers {
            simulation.start();
        }
        for round in 0..3 {
            for _ in 0..10 {
                write(&simulation, 3);
                run_for(&mut simulation, Duration::from_millis(500));
            }
            run_for(&mut simulation, LEASE * 6);
            let rows = compare(&simulation.engine);
            assert!(rows.is_ok(), "{workers} workers, round {round}: {rows:?}");
            let quiet = simulation.quiet_world();
            let consumers = options().consumers;
            blocked(rebuild_views(&quiet, &model(), &consumers, None)).unwrap();
        }
    }
}
