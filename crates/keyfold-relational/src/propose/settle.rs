//! A draft is held against the compiler and against the rows, and what they refuse is decided otherwise, until
//! neither refuses anything.

use super::draft::{Draft, Entity, Ruling};
use super::text::{Part, Text};
use super::values::{Cast, Kind};
use crate::check::{Checked, look};
use crate::mapping::{MapError, Mapping};
use crate::progress::Progress;
use crate::source::{Source, SourceError};
use keyfold_model::{Diagnostic, Model, Severity, compile};

/// Whether a draft was taken.
pub(super) enum Verdict {
    /// It was; the model has these rows. The database itself may not be able to keep changes yet, with the reason.
    Taken(Box<Checked>, Option<String>),
    /// It was not, and the ruling has changed.
    Again,
}

/// Holds a draft against the compiler.
///
/// # Errors
/// With what is ruled otherwise.
pub(super) fn compiled(draft: &Draft, text: &Text, ruling: &mut Ruling) -> Result<Model, ()> {
    let compiled = compile(&text.all);
    if let Some(model) = compiled.model {
        return Ok(model);
    }
    let errors = compiled.diagnostics.iter();
    let errors = errors.filter(|one| one.severity == Severity::Error);
    let mut found: Vec<(Part, String)> = errors
        .map(|one| (text.part_at(one.place()), reason(one)))
        .collect();
    found.sort_by_key(|(part, _)| match part {
        Part::Head | Part::Entity(_) => 0,
        Part::Index(..) => 1,
        Part::Unique(..) => 2,
        Part::Pattern(_) => 3,
    });
    // One fault of an entity may be that of many patterns; those of patterns are their own.
    let is_pattern = |part: &Part| matches!(part, Part::Pattern(_));
    let only_first = !found.first().is_some_and(|(part, _)| is_pattern(part));
    let count = if only_first { 1 } else { found.len() };
    for (part, why) in found.into_iter().take(count) {
        rule(draft, ruling, part, why);
    }
    Err(())
}

/// The message of an error with its first note.
fn reason(error: &Diagnostic) -> String {
    match error.notes.first() {
        Some(note) => format!("{} ({note})", error.message),
        None => error.message.clone(),
    }
}

fn columns_of(entity: &Entity, attributes: &[usize]) -> Vec<usize> {
    let of = |at: &usize| entity.attributes.get(*at).map(|one| one.column);
    attributes.iter().filter_map(of).collect()
}

/// Decides otherwise what a part says.
fn rule(draft: &Draft, ruling: &mut Ruling, part: Part, why: String) {
    let entity = |at: usize| draft.entities.get(at);
    match part {
        Part::Head => {}
        Part::Entity(at) => {
            if let Some(entity) = entity(at) {
                let is_own = entity.place == super::draft::Place::Own;
                if is_own || !ruling.own.insert(entity.table) {
                    ruling
                        .banned
                        .insert(entity.table, format!("is no entity: {why}"));
                }
            }
        }
        Part::Index(at, slot) => {
            let index =
                entity(at).and_then(|one| one.indexes.iter().find(|index| index.slot == slot));
            if let (Some(entity), Some(index)) = (entity(at), index) {
                let mut equal = index.equal.clone();
                equal.sort_unstable();
                ruling.no_index.insert((entity.table, equal));
            }
        }
        Part::Unique(at, position) => {
            if let Some(entity) = entity(at)
                && let Some(unique) = entity.uniques.get(position)
            {
                let columns = columns_of(entity, &unique.attributes);
                ruling.no_unique.insert((entity.table, columns), why);
            }
        }
        Part::Pattern(at) => {
            if let Some(pattern) = draft.patterns.get(at) {
                ruling.no_pattern.insert(pattern.name.clone(), why);
            }
        }
    }
}

/// Holds a model that compiles against the rows.
///
/// # Errors
/// When the source cannot be read.
pub(super) fn read(
    draft: &Draft,
    (model, text): (&Model, &Text),
    source: &mut dyn Source,
    (progress, is_typed): (&Progress, bool),
    ruling: &mut Ruling,
) -> Result<Verdict, SourceError> {
    if draft.entities.iter().all(|one| one.blocked.is_some()) {
        return Ok(Verdict::Taken(Box::default(), None));
    }
    let mapping = match Mapping::of(model, source) {
        Ok(mapping) => mapping,
        Err(MapError::Source(error)) => return Err(error),
        Err(MapError::Model(faults)) => {
            for fault in faults {
                if let Part::Entity(at) = text.part_at(fault.place())
                    && let Some(entity) = draft.entities.get(at)
                {
                    ruling.blocked.insert(entity.table, reason(&fault));
                }
            }
            return Ok(Verdict::Again);
        }
    };
    let checked = look(&mapping, source, progress)?;
    if checked.groups.is_empty() || checked.is_stopped {
        let note = match source.ready(&mapping.watched) {
            Err(error) if error.may_pass => return Err(error),
            ready => ready
                .err()
                .map(|error| format!("a migration needs: {}", error.message)),
        };
        return Ok(Verdict::Taken(Box::new(checked), note));
    }
    for group in &checked.groups {
        let problem = &group.first;
        let mut all = draft.entities.iter();
        let Some(entity) = all.find(|one| one.name.entity == problem.entity) else {
            continue;
        };
        let why = match group.count {
            1 => format!("a row stands in the way: {}", problem.why),
            count => format!(
                "{count} rows stand in the way, such as one where {}",
                problem.why
            ),
        };
        match problem
            .attribute
            .as_deref()
            .and_then(|name| named(entity, name))
        {
            Some(at) => refuse(entity, at, is_typed, ruling, why),
            None => blocked_or_shared(entity, ruling, why),
        }
    }
    Ok(Verdict::Again)
}

fn named(entity: &Entity, name: &str) -> Option<usize> {
    entity.attributes.iter().position(|one| one.name == name)
}

/// Decides otherwise what an attribute is.
fn refuse(entity: &Entity, at: usize, is_typed: bool, ruling: &mut Ruling, why: String) {
    let Some(attribute) = entity.attributes.get(at) else {
        return;
    };
    let place = (entity.table, attribute.column);
    let is_plain = attribute.judged.kind == Kind::Text && attribute.judged.cast == Cast::None;
    if is_plain && ruling.escaped.insert(place) {
        return;
    }
    let is_key = entity.identity.contains(&at) || attribute.refers.is_some();
    let in_indexes: Vec<Vec<usize>> = entity
        .indexes
        .iter()
        .filter(|one| {
            let mut fields = one.partition.fields.iter().chain(&one.sort.fields);
            fields.any(|field| field.attribute == at)
        })
        .map(|one| {
            let mut equal = one.equal.clone();
            equal.sort_unstable();
            equal
        })
        .collect();
    match attribute.judged.weaker(is_typed) {
        Some(weaker) if !is_key && !is_plain => {
            ruling.weaker.insert(place, weaker);
        }
        // A text that no key takes is in no index.
        _ if !is_key && !in_indexes.is_empty() => {
            let all = in_indexes.into_iter().map(|equal| (entity.table, equal));
            ruling.no_index.extend(all);
        }
        _ => blocked_or_shared(entity, ruling, why),
    }
}

/// Drops what is unique, where rows share it in the model's form; otherwise the rows wait for somebody who mends
/// them.
fn blocked_or_shared(entity: &Entity, ruling: &mut Ruling, why: String) {
    let mut uniques = entity.uniques.iter();
    let next = uniques.find_map(|one| {
        let place = (entity.table, columns_of(entity, &one.attributes));
        (one.is_folded && !ruling.no_unique.contains_key(&place)).then_some(place)
    });
    match next {
        Some(place) => {
            ruling.no_unique.insert(place, why);
        }
        None => {
            ruling.blocked.insert(entity.table, why);
        }
    }
}
