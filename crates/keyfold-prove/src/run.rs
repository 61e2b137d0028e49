//! The way of a proof: write, ask, change, ask again, look at everything.

use crate::generate::Generator;
use crate::report::{PatternReport, Phase, Progress, Report};
use crate::rows::Rows;
use crate::{ProveError, ask, change, compare, leftover, named};
use keyfold_client::{Backend, tables};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use std::sync::Arc;

/// How much is done.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// From which everything random follows.
    pub seed: u64,
    /// Rows of each entity that are tried at first.
    pub items: usize,
    /// How often each pattern is asked, before and after the changes.
    pub asks: usize,
    /// The present moment, milliseconds since 1970: all times of the data lie before it.
    pub now_epoch_ms: i64,
}

/// Failures after which a proof ends early.
const FAILURES_MAX: usize = 50;

/// Proves a model by execution.
///
/// # Errors
/// When SQLite or the engine cannot be used; wrong answers are in the report.
pub fn prove(
    model: &Model,
    options: Options,
    mut progress: impl FnMut(Progress),
) -> Result<Report, ProveError> {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory));
    let engine = engine.map_err(|error| ProveError::Engine(error.to_string()))?;
    let backend = Backend::Embedded(Arc::new(engine));
    tables::ensure(&backend, model)?;
    let mut rows = Rows::new(model)?;
    let mut generator = Generator::new(model, options.seed, options.now_epoch_ms, options.items);
    let mut report = Report { seed: options.seed, ..Report::default() };
    report.patterns = model
        .patterns
        .iter()
        .map(|pattern| PatternReport { name: pattern.name.clone(), ..PatternReport::default() })
        .collect();

    let order = parents_first(model);
    let total = order.len() * options.items;
    for (number, at) in order.iter().enumerate() {
        let Some(entity) = model.entities.get(*at) else { continue };
        for tried in 0..options.items {
            if tried % 16 == 0 {
                progress(Progress { phase: Phase::Writing, done: number * options.items + tried, total });
            }
            change::create(&backend, &mut rows, entity, &mut generator, &mut report)?;
        }
        if report.failures.len() >= FAILURES_MAX {
            break;
        }
    }
    report.rows = rows.count();
    ask_all(&backend, &rows, &mut generator, options, Phase::Asking, &mut report, &mut progress)?;

    let changes = model.entities.len() * options.items / 2;
    for done in 0..changes {
        if done % 16 == 0 {
            progress(Progress { phase: Phase::Changing, done, total: changes });
        }
        if report.failures.len() >= FAILURES_MAX {
            break;
        }
        let choice = generator.rng.u8(..4);
        if choice == 0 && !model.writes.is_empty() {
            let at = generator.rng.usize(..model.writes.len());
            if let Some(write) = model.writes.get(at) {
                named::run(&backend, &mut rows, write, &mut generator, &mut report)?;
            }
            continue;
        }
        let at = generator.rng.usize(..model.entities.len());
        if let Some(entity) = model.entities.get(at) {
            change::change(&backend, &mut rows, entity, &mut generator, &mut report)?;
        }
    }
    ask_all(&backend, &rows, &mut generator, options, Phase::AskingAgain, &mut report, &mut progress)?;
    progress(Progress { phase: Phase::Checking, done: 0, total: 1 });
    leftover::check(&backend, &rows, &mut report)?;
    progress(Progress { phase: Phase::Checking, done: 1, total: 1 });
    Ok(report)
}

fn ask_all<'m>(
    backend: &Backend,
    rows: &Rows<'m>,
    generator: &mut Generator<'m>,
    options: Options,
    phase: Phase,
    report: &mut Report,
    progress: &mut impl FnMut(Progress),
) -> Result<(), ProveError> {
    let model = rows.model;
    let total = model.patterns.len() * options.asks;
    for (at, pattern) in model.patterns.iter().enumerate() {
        let Some(found) = report.patterns.get_mut(at) else { continue };
        for asked in 0..options.asks {
            if asked % 8 == 0 {
                progress(Progress { phase, done: at * options.asks + asked, total });
            }
            if found.failures.len() >= FAILURES_MAX {
                break;
            }
            let arguments = ask::arguments(pattern, rows, generator);
            let page = generator.rng.u32(1..8);
            compare::pattern(backend, rows, pattern, &arguments, page, found)?;
        }
    }
    Ok(())
}

/// Entities in an order in which what is referred to, or counted in, comes first.
fn parents_first(model: &Model) -> Vec<usize> {
    let depends = |child: usize, parent: usize| {
        let (Some(one), Some(other)) = (model.entities.get(child), model.entities.get(parent)) else {
            return false;
        };
        let refers = one.attributes.iter().any(|a| a.refers.as_ref().is_some_and(|(e, _)| *e == other.name));
        child != parent && (refers || other.aggregates.iter().any(|aggregate| aggregate.entity == child))
    };
    let mut order: Vec<usize> = Vec::new();
    let all: Vec<usize> = (0..model.entities.len()).collect();
    while order.len() < all.len() {
        let ready = |at: &&usize| {
            !order.contains(at) && all.iter().all(|other| order.contains(other) || !depends(**at, *other))
        };
        // References that go round are broken anywhere.
        let next = all.iter().find(ready).or_else(|| all.iter().find(|at| !order.contains(at)));
        match next {
            Some(at) => order.push(*at),
            None => break,
        }
    }
    order
}
