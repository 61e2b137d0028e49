//! Conditions: as SQL on the rows' columns, and judged on a row's values.
//!
//! DynamoDB knows two truth values: a comparison with an absent attribute is false, except that it
//! differs from everything, and `not` turns either into the other. SQL's comparisons with NULL are
//! neither, so each is followed by `IS TRUE`.

use crate::order::order;
use crate::rows::{Rows, quoted, sql};
use keyfold_client::arguments::Values;
use keyfold_model::schema::{Comparator, Comparison, Condition, Measure};
use keyfold_model::{Operand, Type};
use keyfold_types::Value;
use rusqlite::types::Value as Sql;
use std::cmp::Ordering;

/// The question that a condition is part of.
pub(crate) struct Asked<'a> {
    pub(crate) rows: &'a Rows<'a>,
    /// The entity whose rows are selected, and the texts by which its items say their kind.
    pub(crate) entity: usize,
    pub(crate) kinds: &'a [String],
    pub(crate) arguments: &'a Values,
}

impl Asked<'_> {
    /// The condition in SQL, whose parameters are added in order. `None` when nothing remains
    /// without the arguments that are left out.
    pub(crate) fn sql(&self, condition: &Condition, parameters: &mut Vec<Sql>) -> Option<String> {
        let mut joined = |members: &[Condition], word: &str| {
            let texts = members
                .iter()
                .filter_map(|member| self.sql(member, parameters));
            let texts: Vec<String> = texts.collect();
            (!texts.is_empty()).then(|| format!("({})", texts.join(word)))
        };
        match condition {
            Condition::All(members) => joined(members, " AND "),
            Condition::Any(members) => joined(members, " OR "),
            Condition::Not(member) => {
                let member = self.sql(member, parameters)?;
                Some(format!("(NOT {member})"))
            }
            Condition::Is(comparison) => {
                let is_given = |operand: &Operand| match operand {
                    Operand::Parameter(name) => self.arguments.contains_key(name),
                    Operand::Attribute(_) | Operand::Literal(_) => true,
                };
                let is_kept = comparison.operands.iter().all(is_given);
                is_kept.then(|| self.comparison(comparison, parameters))
            }
        }
    }

    fn comparison(&self, comparison: &Comparison, parameters: &mut Vec<Sql>) -> String {
        let operand = |operand: &Operand| match operand {
            Operand::Attribute(other) => (quoted(other), None),
            Operand::Parameter(name) => ("?".to_owned(), Some(sql(self.arguments.get(name)))),
            Operand::Literal(value) => ("?".to_owned(), Some(sql(Some(value)))),
        };
        let operands = comparison.operands.iter().map(operand);
        let (texts, values): (Vec<String>, Vec<Option<Sql>>) = operands.unzip();
        let left = match comparison.measure {
            // All rows of an entity are of one kind.
            Measure::Kind => return self.kind(comparison),
            // SQL counts other units.
            Measure::Size => self.size(comparison),
            Measure::Value => column(comparison),
        };
        // The SQL of `starts` names its operand twice.
        let times = if comparison.comparator == Comparator::Starts {
            2
        } else {
            1
        };
        for value in values.into_iter().flatten() {
            parameters.extend(std::iter::repeat_n(value, times));
        }
        let first = texts.first().map_or("", String::as_str);
        let two_valued = |text: String| format!("(({text}) IS TRUE)");
        match comparison.comparator {
            // An absent attribute is unequal to every value, and to another absent one.
            Comparator::Unequal => format!("(({left} = {first}) IS NOT TRUE)"),
            Comparator::Exists => format!("({left} IS NOT NULL)"),
            Comparator::Missing => format!("({left} IS NULL)"),
            Comparator::Contains if self.has_elements(comparison) => {
                format!("EXISTS (SELECT 1 FROM json_each({left}) WHERE value = {first})")
            }
            Comparator::Contains => two_valued(format!("instr({left}, {first}) > 0")),
            Comparator::Starts => {
                two_valued(format!("substr({left}, 1, length({first})) = {first}"))
            }
            Comparator::In => two_valued(format!("{left} IN ({})", texts.join(", "))),
            Comparator::Within => two_valued(format!("{left} BETWEEN {}", texts.join(" AND "))),
            Comparator::Equal
            | Comparator::Less
            | Comparator::AtMost
            | Comparator::Greater
            | Comparator::AtLeast => {
                two_valued(format!("{left} {} {first}", comparison.comparator.word()))
            }
        }
    }

    /// Whether the rows are of one of the kinds of a comparison.
    fn kind(&self, comparison: &Comparison) -> String {
        let is_one = comparison.operands.iter().any(|operand| {
            matches!(operand, Operand::Literal(Value::S(text)) if self.kinds.contains(text))
        });
        if is_one { "1" } else { "0" }.to_owned()
    }

    /// The sizes of the rows' values, by row.
    fn size(&self, comparison: &Comparison) -> String {
        let rows = self.rows.of(self.entity).filter_map(|(row, values)| {
            let held = self.rows.get_complete(self.entity, row).unwrap_or(values);
            let size = size(field(held, comparison)?)?;
            Some(format!("WHEN {row} THEN {size} "))
        });
        let rows: String = rows.collect();
        if rows.is_empty() {
            return "NULL".to_owned();
        }
        format!("(CASE \":row\" {rows}END)")
    }

    /// Whether the compared value is a list or a set.
    fn has_elements(&self, comparison: &Comparison) -> bool {
        let entity = self.rows.model.entities.get(self.entity);
        let attribute = entity.and_then(|entity| entity.attribute(&comparison.attribute));
        let mut kind = attribute.map(|attribute| &attribute.kind);
        for name in &comparison.fields {
            kind = if let Some(Type::Record(record)) = kind {
                let found = record.fields.iter().find(|(field, ..)| field == name);
                found.map(|(_, kind, _)| kind)
            } else if let Some(Type::Map(of)) = kind {
                Some(&**of)
            } else {
                None
            };
        }
        matches!(kind, Some(Type::List(_) | Type::Set(_)))
    }
}

/// The column of an attribute, or a field of the JSON in it.
fn column(comparison: &Comparison) -> String {
    let name = quoted(&comparison.attribute);
    if comparison.fields.is_empty() {
        return name;
    }
    let fields = comparison.fields.iter();
    let path: String = fields.map(|field| format!(".\"{field}\"")).collect();
    format!("json_extract({name}, '${}')", path.replace('\'', "''"))
}

/// The value that a comparison looks at.
fn field<'v>(values: &'v Values, comparison: &Comparison) -> Option<&'v Value> {
    let mut held = values.get(&comparison.attribute)?;
    for name in &comparison.fields {
        let Value::M(map) = held else { return None };
        held = map.get(name.as_str())?;
    }
    Some(held)
}

/// A size as DynamoDB counts it; a text is measured in UTF-16 units.
fn size(value: &Value) -> Option<i64> {
    let size = match value {
        Value::S(text) => text.chars().map(char::len_utf16).sum(),
        Value::B(bytes) => bytes.len(),
        Value::L(values) => values.len(),
        Value::M(map) => map.iter().count(),
        Value::Ss(set) => set.members().len(),
        Value::Ns(set) => set.members().len(),
        Value::Bs(set) => set.members().len(),
        Value::N(_) | Value::Bool(_) | Value::Null => return None,
    };
    i64::try_from(size).ok()
}

/// Whether a condition holds for a row. A condition of which nothing remains without the arguments
/// that are left out holds.
pub(crate) fn holds(condition: &Condition, now: &Values, arguments: &Values) -> bool {
    verdict(condition, now, arguments).unwrap_or(true)
}

/// The verdict of a condition; `None` when nothing remains of it.
fn verdict(condition: &Condition, now: &Values, arguments: &Values) -> Option<bool> {
    let all = |members: &[Condition]| -> Vec<bool> {
        let verdicts = members.iter().map(|one| verdict(one, now, arguments));
        verdicts.flatten().collect()
    };
    match condition {
        Condition::Is(comparison) => {
            let is_given = |operand: &Operand| match operand {
                Operand::Parameter(name) => arguments.contains_key(name),
                Operand::Attribute(_) | Operand::Literal(_) => true,
            };
            let is_kept = comparison.operands.iter().all(is_given);
            is_kept.then(|| is_true(comparison, now, arguments))
        }
        Condition::Not(member) => verdict(member, now, arguments).map(|one| !one),
        Condition::All(members) => {
            let verdicts = all(members);
            (!verdicts.is_empty()).then(|| verdicts.iter().all(|one| *one))
        }
        Condition::Any(members) => {
            let verdicts = all(members);
            (!verdicts.is_empty()).then(|| verdicts.iter().any(|one| *one))
        }
    }
}

fn is_true(comparison: &Comparison, now: &Values, arguments: &Values) -> bool {
    let measured = |value: &Value| match comparison.measure {
        Measure::Size => size(value).map(Value::from),
        Measure::Value | Measure::Kind => Some(value.clone()),
    };
    let held = field(now, comparison).and_then(measured);
    let operand = |operand: &Operand| match operand {
        Operand::Attribute(name) => now.get(name).cloned(),
        Operand::Parameter(name) => arguments.get(name).cloned(),
        Operand::Literal(value) => Some(value.clone()),
    };
    let others: Vec<Option<Value>> = comparison.operands.iter().map(operand).collect();
    let ordering = |at: usize| {
        let other = others.get(at).and_then(Option::as_ref);
        held.as_ref().zip(other).map(|(one, two)| order(one, two))
    };
    let is = |at: usize, test: fn(Ordering) -> bool| ordering(at).is_some_and(test);
    let other = others.first().and_then(Option::as_ref);
    match comparison.comparator {
        Comparator::Exists => held.is_some(),
        Comparator::Missing => held.is_none(),
        Comparator::Equal | Comparator::In => held.is_some() && others.contains(&held),
        Comparator::Unequal => held.is_none() || held.as_ref() != other,
        Comparator::Less => is(0, Ordering::is_lt),
        Comparator::AtMost => is(0, Ordering::is_le),
        Comparator::Greater => is(0, Ordering::is_gt),
        Comparator::AtLeast => is(0, Ordering::is_ge),
        Comparator::Within => is(0, Ordering::is_ge) && is(1, Ordering::is_le),
        Comparator::Starts => match (&held, other) {
            (Some(Value::S(text)), Some(Value::S(start))) => text.starts_with(start.as_str()),
            _ => false,
        },
        Comparator::Contains => match (&held, other) {
            (Some(Value::S(text)), Some(Value::S(part))) => text.contains(part.as_str()),
            (Some(Value::L(all)), Some(one)) => all.contains(one),
            (Some(Value::Ss(set)), Some(Value::S(one))) => set.members().contains(one),
            (Some(Value::Ns(set)), Some(Value::N(one))) => set.members().contains(one),
            (Some(Value::Bs(set)), Some(Value::B(one))) => set.members().contains(one),
            _ => false,
        },
    }
}

/// A random argument for a parameter that conditions compare with: what a row has there.
pub(crate) fn held_value(
    conditions: &[Condition],
    parameter: &str,
    row: &Values,
    rng: &mut fastrand::Rng,
) -> Option<Value> {
    let comparisons = conditions.iter().flat_map(Condition::comparisons);
    let used: Vec<&Comparison> = comparisons
        .filter(|one| one.parameters().any(|name| name == parameter))
        .collect();
    let comparison = used.first()?;
    let held = field(row, comparison)?;
    if comparison.measure == Measure::Size {
        return size(held).map(Value::from);
    }
    if let Value::L(elements) = held
        && comparison.comparator == Comparator::Contains
    {
        let at = rng.usize(..elements.len().max(1));
        return elements.get(at).cloned();
    }
    Some(held.clone())
}
