//! The smallest history of a failure: the writes that it needs, and no others.

use crate::op::Op;
use crate::report::{Failure, PatternReport, Report};
use crate::world::{Storage, World};
use crate::{ProveError, compare, kept};
use keyfold_client::arguments::Values;
use keyfold_model::{Model, Pattern};
use std::time::{Duration, Instant};

/// The most time of the search for a smaller history.
const TIME_MAX: Duration = Duration::from_secs(5);

/// The question that shows a failure.
pub(crate) enum Question<'m> {
    /// A pattern with arguments and a page size.
    Pattern(&'m Pattern, Values, u32),
    /// The check of everything that is stored, or a write.
    Stored,
}

/// The fewest of these writes after which the question still fails, and the failure; `None` when it
/// does not fail again.
pub(crate) fn smallest<'m>(
    model: &'m Model,
    now_epoch_ms: i64,
    question: &Question<'m>,
    made: &[Op],
) -> Result<Option<(Vec<Op>, Failure)>, ProveError> {
    let started = Instant::now();
    let Some(mut failure) = fails(model, now_epoch_ms, question, made)? else {
        return Ok(None);
    };
    let mut left = made.to_vec();
    let mut size = left.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < left.len() {
            if started.elapsed() > TIME_MAX {
                return Ok(Some((left, failure)));
            }
            let without: Vec<Op> = left
                .iter()
                .take(at)
                .chain(left.iter().skip(at + size))
                .cloned()
                .collect();
            match fails(model, now_epoch_ms, question, &without)? {
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
    model: &'m Model,
    now_epoch_ms: i64,
    question: &Question<'m>,
    made: &[Op],
) -> Result<Option<Failure>, ProveError> {
    let mut world = World::new(model, now_epoch_ms, Storage::Memory)?;
    let mut report = Report::default();
    for op in made {
        world.apply(op.clone(), &mut report)?;
    }
    match question {
        Question::Pattern(pattern, arguments, page) => {
            let mut asked = PatternReport::default();
            kept::fill(&mut world.rows)?;
            compare::pattern(
                &world.backend,
                &world.rows,
                pattern,
                arguments,
                *page,
                &mut asked,
            )?;
            Ok(asked.failures.into_iter().next())
        }
        Question::Stored => {
            world.check(&mut report)?;
            Ok(report.failures.into_iter().next())
        }
    }
}
