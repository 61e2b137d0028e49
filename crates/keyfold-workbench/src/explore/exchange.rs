//! Requests that are sent, and kept with their answers as the wire has them.

use super::place::Place;
use keyfold_api::{Request, Response};
use keyfold_client::{ClientError, time_of, wait};
use keyfold_lower::{Lowering, Step};
use serde_json::{Value as Json, json};

/// The body of a request.
pub(super) fn body(request: &Request) -> Json {
    let mut body = Vec::new();
    keyfold_wire::client::encode_request(&mut body, request);
    serde_json::from_slice(&body).unwrap_or(Json::Null)
}

/// Sends one request, and notes it.
pub(super) fn send(
    place: &Place,
    request: Request,
    notes: &mut Vec<Json>,
) -> Result<Response, ClientError> {
    let operation = request.operation().name();
    let body = body(&request);
    let answer = place.backend.call(request);
    let mut note = json!({
        "operation": operation,
        "request": body,
    });
    match &answer {
        Ok(response) => {
            let mut body = Vec::new();
            keyfold_wire::encode_response(&mut body, response);
            note["answer"] = serde_json::from_slice(&body).unwrap_or(Json::Null);
            note["units"] = response.consumed().map(|halves| halves.units()).into();
        }
        Err(error) => note["error"] = error.to_string().into(),
    }
    notes.push(note);
    answer
}

/// Carries out all steps of a call, one request after the other, and notes each.
pub(super) fn carried<T>(
    place: &Place,
    mut call: Lowering<'_, T>,
    notes: &mut Vec<Json>,
) -> Result<T, ClientError> {
    let mut answers = Vec::new();
    loop {
        match call.next(std::mem::take(&mut answers)) {
            Step::Ask(requests) => {
                let each = requests.into_iter();
                answers.extend(each.map(|one| send(place, one, notes)));
            }
            Step::Pause(pause) => wait(time_of(pause)),
            Step::Done(result) => return result,
        }
    }
}
