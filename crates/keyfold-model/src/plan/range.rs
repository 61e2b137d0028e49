//! The key range of a plan as languages, and the other kinds of items that lie in it.

use super::sort::LAST_CHARACTER;
use crate::check::exact::{self, Range};
use crate::check::found::Found;
use crate::check::shape::Spaces;
use crate::diagnostic::Diagnostic;
use crate::language::Language;
use crate::schema::{Limit, Model, Pattern, PatternPlan, SortCondition};
use crate::template::{KeyTemplate, Part, language_of};

/// Reports another kind of item in the key range of a plan; `None` if there is none.
pub(crate) fn exact(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    found: &Found,
) -> Option<Diagnostic> {
    exact::check(model, spaces, pattern, found, &range(&found.plan, pattern))
}

/// The partition and sort keys that a plan reads.
pub(crate) fn range(plan: &PatternPlan, pattern: &Pattern) -> Range {
    // The argument of `starts` may be the empty text, so such a part does not narrow the range.
    let may_be_empty = |part: &Part| {
        let is_start = |name: &str| {
            let mut parameters = pattern.parameters.iter();
            parameters.any(|one| one.limit == Limit::Starts && one.name == name)
        };
        matches!(part, Part::Field { name, .. } if is_start(name))
    };
    let beginning = |prefix: &KeyTemplate| {
        let certain = prefix
            .parts
            .iter()
            .take_while(|part| !may_be_empty(part))
            .count();
        language_of(prefix.parts.get(..certain).unwrap_or_default()).and_anything()
    };
    let partition = plan.partition.as_ref();
    Range {
        partition: partition.map_or_else(Language::empty_text, |template| template.language()),
        sort: match &plan.sort {
            SortCondition::Equal(value) => value.language(),
            SortCondition::BeginsWith(prefix) => beginning(prefix),
            SortCondition::Between(low, high) => between(&low.parts, &high.parts),
            SortCondition::AtLeast(one) | SortCondition::AtMost(one) => {
                language_of(shared(&one.parts)).and_anything()
            }
            SortCondition::Any => Language::empty_text().and_anything(),
        },
    }
}

/// The texts between two ends. Where both end with a text of fixed width, such as a time, a text
/// between them begins with a character between theirs: `PROFILE` does not lie between two times.
fn between(low: &[Part], high: &[Part]) -> Language {
    let start = shared(low);
    let mut language = language_of(start);
    let limited = |end: &[Part]| {
        end.get(start.len())
            .filter(|part| is_limited(part))
            .cloned()
    };
    if let (Some(least), Some(greatest)) = (limited(low), limited(high)) {
        let first = language_of(&[least, greatest]).first().hull();
        language.exactly(&first, 1);
    }
    language.and_anything()
}

/// Whether each end of a range that is made of a part begins as the texts of the part do.
fn is_limited(part: &Part) -> bool {
    matches!(part, Part::Field { .. }) && part.is_fixed_width()
}

/// The parts of a range's end that all keys in the range start with: those before its field. An
/// open end consists of these parts and one text more.
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
