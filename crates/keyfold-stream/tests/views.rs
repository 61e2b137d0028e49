//! Views in the simulation: several workers keep them while requests fail, answers are lost, pages come
//! twice, workers are killed or stand still, their clocks differ by an hour, shards are split, and rows
//! are rebuilt. Behind all that the rows are those that follow from the sources.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::answer;
use common::simulation::{Faults, Mutant, Simulation};
use common::views::{change, compare, make, model};
use keyfold_api::Request;
use keyfold_client::blocked;
use keyfold_engine::{Engine, StreamShards};
use keyfold_stream::views::{Stop, ViewOptions, keep, rebuild_views, status};
use keyfold_stream::world::World;
use keyfold_stream::{Options, Sends};
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);

fn shards() -> StreamShards {
    StreamShards {
        open_min: 2,
        open_max: 4,
        lifetime: Some(Duration::from_secs(40)),
        ..StreamShards::default()
    }
}

fn wild() -> Faults {
    Faults {
        throttled: 60,
        unsent: 80,
        lost: 40,
        late: 40,
        twice: 30,
        sparse: 2,
        still: 4_000,
        killed: 4_000,
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

fn simulation(seed: u64) -> Simulation {
    let model = model();
    let simulation = Simulation::of(seed, shards(), move |_, world: Arc<dyn World>| {
        let model = Arc::clone(&model);
        Box::pin(async move {
            let stop = Stop::default();
            while keep(&world, &model, &options(), &stop).await.is_err() {}
        })
    });
    make(&simulation.engine);
    simulation
}

fn sends(engine: &Arc<Engine>) -> Sends {
    let engine = Arc::clone(engine);
    Arc::new(move |request: Request| answer(&engine, request))
}

fn run_for(simulation: &mut Simulation, time: Duration) {
    let end = simulation.now() + time;
    while simulation.now() < end {
        simulation.step();
    }
}

/// Lets the workers come to rest, and compares the rows.
fn rest(simulation: &mut Simulation) -> Result<usize, String> {
    simulation.set_faults(Faults::default());
    run_for(simulation, LEASE * 12);
    let known = Options::new("views", "views");
    for view in status(&sends(&simulation.engine), &model(), &known).unwrap() {
        if view.behind > 0 || view.next.is_some() || view.set_aside > 0 || !view.is_current {
            return Err(format!("{view:?}"));
        }
    }
    compare(&simulation.engine)
}

/// Begins to rebuild a view, from a program without faults.
fn rebuild(simulation: &Simulation, view: &str) {
    let world = simulation.quiet_world();
    let consumers = options().consumers;
    blocked(rebuild_views(&world, &model(), &consumers, Some(view))).unwrap();
}

/// Changes sources while workers keep the views, and views are rebuilt.
fn run(seed: u64, changes: u64, rebuilt: u64, mutant: Option<Mutant>) -> Result<u64, String> {
    let mut simulation = simulation(seed);
    let model = model();
    // Some items are older than the views.
    for _ in 0..30 {
        let chance = simulation.random();
        change(&simulation.engine, &model, chance);
    }
    simulation.set_faults(wild());
    if let Some(mutant) = mutant {
        simulation.set_mutant(mutant);
    }
    for _ in 0..3 {
        simulation.start();
    }
    let mut written = 0;
    while written < changes {
        let chance = simulation.random();
        if chance.is_multiple_of(25) {
            written += 1;
            change(&simulation.engine, &model, chance / 25);
            if written % rebuilt == rebuilt / 2 {
                let one = usize::try_from(written / rebuilt % 3).unwrap();
                let one = ["Sold", "Detail", "Line"][one];
                rebuild(&simulation, one);
            }
        }
        simulation.step();
        if written == changes / 2 && chance.is_multiple_of(1_000) {
            rest(&mut simulation)?;
            simulation.set_faults(wild());
        }
    }
    rest(&mut simulation)?;
    Ok(simulation.kills)
}

#[test]
fn rows_follow_from_their_sources() {
    let seeds = std::env::var("KEYFOLD_STREAM_SEEDS").map_or(3, |text| text.parse().unwrap());
    let mut kills = 0;
    for seed in 0..seeds {
        kills += run(seed, 250, 100, None).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
    assert!(kills > 0, "no worker was killed");
}

/// Removes the conditions with a text from the actions of transactions.
fn without(request: &mut Request, part: &str) {
    if let Request::TransactWriteItems(input) = request {
        for action in input.transact_items.iter_mut().flatten() {
            let (condition, attributes) = match (&mut action.put, &mut action.delete) {
                (Some(put), _) => (
                    &mut put.condition_expression,
                    &mut put.expression_attributes,
                ),
                (_, Some(one)) => (
                    &mut one.condition_expression,
                    &mut one.expression_attributes,
                ),
                (None, None) => continue,
            };
            if condition.as_ref().is_some_and(|text| text.contains(part)) {
                *condition = None;
                *attributes = keyfold_api::ExpressionAttributes::default();
            }
        }
    }
}

/// The simulation finds programs that are wrong.
#[test]
fn rows_that_are_written_whatever_their_version_are_found() {
    let mutant: Mutant = |request| without(request, "#v = :v");
    let found = (0..10).any(|seed| run(seed, 250, 100, Some(mutant)).is_err());
    assert!(found);
}
