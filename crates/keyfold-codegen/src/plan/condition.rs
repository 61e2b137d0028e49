//! Conditions and operands.

use super::members::object;
use super::types::value;
use keyfold_model::schema::{Comparator, Comparison, Condition, Lent, Measure, Operand, Path};
use serde_json::{Value as Json, json};

/// `{"parameter": ..}`, `{"attribute": .., "fields": [..]}`, `{"lent": {"action": ..,
/// "attribute": ..}}` or `{"value": {"S": ..}}`.
pub(super) fn operand(operand: &Operand) -> Json {
    match operand {
        Operand::Parameter(name) => json!({ "parameter": name }),
        Operand::Attribute(path) => self::path(path),
        Operand::Lent(lent) => lent_json(lent),
        Operand::Literal(held) => json!({ "value": value(held) }),
    }
}

fn lent_json(lent: &Lent) -> Json {
    let Lent {
        action,
        name: _,
        attribute,
    } = lent;
    json!({ "lent": { "action": action, "attribute": attribute } })
}

/// An attribute, or a field inside it.
pub(super) fn path(path: &Path) -> Json {
    let Path { attribute, fields } = path;
    object([("attribute", json!(attribute)), ("fields", json!(fields))])
}

pub(super) fn all(conditions: &[Condition]) -> Json {
    conditions.iter().map(json).collect()
}

/// A comparison, or `{"not": ..}`, `{"all": [..]}`, `{"any": [..]}`. `text` is the comparison as the
/// model writes it, for messages.
pub(super) fn json(condition: &Condition) -> Json {
    match condition {
        Condition::Is(comparison) => of_comparison(comparison),
        Condition::Not(member) => json!({ "not": json(member) }),
        Condition::All(members) => json!({ "all": all(members) }),
        Condition::Any(members) => json!({ "any": all(members) }),
    }
}

fn of_comparison(comparison: &Comparison) -> Json {
    let Comparison {
        measure,
        attribute,
        fields,
        comparator,
        operands,
        span: _,
    } = comparison;
    let operands: Vec<Json> = operands.iter().map(operand).collect();
    let measure = match measure {
        Measure::Value => Json::Null,
        Measure::Size => json!("size"),
        Measure::Kind => json!("kind"),
    };
    object([
        ("measure", measure),
        ("attribute", json!(attribute)),
        ("fields", json!(fields)),
        ("is", json!(word(*comparator))),
        ("operands", Json::Array(operands)),
        ("text", json!(comparison.to_string())),
    ])
}

/// The comparator's word in the document.
fn word(comparator: Comparator) -> &'static str {
    match comparator {
        Comparator::Equal => "=",
        Comparator::Unequal => "<>",
        Comparator::Less => "<",
        Comparator::AtMost => "<=",
        Comparator::Greater => ">",
        Comparator::AtLeast => ">=",
        Comparator::Contains => "contains",
        Comparator::Starts => "starts",
        Comparator::Exists => "exists",
        Comparator::Missing => "missing",
        Comparator::In => "in",
        Comparator::Within => "within",
    }
}
