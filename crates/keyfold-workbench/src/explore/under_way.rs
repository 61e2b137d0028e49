//! What is under way at a place, in the form of the page. The place says how it is read.

use super::activity::{Activity, Known, Opened, View, Work};
use super::fault::Fault;
use super::place::Place;
use crate::files::Files;
use keyfold_model::Model;
use serde_json::{Value as Json, json};

/// What is under way, as the page gets it.
pub(super) fn activity(
    place: &Place,
    files: &Files,
    (file, model): (Option<usize>, Result<Option<Model>, Fault>),
) -> Json {
    let (model, wrong) = match model {
        Ok(model) => (model, None),
        Err(fault) => (None, Some(fault.message())),
    };
    let path = file.and_then(|at| files.path(at).ok());
    let opened = Opened {
        model: path.zip(model),
        files: files.paths(),
    };
    let Activity {
        views,
        moves,
        evolutions,
        migrations,
    } = (place.under_way)(&place.backend, &opened);
    // A model with errors has no views that are known.
    let views = wrong.map(Err).or(views);
    json!({
        "views": views.map(|views| known(views, view)),
        "moves": known(moves, work),
        "evolutions": known(evolutions, work),
        "migrations": known(migrations, work),
    })
}

/// `{ "all": [...] }`, or `{ "error": "..." }`.
fn known<T>(known: Known<T>, shown: fn(T) -> Json) -> Json {
    match known {
        Ok(all) => json!({ "all": all.into_iter().map(shown).collect::<Vec<_>>() }),
        Err(error) => json!({ "error": error }),
    }
}

fn view(view: View) -> Json {
    let View {
        name,
        live,
        is_current,
        next,
        behind,
        has_more,
        lag_ms,
        set_aside: (set_aside, why),
        notes,
        more_notes,
        command,
    } = view;
    json!({
        "name": name,
        "live": live,
        "isCurrent": is_current,
        "next": next.map(|(number, progress)| json!({ "number": number, "progress": progress })),
        "behind": behind,
        "hasMore": has_more,
        "lagMs": lag_ms,
        "setAside": set_aside,
        "why": why,
        "notes": notes,
        "moreNotes": more_notes,
        "command": command,
    })
}

fn work(work: Work) -> Json {
    let Work {
        name,
        from,
        to,
        phase,
        progress,
        since_ms,
        behind,
        paused_ms,
        command,
    } = work;
    json!({
        "name": name,
        "from": from,
        "to": to,
        "phase": phase,
        "progress": progress,
        "sinceMs": since_ms,
        "behindMs": behind.map(|(behind, _)| behind),
        "notedMs": behind.map(|(_, noted)| noted),
        "pausedMs": paused_ms,
        "command": command,
    })
}
