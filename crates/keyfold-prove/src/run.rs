//! The phases of a proof: write, ask, change, ask again, check everything that is stored.

use crate::generate::Generator;
use crate::op::Op;
use crate::report::{PatternReport, Phase, Progress, Report, Smallest, Watch};
use crate::shrink::{self, Question};
use crate::subject::Subject;
use crate::world::{Storage, World};
use crate::{
    ProveError, ask, change, compare, kept, many, own_tables, pages, together, transaction, views,
};
use keyfold_client::{Backend, Endpoint};
use keyfold_model::Model;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// The size of a proof.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The seed of everything random.
    pub seed: u64,
    /// The number of rows of each entity that are written first.
    pub items: usize,
    /// The number of questions of each pattern, before and after the changes.
    pub asks: usize,
    /// The present moment, milliseconds since 1970. Most times of the data lie before it.
    pub now_epoch_ms: i64,
    /// Whether the engine keeps files and is restarted between phases, with many more concurrent
    /// writers, requests that are delivered twice and answers that are lost.
    pub deep: bool,
}

/// The batches of changes after each of which views are compared.
const BATCHES: usize = 3;

/// The number of failures after which a phase ends early.
const FAILURES_MAX: usize = 50;

/// The most rows of an entity that are tried until one is stored.
const FIRST_ROWS_MAX: usize = 200;

/// Proves a model by execution.
///
/// # Errors
/// When SQLite or the engine fails, or `watch` stops it. Wrong answers are in the report.
pub fn prove(model: &Model, options: Options, watch: impl Watch) -> Result<Report, ProveError> {
    prove_through(model, options, &Subject::Embedded, watch)
}

/// Proves a model by execution through a client: the proof of both.
///
/// # Errors
/// As [`prove`].
pub fn prove_through(
    model: &Model,
    options: Options,
    subject: &Subject,
    watch: impl Watch,
) -> Result<Report, ProveError> {
    let storage = if options.deep {
        Storage::Folder(options.seed)
    } else {
        Storage::Memory
    };
    prove_in(model, options, subject, storage, watch)
}

/// Proves a model and an endpoint with DynamoDB's API. The proof has tables of its own there, under
/// names that nobody else has, and deletes them when it ends.
///
/// # Errors
/// As [`prove`], and when the endpoint refuses what it must accept.
pub fn prove_at(
    model: &Model,
    options: Options,
    subject: &Subject,
    endpoint: &Endpoint,
    watch: impl Watch,
) -> Result<Report, ProveError> {
    let prefix = format!(
        "keyfold_prove_{:x}_{:x}_",
        options.now_epoch_ms, options.seed
    );
    let own = own_tables::renamed(model, &prefix);
    let storage = Storage::Endpoint(Box::new(endpoint.clone()), prefix.clone());
    let report = prove_in(&own, options, subject, storage, watch);
    let deleted = own_tables::delete(&Backend::at(endpoint.clone())?, &prefix);
    let report = report?;
    deleted.map(|()| report)
}

fn prove_in(
    model: &Model,
    options: Options,
    subject: &Subject,
    storage: Storage,
    watch: impl Watch,
) -> Result<Report, ProveError> {
    let world = World::new(model, options.now_epoch_ms, storage, subject)?;
    let generator = Generator::new(model, options.seed, options.now_epoch_ms, options.items);
    let mut report = Report {
        seed: options.seed,
        ..Report::default()
    };
    report.patterns = model
        .patterns
        .iter()
        .map(|pattern| PatternReport {
            name: pattern.name.clone(),
            ..PatternReport::default()
        })
        .collect();
    let mut proof = Proof {
        world,
        generator,
        options,
        report,
        question: None,
        makes_several: subject.makes_several(model)?,
        watch,
    };
    proof.write()?;
    proof.report.rows = proof.world.rows.count();
    proof.ask(Phase::Asking)?;
    proof.change()?;
    proof.ask(Phase::AskingAgain)?;
    proof.check()?;
    proof.shrink()?;
    (0..views::written(model)).for_each(|at| proof.world.note_unstored(at, &mut proof.report));
    if let Some(faults) = &proof.world.faults {
        proof.report.repeated = faults.repeated.load(Ordering::Relaxed);
        proof.report.unknown = faults.unknown.load(Ordering::Relaxed);
    }
    let seen = &proof.world.rows.seen;
    proof.report.never = seen.never(model, proof.world.keeps_views());
    Ok(proof.report)
}

/// A running proof.
struct Proof<'m, W> {
    world: World<'m>,
    generator: Generator<'m>,
    options: Options,
    report: Report,
    /// The first question that failed, and the number of writes before it.
    question: Option<(Question<'m>, usize)>,
    /// Whether the client makes calls of several writes, keys or items.
    makes_several: bool,
    watch: W,
}

impl<'m, W: Watch> Proof<'m, W> {
    /// Says how far the proof is, and ends it where it is to go no further.
    fn step(&mut self, phase: Phase, done: usize, total: usize) -> Result<(), ProveError> {
        match self.watch.step(Progress { phase, done, total }) {
            true => Ok(()),
            false => Err(ProveError::Stopped),
        }
    }

    /// Writes rows of every entity, parents first.
    fn write(&mut self) -> Result<(), ProveError> {
        let model = self.world.model;
        let (order, items) = (parents_first(model), self.options.items);
        for (number, at) in order.iter().enumerate() {
            let Some(entity) = model.entities.get(*at) else {
                continue;
            };
            for tried in 0..items.max(FIRST_ROWS_MAX) {
                if tried >= items && (items == 0 || self.world.rows.was_stored(*at)) {
                    break;
                }
                if tried % 16 == 0 {
                    self.step(
                        Phase::Writing,
                        number * items + tried.min(items),
                        order.len() * items,
                    )?;
                }
                let op = change::create(&self.world.rows, entity, &mut self.generator);
                self.world.apply(op, &mut self.report)?;
                self.note_failure();
                if self.report.failures.len() >= FAILURES_MAX {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Asks every pattern, with each number of its optional parameters.
    fn ask(&mut self, phase: Phase) -> Result<(), ProveError> {
        let (model, asks) = (self.world.model, self.options.asks);
        if self.options.deep {
            self.world.restart()?;
        }
        let kills = self.kills();
        self.world.settle(&kills, &mut self.report)?;
        self.note_failure();
        kept::fill(&mut self.world.rows)?;
        if self.makes_several {
            let (client, rows) = (self.world.client(), &self.world.rows);
            many::read(client, rows, &mut self.generator, &mut self.report);
            self.note_failure();
        }
        for (at, pattern) in model.patterns.iter().enumerate() {
            if !self.world.keeps_views() && views::reads_one(model, pattern) {
                continue;
            }
            let optional = pattern
                .parameters
                .iter()
                .filter(|parameter| parameter.optional)
                .count();
            for asked in 0..asks {
                if asked % 8 == 0 {
                    self.step(phase, at * asks + asked, model.patterns.len() * asks)?;
                }
                let Some(found) = self.report.patterns.get_mut(at) else {
                    continue;
                };
                if found.failures.len() >= FAILURES_MAX {
                    break;
                }
                let given = optional - asked % (optional + 1);
                let arguments =
                    ask::arguments(pattern, given, &self.world.rows, &mut self.generator);
                let page = self.generator.rng.u32(1..8);
                compare::pattern(
                    self.world.client(),
                    &self.world.rows,
                    pattern,
                    &arguments,
                    page,
                    found,
                )?;
                if self.question.is_none() && !found.failures.is_empty() {
                    let question = Question::Pattern(pattern, arguments, page);
                    self.question = Some((question, self.world.made.len()));
                }
            }
        }
        Ok(())
    }

    /// Changes rows, mostly with one writer; sometimes with two at once, or between the pages of an
    /// answer.
    fn change(&mut self) -> Result<(), ProveError> {
        let model = self.world.model;
        let changes = views::written(model) * self.options.items / 2;
        let odds = if self.options.deep { 8 } else { 48 };
        for done in 0..changes {
            if done % 16 == 0 {
                self.step(Phase::Changing, done, changes)?;
            }
            if self.report.failures.len() >= FAILURES_MAX {
                break;
            }
            if self.world.keeps_views() && (done + 1) % changes.div_ceil(BATCHES) == 0 {
                let kills = self.kills();
                self.world.check_all(&kills, &mut self.report)?;
            }
            match self.generator.rng.usize(..odds) {
                0 => together::two_writers(&mut self.world, &mut self.generator, &mut self.report)?,
                1 if !model.patterns.is_empty() => self.write_between_pages()?,
                _ => {
                    if let Some(op) = self.any() {
                        self.world.apply(op, &mut self.report)?;
                    }
                }
            }
            self.note_failure();
        }
        self.write_by_each_name()
    }

    /// Makes each named write that was not among the random ones. A model may have more of them than a proof makes
    /// changes.
    fn write_by_each_name(&mut self) -> Result<(), ProveError> {
        if self.options.items == 0 {
            return Ok(());
        }
        let of_name = |op: &Op| {
            if let Op::Named { write, .. } = op {
                Some(*write)
            } else {
                None
            }
        };
        let made: BTreeSet<usize> = self.world.made.iter().filter_map(of_name).collect();
        for at in 0..self.world.model.writes.len() {
            if made.contains(&at) || self.report.failures.len() >= FAILURES_MAX {
                continue;
            }
            if let Some(op) = change::of_write(&self.world.rows, at, &mut self.generator) {
                self.world.apply(op, &mut self.report)?;
            }
            self.note_failure();
        }
        Ok(())
    }

    /// The requests after which the workers that keep views are killed: none, or some of them.
    fn kills(&mut self) -> Vec<i64> {
        if !self.world.keeps_views() {
            return Vec::new();
        }
        let rng = &mut self.generator.rng;
        (0..rng.usize(..3)).map(|_| rng.i64(1..200)).collect()
    }

    /// A random write: of one call, of several in a transaction, or of a batch.
    fn any(&mut self) -> Option<Op> {
        let (rows, generator) = (&self.world.rows, &mut self.generator);
        match generator.rng.u8(..16) {
            0..3 if self.makes_several => transaction::any(rows, generator),
            3 if self.makes_several => transaction::batch(rows, generator),
            _ => change::any(rows, generator),
        }
    }

    /// Reads a random pattern, with writes between its pages.
    fn write_between_pages(&mut self) -> Result<(), ProveError> {
        let at = self.generator.rng.usize(..self.world.model.patterns.len());
        let (Some(pattern), Some(found)) = (
            self.world.model.patterns.get(at),
            self.report.patterns.get_mut(at),
        ) else {
            return Ok(());
        };
        // Rows of views change later than what is written.
        if views::reads_one(self.world.model, pattern) {
            return Ok(());
        }
        let mut of_pattern = std::mem::take(found);
        let done = pages::with_writes_between(
            &mut self.world,
            pattern,
            &mut self.generator,
            &mut of_pattern,
            &mut self.report,
        );
        if let Some(found) = self.report.patterns.get_mut(at) {
            *found = of_pattern;
        }
        done
    }

    /// Checks everything that is stored.
    fn check(&mut self) -> Result<(), ProveError> {
        self.step(Phase::Checking, 0, 1)?;
        if self.options.deep {
            self.world.restart()?;
        }
        let kills = self.kills();
        self.world.check_all(&kills, &mut self.report)?;
        self.note_failure();
        self.step(Phase::Checking, 1, 1)?;
        Ok(())
    }

    /// Records the first failure outside of patterns.
    fn note_failure(&mut self) {
        if self.question.is_none() && !self.report.failures.is_empty() {
            self.question = Some((Question::Stored, self.world.made.len()));
        }
    }

    /// Searches the fewest writes after which the first failure shows.
    fn shrink(&mut self) -> Result<(), ProveError> {
        let Some((question, length)) = self.question.take() else {
            return Ok(());
        };
        // Hundreds of histories at an endpoint would take hours, and cost money.
        if !self.world.is_repeatable() {
            return Ok(());
        }
        let made = self.world.made.get(..length).unwrap_or_default();
        let model = self.world.model;
        let watch = &mut self.watch;
        let mut goes_on = |done, total| {
            watch.step(Progress {
                phase: Phase::Shrinking,
                done,
                total,
            })
        };
        let found = shrink::smallest(
            (model, self.world.subject()),
            self.options.now_epoch_ms,
            (&question, made),
            &mut goes_on,
        )?;
        self.report.smallest = found.map(|(writes, failure)| Smallest {
            writes: writes.iter().map(|op| op.show(model)).collect(),
            failure,
        });
        Ok(())
    }
}

/// The entities in an order in which each comes after those that it refers to or is counted in.
fn parents_first(model: &Model) -> Vec<usize> {
    let depends = |child: usize, parent: usize| {
        let (Some(one), Some(other)) = (model.entities.get(child), model.entities.get(parent))
        else {
            return false;
        };
        let refers = one
            .attributes
            .iter()
            .any(|a| a.refers.as_ref().is_some_and(|(e, _)| *e == other.name));
        child != parent
            && (refers
                || other
                    .aggregates
                    .iter()
                    .any(|aggregate| aggregate.entity == child))
    };
    let mut order: Vec<usize> = Vec::new();
    let all: Vec<usize> = (0..views::written(model)).collect();
    while order.len() < all.len() {
        let ready = |at: &&usize| {
            !order.contains(at)
                && all
                    .iter()
                    .all(|other| order.contains(other) || !depends(**at, *other))
        };
        // A circle of references is broken at its first entity.
        let next = all
            .iter()
            .find(ready)
            .or_else(|| all.iter().find(|at| !order.contains(at)));
        match next {
            Some(at) => order.push(*at),
            None => break,
        }
    }
    order
}
