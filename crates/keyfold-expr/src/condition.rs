//! Conditions and filters: bound trees, evaluated on encoded items.
//!
//! A missing attribute makes every predicate false except `attribute_not_exists` and `<>`. A value
//! of a type that the predicate does not compare makes it false, too. Source: "Condition and filter
//! expressions, operators, and functions".

use crate::ast::{Comparator, Function, RawCall, RawCondition, RawOperand};
use crate::bind::Binder;
use crate::budget::Budget;
use crate::error::{ExprError, ExprErrorKind, ExpressionKind};
use crate::parser::Parser;
use crate::path::Path;
use crate::placeholder::{Literal, Placeholders};
use keyfold_codec::{RawItem, RawValue};
use keyfold_types::limits::IN_OPERANDS_MAX;
use keyfold_types::{Number, Value, ValueKind};
use std::cmp::Ordering;

/// A bound condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// All members hold.
    And(Vec<Condition>),
    /// At least one member holds.
    Or(Vec<Condition>),
    /// The member does not hold.
    Not(Box<Condition>),
    /// The operands compare as the comparator says.
    Compare(Comparator, Operand, Operand),
    /// The first operand lies between the others, both included.
    Between(Operand, Operand, Operand),
    /// The operand equals one of the list.
    In(Operand, Vec<Operand>),
    /// The path has a value.
    Exists(Path),
    /// The path has no value.
    NotExists(Path),
    /// The value is of the type.
    IsType(Operand, ValueKind),
    /// The first operand starts with the second.
    BeginsWith(Operand, Operand),
    /// The first operand contains the second: text in text, bytes in bytes, member in set, element
    /// in list.
    Contains(Operand, Operand),
}

/// A value that a condition looks at.
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
    /// As [`ExprErrorKind`] lists; syntax is checked before placeholders.
    pub fn parse(
        expression: ExpressionKind,
        text: &str,
        placeholders: &Placeholders<'_>,
    ) -> Result<Condition, ExprError> {
        let raw = Parser::new(expression, text)?.condition()?;
        Binder {
            expression,
            placeholders,
        }
        .condition(&raw)
    }

    /// Whether the condition holds for the item. Without an item every path is missing.
    pub fn holds(&self, item: Option<&RawItem>) -> bool {
        self.holds_within(item, &Budget::unbounded())
    }

    /// Whether the condition holds for the item; spends the bytes that it looks at.
    pub fn holds_within(&self, item: Option<&RawItem>, budget: &Budget) -> bool {
        let subject = Subject { item, budget };
        match self {
            Condition::And(members) => members
                .iter()
                .all(|member| member.holds_within(item, budget)),
            Condition::Or(members) => members
                .iter()
                .any(|member| member.holds_within(item, budget)),
            Condition::Not(member) => !member.holds_within(item, budget),
            Condition::Compare(comparator, left, right) => {
                let found = subject.with_both(left, right, |left, right| {
                    compare(*comparator, left, right, budget)
                });
                // A missing value differs from any other.
                found.unwrap_or(*comparator == Comparator::Ne)
            }
            Condition::Between(value, low, high) => subject
                .with(value, |value| {
                    let test = |comparator, bound| {
                        subject
                            .with(bound, |bound| compare(comparator, value, bound, budget))
                            .unwrap_or(false)
                    };
                    test(Comparator::Ge, low) && test(Comparator::Le, high)
                })
                .unwrap_or(false),
            Condition::In(value, list) => subject
                .with(value, |value| {
                    list.iter().any(|other| {
                        subject
                            .with(other, |other| equal(value, other, budget))
                            .unwrap_or(false)
                    })
                })
                .unwrap_or(false),
            Condition::Exists(path) => subject.find(path).is_some(),
            Condition::NotExists(path) => subject.find(path).is_none(),
            Condition::IsType(value, kind) => subject
                .with(value, |value| value.kind() == *kind)
                .unwrap_or(false),
            Condition::BeginsWith(value, prefix) => subject
                .with_both(value, prefix, |value, prefix| {
                    begins_with(value, prefix, budget)
                })
                .unwrap_or(false),
            Condition::Contains(value, part) => subject
                .with_both(value, part, |value, part| contains(value, part, budget))
                .unwrap_or(false),
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
            Condition::Between(value, low, high) => {
                [value, low, high].into_iter().for_each(operand)
            }
            Condition::In(value, list) => {
                operand(value);
                list.iter().for_each(operand);
            }
            Condition::IsType(value, _) => operand(value),
            Condition::Exists(path) | Condition::NotExists(path) => visit(path),
        }
    }
}

/// The item that a condition is evaluated on, and the budget of the evaluation.
#[derive(Clone, Copy)]
struct Subject<'m> {
    item: Option<&'m RawItem>,
    budget: &'m Budget,
}

impl<'m> Subject<'m> {
    fn find(&self, path: &Path) -> Option<RawValue<'m>> {
        path.find_within(self.item?, self.budget)
    }

    /// The result of `test` for the operand's value; none if the value is missing.
    fn with<T>(&self, operand: &Operand, test: impl FnOnce(RawValue<'_>) -> T) -> Option<T> {
        match operand {
            Operand::Literal(literal) => Some(test(literal.raw())),
            Operand::Path(path) => self.find(path).map(test),
            Operand::Size(path) => {
                let value = self.find(path)?;
                self.budget.spend(value.bytes().len());
                let mut size = Vec::new();
                keyfold_codec::raw::encode(&mut size, &Value::N(Number::from(size_of(value)?)));
                Some(test(RawValue::new(&size)))
            }
        }
    }

    fn with_both<T>(
        &self,
        left: &Operand,
        right: &Operand,
        test: impl FnOnce(RawValue<'_>, RawValue<'_>) -> T,
    ) -> Option<T> {
        self.with(left, |left| self.with(right, |right| test(left, right)))?
    }
}

fn equal(left: RawValue<'_>, right: RawValue<'_>, budget: &Budget) -> bool {
    let (one, two) = (left.bytes().len(), right.bytes().len());
    budget.spend(if one == two { one } else { 0 });
    left == right
}

fn compare(
    comparator: Comparator,
    left: RawValue<'_>,
    right: RawValue<'_>,
    budget: &Budget,
) -> bool {
    let ordered = |test: fn(Ordering) -> bool| {
        budget.spend(left.bytes().len().min(right.bytes().len()));
        left.compare(&right).is_some_and(test)
    };
    match comparator {
        Comparator::Eq => equal(left, right, budget),
        Comparator::Ne => !equal(left, right, budget),
        Comparator::Lt => ordered(Ordering::is_lt),
        Comparator::Le => ordered(Ordering::is_le),
        Comparator::Gt => ordered(Ordering::is_gt),
        Comparator::Ge => ordered(Ordering::is_ge),
    }
}

/// `size(value)`: the UTF-16 code units of a text, the number of bytes, or the number of members;
/// none for other types.
fn size_of(value: RawValue<'_>) -> Option<u64> {
    match value.kind() {
        ValueKind::S => Some(value.as_str().chars().map(char::len_utf16).sum::<usize>() as u64),
        ValueKind::B => Some(value.scalar_bytes().len() as u64),
        ValueKind::L | ValueKind::M | ValueKind::Ss | ValueKind::Ns | ValueKind::Bs => {
            Some(value.count() as u64)
        }
        ValueKind::N | ValueKind::Bool | ValueKind::Null => None,
    }
}

fn begins_with(value: RawValue<'_>, prefix: RawValue<'_>, budget: &Budget) -> bool {
    budget.spend(prefix.bytes().len().min(value.bytes().len()));
    value.kind() == prefix.kind()
        && matches!(value.kind(), ValueKind::S | ValueKind::B)
        && value.scalar_bytes().starts_with(prefix.scalar_bytes())
}

fn contains(value: RawValue<'_>, part: RawValue<'_>, budget: &Budget) -> bool {
    budget.spend(value.bytes().len());
    let member_of =
        |kind| part.kind() == kind && value.members().any(|member| member == part.scalar_bytes());
    match value.kind() {
        ValueKind::S | ValueKind::B => {
            part.kind() == value.kind()
                && contains_bytes(value.scalar_bytes(), part.scalar_bytes(), budget)
        }
        ValueKind::Ss => member_of(ValueKind::S),
        ValueKind::Ns => member_of(ValueKind::N),
        ValueKind::Bs => member_of(ValueKind::B),
        ValueKind::L => value.elements().any(|element| element == part),
        ValueKind::N | ValueKind::Bool | ValueKind::Null | ValueKind::M => false,
    }
}

/// Whether `bytes` contain `part`, in time linear in both lengths.
fn contains_bytes(bytes: &[u8], part: &[u8], budget: &Budget) -> bool {
    if part.len() > bytes.len() {
        return false;
    }
    budget.spend(part.len());
    memchr::memmem::find(bytes, part).is_some()
}

impl Binder<'_, '_> {
    fn condition(&self, raw: &RawCondition<'_>) -> Result<Condition, ExprError> {
        let all = |members: &[RawCondition<'_>]| {
            members
                .iter()
                .map(|member| self.condition(member))
                .collect::<Result<Vec<_>, _>>()
        };
        match raw {
            RawCondition::And(members) => all(members).map(Condition::And),
            RawCondition::Or(members) => all(members).map(Condition::Or),
            RawCondition::Not(member) => Ok(Condition::Not(Box::new(self.condition(member)?))),
            RawCondition::Compare {
                comparator,
                left,
                right,
            } => self.comparison(*comparator, left, right),
            RawCondition::Between { value, low, high } => self.between([value, low, high]),
            RawCondition::In { value, list } => self.in_list(value, list),
            RawCondition::Call(call) => self.predicate(call),
        }
    }

    fn comparison(
        &self,
        comparator: Comparator,
        left: &RawOperand<'_>,
        right: &RawOperand<'_>,
    ) -> Result<Condition, ExprError> {
        let (left, right) = (self.operand(left)?, self.operand(right)?);
        self.check_distinct(comparator.text(), &left, &right)?;
        if !matches!(comparator, Comparator::Eq | Comparator::Ne) {
            self.check_ordered(comparator.text(), &[&left, &right])?;
        }
        Ok(Condition::Compare(comparator, left, right))
    }

    fn between(&self, [value, low, high]: [&RawOperand<'_>; 3]) -> Result<Condition, ExprError> {
        let value = self.operand(value)?;
        let (low, high) = (self.operand(low)?, self.operand(high)?);
        self.check_ordered("BETWEEN", &[&value, &low, &high])?;
        self.check_bounds(&low, &high)?;
        Ok(Condition::Between(value, low, high))
    }

    fn in_list(
        &self,
        value: &RawOperand<'_>,
        list: &[RawOperand<'_>],
    ) -> Result<Condition, ExprError> {
        if list.len() > IN_OPERANDS_MAX {
            return self.fail(ExprErrorKind::TooManyInOperands { count: list.len() });
        }
        let value = self.operand(value)?;
        let list = list
            .iter()
            .map(|other| self.operand(other))
            .collect::<Result<Vec<_>, _>>()?;
        for other in &list {
            self.check_distinct("IN", &value, other)?;
        }
        Ok(Condition::In(value, list))
    }

    fn predicate(&self, call: &RawCall<'_>) -> Result<Condition, ExprError> {
        let Some(function) = call.function() else {
            return self.unknown_function(call);
        };
        match function {
            Function::AttributeExists => Ok(Condition::Exists(
                self.path_argument(call, self.arguments::<1>(call)?)?,
            )),
            Function::AttributeNotExists => Ok(Condition::NotExists(
                self.path_argument(call, self.arguments::<1>(call)?)?,
            )),
            Function::AttributeType => self.type_test(call),
            Function::BeginsWith => {
                let [value, prefix] = self.arguments(call)?;
                let (value, prefix) = (self.operand(value)?, self.operand(prefix)?);
                for operand in [&value, &prefix] {
                    if let Operand::Literal(literal) = operand
                        && !matches!(literal.value().kind(), ValueKind::S | ValueKind::B)
                    {
                        return self.operand_type(call.name, literal);
                    }
                }
                self.check_distinct(call.name, &value, &prefix)?;
                Ok(Condition::BeginsWith(value, prefix))
            }
            Function::Contains => {
                let [value, part] = self.arguments(call)?;
                let (value, part) = (self.operand(value)?, self.operand(part)?);
                self.check_distinct(call.name, &value, &part)?;
                Ok(Condition::Contains(value, part))
            }
            Function::Size => self.misused(call),
            Function::IfNotExists | Function::ListAppend => self.not_allowed(call.name),
        }
    }

    fn type_test(&self, call: &RawCall<'_>) -> Result<Condition, ExprError> {
        let [value, kind] = self.arguments(call)?;
        let value = match value {
            RawOperand::Path(_) | RawOperand::Value(_) => self.operand(value)?,
            RawOperand::Call(_) | RawOperand::Sum { .. } => return self.path_required(call.name),
        };
        match self.operand(kind)? {
            Operand::Literal(literal) => {
                Ok(Condition::IsType(value, self.type_name(call, &literal)?))
            }
            Operand::Path(_) | Operand::Size(_) => self.fail(ExprErrorKind::OperandType {
                operator: call.name.to_owned(),
                found: ValueKind::M,
            }),
        }
    }

    fn path_argument(
        &self,
        call: &RawCall<'_>,
        [argument]: &[RawOperand<'_>; 1],
    ) -> Result<Path, ExprError> {
        if let RawOperand::Path(path) = argument {
            self.path(path)
        } else {
            self.path_required(call.name)
        }
    }

    fn type_name(&self, call: &RawCall<'_>, literal: &Literal) -> Result<ValueKind, ExprError> {
        let Value::S(name) = literal.value() else {
            return self.operand_type(call.name, literal);
        };
        match ValueKind::from_descriptor(name) {
            Some(kind) => Ok(kind),
            None => self.fail(ExprErrorKind::UnknownType { name: name.clone() }),
        }
    }

    fn operand(&self, raw: &RawOperand<'_>) -> Result<Operand, ExprError> {
        match raw {
            RawOperand::Path(path) => Ok(Operand::Path(self.path(path)?)),
            RawOperand::Value(placeholder) => Ok(Operand::Literal(self.literal(placeholder)?)),
            RawOperand::Call(call) => self.call_operand(call),
            // The grammar of conditions has no arithmetic.
            RawOperand::Sum { sign, .. } => self.not_allowed(sign.text()),
        }
    }

    /// Binds a call between operators: `size` is the only one that has a value.
    fn call_operand(&self, call: &RawCall<'_>) -> Result<Operand, ExprError> {
        let Some(function) = call.function() else {
            return self.unknown_function(call);
        };
        match function {
            Function::Size => {
                let argument = self.arguments::<1>(call)?;
                let [RawOperand::Value(placeholder)] = argument else {
                    return Ok(Operand::Size(self.path_argument(call, argument)?));
                };
                let literal = self.literal(placeholder)?;
                match size_of(literal.raw()) {
                    Some(size) => Ok(Operand::Literal(Literal::new(Value::N(size.into())))),
                    None => self.operand_type(call.name, &literal),
                }
            }
            Function::AttributeExists
            | Function::AttributeNotExists
            | Function::AttributeType
            | Function::BeginsWith
            | Function::Contains => self.misused(call),
            Function::IfNotExists | Function::ListAppend => self.not_allowed(call.name),
        }
    }

    fn operand_type<T>(&self, operator: &str, literal: &Literal) -> Result<T, ExprError> {
        let found = literal.value().kind();
        self.fail(ExprErrorKind::OperandType {
            operator: operator.to_owned(),
            found,
        })
    }

    fn check_distinct(
        &self,
        operator: &str,
        first: &Operand,
        other: &Operand,
    ) -> Result<(), ExprError> {
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
        let (Operand::Literal(low), Operand::Literal(high)) = (low, high) else {
            return Ok(());
        };
        self.check_order(low, high)
    }

    /// Refuses bounds of BETWEEN of which the lower is above the upper, or of two types. The texts
    /// of the bounds may be long, and are made for the message only.
    pub(crate) fn check_order(&self, low: &Literal, high: &Literal) -> Result<(), ExprError> {
        let texts = || (low.to_string(), high.to_string());
        match low.compare(high) {
            Some(Ordering::Less | Ordering::Equal) => Ok(()),
            Some(Ordering::Greater) => {
                let (lower, upper) = texts();
                self.fail(ExprErrorKind::BetweenOrder { lower, upper })
            }
            None => {
                let (lower, upper) = texts();
                self.fail(ExprErrorKind::BetweenTypes { lower, upper })
            }
        }
    }
}
