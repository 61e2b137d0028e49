//! Workers with different definitions of a view: a build that was begun and given up blocks nobody, and
//! readers never keep a mixture of two generations.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::simulation::{Faults, Simulation};
use common::views::{Saved, change, compare_of, make, model_of, state};
use keyfold_client::blocked;
use keyfold_engine::StreamShards;
use keyfold_stream::Options;
use keyfold_stream::views::{Stop, ViewOptions, keep, rebuild_views};
use keyfold_stream::world::World;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);
const PHASES: [&str; 4] = ["scan", "follow", "hold", "switch"];

/// What the next worker runs with, and why workers did not start, or stopped.
#[derive(Clone)]
struct Next {
    of: Arc<Mutex<(Saved, bool)>>,
    refused: Arc<Mutex<Vec<String>>>,
    reports: Arc<Mutex<Vec<String>>>,
}

impl Next {
    fn new() -> Next {
        Next {
            of: Arc::new(Mutex::new((Saved::Discounts, false))),
            refused: Arc::default(),
            reports: Arc::default(),
        }
    }

    fn options(&self, rebuild: bool) -> ViewOptions {
        ViewOptions {
            consumers: Options {
                lease_time: LEASE,
                batch: 20,
                ..Options::new("views", "views")
            },
            rebuild,
            waits: true,
            on_report: Arc::new({
                let reports = Arc::clone(&self.reports);
                move |view, report| reports.lock().unwrap().push(format!("{view}: {report}"))
            }),
            ..ViewOptions::default()
        }
    }

    fn simulation(&self, seed: u64) -> Simulation {
        let next = self.clone();
        let shards = StreamShards {
            open_min: 2,
            open_max: 2,
            ..StreamShards::default()
        };
        let simulation = Simulation::of(seed, shards, move |_, world: Arc<dyn World>| {
            let (saved, rebuild) = *next.of.lock().unwrap();
            let (options, model) = (next.options(rebuild), model_of(saved));
            let next = next.clone();
            Box::pin(async move {
                if let Err(error) = keep(&world, &model, &options, &Stop::default()).await {
                    next.refused.lock().unwrap().push(error.to_string());
                }
            })
        });
        make(&simulation.engine);
        simulation
    }

    fn start(&self, simulation: &mut Simulation, saved: Saved, rebuild: bool) -> u64 {
        *self.of.lock().unwrap() = (saved, rebuild);
        simulation.start()
    }
}

fn write(simulation: &Simulation, times: u64) {
    for _ in 0..times {
        let chance = simulation.random();
        change(&simulation.engine, &model_of(Saved::Discounts), chance);
    }
}

fn run_for(simulation: &mut Simulation, time: Duration) {
    let end = simulation.now() + time;
    while simulation.now() < end {
        simulation.step();
    }
}

/// Goes on until the next generation of `Sold` is in a phase, after so many further requests.
fn run_to(simulation: &mut Simulation, phase: &str, further: u64) {
    let end = simulation.now() + LEASE * 20;
    while state(&simulation.engine)
        .1
        .is_none_or(|(_, at)| at != phase)
    {
        assert!(simulation.now() < end, "{:?}", state(&simulation.engine));
        simulation.step();
    }
    for _ in 0..further {
        simulation.step();
    }
}

/// A worker with the definition `Totals` is killed in each phase of its build, with and without a live
/// generation; then one comes whose definition is `of`.
fn unfinished(phase: &str, has_live: bool, of: Saved, further: u64) {
    let what = format!("{phase}, {has_live}, {of:?}, {further}");
    let next = Next::new();
    let mut simulation = next.simulation(further + 5);
    write(&simulation, 150);
    if has_live {
        let first = next.start(&mut simulation, Saved::Discounts, false);
        run_for(&mut simulation, LEASE * 3);
        assert_eq!(state(&simulation.engine), (Some(1), None), "{what}");
        compare_of(&simulation.engine, Saved::Discounts).unwrap();
        simulation.kill(first);
        write(&simulation, 20);
    }
    let second = next.start(&mut simulation, Saved::Totals, true);
    run_to(&mut simulation, phase, further);
    simulation.kill(second);
    write(&simulation, 20);
    // It may have come further than that.
    let (_, left) = state(&simulation.engine);
    next.start(&mut simulation, of, true);
    run_for(&mut simulation, LEASE * 12);
    let refused = next.refused.lock().unwrap();
    assert!(refused.is_empty(), "{what}: {refused:?}");
    let (live, other) = state(&simulation.engine);
    assert_eq!(other, None, "{what}: {left:?} is left");
    assert!(live.is_some(), "{what}");
    compare_of(&simulation.engine, of).unwrap_or_else(|why| panic!("{what}: {why}"));
}

#[test]
fn an_unfinished_build_of_another_definition_blocks_nobody() {
    for (at, phase) in (0..).zip(PHASES) {
        unfinished(phase, false, Saved::Orders, at * 3);
        unfinished(phase, true, Saved::Orders, at * 3);
        // Back to the definition of the live generation.
        unfinished(phase, true, Saved::Discounts, at * 3);
    }
}

/// Without `--rebuild`, a worker says at its start that the rows are of another definition, and one whose
/// rows are live keeps them.
#[test]
fn without_rebuild_an_unfinished_build_of_another_definition_is_refused() {
    for has_live in [false, true] {
        let next = Next::new();
        let mut simulation = next.simulation(3);
        write(&simulation, 100);
        if has_live {
            let first = next.start(&mut simulation, Saved::Discounts, false);
            run_for(&mut simulation, LEASE * 3);
            simulation.kill(first);
        }
        let second = next.start(&mut simulation, Saved::Totals, true);
        run_to(&mut simulation, "scan", 3);
        simulation.kill(second);
        next.start(&mut simulation, Saved::Orders, false);
        run_for(&mut simulation, LEASE * 3);
        let refused = next.refused.lock().unwrap().join("\n");
        assert!(refused.contains("definition has changed"), "{refused:?}");
        if has_live {
            write(&simulation, 20);
            next.start(&mut simulation, Saved::Discounts, false);
            run_for(&mut simulation, LEASE * 4);
            assert_eq!(state(&simulation.engine), (Some(1), None));
            compare_of(&simulation.engine, Saved::Discounts).unwrap();
        }
    }
}

/// A worker whose rows get another definition meanwhile is there again when they have its own, and says
/// both.
#[test]
fn a_view_is_kept_again_when_its_rows_are_of_its_definition_again() {
    let next = Next::new();
    let mut simulation = next.simulation(7);
    write(&simulation, 60);
    next.start(&mut simulation, Saved::Discounts, false);
    run_for(&mut simulation, LEASE * 3);
    assert_eq!(state(&simulation.engine), (Some(1), None));
    let rebuilds = |simulation: &mut Simulation, saved: Saved, number: i64| {
        let other = next.start(simulation, saved, true);
        let end = simulation.now() + LEASE * 20;
        while state(&simulation.engine) != (Some(number), None) {
            assert!(simulation.now() < end, "{:?}", state(&simulation.engine));
            simulation.step();
        }
        simulation.kill(other);
    };
    rebuilds(&mut simulation, Saved::Totals, 2);
    run_for(&mut simulation, LEASE);
    let said = |end: &str| {
        let reports = next.reports.lock().unwrap();
        reports
            .iter()
            .filter(|one| one.starts_with("Sales.Sold: ") && one.ends_with(end))
            .count()
    };
    assert_eq!(said("by `keyfold views rebuild`"), 1);
    assert_eq!(said("it is kept again"), 0);
    let world = simulation.quiet_world();
    let (model, options) = (model_of(Saved::Discounts), next.options(false).consumers);
    blocked(rebuild_views(&world, &model, &options, Some("Sold"))).unwrap();
    run_for(&mut simulation, LEASE * 6);
    assert_eq!(state(&simulation.engine), (Some(3), None));
    write(&simulation, 40);
    run_for(&mut simulation, LEASE * 4);
    compare_of(&simulation.engine, Saved::Discounts).unwrap();
    assert_eq!(
        (said("by `keyfold views rebuild`"), said("it is kept again")),
        (1, 1)
    );
}

/// A generation that takes its place is ended before another one begins: readers keep no mixture.
#[test]
fn a_rebuild_during_a_switch_ends_that_first() {
    for further in [0, 4] {
        let next = Next::new();
        let mut simulation = next.simulation(further);
        write(&simulation, 150);
        let first = next.start(&mut simulation, Saved::Discounts, false);
        run_for(&mut simulation, LEASE * 3);
        simulation.kill(first);
        let second = next.start(&mut simulation, Saved::Totals, true);
        run_to(&mut simulation, "switch", further);
        simulation.kill(second);
        simulation.set_faults(Faults::default());
        let (_, seen) = state(&simulation.engine);
        let world = simulation.quiet_world();
        let options = next.options(true).consumers;
        let model = model_of(Saved::Orders);
        blocked(rebuild_views(&world, &model, &options, Some("Sold"))).unwrap();
        let (live, other) = state(&simulation.engine);
        assert_eq!(other, Some((3, "scan".to_owned())), "{seen:?}");
        assert_eq!(live, Some(2), "{seen:?}: rows of one generation are live");
        compare_of(&simulation.engine, Saved::Totals).unwrap();
    }
}

/// Rows belong to a view of their table: what the model is called does not count them once more.
#[test]
fn models_of_other_names_keep_one_view_together() {
    let next = Next::new();
    let options = next.options(false);
    let refused = Arc::clone(&next.refused);
    let shards = StreamShards {
        open_min: 2,
        open_max: 2,
        ..StreamShards::default()
    };
    let mut simulation = Simulation::of(3, shards, move |worker, world: Arc<dyn World>| {
        let mut model = (*model_of(Saved::Discounts)).clone();
        model.name = format!("name{worker}");
        let (options, refused) = (options.clone(), Arc::clone(&refused));
        Box::pin(async move {
            if let Err(error) = keep(&world, &Arc::new(model), &options, &Stop::default()).await {
                refused.lock().unwrap().push(error.to_string());
            }
        })
    });
    make(&simulation.engine);
    write(&simulation, 60);
    for _ in 0..3 {
        simulation.start();
        run_for(&mut simulation, LEASE * 3);
        write(&simulation, 30);
    }
    run_for(&mut simulation, LEASE * 6);
    assert_eq!(*next.refused.lock().unwrap(), Vec::<String>::new());
    assert_eq!(state(&simulation.engine), (Some(1), None));
    compare_of(&simulation.engine, Saved::Discounts).unwrap();
}
