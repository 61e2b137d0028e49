//! The legacy parameters that expressions replaced. They are bound to the same conditions, updates,
//! projections and key conditions, over attributes without paths.

use crate::check::Constraints;
use keyfold_api::{
    ApiError, AttributeAction, AttributeUpdate, AttributeValue, ByAttribute, ComparisonOperator,
    ConditionalOperator, ExpectedAttribute, LegacyCondition, LegacyParameters, Named, Validation,
    WireName,
};
use keyfold_expr::{
    AttributeChange, Comparator, Condition, KeyCondition, KeyTerm, KeyTest, Literal, Operand, Path,
    Projection, Update,
};
use keyfold_types::limits::EXPRESSION_OPERATORS_MAX;
use keyfold_types::{Value, ValueKind};
use std::collections::BTreeSet;

/// Names of `AttributesToGet` at the most.
const ATTRIBUTES_TO_GET_MAX: usize = 1000;

/// The legacy parameters of one request, bound.
#[derive(Debug, Default)]
pub(crate) struct Legacy {
    pub(crate) condition: Option<Condition>,
    pub(crate) update: Option<Update>,
    pub(crate) key_condition: Option<KeyCondition>,
    pub(crate) filter: Option<Condition>,
    pub(crate) projection: Option<Projection>,
}

fn wrong<T>(detail: impl Into<String>) -> Result<T, ApiError> {
    Err(Validation::Parameter(detail.into()).into())
}

fn sentence<T>(text: &str) -> Result<T, ApiError> {
    Err(Validation::Sentence(text.to_owned()).into())
}

/// Checks words and lengths.
pub(crate) fn constrain(constraints: &mut Constraints, legacy: Option<&LegacyParameters>) {
    let Some(legacy) = legacy else { return };
    if let Some(names) = &legacy.attributes_to_get {
        constraints.list("attributesToGet", names.len(), 1, usize::MAX);
    }
    constraints.word("conditionalOperator", &legacy.conditional_operator);
    for (name, update) in legacy.attribute_updates.iter().flatten() {
        constraints.word(
            &format!("attributeUpdates.{name}.member.action"),
            &update.action,
        );
    }
    for (name, expected) in legacy.expected.iter().flatten() {
        let path = format!("expected.{name}.member.comparisonOperator");
        constraints.word(&path, &expected.condition.comparison_operator);
    }
    let maps = [
        ("keyConditions", &legacy.key_conditions),
        ("queryFilter", &legacy.query_filter),
        ("scanFilter", &legacy.scan_filter),
    ];
    for (member, conditions) in maps {
        for (name, condition) in conditions.iter().flatten() {
            let path = format!("{member}.{name}.member.comparisonOperator");
            constraints.required(&path, &condition.comparison_operator);
            constraints.word(&path, &condition.comparison_operator);
        }
    }
}

/// Binds the legacy parameters of a request.
pub(crate) fn bind(legacy: Option<&LegacyParameters>) -> Result<Legacy, ApiError> {
    let Some(legacy) = legacy else {
        return Ok(Legacy::default());
    };
    let filter = legacy.scan_filter.as_ref().or(legacy.query_filter.as_ref());
    check_counts(legacy)?;
    check_operator(
        legacy,
        filter
            .map(Vec::len)
            .or(legacy.expected.as_ref().map(Vec::len)),
    )?;
    let joined = |conditions: Vec<Condition>| match known(&legacy.conditional_operator) {
        Some(ConditionalOperator::Or) => Condition::Or(conditions),
        Some(ConditionalOperator::And) | None => Condition::And(conditions),
    };
    let filter = filter
        .map(|filter| {
            filter
                .iter()
                .map(|(name, condition)| test(name, condition))
                .collect::<Result<Vec<_>, _>>()
        })
        .transpose()?
        .filter(|tests| !tests.is_empty());
    let expected = legacy
        .expected
        .as_ref()
        .map(|expected| {
            expected
                .iter()
                .map(|(name, one)| expectation(name, one))
                .collect::<Result<Vec<_>, _>>()
        })
        .transpose()?
        .filter(|tests| !tests.is_empty());
    Ok(Legacy {
        condition: expected.map(joined),
        update: legacy.attribute_updates.as_ref().map(update).transpose()?,
        key_condition: legacy
            .key_conditions
            .as_ref()
            .map(key_condition)
            .transpose()?,
        filter: filter.map(joined),
        projection: legacy
            .attributes_to_get
            .as_ref()
            .map(|names| projection(names))
            .transpose()?,
    })
}

fn known<T: Copy>(member: &Option<Named<T>>) -> Option<T> {
    match member {
        Some(Named::Known(word)) => Some(*word),
        Some(Named::Unknown(_)) | None => None,
    }
}

/// Limits the number of conditions, as the operators of an expression are limited.
fn check_counts(legacy: &LegacyParameters) -> Result<(), ApiError> {
    let maps = [
        ("Expected", legacy.expected.as_ref().map(Vec::len)),
        ("QueryFilter", legacy.query_filter.as_ref().map(Vec::len)),
        ("ScanFilter", legacy.scan_filter.as_ref().map(Vec::len)),
    ];
    for (member, count) in maps {
        if count.is_some_and(|count| count > EXPRESSION_OPERATORS_MAX) {
            return wrong(format!(
                "{member} has more than {EXPRESSION_OPERATORS_MAX} conditions"
            ));
        }
    }
    if legacy
        .attributes_to_get
        .as_ref()
        .is_some_and(|names| names.len() > ATTRIBUTES_TO_GET_MAX)
    {
        return wrong(format!(
            "AttributesToGet has more than {ATTRIBUTES_TO_GET_MAX} names"
        ));
    }
    Ok(())
}

fn check_operator(legacy: &LegacyParameters, conditions: Option<usize>) -> Result<(), ApiError> {
    match (&legacy.conditional_operator, conditions) {
        (None, _) => Ok(()),
        (Some(_), None) => {
            sentence("ConditionalOperator cannot be used without Filter or Expected")
        }
        (Some(_), Some(0 | 1)) => sentence(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements",
        ),
        (Some(_), Some(_)) => Ok(()),
    }
}

fn projection(names: &[String]) -> Result<Projection, ApiError> {
    let mut seen = BTreeSet::new();
    if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
        return wrong(format!("Duplicate value in attribute name: {name}"));
    }
    Ok(Projection::of_paths(
        names
            .iter()
            .map(|name| Path::attribute(name.as_str()))
            .collect(),
    ))
}

fn values(given: &[AttributeValue]) -> Result<Vec<Literal>, ApiError> {
    given
        .iter()
        .map(|value| {
            value
                .clone()
                .map(Literal::new)
                .map_err(|error| Validation::Value(error).into())
        })
        .collect()
}

/// The operator and its operands, whose number and types it accepts.
fn operands(condition: &LegacyCondition) -> Result<(ComparisonOperator, Vec<Literal>), ApiError> {
    use ComparisonOperator as Op;
    let operator = known(&condition.comparison_operator).unwrap_or(Op::Eq);
    let list = values(
        condition
            .attribute_value_list
            .as_deref()
            .unwrap_or_default(),
    )?;
    let fits = match operator {
        Op::NotNull | Op::Null => list.is_empty(),
        Op::Between => list.len() == 2,
        Op::In => !list.is_empty(),
        Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::BeginsWith
        | Op::Contains
        | Op::NotContains => list.len() == 1,
    };
    if !fits {
        return wrong(format!(
            "Invalid number of argument(s) for the {} ComparisonOperator",
            operator.word()
        ));
    }
    let accepts = |kind: ValueKind| match operator {
        Op::Eq | Op::Ne | Op::Null | Op::NotNull => true,
        Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Between | Op::In => kind.is_ordered(),
        Op::BeginsWith => matches!(kind, ValueKind::S | ValueKind::B),
        Op::Contains | Op::NotContains => {
            kind.is_ordered() || matches!(kind, ValueKind::Bool | ValueKind::Null)
        }
    };
    if let Some(other) = list
        .iter()
        .map(|value| value.value().kind())
        .find(|kind| !accepts(*kind))
    {
        return wrong(format!(
            "ComparisonOperator {} is not valid for {} AttributeValue type",
            operator.word(),
            other.descriptor()
        ));
    }
    let kinds: BTreeSet<ValueKind> = list.iter().map(|value| value.value().kind()).collect();
    if kinds.len() > 1 {
        return wrong("AttributeValues inside AttributeValueList must be of same type");
    }
    if let (Op::Between, [low, high]) = (operator, list.as_slice())
        && low
            .raw()
            .compare(&high.raw())
            .is_some_and(std::cmp::Ordering::is_gt)
    {
        return sentence(
            "The BETWEEN condition was provided a range where the lower bound is bigger than the upper bound",
        );
    }
    Ok((operator, list))
}

fn test(name: &str, condition: &LegacyCondition) -> Result<Condition, ApiError> {
    use ComparisonOperator as Op;
    let (operator, list) = operands(condition)?;
    let path = || Path::attribute(name);
    let attribute = || Operand::Path(path());
    let mut operands = list.into_iter().map(Operand::Literal);
    let mut next = || {
        operands
            .next()
            .unwrap_or_else(|| Operand::Literal(Literal::new(Value::Null)))
    };
    let compare = |comparator, value| Condition::Compare(comparator, attribute(), value);
    Ok(match operator {
        Op::Eq => compare(Comparator::Eq, next()),
        Op::Ne => compare(Comparator::Ne, next()),
        Op::Lt => compare(Comparator::Lt, next()),
        Op::Le => compare(Comparator::Le, next()),
        Op::Gt => compare(Comparator::Gt, next()),
        Op::Ge => compare(Comparator::Ge, next()),
        Op::Between => Condition::Between(attribute(), next(), next()),
        Op::In => Condition::In(attribute(), operands.collect()),
        Op::Null => Condition::NotExists(path()),
        Op::NotNull => Condition::Exists(path()),
        Op::BeginsWith => Condition::BeginsWith(attribute(), next()),
        Op::Contains => Condition::Contains(attribute(), next()),
        // No condition holds for a missing attribute.
        Op::NotContains => Condition::And(vec![
            Condition::Exists(path()),
            Condition::Not(Box::new(Condition::Contains(attribute(), next()))),
        ]),
    })
}

fn expectation(name: &str, expected: &ExpectedAttribute) -> Result<Condition, ApiError> {
    let for_attribute = |what: &str| wrong(format!("{what} for Attribute: {name}"));
    let given = &expected.condition;
    if let Some(operator) = known(&given.comparison_operator) {
        if expected.exists.is_some() {
            return for_attribute("Exists and ComparisonOperator cannot be used together");
        }
        let takes_none = matches!(
            operator,
            ComparisonOperator::Null | ComparisonOperator::NotNull
        );
        return match (&expected.value, &given.attribute_value_list) {
            (Some(_), Some(_)) => {
                for_attribute("Value and AttributeValueList cannot be used together")
            }
            (None, None) if !takes_none => for_attribute(&format!(
                "Value or AttributeValueList must be used with ComparisonOperator: {}",
                operator.word()
            )),
            (Some(value), None) => {
                let attribute_value_list = Some(vec![value.clone()]);
                test(
                    name,
                    &LegacyCondition {
                        attribute_value_list,
                        ..given.clone()
                    },
                )
            }
            (None, _) => test(name, given),
        };
    }
    if given.attribute_value_list.is_some() {
        return for_attribute("AttributeValueList can only be used with a ComparisonOperator");
    }
    match (&expected.value, expected.exists) {
        (Some(_), Some(false)) => for_attribute("Value cannot be used when Exists is false"),
        (None, Some(false)) => Ok(Condition::NotExists(Path::attribute(name))),
        (None, Some(true)) => for_attribute("Value must be provided when Exists is true"),
        (None, None) => for_attribute("Value must be provided when Exists is null"),
        (Some(value), _) => {
            let value = value.clone().map_err(Validation::Value)?;
            let (left, right) = (
                Operand::Path(Path::attribute(name)),
                Operand::Literal(Literal::new(value)),
            );
            Ok(Condition::Compare(Comparator::Eq, left, right))
        }
    }
}

fn update(updates: &ByAttribute<AttributeUpdate>) -> Result<Update, ApiError> {
    let mut changes = Vec::with_capacity(updates.len());
    for (name, update) in updates {
        let value = update
            .value
            .clone()
            .transpose()
            .map_err(Validation::Value)?;
        let change = match (known(&update.action).unwrap_or(AttributeAction::Put), value) {
            (AttributeAction::Put, Some(value)) => AttributeChange::Put(value),
            (AttributeAction::Add, Some(value)) => {
                if !matches!(value.kind(), ValueKind::N | ValueKind::L) && !value.kind().is_set() {
                    return wrong(format!(
                        "ADD action is not supported for the type {}",
                        value.kind().descriptor()
                    ));
                }
                AttributeChange::Add(value)
            }
            (AttributeAction::Delete, Some(value)) => {
                if !value.kind().is_set() {
                    return wrong(format!(
                        "DELETE action with value is not supported for the type {}",
                        value.kind().descriptor()
                    ));
                }
                AttributeChange::DeleteMembers(value)
            }
            (AttributeAction::Delete, None) => AttributeChange::Remove,
            (AttributeAction::Put | AttributeAction::Add, None) => {
                return wrong("Only DELETE action is allowed when no attribute value is specified");
            }
        };
        changes.push((name.clone(), change));
    }
    Ok(Update::of_attributes(changes))
}

fn key_condition(conditions: &ByAttribute<LegacyCondition>) -> Result<KeyCondition, ApiError> {
    use ComparisonOperator as Op;
    let mut terms = Vec::with_capacity(conditions.len());
    for (name, condition) in conditions {
        let (operator, list) = operands(condition)?;
        let mut list = list.into_iter();
        let mut next = || list.next().unwrap_or_else(|| Literal::new(Value::Null));
        let test = match operator {
            Op::Eq => KeyTest::Eq(next()),
            Op::Lt => KeyTest::Lt(next()),
            Op::Le => KeyTest::Le(next()),
            Op::Gt => KeyTest::Gt(next()),
            Op::Ge => KeyTest::Ge(next()),
            Op::Between => KeyTest::Between(next(), next()),
            Op::BeginsWith => KeyTest::BeginsWith(next()),
            Op::Ne | Op::In | Op::Null | Op::NotNull | Op::Contains | Op::NotContains => {
                return sentence("Attempted conditional constraint is not an indexable operation");
            }
        };
        terms.push(KeyTerm {
            attribute: name.clone(),
            test,
        });
    }
    Ok(KeyCondition::new(terms))
}
