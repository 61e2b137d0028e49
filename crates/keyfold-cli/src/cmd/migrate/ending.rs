//! A migration comes to its end: it is completed, or given up.

use super::opening::{Both, check_columns, mapping};
use super::switching::tables;
use super::told::{self, read};
use crate::cmd::moving::{asked, can_ask, written_at};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal;
use keyfold_client::Backend;
use keyfold_relational::{Abort, Ended, Migration, Phase, Progress, Source, is_lost, verify};
use std::sync::Arc;

pub(super) fn complete(both: &Both, yes: bool, output: Output) -> Result<(), Failure> {
    can_ask(yes, "the migration goes on")?;
    let mut opened = both.origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let backend = Arc::new(written_at(&both.at)?);
    let sides = tables(&backend, &both.at, None)?;
    let columns = (&opened.checked, opened.source.as_mut() as &mut dyn Source);
    check_columns(&mapping, &backend, columns, output)?;
    let progress = Progress::default();
    let source = opened.source.as_mut();
    let state = Migration::new(&mapping, source, &backend, &progress).state()?;
    let is_lead = does_lead(state.map(|state| state.phase))?;
    if !yes {
        terminal::error_line(match is_lead {
            false => {
                "what is written to the database afterwards is not carried any more; its programs should be stopped, \
                 or write to the tables alone"
            }
            true => {
                "what is written to the tables afterwards is not carried into the database any more"
            }
        });
        asked("the migration goes on")?;
    }
    // What was written last is carried before the changes are dropped.
    let ended = read(&progress, output, || {
        Migration::new(&mapping, source, &backend, &progress)
            .with_tables(&sides)
            .run(true)
    })?;
    // Changes that no stream has any more are carried by nobody, and the tables lead on.
    let is_lost = matches!(&ended, Ended::Target(error) if is_lost(error));
    if is_lead && is_lost {
        terminal::error_line(
            "changes of the tables are lost, and in no row: the database is as it was, or as `verify --mend` has left it",
        );
    } else if !matches!(ended, Ended::Caught) {
        let document = told::run_json(&ended, &progress);
        let verdict = told::verdict(&ended);
        return output.report(document, || told::show_run(&ended, &progress), verdict);
    }
    // Programs go on writing to tables that lead.
    if !is_lead {
        let compared = Progress::default();
        let found = read(&compared, output, || {
            verify(&mapping, source, &backend, &compared)
        })?;
        let found = found.map_err(told::of_comparison)?;
        if found.count > 0 || compared.is_stopping() {
            let verdict =
                told::verdict_of_comparison(&found, compared.is_stopping(), Some(Phase::Follow));
            return output.report(
                told::verify_json(&found),
                || told::show_verify(&found),
                verdict,
            );
        }
    }
    let ended = Migration::new(&mapping, source, &backend, &progress)
        .with_tables(&sides)
        .complete();
    settled(ended, &backend)?;
    told::simple(
        "completed",
        "the migration is complete: the database keeps no changes any more",
        output,
    );
    Ok(())
}

/// Whether the tables lead of a migration that can be completed.
fn does_lead(phase: Option<Phase>) -> Result<bool, Failure> {
    match phase {
        Some(Phase::Lead) => Ok(true),
        Some(Phase::Follow) => Ok(false),
        Some(Phase::Closing | Phase::Returning) => Err(Failure::refused(
            "a switch is under way: `keyfold migrate switch` goes on with it or gives it up",
        )),
        Some(Phase::Complete) => Err(Failure::refused(
            "the migration is complete already: the tables lead, and the database keeps no changes",
        )),
        Some(Phase::Begin | Phase::Copy) => Err(Failure::refused(
            "not every row is copied yet: `keyfold migrate run` first",
        )),
        None => Err(Failure::refused(
            "there is no migration: `keyfold migrate run` begins one",
        )),
    }
}

/// Answers how a migration has ended.
fn settled(ended: Result<(), Ended>, backend: &Backend) -> Result<(), Failure> {
    match ended {
        Ok(()) => Ok(backend.sync()?),
        Err(ended) => told::verdict(&ended),
    }
}

pub(super) fn abort(both: &Both, which: Abort, yes: bool, output: Output) -> Result<(), Failure> {
    const NOTHING: &str = "nothing was given up";
    can_ask(yes, NOTHING)?;
    // A database that does not fit the model any more is given up as well.
    let mut opened = both.origin.open(output)?;
    let backend = Arc::new(written_at(&both.at)?);
    let sides = tables(&backend, &both.at, None)?;
    if !yes {
        terminal::error_line(match which {
            Abort::Own | Abort::Foreign => {
                "the database keeps no changes any more; what was written to the tables stays"
            }
            Abort::LosingWrites => {
                "the database takes writes again, and keeps no changes any more; what programs have written to the \
                 tables that lead, and no run has carried, is in no row"
            }
        });
        asked(NOTHING)?;
    }
    let source = opened.source.as_mut();
    let of = (&opened.checked.model, Some(&sides));
    settled(
        keyfold_relational::abort(source, &backend, of, which),
        &backend,
    )?;
    told::simple(
        "aborted",
        "the migration was given up; what it has written stays",
        output,
    );
    Ok(())
}
