//! Writes that are shown first, and carried out as they were shown.
//!
//! A write is made twice with the same moment and the same chance. The first time it reads what is
//! stored, and its last request is not sent. The second time that request must be the one that was
//! shown: nothing is sent where somebody has changed what it rests on.

use super::exchange::{body, send};
use super::fault::Fault;
use super::place::Place;
use super::step::steps;
use super::typed;
use keyfold_api::{Operation, Request, Response};
use keyfold_client::{origin, time_of, wait};
use keyfold_lower::write::{Made, Transacted, Written};
use keyfold_lower::{Lowering, Origin, Step};
use keyfold_model::Model;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

/// A write that was shown.
#[derive(Deserialize, Serialize)]
pub(super) struct Shown {
    now: i64,
    /// Its chance, in hexadecimal.
    seed: String,
    request: Json,
}

/// The report of a write, of one kind.
pub(super) trait Report {
    fn written(self) -> Written;
}

impl Report for Written {
    fn written(self) -> Written {
        self
    }
}

impl Report for Transacted {
    fn written(self) -> Written {
        let Transacted {
            operation,
            capacity,
            writes,
        } = self;
        let (mut changes, mut made) = (Vec::new(), Vec::new());
        for one in writes {
            changes.extend(one.changes);
            made.extend(one.made);
        }
        Written {
            operation,
            changes,
            capacity,
            made,
        }
    }
}

/// Shows what a write does. Returns the answer for the page, and the attributes that the write makes.
pub(super) fn show<'w, T: Report>(
    place: &Place,
    model: &Model,
    make: impl FnOnce(Origin) -> Lowering<'w, T>,
    notes: &mut Vec<Json>,
) -> Result<(Json, Vec<Made>), Fault> {
    let origin = origin();
    let mut kept = None;
    let written = driven(place, make(origin), notes, |request, _| {
        let answer = done(&request);
        kept = Some(request);
        Ok(Some(answer))
    })?;
    let Some(request) = kept else {
        return Ok((json!({ "actions": [], "shown": null }), written.made));
    };
    let shown = Shown {
        now: origin.now_epoch_ms,
        seed: format!("{:032x}", origin.seed),
        request: body(&request),
    };
    let made = |one: &Made| json!([one.attribute, typed::value(&one.value)]);
    let said = json!({
        "operation": written.operation,
        "actions": steps(model, &request, &written.changes),
        "made": written.made.iter().map(made).collect::<Vec<_>>(),
        "request": shown.request.clone(),
        "shown": shown,
        "anew": [],
    });
    Ok((said, written.made))
}

/// Carries out what was shown. `before` sees the request before it is sent.
pub(super) fn carry_out<'w, T: Report>(
    place: &Place,
    make: impl FnOnce(Origin) -> Lowering<'w, T>,
    shown: &Shown,
    notes: &mut Vec<Json>,
    mut before: impl FnMut(&Request, &mut Vec<Json>),
) -> Result<Json, Fault> {
    let wrong = |_| Fault::because("this was not shown by the workbench".to_owned());
    let origin = Origin {
        now_epoch_ms: shown.now,
        seed: u128::from_str_radix(&shown.seed, 16).map_err(wrong)?,
    };
    let written = driven(place, make(origin), notes, |request, notes| {
        if body(&request) == shown.request {
            before(&request, notes);
            return Ok(None);
        }
        Err(Fault::because(
            "what is stored has changed since this was shown: nothing was written; look at it again".to_owned(),
        ))
    })?;
    Ok(json!({
        "done": { "operation": written.operation, "changes": written.changes, "units": written.capacity.units() },
    }))
}

/// The answer with the requests that were sent.
pub(super) fn noted(answered: Result<Json, Fault>, notes: Vec<Json>) -> Result<Json, Fault> {
    match answered {
        Ok(mut said) => {
            said["exchanges"] = notes.into();
            Ok(said)
        }
        Err(fault) => Err(fault.after(notes)),
    }
}

/// Carries out the steps of a write. `decide` answers a request that writes in its stead, or lets it be
/// sent.
fn driven<T: Report>(
    place: &Place,
    mut call: Lowering<'_, T>,
    notes: &mut Vec<Json>,
    mut decide: impl FnMut(Request, &mut Vec<Json>) -> Result<Option<Response>, Fault>,
) -> Result<Written, Fault> {
    let mut answers = Vec::new();
    loop {
        match call.next(std::mem::take(&mut answers)) {
            Step::Ask(requests) => {
                for request in requests {
                    let instead = match is_read(request.operation()) {
                        true => None,
                        false => decide(request.clone(), notes)?,
                    };
                    answers.push(match instead {
                        Some(answer) => Ok(answer),
                        None => send(place, request, notes),
                    });
                }
            }
            Step::Pause(pause) => wait(time_of(pause)),
            Step::Done(result) => return Ok(result?.written()),
        }
    }
}

fn is_read(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::GetItem
            | Operation::BatchGetItem
            | Operation::TransactGetItems
            | Operation::Query
            | Operation::Scan
            | Operation::DescribeTable
    )
}

/// The answer of a request that is not sent, as if it had been carried out.
fn done(request: &Request) -> Response {
    if let Request::PutItem(_) = request {
        return Response::PutItem(Default::default());
    }
    if let Request::UpdateItem(_) = request {
        return Response::UpdateItem(Default::default());
    }
    if let Request::DeleteItem(_) = request {
        return Response::DeleteItem(Default::default());
    }
    Response::TransactWriteItems(Default::default())
}
