//! A call in two clients at once. The embedded one says which requests are right; the process must
//! make the same ones from the same answers, in any grouping, and return the same result.

use super::forms::{Answer, canonical, of_answer, of_request, of_result};
use super::process::Process;
use keyfold_client::{Backend, ClientError};
use keyfold_lower::{Lowering, Step};
use serde_json::{Value as Json, json};

/// Carries a call out in both clients, and returns the result.
///
/// # Errors
/// The call's; `Transport` when the two differ.
pub(super) fn drive<T: Answer>(
    backend: &Backend,
    call: Lowering<'_, T>,
    line: &Json,
    process: &mut Process,
) -> Result<T, ClientError> {
    let mut own = Own {
        call,
        backend,
        answered: Vec::new(),
        waiting: Vec::new(),
        result: None,
    };
    process.send(line)?;
    loop {
        let said = process.receive()?;
        if let Some(requests) = said.get("ask").and_then(Json::as_array) {
            let answers = requests
                .iter()
                .map(|request| own.answer(request))
                .collect::<Result<Vec<Json>, ClientError>>()?;
            process.send(&json!({ "answers": answers }))?;
        } else if said.get("pause").is_some() {
            process.send(&json!({ "go": true }))?;
        } else {
            return own.finished(&said);
        }
    }
}

/// The embedded client's side of a call.
struct Own<'o, T> {
    call: Lowering<'o, T>,
    backend: &'o Backend,
    /// The answers of the last step.
    answered: Vec<Result<keyfold_api::Response, ClientError>>,
    /// Requests that the process has not made yet, with their answers.
    waiting: Vec<(Json, Json)>,
    result: Option<Result<T, ClientError>>,
}

impl<T: Answer> Own<'_, T> {
    /// The answer of a request of the process.
    fn answer(&mut self, request: &Json) -> Result<Json, ClientError> {
        let wanted = canonical(request);
        loop {
            let found = self.waiting.iter().position(|(own, _)| *own == wanted);
            if let Some(at) = found {
                return Ok(self.waiting.swap_remove(at).1);
            }
            if self.result.is_some() {
                let missing: Vec<&Json> = self.waiting.iter().map(|(own, _)| own).collect();
                return Err(differs(format!(
                    "it asks {wanted}; the embedded client asks {}",
                    json!(missing)
                )));
            }
            self.step();
        }
    }

    /// Takes the next step, and keeps its answers for the process.
    fn step(&mut self) {
        match self.call.next(std::mem::take(&mut self.answered)) {
            Step::Ask(requests) => {
                for request in requests {
                    let shown = canonical(&of_request(&request));
                    let answer = self.backend.call(request);
                    self.waiting.push((shown, of_answer(&answer)));
                    self.answered.push(answer);
                }
            }
            // The process has paused, or the other writer has gone on.
            Step::Pause(_) => {}
            Step::Done(result) => self.result = Some(result),
        }
    }

    /// The result, which must be that of the process.
    fn finished(mut self, said: &Json) -> Result<T, ClientError> {
        let result = loop {
            if let Some(result) = self.result.take() {
                break result;
            }
            self.step();
        };
        if let Some((left, _)) = self.waiting.first() {
            return Err(differs(format!("it does not ask {left}; it says {said}")));
        }
        let (own, theirs) = (of_result(&result), said);
        let is_same = match (own.get("failed"), theirs.get("failed")) {
            (Some(own), Some(theirs)) => own.get("code") == theirs.get("code"),
            (None, None) => canonical(&own) == canonical(theirs),
            (Some(_), None) | (None, Some(_)) => false,
        };
        if is_same {
            return result;
        }
        Err(differs(format!("its result is {theirs}, not {own}")))
    }
}

fn differs(how: String) -> ClientError {
    ClientError::Transport(format!("the client differs: {how}"))
}
