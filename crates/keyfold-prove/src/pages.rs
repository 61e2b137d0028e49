//! Writes between the pages of an answer: what was there all the time is found once, and nothing
//! that never was.

use crate::ProveError;
use crate::ask;
use crate::change;
use crate::compare::{is_too_long, must_find};
use crate::generate::Generator;
use crate::op::Op;
use crate::report::{Failure, PatternReport, Report};
use crate::world::World;
use keyfold_client::{ClientError, FoundItem, PageRequest, read};
use keyfold_model::Pattern;
use keyfold_model::schema::RequestKind;

/// Pages that are read at the most: writers may add more than is read.
const PAGES_MAX: usize = 2_000;
/// Writes between pages.
const WRITES_MAX: usize = 12;

/// Reads a pattern page by page, with a write behind each.
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
    world.rows.fill_kept()?;
    let mut always = must_find(&world.rows, pattern, &arguments)?;
    let mut ever = always.clone();
    let mut answer: Vec<FoundItem> = Vec::new();
    let mut start = PageRequest {
        limit: Some(generator.rng.u32(1..5)),
        backward: generator.rng.bool(),
        now_epoch_ms: Some(world.rows.now_epoch_ms),
        ..PageRequest::default()
    };
    found.runs += 1;
    let mut is_whole = false;
    for turned in 0..PAGES_MAX {
        let page = match read::page(&world.backend, world.model, pattern, &arguments, &start) {
            Ok(page) => page,
            Err(ClientError::NotFound(_) | ClientError::Value(_)) => return Ok(()),
            Err(error) if is_too_long(&error, &arguments) => return Ok(()),
            Err(error) => {
                note(found, pattern, "a page", error.to_string());
                return Ok(());
            }
        };
        answer.extend(page.items);
        found.requests += u64::from(page.requests);
        let Some(next) = page.next else {
            is_whole = true;
            break;
        };
        start.after = Some(next);
        // Rows come and go; a row that changes may be found as it was, as it is, or both.
        if turned < WRITES_MAX
            && let Some(op @ (Op::Create { .. } | Op::Delete { .. })) =
                change::any(&world.rows, generator)
        {
            world.apply(op, report)?;
            world.rows.fill_kept()?;
            let now = must_find(&world.rows, pattern, &arguments)?;
            always.retain(|item| now.contains(item));
            ever.extend(now);
        }
    }
    found.items += answer.len();
    if !is_whole {
        return Ok(());
    }
    if let Some(lost) = always.iter().find(|item| !answer.contains(item)) {
        note(
            found,
            pattern,
            "what was there all the time",
            format!("not found: {lost:?}"),
        );
    }
    if let Some(strange) = answer.iter().find(|item| !ever.contains(item)) {
        note(
            found,
            pattern,
            "what was there at some time",
            format!("{strange:?}"),
        );
    }
    // Where not all is returned, two items may look the same.
    let shows_all =
        pattern.only.is_empty() && pattern.returned.iter().all(|one| one.copy.is_none());
    if !shows_all {
        return Ok(());
    }
    if let Some(twice) = answer
        .iter()
        .enumerate()
        .find(|(at, item)| answer.iter().take(*at).any(|one| one == *item))
    {
        note(
            found,
            pattern,
            "each item once",
            format!("twice: {:?}", twice.1),
        );
    }
    Ok(())
}

fn note(report: &mut PatternReport, pattern: &Pattern, expected: &str, found: String) {
    let what = format!("{} with writes between its pages", pattern.name);
    report.failures.push(Failure {
        what,
        expected: expected.to_owned(),
        found,
    });
}
