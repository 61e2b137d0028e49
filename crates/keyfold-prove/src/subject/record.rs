//! The steps of calls, written down: what was asked, what was answered, and the result. A client in
//! another language is tested with them, without an engine.

use super::forms::{Answer, of_answer, of_request, of_result};
use keyfold_client::{Backend, ClientError};
use keyfold_codegen::plan;
use keyfold_lower::{Lowering, Step};
use keyfold_model::Model;
use serde_json::{Value as Json, json};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Where the calls are written to, a line each.
#[derive(Clone)]
pub struct Record {
    out: Arc<Mutex<dyn Write + Send>>,
    /// The first line that could not be written.
    failed: Arc<Mutex<Option<std::io::Error>>>,
}

impl Record {
    /// A record of a model's calls in a file or a buffer. The first line is the model's plan
    /// document.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn new(model: &Model, mut out: impl Write + Send + 'static) -> std::io::Result<Record> {
        writeln!(out, "{}", json!({ "plan": plan::document(model) }))?;
        Ok(Record {
            out: Arc::new(Mutex::new(out)),
            failed: Arc::default(),
        })
    }

    /// Ends the record.
    ///
    /// # Errors
    /// When a line could not be written: the record is not whole, and the proof is what it is.
    pub fn finish(&self) -> std::io::Result<()> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = failed.take() {
            return Err(error);
        }
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.flush()
    }

    /// Carries a call out, and writes it down.
    ///
    /// # Errors
    /// The call's. What cannot be written is told by [`Record::finish`].
    pub(super) fn drive<T: Answer>(
        &self,
        backend: &Backend,
        mut call: Lowering<'_, T>,
        mut line: Json,
    ) -> Result<T, ClientError> {
        let (mut steps, mut answers) = (Vec::new(), Vec::new());
        let result = loop {
            match call.next(std::mem::take(&mut answers)) {
                Step::Ask(requests) => {
                    let asked: Vec<Json> = requests.iter().map(of_request).collect();
                    answers.extend(requests.into_iter().map(|one| backend.call(one)));
                    let answered: Vec<Json> = answers.iter().map(of_answer).collect();
                    steps.push(json!({ "ask": asked, "answers": answered }));
                }
                Step::Pause(_) => steps.push(json!({ "pause": true })),
                Step::Done(result) => break result,
            }
        };
        if let (Some(members), Json::Object(end)) = (line.as_object_mut(), of_result(&result)) {
            members.insert("steps".to_owned(), Json::Array(steps));
            members.extend(end);
        }
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = writeln!(out, "{line}") {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert(error);
        }
        result
    }
}
