//! The key condition of a query: the partition, and the range of sort keys.

use super::ends::{self, Side};
use super::question::Question;
use crate::arguments::Values;
use crate::bound::order;
use crate::error::ClientError;
use crate::expression::Placeholders;
use crate::lengths::KeyPart;
use crate::printed::print;
use keyfold_model::SortCondition;
use keyfold_model::template::Part;
use keyfold_model::value::{self, End};
use keyfold_types::Value;

/// A term of a key condition: its expression, and its text for people.
type Written = (String, String);

/// The terms of a key condition; `None` where no key can fulfil it. `arguments` give the partition,
/// with the period or shard to read; the question's own arguments give the ends of the range.
pub(super) fn of_key(
    question: &Question<'_>,
    arguments: &Values,
    made: &mut Placeholders,
) -> Result<Option<Vec<Written>>, ClientError> {
    let plan = question.plan;
    let partition = plan.partition.as_ref();
    let partition =
        partition.ok_or_else(|| ClientError::Unknown("the pattern has no plan".to_owned()))?;
    let mut terms = Vec::new();
    for (attribute, parts) in plan.partition_attributes.iter().zip(partition.columns()) {
        let held = value::column(parts, arguments)?;
        question.check_length(KeyPart::Partition, (attribute, parts), &held)?;
        terms.push(equal(attribute, held, made));
    }
    let ends = plan.sort.ends();
    // All attributes of a composite key but the last have a value.
    let columns: Vec<Vec<&[Part]>> = ends.iter().map(|end| end.columns().collect()).collect();
    let Some((last, before)) = columns.first().and_then(|all| all.split_last()) else {
        return Ok(Some(terms));
    };
    for (attribute, parts) in plan.sort_attributes.iter().zip(before) {
        let held = value::column(parts, &question.arguments)?;
        question.check_length(KeyPart::Sort, (attribute, parts), &held)?;
        terms.push(equal(attribute, held, made));
    }
    let Some(attribute) = plan.sort_attributes.get(before.len()) else {
        return Ok(Some(terms));
    };
    if last.is_empty() {
        return Ok(Some(terms));
    }
    let high = columns.get(1).and_then(|all| all.last());
    Ok(match range(question, last, high.copied())? {
        Range::All => Some(terms),
        Range::Nothing => None,
        Range::Some(range) => {
            if let Bounds::Equal(held) = &range {
                question.check_length(KeyPart::Sort, (attribute, last), held)?;
            }
            let name = made.name(attribute);
            terms.push(written(attribute, &name, range, made));
            Some(terms)
        }
    })
}

fn equal(attribute: &str, held: Value, made: &mut Placeholders) -> Written {
    let shown = print(attribute, " = ", &held);
    (
        format!("{} = {}", made.name(attribute), made.value(held)),
        shown,
    )
}

/// A range of the last attribute of a sort key.
enum Range {
    /// Every value.
    All,
    /// No value.
    Nothing,
    Some(Bounds),
}

/// The bounds of a range.
enum Bounds {
    Equal(Value),
    Starts(String),
    Between(Value, Value),
    AtLeast(Value),
    AtMost(Value),
    Below(Value),
}

fn range(
    question: &Question<'_>,
    first: &[Part],
    second: Option<&[Part]>,
) -> Result<Range, ClientError> {
    let arguments = &question.arguments;
    let end = |parts: &[Part], side: Side| {
        let end = value::end(parts, arguments, |name| question.range_end(name))?;
        Ok::<End, ClientError>(ends::fitted(end, side))
    };
    Ok(match &question.plan.sort {
        SortCondition::Any => Range::All,
        SortCondition::Equal(_) => Range::Some(Bounds::Equal(value::column(first, arguments)?)),
        SortCondition::BeginsWith(_) => match value::prefix(first, arguments)? {
            text if text.is_empty() => Range::All,
            text if ends::is_longer_than_keys(&text) => Range::Nothing,
            text => Range::Some(Bounds::Starts(text)),
        },
        SortCondition::AtLeast(_) => between(end(first, Side::Low)?, End::Open)?,
        SortCondition::AtMost(_) => between(End::Open, end(first, Side::High)?)?,
        SortCondition::Between(..) => between(
            end(first, Side::Low)?,
            end(second.unwrap_or_default(), Side::High)?,
        )?,
    })
}

fn between(low: End, high: End) -> Result<Range, ClientError> {
    Ok(match (low, high) {
        (End::Nothing, _) | (_, End::Nothing) => Range::Nothing,
        (End::Open, End::Open) => Range::All,
        (End::At(low), End::Open) => Range::Some(Bounds::AtLeast(low)),
        (End::Open, End::At(high)) => Range::Some(Bounds::AtMost(high)),
        // DynamoDB refuses a range that ends before it starts.
        (End::At(low), End::At(high))
            if order(&low, &high).is_some_and(std::cmp::Ordering::is_gt) =>
        {
            Range::Nothing
        }
        (End::At(low), End::At(high)) => Range::Some(Bounds::Between(low, high)),
        (End::Open, End::Before(high)) => Range::Some(Bounds::Below(high)),
        // The compiler refuses such a range: BETWEEN includes its ends.
        (End::At(_) | End::Before(_), End::Before(_)) | (End::Before(_), _) => {
            return Err(ClientError::refused(
                "a range with two ends includes its upper end".to_owned(),
            ));
        }
    })
}

fn written(attribute: &str, name: &str, bounds: Bounds, made: &mut Placeholders) -> Written {
    match bounds {
        Bounds::Equal(held) => {
            let shown = print(attribute, " = ", &held);
            (format!("{name} = {}", made.value(held)), shown)
        }
        Bounds::Starts(text) => {
            let held = Value::S(text);
            let shown = format!("begins_with({})", print(attribute, ", ", &held));
            (format!("begins_with({name}, {})", made.value(held)), shown)
        }
        Bounds::Between(low, high) => {
            let shown = format!(
                "{}{}",
                print(attribute, " BETWEEN ", &low),
                print("", " AND ", &high)
            );
            let (low, high) = (made.value(low), made.value(high));
            (format!("{name} BETWEEN {low} AND {high}"), shown)
        }
        Bounds::AtLeast(low) => {
            let shown = print(attribute, " >= ", &low);
            (format!("{name} >= {}", made.value(low)), shown)
        }
        Bounds::AtMost(high) => {
            let shown = print(attribute, " <= ", &high);
            (format!("{name} <= {}", made.value(high)), shown)
        }
        Bounds::Below(high) => {
            let shown = print(attribute, " < ", &high);
            (format!("{name} < {}", made.value(high)), shown)
        }
    }
}
