//! Patterns as SQL: arguments from the rows, and the rows that must be found, in their order.

use crate::ProveError;
use crate::condition::{Asked, conditions_of_copy, held_value};
use crate::generate::{Generator, keys_of};
use crate::order::order;
use crate::rows::{OrderBy, Rows, quoted};
use crate::sql_value::sql;
use crate::together_read as together;
use crate::verdict::holds;
use keyfold_client::arguments::Values;
use keyfold_model::schema::{Limit, Order, Parameter, Returned};
use keyfold_model::{
    Entity, Fan, Format, Part, Pattern, PatternPlan, Precision, SortCondition, Type, value,
};
use keyfold_types::Value;
use rusqlite::types::Value as Sql;

/// Random arguments of a pattern, mostly those of an existing row, so that there is an answer. The
/// first `given` optional parameters have a value.
pub(crate) fn arguments<'m>(
    pattern: &'m Pattern,
    given: usize,
    rows: &Rows<'m>,
    generator: &mut Generator<'m>,
) -> Values {
    if pattern.together.is_some() {
        return together::arguments(pattern, rows, generator);
    }
    // A range limits the kinds with `[]`: the arguments come from a row of one of them.
    let many = pattern.returned.iter().filter(|one| one.many).count();
    let has_range = pattern.parameters.iter().any(|one| limits_some(one.limit));
    let picked = if has_range && many > 0 && pattern.returned.len() > 1 {
        let at = generator.rng.usize(..many);
        pattern.returned.iter().filter(|one| one.many).nth(at)
    } else {
        pattern.returned.first()
    };
    let Some(first) = picked else {
        return Values::new();
    };
    let Some(entity) = rows.model.entities.get(first.entity) else {
        return Values::new();
    };
    let at = first.entity;
    let row = |generator: &mut Generator<'m>| -> Values {
        let has_filter = !pattern.filters.is_empty() && generator.rng.bool();
        let nothing = Values::new();
        // Filters with fixed values leave few rows.
        let is_meant = |row: &Values| pattern.filters.iter().all(|one| holds(one, row, &nothing));
        let meant = has_filter.then(|| rows.pick_where(at, &mut generator.rng, is_meant));
        let picked = (meant.flatten()).or_else(|| rows.pick_row(at, &mut generator.rng));
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
            Limit::Equal
            | Limit::AtLeast
            | Limit::AtMost
            | Limit::Above
            | Limit::Below
            | Limit::Starts
            | Limit::In(_) => limited(
                entity,
                parameter,
                if strange { None } else { Some(&one) },
                &other,
                generator,
            ),
        };
        let value = in_other_case(value, entity, parameter, generator);
        values.insert(parameter.name.clone(), value);
    }
    // Some ranges end before they start.
    if generator.rng.u8(..8) > 0 {
        order_ends(pattern, &mut values);
    }
    values
}

/// Whether an argument limits the kinds with `[]` of a collection: an end of a range, a beginning or
/// a period.
fn limits_some(limit: Limit) -> bool {
    let is_period = matches!(limit, Limit::In(_));
    is_low(limit) || is_high(limit) || limit == Limit::Starts || is_period
}

/// Whether an argument is the lower end of a range.
fn is_low(limit: Limit) -> bool {
    limit == Limit::AtLeast || limit == Limit::Above
}

/// Whether an argument is the upper end of a range.
fn is_high(limit: Limit) -> bool {
    limit == Limit::AtMost || limit == Limit::Below
}

/// Swaps the ends of ranges whose lower end is above the upper one.
fn order_ends(pattern: &Pattern, values: &mut Values) {
    for low in pattern.parameters.iter().filter(|p| is_low(p.limit)) {
        let high = pattern
            .parameters
            .iter()
            .find(|p| is_high(p.limit) && p.attribute == low.attribute);
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

/// An argument that selects by one attribute: the value of a row, or a random one.
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
    let of_one = one.and_then(|row| row.get(name));
    let held = if is_high(parameter.limit) {
        other.get(name).or(of_one)
    } else {
        of_one
    };
    let held = match held {
        Some(value) => value.clone(),
        None => generator.attribute(entity, attribute),
    };
    let is_end = is_low(parameter.limit) || is_high(parameter.limit);
    if let (Some(unit), Value::S(text)) = (parameter.period(), &held) {
        let period = unit.of(text);
        return Value::S(match generator.rng.u8(..4) {
            0 if is_end => farther(period, is_high(parameter.limit)),
            _ => period.to_owned(),
        });
    }
    match (parameter.limit, &held) {
        (_, Value::N(_)) if is_end && generator.rng.u8(..8) == 0 => {
            generator.far_number(&parameter.kind)
        }
        (_, Value::S(_))
            if is_end && parameter.kind == Type::String && generator.rng.u8(..8) == 0 =>
        {
            generator.far_text()
        }
        (Limit::Starts, Value::S(text)) => {
            let length = text.chars().count();
            let kept = generator.rng.usize(0..=length);
            Value::S(text.chars().take(kept).collect())
        }
        (
            Limit::Free
            | Limit::Equal
            | Limit::AtLeast
            | Limit::AtMost
            | Limit::Above
            | Limit::Below
            | Limit::Starts
            | Limit::In(_)
            | Limit::Among,
            _,
        ) => held,
    }
}

/// The same period of the year before or behind, so that a range reaches over other periods.
fn farther(period: &str, is_later: bool) -> String {
    let (year, rest) = period.split_at_checked(4).unwrap_or((period, ""));
    let other = year.parse::<u16>().ok().and_then(|year| {
        if is_later {
            year.checked_add(1).filter(|year| *year <= 9999)
        } else {
            year.checked_sub(1)
        }
    });
    match other {
        // Years have different lengths.
        Some(year) if !rest.starts_with("-02-29") => format!("{year:04}{rest}"),
        Some(_) | None => period.to_owned(),
    }
}

/// The argument, now and then with its letters in the other case where a key holds the attribute in
/// lower case: the pattern then finds the same items, or none.
fn in_other_case(
    value: Value,
    entity: &Entity,
    parameter: &Parameter,
    generator: &mut Generator<'_>,
) -> Value {
    let name = &parameter.attribute;
    let is_folded = |part: &Part| matches!(part, Part::Field { name: field, format: Format::Lower, .. } if field == name);
    if parameter.kind != Type::String
        || !keys_of(entity).any(is_folded)
        || generator.rng.u8(..3) > 0
    {
        return value;
    }
    swapped(&value)
}

/// A text, or the texts of a list, with letters of the other case.
fn swapped(value: &Value) -> Value {
    let swap = |c: char| match c.is_ascii_lowercase() {
        true => c.to_ascii_uppercase(),
        false => c.to_ascii_lowercase(),
    };
    if let Value::S(text) = value {
        Value::S(text.chars().map(swap).collect())
    } else if let Value::L(ids) = value {
        Value::L(ids.iter().map(swapped).collect())
    } else {
        value.clone()
    }
}

/// A random list of ids, most of them of existing rows.
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

/// An argument of a filter: the value of a row, or a random one.
fn free(
    pattern: &Pattern,
    parameter: &Parameter,
    row: &Values,
    generator: &mut Generator<'_>,
) -> Value {
    match held_value(&pattern.filters, &parameter.name, row, &mut generator.rng) {
        Some(value) if value::check("", &parameter.kind, &value).is_ok() => value,
        _ => generator.of_type(&parameter.kind),
    }
}

/// The rows of one returned kind that a pattern must find, in its order.
pub(crate) fn expected(
    pattern: &Pattern,
    plan: &PatternPlan,
    returned: &Returned,
    rows: &Rows<'_>,
    arguments: &Values,
) -> Result<Vec<i64>, ProveError> {
    let entity = returned.entity;
    let mut selection = Selection::default();
    // A range does not limit a single kind that comes beside it.
    let is_beside = !returned.many && !plan.beside.is_empty();
    let limits = |limit: Limit| match limit {
        Limit::Equal | Limit::Among | Limit::Free => true,
        Limit::AtLeast
        | Limit::AtMost
        | Limit::Above
        | Limit::Below
        | Limit::Starts
        | Limit::In(_) => !is_beside,
    };
    for parameter in pattern.parameters.iter().filter(|one| limits(one.limit)) {
        if let Some(argument) = arguments.get(&parameter.name) {
            let is_lower = is_lower(plan, &parameter.attribute, &parameter.name);
            selection.add_argument(parameter, argument, is_lower);
        }
    }
    if !is_beside {
        selection.add_last_period(plan, rows);
    }
    for (name, kind, text) in &pattern.fixed_values {
        let fixed = value::parse(name, kind, text).ok();
        selection.add(format!("{} = ?", quoted(name)), sql(fixed.as_ref()));
    }
    for name in &pattern.present {
        selection
            .conditions
            .push(format!("{} IS NOT NULL", quoted(name)));
    }
    let kinds = kinds(pattern, entity, rows);
    let asked = Asked {
        rows,
        entity,
        kinds: &kinds,
        arguments,
    };
    for filter in pattern
        .filters
        .iter()
        .chain(conditions_of_copy(rows, returned))
    {
        let condition = asked.sql(filter, &mut selection.parameters);
        selection.conditions.extend(condition);
    }
    let descending = pattern
        .order
        .as_ref()
        .is_some_and(|order| match order.order {
            Order::Newest | Order::Highest | Order::Descending => true,
            Order::Oldest | Order::Lowest | Order::Ascending => false,
        });
    let order = plan.ordered_by.as_ref().map(|attribute| OrderBy {
        attribute,
        descending,
    });
    selection.conditions.push("1".to_owned());
    let condition = selection.conditions.join(" AND ");
    rows.select(entity, &condition, order, selection.parameters)
}

/// The conditions of a question in SQL, with their parameters in order.
#[derive(Default)]
struct Selection {
    conditions: Vec<String>,
    parameters: Vec<Sql>,
}

impl Selection {
    fn add(&mut self, condition: String, parameter: Sql) {
        self.conditions.push(condition);
        self.parameters.push(parameter);
    }

    /// Adds the condition of an argument. `is_lower`: the key contains the attribute in lower case.
    fn add_argument(&mut self, parameter: &Parameter, argument: &Value, is_lower: bool) {
        let name = quoted(&parameter.attribute);
        let (left, right) = match (is_lower, parameter.period()) {
            (true, _) => (format!("lower({name})"), "lower(?)"),
            (false, Some(unit)) => (format!("substr({name}, 1, {})", unit.width()), "?"),
            (false, None) => (name, "?"),
        };
        let one = sql(Some(argument));
        match parameter.limit {
            // The filters that use the parameter add it.
            Limit::Free => {}
            Limit::Equal => self.add(format!("{left} = {right}"), one),
            Limit::AtLeast => self.add(format!("{left} >= {right}"), one),
            Limit::AtMost => self.add(format!("{left} <= {right}"), one),
            Limit::Above => self.add(format!("{left} > {right}"), one),
            Limit::Below => self.add(format!("{left} < {right}"), one),
            Limit::Starts => {
                let condition = format!("substr({left}, 1, length({right})) = {right}");
                self.parameters.push(one.clone());
                self.add(condition, one);
            }
            Limit::In(_) => self.add(format!("{left} = {right}"), one),
            Limit::Among => {
                if let Value::L(ids) = argument {
                    let placeholders = vec!["?"; ids.len()].join(", ");
                    self.conditions.push(format!("{left} IN ({placeholders})"));
                    self.parameters.extend(ids.iter().map(|id| sql(Some(id))));
                }
            }
        }
    }

    /// Adds the end of a range of periods without an upper end: the present period is the last.
    fn add_last_period(&mut self, plan: &PatternPlan, rows: &Rows<'_>) {
        let Fan::Periods {
            unit,
            attribute,
            high: None,
            ..
        } = &plan.fan
        else {
            return;
        };
        let kind = Type::Time(Precision::Millis);
        if let Some(Value::S(now)) = value::time_of_epoch_ms(&kind, rows.now_epoch_ms) {
            let name = quoted(attribute);
            let condition = format!("substr({name}, 1, {}) <= ?", unit.width());
            self.add(condition, Sql::Text(unit.of(&now).to_owned()));
        }
    }
}

/// The texts by which the items of a returned entity say their kind.
fn kinds(pattern: &Pattern, entity: usize, rows: &Rows<'_>) -> Vec<String> {
    let declared = rows.model.entities.get(entity);
    let text = |declared: &Entity, copy: Option<usize>| {
        let copy = copy.and_then(|at| declared.copies.get(at));
        copy.map_or_else(
            || declared.name.clone(),
            |copy| format!("{}.{}", declared.name, copy.name),
        )
    };
    let returned = pattern.returned.iter().filter(|one| one.entity == entity);
    returned
        .filter_map(|one| Some(text(declared?, one.copy)))
        .collect()
}

/// Whether the key that a pattern reads contains an attribute in lower case only.
pub(crate) fn is_lower(plan: &PatternPlan, attribute: &str, parameter: &str) -> bool {
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
    let keeps = parts()
        .any(|part| matches!(part, Part::Field { name, format, .. } if is_of(name) && format.keeps_value()));
    lower && !keeps
}
