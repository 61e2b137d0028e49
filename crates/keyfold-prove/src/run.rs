//! The way of a proof: write, ask, change, ask again, look at everything.

use crate::generate::Generator;
use crate::report::{PatternReport, Phase, Progress, Report, Smallest};
use crate::shrink::{self, Question};
use crate::world::World;
use crate::{ProveError, ask, change, compare, pages, together};
use keyfold_model::Model;

/// How much is done.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// From which everything random follows.
    pub seed: u64,
    /// Rows of each entity that are tried at first.
    pub items: usize,
    /// How often each pattern is asked, before and after the changes.
    pub asks: usize,
    /// The present moment, milliseconds since 1970: most times of the data lie before it.
    pub now_epoch_ms: i64,
    /// Whether the engine keeps files and is ended and opened again between, with many more writers
    /// at once.
    pub deep: bool,
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
    progress: impl FnMut(Progress),
) -> Result<Report, ProveError> {
    let world = World::new(model, options.now_epoch_ms, options.deep)?;
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
        progress,
    };
    proof.write()?;
    proof.report.rows = proof.world.rows.count();
    proof.ask(Phase::Asking)?;
    proof.change()?;
    proof.ask(Phase::AskingAgain)?;
    proof.check()?;
    proof.shrink()?;
    Ok(proof.report)
}

/// A proof on its way.
struct Proof<'m, P> {
    world: World<'m>,
    generator: Generator<'m>,
    options: Options,
    report: Report,
    /// The first question that was answered wrongly, and the writes before it.
    question: Option<(Question<'m>, usize)>,
    progress: P,
}

impl<'m, P: FnMut(Progress)> Proof<'m, P> {
    fn tell(&mut self, phase: Phase, done: usize, total: usize) {
        (self.progress)(Progress { phase, done, total });
    }

    /// Makes rows of every entity, those that others refer to first.
    fn write(&mut self) -> Result<(), ProveError> {
        let model = self.world.model;
        let (order, items) = (parents_first(model), self.options.items);
        for (number, at) in order.iter().enumerate() {
            let Some(entity) = model.entities.get(*at) else {
                continue;
            };
            for tried in 0..items {
                if tried % 16 == 0 {
                    self.tell(Phase::Writing, number * items + tried, order.len() * items);
                }
                let op = change::create(&self.world.rows, entity, &mut self.generator);
                self.world.apply(op, &mut self.report)?;
                self.note_stored();
                if self.report.failures.len() >= FAILURES_MAX {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Asks every pattern, with each choice of its optional parameters.
    fn ask(&mut self, phase: Phase) -> Result<(), ProveError> {
        let (model, asks) = (self.world.model, self.options.asks);
        if self.options.deep {
            self.world.restart()?;
        }
        self.world.rows.fill_kept()?;
        for (at, pattern) in model.patterns.iter().enumerate() {
            let optional = pattern
                .parameters
                .iter()
                .filter(|parameter| parameter.optional)
                .count();
            for asked in 0..asks {
                if asked % 8 == 0 {
                    self.tell(phase, at * asks + asked, model.patterns.len() * asks);
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
                    &self.world.backend,
                    &self.world.rows,
                    pattern,
                    &arguments,
                    page,
                    found,
                )?;
                if self.question.is_none() && !found.failures.is_empty() {
                    let question = Question::Asked(pattern, arguments, page);
                    self.question = Some((question, self.world.made.len()));
                }
            }
        }
        Ok(())
    }

    /// Changes rows: one writer mostly, two at once now and then, and between the pages of an
    /// answer.
    fn change(&mut self) -> Result<(), ProveError> {
        let model = self.world.model;
        let changes = model.entities.len() * self.options.items / 2;
        let seldom = if self.options.deep { 8 } else { 48 };
        for done in 0..changes {
            if done % 16 == 0 {
                self.tell(Phase::Changing, done, changes);
            }
            if self.report.failures.len() >= FAILURES_MAX {
                break;
            }
            match self.generator.rng.usize(..seldom) {
                0 => together::two_writers(&mut self.world, &mut self.generator, &mut self.report)?,
                1 if !model.patterns.is_empty() => self.turn_pages()?,
                _ => {
                    if let Some(op) = change::any(&self.world.rows, &mut self.generator) {
                        self.world.apply(op, &mut self.report)?;
                    }
                }
            }
            self.note_stored();
        }
        Ok(())
    }

    fn turn_pages(&mut self) -> Result<(), ProveError> {
        let at = self.generator.rng.usize(..self.world.model.patterns.len());
        let (Some(pattern), Some(found)) = (
            self.world.model.patterns.get(at),
            self.report.patterns.get_mut(at),
        ) else {
            return Ok(());
        };
        let mut of_pattern = std::mem::take(found);
        let turned = pages::with_writes_between(
            &mut self.world,
            pattern,
            &mut self.generator,
            &mut of_pattern,
            &mut self.report,
        );
        if let Some(found) = self.report.patterns.get_mut(at) {
            *found = of_pattern;
        }
        turned
    }

    /// Looks at everything that is stored.
    fn check(&mut self) -> Result<(), ProveError> {
        self.tell(Phase::Checking, 0, 1);
        if self.options.deep {
            self.world.restart()?;
        }
        self.world.check(&mut self.report)?;
        self.note_stored();
        self.tell(Phase::Checking, 1, 1);
        Ok(())
    }

    /// Remembers where the first failure outside of patterns was.
    fn note_stored(&mut self) {
        if self.question.is_none() && !self.report.failures.is_empty() {
            self.question = Some((Question::Stored, self.world.made.len()));
        }
    }

    /// Looks for the fewest writes after which the first failure shows.
    fn shrink(&mut self) -> Result<(), ProveError> {
        let Some((question, length)) = self.question.take() else {
            return Ok(());
        };
        self.tell(Phase::Shrinking, 0, 1);
        let made = self.world.made.get(..length).unwrap_or_default();
        let model = self.world.model;
        let found = shrink::smallest(model, self.options.now_epoch_ms, &question, made)?;
        self.report.smallest = found.map(|(writes, failure)| Smallest {
            writes: writes.iter().map(|op| op.show(model)).collect(),
            failure,
        });
        Ok(())
    }
}

/// Entities in an order in which what is referred to, or counted in, comes first.
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
    let all: Vec<usize> = (0..model.entities.len()).collect();
    while order.len() < all.len() {
        let ready = |at: &&usize| {
            !order.contains(at)
                && all
                    .iter()
                    .all(|other| order.contains(other) || !depends(**at, *other))
        };
        // References that go round are broken anywhere.
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
