//! Reads of single items that one step of a call asks for, in as few requests as hold them.
//!
//! A transaction over many entities reads each of them before: a hundred requests, which take longer than the
//! transaction. Here they are one. Whoever writes a few entities does not need this, and sends what all clients
//! send.

use crate::backend::Backend;
use crate::drive::{answered, drive_by};
use crate::terms::Terms;
use keyfold_api::{BatchGetItemInput, GetItemInput, GetItemOutput, KeysAndAttributes};
use keyfold_api::{RawItem, Request, Response};
use keyfold_lower::{ClientError, Lowering};
use keyfold_types::Item;
use keyfold_types::limits::BATCH_GET_KEYS_MAX;

/// An item that is asked for.
struct Wanted {
    table: String,
    key: Item,
    /// The positions of the requests for it.
    asked: Vec<usize>,
    /// Its answer, once there is one.
    found: Option<Option<RawItem>>,
}

/// As [`crate::drive()`], where reads of single items that may be sent at the same time are sent together. An engine in
/// this process answers each without a way between.
///
/// # Errors
/// The call's.
pub(crate) fn drive_gathered<T>(
    backend: &Backend,
    call: Lowering<'_, T>,
) -> Result<T, ClientError> {
    let terms = Terms::default();
    drive_by(&terms, call, |requests| match backend.is_embedded() {
        true => answered(backend, &terms, requests),
        false => gathered(backend, &terms, requests),
    })
}

/// The answers of requests, in their order: reads of whole items, with strong consistency, are sent together.
/// What a request for many leaves out, or all of it where that request fails, is asked one by one, so that each
/// answer is what its request alone had got.
fn gathered(
    backend: &Backend,
    terms: &Terms,
    requests: Vec<Request>,
) -> Vec<Result<Response, ClientError>> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for (at, request) in requests.iter().enumerate() {
        let Some((table, key)) = whole(request) else {
            continue;
        };
        match wanted
            .iter_mut()
            .find(|one| one.table == table && one.key == *key)
        {
            Some(one) => one.asked.push(at),
            None => wanted.push(Wanted {
                table: table.to_owned(),
                key: key.clone(),
                asked: vec![at],
                found: None,
            }),
        }
    }
    if wanted.len() > 1 {
        for some in wanted.chunks_mut(BATCH_GET_KEYS_MAX) {
            read(backend, terms, some);
        }
    }
    let mut answers: Vec<Option<Result<Response, ClientError>>> = Vec::new();
    answers.resize_with(requests.len(), || None);
    for one in wanted {
        for at in one.asked {
            if let (Some(answer), Some(item)) = (answers.get_mut(at), one.found.clone()) {
                *answer = Some(Ok(Response::GetItem(GetItemOutput {
                    item,
                    consumed_capacity: None,
                })));
            }
        }
    }
    let left = requests.into_iter().zip(&answers);
    let left: Vec<Request> = left
        .filter_map(|(request, answer)| answer.is_none().then_some(request))
        .collect();
    let mut others = answered(backend, terms, left).into_iter();
    answers
        .into_iter()
        .filter_map(|answer| answer.or_else(|| others.next()))
        .collect()
}

/// The table and the key of a read that BatchGetItem does as well.
fn whole(request: &Request) -> Option<(&str, &Item)> {
    let Request::GetItem(GetItemInput {
        table_name: Some(table),
        key: Some(Ok(key)),
        consistent_read: Some(true),
        projection_expression: None,
        legacy: None,
        ..
    }) = request
    else {
        return None;
    };
    Some((table, key))
}

/// Reads items in one request. What it does not answer stays without an answer.
fn read(backend: &Backend, terms: &Terms, wanted: &mut [Wanted]) {
    let mut request_items: Vec<(String, KeysAndAttributes)> = Vec::new();
    for one in wanted.iter() {
        let key = Ok(one.key.clone());
        match request_items
            .iter_mut()
            .find(|(table, _)| *table == one.table)
        {
            Some((_, keys)) => keys.keys.get_or_insert_default().push(key),
            None => request_items.push((
                one.table.clone(),
                KeysAndAttributes {
                    keys: Some(vec![key]),
                    consistent_read: Some(true),
                    ..KeysAndAttributes::default()
                },
            )),
        }
    }
    let input = BatchGetItemInput {
        request_items: Some(request_items),
        ..BatchGetItemInput::default()
    };
    let Ok(Response::BatchGetItem(output)) = backend.call_on(input.into(), terms) else {
        return;
    };
    let is_answered = |one: &Wanted| {
        let left = output.unprocessed_keys.iter();
        let left = left.filter(|(table, _)| *table == one.table);
        let mut left = left.flat_map(|(_, keys)| keys.keys.iter().flatten());
        !left.any(|key| key.as_ref().is_ok_and(|key| *key == one.key))
    };
    for one in wanted.iter_mut().filter(|one| is_answered(one)) {
        one.found = Some(None);
    }
    for (table, items) in &output.responses {
        for raw in items {
            let item = raw.to_item();
            let is_it = |one: &&mut Wanted| {
                let mut key = one.key.iter();
                one.table == *table && key.all(|(name, value)| item.get(name) == Some(value))
            };
            if let Some(one) = wanted.iter_mut().find(is_it) {
                one.found = Some(Some(raw.clone()));
            }
        }
    }
}
