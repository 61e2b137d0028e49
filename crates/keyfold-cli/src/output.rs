//! The output of a command: text for people or one JSON document for programs.

use crate::failure::Failure;
use crate::json;
use crate::terminal::{self, ERROR, GOOD};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::process::ExitCode;

/// The form of a command's output. Every command gets it, and prints through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// Text for people.
    Text,
    /// One JSON document for programs.
    Json,
}

impl Output {
    /// The form that `--json` asks for.
    pub(crate) fn of_flag(json: bool) -> Output {
        if json { Output::Json } else { Output::Text }
    }

    /// Prints a result: the document for programs, or what `text` prints for people.
    pub(crate) fn result(self, document: impl FnOnce() -> Json, text: impl FnOnce()) {
        match self {
            Output::Text => text(),
            Output::Json => json::print(&document()),
        }
    }

    /// Prints a report that has a verdict. After a bad verdict people have seen the report, and
    /// programs get it with the failure.
    ///
    /// # Errors
    /// The verdict's failure.
    pub(crate) fn report(
        self,
        document: Json,
        text: impl FnOnce(),
        verdict: Result<(), Failure>,
    ) -> Result<(), Failure> {
        terminal::end_untaken_with(verdict.as_ref().map_or_else(Failure::number, |()| 0));
        if self == Output::Text {
            text();
        }
        match verdict {
            Err(failure) => return Err(failure.with_report(document)),
            Ok(()) if self == Output::Json => json::print(&document),
            Ok(()) => {}
        }
        Ok(())
    }

    /// Writes a text that is no model to a file, or to standard output without one.
    ///
    /// # Errors
    /// When the file cannot be written, or is a model.
    pub(crate) fn text(self, path: Option<&Path>, text: &str) -> Result<(), Failure> {
        if let Some(path) = path
            && path.extension().is_some_and(|end| end == "keyfold")
            && path.is_file()
        {
            let message = format!("{} is a model, and is not replaced", path.display());
            return Err(Failure::usage(message).in_file(path));
        }
        self.replacing(path, text)
    }

    /// Writes a text to a file, whatever it holds, or to standard output without one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn replacing(self, path: Option<&Path>, text: &str) -> Result<(), Failure> {
        self.replacing_with(path, text, None)
    }

    /// Writes a text to a file, whatever it holds, or to standard output without one; programs get a report
    /// with it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn replacing_with(
        self,
        path: Option<&Path>,
        text: &str,
        report: Option<Json>,
    ) -> Result<(), Failure> {
        let document = |mut document: Json| {
            if let (Some(members), Some(report)) = (document.as_object_mut(), report) {
                members.insert("report".to_owned(), report);
            }
            document
        };
        let Some(path) = path else {
            self.result(
                || document(json!({ "text": text })),
                || terminal::exactly(text.trim_end()),
            );
            return Ok(());
        };
        std::fs::write(path, text).map_err(|error| Failure::unwritten(path, &error))?;
        let shown = path.display().to_string();
        self.result(
            || document(json!({ "written": shown })),
            || terminal::line(&format!("{GOOD}written{GOOD:#} {shown}")),
        );
        Ok(())
    }

    /// Prints a failure, and returns its exit code.
    pub(crate) fn failure(self, failure: Failure) -> ExitCode {
        let code = failure.code();
        terminal::end_untaken_with(failure.number());
        match self {
            Output::Text => {
                if let Some(message) = failure.unseen_message() {
                    terminal::error_line(&format!("{ERROR}error{ERROR:#}: {message}"));
                }
            }
            Output::Json => json::print_failure(failure.into_document()),
        }
        code
    }
}
