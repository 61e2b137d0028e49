//! What the requests of a process are to the scheduler.

use super::What;
use super::sleep::Write;
use super::values::{text, value};
use keyfold_api::Request;
use keyfold_motion::world::Place;
use keyfold_motion::{HAS_NONE, IS_EARLIER};

/// Whether a request arrives at once or never. Tables are made and deleted by their names alone: a
/// request that is later than all that follows cannot be distinguished from one of today.
pub(crate) fn is_of_table(request: &Request) -> bool {
    matches!(
        request,
        Request::CreateTable(_) | Request::DeleteTable(_) | Request::UpdateTimeToLive(_)
    )
}

/// Whether this is a page of the scan.
pub(crate) fn is_page(what: &What) -> bool {
    match what {
        What::Request(Place::Source, request) => matches!(**request, Request::Scan(_)),
        What::Request(Place::Target, _) | What::Pause => false,
    }
}

/// The write of rows or items of the target that a request is.
pub(crate) fn write_of(what: &What) -> Option<Write> {
    let What::Request(Place::Target, request) = what else {
        return None;
    };
    match &**request {
        Request::PutItem(_) => Some(Write::Begin),
        Request::UpdateItem(input) => match input.condition_expression.as_deref() {
            Some(IS_EARLIER) => {
                let phase = value(&input.expression_attributes, ":phase");
                Some(match text(phase) {
                    "following" => Write::Note,
                    _ => Write::Other,
                })
            }
            _ => Some(Write::Begin),
        },
        Request::TransactWriteItems(input) => {
            let mut actions = input.transact_items.iter().flatten();
            let is_page = actions.any(|action| {
                let put = action.put.as_ref();
                put.is_some_and(|put| put.condition_expression.as_deref() == Some(HAS_NONE))
            });
            Some(match is_page {
                true => Write::Page,
                false => Write::Other,
            })
        }
        Request::BatchWriteItem(_) => Some(Write::Other),
        _ => None,
    }
}

/// The items of the scan that a request writes, by their numbers.
pub(crate) fn keys_of(what: &What) -> Vec<usize> {
    let What::Request(Place::Target, request) = what else {
        return Vec::new();
    };
    let Request::TransactWriteItems(input) = &**request else {
        return Vec::new();
    };
    let puts = input.transact_items.iter().flatten();
    let puts = puts.filter_map(|action| action.put.as_ref());
    let items = puts.filter(|put| put.condition_expression.as_deref() == Some(HAS_NONE));
    items
        .map(|put| {
            let item = put.item.as_ref().unwrap().as_ref().unwrap();
            text(item.get("id").unwrap())[1..].parse().unwrap()
        })
        .collect()
}
