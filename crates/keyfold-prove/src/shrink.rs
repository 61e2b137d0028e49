//! The smallest history of a failure: the writes that it needs, and no others.

use crate::op::Op;
use crate::report::{Failure, PatternReport, Report};
use crate::subject::Subject;
use crate::world::{Storage, World};
use crate::{ProveError, compare, kept, views};
use keyfold_client::arguments::Values;
use keyfold_model::{Model, Pattern};

/// The most writes that the search for a smaller history executes: some seconds of work, and the
/// same history whatever the machine does besides.
const WRITES_MAX: usize = 60_000;

/// The writes that count for the upkeep of views, which takes a second.
const UPKEEP_WRITES: usize = 3_000;

/// The question that shows a failure.
pub(crate) enum Question<'m> {
    /// A pattern with arguments and a page size.
    Pattern(&'m Pattern, Values, u32),
    /// The check of everything that is stored, or a write.
    Stored,
}

/// The fewest of these writes after which the question still fails, and the failure; `None` when it
/// does not fail again. It is said how many writes of how many are executed, and asked whether it goes on.
pub(crate) fn smallest<'m>(
    (model, subject): (&'m Model, &Subject),
    now_epoch_ms: i64,
    (question, made): (&Question<'m>, &[Op]),
    goes_on: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<Option<(Vec<Op>, Failure)>, ProveError> {
    let mut executed = made.len();
    let Some(mut failure) = fails((model, subject), now_epoch_ms, question, made)? else {
        return Ok(None);
    };
    let mut left = made.to_vec();
    let mut size = left.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < left.len() {
            if executed > WRITES_MAX {
                return Ok(Some((left, failure)));
            }
            if !goes_on(executed, WRITES_MAX) {
                return Err(ProveError::Stopped);
            }
            let without: Vec<Op> = left
                .iter()
                .take(at)
                .chain(left.iter().skip(at + size))
                .cloned()
                .collect();
            executed += without.len();
            if views::written(model) < model.entities.len() {
                executed += UPKEEP_WRITES;
            }
            match fails((model, subject), now_epoch_ms, question, &without)? {
                Some(found) => (left, failure) = (without, found),
                None => at += size,
            }
        }
        size /= 2;
    }
    Ok(Some((left, failure)))
}

/// Executes the writes in a new world and returns the failure of the question.
fn fails<'m>(
    (model, subject): (&'m Model, &Subject),
    now_epoch_ms: i64,
    question: &Question<'m>,
    made: &[Op],
) -> Result<Option<Failure>, ProveError> {
    let mut world = World::new(model, now_epoch_ms, Storage::Memory, subject)?;
    let mut report = Report::default();
    for op in made {
        world.apply(op.clone(), &mut report)?;
    }
    match question {
        Question::Pattern(pattern, arguments, page) => {
            let mut asked = PatternReport::default();
            world.settle(&[], &mut report)?;
            kept::fill(&mut world.rows)?;
            compare::pattern(
                world.client(),
                &world.rows,
                pattern,
                arguments,
                *page,
                &mut asked,
            )?;
            Ok(asked.failures.into_iter().next())
        }
        Question::Stored => {
            world.check_all(&[], &mut report)?;
            Ok(report.failures.into_iter().next())
        }
    }
}
