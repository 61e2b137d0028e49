//! Writes between the pages of an answer: an item that exists all the time is found exactly once,
//! and an item that never existed is not found.

use crate::ProveError;
use crate::ask;
use crate::change;
use crate::compare::{is_too_long, must_find};
use crate::generate::Generator;
use crate::kept;
use crate::op::Op;
use crate::report::{Failure, PatternReport, Report};
use crate::show;
use crate::world::World;
use keyfold_client::arguments::Values;
use keyfold_client::{ClientError, FoundItem, Page, PageRequest};
use keyfold_model::Pattern;
use keyfold_model::schema::RequestKind;

/// The most pages that are read: writers may add items faster than they are read.
const PAGES_MAX: usize = 2_000;
/// The most writes between pages.
const WRITES_MAX: usize = 12;

/// Reads a pattern page by page, with a write after each.
pub(crate) fn with_writes_between<'m>(
    world: &mut World<'m>,
    pattern: &'m Pattern,
    generator: &mut Generator<'m>,
    found: &mut PatternReport,
    report: &mut Report,
) -> Result<(), ProveError> {
    let optional = pattern
        .parameters
        .iter()
        .filter(|parameter| parameter.optional)
        .count();
    let arguments = ask::arguments(pattern, optional, &world.rows, generator);
    let plan = pattern.plan_for(|name| arguments.contains_key(name));
    if plan.request != RequestKind::Query {
        return Ok(());
    }
    let mut reading = Reading::begin(world, pattern, arguments, generator)?;
    found.runs += 1;
    for pages in 0..PAGES_MAX {
        let page = match reading.page(world) {
            Ok(Some(page)) => page,
            Ok(None) => return Ok(()),
            Err(error) => {
                note(found, pattern, "a page", error.to_string());
                return Ok(());
            }
        };
        reading.answer.extend(page.items);
        found.requests += u64::from(page.requests);
        let Some(next) = page.next else {
            found.items += reading.answer.len();
            reading.judge(found);
            return Ok(());
        };
        reading.start.after = Some(next);
        // Only creations and deletions: a changed item may be found before, after, or both.
        if pages < WRITES_MAX
            && let Some(op @ (Op::Create { .. } | Op::Delete { .. })) =
                change::any(&world.rows, generator)
        {
            world.apply(op, report)?;
            reading.note_items(world)?;
        }
    }
    found.items += reading.answer.len();
    Ok(())
}

/// A pattern that is read page by page.
struct Reading<'m> {
    pattern: &'m Pattern,
    arguments: Values,
    /// The next page.
    start: PageRequest,
    /// The items of all pages so far.
    answer: Vec<FoundItem>,
    /// The items that existed all the time.
    always: Vec<FoundItem>,
    /// The items that existed at some time.
    ever: Vec<FoundItem>,
}

impl<'m> Reading<'m> {
    fn begin(
        world: &mut World<'m>,
        pattern: &'m Pattern,
        arguments: Values,
        generator: &mut Generator<'m>,
    ) -> Result<Reading<'m>, ProveError> {
        kept::fill(&mut world.rows)?;
        let always = must_find(&world.rows, pattern, &arguments)?;
        Ok(Reading {
            pattern,
            arguments,
            start: PageRequest {
                limit: Some(generator.rng.u32(1..5)),
                backward: generator.rng.bool(),
                now_epoch_ms: Some(world.rows.now_epoch_ms),
                ..PageRequest::default()
            },
            answer: Vec::new(),
            ever: always.clone(),
            always,
        })
    }

    /// Reads the next page; `None` when the arguments are refused, or a required item is absent.
    fn page(&self, world: &World<'_>) -> Result<Option<Page>, ClientError> {
        let page = world
            .client()
            .page(self.pattern, &self.arguments, &self.start);
        match page {
            Ok(page) => Ok(Some(page)),
            Err(ClientError::NotFound(_) | ClientError::Value(_)) => Ok(None),
            Err(error) if is_too_long(&error, &self.arguments) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Records the items that exist after a write.
    fn note_items(&mut self, world: &mut World<'_>) -> Result<(), ProveError> {
        kept::fill(&mut world.rows)?;
        let now = must_find(&world.rows, self.pattern, &self.arguments)?;
        self.always.retain(|item| now.contains(item));
        self.ever.extend(now);
        Ok(())
    }

    /// Reports lost, invented and repeated items of the whole answer.
    fn judge(&self, found: &mut PatternReport) {
        let pattern = self.pattern;
        let answer = &self.answer;
        if let Some(lost) = self.always.iter().find(|item| !answer.contains(item)) {
            note(
                found,
                pattern,
                "the items that existed all the time",
                format!("not found: {}", show::item(lost)),
            );
        }
        if let Some(strange) = answer.iter().find(|item| !self.ever.contains(item)) {
            note(
                found,
                pattern,
                "only items that existed at some time",
                show::item(strange),
            );
        }
        // Two different items may look equal when the answer has only some of their attributes.
        let shows_all =
            pattern.only.is_empty() && pattern.returned.iter().all(|one| one.copy.is_none());
        let mut repeated = answer
            .iter()
            .enumerate()
            .filter(|(at, item)| answer.iter().take(*at).any(|one| one == *item));
        if shows_all && let Some((_, twice)) = repeated.next() {
            note(
                found,
                pattern,
                "each item once",
                format!("twice: {}", show::item(twice)),
            );
        }
    }
}

fn note(report: &mut PatternReport, pattern: &Pattern, expected: &str, found: String) {
    let what = format!("{} with writes between its pages", pattern.name);
    report.failures.push(Failure {
        what,
        expected: expected.to_owned(),
        found,
    });
}
