//! KF010 and KF016: the filters and projections of a pattern and the changes and conditions of a
//! named write fit into expressions.
//!
//! DynamoDB takes expressions of at most 4 KB and 300 operators. The checks use the longest
//! expressions that the client can write; models written by hand stay far below these limits.

use crate::diagnostic::{Diagnostic, Span};
use crate::schema::{
    Action, Assignment, Comparator, Comparison, Condition, Measure, Model, Operand, Pattern, Verb,
    Write,
};
use keyfold_types::limits::{EXPRESSION_BYTES_MAX, EXPRESSION_OPERATORS_MAX};

/// Bytes of `begins_with(#n100, :v100) AND `, the longest comparison except that of absence.
const COMPARISON_BYTES: usize = 31;
/// Bytes of `.#n1000`.
const FIELD_BYTES: usize = 7;
/// Bytes of `size()`.
const SIZE_BYTES: usize = 6;
/// Bytes of `NOT ()`.
const NEGATION_BYTES: usize = 6;
/// Bytes of `()`.
const PARENTHESES_BYTES: usize = 2;
/// Bytes of `#n1000, `.
const NAME_BYTES: usize = 8;
/// Bytes of `#n100 = list_append(if_not_exists(#n100, :v100), :v100), `, the longest change.
const SUM_BYTES: usize = 57;
/// Bytes of `#n100 = :v100, `.
pub(super) const CHANGE_BYTES: usize = 15;
/// Comparisons and names that the client adds: the keys, the kind and the version of an item.
const ADDED: usize = 12;

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.extend(model.patterns.iter().filter_map(filter));
    diagnostics.extend(model.patterns.iter().filter_map(projection));
    for write in &model.writes {
        diagnostics.extend(
            write
                .actions
                .iter()
                .filter_map(|action| action_of(write, action)),
        );
    }
}

/// The report that an expression would be too long.
fn too_long(code: &'static str, span: Span, what: String) -> Diagnostic {
    Diagnostic::error(code, span, what, "no request could hold it").note(format!(
        "an expression has at most {EXPRESSION_BYTES_MAX} bytes and {EXPRESSION_OPERATORS_MAX} operators"
    ))
}

/// Whether an expression cannot hold these conditions, joined by AND.
fn are_too_many(conditions: &[Condition]) -> bool {
    let added = Extent {
        bytes: ADDED * COMPARISON_BYTES,
        operators: 2 * ADDED,
    };
    let extent = conditions.iter().map(extent).fold(added, Extent::plus);
    extent.bytes > EXPRESSION_BYTES_MAX || extent.operators > EXPRESSION_OPERATORS_MAX
}

/// The most bytes and operators of a part of an expression, with the word that joins it to the next.
#[derive(Clone, Copy)]
struct Extent {
    bytes: usize,
    operators: usize,
}

impl Extent {
    fn plus(self, other: Extent) -> Extent {
        Extent {
            bytes: self.bytes + other.bytes,
            operators: self.operators + other.operators,
        }
    }
}

fn extent(condition: &Condition) -> Extent {
    let more = |bytes, operators| Extent { bytes, operators };
    match condition {
        Condition::Is(one) => comparison(one),
        Condition::Not(member) => extent(member).plus(more(NEGATION_BYTES, 1)),
        Condition::All(members) | Condition::Any(members) => members
            .iter()
            .map(extent)
            .fold(more(PARENTHESES_BYTES, 0), Extent::plus),
    }
}

fn comparison(one: &Comparison) -> Extent {
    let size = match one.measure {
        Measure::Size => SIZE_BYTES,
        Measure::Value | Measure::Kind => 0,
    };
    let fields = one.operands.iter().map(|operand| match operand {
        Operand::Attribute(path) => path.fields.len(),
        Operand::Parameter(_) | Operand::Lent(_) | Operand::Literal(_) => 0,
    });
    let fields = one.fields.len() + fields.sum::<usize>();
    let path = fields * FIELD_BYTES + size;
    let (times, operators) = match one.comparator {
        Comparator::Within => (2, 4),
        Comparator::Equal
        | Comparator::Unequal
        | Comparator::Less
        | Comparator::AtMost
        | Comparator::Greater
        | Comparator::AtLeast
        | Comparator::Contains
        | Comparator::Starts
        | Comparator::Exists
        | Comparator::Missing
        | Comparator::In => (1, 2),
    };
    let is_range = times > 1;
    let more = one.operands.len().saturating_sub(times) * NAME_BYTES;
    let parentheses = if is_range { PARENTHESES_BYTES } else { 0 };
    Extent {
        bytes: times * (COMPARISON_BYTES + path) + more + parentheses,
        operators: operators + usize::from(one.measure == Measure::Size) * times,
    }
}

const _: () = assert!(2 * (EXPRESSION_BYTES_MAX / COMPARISON_BYTES) < EXPRESSION_OPERATORS_MAX);
const _: () = assert!(EXPRESSION_BYTES_MAX / CHANGE_BYTES < EXPRESSION_OPERATORS_MAX);

/// The number of comparisons in conditions.
fn count(conditions: &[Condition]) -> usize {
    conditions.iter().map(|one| one.comparisons().len()).sum()
}

/// Checks the number of filters of a pattern.
fn filter(pattern: &Pattern) -> Option<Diagnostic> {
    let count = count(&pattern.filters);
    are_too_many(&pattern.filters).then(|| {
        let message = format!(
            "{} has {count} filters, more than an expression holds",
            pattern.name
        );
        too_long("KF010", pattern.span, message)
            .help("ask several patterns, or filter what is read yourself")
    })
}

/// Checks the number of attributes that a pattern returns.
fn projection(pattern: &Pattern) -> Option<Diagnostic> {
    let count = pattern.only.len();
    ((count + ADDED) * NAME_BYTES > EXPRESSION_BYTES_MAX).then(|| {
        let message = format!(
            "{} returns only {count} attributes, more than an expression names",
            pattern.name
        );
        too_long("KF010", pattern.span, message)
            .help("leave `only` away, which returns whole items, or put attributes into a record")
    })
}

/// The number of fields that the expression of an assignment names. A change of a list names its
/// path twice.
fn fields_of(assignment: &Assignment) -> usize {
    let sources = assignment.sources().map(|path| path.fields.len());
    assignment.fields.len() + sources.sum::<usize>()
}

/// Checks the changes and the conditions of an action.
fn action_of(write: &Write, action: &Action) -> Option<Diagnostic> {
    if matches!(action.verb, Verb::Update | Verb::Upsert) {
        let change = |is_sum: bool| if is_sum { SUM_BYTES } else { CHANGE_BYTES };
        let set = action
            .assignments
            .iter()
            .map(|one| change(one.right.is_some()) + fields_of(one) * FIELD_BYTES)
            .sum::<usize>();
        let removed = action.removed.iter();
        let removed = removed.map(|path| NAME_BYTES + path.fields.len() * FIELD_BYTES);
        let bytes = set + removed.sum::<usize>() + ADDED * NAME_BYTES;
        if bytes > EXPRESSION_BYTES_MAX {
            let count = action.assignments.len() + action.removed.len();
            let message = format!(
                "{} changes {count} attributes, more than an expression holds",
                write.name
            );
            return Some(
                too_long("KF016", write.span, message)
                    .help("put attributes that belong together into a record"),
            );
        }
    }
    let count = count(&action.conditions);
    are_too_many(&action.conditions).then(|| {
        let message = format!(
            "{} asks for {count} conditions, more than an expression holds",
            write.name
        );
        too_long("KF016", write.span, message)
            .help("put attributes that belong together into a record")
    })
}
