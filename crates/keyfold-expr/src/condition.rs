//! Conditions and filters: bound trees, evaluated on encoded items.
//!
//! A missing attribute makes every predicate false except `attribute_not_exists` and `<>`; so does a value
//! of a type the predicate does not compare. Source: "Condition and filter expressions, operators, and
//! functions".

use crate::ast::{RawCall, RawCondition, RawOperand};
use crate::bind::Binder;
use crate::error::{ExprError, ExprErrorKind, ExpressionKind};
use crate::parser::Parser;
use crate::path::Path;
use crate::placeholder::{Literal, Placeholders};
use keyfold_codec::{RawItem, RawValue};
use keyfold_types::limits::IN_OPERANDS_MAX;
use keyfold_types::{Number, Value, ValueKind};
use std::cmp::Ordering;

pub use crate::ast::Comparator;

/// A bound condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// All hold.
    And(Vec<Condition>),
    /// At least one holds.
    Or(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// Two operands compare.
    Compare(Comparator, Operand, Operand),
    /// The first lies between the others, both included.
    Between(Operand, Operand, Operand),
    /// The first equals one of the list.
    In(Operand, Vec<Operand>),
    /// The path has a value.
    Exists(Path),
    /// The path has no value.
    NotExists(Path),
    /// The path's value is of the type.
    IsType(Path, ValueKind),
    /// The first starts with the second.
    BeginsWith(Operand, Operand),
    /// The first contains the second: text in text, bytes in bytes, member in set, element in list.
    Contains(Operand, Operand),
}

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// The value at a path.
    Path(Path),
    /// A value of the request.
    Literal(Literal),
    /// The size of the value at a path.
    Size(Path),
}

impl Condition {
    /// Parses and binds a condition or filter.
    ///
    /// # Errors
    /// As [`ExprErrorKind`] lists; syntax is judged before placeholders.
    pub fn parse(
        expression: ExpressionKind,
        text: &str,
        placeholders: &Placeholders<'_>,
    ) -> Result<Condition, ExprError> {
        let raw = Parser::new(expression, text)?.condition()?;
        Binder { expression, placeholders }.condition(&raw)
    }

    /// Whether the condition holds for the item; without one every path is missing.
    pub fn holds(&self, item: Option<&RawItem>) -> bool {
        match self {
            Condition::And(members) => members.iter().all(|member| member.holds(item)),
            Condition::Or(members) => members.iter().any(|member| member.holds(item)),
            Condition::Not(member) => !member.holds(item),
            Condition::Compare(comparator, left, right) => compare(*comparator, left, right, item),
            Condition::Between(value, low, high) => {
                compare(Comparator::Ge, value, low, item) && compare(Comparator::Le, value, high, item)
            }
            Condition::In(value, list) => {
                list.iter().any(|other| compare(Comparator::Eq, value, other, item))
            }
            Condition::Exists(path) => item.is_some_and(|item| path.find(item).is_some()),
            Condition::NotExists(path) => item.is_none_or(|item| path.find(item).is_none()),
            Condition::IsType(path, kind) => {
                item.and_then(|item| path.find(item)).is_some_and(|value| value.kind() == *kind)
            }
            Condition::BeginsWith(value, prefix) => with_both(value, prefix, item, begins_with),
            Condition::Contains(value, part) => with_both(value, part, item, contains),
        }
    }

    /// Calls `visit` with every path of the condition.
    pub fn visit_paths<'s>(&'s self, visit: &mut impl FnMut(&'s Path)) {
        let mut operand = |operand: &'s Operand| match operand {
            Operand::Path(path) | Operand::Size(path) => visit(path),
            Operand::Literal(_) => {}
        };
        match self {
            Condition::And(members) | Condition::Or(members) => {
                for member in members {
                    member.visit_paths(visit);
                }
            }
            Condition::Not(member) => member.visit_paths(visit),
            Condition::Compare(_, left, right)
            | Condition::BeginsWith(left, right)
            | Condition::Contains(left, right) => [left, right].into_iter().for_each(operand),
            Condition::Between(value, low, high) => [value, low, high].into_iter().for_each(operand),
            Condition::In(value, list) => {
                operand(value);
                list.iter().for_each(operand);
            }
            Condition::Exists(path) | Condition::NotExists(path) | Condition::IsType(path, _) => visit(path),
        }
    }
}

/// Calls `test` with both operands' values; false if one is missing.
fn with_both(
    left: &Operand,
    right: &Operand,
    item: Option<&RawItem>,
    test: impl Fn(RawValue<'_>, RawValue<'_>) -> bool,
) -> bool {
    let mut sizes = [Vec::new(), Vec::new()];
    let [left_size, right_size] = &mut sizes;
    match (left.resolve(item, left_size), right.resolve(item, right_size)) {
        (Some(left), Some(right)) => test(left, right),
        _ => false,
    }
}

fn compare(comparator: Comparator, left: &Operand, right: &Operand, item: Option<&RawItem>) -> bool {
    match comparator {
        Comparator::Eq => with_both(left, right, item, |left, right| left == right),
        Comparator::Ne => !with_both(left, right, item, |left, right| left == right),
        Comparator::Lt => ordered(left, right, item, Ordering::is_lt),
        Comparator::Le => ordered(left, right, item, Ordering::is_le),
        Comparator::Gt => ordered(left, right, item, Ordering::is_gt),
        Comparator::Ge => ordered(left, right, item, Ordering::is_ge),
    }
}

fn ordered(left: &Operand, right: &Operand, item: Option<&RawItem>, test: fn(Ordering) -> bool) -> bool {
    with_both(left, right, item, |left, right| left.compare(&right).is_some_and(test))
}

impl Operand {
    /// The operand's value; a size is computed into `size`.
    fn resolve<'v>(&'v self, item: Option<&'v RawItem>, size: &'v mut Vec<u8>) -> Option<RawValue<'v>> {
        match self {
            Operand::Literal(literal) => Some(literal.raw()),
            Operand::Path(path) => path.find(item?),
            Operand::Size(path) => {
                let count = size_of(path.find(item?)?)?;
                keyfold_codec::raw::encode(size, &Value::N(Number::from(count)));
                Some(RawValue::new(size))
            }
        }
    }
}

/// `size(value)`: characters of a text are counted as UTF-8 bytes.
fn size_of(value: RawValue<'_>) -> Option<u64> {
    match value.kind() {
        ValueKind::S | ValueKind::B => Some(value.scalar_bytes().len() as u64),
        ValueKind::L | ValueKind::M | ValueKind::Ss | ValueKind::Ns | ValueKind::Bs => {
            Some(value.count() as u64)
        }
        ValueKind::N | ValueKind::Bool | ValueKind::Null => None,
    }
}

fn begins_with(value: RawValue<'_>, prefix: RawValue<'_>) -> bool {
    value.kind() == prefix.kind()
        && matches!(value.kind(), ValueKind::S | ValueKind::B)
        && value.scalar_bytes().starts_with(prefix.scalar_bytes())
}

fn contains(value: RawValue<'_>, part: RawValue<'_>) -> bool {
    let member_of = |kind| part.kind() == kind && value.members().any(|member| member == part.scalar_bytes());
    match value.kind() {
        ValueKind::S | ValueKind::B => {
            part.kind() == value.kind() && contains_bytes(value.scalar_bytes(), part.scalar_bytes())
        }
        ValueKind::Ss => member_of(ValueKind::S),
        ValueKind::Ns => member_of(ValueKind::N),
        ValueKind::Bs => member_of(ValueKind::B),
        ValueKind::L => value.elements().any(|element| element == part),
        ValueKind::N | ValueKind::Bool | ValueKind::Null | ValueKind::M => false,
    }
}

fn contains_bytes(whole: &[u8], part: &[u8]) -> bool {
    part.is_empty() || whole.windows(part.len()).any(|window| window == part)
}

impl Binder<'_, '_> {
    fn condition(&self, raw: &RawCondition<'_>) -> Result<Condition, ExprError> {
        let all = |members: &[RawCondition<'_>]| {
            members.iter().map(|member| self.condition(member)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match raw {
            RawCondition::And(members) => Condition::And(all(members)?),
            RawCondition::Or(members) => Condition::Or(all(members)?),
            RawCondition::Not(member) => Condition::Not(Box::new(self.condition(member)?)),
            RawCondition::Compare { comparator, left, right } => {
                let (left, right) = (self.operand(left)?, self.operand(right)?);
                self.check_distinct(comparator.text(), &left, &right)?;
                if !matches!(comparator, Comparator::Eq | Comparator::Ne) {
                    self.check_ordered(comparator.text(), &[&left, &right])?;
                }
                Condition::Compare(*comparator, left, right)
            }
            RawCondition::Between { value, low, high } => {
                let (value, low, high) = (self.operand(value)?, self.operand(low)?, self.operand(high)?);
                self.check_ordered("BETWEEN", &[&value, &low, &high])?;
                self.check_bounds(&low, &high)?;
                Condition::Between(value, low, high)
            }
            RawCondition::In { value, list } => {
                if list.len() > IN_OPERANDS_MAX {
                    return self.fail(ExprErrorKind::TooManyInOperands { count: list.len() });
                }
                let value = self.operand(value)?;
                let list = list.iter().map(|other| self.operand(other)).collect::<Result<Vec<_>, _>>()?;
                for other in &list {
                    self.check_distinct("IN", &value, other)?;
                }
                Condition::In(value, list)
            }
            RawCondition::Call(call) => self.predicate(call)?,
        })
    }

    fn predicate(&self, call: &RawCall<'_>) -> Result<Condition, ExprError> {
        match call.function {
            "attribute_exists" => {
                Ok(Condition::Exists(self.path_argument(call, self.arguments::<1>(call)?)?))
            }
            "attribute_not_exists" => {
                Ok(Condition::NotExists(self.path_argument(call, self.arguments::<1>(call)?)?))
            }
            "attribute_type" => {
                let [path, kind] = self.arguments(call)?;
                let path = self.path_argument(call, std::slice::from_ref(path))?;
                match self.operand(kind)? {
                    Operand::Literal(literal) => Ok(Condition::IsType(path, self.type_name(call, &literal)?)),
                    Operand::Path(_) | Operand::Size(_) => self.fail(ExprErrorKind::OperandType {
                        operator: call.function.into(),
                        found: ValueKind::M,
                    }),
                }
            }
            "begins_with" => {
                let [value, prefix] = self.arguments(call)?;
                let (value, prefix) = (self.operand(value)?, self.operand(prefix)?);
                for operand in [&value, &prefix] {
                    if let Operand::Literal(literal) = operand
                        && !matches!(literal.value().kind(), ValueKind::S | ValueKind::B)
                    {
                        return self.operand_type(call.function, literal);
                    }
                }
                self.check_distinct(call.function, &value, &prefix)?;
                Ok(Condition::BeginsWith(value, prefix))
            }
            "contains" => {
                let [value, part] = self.arguments(call)?;
                let (value, part) = (self.operand(value)?, self.operand(part)?);
                self.check_distinct(call.function, &value, &part)?;
                Ok(Condition::Contains(value, part))
            }
            "size" => self.fail(ExprErrorKind::FunctionMisused { function: call.function.into() }),
            "if_not_exists" | "list_append" => {
                self.fail(ExprErrorKind::FunctionNotAllowed { function: call.function.into() })
            }
            unknown => self.fail(ExprErrorKind::UnknownFunction { function: unknown.to_owned() }),
        }
    }

    fn path_argument(&self, call: &RawCall<'_>, arguments: &[RawOperand<'_>]) -> Result<Path, ExprError> {
        match arguments.first() {
            Some(RawOperand::Path(path)) => self.path(path),
            _ => self.fail(ExprErrorKind::PathRequired { operator: call.function.to_owned() }),
        }
    }

    fn type_name(&self, call: &RawCall<'_>, literal: &Literal) -> Result<ValueKind, ExprError> {
        let Value::S(name) = literal.value() else { return self.operand_type(call.function, literal) };
        match ValueKind::from_descriptor(name) {
            Some(kind) => Ok(kind),
            None => self.fail(ExprErrorKind::UnknownType { name: name.clone() }),
        }
    }

    fn operand(&self, raw: &RawOperand<'_>) -> Result<Operand, ExprError> {
        match raw {
            RawOperand::Path(path) => Ok(Operand::Path(self.path(path)?)),
            RawOperand::Value(placeholder) => Ok(Operand::Literal(self.literal(placeholder)?)),
            RawOperand::Call(call) if call.function == "size" => {
                Ok(Operand::Size(self.path_argument(call, self.arguments::<1>(call)?)?))
            }
            RawOperand::Call(call) => match call.function {
                "attribute_exists"
                | "attribute_not_exists"
                | "attribute_type"
                | "begins_with"
                | "contains" => {
                    self.fail(ExprErrorKind::FunctionMisused { function: call.function.to_owned() })
                }
                "if_not_exists" | "list_append" => {
                    self.fail(ExprErrorKind::FunctionNotAllowed { function: call.function.to_owned() })
                }
                unknown => self.fail(ExprErrorKind::UnknownFunction { function: unknown.to_owned() }),
            },
            // The grammar of conditions has no arithmetic.
            RawOperand::Sum { sign, .. } => {
                self.fail(ExprErrorKind::FunctionNotAllowed { function: sign.text().to_owned() })
            }
        }
    }

    fn operand_type<T>(&self, operator: &str, literal: &Literal) -> Result<T, ExprError> {
        let found = literal.value().kind();
        self.fail(ExprErrorKind::OperandType { operator: operator.to_owned(), found })
    }

    fn check_distinct(&self, operator: &str, first: &Operand, other: &Operand) -> Result<(), ExprError> {
        match (first, other) {
            (Operand::Path(one), Operand::Path(two)) if one == two => {
                let (operator, operand) = (operator.to_owned(), one.clone());
                self.fail(ExprErrorKind::OperandsNotDistinct { operator, operand })
            }
            _ => Ok(()),
        }
    }

    fn check_ordered(&self, operator: &str, operands: &[&Operand]) -> Result<(), ExprError> {
        for operand in operands {
            if let Operand::Literal(literal) = operand
                && !literal.value().kind().is_ordered()
            {
                return self.operand_type(operator, literal);
            }
        }
        Ok(())
    }

    fn check_bounds(&self, low: &Operand, high: &Operand) -> Result<(), ExprError> {
        let (Operand::Literal(low), Operand::Literal(high)) = (low, high) else { return Ok(()) };
        let (lower, upper) = (low.to_string(), high.to_string());
        match low.raw().compare(&high.raw()) {
            None => self.fail(ExprErrorKind::BetweenTypes { lower, upper }),
            Some(Ordering::Greater) => self.fail(ExprErrorKind::BetweenOrder { lower, upper }),
            Some(Ordering::Less | Ordering::Equal) => Ok(()),
        }
    }
}
