//! Conditions as SQL on the rows' columns.
//!
//! DynamoDB knows two truth values: a comparison with an absent attribute is false, except that it
//! differs from everything, and `not` turns either into the other. SQL's comparisons with NULL are
//! neither, so each is followed by `IS TRUE`.

use crate::path;
use crate::rows::{Rows, quoted};
use crate::sql_value::sql;
use crate::verdict::{field, size};
use keyfold_client::arguments::Values;
use keyfold_model::schema::{Comparator, Comparison, Condition, Measure, Path, Returned};
use keyfold_model::{Operand, Type};
use keyfold_types::Value;
use rusqlite::types::Value as Sql;

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
                    Operand::Attribute(_) | Operand::Lent(_) | Operand::Literal(_) => true,
                };
                let is_kept = comparison.operands.iter().all(is_given);
                is_kept.then(|| self.comparison(comparison, parameters))
            }
        }
    }

    fn comparison(&self, comparison: &Comparison, parameters: &mut Vec<Sql>) -> String {
        let operand = |operand: &Operand| match operand {
            Operand::Attribute(other) => (column(other), None),
            Operand::Parameter(name) => ("?".to_owned(), Some(sql(self.arguments.get(name)))),
            Operand::Lent(lent) => {
                let held = self.arguments.get(&lent.argument());
                ("?".to_owned(), Some(sql(held)))
            }
            Operand::Literal(value) => ("?".to_owned(), Some(sql(Some(value)))),
        };
        let operands = comparison.operands.iter().map(operand);
        let (texts, values): (Vec<String>, Vec<Option<Sql>>) = operands.unzip();
        let left = match comparison.measure {
            // All rows of an entity are of one kind.
            Measure::Kind => return self.kind(comparison),
            // SQL counts other units.
            Measure::Size => self.size(comparison),
            Measure::Value => column(&comparison.path()),
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
        let kind = entity.and_then(|entity| path::kind(entity, &comparison.path()));
        matches!(kind, Some(Type::List(_) | Type::Set(_)))
    }
}

/// The conditions under which a returned row has its copy.
pub(crate) fn conditions_of_copy<'r>(rows: &Rows<'r>, returned: &Returned) -> &'r [Condition] {
    let entity = rows.model.entities.get(returned.entity);
    let copy = entity
        .zip(returned.copy)
        .and_then(|(entity, at)| entity.copies.get(at));
    copy.map_or(&[], |copy| &copy.when)
}

/// The column of an attribute, or a field of the JSON in it.
fn column(at: &Path) -> String {
    let name = quoted(&at.attribute);
    if at.fields.is_empty() {
        return name;
    }
    let fields = at.fields.iter();
    let path: String = fields.map(|field| format!(".\"{field}\"")).collect();
    format!("json_extract({name}, '${}')", path.replace('\'', "''"))
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
    if comparison.comparator != Comparator::Contains {
        return Some(held.clone());
    }
    let elements: Vec<Value> = match held {
        Value::L(elements) => elements.clone(),
        Value::Ss(set) => set.members().iter().cloned().map(Value::S).collect(),
        Value::Ns(set) => set.members().iter().copied().map(Value::N).collect(),
        Value::Bs(set) => set.members().iter().cloned().map(Value::B).collect(),
        Value::S(_) | Value::N(_) | Value::B(_) | Value::Bool(_) | Value::Null | Value::M(_) => {
            vec![held.clone()]
        }
    };
    let at = rng.usize(..elements.len().max(1));
    elements.get(at).cloned()
}
