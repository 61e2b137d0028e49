//! The keys that a plan reads, as languages; and whether it reads others than it promises.

use super::LAST_CHARACTER;
use crate::check::exact::{self, Range};
use crate::check::found::Found;
use crate::check::shape::Spaces;
use crate::diagnostic::Diagnostic;
use crate::language::Language;
use crate::schema::{Limit, Model, Pattern, SortCondition};
use crate::template::{KeyTemplate, Part, language_of};

/// Reports another kind of item in the keys that a plan reads.
pub(crate) fn exact(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    found: &Found,
) -> Option<Diagnostic> {
    let delimiters = &model.tables.get(found.table)?.delimiters;
    exact::check(
        model,
        spaces,
        pattern,
        found,
        &range(found, pattern, delimiters),
    )
}

/// The keys that a plan reads.
fn range(found: &Found, pattern: &Pattern, delimiters: &[char]) -> Range {
    // A beginning may be empty: then it says nothing.
    let may_be_empty = |part: &Part| match part {
        Part::Field { name, .. } => pattern
            .parameters
            .iter()
            .any(|one| one.limit == Limit::Starts && one.name == *name),
        _ => false,
    };
    let beginning = |prefix: &KeyTemplate| {
        let said = prefix
            .parts
            .iter()
            .take_while(|part| !may_be_empty(part))
            .count();
        language_of(prefix.parts.get(..said).unwrap_or_default(), delimiters).and_anything()
    };
    let partition = found.plan.partition.as_ref();
    Range {
        partition: partition.map_or_else(Language::empty_text, |template| {
            template.language(delimiters)
        }),
        sort: match &found.plan.sort {
            SortCondition::Equal(value) => value.language(delimiters),
            SortCondition::BeginsWith(prefix) => beginning(prefix),
            SortCondition::Between(one, _)
            | SortCondition::AtLeast(one)
            | SortCondition::AtMost(one) => {
                language_of(shared(&one.parts), delimiters).and_anything()
            }
            SortCondition::Any => Language::empty_text().and_anything(),
        },
    }
}

/// The common beginning of a range's end and all keys in it: all before its field. An open end is
/// that text and one more.
fn shared(end: &[Part]) -> &[Part] {
    let until = match end {
        [.., Part::Field { .. }, Part::Text(text)] if text.starts_with(LAST_CHARACTER) => {
            end.len() - 2
        }
        [.., _] => end.len() - 1,
        [] => 0,
    };
    end.get(..until).unwrap_or_default()
}
