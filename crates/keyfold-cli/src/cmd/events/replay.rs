//! `keyfold events replay`: sends batches that were discarded to a function. Each is noted as soon as it is handled, and
//! said.

use super::batches::{Batches, Notes};
use super::found::Found;
use super::names::named;
use crate::backend::{BackendArguments, Use};
use crate::cmd::on_stream::{Called, Prepared, Served};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, GOOD, STRONG, counted, shown};
use keyfold_model::near;
use keyfold_stream::mapping::{Discard, Function, Reader, Settings};
use keyfold_stream::sends;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Which batches of a file are sent.
pub(super) struct Chosen<'c> {
    pub(super) file: &'c Path,
    /// The line of one batch.
    pub(super) number: Option<usize>,
    /// The mapping that has discarded them.
    pub(super) of: Option<&'c str>,
}

impl Chosen<'_> {
    /// The batches of a table that are left and meant. Those of several mappings are refused: each has a function of
    /// its own.
    fn among<'b>(
        &self,
        batches: &'b Batches,
        table: &str,
    ) -> Result<Vec<(usize, &'b Discard)>, Failure> {
        self.check_table(batches, table)?;
        let of_table = batches.left().filter(|one| one.1.table() == table);
        let mut meant: Vec<_> = of_table
            .filter(|one| self.number.is_none_or(|number| one.0 == number))
            .collect();
        if let (Some(number), []) = (self.number, meant.as_slice()) {
            let why = format!(
                "--batch {number}: {} has no such batch of {table} that is left; `keyfold events failures` shows them",
                self.file.display()
            );
            return Err(Failure::usage(why).of_argument("--batch"));
        }
        if let Some(of) = self.of {
            self.check_mapping(batches, of)?;
            meant.retain(|one| is_of(one.1, of));
        }
        let mappings: BTreeSet<&str> = meant.iter().map(|one| one.1.whose()).collect();
        if mappings.len() > 1 {
            let why = format!(
                "{} has batches of {table} of several mappings: choose one by `--of NAME`: {}",
                self.file.display(),
                listed(mappings.into_iter().map(named))
            );
            return Err(Failure::usage(why).of_argument("--of"));
        }
        Ok(meant)
    }

    fn check_table(&self, batches: &Batches, table: &str) -> Result<(), Failure> {
        let tables: BTreeSet<&str> = batches.all().map(Discard::table).collect();
        if tables.is_empty() || tables.contains(table) {
            return Ok(());
        }
        let why = format!(
            "--to {table}: {} has no batch of {table}, but of {}{}",
            self.file.display(),
            listed(tables.iter().map(|one| (*one).to_owned())),
            shown(&near::meant(table, tables.iter().copied()))
        );
        Err(Failure::usage(why).of_argument("--to"))
    }

    fn check_mapping(&self, batches: &Batches, of: &str) -> Result<(), Failure> {
        if batches.all().any(|batch| is_of(batch, of)) {
            return Ok(());
        }
        let mappings: BTreeSet<String> = batches.all().map(|one| named(one.whose())).collect();
        let near = near::meant(of, mappings.iter().map(String::as_str));
        let why = format!(
            "--of {of}: {} has no batch of it, but of {}{}",
            self.file.display(),
            listed(mappings.iter().cloned()),
            shown(&near)
        );
        Err(Failure::usage(why).of_argument("--of"))
    }
}

/// Whether a mapping, by its name, as lines name it, or by its function, has discarded a batch.
fn is_of(batch: &Discard, of: &str) -> bool {
    let whose = batch.whose();
    whose == of || named(whose) == of || batch.function.as_deref() == Some(of)
}

/// Names of a file in a sentence.
fn listed(names: impl Iterator<Item = String>) -> String {
    let names = names.map(|name| format!("`{}`", shown(&name)));
    names.collect::<Vec<_>>().join(", ")
}

pub(super) fn replay(
    chosen: &Chosen<'_>,
    to: &Settings,
    backend: &BackendArguments,
    output: Output,
) -> Result<(), Failure> {
    let (batches, mut notes) = Batches::read_to_note(chosen.file)?;
    let meant = chosen.among(&batches, &to.table)?;
    let function = Prepared::of(to, "--to")?;
    let served = served(backend, &function)?;
    let send = sends(Arc::new(backend.open_as_it_is(Use::Work)?));
    let function = Called::start(function, &served)?;
    batches.name_unreadable(output);
    // Until the end there are batches that are not handled.
    terminal::end_untaken_with(Failure::refused("").number());
    let (mut documents, mut left) = (Vec::new(), 0);
    let mut reader = Reader::new(&send);
    let is_none = meant.is_empty();
    for one in meant {
        let sent = send_one(&mut reader, one, (to, &*function.function), &mut notes);
        let (document, why) = match sent {
            Ok(sent) => sent,
            Err(failure) => return Err(failure.with_report(batches.document(documents))),
        };
        left += usize::from(why.is_some());
        match output {
            Output::Text => show_sent(one, why.as_deref()),
            Output::Json => documents.push(document),
        }
    }
    drop(function);
    let verdict = match left {
        0 => batches.verdict(),
        left => Err(Failure::refused(format!("{} not handled", were(left)))),
    };
    let none = || {
        if is_none {
            terminal::line(&format!("no batch of {} is left", to.table));
        }
    };
    output.report(batches.document(documents), none, verdict)
}

/// Sends a batch. Returns it for programs, and the reason for which it is left.
///
/// # Errors
/// Those that others would have, too.
fn send_one(
    reader: &mut Reader,
    one: (usize, &Discard),
    (to, function): (&Settings, &dyn Function),
    notes: &mut Notes,
) -> Result<(Json, Option<String>), Failure> {
    let found = Found::read(reader, one, to)?;
    let why = match &found.why_not {
        Some(why) => Some(why.clone()),
        None => found.kept.send(function, to).err(),
    };
    if why.is_none() {
        notes.add(one.0, one.1)?;
    }
    Ok((found.document(Some(why.as_deref())), why))
}

/// What the function knows of the server. A command asks the server for items, which has the data folder.
fn served(backend: &BackendArguments, function: &Prepared) -> Result<Served, Failure> {
    match backend.server()? {
        Some(server) => Ok(Served {
            endpoint: server.url,
            region: server.region,
        }),
        None if function.is_command() => Err(Failure::usage(
            "a command works on a server: name it by `--endpoint URL`, beside which it may run",
        )),
        None => Ok(Served::default()),
    }
}

fn show_sent((number, batch): (usize, &Discard), why: Option<&str>) {
    let records = counted(batch.count, "record");
    terminal::line(&match why {
        None => format!("{GOOD}handled{GOOD:#} {STRONG}batch {number}{STRONG:#}: {records}"),
        Some(why) => format!("{STRONG}batch {number}{STRONG:#}: {}", shown(why)),
    });
}

/// "1 batch was", "2 batches were".
pub(super) fn were(batches: usize) -> String {
    match batches {
        1 => "1 batch was".to_owned(),
        count => format!("{count} batches were"),
    }
}
