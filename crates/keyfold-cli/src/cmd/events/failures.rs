//! `keyfold events failures`: the batches that were discarded. Each is shown as soon as it is read.

use super::batches::Batches;
use super::found::Found;
use super::replay::were;
use crate::backend::{BackendArguments, Use};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, FAINT};
use keyfold_stream::mapping::{Reader, Settings};
use keyfold_stream::sends;
use serde_json::Value as Json;
use std::path::Path;
use std::sync::Arc;

pub(super) fn list(file: &Path, backend: &BackendArguments, output: Output) -> Result<(), Failure> {
    let batches = Batches::read(file)?;
    let send = sends(Arc::new(backend.open_as_it_is(Use::Read)?));
    let verdict = batches.verdict();
    terminal::end_untaken_with(verdict.as_ref().map_or_else(Failure::number, |()| 0));
    batches.name_unreadable(output);
    let mut documents: Vec<Json> = Vec::new();
    let mut reader = Reader::new(&send);
    for one in batches.left() {
        let settings = Settings::new(one.1.table(), "");
        let found = match Found::read(&mut reader, one, &settings) {
            Ok(found) => found,
            Err(failure) => return Err(failure.with_report(batches.document(documents))),
        };
        match output {
            Output::Text => found.show(),
            Output::Json => documents.push(found.document(None)),
        }
    }
    let summary = || match (batches.replayed(), batches.left().next()) {
        (0, None) => terminal::line("no batch was discarded"),
        (0, Some(_)) => {}
        (replayed, _) => {
            terminal::line(&format!("{FAINT}{} handled since{FAINT:#}", were(replayed)));
        }
    };
    output.report(batches.document(documents), summary, verdict)
}
