//! A page of a pattern's answer.

use super::exchange::carried;
use super::fault::Fault;
use super::place::Place;
use super::typed;
use keyfold_client::{FoundItem, OnUnknown, PageRequest, arguments, origin};
use keyfold_lower::read;
use keyfold_model::Model;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// What the page asks.
#[derive(Deserialize)]
pub(super) struct Asked {
    pub(super) file: Option<usize>,
    pattern: String,
    /// The arguments as they were typed.
    arguments: BTreeMap<String, String>,
    /// Items a page, instead of the pattern's number.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<Json>,
    /// Whether items that the model does not know are left out. They are an error otherwise.
    #[serde(default, rename = "skipsUnknown")]
    skips_unknown: bool,
}

/// Runs the pattern.
pub(super) fn page(place: &Place, model: &Model, asked: &Asked) -> Result<Json, Fault> {
    let pattern = model.pattern(&asked.pattern).ok_or_else(|| {
        Fault::because(format!("the stored model has no pattern {}", asked.pattern))
    })?;
    let values = arguments::of_pattern(pattern, &asked.arguments)?;
    let start = PageRequest {
        limit: asked.limit.filter(|limit| *limit > 0),
        after: asked.after.as_ref().map(typed::read).transpose()?,
        on_unknown: match asked.skips_unknown {
            true => OnUnknown::Skip,
            false => OnUnknown::Error,
        },
        ..PageRequest::default()
    };
    let mut notes = Vec::new();
    let call = read::page(origin(), model, pattern, &values, &start);
    let found = match carried(place, call, &mut notes) {
        Ok(found) => found,
        Err(error) => return Err(Fault::from(error).after(notes)),
    };
    Ok(json!({
        "items": found.items.iter().map(shown).collect::<Vec<_>>(),
        "asked": {
            "operation": found.request.operation,
            "place": found.request.place,
            "condition": found.request.condition,
            "modifiers": found.request.modifiers,
        },
        "requests": found.requests,
        "units": found.capacity.units(),
        "next": found.next.as_ref().map(typed::item),
        "exchanges": notes,
    }))
}

fn shown(item: &FoundItem) -> Json {
    let all = item.attributes.iter();
    let values = all.map(|(name, held)| (name.as_str(), held));
    json!({ "kind": item.kind, "role": "entity", "values": typed::pairs(values) })
}
