//! The views of a model, as `keyfold views status` says them.

use super::named::{Named, path_word};
use crate::cmd::views::{consumers, name_of};
use crate::terminal;
use keyfold_client::Backend;
use keyfold_model::Model;
use keyfold_stream::sends;
use keyfold_stream::views::{UnreadableItem, ViewStatus, status};
use keyfold_workbench::{Known, View};
use std::path::Path;
use std::sync::Arc;

/// The items that give nothing of which a view shows the causes.
const SHOWN: usize = 5;

/// Each view of the model.
pub(super) fn views(
    backend: &Arc<Backend>,
    named: &Named,
    (path, model): (&Path, &Model),
) -> Known<View> {
    if model.entities.iter().all(|one| one.view.is_none()) {
        return Ok(Vec::new());
    }
    let (send, model) = (sends(Arc::clone(backend)), Arc::new(model.clone()));
    let all = status(&send, &model, &consumers()).map_err(|error| error.to_string())?;
    Ok(all.into_iter().map(|one| shown(named, path, one)).collect())
}

fn shown(named: &Named, path: &Path, view: ViewStatus) -> View {
    let name = name_of(&view).to_owned();
    let command = named.command(|named| {
        let (path, options) = (path_word(path), &named.options);
        match &view {
            ViewStatus {
                live: Some(_),
                is_current: false,
                next: None,
                ..
            } => format!("keyfold views rebuild {path} {name} {options}"),
            ViewStatus { set_aside: 1.., .. } => {
                format!("keyfold views replay {path} {name} {options}")
            }
            ViewStatus { .. } => format!("keyfold views run {path} {options}"),
        }
    });
    let items = [
        ("gives nothing", &view.unreadable),
        ("has no sum", &view.without_sum),
    ];
    let all = items
        .iter()
        .flat_map(|(what, items)| items.iter().map(move |item| note(what, item)));
    let lost = view.lost.iter();
    let lost = lost.map(|why| format!("is kept no more, and a worker builds it anew: {why}"));
    let notes: Vec<String> = lost.chain(all).collect();
    View {
        name,
        live: view.live,
        is_current: view.is_current,
        next: view.next,
        behind: view.behind,
        has_more: view.has_more,
        lag_ms: u64::try_from(view.lag.as_millis()).unwrap_or(u64::MAX),
        set_aside: (view.set_aside, view.why),
        more_notes: notes.len().saturating_sub(SHOWN),
        notes: notes.into_iter().take(SHOWN).collect(),
        command,
    }
}

fn note(what: &str, item: &UnreadableItem) -> String {
    let UnreadableItem { table, key, why } = item;
    format!("{what}: {table} {}: {why}", terminal::key(key))
}
