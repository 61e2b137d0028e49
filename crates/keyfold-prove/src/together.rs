//! Two concurrent writers: the stored items must be those of one writer after the other.

use crate::change::of_row;
use crate::generate::Generator;
use crate::op::Op;
use crate::report::{Failure, Report};
use crate::world::{World, is_refusal, is_unknown};
use crate::{ProveError, change, views};
use keyfold_client::ClientError;

/// Executes two concurrent writes, often of one row.
pub(crate) fn two_writers<'m>(
    world: &mut World<'m>,
    generator: &mut Generator<'m>,
    report: &mut Report,
) -> Result<(), ProveError> {
    let Some((one, two)) = pair(world, generator) else {
        return Ok(());
    };
    let (model, client) = (world.model, world.client());
    let results = std::thread::scope(|scope| {
        let first = scope.spawn(|| one.in_model(client));
        let second = two.in_model(client);
        (first.join(), second)
    });
    let (Ok(first), second) = results else {
        return Err(ProveError::Engine("a writer panicked".to_owned()));
    };
    report.writes += 2;
    let what = format!("at once: {} | {}", one.show(model), two.show(model));
    let mut note = |expected: &str, found: String| {
        report.failures.push(Failure {
            what: what.clone(),
            expected: expected.to_owned(),
            found,
        });
    };
    for result in [&first, &second] {
        if let Err(error) = result
            && !is_refusal(error)
            && !is_unknown(error)
        {
            note("done or refused", error.to_string());
            return Ok(());
        }
    }
    // One of the two orders must allow the same writes and leave the same items.
    for one_done in outcomes(&first) {
        for two_done in outcomes(&second) {
            let (one, two) = ((&one, *one_done), (&two, *two_done));
            for order in [[one, two], [two, one]] {
                if follows(world, order)? {
                    world.rows.keep()?;
                    for (op, outcome) in order {
                        if outcome != Outcome::Nothing {
                            world.made.push(op.clone());
                        }
                    }
                    return Ok(());
                }
                world.rows.undo()?;
            }
        }
    }
    let shown = |result: &Result<(), ClientError>| match result {
        Ok(()) => "done".to_owned(),
        Err(error) => error.to_string(),
    };
    note(
        "the result of one after the other",
        format!("{} | {}", shown(&first), shown(&second)),
    );
    Ok(())
}

/// What became of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It was done.
    Done,
    /// It was refused.
    Refused,
    /// It was not done, whether it was possible or not.
    Nothing,
}

/// What may have become of a write with this result. One whose answer was lost may have met the other
/// writer.
fn outcomes(result: &Result<(), ClientError>) -> &'static [Outcome] {
    match result {
        Ok(()) => &[Outcome::Done],
        Err(error) if is_unknown(error) => &[Outcome::Done, Outcome::Nothing],
        Err(_) => &[Outcome::Refused],
    }
}

/// Executes the writes on the rows in this order. Returns whether the same writes are possible and
/// the same items are stored.
fn follows(world: &mut World<'_>, order: [(&Op, Outcome); 2]) -> Result<bool, ProveError> {
    world.rows.begin()?;
    for (op, outcome) in order {
        if outcome == Outcome::Nothing {
            continue;
        }
        let savepoint = world.rows.savepoint()?;
        let possible = op.in_rows(&mut world.rows)?;
        if !possible {
            world.rows.roll_back_to(savepoint)?;
        }
        if possible != (outcome == Outcome::Done) {
            return Ok(false);
        }
    }
    let mut checked = Report::default();
    world.check(&mut checked)?;
    Ok(checked.failures.is_empty())
}

/// Two random writes: mostly of the same row, sometimes of any.
fn pair<'m>(world: &World<'m>, generator: &mut Generator<'m>) -> Option<(Op, Op)> {
    let rows = &world.rows;
    let at = generator.rng.usize(..views::written(world.model));
    let entity = world.model.entities.get(at)?;
    if generator.rng.u8(..3) == 0 {
        return Some((change::any(rows, generator)?, change::any(rows, generator)?));
    }
    let row = rows.pick_row(at, &mut generator.rng)?;
    let old = rows.get(at, row)?.clone();
    let of_row = |generator: &mut Generator<'m>| of_row(rows, entity, &old, generator);
    Some((of_row(generator), of_row(generator)))
}
