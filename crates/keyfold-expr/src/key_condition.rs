//! Key conditions: tests on key attributes, joined by AND. The engine knows which attributes are
//! keys.

use crate::ast::{Comparator, Function, RawCall, RawCondition, RawOperand, RawPath};
use crate::bind::Binder;
use crate::error::{ExprError, ExprErrorKind, ExpressionKind};
use crate::parser::Parser;
use crate::placeholder::{Literal, Placeholders};
use keyfold_types::ValueKind;
use std::collections::BTreeSet;

/// A bound key condition: one test for each attribute it names.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyCondition {
    terms: Vec<KeyTerm>,
}

/// A test on one attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyTerm {
    /// The attribute.
    pub attribute: String,
    /// The test that its value must pass.
    pub test: KeyTest,
}

/// A test on the value of a key attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyTest {
    /// Equal to the literal.
    Eq(Literal),
    /// Less than the literal.
    Lt(Literal),
    /// Less than or equal to the literal.
    Le(Literal),
    /// Greater than the literal.
    Gt(Literal),
    /// Greater than or equal to the literal.
    Ge(Literal),
    /// From the first to the second, both included.
    Between(Literal, Literal),
    /// Starting with the literal.
    BeginsWith(Literal),
}

impl KeyTest {
    /// The literals of the test.
    pub fn literals(&self) -> Vec<&Literal> {
        match self {
            KeyTest::Eq(one) | KeyTest::Lt(one) | KeyTest::Le(one) => vec![one],
            KeyTest::Gt(one) | KeyTest::Ge(one) | KeyTest::BeginsWith(one) => vec![one],
            KeyTest::Between(low, high) => vec![low, high],
        }
    }
}

impl KeyCondition {
    /// Parses and binds a key condition.
    ///
    /// # Errors
    /// As [`ExprErrorKind`] lists; `KeyOperator` for operators that key conditions do not have.
    pub fn parse(text: &str, placeholders: &Placeholders<'_>) -> Result<KeyCondition, ExprError> {
        let expression = ExpressionKind::KeyCondition;
        let raw = Parser::new(expression, text)?.condition()?;
        let binder = Binder {
            expression,
            placeholders,
        };
        let mut terms: Vec<KeyTerm> = Vec::new();
        binder.key_terms(&raw, &mut terms)?;
        let mut seen = BTreeSet::new();
        if !terms
            .iter()
            .all(|term| seen.insert(term.attribute.as_str()))
        {
            return binder.fail(ExprErrorKind::KeyConditionRepeated);
        }
        Ok(KeyCondition { terms })
    }

    /// A key condition of the given tests.
    pub fn new(terms: Vec<KeyTerm>) -> KeyCondition {
        KeyCondition { terms }
    }

    /// The tests, as written from left to right.
    pub fn terms(&self) -> &[KeyTerm] {
        &self.terms
    }
}

impl Binder<'_, '_> {
    /// Collects the tests of a condition, from left to right.
    fn key_terms(&self, raw: &RawCondition<'_>, terms: &mut Vec<KeyTerm>) -> Result<(), ExprError> {
        let term = match raw {
            RawCondition::And(members) => {
                return members
                    .iter()
                    .try_for_each(|member| self.key_terms(member, terms));
            }
            RawCondition::Or(_) => self.not_for_keys("OR"),
            RawCondition::Not(_) => self.not_for_keys("NOT"),
            RawCondition::In { .. } => self.not_for_keys("IN"),
            RawCondition::Compare {
                comparator,
                left,
                right,
            } => self.key_comparison(*comparator, left, right),
            RawCondition::Between { value, low, high } => self.key_range(value, low, high),
            RawCondition::Call(call) => self.key_call(call),
        };
        terms.push(term?);
        Ok(())
    }

    fn not_for_keys<T>(&self, operator: &str) -> Result<T, ExprError> {
        self.fail(ExprErrorKind::KeyOperator {
            operator: operator.to_owned(),
        })
    }

    fn key_comparison(
        &self,
        comparator: Comparator,
        left: &RawOperand<'_>,
        right: &RawOperand<'_>,
    ) -> Result<KeyTerm, ExprError> {
        if comparator == Comparator::Ne {
            return self.not_for_keys(comparator.text());
        }
        let (path, value, comparator) = match (left, right) {
            (RawOperand::Path(path), RawOperand::Value(value)) => (path, value, comparator),
            (RawOperand::Value(value), RawOperand::Path(path)) => {
                (path, value, comparator.mirrored())
            }
            (RawOperand::Call(call), _) | (_, RawOperand::Call(call)) => {
                return self.not_for_keys(call.name);
            }
            (
                RawOperand::Path(_) | RawOperand::Value(_) | RawOperand::Sum { .. },
                RawOperand::Path(_) | RawOperand::Value(_) | RawOperand::Sum { .. },
            ) => return self.path_required(comparator.text()),
        };
        let attribute = self.key_attribute(path)?;
        let literal = self.literal(value)?;
        if comparator != Comparator::Eq {
            self.check_ordered_literal(comparator.text(), &literal)?;
        }
        let test = match comparator {
            Comparator::Eq => KeyTest::Eq(literal),
            Comparator::Ne => return self.not_for_keys(comparator.text()),
            Comparator::Lt => KeyTest::Lt(literal),
            Comparator::Le => KeyTest::Le(literal),
            Comparator::Gt => KeyTest::Gt(literal),
            Comparator::Ge => KeyTest::Ge(literal),
        };
        Ok(KeyTerm { attribute, test })
    }

    fn key_range(
        &self,
        value: &RawOperand<'_>,
        low: &RawOperand<'_>,
        high: &RawOperand<'_>,
    ) -> Result<KeyTerm, ExprError> {
        let RawOperand::Path(path) = value else {
            return self.path_required("BETWEEN");
        };
        let (RawOperand::Value(low), RawOperand::Value(high)) = (low, high) else {
            return self.not_for_keys("BETWEEN");
        };
        let attribute = self.key_attribute(path)?;
        let (low, high) = (self.literal(low)?, self.literal(high)?);
        self.check_ordered_literal("BETWEEN", &low)?;
        self.check_ordered_literal("BETWEEN", &high)?;
        self.check_order(&low, &high)?;
        let test = KeyTest::Between(low, high);
        Ok(KeyTerm { attribute, test })
    }

    fn key_call(&self, call: &RawCall<'_>) -> Result<KeyTerm, ExprError> {
        match call.function() {
            Some(Function::BeginsWith) => self.key_prefix(call),
            Some(
                Function::AttributeExists
                | Function::AttributeNotExists
                | Function::AttributeType
                | Function::Contains
                | Function::Size,
            ) => self.not_for_keys(call.name),
            Some(Function::IfNotExists | Function::ListAppend) | None => {
                self.unknown_function(call)
            }
        }
    }

    fn key_prefix(&self, call: &RawCall<'_>) -> Result<KeyTerm, ExprError> {
        let [value, prefix] = self.arguments(call)?;
        let (RawOperand::Path(path), RawOperand::Value(prefix)) = (value, prefix) else {
            return self.path_required(call.name);
        };
        let attribute = self.key_attribute(path)?;
        let prefix = self.literal(prefix)?;
        let kind = prefix.value().kind();
        if !matches!(kind, ValueKind::S | ValueKind::B) {
            return self.fail(ExprErrorKind::OperandType {
                operator: call.name.to_owned(),
                found: kind,
            });
        }
        let test = KeyTest::BeginsWith(prefix);
        Ok(KeyTerm { attribute, test })
    }

    fn key_attribute(&self, raw: &RawPath<'_>) -> Result<String, ExprError> {
        match self.path(raw)?.as_attribute() {
            Some(name) => Ok(name.to_owned()),
            None => self.fail(ExprErrorKind::KeyNested),
        }
    }

    fn check_ordered_literal(&self, operator: &str, literal: &Literal) -> Result<(), ExprError> {
        let found = literal.value().kind();
        if found.is_ordered() {
            return Ok(());
        }
        self.fail(ExprErrorKind::OperandType {
            operator: operator.to_owned(),
            found,
        })
    }
}
