//! Patterns as SQL: arguments from the rows, the rows that must be found, and in which order.

use crate::ProveError;
use crate::generate::Generator;
use crate::order::order;
use crate::rows::{Rows, column, sql};
use keyfold_client::arguments::Values;
use keyfold_model::schema::{Comparator, Comparison, Limit, Order, Parameter};
use keyfold_model::{
    Entity, Fan, Format, Operand, Part, Pattern, PatternPlan, SortCondition, Type, value,
};
use keyfold_types::Value;
use rusqlite::types::Value as Sql;

/// Arguments of a pattern: mostly those of a row that is there, so that there is an answer.
/// `given` optional parameters are given, the first ones.
pub(crate) fn arguments<'m>(
    pattern: &'m Pattern,
    given: usize,
    rows: &Rows<'m>,
    generator: &mut Generator<'m>,
) -> Values {
    let Some(first) = pattern.returned.first() else {
        return Values::new();
    };
    let Some(entity) = rows.model.entities.get(first.entity) else {
        return Values::new();
    };
    let row = |generator: &mut Generator<'m>| -> Values {
        let picked = rows.pick_row(first.entity, &mut generator.rng);
        let at = first.entity;
        let held = picked.and_then(|row| rows.get_complete(at, row).or_else(|| rows.get(at, row)));
        held.cloned().unwrap_or_default()
    };
    let (one, other) = (row(generator), row(generator));
    let mut values = Values::new();
    let mut optional = 0;
    for parameter in &pattern.parameters {
        optional += usize::from(parameter.optional);
        if parameter.optional && optional > given {
            continue;
        }
        let strange = generator.rng.u8(..12) == 0;
        let value = match parameter.limit {
            Limit::Among => Value::L(list(entity, parameter, rows, generator)),
            Limit::Free => free(pattern, parameter, &one, generator),
            _ => limited(
                entity,
                parameter,
                if strange { None } else { Some(&one) },
                &other,
                generator,
            ),
        };
        values.insert(parameter.name.clone(), value);
    }
    // Ranges that end before they start are asked for, too.
    if generator.rng.u8(..8) > 0 {
        order_ends(pattern, &mut values);
    }
    values
}

/// The lower end of a range is not above the upper one.
fn order_ends(pattern: &Pattern, values: &mut Values) {
    for low in pattern
        .parameters
        .iter()
        .filter(|p| p.limit == Limit::AtLeast)
    {
        let high = pattern
            .parameters
            .iter()
            .find(|p| p.limit == Limit::AtMost && p.attribute == low.attribute);
        let Some(high) = high else { continue };
        if let (Some(one), Some(two)) = (
            values.get(&low.name).cloned(),
            values.get(&high.name).cloned(),
        ) && order(&one, &two).is_gt()
        {
            values.insert(low.name.clone(), two);
            values.insert(high.name.clone(), one);
        }
    }
}

fn limited<'m>(
    entity: &'m Entity,
    parameter: &Parameter,
    one: Option<&Values>,
    other: &Values,
    generator: &mut Generator<'m>,
) -> Value {
    let name = &parameter.attribute;
    let Some(attribute) = entity.attribute(name) else {
        return Value::Null;
    };
    let held = match parameter.limit {
        Limit::AtMost => other.get(name).or(one.and_then(|row| row.get(name))),
        _ => one.and_then(|row| row.get(name)),
    };
    let held = match held {
        Some(value) => value.clone(),
        None => generator.attribute(entity, attribute),
    };
    match (parameter.limit, &held) {
        (Limit::AtLeast | Limit::AtMost, Value::N(_)) if generator.rng.u8(..8) == 0 => {
            generator.far_number(&parameter.kind)
        }
        (Limit::AtLeast | Limit::AtMost, Value::S(_))
            if parameter.kind == Type::String && generator.rng.u8(..8) == 0 =>
        {
            generator.far_text()
        }
        (Limit::In(unit), Value::S(text)) => Value::S(unit.of(text).to_owned()),
        (Limit::Starts, Value::S(text)) => {
            let length = text.chars().count();
            let kept = generator.rng.usize(0..=length);
            Value::S(text.chars().take(kept).collect())
        }
        _ => held,
    }
}

fn list<'m>(
    entity: &'m Entity,
    parameter: &Parameter,
    rows: &Rows<'m>,
    generator: &mut Generator<'m>,
) -> Vec<Value> {
    let at = rows.place(entity);
    let count = generator.rng.usize(1..9);
    let mut ids = Vec::new();
    for _ in 0..count {
        let row = rows
            .pick_row(at, &mut generator.rng)
            .and_then(|row| rows.get(at, row));
        let held = row.and_then(|row| row.get(&parameter.attribute)).cloned();
        let id = match (held, entity.attribute(&parameter.attribute)) {
            (Some(held), _) if generator.rng.u8(..5) > 0 => held,
            (_, Some(attribute)) => generator.attribute(entity, attribute),
            (held, None) => held.unwrap_or(Value::Null),
        };
        ids.push(id);
    }
    ids
}

/// What a filter compares with: the value of a row.
fn free(
    pattern: &Pattern,
    parameter: &Parameter,
    row: &Values,
    generator: &mut Generator<'_>,
) -> Value {
    let used = pattern
        .filters
        .iter()
        .find(|filter| matches!(&filter.operand, Some(Operand::Parameter(name)) if *name == parameter.name));
    let held = used.and_then(|filter| row.get(&filter.attribute));
    match held {
        Some(Value::L(elements)) if !elements.is_empty() => {
            elements[generator.rng.usize(..elements.len())].clone()
        }
        Some(value) if value::check("", &parameter.kind, value).is_ok() => value.clone(),
        _ => generator.of_type(&parameter.kind),
    }
}

/// The rows of one returned kind that a pattern must find, in its order.
pub(crate) fn expected(
    pattern: &Pattern,
    plan: &PatternPlan,
    entity: usize,
    rows: &Rows<'_>,
    arguments: &Values,
) -> Result<Vec<i64>, ProveError> {
    let (mut conditions, mut parameters) = (vec!["1".to_owned()], Vec::new());
    for parameter in pattern
        .parameters
        .iter()
        .filter(|parameter| arguments.contains_key(&parameter.name))
    {
        let name = column(&parameter.attribute);
        let held = arguments.get(&parameter.name);
        let lower = is_lower(plan, &parameter.attribute, &parameter.name);
        let (left, right) = if lower {
            (format!("lower({name})"), "lower(?)")
        } else {
            (name, "?")
        };
        match parameter.limit {
            Limit::Free => continue,
            Limit::Equal => conditions.push(format!("{left} = {right}")),
            Limit::AtLeast => conditions.push(format!("{left} >= {right}")),
            Limit::AtMost => conditions.push(format!("{left} <= {right}")),
            Limit::Starts => {
                conditions.push(format!("substr({left}, 1, length({right})) = {right}"));
                parameters.push(sql(held));
            }
            Limit::In(unit) => {
                conditions.push(format!("substr({left}, 1, {}) = {right}", unit.width()))
            }
            Limit::Among => {
                let Some(Value::L(ids)) = held else { continue };
                let marks = vec!["?"; ids.len()].join(", ");
                conditions.push(format!("{left} IN ({marks})"));
                parameters.extend(ids.iter().map(|id| sql(Some(id))));
                continue;
            }
        }
        parameters.push(sql(held));
    }
    // Without an upper end, periods are read up to the present one.
    if let Fan::Periods {
        unit,
        attribute,
        high: None,
        ..
    } = &plan.fan
        && let Some(Value::S(now)) = value::time_of_epoch_ms(
            &Type::Time(keyfold_model::Precision::Millis),
            rows.now_epoch_ms,
        )
    {
        conditions.push(format!(
            "substr({}, 1, {}) <= ?",
            column(attribute),
            unit.width()
        ));
        parameters.push(Sql::Text(unit.of(&now).to_owned()));
    }
    for (name, kind, text) in &pattern.fixed_values {
        conditions.push(format!("{} = ?", column(name)));
        parameters.push(sql(value::parse(name, kind, text).ok().as_ref()));
    }
    for name in &pattern.present {
        conditions.push(format!("{} IS NOT NULL", column(name)));
    }
    for filter in &pattern.filters {
        conditions.push(filtered(filter, arguments, rows, entity, &mut parameters));
    }
    let descending = pattern
        .order
        .as_ref()
        .is_some_and(|order| matches!(order.order, Order::Newest | Order::Highest));
    let order = plan
        .ordered_by
        .as_ref()
        .map(|name| (name.as_str(), descending));
    rows.select(entity, &conditions.join(" AND "), order, parameters)
}

fn filtered(
    filter: &Comparison,
    arguments: &Values,
    rows: &Rows<'_>,
    entity: usize,
    parameters: &mut Vec<Sql>,
) -> String {
    let name = column(&filter.attribute);
    let (operand, value) = match &filter.operand {
        None => (String::new(), None),
        Some(Operand::Attribute(other)) => (column(other), None),
        Some(Operand::Parameter(parameter)) => ("?".to_owned(), arguments.get(parameter).cloned()),
        Some(Operand::Literal(value)) => ("?".to_owned(), Some(value.clone())),
    };
    let kind = rows
        .model
        .entities
        .get(entity)
        .and_then(|entity| entity.attribute(&filter.attribute));
    let nested =
        kind.is_some_and(|attribute| matches!(attribute.kind, Type::List(_) | Type::Set(_)));
    let times = if filter.comparator == Comparator::Starts {
        2
    } else {
        1
    };
    if operand == "?" {
        parameters.extend(std::iter::repeat_n(sql(value.as_ref()), times));
    }
    match filter.comparator {
        // An attribute that is missing is different from everything.
        Comparator::Unequal => format!("{name} IS NOT {operand}"),
        Comparator::Exists => format!("{name} IS NOT NULL"),
        Comparator::Missing => format!("{name} IS NULL"),
        Comparator::Contains if nested => {
            format!("EXISTS (SELECT 1 FROM json_each({name}) WHERE value = {operand})")
        }
        Comparator::Contains => format!("instr({name}, {operand}) > 0"),
        Comparator::Starts => format!("substr({name}, 1, length({operand})) = {operand}"),
        other => format!("{name} {} {operand}", other.word()),
    }
}

/// Whether the key that a pattern reads holds an attribute in small letters only.
fn is_lower(plan: &PatternPlan, attribute: &str, parameter: &str) -> bool {
    let sort = match &plan.sort {
        SortCondition::Any => None,
        SortCondition::Equal(one)
        | SortCondition::BeginsWith(one)
        | SortCondition::Between(one, _)
        | SortCondition::AtLeast(one)
        | SortCondition::AtMost(one) => Some(one),
    };
    let parts = || {
        plan.partition
            .iter()
            .chain(sort)
            .flat_map(|template| &template.parts)
    };
    let is_of = |name: &String| name == attribute || name == parameter;
    let lower = parts()
        .any(|part| matches!(part, Part::Field { name, format: Format::Lower, .. } if is_of(name)));
    let whole = parts()
        .any(|part| matches!(part, Part::Field { name, format, .. } if is_of(name) && format.keeps_value()));
    lower && !whole
}
