//! The rules that a wrong switch breaks, one each. The world carries requests out that way.

use super::{State, TABLE, at};
use keyfold_api::{
    ErrorKind, GetRecordsOutput, GetResourcePolicyOutput, PutResourcePolicyInput,
    PutResourcePolicyOutput, Request, Response, UpdateItemInput,
};
use keyfold_client::ClientError;
use keyfold_codec::RawItem;
use keyfold_motion::world::Place;
use keyfold_motion::{LEDGER, PROBING_AGENT};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

/// What a wrong switch would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// What is left is not carried when writes are refused.
    NoDrain,
    /// What is left is looked for before writes are refused.
    MarkBeforeRefusal,
    /// The refusals of both sides are taken back.
    BothLifted,
    /// A direction begins anew when it turns.
    AppliedTwice,
    /// Checkpoints are not taken from runs of before when the direction turns: one that goes on applies what
    /// the mover itself has written.
    NoFence,
    /// A run that has read a row, and stood still while somebody turned it, takes it as it was.
    TakenAsItWas,
}

/// What has happened, and what a mutant makes of it.
#[derive(Default)]
pub(super) struct Broken {
    mutant: Option<Mutant>,
    /// Whether the target refused writes once: programs know it from then on.
    pub(super) has_closed_target: bool,
    /// Whether the direction has turned.
    pub(super) has_turned: bool,
    /// The side that leads.
    leads_target: bool,
    /// Whether the side that leads refuses writes.
    is_closed: bool,
    /// The fences of processes, of a mutant that does not compare them.
    fences: BTreeMap<u64, Value>,
    /// The refusal that comes too late.
    late: Option<(Place, Request)>,
}

impl Broken {
    pub(super) fn of(mutant: Option<Mutant>) -> Broken {
        Broken {
            mutant,
            ..Broken::default()
        }
    }

    fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    fn lead(&self) -> Place {
        match self.leads_target {
            true => Place::Target,
            false => Place::Source,
        }
    }
}

/// Carries a request out as the mutant does.
pub(super) fn broken(
    state: &mut State,
    (process, place): (u64, Place),
    (request, agent): (&Request, &str),
) -> Result<Response, ClientError> {
    if let Request::PutResourcePolicy(input) = request
        && denies(input)
        && place == state.broken.lead()
        && state.broken.is(Mutant::MarkBeforeRefusal)
        && !state.broken.has_turned
    {
        let mut input = input.clone();
        input.expected_revision_id = None;
        state.broken.late = Some((place, input.into()));
        let output = PutResourcePolicyOutput {
            revision_id: Some("late".to_owned()),
        };
        return Ok(Response::PutResourcePolicy(output));
    }
    let is_late = matches!(&state.broken.late, Some((late, _)) if *late == place);
    // It seems to be there already.
    if let (Request::GetResourcePolicy(_), Some((_, Request::PutResourcePolicy(put))), true) =
        (request, &state.broken.late, is_late)
    {
        return Ok(Response::GetResourcePolicy(GetResourcePolicyOutput {
            policy: put.policy.clone(),
            revision_id: Some("late".to_owned()),
        }));
    }
    if agent == PROBING_AGENT && is_late {
        return Err(super::super::service(ErrorKind::AccessDenied));
    }
    if let Request::GetRecords(input) = request
        && place == state.broken.lead()
        && state.broken.is_closed
        && state.broken.is(Mutant::NoDrain)
    {
        return Ok(Response::GetRecords(GetRecordsOutput {
            records: Some(Vec::new()),
            next_shard_iterator: input.shard_iterator.clone(),
        }));
    }
    let changed = unfenced(state, process, request).or_else(|| blind(state, process, request));
    let request = changed.as_ref().unwrap_or(request);
    let answer = state.engines[at(place)].call_as(agent, request.clone());
    if answer.is_ok() {
        follow(state, place, request);
    }
    match (answer, state.broken.fences.get(&process)) {
        (Ok(Response::GetItem(mut found)), Some(fence)) => {
            found.item = found.item.map(|row| as_of(&row.to_item(), fence));
            Ok(Response::GetItem(found))
        }
        (answer, _) => answer,
    }
}

/// A checkpoint, as if the process that reads it had it still.
fn as_of(row: &Item, fence: &Value) -> RawItem {
    let mut row = row.clone();
    let is_shard = matches!(row.get("part"), Some(Value::S(part)) if part.contains(" shard "));
    if is_shard {
        row.insert("fence", fence.clone());
    }
    RawItem::encode(&row)
}

/// A transaction that does not ask for the fence of its run.
fn unfenced(state: &mut State, process: u64, request: &Request) -> Option<Request> {
    let Request::TransactWriteItems(input) = request else {
        return None;
    };
    if !state.broken.is(Mutant::NoFence) || !state.followers.contains(&process) {
        return None;
    }
    let mut input = input.clone();
    for update in input.transact_items.iter_mut().flatten() {
        if let Some(update) = &mut update.update
            && update.condition_expression.as_deref() == Some(keyfold_motion::IS_SEEN)
        {
            let values = update.expression_attributes.values.as_ref().unwrap();
            let fence = values.as_ref().unwrap().get(":fence").unwrap().clone();
            state.broken.fences.insert(process, fence);
            // Of the condition, the fence always holds.
            let condition = "(#fence = :fence OR attribute_exists(#fence)) AND #step = :step";
            update.condition_expression = Some(condition.to_owned());
        }
    }
    Some(input.into())
}

/// A take of a row by a run, whatever the row has become since the run has read it.
fn blind(state: &State, process: u64, request: &Request) -> Option<Request> {
    let Request::UpdateItem(input) = request else {
        return None;
    };
    let is_take = input.condition_expression.as_deref() == Some(keyfold_motion::IS_UNCHANGED);
    if !state.broken.is(Mutant::TakenAsItWas) || !state.followers.contains(&process) || !is_take {
        return None;
    }
    let mut input = input.clone();
    // Any fence is the one that was read.
    let condition = "(#fence = :fence OR attribute_exists(#fence)) AND (#phase = :phase OR attribute_exists(#phase))";
    input.condition_expression = Some(condition.to_owned());
    Some(input.into())
}

/// Notes what a request came to, and does what a mutant does beside it.
fn follow(state: &mut State, place: Place, request: &Request) {
    match request {
        Request::PutResourcePolicy(input) if denies(input) => {
            state.broken.has_closed_target |= place == Place::Target;
            state.broken.is_closed |= place == state.broken.lead();
        }
        Request::DeleteResourcePolicy(_) if state.broken.is(Mutant::BothLifted) => {
            let other = place.other();
            let mut lifted = request.clone();
            if let Request::DeleteResourcePolicy(input) = &mut lifted {
                input.expected_revision_id = None;
            }
            state.engines[at(other)].call(lifted).ok();
        }
        Request::UpdateItem(input) => {
            state.changed(place);
            if place == Place::Target && is_turn(input) {
                note_lead(state, input);
            }
        }
        _ => {}
    }
}

/// Whether a policy refuses writes. Others only show whether it may be put, or give it a revision.
fn denies(input: &PutResourcePolicyInput) -> bool {
    let policy = input.policy.as_deref().unwrap_or_default();
    policy.contains("StringNotLike")
}

/// Whether an update notes which side leads.
fn is_turn(input: &UpdateItemInput) -> bool {
    let update = input.update_expression.as_deref();
    update.is_some_and(|update| update.contains("#lead"))
}

/// Notes which side leads, when the row that counts says it.
fn note_lead(state: &mut State, input: &UpdateItemInput) {
    let values = input.expression_attributes.values.as_ref().unwrap();
    let lead = values.as_ref().unwrap().get(":lead").cloned();
    let leads_target = lead == Some(Value::from("target"));
    if leads_target == state.broken.leads_target {
        return;
    }
    state.broken.leads_target = leads_target;
    state.broken.has_turned = true;
    state.broken.is_closed = false;
    if let Some((place, request)) = state.broken.late.take() {
        state.engines[at(place)].call(request).ok();
    }
    if state.broken.is(Mutant::AppliedTwice) {
        for place in [Place::Source, Place::Target] {
            begin_anew(state, place);
        }
    }
}

/// Sets the positions of the stream back to its beginning.
fn begin_anew(state: &State, place: Place) {
    let engine = &state.engines[at(place)];
    let scan = keyfold_api::ScanInput {
        table_name: Some(LEDGER.to_owned()),
        ..keyfold_api::ScanInput::default()
    };
    let Ok(Response::Scan(page)) = engine.call(scan.into()) else {
        return;
    };
    for row in page.items.unwrap_or_default() {
        let mut row: Item = row.to_item();
        let is_shard = matches!(row.get("part"), Some(Value::S(part)) if part.starts_with(&format!("{TABLE} shard")));
        if is_shard {
            row.insert("at", "TRIM_HORIZON");
            let put = keyfold_api::PutItemInput {
                table_name: Some(LEDGER.to_owned()),
                item: Some(Ok(row)),
                ..keyfold_api::PutItemInput::default()
            };
            engine.call(put.into()).unwrap();
        }
    }
}
