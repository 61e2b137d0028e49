//! Writes tables as exports, `keyfold move FROM export:FOLDER`, and says what becomes of those that are not whole.

use super::consent::{asked, can_ask};
use super::exports::{folder_of, none_unfinished, same_place};
use super::moved::Moved;
use super::places::{Opened, Places, known_as, one_place};
use super::report::File;
use super::told::{Told, report};
use super::watch::{Until, watched};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, FAINT, GOOD, STRONG, counted_u64};
use keyfold_motion::tables::Found;
use keyfold_motion::world::Place;
use keyfold_motion::{Options, Unfinished, Writing, may_export};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::sync::Arc;

/// What an export is, to whoever may think that it is followed.
pub(super) const STOPPED_COPY: &str =
    "An export is a stopped copy: what is written to FROM from now on is not in it.";

/// How exports are written.
pub(super) struct Wish<'w> {
    pub(super) folder: &'w Path,
    pub(super) rate: Option<u32>,
    pub(super) writers_stopped: bool,
    pub(super) follow: bool,
    pub(super) file: Option<File>,
}

impl Wish<'_> {
    /// Refuses to write an export of a source that is written, and into the place that is read.
    pub(super) fn check(&self, named: &Places, source: &Opened) -> Result<(), Failure> {
        if self.follow {
            let why = "--follow: an export is a stopped copy, to which no change is carried";
            return Err(Failure::usage(why));
        }
        if folder_of(&named.from).is_some_and(|from| same_place(&from, self.folder)) {
            return Err(one_place());
        }
        match source.is_shared && !self.writers_stopped {
            true => Err(Failure::refused(
                "an export is a stopped copy: stop the writers of the source and pass --writers-stopped, or let the \
                 source export its tables itself, by ExportTableToPointInTime",
            )),
            false => Ok(()),
        }
    }

    /// Looks whether the folder may get the exports, before anybody has agreed.
    pub(super) fn look(&self, tables: &[Found]) -> Result<(), Failure> {
        let begun = may_export(self.folder, tables)?;
        for (table, is_whole) in begun.iter().flat_map(Unfinished::states) {
            let how = match is_whole {
                true => "was exported whole by an earlier run, and stays as it is",
                false => "was not exported whole by an earlier run, and is written anew",
            };
            terminal::error_line(&format!("{table} {how}"));
        }
        terminal::error_line(STOPPED_COPY);
        Ok(())
    }
}

/// Writes an export of each table.
pub(super) fn export(
    wish: &Wish<'_>,
    (named, source): (&Places, &Opened),
    tables: Vec<Found>,
    output: Output,
) -> Result<(), Failure> {
    let from = known_as(&named.from)?;
    let writing = Writing::begin(&*source.world(), (&from, wish.folder), &tables)?;
    let writing = Arc::new(writing);
    let moved: Vec<Moved> = tables
        .into_iter()
        .map(|found| {
            let options = Options {
                rate: wish.rate,
                ..Options::new(&found.table)
            };
            let mut one = Moved::of(source, options, (found, None), Place::Source);
            one.export = Some(Arc::clone(&writing));
            one
        })
        .collect();
    let ended = watched(&moved, Until::AllEven, output);
    let ended = ended.and_then(|_| Ok(writing.end()?));
    if let Some(file) = &wish.file {
        let verdict = match &ended {
            Ok(true) => "All tables are exported.".to_owned(),
            Ok(false) => {
                "Stopped: the same command goes on, and writes anew what is not whole.".to_owned()
            }
            Err(failure) => format!("The exports cannot be written: {}", failure.message()),
        };
        let told: Vec<Told> = moved.iter().map(|one| told(one, &writing)).collect();
        let both = [named.from.as_str(), named.to.as_str()];
        let title = "An export of tables";
        file.write(&report(title, both, verdict, (&told, source.priced)))?;
    }
    if !ended? {
        return Err(Failure::refused(
            "it was stopped before all tables were exported: the same command goes on, and writes anew what is not whole",
        ));
    }
    let document = json!({
        "tables": moved.iter().map(Moved::view).collect::<Vec<_>>(),
        "isEven": true,
    });
    output.result(|| document, || show(&moved, &writing));
    Ok(())
}

/// What is said of the export of a table.
fn told(one: &Moved, writing: &Writing) -> Told {
    let table = &one.found.table;
    let figures = one.progress.figures();
    let root = writing.root(table).unwrap_or_default();
    let items = counted_u64(figures.earlier.read + figures.items, "item");
    let state = match writing.is_whole(table) {
        true => format!("exported to {}: {items}", root.display()),
        false => format!("not whole: {items} were read"),
    };
    let mut notes = vec![
        STOPPED_COPY.to_owned(),
        "Its `table.json` has key, indexes, capacity, stream settings, table class, expiry and tags. Not in it: keys of \
         encryption, policies, replicas and point-in-time recovery, which belong to an account."
            .to_owned(),
    ];
    if figures.earlier.read > 0 {
        notes.push(
            "An earlier run has written it whole: its units are not in this report.".to_owned(),
        );
    }
    Told {
        table: table.clone(),
        state,
        units: figures.units,
        retries: [figures.troubles, figures.throttles],
        notes,
        ..Told::default()
    }
}

fn show(moved: &[Moved], writing: &Writing) {
    for one in moved {
        let figures = one.progress.figures();
        terminal::line(&format!(
            "{STRONG}{}{STRONG:#}  {GOOD}exported{GOOD:#}, {}: {}",
            one.found.table,
            counted_u64(figures.earlier.read + figures.items, "item"),
            writing.root(&one.found.table).unwrap_or_default().display()
        ));
    }
    terminal::line(&format!(
        "{FAINT}`keyfold move verify FROM TO` compares both{FAINT:#}"
    ));
}

/// The exports of a folder that were begun, of the tables that are named, or all.
fn begun(folder: &Path) -> Result<Unfinished, Failure> {
    Unfinished::of(folder)?.ok_or_else(|| none_unfinished(folder))
}

/// The tables whose exports were begun, for a command that goes on with them.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, Failure> {
    let states = begun(folder)?.states();
    Ok(states.into_iter().map(|(table, _)| table).collect())
}

/// Shows which exports are not whole.
pub(super) fn status(folder: &Path, output: Output) -> Result<(), Failure> {
    let states = Unfinished::of(folder)?.map(|begun| begun.states());
    let states = states.unwrap_or_default();
    let word = |is_whole: bool| if is_whole { "exported" } else { "exporting" };
    let view = |(table, is_whole): &(String, bool)| -> Json {
        json!({ "table": table, "phase": word(*is_whole), "follows": false })
    };
    output.result(
        || json!({ "tables": states.iter().map(view).collect::<Vec<_>>() }),
        || {
            for (table, is_whole) in &states {
                let text = match is_whole {
                    true => "exported whole",
                    false => "not exported whole: the command that began it writes it anew",
                };
                terminal::line(&format!("{STRONG}{table}{STRONG:#}  {text}"));
            }
            if states.is_empty() {
                terminal::line(none_unfinished(folder).message());
            }
        },
    );
    Ok(())
}

/// Removes the exports of a command that has not written all of its exports. Those of another source are removed
/// only where somebody says so.
pub(super) fn abort(
    (from, folder): (&str, &Path),
    (yes, is_foreign): (bool, bool),
    output: Output,
) -> Result<(), Failure> {
    const OTHERWISE: &str = "nothing was deleted";
    can_ask(yes, OTHERWISE)?;
    let begun = begun(folder)?;
    if !is_foreign {
        begun.check_of(&known_as(from)?)?;
    }
    if !yes {
        terminal::error_line(&format!(
            "the exports of these tables are deleted: {}",
            begun.names()
        ));
        asked(OTHERWISE)?;
    }
    begun.abort()?;
    let states = begun.states();
    let view =
        |(table, _): &(String, bool)| -> Json { json!({ "table": table, "phase": "aborted" }) };
    output.result(
        || json!({ "tables": states.iter().map(view).collect::<Vec<_>>() }),
        || terminal::line(&format!("{GOOD}aborted{GOOD:#} {}", begun.names())),
    );
    Ok(())
}
