//! One mistake that shows at several places: what is not declared is missed wherever it is used. Such
//! errors become one, which names the places.

use crate::diagnostic::{Diagnostic, Span};
use crate::sources::Sources;
use std::collections::BTreeMap;

/// Most further places that an error shows.
const PLACES_MAX: usize = 3;

/// What errors of one mistake share.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Mistake {
    code: &'static str,
    message: String,
    /// The place of its file: each owner has a message.
    file: usize,
    /// The reasons and repairs. One use of a missing name may have a reason that another has not.
    lines: Vec<String>,
    /// The other places that the message shows.
    elsewhere: Vec<(usize, usize, String)>,
}

/// Joins the errors about one missing name, or with one cause elsewhere. The first one stays, with
/// the repairs of all.
pub(crate) fn join(sources: &Sources, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(Diagnostic::place);
    let mut known: BTreeMap<Mistake, usize> = BTreeMap::new();
    let mut kept: Vec<(Diagnostic, Vec<Span>)> = Vec::new();
    for one in std::mem::take(diagnostics) {
        let at = mistake(sources, &one).map(|mistake| *known.entry(mistake).or_insert(kept.len()));
        match at.and_then(|at| kept.get_mut(at)) {
            Some((first, places)) => add(first, places, one),
            None => kept.push((one, Vec::new())),
        }
    }
    diagnostics.extend(kept.into_iter().map(|(one, places)| shown(one, &places)));
}

/// What another error must share with an error to be joined with it; `None` if it stands alone.
fn mistake(sources: &Sources, one: &Diagnostic) -> Option<Mistake> {
    let is_missing = one.code == "KF002";
    let elsewhere = one.labels.iter().skip(1);
    let elsewhere: Vec<(usize, usize, String)> = elsewhere
        .map(|(span, label)| (span.start, span.end, label.clone()))
        .collect();
    if !is_missing && elsewhere.is_empty() {
        return None;
    }
    let notes = one.notes.iter().filter(|_| !is_missing);
    let lines = notes.map(String::as_str).chain(one.help_lines());
    Some(Mistake {
        code: one.code,
        message: one.message.clone(),
        file: sources
            .file_at(one.place())
            .map_or(0, |file| file.span().start),
        lines: lines.map(str::to_owned).collect(),
        elsewhere,
    })
}

/// Adds the place and the edits of an error to the first one of its mistake.
fn add(first: &mut Diagnostic, places: &mut Vec<Span>, other: Diagnostic) {
    let place = other.labels.first().map(|(span, _)| *span);
    let own = first.labels.first().map(|(span, _)| *span);
    // A fault is found at each use of what has it.
    let Some(place) = place.filter(|place| own != Some(*place) && !places.contains(place)) else {
        return;
    };
    places.push(place);
    for (help, more) in first.help.iter_mut().zip(other.help) {
        help.edits.extend(more.edits);
    }
}

fn shown(mut one: Diagnostic, places: &[Span]) -> Diagnostic {
    let labels = places.iter().take(PLACES_MAX);
    one.labels
        .extend(labels.map(|span| (*span, "and here".to_owned())));
    match places.len().saturating_sub(PLACES_MAX) {
        0 => one,
        1 => one.note("and at one more place"),
        more => one.note(format!("and at {more} more places")),
    }
}
