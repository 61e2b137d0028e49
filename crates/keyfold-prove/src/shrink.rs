//! The smallest way to a failure: the writes that it needs, and no others.

use crate::op::Op;
use crate::report::{Failure, PatternReport, Report};
use crate::world::World;
use crate::{ProveError, compare};
use keyfold_client::arguments::Values;
use keyfold_model::{Model, Pattern};
use std::time::{Duration, Instant};

/// How long is looked for a smaller way.
const TIME_MAX: Duration = Duration::from_secs(5);

/// Where a failure showed.
pub(crate) enum Question<'m> {
    /// A pattern with arguments, and a page size.
    Asked(&'m Pattern, Values, u32),
    /// The look at everything that is stored, or the last write.
    Stored,
}

/// The fewest of these writes after which it still fails, and how.
pub(crate) fn smallest<'m>(
    model: &'m Model,
    now_epoch_ms: i64,
    question: &Question<'m>,
    made: &[Op],
) -> Result<Option<(Vec<Op>, Failure)>, ProveError> {
    let begun = Instant::now();
    let Some(mut failure) = fails(model, now_epoch_ms, question, made)? else {
        return Ok(None);
    };
    let mut left = made.to_vec();
    let mut size = left.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < left.len() {
            if begun.elapsed() > TIME_MAX {
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

/// Makes the writes anew; gives what is wrong then.
fn fails<'m>(
    model: &'m Model,
    now_epoch_ms: i64,
    question: &Question<'m>,
    made: &[Op],
) -> Result<Option<Failure>, ProveError> {
    let mut world = World::new(model, now_epoch_ms, false)?;
    let mut report = Report::default();
    for op in made {
        world.apply(op.clone(), &mut report)?;
    }
    match question {
        Question::Asked(pattern, arguments, page) => {
            let mut asked = PatternReport::default();
            world.rows.fill_kept()?;
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
