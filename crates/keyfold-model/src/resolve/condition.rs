//! Conditions: their joints, and what their comparisons look at.

use super::names::unknown;
use crate::diagnostic::Diagnostic;
use crate::schema::{Comparison, Condition, Measure, Type};
use crate::syntax::ast::{ComparisonDecl, ConditionDecl, Name};

/// What a comparison looks at, and its type.
pub(super) struct Subject {
    pub(super) measure: Measure,
    pub(super) kind: Type,
}

impl Subject {
    /// The subject of a comparison of an attribute of type `kind`.
    pub(super) fn of(declared: &ComparisonDecl, kind: &Type) -> Result<Subject, Box<Diagnostic>> {
        let kind = field_type(&declared.attribute, kind, &declared.fields)?;
        if !declared.is_size {
            return Ok(Subject {
                measure: Measure::Value,
                kind: kind.clone(),
            });
        }
        if kind.is_number() || *kind == Type::Bool {
            let name = declared.fields.last().unwrap_or(&declared.attribute);
            let message = format!("{} has no size", kind.with_article());
            return Err(Box::new(
                Diagnostic::error("KF004", name.span, message, "wrong type")
                    .help("texts, binary values, lists, maps, sets and records have one"),
            ));
        }
        Ok(Subject {
            measure: Measure::Size,
            kind: Type::Int,
        })
    }
}

/// The type of a field inside an attribute.
pub(super) fn field_type<'t>(
    attribute: &Name,
    kind: &'t Type,
    fields: &[Name],
) -> Result<&'t Type, Box<Diagnostic>> {
    let (mut kind, mut of) = (kind, attribute);
    for field in fields {
        kind = match kind {
            Type::Record(record) => {
                let found = record.fields.iter().find(|(name, ..)| *name == field.text);
                let names = record.fields.iter().map(|(name, ..)| name.as_str());
                let what = format!("field of {}", record.name);
                let (_, kind, _) = found.ok_or_else(|| Box::new(unknown(&what, field, names)))?;
                kind
            }
            Type::Map(of) => of,
            Type::String
            | Type::Int
            | Type::Number
            | Type::Bool
            | Type::Time(_)
            | Type::Date
            | Type::Period(_)
            | Type::Binary
            | Type::Ulid
            | Type::Uuid
            | Type::Words(_)
            | Type::List(_)
            | Type::Set(_) => {
                let message = format!(
                    "`{}` is {}, which has no fields",
                    of.text,
                    kind.with_article()
                );
                return Err(Box::new(
                    Diagnostic::error("KF004", field.span, message, "no field")
                        .help("records and maps have fields"),
                ));
            }
        };
        of = field;
    }
    Ok(kind)
}

/// Resolves a condition; `comparison` resolves its comparisons.
pub(super) fn resolve(
    declared: &ConditionDecl,
    comparison: &impl Fn(&ComparisonDecl) -> Result<Comparison, Box<Diagnostic>>,
) -> Result<Condition, Box<Diagnostic>> {
    let all = |members: &[ConditionDecl]| {
        let members = members.iter().map(|member| resolve(member, comparison));
        members.collect::<Result<Vec<_>, _>>()
    };
    Ok(match declared {
        ConditionDecl::Is(one) => Condition::Is(comparison(one)?),
        ConditionDecl::Not(member) => Condition::Not(Box::new(resolve(member, comparison)?)),
        ConditionDecl::All(members) => Condition::All(all(members)?),
        ConditionDecl::Any(members) => Condition::Any(all(members)?),
    })
}

/// The type of the first time or date that is compared with the word `now`; `kind_of` returns the
/// type of an attribute.
pub(super) fn type_of_now<'t>(
    conditions: &[ConditionDecl],
    kind_of: impl Fn(&Name) -> Option<&'t Type>,
) -> Option<(Type, Name)> {
    let comparisons = conditions.iter().flat_map(ConditionDecl::comparisons);
    let with_now = comparisons.filter_map(|one| {
        let now = one.operands.iter().find(|operand| operand.is_word("now"))?;
        let kind = kind_of(&one.attribute)?;
        let kind = field_type(&one.attribute, kind, &one.fields).ok()?;
        let is_time = matches!(kind, Type::Time(_) | Type::Date) && !one.is_size;
        is_time.then(|| (kind.clone(), now.name.clone()))
    });
    with_now.into_iter().next()
}
